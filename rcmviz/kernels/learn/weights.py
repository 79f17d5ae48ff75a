"""Weights that learn: rows of a dense or hashed table, scores of contexts made of them, and the AdaGrad step."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare, bits_of, fast_loops
from rcmviz.kernels.kernel import helper, kernel, part

WEIGHT, SQUARE, DRIFT = 0, 1, 2  # of a group
ABSENT = -1
FAR = 200.0  # the product of a score, an emission and a kept context's mass within e^±FAR each is a normal float
GOLDEN = np.int64(-7046029254386353131)  # 2^64 / golden ratio: multiplying spreads neighbouring addresses (Knuth, 6.4)


class Store(NamedTuple):
    """Where rows are. A dense table has no slots: an address (see ``model.py``) is its row."""

    slot: Any  # (H,), a power of two: row of the address that is looked up there, ABSENT where empty
    owner: Any  # (R,): address of each row
    used: Any  # (1,): rows that are taken


class Group(NamedTuple):
    """Weights of a kind and what their steps have summed."""

    weight: Any  # (R, Y)
    square: Any  # (R, Y), or (1, Y) without AdaGrad: sums of squared gradients
    drift: Any  # (R, Y), or (1, Y) without averages: Σ_s (s − 1) Δ_s, where Δ_s is the change of step s


class Weights(NamedTuple):
    """All weights of a training."""

    store: Store  # of windows
    windows: Group
    emission: Group  # the last row is the bias
    root: Group


class Queue(NamedTuple):
    """Gradients that wait for the step: entry j adds ``amount[j]`` times row ``source[j]`` of a gradient to row
    ``target[j]`` of the weights. The same row may come many times and AdaGrad squares sums, so they are summed first.
    """

    target: Any  # (most,)
    source: Any  # (most,)
    amount: Any  # (most,)
    place: Any  # (R,): which sum a row of the weights has, ABSENT not yet
    row: Any  # (most,): the row that a sum is of
    total: Any  # (most, Y)


@helper(_nrt=False)
def first_place(address, slot):
    """The slot where the search for an address begins."""
    return ((address * GOLDEN) >> 20) & (slot.size - 1)


@kernel(_nrt=False)
def place_of(address, store):
    """The slot that holds an address, or the empty one where it would go."""
    slot, owner = store.slot, store.owner
    mask, at = slot.size - 1, first_place(address, slot)
    while slot[at] != ABSENT and owner[slot[at]] != address:
        at = (at + 1) & mask
    return at


@helper(_nrt=False)
def claim_row(address, store):
    """The row of an address, a new one where it has none yet; the caller made sure that there is room."""
    slot, used = store.slot, store.used
    if slot.size == 0:
        return address
    at = place_of(address, store)
    if slot[at] == ABSENT:
        slot[at] = used[0]
        store.owner[used[0]] = address
        used[0] += 1
    return slot[at]


@kernel(_nrt=False)
def claim_all(addresses, store):
    """A row for each of these addresses, in this order."""
    addresses, store = bare((addresses, store))
    for j in range(addresses.size):
        claim_row(addresses[j], store)


@kernel(_nrt=False)
def enter_rows(first, store, spare):
    """Write the rows from ``first`` on, whose addresses are in ``owner`` and not yet in ``slot``, into their slots.

    No address is compared. All slots are read, into ``spare (used − first,)``, before any is written: so the processor
    waits for many of them at once.
    """
    slot, owner, used = store.slot, store.owner, store.used
    mask = slot.size - 1
    for row in range(first, used[0]):
        spare[row - first] = slot[first_place(owner[row], slot)]
    for row in range(first, used[0]):
        at = first_place(owner[row], slot)
        while slot[at] != ABSENT:
            at = (at + 1) & mask
        slot[at] = row


@kernel(inline="always")
def is_short_of_rows(store, needed):
    """Whether a hashed table could run out of rows before ``needed`` more are claimed."""
    return store.slot.size > 0 and store.used[0] + needed > store.owner.size


@helper(_nrt=False)
def window_addresses(address, position, length, code, windows, row):
    """The addresses of the windows that fire for a context, into ``windows[row]``; returns how many.

    One for a single indicator; else one per suffix, the shortest first, and the complete history last.
    """
    powers, base = address.powers, address.base
    order = powers.size - 1
    known = min(length, order)
    here = base[min(position, order), known] + code
    if not address.additive:
        windows[row, 0] = here
        return 1
    for k in range(known + 1):
        windows[row, k] = base[order, k] + code % powers[k]
    if length == position and position < order:
        windows[row, known + 1] = here
        return known + 2
    return known + 1


@helper(_nrt=False)
def add_scores(first, count, windows, many, store, weight, score):
    """``score[row]``: the summed weights of the row's windows, for ``count`` rows from ``first`` on.

    One call for a column: called per row it took four times as long, as whole tables travel with every call.
    """
    fast_loops()
    slot, width = store.slot, score.shape[1]
    hashed = slot.size > 0
    for row in range(first, first + count):
        for y in range(width):
            score[row, y] = 0.0
        for j in range(many[row]):
            at = windows[row, j]
            if hashed:
                at = slot[place_of(at, store)]
            if at != ABSENT:
                for y in range(width):
                    score[row, y] += weight[at, y]


@helper(_nrt=False)
def exponentiate(values, work):
    """``values (K,)`` to their exponentials, to 1e-14, using ``work (K,)``; False if one is beyond e^±FAR.

    A loop of np.exp is a call per element, 4.6 ns; this one vectorises, 1.0 ns. exp x = 2^k e^r, k the nearest whole
    number to x / log 2, and e^r by its series. Adding 1.5 · 2^52 leaves k in the lowest bits of ``work``, from where it
    is shifted into the exponent.
    """
    fast_loops()
    far = 0
    for j in range(values.size):
        far += np.int64(not abs(values[j]) < FAR)
        shifted = values[j] * 1.4426950408889634 + 6755399441055744.0
        work[j] = shifted
        k = shifted - 6755399441055744.0
        r = (values[j] - k * 0.6931471803691238) - k * 1.9082149292705877e-10  # log 2 in two parts
        series = r * 2.505210838544172e-08 + 2.755731922398589e-07  # 1 / 11!, 1 / 10!, …
        series = series * r + 2.755731922398589e-06
        series = series * r + 2.48015873015873e-05
        series = series * r + 1.984126984126984e-04
        series = series * r + 1.3888888888888889e-03
        series = series * r + 8.333333333333333e-03
        series = series * r + 4.1666666666666664e-02
        series = series * r + 1.6666666666666666e-01
        values[j] = ((series * r + 0.5) * r + 1.0) * r + 1.0
    if far > 0:
        return False
    bits, exponent = bits_of(values), bits_of(work)
    for j in range(values.size):
        bits[j] += exponent[j] << 52
    return True


def make_queue(rows, most, labels):
    """Room for ``most`` gradients of a group of ``rows`` rows."""
    target, source, row = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    return Queue(target, source, np.zeros(most), np.full(rows, ABSENT), row, np.zeros((most, labels)))


@helper(_nrt=False)
def queue_windows(first, count, windows, many, store, queue, size):
    """Queue the gradients of ``count`` rows from ``first`` on for all their windows; returns the queue's new size."""
    for row in range(first, first + count):
        for j in range(many[row]):
            queue.target[size] = claim_row(windows[row, j], store)
            queue.source[size] = row
            queue.amount[size] = 1.0
            size += 1
    return size


@part(_nrt=False)
def sum_by_row(queue, size, gradient):
    """Sum the queued gradients by target, in the order in which targets come first; returns how many there are."""
    fast_loops()
    place, total, width, many = queue.place, queue.total, gradient.shape[1], 0
    for j in range(size):
        row, here, factor = queue.target[j], queue.source[j], queue.amount[j]
        at = place[row]
        if at == ABSENT:
            place[row] = many
            queue.row[many] = row
            for y in range(width):
                total[many, y] = factor * gradient[here, y]
            many += 1
        else:
            for y in range(width):
                total[at, y] += factor * gradient[here, y]
    return many


@kernel(inline="always")
def ascend_queue(group, queue, size, gradient, rate, step):
    """One step on every row that is a target; empties the queue and returns the squared norm of the gradient."""
    many = sum_by_row(queue, size, gradient)
    for at in range(many):
        queue.place[queue.row[at]] = ABSENT
    return ascend(group, queue.row[:many], queue.total, rate, step)


# error_model="numpy": else every division is a branch to an exception and the loop not vectorised, 2.6 times slower
@kernel(fastmath={"reassoc"}, error_model="numpy", _nrt=False)
def ascend(group, rows, gradient, rate, step):
    """AdaGrad on rows of weights: ``θ += η g / sqrt(δ + Σ g²)``, the present g in the sum (Duchi et al. 2011).

    Squares and drift may be of less precision than weights; a step takes its own square before that is rounded.
    ``gradient[j]`` belongs to ``rows[j]`` and is used up; the penalty's part, −l2 θ, joins it. Returns the squared
    norm.
    """
    fast_loops()
    eta, delta, l2 = rate.eta, rate.delta, rate.l2
    weight, square, drift = group.weight, group.square, group.drift
    norm = 0.0
    for j in range(rows.size):
        row = rows[j]
        for y in range(weight.shape[1]):
            slope = gradient[j, y] - l2 * weight[row, y]
            norm += slope * slope
            total = square[row, y] + slope * slope
            square[row, y] = total
            gradient[j, y] = eta * slope / np.sqrt(delta + total)
            weight[row, y] += gradient[j, y]
        if rate.averaging:
            for y in range(weight.shape[1]):
                drift[row, y] += step * gradient[j, y]
    return norm
