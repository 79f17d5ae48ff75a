"""k-fold evaluation: train on all folds but one, test on that one, for each in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.evaluation.evaluate import METHODS, Contender, Score, evaluate_sequences
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import Trainer
from rcmviz.sequences.table import Sequences


@dataclass(frozen=True)
class FoldScore:
    """The ``score`` of one method on one ``fold``, by a model that was trained on the others."""

    fold: int
    score: Score


def evaluate_folds(
    data: Sequences,
    settings: Training | None = None,
    methods: Sequence[Contender] = METHODS,
    *,
    folds: int | np.ndarray = 10,
    seed: int = 0,
    threads: int | None = None,
) -> Iterator[FoldScore]:
    """Yield the scores of all methods, fold after fold.

    ``folds`` is how many, drawn with ``seed``, or the fold of every sequence (N,), such as Kassel's; −1 is never tested
    on, only trained on. Raises ValueError for an assignment of another length or with fewer than two parts.
    Example: `mean_and_sd(evaluate_folds(data, rv.Training(epochs=10), folds=[word.fold for word in words]))`.
    """
    for fold in _folds(len(data), folds, seed):
        trainer = Trainer(data.take(fold.train), settings)
        while not trainer.done:
            trainer.advance()
        for row in evaluate_sequences(trainer.model(), data.take(fold.test), methods, threads):
            yield FoldScore(fold.number, row)


class _Fold(NamedTuple):
    """A fold, and the sequences to train on and to test on."""

    number: int
    train: np.ndarray
    test: np.ndarray


def _folds(N, folds, seed):
    """Every ``_Fold``."""
    from sklearn.model_selection import KFold, PredefinedSplit  # half a second to import

    if np.ndim(folds) == 0:
        splits = KFold(folds, shuffle=True, random_state=seed).split(np.zeros(N))
        return [_Fold(number, *split) for number, split in enumerate(splits)]
    folds = np.asarray(folds)
    checks.same_length(folds, "fold numbers", N, "sequences", "give each one its fold")
    if len(np.unique(folds)) < 2:
        raise ValueError("all sequences are in one fold, which leaves none to train on: give at least two folds")
    splitter = PredefinedSplit(folds)
    numbers = splitter.unique_folds.tolist()
    return [_Fold(number, *split) for number, split in zip(numbers, splitter.split(), strict=True)]


def mean_and_sd(rows: Iterable[FoldScore]) -> dict[str, dict[str, tuple[float, float]]]:
    """Per method and number of a score its mean and standard deviation over the folds (n − 1; NaN for one fold)."""
    by_name: dict[str, list[dict]] = {}
    for row in rows:
        by_name.setdefault(row.score.name, []).append(row.score.to_dict())
    return {name: _summary(scores) for name, scores in by_name.items()}


def _summary(scores):
    numbers = [field for field, value in scores[0].items() if isinstance(value, float)]
    columns = {field: np.array([score[field] for score in scores]) for field in numbers}
    return {
        field: (float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else float("nan"))
        for field, values in columns.items()
    }
