"""Facts of CTC: the output and its confidence, the contexts kept at a frame, and the fate of the right output."""

import numpy as np


def _gold(payload):
    """Return the right output; ValueError if it is not known."""
    found = payload["gold"]
    if found is None:
        raise ValueError("the right output is not known here")
    return found


def _column(payload, frame):
    """Return the data of a frame; ValueError if it is out of range."""
    columns = payload["columns"]
    if not isinstance(frame, int) or not 1 <= frame <= len(columns):
        raise ValueError(f"frame {frame!r}: a whole number from 1 to {len(columns)} is wanted here")
    return columns[frame - 1]


def frames(payload):
    """The number of frames."""
    return payload["T"]


def text(payload):
    """The best output, its labels joined."""
    return payload["glue"].join(payload["best"]["labels"])


def confidence(payload):
    """The probability of the best output, from 0 to 1."""
    return payload["best"]["confidence"]


def proven(payload):
    """Whether no output is more probable, given the kept contexts."""
    return payload["proven"]


def log_z(payload):
    """The log of the sum over all outputs, given the kept contexts, in nats."""
    return payload["logZ"]


def output(payload, rank):
    """The output of a rank, 1 to 6, the most probable first."""
    return _ranked(payload, rank)[0]


def output_p(payload, rank):
    """The probability of the output of a rank, from 0 to 1."""
    return _ranked(payload, rank)[1]


def _ranked(payload, rank):
    outputs = payload["outputs"]
    if not isinstance(rank, int) or not 1 <= rank <= len(outputs):
        raise ValueError(f"rank {rank!r}: a whole number from 1 to {len(outputs)} is wanted here")
    return outputs[rank - 1]


def gold(payload):
    """The right output."""
    return payload["glue"].join(_gold(payload)["labels"])


def right(payload):
    """Whether the best output is the right one."""
    return _gold(payload)["right"]


def gold_p(payload):
    """The probability of the right output, from 0 to 1: 0 if a beam has lost it."""
    log_prob = _gold(payload)["logProb"]
    return 0.0 if log_prob is None else float(np.exp(log_prob))


def lost(payload):
    """Whether no path to the right output is kept."""
    return _gold(payload)["logProb"] is None


def lost_at(payload):
    """The frame after which no prefix of the right output is kept; none if it is not lost."""
    return _gold(payload)["lost"]


def contexts(payload, frame):
    """The number of contexts after a frame."""
    return _column(payload, frame)["count"]


def candidates(payload, frame):
    """The number of candidate strings at a frame."""
    return _column(payload, frame)["seen"]


def moved(payload, frame):
    """The share of the mass that was merged or dropped at a frame."""
    return _column(payload, frame)["moved"]


def ahead(payload, frame):
    """The leading output after a frame; only the end of a long one."""
    return _column(payload, frame)["ahead"][0]
