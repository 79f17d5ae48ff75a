"""Weights that learn on vectors of sixteen lanes: gradients summed by row as they arise, and the AdaGrad step.

``group = (weight, square, drift)`` are those of ``weights.py`` in single precision, flat, a row of 2^shift lanes each.
``pile = (place (R,), rows (M,), gradient (M · 2^shift,), many (1,))`` holds the gradients of one example: ``place``
says where a row of weights has its own, −1 nowhere yet, ``rows`` which rows they are, ``many`` how many.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.lanes import LANES, inverse_root, load, splat, store, total
from rcmviz.kernels.learn.weights import ABSENT


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def claim(row, shift, pile):
    """Where the gradient of a row of weights begins; zeros where it was not there yet."""
    place, rows, gradient, many = pile
    at = np.int64(place[np.uint64(row)])
    if at < 0:
        at = many[0]
        place[np.uint64(row)], rows[at] = at, row
        many[0] += 1
        for y in range(at << shift, (at + 1) << shift, LANES):
            store(gradient, y, splat(np.float32(0)))
    return at << shift


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def add_scaled(amount, source, gradient, at, shift):
    """Add a row of ``2^shift`` numbers, ``amount`` times, to a gradient."""
    for y in range(0, 1 << shift, LANES):
        store(gradient, at + y, splat(amount) * load(source, y) + load(gradient, at + y))


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def penalise(weight, l2, shift, pile):
    """Let the penalty's part, −l2 θ, join the gradients; returns their squared norm."""
    _, rows, gradient, many = pile
    norm, factor = splat(np.float32(0)), splat(np.float32(l2))
    for j in range(many[0]):
        at, here = rows[j] << shift, j << shift
        for y in range(0, 1 << shift, LANES):
            slope = load(gradient, here + y) - factor * load(weight, at + y)
            store(gradient, here + y, slope)
            norm = norm + slope * slope
    return np.float64(total(norm))


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def ascend_lanes(group, rate, step, shift, pile):
    """What `weights.ascend` does, on all rows of the pile, which is empty then."""
    weight, square, drift = group
    eta, delta, _, averaging = rate
    place, rows, gradient, many = pile
    size, least, when = splat(np.float32(eta)), splat(np.float32(delta)), splat(np.float32(step))
    for j in range(many[0]):
        row = np.uint64(rows[j])
        place[row] = ABSENT
        at, here = rows[j] << shift, j << shift
        for y in range(0, 1 << shift, LANES):
            slope = load(gradient, here + y)
            squares = load(square, at + y) + slope * slope
            store(square, at + y, squares)
            change = size * (slope * inverse_root(squares + least))
            store(weight, at + y, load(weight, at + y) + change)
            if averaging:
                store(drift, at + y, load(drift, at + y) + when * change)
    many[0] = 0
