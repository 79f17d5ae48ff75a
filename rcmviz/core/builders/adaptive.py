"""Adaptive budgets: the contexts of a uniform budget, distributed over positions by what the previous pass says.

A position that a pass is sure of needs few contexts, an uncertain one many. The total stays that of the uniform budget.
"""

from collections.abc import Sequence

import numpy as np

from rcmviz.core.shared.logs import log_sum
from rcmviz.kernels.chain.contexts import TWIN

ADAPTIVE = "adaptive"  # as a budget: ten contexts per position, by entropy
REGRET, ENTROPY = "regret", "entropy"
WAYS = (ENTROPY, REGRET)


def adaptive_budgets(posteriors: Sequence[np.ndarray], budget: int, by: str = ENTROPY) -> list[int]:
    """Budgets of the positions that select contexts; their sum is ``budget`` times the number of positions.

    Parameters
    ----------
    posteriors : sequence of ndarray of shape (N,)
        For each position the posterior of every candidate by the previous pass; each sums to 1, or to 0 if there is no
        output.
    budget : int
        The mean budget.
    by : {"entropy", "regret"}
        With "regret" each further context goes to the position whose heaviest candidate without one has the largest
        posterior, which minimises the summed posterior of the others. With "entropy" budgets are proportional to
        exp(entropy), the effective number of candidates. Every position has a quarter of the budget (rounded up).

    Returns
    -------
    list of int
        One budget per position, at least 1.

    Examples
    --------
    >>> adaptive_budgets([np.array([1.0, 0.0]), np.array([0.4, 0.3, 0.2, 0.1])], 2)
    [1, 3]
    """
    least, count = -(-budget // 4), len(posteriors)
    rest = budget * count - least * count
    if not count or not rest:
        return [budget] * count
    extra = (_by_regret if by == REGRET else _by_entropy)(posteriors, least, rest)
    return [least + more for more in extra]


def _by_regret(posteriors, least, rest):
    """How many of the ``rest`` each position gets; ties go to the earlier position."""
    left = [np.sort(p)[::-1][least:] for p in posteriors]
    left = [p[p > 0] for p in left]
    where = np.repeat(np.arange(len(left)), [len(p) for p in left])
    chosen = where[np.argsort(-np.concatenate(left), kind="stable")[:rest]]
    extra = np.bincount(chosen, minlength=len(left))
    return (extra + _evenly(rest - len(chosen), len(left))).tolist()


def _by_entropy(posteriors, least, rest):
    """Whole numbers in proportion to the effective numbers of candidates, the largest remainders rounded up."""
    effective = np.array([_effective(p) for p in posteriors])
    parts = rest * effective / effective.sum()
    extra = np.floor(parts).astype(np.int64)
    up = np.argsort(-(parts - extra), kind="stable")[: rest - extra.sum()]
    extra[up] += 1
    return extra.tolist()


def _effective(p):
    p = p[p > 0]
    return float(np.exp(-(p * np.log(p)).sum()))


def _evenly(number, places):
    """A number of contexts over positions that no posterior asks for."""
    return number // places + (np.arange(places) < number % places)


def candidate_posteriors(run, messages, logs, root_proposes):
    """The posterior of each candidate of every position that selects, by a pass and its backward ``messages``.

    Candidates that another one represents count with it.
    """
    found = []
    for i, here in enumerate(run.contexts[:-1]):
        ahead = messages[i + 1][run.target[i]]  # −1, dropped, is the last one: zero
        with np.errstate(divide="ignore"):
            log_p = run.mass[i] + ahead if logs else np.log(run.mass[i]) + np.log(ahead)
        if i > 0 and not root_proposes:
            log_p[0] = -np.inf
        total = log_sum(log_p)
        p = np.zeros(log_p.shape)
        if total > -np.inf:
            np.add.at(p, here[TWIN], np.exp(log_p - total))
        found.append(p.ravel())
    return found
