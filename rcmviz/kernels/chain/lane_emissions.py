"""Emissions out of their logs on vectors of sixteen lanes, in single precision.

The exponent of a number is split off in double precision, so a power of two comes out as one, and ties stay
ties. The rest, within ± log 2 / 2, is for a polynomial whose error is below the rounding (coefficients of ``expf`` in
Cephes, S. L. Moshier).
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, as_floats, as_ints, highest, larger, load, splat, store, total, where

LOG_2 = 0.6931471805599453
ROWS = 4  # as in `lane_exact.multiply`
START = np.int64(0)  # of an array; a literal would be a type of its own
LOWEST = -86.0  # e^-86 is a normal number of single precision; smaller values count as zero


@part(error_model="numpy", _nrt=False)
def copy(source, at, into, to, count):
    """``count`` places of ``source`` from ``at`` on, by whole vectors, the last two of which may overlap."""
    last = count - LANES
    for y in range(0, last, LANES):
        store(into, to + y, load(source, at + y))
    if last >= 0:
        store(into, to + last, load(source, at + last))
    else:
        for y in range(count):
            into[to + y] = source[at + y]


@part(error_model="numpy", _nrt=False)
def exponential(rest, exponent):
    """e^rest · 2^exponent of small ``rest``."""
    power = splat(np.float32(1.9875691500e-4))
    power = power * rest + splat(np.float32(1.3981999507e-3))
    power = power * rest + splat(np.float32(8.3334519073e-3))
    power = power * rest + splat(np.float32(4.1665795894e-2))
    power = power * rest + splat(np.float32(1.6666665459e-1))
    power = power * rest + splat(np.float32(5.0000001201e-1))
    power = power * rest * rest + rest + splat(np.float32(1))
    return as_floats(as_ints(power) + exponent * splat(np.int32(1 << 23)))


@part(error_model="numpy", _nrt=False)
def exponentials(log):
    """e^log of lanes within ±87, all in single precision; of 0 it is one.

    Adding 1.5 · 2^23 rounds to the nearest whole number. Log 2 is taken off in two parts, the first of few digits.
    """
    shifted = log * splat(np.float32(1 / LOG_2)) + splat(np.float32(12582912))
    twos = shifted - splat(np.float32(12582912))
    rest = log - twos * splat(np.float32(0.693359375)) + twos * splat(np.float32(2.12194440e-4))
    return exponential(rest, as_ints(shifted) - splat(np.int32(0x4B400000)))


@part(error_model="numpy", _nrt=False)
def exponentials_below(log, top):
    """e^(log − top), nothing below e^LOWEST, as exact as if the difference were taken in double precision: what is lost
    in single precision is found again (D. E. Knuth's sum of two) and added to what the polynomial is of.
    """
    least = splat(np.float32(LOWEST - 1))
    less = log - top
    back = less - log
    lost = (log - (less - back)) - (top + back)
    is_some = less > least
    less, lost = where(is_some, less, least), where(is_some, lost, splat(np.float32(0)))
    shifted = less * splat(np.float32(1 / LOG_2)) + splat(np.float32(12582912))
    twos = shifted - splat(np.float32(12582912))
    rest = less - twos * splat(np.float32(0.693359375)) + twos * splat(np.float32(2.12194440e-4)) + lost
    exponent = as_ints(shifted) - splat(np.int32(0x4B400000))
    power = exponential(rest, exponent)
    return where(exponent < splat(np.int32(np.rint(LOWEST / LOG_2))), splat(np.float32(0)), power)


@kernel(error_model="numpy", _nrt=False)
def scale_lanes(log_emit, emit, scale, lowest, row):
    """`scale_emissions` of logs in single precision, flat, and of whole vectors: the last two of a row may overlap.
    Rows that are shorter than a vector are worked off in ``row``, a vector of −inf.
    """
    log_emit, emit, scale, lowest, row = bare((log_emit, emit, scale, lowest, row))
    depth = emit.size // max(scale.size, 1)
    narrow, last = depth < LANES, max(depth - LANES, 0)
    none, possible = splat(np.float32(-np.inf)), splat(np.float32(-3.4e38))
    for i in range(scale.size):
        begin = i * depth
        if narrow:
            copy(log_emit, begin, row, START, depth)
        source, start = (row, 0) if narrow else (log_emit, begin)
        high = less = load(source, start + last)
        less = where(less > possible, splat(np.float32(0)) - less, none)
        for y in range(0, last, LANES):
            some = load(source, start + y)
            high = larger(high, some)
            less = larger(less, where(some > possible, splat(np.float32(0)) - some, none))
        top = highest(high)
        is_some = top > -np.inf
        scale[i], lowest[i] = (top, -highest(less)) if is_some else (0.0, 0.0)
        peak = splat(top if is_some else np.float32(0))
        if narrow:
            store(row, 0, exponentials_below(load(row, 0), peak))
            copy(row, START, emit, begin, depth)
            store(row, 0, none)
        else:
            for y in range(0, last, LANES):
                store(emit, begin + y, exponentials_below(load(log_emit, begin + y), peak))
            store(emit, begin + last, exponentials_below(load(log_emit, begin + last), peak))


@kernel(error_model="numpy", _nrt=False, fastmath={"nnan", "nsz"})
def scale_emissions(log_emit, emit, scale, lowest, rest, exponent):
    """``emit``, flat, is the exponential of ``log_emit (N, Y)`` less the highest of each row, kept in ``scale (N,)``;
    ``lowest (N,)`` is the lowest that is possible.

    Where no label is possible both are 0. ``rest`` and ``exponent``, a row of whole vectors, are room.
    """
    log_emit, emit, scale, lowest, rest, exponent = bare((log_emit, emit, scale, lowest, rest, exponent))
    for i in range(scale.size):
        row = log_emit[i]
        top, low = np.float64(row[0]), np.inf
        for y in range(row.size):
            top = max(top, np.float64(row[y]))
            low = min(low, np.float64(row[y]) if row[y] > -np.inf else np.inf)
        scale[i], lowest[i] = (top, low) if top > -np.inf else (0.0, 0.0)
        for y in range(row.size):
            log = max(row[y] - scale[i], LOWEST - 1)
            twos = np.rint(log * (1 / LOG_2))
            rest[y], exponent[y] = log - twos * LOG_2, twos
        least = splat(np.int32(np.rint(LOWEST / LOG_2)))
        for y in range(0, rest.size, LANES):
            power = exponential(load(rest, y), load(exponent, y))
            store(rest, y, where(load(exponent, y) < least, splat(np.float32(0)), power))
        copy(rest, START, emit, i * row.size, row.size)


@kernel(error_model="numpy", _nrt=False)
def weigh_lanes(features, count, panels, width, log_emit):
    """Log emissions, flat, ``width`` labels a row, of flat ``features``, ``count`` a row; whether all are finite.

    Of each sixteen labels ``panels`` has the weights of all features and, after them, the row that is always added.
    ``ROWS`` positions are worked off together; the last two sixteen labels may overlap, and so may the last two groups
    of rows.
    """
    features, panels, log_emit = bare((features, panels, log_emit))
    positions, last = log_emit.size // width, width - LANES
    faults = splat(np.float32(0))
    for begin in range(0, positions, ROWS):
        i = min(begin, positions - ROWS)
        for y in range(0, width, LANES):
            panel = y * (count + 1)
            one = two = three = four = load(panels, panel + count * LANES)
            for f in range(count):
                at, column = i * count + f, load(panels, panel + f * LANES)
                one = one + splat(features[at]) * column
                two = two + splat(features[at + count]) * column
                three = three + splat(features[at + 2 * count]) * column
                four = four + splat(features[at + 3 * count]) * column
            to = i * width + min(y, last)
            store(log_emit, to, one)
            store(log_emit, to + width, two)
            store(log_emit, to + 2 * width, three)
            store(log_emit, to + 3 * width, four)
            faults = faults + ((one + two) + (three + four)) * splat(np.float32(0))
    return total(faults) == 0
