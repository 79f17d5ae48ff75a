"""Uploaded frames: the upload form, and the files of each visitor."""

import hashlib
from dataclasses import dataclass

import streamlit as st

from pages.ctc.sample import as_csv, sample
from pages.shell.computing import compute
from pages.shell.errors import NeedsInput
from pages.shell.text import sentence
from pages.shell.uploads import Uploads, draw_uploader, keep_latest, weigh
from rcmviz.ctc_decoding.file import Frames, parse_frames, parse_labels

UPLOAD_MB = 20
MAX_UNPACKED = 80_000_000  # bytes: 2,000 frames of 5,000 labels in double precision
BYTES_PER_SECOND = 1_500_000  # for a CSV of short cells, the slowest format
MOST_FRAMES = 2_000  # that can be stepped through
MOST_UPLOADS = 4
GONE = "these frames are missing: the latest four uploads of a browser are kept; upload them again"
UPLOADS = Uploads()  # digest → OwnFrames
CSV = "a,b,_,<blank>\n-0.2,-2.1,-4.0,-3.2\n-3.1,-2.8,-4.4,-0.1"
NUMPY = """np.savez("frames.npz",
    log_probs=log_probs,  # or logits, probs
    labels=np.array(["a", "_", "<blank>"]))
np.save("frames.npy", log_probs)"""


@dataclass(frozen=True, eq=False)
class OwnFrames:
    """An uploaded file: its ``name`` and ``frames``, and the name of its ``labels`` file and its ``blank``, or None."""

    name: str
    frames: Frames
    labels: str | None
    blank: int | None


def own_frames(digest: str) -> OwnFrames:
    """Return the upload that a link names; ValueError if it is missing."""
    if not digest:
        raise NeedsInput("choose a file of frames: npz, npy or CSV, a row per frame", icon=None)
    return UPLOADS.need(digest, GONE)


def keep_frames(name, content, labels=None, blank=None):
    """Read an uploaded file, keep it for its visitor and return its digest.

    ``labels`` are (name, bytes) of a file of labels, ``blank`` the number of the blank's column. ValueError tells the
    file, the place and the remedy.
    """
    given = repr((labels and labels[1], blank)).encode()
    digest = hashlib.sha256(content + given).hexdigest()[:16]
    kept = UPLOADS.get(digest)
    if kept is None:
        size = weigh(name, content, MAX_UNPACKED)
        frames = compute(size / BYTES_PER_SECOND, read_frames, name, content, labels, blank)
        kept = OwnFrames(name, frames, labels and labels[0], blank)
    keep_latest(UPLOADS, digest, kept, MOST_UPLOADS)
    return digest


def read_frames(name, content, labels, blank):
    """Return the ``Frames`` of an uploaded file."""
    frames = parse_frames(content, name, parse_labels(labels[1], labels[0]) if labels else None, blank)
    if len(frames.log_probs) > MOST_FRAMES:
        raise ValueError(
            f"{name}: {len(frames.log_probs):,} frames; at most {MOST_FRAMES:,} can be stepped through; cut the "
            "recording into utterances, or read the whole file on the command line with “rcmviz ctc”"
        )
    return frames


def choose_file(state, question, field):
    """Draw the upload form: the file, its column names, its blank, and an example of each format."""
    with st.expander("Upload frames: npz, npy or CSV", icon=":material/upload_file:", expanded=not question.upload):
        ways, form = st.columns([3, 2], gap="large")
        with ways:
            common = {"on_change": _take_frames, "args": (state, field)}
            kinds = ["npz", "npy", "csv", "tsv"]
            draw_uploader(st, "Logs, logits or probabilities", kinds, UPLOAD_MB, key=state.key("file"), **common)
            names, blank = st.columns(2, vertical_alignment="bottom")
            draw_uploader(
                names,
                "Column names",
                ["txt"],
                UPLOAD_MB,
                key=state.key("names"),
                help="A text file with one name per line, `<blank>` for the blank; for npy, or CSV without a header.",
                **common,
            )
            blank.number_input(
                "Column of the blank",
                min_value=0,
                value=None,
                step=1,
                key=state.key("blank"),
                on_change=_take_frames,
                args=(state, field),
                placeholder="by name, else the last",
                help="Counted from 0.",
            )
        with form:
            _show_format(state)
    refused = st.session_state.pop(state.key("refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _show_format(state):
    st.code(CSV, language=None)
    st.code(NUMPY, language=None, wrap_lines=True)
    st.caption(
        "A row per frame; rows that sum to 1 are read as probabilities, all others as logs. Up to "
        f"{MOST_FRAMES:,} frames and {UPLOAD_MB} MB; pickled arrays are refused."
    )
    st.download_button(
        "Download an example",
        lambda: as_csv(sample()),
        "frames.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=state.key("example"),
    )


def _take_frames(state, field):
    """Read the chosen file with the given names and blank."""
    upload, names = st.session_state.get(state.key("file")), st.session_state.get(state.key("names"))
    if upload is None:
        return
    labels = (names.name, names.getvalue()) if names else None
    try:
        digest = keep_frames(upload.name, upload.getvalue(), labels, st.session_state[state.key("blank")])
    except ValueError as error:
        st.session_state[state.key("refused")] = str(error)
        return
    state.change(**{field: digest, "gold": ""})
