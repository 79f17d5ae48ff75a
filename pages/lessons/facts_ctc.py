"""Facts of CTC: what was read from the frames and how surely, what was kept at a frame, where the right output went."""

import numpy as np

from pages.ctc.runs import payload_of
from pages.lessons.facts import fact


def _view(name):
    return fact(f"view.{name}", "ctc")


def _gold(view):
    """The right output; ValueError where nobody has said which it is."""
    found = payload_of(view)["gold"]
    if found is None:
        raise ValueError("the right output is not known here")
    return found


def _column(view, frame):
    """What happened at a frame; ValueError where there is none."""
    columns = payload_of(view)["columns"]
    if not isinstance(frame, int) or not 1 <= frame <= len(columns):
        raise ValueError(f"frame {frame!r}: a whole number from 1 to {len(columns)} is wanted here")
    return columns[frame - 1]


@_view("frames")
def frames(view, who):
    """How many frames there are."""
    return payload_of(view)["T"]


@_view("text")
def text(view, who):
    """The best output, its labels written together."""
    found = payload_of(view)
    return found["glue"].join(found["best"]["labels"])


@_view("confidence")
def confidence(view, who):
    """The probability of the best output, from 0 to 1."""
    return payload_of(view)["best"]["confidence"]


@_view("proven")
def proven(view, who):
    """Whether no output is more probable, by the contexts that were kept."""
    return payload_of(view)["proven"]


@_view("log_z")
def log_z(view, who):
    """The log of the sum over all outputs, by the contexts that were kept, in nats."""
    return payload_of(view)["logZ"]


@_view("output")
def output(view, who, rank):
    """The output of a rank, 1 to 6, the most probable first."""
    return _ranked(view, rank)[0]


@_view("output_p")
def output_p(view, who, rank):
    """The probability of the output of a rank, from 0 to 1."""
    return _ranked(view, rank)[1]


def _ranked(view, rank):
    outputs = payload_of(view)["outputs"]
    if not isinstance(rank, int) or not 1 <= rank <= len(outputs):
        raise ValueError(f"rank {rank!r}: a whole number from 1 to {len(outputs)} is wanted here")
    return outputs[rank - 1]


@_view("gold")
def gold(view, who):
    """The right output."""
    return payload_of(view)["glue"].join(_gold(view)["labels"])


@_view("right")
def right(view, who):
    """Whether the best output is the right one."""
    return _gold(view)["right"]


@_view("gold_p")
def gold_p(view, who):
    """The probability of the right output, from 0 to 1: 0 where a beam has lost it."""
    log_prob = _gold(view)["logProb"]
    return 0.0 if log_prob is None else float(np.exp(log_prob))


@_view("lost")
def lost(view, who):
    """Whether no way to the right output is kept."""
    return _gold(view)["logProb"] is None


@_view("lost_at")
def lost_at(view, who):
    """The frame after which no beginning of the right output is kept; none where it is not lost."""
    return _gold(view)["lost"]


@_view("contexts")
def contexts(view, who, frame):
    """How many contexts there are after a frame."""
    return _column(view, frame)["count"]


@_view("candidates")
def candidates(view, who, frame):
    """How many strings the contexts before a frame propose."""
    return _column(view, frame)["seen"]


@_view("moved")
def moved(view, who, frame):
    """The share of the mass that was merged or dropped at a frame."""
    return _column(view, frame)["moved"]


@_view("ahead")
def ahead(view, who, frame):
    """The output that is ahead after a frame, of a long one its end."""
    return _column(view, frame)["ahead"][0]
