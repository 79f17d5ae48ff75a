"""Generated frames: a frame or two per letter of a text, a blank after it, and noise."""

import numpy as np

from rcmviz.ctc_decoding.file import Frames

SIGNS = "abcdefghijklmnopqrstuvwxyz_-"  # the last one is the blank
TEXT, NOISE, SEED = "i know that he is here", 1.6, 1  # of the opening example
PEAK = 4.0  # logit of the shown symbol, before the noise


def as_labels(text):
    """Return a text as labels: small letters, ``_`` for blanks; ValueError for other characters."""
    labels = "_".join(text.lower().split())
    if not labels:
        raise ValueError("the text is empty: write a few words in letters a to z")
    odd = next((sign for sign in labels if sign not in SIGNS[:-1]), None)
    if odd:
        raise ValueError(f"{odd!r} is not allowed: write letters a to z and blanks")
    return labels


def frames_of(text, noise, seed):
    """Return ``Frames`` of a text; ``code.py`` has the same lines."""
    rng = np.random.default_rng(seed)
    shown = "".join(sign * rng.integers(1, 3) + SIGNS[-1] for sign in as_labels(text))
    peaks = PEAK * np.eye(len(SIGNS))[[SIGNS.index(sign) for sign in shown]]
    scores = peaks + rng.normal(0, noise, peaks.shape)
    return Frames(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), tuple(SIGNS[:-1]), -1, False)


def sample():
    """Return the frames of the opening example."""
    return frames_of(TEXT, NOISE, SEED)


def as_csv(frames):
    """Return frames as CSV for this page and ``rcmviz ctc``: column names, then a line per frame."""
    rows = [",".join(f"{value:.4f}" for value in row) for row in frames.log_probs.tolist()]
    return "\n".join([",".join([*frames.labels, "<blank>"]), *rows]) + "\n"
