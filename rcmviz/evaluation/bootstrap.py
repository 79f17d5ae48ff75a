"""Uncertainty of a measure: standard errors by a formula, else by the bootstrap.

The bootstrap draws as many examples as there are, with replacement, and asks again (Efron, 1979). ``scipy.stats`` has
one for a number; ours also takes a statistic that is a whole curve, or several numbers at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze

DRAWS = 1000


@dataclass(frozen=True, eq=False)
class Interval(CopyableMixin):
    """An interval for a statistic: ``low`` and ``high`` percentiles and the standard ``error``, each of its shape."""

    low: np.ndarray
    high: np.ndarray
    error: np.ndarray

    def __post_init__(self):
        freeze(self)


def bootstrap(
    statistic: Callable, *columns: np.ndarray, draws: int = DRAWS, level: float = 0.95, seed: int = 0
) -> Interval:
    """The percentile interval of ``statistic(*columns)``, a number or an array; ``columns`` (N, …) are drawn together.

    The same ``seed`` draws the same examples, so intervals of two methods on the same examples can be compared.
    ValueError: columns of different lengths or none, fewer than two draws, a level outside of 0 … 1.

    >>> interval = bootstrap(np.mean, np.array([1, 1, 1, 0]), seed=1)
    >>> float(interval.low), float(interval.high)
    (0.25, 1.0)
    """
    columns = [np.asarray(column) for column in columns]
    lengths = {len(column) for column in columns}
    if len(lengths) != 1 or lengths == {0}:
        raise ValueError(f"columns of {sorted(lengths)} values: give columns of one length, not empty")
    checks.whole("draws", draws, 2, wanted="give at least 2 draws")
    checks.number("level", level, "a level between 0 and 1", above=0, below=1)
    random, N = np.random.default_rng(seed), lengths.pop()
    # Examples stand by falling first value, in every sample too: a statistic that sorts finds its work done.
    order = np.argsort(columns[0].reshape(N, -1)[:, 0], kind="stable")[::-1]
    columns, place = [column[order] for column in columns], np.argsort(order)
    samples = (np.sort(place[random.integers(0, N, N)]) for _ in range(draws))
    drawn = np.array([statistic(*(column[sample] for column in columns)) for sample in samples])
    tail = 50 * (1 - level)
    low, high = np.percentile(drawn, [tail, 100 - tail], axis=0)
    return Interval(low, high, drawn.std(axis=0))


def standard_error(values: np.ndarray) -> float:
    """The standard error of a mean; of right and wrong it is sqrt(p (1 − p) / N)."""
    values = np.asarray(values, dtype=np.float64)
    return float(values.std() / np.sqrt(len(values)))


def ratio_error(parts: np.ndarray, wholes: np.ndarray) -> float:
    """The standard error of Σ parts / Σ wholes where the examples, not their parts, are independent."""
    ratio = parts.sum() / wholes.sum()
    return float(np.sqrt(np.sum((parts - ratio * wholes) ** 2)) / wholes.sum())
