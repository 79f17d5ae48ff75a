"""Many words without a bulk kernel: one lattice after the other, with the results of ``infer_batch``."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.core.builders.build import build_lattice
from rcmviz.core.builders.selection_rules import SelectionRule
from rcmviz.core.inference.batch import Batch
from rcmviz.core.inference.infer import log_z, posterior, viterbi
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.models.scores import Model
from rcmviz.core.rules import FORWARD, POSTERIOR


def is_stepwise(select: str | SelectionRule) -> bool:
    """Whether a rule has no bulk kernel.

    >>> is_stepwise("lookahead"), is_stepwise("posterior")
    (True, False)
    """
    return not isinstance(select, str) or select not in (FORWARD, POSTERIOR)


def passes_of(select: str | SelectionRule, passes: int) -> int:
    """The number of passes: two or more if they rank by the posterior.

    >>> passes_of("posterior", 1), passes_of("forward", 1)
    (2, 1)
    """
    return max(passes, 2) if select == POSTERIOR else passes


def infer_one_by_one(
    model: Model, stacked: np.ndarray, offset: np.ndarray, method: str, budget: int, **options: Any
) -> Batch:
    """``infer_batch`` of words whose log emissions stand one after the other, w from ``offset[w]`` on.

    ``options`` are those of the method's builder. Runs stepwise in double precision, one thread; label posteriors are
    always computed. ValueError as of the builder.
    """
    words = [
        _word_of(build_lattice(method, model, stacked[start:stop], budget, record=False, **options)[0])
        for start, stop in zip(offset[:-1].tolist(), offset[1:].tolist(), strict=True)
    ]
    numbers = {name: np.array([getattr(word, name) for word in words], float) for name in _Word._fields[1:-1]}
    labels, posteriors = tuple(word.labels for word in words), tuple(word.posterior for word in words)
    return Batch(labels, **numbers, posterior=posteriors)


class _Word(NamedTuple):
    """The results for one word; without a possible output its labels and posteriors are zeros."""

    labels: np.ndarray
    log_z: float
    log_score: float
    log_prob: float
    mean_length: float
    posterior: np.ndarray


def _word_of(lattice: Lattice) -> _Word:
    if log_z(lattice) == -np.inf:
        nothing = np.zeros((lattice.T, lattice.width))
        return _Word(np.zeros(lattice.T, np.int64), -np.inf, -np.inf, -np.inf, 0.0, nothing)
    best, found, columns = viterbi(lattice), posterior(lattice), [lattice.column(i) for i in range(1, lattice.T)]
    shares = [np.exp(found.forward[column] - found.forward[column].max()) for column in columns]
    means = [share @ lattice.length[column] / share.sum() for share, column in zip(shares, columns, strict=True)]
    length = float(np.mean(means)) if means else 0.0
    return _Word(np.array(best.indices), found.log_z, best.log_score, best.log_prob, length, found.label)
