"""Frames to begin with: what a network might say of a text, a frame or two a letter, a blank behind it, and noise."""

import numpy as np

from rcmviz.ctc_decoding.file import Frames

SIGNS = "abcdefghijklmnopqrstuvwxyz_-"  # the last one is the blank
TEXT, NOISE, SEED = "i know that he is here", 1.6, 1  # that the page opens with
PEAK = 4.0  # logit of what is shown, before the noise


def written(text):
    """A text as labels: small letters, ``_`` for blanks; ValueError where it has other signs."""
    labels = "_".join(text.lower().split())
    if not labels:
        raise ValueError("there is no text: write a few words, letters a to z")
    odd = next((sign for sign in labels if sign not in SIGNS[:-1]), None)
    if odd:
        raise ValueError(f"{odd!r} cannot be shown: write letters a to z and blanks")
    return labels


def frames_of(text, noise, seed):
    """``Frames`` that show a text. The page's code (``code.py``) has the same lines."""
    rng = np.random.default_rng(seed)
    shown = "".join(sign * rng.integers(1, 3) + SIGNS[-1] for sign in written(text))
    peaks = PEAK * np.eye(len(SIGNS))[[SIGNS.index(sign) for sign in shown]]
    scores = peaks + rng.normal(0, noise, peaks.shape)
    return Frames(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), tuple(SIGNS[:-1]), -1, False)


def sample():
    """The frames that the page opens with."""
    return frames_of(TEXT, NOISE, SEED)


def as_csv(frames):
    """Frames as a file that this page and ``rcmviz ctc`` read: names of the columns, then a line per frame."""
    rows = [",".join(f"{value:.4f}" for value in row) for row in frames.log_probs.tolist()]
    return "\n".join([",".join([*frames.labels, "<blank>"]), *rows]) + "\n"
