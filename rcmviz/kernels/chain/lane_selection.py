"""The largest of many positive numbers, sixteen at once: the result of `selection.select`, by a short list.

The bits of positive floats are in the order of the floats, so all bounds are whole numbers. Only what exceeds a guess
is looked at more than once; the bound of one position, a little lower, is the guess for the next. Comparing each of the
short list with all, without a branch, took as long as the search for a bound (B = 10, AVX2).
"""

import numpy as np

from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, compress, counted, highest, hits, larger, load, splat, spread, store, where

LOWER = np.int64(2 << 23)  # what a guess is lowered by, as bits: a fourth
HALF = np.float32(0.5)
RARE = 100  # candidates for each that is chosen
LEAST = np.int32(-(2**31))
FIRST_GUESS = np.int64(0x3A000000)  # as bits: 2^-11


@kernel(error_model="numpy", _nrt=False)
def shorten(bits, begin, end, bound, rare, values, places):
    """What exceeds the bound from place ``begin`` to ``end``, and its places; two vectors of zeros follow the values.

    Where that is ``rare``, most vectors are passed over.
    """
    least, found = splat(np.int32(bound)), 0
    at, step = counted() + splat(np.int32(begin)), splat(np.int32(LANES))
    for j in range(begin, end, LANES):
        some = load(bits, j)
        more = some > least
        count = hits(more)
        if not rare or count > 0:
            compress(values, found, some, more)
            compress(places, found, at, more)
            found += count
        at = at + step
    store(values, found, splat(np.int32(0)))
    store(values, found + LANES, splat(np.int32(0)))
    return found


@kernel(error_model="numpy", _nrt=False, inline="always")
def count_above(values, size, bound):
    """How many of them exceed the bound."""
    least, above = splat(np.int32(bound)), 0
    for j in range(0, size, LANES):
        above += hits(load(values, j) > least)
    return above


@kernel(error_model="numpy", _nrt=False, inline="always")
def rough_log(number):
    """The bits of a float: its logarithm on a scale of its own, straight between powers of two."""
    return np.float32(np.float32(number).view(np.int32))


@part(error_model="numpy", _nrt=False)
def cut_few(values, size, budget):
    """As `cut`, of two vectors of numbers at most: each is compared with all."""
    left, right, one = load(values, 0), load(values, LANES), splat(np.int32(1))
    above_left = above_right = splat(np.int32(0))
    for j in range(size):
        number = spread(values, j)
        above_left = where(number > left, above_left + one, above_left)
        above_right = where(number > right, above_right + one, above_right)
    most, none = splat(np.int32(budget)), splat(np.int32(0))
    left_stays, right_stays = above_left < most, above_right < most
    lowest = larger(where(left_stays, none - left, splat(LEAST)), where(right_stays, none - right, splat(LEAST)))
    return -np.int64(highest(lowest)) - 1, hits(left_stays) + hits(right_stays)


@part(error_model="numpy", _nrt=False)
def cut(values, size, budget, low):
    """A bound that ``budget`` numbers exceed, and how many do: more where ties forbid; all ``size`` exceed ``low``.

    Between a bound that too many exceed and one that too few do, the next is where it would lie if their number fell by
    equal factors over equal distances; every third is half-way, as it may not.
    """
    top = load(values, 0)
    for j in range(LANES, size, LANES):
        top = larger(top, load(values, j))
    high = np.int64(highest(top))
    above_low, above_high, turn = size, 0, 0
    wanted = rough_log(np.float32(budget) + HALF)
    while above_low > budget and high - low > 1:
        turn += 1
        most, least = rough_log(np.float32(above_low)), rough_log(np.float32(above_high) if above_high > 0 else HALF)
        share = (most - wanted) / (most - least)
        middle = low + np.int64(np.float32(high - low) * (HALF if turn % 3 == 0 else share))
        middle = high - 1 if middle >= high else low + 1 if middle <= low else middle
        above = count_above(values, size, middle)
        if above >= budget:
            low, above_low = middle, above
        else:
            high, above_high = middle, above
    return low, above_low


@kernel(error_model="numpy", _nrt=False)
def choose(bits, begin, end, budget, guess, values, places, chosen):
    """Places of the ``budget`` largest, ascending, into ``chosen``; returns how many, and the guess for the next time.

    Ties go to the lower place; zero is never chosen.
    """
    bound, rare = guess if end - begin > budget else np.int64(0), end - begin > RARE * budget
    found = shorten(bits, begin, end, bound, rare, values, places)
    while found < budget and bound > 0:
        bound = bound - 2 * LOWER if bound > 2 * LOWER else 0
        found = shorten(bits, begin, end, bound, rare, values, places)
    low, above = bound, found
    if found > budget:
        low, above = cut_few(values, found, budget) if found <= 2 * LANES else cut(values, found, budget, bound)
    if end - begin > budget:
        guess = low - LOWER if low > LOWER else 0
    if above > budget:
        first_of_ties(values, places, found, budget, low, chosen)
        return budget, guess
    kept, least = 0, splat(np.int32(low))
    for j in range(0, found, LANES):
        more = load(values, j) > least
        compress(chosen, kept, load(places, j), more)
        kept += hits(more)
    return kept, guess


@helper(error_model="numpy", _nrt=False)
def first_of_ties(values, places, size, budget, low, chosen):
    """As `choose`, where more than ``budget`` exceed ``low``, the last of them equal."""
    tied = np.int64(0x7FFFFFFF)
    for j in range(size):
        if values[j] > low:
            tied = values[j] if values[j] < tied else tied
    left, kept = budget - count_above(values, size, tied), 0
    for j in range(size):
        is_tied = values[j] == tied
        if values[j] > tied or (is_tied and left > 0):
            chosen[kept] = places[j]
            kept += 1
            left -= is_tied
