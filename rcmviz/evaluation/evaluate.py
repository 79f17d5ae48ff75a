"""Evaluation of methods on labelled sequences: accuracy, confidence, calibration, recall at a precision; one row each.

A sequence, such as a word, is right when all its labels are. Its confidence is the probability of the decoded sequence
in the method's own model, exp(Viterbi score − log Z). A position without a known gold label (−1: a label that the model
has never seen, or none at all) counts as wrong, since whatever is decoded there cannot be called right.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rcmviz.core.builders.one_by_one import infer_one_by_one, is_stepwise, passes_of
from rcmviz.core.builders.selection_rules import SelectionRule, checked_rule
from rcmviz.core.inference.batch import infer_batch
from rcmviz.core.methods import USUAL_BUDGET, MethodChoice
from rcmviz.core.models.model import NgramModel
from rcmviz.core.models.scores import stack_rows
from rcmviz.core.rules import FORWARD
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.evaluation.bootstrap import bootstrap, ratio_error, standard_error
from rcmviz.evaluation.confidence import area_of, calibration_error, precision_curve, recall_of
from rcmviz.sequences.table import UNKNOWN, Sequences


@dataclass(frozen=True)
class Contender(MethodChoice):
    """A row of the table to come: a method with its budget and options, and what it is ``called``, if not as usual.

    ``select`` is a rule of ``rcmviz.core.rules`` or a function, as of ``rv.rcms``.
    """

    passes: int = 1
    deduplicate: bool = False
    called: str | None = None
    select: str | SelectionRule = FORWARD

    @property
    def name(self) -> str:
        """The title of the row."""
        return super().name if self.called is None else self.called

    @property
    def method(self) -> str:
        """The kind, as settings of trainings call it."""
        return self.kind


def Method(
    name: str,
    method: str = "rcms",
    budget: int = USUAL_BUDGET,
    passes: int = 1,
    deduplicate: bool = False,
    select: str | SelectionRule = FORWARD,
) -> Contender:
    """A contender, its name first.

    Example: `Method("RCMS, look-ahead", select="lookahead")`.
    """
    return Contender(method, budget, passes, deduplicate, name, select)


METHODS = (Method("RCMS 10"), Method("beam 10", "beam"), Method("beam 200", "beam", 200), Method("exact", "exact"))


@dataclass(frozen=True, eq=False)
class Answers(CopyableMixin):
    """Answers of one method: per sequence the ``decoded`` and the ``gold`` label numbers (T,) and its ``confidence``
    (N,) · ``mean_length`` of the contexts it used · ``seconds`` for all.
    """

    name: str
    decoded: tuple
    gold: tuple
    confidence: np.ndarray
    mean_length: float
    seconds: float

    def __post_init__(self):
        freeze(self)

    @property
    def lengths(self) -> np.ndarray:
        """The number of labels of each sequence (N,)."""
        return np.array([len(gold) for gold in self.gold])

    @property
    def right_labels(self) -> np.ndarray:
        """The number of right ones (N,)."""
        pairs = zip(self.decoded, self.gold, strict=True)
        return np.array([np.sum((found == gold) & (gold != UNKNOWN)) for found, gold in pairs])

    @property
    def correct(self) -> np.ndarray:
        """Which sequences are right, all of them (N,)."""
        return self.right_labels == self.lengths


@dataclass(frozen=True)
class Score:
    """One method on a set of sequences.

    ``accuracy`` of whole sequences, ``label_accuracy`` of their positions · ``recall_99``, ``recall_95`` the largest
    share answered at that precision · ``area`` under precision · ``calibration_error`` over ten bins of equal mass ·
    every ``…_error`` else is one standard error · ``intervals`` 95 % by bootstrap, {field: (low, high)}.
    """

    name: str
    sequences: int
    accuracy: float
    accuracy_error: float
    label_accuracy: float
    label_error: float
    recall_99: float
    recall_99_error: float
    recall_95: float
    area: float
    calibration_error: float
    mean_confidence: float
    mean_length: float
    sequences_per_second: float
    intervals: dict[str, tuple[float, float]]

    def to_dict(self) -> dict[str, Any]:
        """The fields as a plain dict, ready for JSON."""
        return asdict(self)


def evaluate_sequences(
    model: NgramModel, data: Sequences, methods: Sequence[Contender] = METHODS, threads: int | None = None
) -> list[Score]:
    """The score of every method on the same labelled sequences, decoded in bulk.

    Raises ValueError where the data has other labels or features than the model.
    """
    return [score(answers) for answers in answer(model, data, methods, threads)]


def answer(
    model: NgramModel, data: Sequences, methods: Sequence[Contender] = METHODS, threads: int | None = None
) -> list[Answers]:
    """Outputs and confidences of every method for the same sequences; ValueError as `evaluate_sequences`."""
    if data.labels != tuple(model.labels):
        raise ValueError("the data has other labels than the model: read it with labels=model.labels")
    if model.emission is None:
        raise ValueError("this model has no emissions: it cannot read features")
    log_emits, golds = data.log_emits(model.emission), tuple(data.golds())
    return [_answer_method(model, log_emits, golds, method, threads) for method in methods]


def _answer_method(model, log_emits, golds, method, threads):
    """One method: decode one sequence to warm up, then all of them against the clock."""
    select = checked_rule(method.select, method.entry)
    options = {"passes": passes_of(select, method.passes), "deduplicate": method.deduplicate}
    if method.entry.in_bulk and not is_stepwise(select):
        how = {"method": method.kind, "budget": method.budget, "threads": threads} | options
        run, some, rows = lambda words: infer_batch(model, words, **how), log_emits[:1], log_emits
    else:  # no bulk kernel
        how = method.entry.taken(options | {"select": select})
        stacked, offset = stack_rows(log_emits, model.labels)
        run = lambda ends: infer_one_by_one(model, stacked, ends, method.kind, method.budget, **how)  # noqa: E731
        some, rows = offset[:2], offset
    run(some)  # compiled code is loaded before the clock starts
    start = time.perf_counter()
    batch = run(rows)
    seconds = time.perf_counter() - start
    confidence = np.exp(np.asarray(batch.log_prob, dtype=np.float64))
    return Answers(method.name, batch.labels, golds, confidence, float(np.mean(batch.mean_length)), seconds)


def score(answers: Answers) -> Score:
    """The row of one method's answers."""
    correct, right, lengths = answers.correct, answers.right_labels, answers.lengths
    columns = answers.confidence, correct, right, lengths
    values, interval = _measure_row(*columns), bootstrap(_measure_row, *columns)
    named = dict(zip(MEASURED, values.tolist(), strict=True))
    limits = zip(interval.low.tolist(), interval.high.tolist(), strict=True)
    return Score(
        name=answers.name,
        sequences=len(correct),
        accuracy_error=standard_error(correct),
        label_error=ratio_error(right, lengths),
        recall_99_error=float(interval.error[MEASURED.index("recall_99")]),
        mean_length=answers.mean_length,
        sequences_per_second=len(correct) / answers.seconds if answers.seconds > 0 else float("inf"),
        intervals=dict(zip(MEASURED, limits, strict=True)),
        **named,
    )


MEASURED = ("accuracy", "label_accuracy", "recall_99", "recall_95", "area", "calibration_error", "mean_confidence")


def _measure_row(confidence, correct, right, lengths):
    """The numbers of a row that have an interval, in the order of ``MEASURED``."""
    curve = precision_curve(confidence, correct)
    return np.array(
        [
            correct.mean(),
            right.sum() / lengths.sum(),
            recall_of(curve, 0.99),
            recall_of(curve, 0.95),
            area_of(curve),
            calibration_error(confidence, correct),
            confidence.mean(),
        ]
    )
