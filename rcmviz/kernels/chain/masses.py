"""Sums of masses, linear or as logs."""

import numpy as np

from rcmviz.kernels.kernel import kernel

WIDEST = 80.0  # between logs of masses that are added up as they are: e^-80 is 10^-35


@kernel(_nrt=False)
def log_add(a, b):
    """``log(e^a + e^b)``, also for −inf."""
    high, low = (a, b) if a > b else (b, a)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@kernel(_nrt=False)
def add_row(into, row, logs):
    """``into += row``."""
    if logs:
        for y in range(row.size):
            into[y] = log_add(into[y], row[y])
    else:
        for y in range(row.size):
            into[y] += row[y]


@kernel(_nrt=False)
def exponentiate(mass):
    """Logs become what they are logs of beside the highest, whose log is returned; −inf, and nothing is changed, where
    one is so far below that single precision could lose it.

    `absorb` takes less than half of the time so, as `log_add` calls two functions of C for each sum.
    """
    top = mass.dtype.type(-np.inf)
    for row in mass:
        for value in row:
            top = max(top, value)
    low = top
    for row in mass:
        for value in row:
            low = min(low, value if value > -np.inf else top)
    if not low > top - WIDEST:
        return -np.inf
    for row in mass:
        for y in range(row.size):
            row[y] = np.exp(row[y] - top)
    return top


@kernel(_nrt=False)
def rescale(values):
    """Divide by the sum; returns its log."""
    total = values.dtype.type(0)
    for k in range(values.size):
        total += values[k]
    if not total > 0:
        return -np.inf
    inverse = values.dtype.type(1) / total
    for k in range(values.size):
        values[k] *= inverse
    return np.log(total)


@kernel(_nrt=False)
def total_mass(mass, count, logs):
    """Log of the sum of all candidates: log Z at the last position, up to the scale."""
    if logs:
        total = -np.inf
        for k in range(count):
            for y in range(mass.shape[1]):
                total = log_add(total, mass[k, y])
        return total
    linear = mass.dtype.type(0)
    for k in range(count):
        for y in range(mass.shape[1]):
            linear += mass[k, y]
    return np.log(linear) if linear > 0 else -np.inf
