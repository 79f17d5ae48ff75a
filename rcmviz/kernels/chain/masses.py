"""Sums of masses, linear or as logs."""

import numpy as np

from rcmviz.kernels.bare_arrays import as_in, fast_loops
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.rows import largest

WIDEST = 80.0  # between logs of masses that are added up as they are: e^-80 is 10^-35


@kernel(_nrt=False)
def log_add(a, b):
    """``log(e^a + e^b)``, also for −inf."""
    high, low = (a, b) if a > b else (b, a)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@helper(_nrt=False)
def add_row(into, row, logs):
    """``into += row``."""
    fast_loops()
    if logs:
        for y in range(row.size):
            into[y] = log_add(into[y], row[y])
    else:
        for y in range(row.size):
            into[y] += row[y]


@helper(_nrt=False)
def exponentiate(mass):
    """Replace logs by their exponentials relative to the highest, whose log is returned; −inf, and nothing is changed,
    where one is so far below that single precision could lose it.

    `log_add` would call two functions of C for each sum.
    """
    top, size = as_in(mass, -np.inf), mass.shape[0]
    for k in range(size):
        top = max(top, largest(mass[k]))
    low = top
    for k in range(size):
        row = mass[k]
        for y in range(row.size):
            low = min(low, row[y] if row[y] > -np.inf else top)
    if not low > top - WIDEST:
        return -np.inf
    for k in range(size):
        row = mass[k]
        for y in range(row.size):
            row[y] = np.exp(row[y] - top)
    return top


@helper(_nrt=False)
def rescale(values):
    """Divide by the sum; returns its log."""
    total = as_in(values, 0)
    for k in range(values.size):
        total += values[k]
    if not total > 0:
        return -np.inf
    inverse = as_in(values, 1) / total
    for k in range(values.size):
        values[k] *= inverse
    return np.log(total)


@helper(_nrt=False)
def total_mass(mass, count, logs):
    """Log of the sum of all candidates: log Z at the last position, up to the scale."""
    fast_loops()
    if logs:
        total = -np.inf
        for k in range(count):
            for y in range(mass.shape[1]):
                total = log_add(total, mass[k, y])
        return total
    linear = as_in(mass, 0)
    for k in range(count):
        for y in range(mass.shape[1]):
            linear += mass[k, y]
    return np.log(linear) if linear > 0 else -np.inf
