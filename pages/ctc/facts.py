"""Facts of CTC: what was read from the frames and how surely, what was kept at a frame, where the right output went."""

import numpy as np


def _gold(payload):
    """The right output; ValueError where nobody has said which it is."""
    found = payload["gold"]
    if found is None:
        raise ValueError("the right output is not known here")
    return found


def _column(payload, frame):
    """What happened at a frame; ValueError where there is none."""
    columns = payload["columns"]
    if not isinstance(frame, int) or not 1 <= frame <= len(columns):
        raise ValueError(f"frame {frame!r}: a whole number from 1 to {len(columns)} is wanted here")
    return columns[frame - 1]


def frames(payload):
    """How many frames there are."""
    return payload["T"]


def text(payload):
    """The best output, its labels written together."""
    return payload["glue"].join(payload["best"]["labels"])


def confidence(payload):
    """The probability of the best output, from 0 to 1."""
    return payload["best"]["confidence"]


def proven(payload):
    """Whether no output is more probable, by the contexts that were kept."""
    return payload["proven"]


def log_z(payload):
    """The log of the sum over all outputs, by the contexts that were kept, in nats."""
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
    """The probability of the right output, from 0 to 1: 0 where a beam has lost it."""
    log_prob = _gold(payload)["logProb"]
    return 0.0 if log_prob is None else float(np.exp(log_prob))


def lost(payload):
    """Whether no way to the right output is kept."""
    return _gold(payload)["logProb"] is None


def lost_at(payload):
    """The frame after which no beginning of the right output is kept; none where it is not lost."""
    return _gold(payload)["lost"]


def contexts(payload, frame):
    """How many contexts there are after a frame."""
    return _column(payload, frame)["count"]


def candidates(payload, frame):
    """How many strings the contexts before a frame propose."""
    return _column(payload, frame)["seen"]


def moved(payload, frame):
    """The share of the mass that was merged or dropped at a frame."""
    return _column(payload, frame)["moved"]


def ahead(payload, frame):
    """The output that is ahead after a frame, of a long one its end."""
    return _column(payload, frame)["ahead"][0]
