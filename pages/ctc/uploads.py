"""Frames of one's own: read once in a process of their own, and kept for the browser that gave them."""

import hashlib
from dataclasses import dataclass

from pages.shared.computing import compute
from pages.shared.uploads import NoTextYet, Uploads, keep_latest
from rcmviz.frames.file import Frames, parse_frames, parse_labels

UPLOAD_MB = 20
BYTES_PER_SECOND = 4_000_000  # of a file that is read, by a rough estimate
MOST_FRAMES = 2_000  # to step through: a view of them takes 7 s of the processor
MOST_UPLOADS = 4
GONE = "these frames are not here: the latest four are kept for the browser that chose them; upload them again"
UPLOADS = Uploads()  # digest → OwnFrames


@dataclass(frozen=True, eq=False)
class OwnFrames:
    """An uploaded file: its ``name``, what was read of it, the name of the file of ``labels`` beside it, and the
    ``blank`` that was said, or None.
    """

    name: str
    frames: Frames
    labels: str | None
    blank: int | None


def own_frames(digest):
    """The ``OwnFrames`` of a link; ValueError where there are none (any more)."""
    if not digest:
        raise NoTextYet("Choose a file of frames above: npz, npy or CSV, a row per frame.")
    return UPLOADS.need(digest, GONE)


def keep_frames(name, content, labels=None, blank=None):
    """Read an uploaded file, keep it for its visitor and return its digest; ``labels`` are (name, bytes) of the file
    beside it. ValueError says what is wrong: the file, the place, what to do.
    """
    said = repr((labels and labels[1], blank)).encode()
    digest = hashlib.sha256(content + said).hexdigest()[:16]
    kept = UPLOADS.get(digest)
    if kept is None:
        frames = compute(len(content) / BYTES_PER_SECOND, read_frames, name, content, labels, blank)
        kept = OwnFrames(name, frames, labels and labels[0], blank)
    keep_latest(UPLOADS, digest, kept, MOST_UPLOADS)
    return digest


def read_frames(name, content, labels, blank):
    """The ``Frames`` of an uploaded file."""
    frames = parse_frames(content, name, parse_labels(labels[1], labels[0]) if labels else None, blank)
    if len(frames.log_probs) > MOST_FRAMES:
        raise ValueError(
            f"{name}: {len(frames.log_probs):,} frames, at most {MOST_FRAMES:,} are stepped through here; cut the "
            "recording into utterances, or read all of it in a shell by “rcmviz ctc”"
        )
    return frames
