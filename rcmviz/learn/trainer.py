"""The trainer: one example per step, contexts selected at the present weights; AdaGrad on the log-likelihood, or the
structured perceptron.

The gradient of log p(y | x) is observed minus expected counts, with the context sets held fixed as they were selected
(Steinhardt & Liang 2015, §4). The setting that reproduces their §5 is the default.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import product
from os import PathLike
from typing import Self

import numpy as np

from rcmviz.core.inference.batch import DENSE_STATES
from rcmviz.core.methods import TRAINABLE
from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks
from rcmviz.core.shared.checks import MAX_POSITIONS
from rcmviz.kernels.learn import train as kernel
from rcmviz.learn import checkpoint as files
from rcmviz.learn import lane_visits
from rcmviz.learn.curves import training_html, training_text
from rcmviz.learn.held_out import evaluate_held_out
from rcmviz.learn.schedule import ExampleSchedule
from rcmviz.learn.settings import OBJECTIVES, Training, TrainingState
from rcmviz.learn.tables import MOST_LABELS, fill, make_lane_tables, make_tables, to_model
from rcmviz.learn.visits import counts_only, visit_examples
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.table import Sequences, check_sequences

MOST_ARCS = 20_000_000  # of one example; the workspaces take 50 bytes per arc
NUMBERS = tuple(entry.name for entry in fields(TrainingState) if entry.name != "model")
NOT_HELD_OUT = (float("nan"),) * 3


class Trainer(ExampleSchedule):
    """Training of an n-gram model that can be stopped, saved and continued after any example.

    Parameters
    ----------
    data : Sequences
        Sequences with gold labels.
    settings : Training, optional
        How it is trained.
    held_out : Sequences, optional
        Sequences that every ``TrainingState`` is evaluated on, with the method and budget of the training.
    start : NgramModel, optional
        Model whose weights it begins with, zeros by default.
    info : mapping, optional
        What goes into the ``info`` of the models.

    Raises
    ------
    ValueError
        Data and settings do not fit together.

    Notes
    -----
    The gradient is observed minus expected counts of windows, with the context sets held fixed as they were selected
    (Steinhardt and Liang, 2015, §4). The step of the structured perceptron (Collins, 2002) is the counts of the gold
    less those of the prediction: the same with all mass on the best output.

    Examples
    --------
    >>> import rcmviz as rv
    >>> data = rv.Sequences.from_arrays([[[1.0], [0.0]]], ["ab"], "ab")
    >>> trainer = rv.Trainer(data, rv.Training(order=1, budget=2, epochs=2))
    >>> trainer.advance().step, trainer.epoch, trainer.done
    (1, 1, False)
    """

    allows_integers = False  # whether a perceptron's counts of features may be whole numbers of 32 bits

    def __init__(
        self,
        data: Sequences,
        settings: Training | None = None,
        held_out: Sequences | None = None,
        *,
        start: NgramModel | None = None,
        info: Mapping | None = None,
    ):
        self.data, self.held_out = data, held_out
        settings = Training() if settings is None else settings
        self.settings = checks.instance("settings", settings, Training, "rcmviz.Training")
        self.method = TRAINABLE[self.settings.method]
        self.info = checks.as_dict("info", info)
        self.steps = np.zeros(1, np.int64)
        self.seconds = 0.0
        self.history: list[dict] = []  # the numbers of every state so far
        _check_data(data, held_out)
        if start is not None and not checks.instance("start", start, NgramModel, "rcmviz.NgramModel").is_positive:
            raise ValueError("start: the model has windows of -inf, which cannot be trained; give them finite weights")
        width = len(data.labels)
        self.shape = NgramModel(
            data.labels, self.settings.order, self.settings.mode, np.zeros(0, np.int64), np.zeros((0, width))
        )
        self.budget = _useful_budget(data, self.settings) if self.method.selects else 0
        hashed = self._is_hashed()
        if self.settings.precision == "f4" and lane_visits.fit(self):
            self.tables = make_lane_tables(self.shape, data.F, self.settings.average)
        elif self.settings.objective == "perceptron":
            kind = "i4" if self.allows_integers and start is None and counts_only(self) else "f8"
            self.tables = make_tables(self.shape, data.F, hashed, self.settings.average, kind, squared=False)
        else:
            self.tables = make_tables(self.shape, data.F, hashed, self.settings.average, sums="f4")
        if start is not None:
            self._begin_with(start)

    def __repr__(self):
        return f"<{training_text(self)}>"

    def _repr_html_(self):
        return training_html(self)

    def _is_hashed(self):
        """Whether the table is hashed; ValueError if the order or the method excludes the settings' table."""
        table, size = self.settings.table, self.shape.size * len(self.data.labels)
        if table == "dense" and not self.shape.is_dense:
            raise ValueError(f"a dense table of order {self.shape.order} has {size:,} weights; choose table='hashed'")
        if self.method.selects:
            return table == "hashed" or not self.shape.is_dense
        if table == "hashed" or not self.shape.is_dense or len(self.data.labels) ** self.shape.order > DENSE_STATES:
            raise ValueError(
                f"exact training of order {self.shape.order} keeps all {size:,} weights in a dense table; "
                + ("leave table='hashed' out" if table == "hashed" else "lower the order, or use rcms or beam")
            )
        return False

    def _begin_with(self, model):
        same = (model.labels, model.order, model.mode) == (self.shape.labels, self.shape.order, self.shape.mode)
        if not same or (model.emission is not None and model.emission.shape != self.tables.emission.weight.shape):
            raise ValueError("start: the model has other labels or features, another order or mode than this training")
        none, root = np.zeros((0, 0)), np.full((1, 1), model.root_weight)
        emission = none if model.emission is None else model.emission
        fill(self.tables, model.keys, (model.weights, none, none), (emission, none, none), (root, none, none))

    def advance(self, examples: int | None = None) -> TrainingState:
        """Visit the next examples.

        Parameters
        ----------
        examples : int, optional
            How many, the rest of the epoch by default and never beyond its end.

        Returns
        -------
        State
            How they were, and the model after them.

        Raises
        ------
        ValueError
            All epochs are over, or the weights have grown beyond what numbers hold.
        """
        measures = self._visit_examples(examples)
        model = self.model()
        scores = evaluate_held_out(model, self.held_out, self.settings) if self.held_out else NOT_HELD_OUT
        return TrainingState(**self._record_numbers(measures, scores), model=model)

    def _visit_examples(self, examples):
        """Train on the next examples; return the measures of each (n, 4)."""
        began = time.perf_counter()
        visit = self.upcoming(examples)
        measures = np.zeros((len(visit), 4))
        visit_examples(self, visit, measures)
        self.seconds += time.perf_counter() - began
        lost = np.flatnonzero(~np.isfinite(measures[:, kernel.LOG_LIKELIHOOD]))
        if len(lost):
            remedy = "" if self.settings.objective == "perceptron" else f"lower eta ({self.settings.eta:g}) or "
            raise ValueError(
                f"sequence {visit[lost[0]] + 1}: its log-likelihood is beyond what numbers hold; {remedy}"
                "scale the features down"
            )
        return measures

    def _record_numbers(self, measures, scores):
        """The numbers of a state by name, once they stand in the history."""
        mean = measures.mean(axis=0).tolist()
        measured = (mean[name] for name in (kernel.LOG_LIKELIHOOD, kernel.NORM, kernel.MEAN_LENGTH, kernel.LOST))
        values = self.step, *measured, *scores, self.epoch, self.seconds
        self.history.append(dict(zip(NUMBERS, values, strict=True)))
        return self.history[-1]

    def model(self, dtype: str = "f4") -> NgramModel:
        """The model as it is now, averaged over all steps so far where the settings say so.

        Parameters
        ----------
        dtype : {"f4", "f8"}
            Precision of its weights.

        Returns
        -------
        NgramModel
            A copy.
        """
        return self._model(checks.choice("dtype", dtype, ("f4", "f8")))

    def _model(self, dtype="f4", last=False):
        steps = self.step + (self.settings.objective == "perceptron") if self.settings.average else 0
        info = self.info | {"training": self.settings.to_dict() | {"step": self.step}}
        return to_model(self.tables, self.shape, steps, info, dtype, last)

    def save(self, path: str | PathLike) -> None:
        """Write a checkpoint, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file.
        """
        files.save(path, self)

    @classmethod
    def resume(
        cls, path: str | PathLike, data: Sequences, held_out: Sequences | None = None, *, epochs: int | None = None
    ) -> Self:
        """Continue from a checkpoint, bit for bit as if the training had never stopped.

        Parameters
        ----------
        path : str or path
            The checkpoint.
        data : Sequences
            The data that it was trained on.
        held_out : Sequences, optional
            Sequences that every ``TrainingState`` is evaluated on.
        epochs : int, optional
            Another number of epochs than the checkpoint has.

        Returns
        -------
        Trainer
            The training as it stood.

        Raises
        ------
        ValueError
            The file is missing, is no checkpoint or is damaged, or was trained on other data.
        """
        settings, info = files.read_head(path, data)
        if epochs is not None:
            settings = Training.from_dict(settings.to_dict() | {"epochs": epochs})
        trainer = cls(data, settings, held_out, info=info)
        files.fill_from(path, trainer)
        return trainer


class FitTrainer(Trainer):
    """The training of a fit, which is not saved: a perceptron's counts of features take four bytes where they can."""

    allows_integers = True

    def save(self, path):
        """Raise ValueError: a checkpoint keeps sums in double precision, not whole numbers."""
        raise ValueError("the training of a fit has no checkpoints; train with rv.Trainer or rv.train to save it")

    @classmethod
    def resume(cls, path, data, held_out=None, *, epochs=None):
        """Raise ValueError: there is no checkpoint to resume."""
        raise ValueError("a fit starts a new training; continue from a checkpoint with rv.Trainer.resume")


def train(
    data: Sequences,
    settings: Training | None = None,
    held_out: Sequences | None = None,
    *,
    every: int | None = None,
    checkpoint: str | PathLike | None = None,
    resume: str | PathLike | None = None,
    info: Mapping | None = None,
) -> Iterator[TrainingState]:
    """Train an n-gram model, state by state.

    Parameters
    ----------
    data : Sequences
        Sequences with gold labels.
    settings : Training, optional
        How it is trained.
    held_out : Sequences, optional
        Sequences that every state is evaluated on.
    every : int, optional
        Examples from one state to the next; an epoch by default and at most.
    checkpoint : str or path, optional
        File that the training is saved to after each state and when it is stopped.
    resume : str or path, optional
        Checkpoint to continue from, with its settings; of ``settings`` only the epochs count then.
    info : mapping, optional
        What goes into the ``info`` of the models.

    Yields
    ------
    State
        How the training was since the last state, and the model as it is now.

    Raises
    ------
    ValueError
        Data and settings do not fit together, the checkpoint cannot be used, or the weights have grown beyond what
        numbers hold.

    Notes
    -----
    AdaGrad on the log-likelihood with the context sets held fixed as they were selected (Steinhardt and Liang, 2015,
    §4).

    Examples
    --------
    >>> import rcmviz as rv
    >>> data = rv.Sequences.from_arrays([[[1.0], [0.0]]], ["ab"], "ab")
    >>> [state.epoch for state in rv.train(data, rv.Training(order=1, budget=2, epochs=3))]
    [1, 2, 3]
    """
    if resume is None:
        trainer = Trainer(data, settings, held_out, info=info)
    else:
        wanted = None if settings is None else checks.instance("settings", settings, Training, "rcmviz.Training")
        checks.path("resume", resume)
        trainer = Trainer.resume(resume, data, held_out, epochs=wanted and wanted.epochs)
    return advance_to_end(trainer, every, checkpoint)


def advance_to_end(trainer, every=None, checkpoint=None):
    """Advance a trainer to its end, as ``train`` does."""
    try:
        while not trainer.done:
            state = trainer.advance(every)
            if checkpoint:
                trainer.save(checkpoint)
            yield state
    except (KeyboardInterrupt, GeneratorExit):
        if checkpoint and trainer.step:
            trainer.save(checkpoint)
        raise


def last_model(trainer, after_epoch):
    """The model after all epochs of a trainer that ends with it; ``after_epoch(trainer)`` is called after each.

    In between a model is made only where it is to be evaluated, and the last takes the room of what it does not need,
    or of the weights themselves: a fit of 17 labels takes half of the memory.
    """
    while not trainer.done:
        if trainer.held_out is None:
            trainer._record_numbers(trainer._visit_examples(None), NOT_HELD_OUT)
        else:
            trainer.advance()
        after_epoch(trainer)
    trainer.tables.forget_squares()
    model, trainer.tables = trainer._model(last=True), None  # no step can follow
    return model


def best_model(trainer, patience, after_epoch):
    """The model of the epoch with the best held-out accuracy, once ``patience`` epochs were no better."""
    best, waited = None, 0
    while not trainer.done and waited < patience:
        state = trainer.advance()
        after_epoch(trainer)
        if best is None or state.accuracy > best.accuracy:
            best, waited = state, 0
        else:
            waited += 1
    return best.model


def _check_data(data, held_out):
    check_sequences("data", data)
    if held_out is not None:
        check_sequences("held_out", held_out)
    if len(data.labels) > MOST_LABELS:
        raise ValueError(
            f"{len(data.labels):,} labels: a training takes up to {MOST_LABELS:,}; join rare ones into one label"
        )
    for sequences, purpose in ((data, "to train on"), (held_out, "to hold out")):
        if sequences is None:
            continue
        lengths = np.diff(sequences.offset)
        if not len(lengths):
            raise ValueError(f"no sequences {purpose}: give at least one")
        if lengths.max() > MAX_POSITIONS:
            w = int(lengths.argmax())
            raise ValueError(
                f"sequence {w + 1} {purpose} has {lengths[w]} positions, the limit is {MAX_POSITIONS}; split it"
            )
    if np.any(data.gold < 0):
        w = np.searchsorted(data.offset, np.argmax(data.gold < 0), side="right")
        raise ValueError(f"sequence {w}: a position has no gold label, and a training needs them all")
    if held_out is not None and (held_out.labels != data.labels or held_out.F != data.F):
        raise ValueError("the sequences held out have other labels or features than those of the training")


def _useful_budget(data, settings):
    """No more contexts than the longest sequence could fill; ValueError where the workspace would not fit."""
    longest, width = int(np.diff(data.offset).max()), len(data.labels)
    budget = int(min(settings.budget, float(width) ** min(longest - 1, 60))) or 1
    if budget * width * longest > MOST_ARCS:
        raise ValueError(
            f"budget {budget:,} for sequences of {longest:,} positions and {width:,} labels needs too much memory; "
            "lower the budget"
        )
    return budget


def warm_up():
    """Compile or load the kernels of a training."""
    _, data = Encoder.learn([[{"a": "b"}, {"c": 2.0}]], [["a", "b"]])
    kinds = [{"objective": one} for one in OBJECTIVES] + [{"precision": "f4"}]  # the last is a classifier's
    for method, kind in product(("rcms", "exact"), kinds):
        Trainer(data, Training(method, order=1, epochs=1, **kind), data).advance()
