"""The largest of many keys: what decides which candidates are kept, here and in ``align/cells.py``.

Keys are masses, or their logs where ``logs`` is set; they are searched by value, never sorted.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import as_in, fast_loops
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.rows import ZERO

BLOCK = 32  # candidates that are skipped at once where none exceeds the bound
FEW = 2  # the bisection stops when at most this many are contested: dropping one costs as much as a counting pass
SLACK = BLOCK + FEW + 1  # places beyond the budget that `select` writes to


@helper(_nrt=False)
def count_above(key, bound):
    """How many keys exceed the bound (a 32-bit count, so that the loop vectorises)."""
    fast_loops()
    total = np.int32(0)
    for j in range(key.size):
        total = np.int32(total + np.int32(key[j] > bound))
    return total


@kernel(inline="always")
def further(bound, step, climbing, logs):
    """One step up or down, in ratio where masses are linear."""
    if logs:
        return bound + step if climbing else bound - step
    return bound / step if climbing else bound * step


class Bracket(NamedTuple):
    """Two bounds, and how many keys exceed each."""

    low: float
    above_low: int
    high: float
    above_high: int


@kernel(inline="always")
def bracket(key, budget, logs):
    """A `Bracket`: at least ``budget`` keys exceed low, fewer exceed high.

    Growing steps up or down from mass 1, where forward masses usually are; a maximum first would cost more than all of
    them, as it does not vectorise.
    """
    bound, step = as_in(key, 0.0 if logs else 1.0), as_in(key, 8.0 if logs else 2.0**-12)
    above = count_above(key, bound)
    climbing = above >= budget
    before, above_before = bound, above
    while (above >= budget) == climbing:
        before, above_before = bound, above
        bound = further(bound, step, climbing, logs)
        step = step + step if logs else step * step
        above = count_above(key, bound)
    if climbing:
        return Bracket(before, above_before, bound, above)
    return Bracket(bound, above, before, above_before)


@kernel(inline="always")
def between(key, low, high, logs):
    """A bound half-way, in ratio where masses are linear; one end itself if there is no float in between."""
    if logs:
        return low + (high - low) / as_in(key, 2.0) if low > -np.inf else high - abs(high) - as_in(key, 1.0)
    return np.sqrt(low) * np.sqrt(high) if low > 0 else high * as_in(key, 0.5)


@kernel(_nrt=False)
def select(key, budget, logs, chosen):
    """Indices of the ``budget`` largest keys, ascending, into ``chosen``; ties to the lower index; zero mass never.

    Counting bisection: a pass that counts is one vectorised sweep, so a dozen of them cost less than one sort.
    Returns how many were chosen.
    """
    low = as_in(key, -np.inf if logs else 0.0)
    above_low = count_above(key, low)
    if above_low > budget:
        first = bracket(key, budget, logs)
        low, above_low, high, above_high = first.low, first.above_low, first.high, first.above_high
        while above_low > budget and above_low - above_high > FEW:
            middle = between(key, low, high, logs)
            if not (middle > low and middle < high):
                break  # the contested keys are all equal
            above = count_above(key, middle)
            if above >= budget:
                low, above_low = middle, above
            else:
                high, above_high = middle, above
    return gather(key, low, budget, chosen)


@kernel(inline="always")
def gather(key, low, budget, chosen):
    """The best of the keys above ``low``, ascending by index, at most ``budget``; ``chosen`` has ``SLACK`` places more.

    Indices are written without a branch, which random keys would mispredict; only a hit moves the place on.
    """
    found = ZERO
    for block in range(0, key.size, BLOCK):
        if count_above(key[block : block + BLOCK], low) == 0:
            continue
        for j in range(block, min(block + BLOCK, key.size)):
            chosen[found] = j
            found += np.int64(key[j] > low)
        while found > budget + FEW:  # only in a long run of ties: the last of the lowest can never be chosen
            found = drop_lowest(key, found, chosen)
    while found > budget:
        found = drop_lowest(key, found, chosen)
    return found


@helper(_nrt=False)
def drop_lowest(key, found, chosen):
    """Remove the last of the smallest among ``chosen[:found]``."""
    worst = found - 1
    for j in range(found - 2, -1, -1):
        if key[chosen[j]] < key[chosen[worst]]:
            worst = j
    for j in range(worst, found - 1):
        chosen[j] = chosen[j + 1]
    return found - 1
