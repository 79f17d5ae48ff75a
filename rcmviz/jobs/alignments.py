"""Trainings of alignments in the background: what ``job.py`` and ``host.py`` run for the five strategies."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from rcmviz.align.evaluation import BEAMS_AT_TEST, ReadText, best_spelling, edit_distance, scores_of
from rcmviz.align.infer import Aligner
from rcmviz.align.model import AlignLimits, AlignModel
from rcmviz.align.pairs import Pairs
from rcmviz.align.settings import AlignState, AlignTraining
from rcmviz.align.train import AlignTrainer
from rcmviz.jobs.sequences import JobKind

MOST_CHECKPOINTS = 3  # each a copy of all weights
ROWS = 27  # of weights, times order^2.5 · phones^0.8: from 80,000 (150 words, order 3) and 255,000 (order 5; 746 words)
SECONDS_PER_CONTEXT = 6e-6  # of a training step, per kept context of a cell, measured on one core


@dataclass(frozen=True)
class AlignPoint:
    """A point of the curves: means over the last ``examples``, among them the share ``explained``, with an
    alignment to the observed letters; on held-out examples ``error_rate`` and ``exact``, NaN if not measured.
    """

    step: int
    log_likelihood: float
    gradient_norm: float
    mean_length: float
    explained: float
    error_rate: float
    exact: float
    examples: int
    MEANS: ClassVar = ("log_likelihood", "gradient_norm", "mean_length", "explained")
    HELD_OUT: ClassVar = ("error_rate", "exact")


@dataclass(frozen=True)
class AlignJobState(AlignState):
    """An ``AlignState`` with the ``model`` as it is then; ``explained`` is a share."""

    model: AlignModel


class AlignJobTrainer(AlignTrainer):
    """An ``AlignTrainer`` whose states hand over the model, for pages that read it during training."""

    def __init__(self, pairs, settings, info=None):
        super().__init__(pairs, settings, info=info)

    def advance(self, examples=None):
        """Advance the trainer; → ``AlignJobState``."""
        state = super().advance(examples)
        values = {entry.name: getattr(state, entry.name) for entry in fields(AlignState)}
        return AlignJobState(**values | {"explained": state.explained / state.examples}, model=self.model())


class HeldOutAlignments:
    """The held-out examples, aligned in pieces as in training."""

    def __init__(self, model, held_out, settings):
        self._aligner, self._held_out, self._settings = aligner_of(model, settings), held_out, settings
        self._readings = []

    def evaluate_next(self, most):
        """Read the next ``most`` examples; whether that was all."""
        done, all_of_them = len(self._readings), len(self._held_out)
        for w in range(done, min(done + most, all_of_them)):
            text = best_spelling(self._aligner, self._held_out.sounds(w), self._settings.decoder, seed=w)
            meant = self._held_out.text(w)
            self._readings.append(ReadText(text, meant, edit_distance(text, meant)))
        return len(self._readings) == all_of_them

    @property
    def scores(self):
        """The held-out values of a point, by name."""
        scores = scores_of(self._readings)
        return {"error_rate": scores.error_rate, "exact": scores.exact}


@dataclass(frozen=True, eq=False)
class AlignCheckpoint:
    """The ``model`` after ``step`` examples."""

    step: int
    model: AlignModel
    settings: AlignTraining

    @property
    def bytes(self):
        """Bytes that it holds in memory."""
        return self.model.address.nbytes + self.model.weights.nbytes


def aligner_of(model, settings):
    """An ``Aligner`` that chooses contexts as a training does at test, without the target."""
    strategy = BEAMS_AT_TEST.get(settings.strategy, settings.strategy)
    how = {"passes": settings.passes, "memory": settings.memory, "joined": settings.joined}
    return Aligner(model, strategy, settings.budget, **how)


def bytes_needed(pairs, settings):
    """The most bytes of a training: the weights, their squares and the copies that are kept, four bytes each."""
    rows = ROWS * settings.order**2.5 * len(pairs.phone) ** 0.8
    return int(rows) * (len(pairs.letters) + 1) * 4 * (2 + MOST_CHECKPOINTS)


def seconds_needed(pairs, settings):
    """About how long all epochs take on one core."""
    cells = (np.diff(pairs.phone_start) * pairs.most).sum()
    epochs = settings.epochs + (5 * settings.initial_epochs if settings.strategy == "forced" else 0)
    return epochs * int(cells) * settings.budget * SECONDS_PER_CONTEXT


def check(pairs, limits):
    """ValueError if there are more examples, or phones, than the limits of a host allow."""
    if len(pairs) > limits.sequences or len(pairs.phone) > limits.positions:
        raise ValueError(
            f"there are {len(pairs):,} examples and {len(pairs.phone):,} phones, the limit here is "
            f"{limits.sequences:,} and {limits.positions:,}; take fewer of them"
        )


def warm_up():
    """Compile or load the kernels of a training."""
    pairs = Pairs.from_pairs([(("HH", "AY"), "hi"), (("L", "OW"), "low")], AlignLimits())
    AlignJobTrainer(pairs, AlignTraining(budget=2, order=2, epochs=1)).advance()
    evaluation = HeldOutAlignments(AlignModel(pairs.letters, pairs.phones, order=2), pairs, AlignTraining(budget=2))
    evaluation.evaluate_next(1)


ALIGN_JOBS = JobKind(
    AlignJobTrainer,
    HeldOutAlignments,
    AlignPoint,
    AlignCheckpoint,
    check,
    bytes_needed,
    MOST_CHECKPOINTS,
    prepare=AlignJobTrainer.prepare,
    validate=AlignJobTrainer,
)
