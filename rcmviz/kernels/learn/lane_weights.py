"""Weights that learn on vectors of sixteen lanes: gradients summed by row as they arise, and the AdaGrad step.

``lane_state.py`` names the arrays. Weights are in single precision, flat, with places for a vector beyond the last:
rows of whole vectors would take almost twice the memory with 17 labels. Values beyond a row are masked or
multiplied by zero, and written back unchanged. A window gets its row when a gradient is not zero: of
49 tags and order 3 under a beam 36,464 of the 47,648 that are looked at, of 122,602.
"""

import numpy as np

from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, counted, highest, inverse_root, larger, load, splat, store, total, where
from rcmviz.kernels.learn.train import NORM

STEEPEST = 1e30  # squared norm of a gradient: its squares sum over 10^8 steps


@kernel(error_model="numpy", _nrt=False, inline="always")
def row_of(address, index):
    """The row of an address."""
    return address if index.row.size == 0 else index.row[address]


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_row(address, index):
    """A row for an address that has none."""
    at = index.used[0]
    index.row[address], index.owner[at] = at, address
    index.used[0] += 1
    return at


@kernel(error_model="numpy", _nrt=False, inline="always")
def is_full(index, most):
    """Whether there are not ``most`` more rows for windows."""
    return index.used[0] + most > index.owner.size and index.owner.size <= index.row.size


@kernel(error_model="numpy", _nrt=False, inline="always")
def sum_of(row, shift):
    """The sum of a row of lanes."""
    whole = splat(np.float32(0))
    for y in range(0, 1 << shift, LANES):
        whole = whole + load(row, y)
    return total(whole)


@part(error_model="numpy", _nrt=False)
def claim(address, shift, pile):
    """Where the gradient of an address begins; zeros where it was not there yet."""
    at = pile.place[address] - 1
    if at < 0:
        at = pile.many[0]
        pile.many[0] += 1
        pile.place[address], pile.addresses[at] = pile.many[0], address
        for y in range(at << shift, (at + 1) << shift, LANES):
            store(pile.gradient, y, splat(np.float32(0)))
    return at << shift


@kernel(error_model="numpy", _nrt=False, inline="always")
def add_scaled(amount, source, gradient, at, shift):
    """Add a row of ``2^shift`` numbers, ``amount`` times, to a gradient."""
    for y in range(0, 1 << shift, LANES):
        store(gradient, at + y, splat(amount) * load(source, y) + load(gradient, at + y))


@kernel(error_model="numpy", _nrt=False, inline="always")
def is_zero(row, gradient, shift):
    """Whether a row of gradients is."""
    squares = splat(np.float32(0))
    for y in range(row << shift, (row + 1) << shift, LANES):
        squares = larger(squares, load(gradient, y) * load(gradient, y))
    return not highest(squares) > 0


@helper(error_model="numpy", _nrt=False)
def penalise(weight, l2, labels, shift, pile, index):
    """Let the penalty's part, −l2 θ, join the gradients; returns their squared norm."""
    gradient = pile.gradient
    norm, factor, zero = splat(np.float32(0)), splat(np.float32(l2)), splat(np.float32(0))
    for j in range(pile.many[0]):
        at, here = row_of(pile.addresses[j], index) * labels, j << shift
        for y in range(0, 1 << shift, LANES):
            slope = load(gradient, here + y) - factor * load(weight, at + y)
            slope = where(counted() < splat(np.int32(labels - y)), slope, zero)
            store(gradient, here + y, slope)
            norm = norm + slope * slope
    return np.float64(total(norm))


@helper(error_model="numpy", _nrt=False)
def ascend_lanes(weights, rate, step, labels, shift, pile, index):
    """What `weights.ascend` does, on all rows of the pile, which is empty then."""
    weight, square, drift, gradient = weights.weight, weights.square, weights.drift, pile.gradient
    size, least, when = splat(np.float32(rate.eta)), splat(np.float32(rate.delta)), splat(np.float32(step))
    for j in range(pile.many[0]):
        address = pile.addresses[j]
        row = row_of(address, index)
        pile.place[address] = 0
        if row == 0 and index.row.size > 0:
            if is_zero(j, gradient, shift):
                continue
            row = take_row(address, index)
        at, here = row * labels, j << shift
        for y in range(0, 1 << shift, LANES):
            slope = load(gradient, here + y)
            squares = load(square, at + y) + slope * slope
            store(square, at + y, squares)
            change = size * (slope * inverse_root(squares + least))
            store(weight, at + y, load(weight, at + y) + change)
            if rate.averaging:
                store(drift, at + y, load(drift, at + y) + when * change)
    pile.many[0] = 0


@kernel(error_model="numpy", _nrt=False, inline="always")
def ascend_both(model, step, labels, shift, piles, measures):
    """The penalty and the step on windows and emissions; False, and no step, where it is too steep."""
    norm, l2 = 0.0, model.rate.l2
    for weights, pile, index in zip(model.weights, piles, model.indices):  # noqa: B905 - Numba knows no strict
        norm += penalise(weights.weight, l2, labels, shift, pile, index)
    if not norm < STEEPEST:
        return False
    for weights, pile, index in zip(model.weights, piles, model.indices):  # noqa: B905
        ascend_lanes(weights, model.rate, step, labels, shift, pile, index)
    measures[NORM] = np.sqrt(norm)
    return True
