"""Trainings of Markov fields in the background: what ``job.py`` and ``host.py`` run; an example is a step of L-BFGS."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rcmviz.jobs.sequences import JobKind
from rcmviz.mrf.moments import Moments
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.reference import SentenceModel
from rcmviz.mrf.training import FieldTrainer, FieldTraining
from rcmviz.mrf.vocabulary import NumberedText

SCORING = 6.0  # seconds for the exact value per second of training: it is shown next to the bound
MOST_CHECKPOINTS = 40  # each a copy of all potentials
MOST_WORDS = 1_000  # up to which the exact value of sentences is computed


@dataclass(frozen=True)
class MrfPlan(FieldTraining):
    """A ``FieldTraining`` that runs through all its steps: a person may stop it."""

    patience: int | None = None
    tolerance: float = 0.0

    @property
    def epochs(self):
        """The size of an epoch: the text is one example, each step sees it once."""
        return self.max_steps


@dataclass(frozen=True, eq=False)
class MrfText:
    """``moments`` of the training text and ``held_moments`` of the held-out text, both of ``order`` K."""

    moments: Moments
    held_moments: Moments

    def __len__(self):
        return 1


@dataclass(frozen=True, eq=False)
class MrfModel:
    """``potentials`` and ``delta``, the field itself."""

    potentials: FullRank | LowRank
    delta: np.ndarray


@dataclass(frozen=True)
class MrfPoint:
    """A point of the curves, nats per token, separators counted: ``bound`` and ``held_bound``, of the rings of the
    training and held-out texts; ``exact`` of the sentences held out, given their length, NaN where not asked.
    """

    step: int
    bound: float
    held_bound: float
    exact: float
    examples: int
    MEANS: ClassVar = ("bound", "held_bound")
    HELD_OUT: ClassVar = ("exact",)


@dataclass(frozen=True, eq=False)
class MrfJobState:
    """A state of ``advance``: the values of a point, and the ``model``."""

    step: int
    bound: float
    held_bound: float
    model: MrfModel
    exact: float = float("nan")


class MrfJobTrainer:
    """A ``FieldTrainer`` as jobs run it; past its end, where no step gains anything, steps cost nothing."""

    def __init__(self, data, settings, info=None):
        self._trainer, self.step = FieldTrainer(data.moments, data.held_moments, settings), 0
        self._state = self._trainer.first

    def advance(self, examples=1):
        """Take ``examples`` steps; → ``MrfJobState``."""
        for _ in range(examples):
            if not self._trainer.done:
                self._state = self._trainer.advance()
            self.step += 1
        state = self._state
        return MrfJobState(self.step, state.bound, state.held_out, MrfModel(state.potentials, state.delta))


class HeldOutSentences:
    """The exact value of the held-out text, some sentences per piece; ``held_out`` a ``NumberedText``."""

    def __init__(self, model: MrfModel, held_out: NumberedText, settings: MrfPlan):
        self._exact, self._sentences = SentenceModel(model.potentials), held_out.sentences()
        self._tokens = len(held_out.ids) + settings.order * len(held_out)
        self._done, self._total = 0, 0.0

    def evaluate_next(self, most):
        """The next ``most`` sentences; whether that was all."""
        stop = min(self._done + most, len(self._sentences))
        self._total += sum(float(self._exact.log_prob(ids)) for ids in self._sentences[self._done : stop])
        self._done = stop
        return stop == len(self._sentences)

    @property
    def scores(self):
        """The held-out values of a point, by name."""
        return {"exact": self._total / self._tokens}


@dataclass(frozen=True, eq=False)
class MrfCheckpoint:
    """The ``model`` after ``step`` steps."""

    step: int
    model: MrfModel
    settings: MrfPlan


def bytes_needed(data, settings):
    """The most bytes of a training: the checkpoints, and what L-BFGS remembers."""
    size, order = data.moments.size, settings.order
    numbers = size + order * size**2 if settings.rank is None else size * (1 + (order + 1) * settings.rank)
    return 8 * (numbers + order * size) * (2 * 10 + MOST_CHECKPOINTS)


def check(data, limits):
    """ValueError if there are too many words for the exact value."""
    if data.moments.size > MOST_WORDS:
        raise ValueError(f"{data.moments.size:,} words are too many to watch, {MOST_WORDS:,} can be; lower the size")


MRF_JOBS = JobKind(
    MrfJobTrainer,
    HeldOutSentences,
    MrfPoint,
    MrfCheckpoint,
    check,
    bytes_needed,
    MOST_CHECKPOINTS,
    scoring=SCORING,
)
