"""Kinds of background trainings: trainer and evaluation, points of the curves, memory.

``job.py`` and ``host.py`` know nothing of models; a ``JobKind`` says what they need. This one is of label sequences.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar

from rcmviz.core.methods import TRAINABLE
from rcmviz.core.models.model import NgramModel
from rcmviz.jobs.replay import read
from rcmviz.learn.held_out import HeldOutSequences
from rcmviz.learn.settings import Measures, Training
from rcmviz.learn.trainer import Trainer

MOST_CHECKPOINTS = 32
MEANS = ("log_likelihood", "gradient_norm", "mean_length", "lost")
HELD_OUT = ("accuracy", "recall_99", "confidence")
# Seconds per (context, label) pair of a step, measured on one core of a small cloud machine; exact inference has a
# kernel of its own, without selection.
SECONDS_PER_ARC, SECONDS_PER_ARC_OF_ALL = 2e-8, 4e-9


def _needs_nothing(trainer):
    return True


def _identity(data, settings=None):
    return data


def _nothing_new(data, settings, step):
    return {}


def _never(state):
    return False


@dataclass(frozen=True)
class JobKind:
    """A kind of training.

    ``trainer(data, settings, info=…)`` has a ``step`` and ``advance(examples)``, whose state has ``step``, ``model``
    and the values of a point · ``evaluation(model, held_out, settings)`` has ``evaluate_next(most)``, true at its end,
    and ``scores``; None if nothing is ever held out · ``point`` the class of points: it names its ``MEANS`` over
    examples and its ``HELD_OUT`` scores · ``checkpoint(step, model, settings)``, of which at most ``checkpoints`` are
    kept · ``check(data, limits)`` raises ValueError where the data is too large · ``bytes_needed(data, settings)`` at
    most. Data has a length, the examples of an epoch; settings have ``epochs``. ``prepare(trainer)`` works
    before the first example, in parts, and returns whether it is done · ``scoring`` seconds of evaluation per second
    of training · ``validate(data, settings)`` raises ValueError where no trainer can be made of them.

    Trainer and evaluation may live in another process: both are named in a module, and what they are made of can be
    sent there. ``sent(data)`` is what of the data that is · ``guidance(data, settings, step)`` what ``advance`` is to
    know at a step, by name · ``rests(state)`` whether a training pauses after a state.
    """

    trainer: Callable
    evaluation: Callable | None
    point: type
    checkpoint: Callable
    check: Callable
    bytes_needed: Callable
    checkpoints: int = MOST_CHECKPOINTS
    prepare: Callable = _needs_nothing
    scoring: float = 0.6
    validate: Callable = _identity
    sent: Callable = _identity
    guidance: Callable = _nothing_new
    rests: Callable = _never


@dataclass(frozen=True)
class CurvePoint(Measures):
    """The ``Measures`` of a curve; the means are over the last ``examples``."""

    examples: int
    MEANS: ClassVar = MEANS
    HELD_OUT: ClassVar = HELD_OUT


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The ``model`` after ``step`` examples; ``read`` says what it makes of one sequence, and remembers that.

    A model makes its tables (12 MB) when it is used and keeps them, so a ``copy`` computes, and the kept state
    stays lean.
    """

    step: int
    model: NgramModel
    settings: Training
    _read: dict = field(default_factory=dict, repr=False)

    @property
    def bytes(self):
        """Bytes that it holds in memory."""
        parts = self.model.keys, self.model.weights, self.model.emission
        return sum(part.nbytes for part in parts if part is not None)

    def copy(self):
        """The model to work with."""
        return replace(self.model)

    def read(self, sequence):
        """The ``Reading`` of a sequence (``Sequences`` of length one)."""
        if sequence not in self._read:
            self._read[sequence] = read(self.copy(), self.settings, sequence)
        return self._read[sequence]


def check(data, limits):
    """ValueError if there are more sequences or positions than the limits of a host allow."""
    if len(data) > limits.sequences or data.positions > limits.positions:
        raise ValueError(
            f"the data has {len(data):,} sequences and {data.positions:,} positions, the limit here is "
            f"{limits.sequences:,} and {limits.positions:,}; take a part of it, or use `rcmviz train` in a shell"
        )


def weights_needed(data, settings):
    """The most window weights that a training can touch."""
    width = len(data.labels)
    size = NgramModel(data.labels, settings.order, settings.mode, [], []).size
    if not TRAINABLE[settings.method].selects:
        return size * width
    return min(size, data.positions * (settings.budget + 1)) * width


def bytes_needed(data, settings):
    """The most bytes of a training: four doubles per weight while it runs, one float per weight and checkpoint."""
    emission = (data.F + 1) * len(data.labels)
    return (weights_needed(data, settings) + emission) * (4 * 8 + 4 * MOST_CHECKPOINTS)


def seconds_needed(data, settings):
    """About how long all epochs take on one core."""
    width, order = len(data.labels), settings.order
    places = range(int((data.offset[1:] - data.offset[:-1]).mean() + 0.5))
    if TRAINABLE[settings.method].selects:
        arcs = sum(min(settings.budget + 1, float(width) ** i) * width for i in places) * settings.passes
        seconds = arcs * SECONDS_PER_ARC
    else:
        seconds = sum(float(width) ** (min(i, order) + 1) for i in places) * SECONDS_PER_ARC_OF_ALL
    return settings.epochs * len(data) * seconds


SEQUENCE_JOBS = JobKind(Trainer, HeldOutSequences, CurvePoint, Checkpoint, check, bytes_needed, validate=Trainer)
