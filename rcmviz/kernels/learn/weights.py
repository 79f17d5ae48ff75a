"""Weights that learn: rows of a dense or hashed table, scores of contexts made of them, and the AdaGrad step.

``store = (slot (H,), owner (R,), used (1,))`` says where a row is kept. A dense table has no slots: an address (see
``model.py``) is its row. A hashed one finds the row through ``slot`` (a power of two of places, −1 empty) and knows
the address of each row in ``owner``.

``group = (weight (R, Y), square (R, Y), drift (R or 1, Y))`` are weights, AdaGrad's sums of squares, and what it takes
to average over all steps: Σ_s (s − 1) Δ_s, where Δ_s is the change of step s.

``weights = (store, windows, emission, root)`` are all weights of a training, the last three groups.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.kernel import kernel

STORE, WINDOWS, EMISSION, ROOT = 0, 1, 2, 3  # of ``weights``
WEIGHT, SQUARE, DRIFT = 0, 1, 2  # of a group
ABSENT = -1
FAR = 200.0  # the product of a score, an emission and a kept context's mass within e^±FAR each is a normal float
GOLDEN = np.int64(-7046029254386353131)  # 2^64 / golden ratio: multiplying spreads neighbouring addresses (Knuth, 6.4)


class Store(NamedTuple):
    """Where rows are."""

    slot: Any
    owner: Any
    used: Any


class Group(NamedTuple):
    """Weights of a kind and what their steps have summed."""

    weight: Any
    square: Any
    drift: Any


@kernel()
def first_place(address, slot):
    """The slot where the search for an address begins."""
    return ((address * GOLDEN) >> 20) & (slot.size - 1)


@kernel()
def place_of(address, store):
    """The slot that holds an address, or the empty one where it would go."""
    slot, owner, _ = store
    mask, at = slot.size - 1, first_place(address, slot)
    while slot[at] != ABSENT and owner[slot[at]] != address:
        at = (at + 1) & mask
    return at


@kernel()
def claim_row(address, store):
    """The row of an address, a new one where it has none yet; the caller made sure that there is room."""
    slot, owner, used = store
    if slot.size == 0:
        return address
    at = place_of(address, store)
    if slot[at] == ABSENT:
        slot[at] = used[0]
        owner[used[0]] = address
        used[0] += 1
    return slot[at]


@kernel()
def claim_all(addresses, store):
    """A row for each of these addresses, in this order."""
    for address in addresses:
        claim_row(address, store)


@kernel()
def enter_rows(first, store, spare):
    """Write the rows from ``first`` on, whose addresses are in ``owner`` and not yet in ``slot``, into their slots.

    No address is compared. All slots are read, into ``spare (used − first,)``, before any is written: so the processor
    waits for many of them at once.
    """
    slot, owner, used = store
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
    slot, owner, used = store
    return slot.size > 0 and used[0] + needed > owner.size


@kernel()
def window_addresses(address, position, length, code, windows, row):
    """The addresses of the windows that fire for a context, into ``windows[row]``; returns how many.

    One where there is a single indicator; else one per suffix, the shortest first, and the complete history last.
    """
    powers, base, _, additive = address
    order = powers.size - 1
    known = min(length, order)
    here = base[min(position, order), known] + code
    if not additive:
        windows[row, 0] = here
        return 1
    for k in range(known + 1):
        windows[row, k] = base[order, k] + code % powers[k]
    if length == position and position < order:
        windows[row, known + 1] = here
        return known + 2
    return known + 1


@kernel()
def add_scores(first, count, windows, many, store, weight, score):
    """``score[row]``: the summed weights of the row's windows, for ``count`` rows from ``first`` on.

    One call for a column: called per row it took four times as long, as whole tables travel with every call.
    """
    (slot, _, _), width = store, score.shape[1]
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


@kernel()
def exponentiate(values, work):
    """``values (K,)`` to their exponentials, to 1e-14, using ``work (K,)``; False if one is beyond e^±FAR.

    A loop of np.exp is a call per element, 4.6 ns; this one vectorises, 1.0 ns. exp x = 2^k e^r, k the nearest whole
    number to x / log 2, and e^r by its series. Adding 1.5 · 2^52 leaves k in the lowest bits of ``work``, from where it
    is shifted into the exponent.
    """
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
    bits, exponent = values.view(np.int64), work.view(np.int64)
    for j in range(values.size):
        bits[j] += exponent[j] << 52
    return True


@kernel()
def make_queue(rows, most, labels):
    """Gradients that wait for the step: ``(target, source, amount, place (rows,), row, total (most, Y))``.

    Entry j of the first three, each (most,), adds ``amount[j]`` times row ``source[j]`` of a gradient to row
    ``target[j]`` of the weights. The same row may come many times and AdaGrad squares sums, so they are summed first:
    ``place`` says where a row is, −1 not yet.
    """
    return (
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most),
        np.full(rows, ABSENT),
        np.zeros(most, np.int64),
        np.zeros((most, labels)),
    )


@kernel()
def queue_windows(first, count, windows, many, store, queue, size):
    """Queue the gradients of ``count`` rows from ``first`` on for all their windows; returns the queue's new size."""
    target, source, amount, _, _, _ = queue
    for row in range(first, first + count):
        for j in range(many[row]):
            target[size] = claim_row(windows[row, j], store)
            source[size] = row
            amount[size] = 1.0
            size += 1
    return size


@kernel(inline="always")
def sum_by_row(queue, size, gradient):
    """Sum the queued gradients by target, in the order in which targets come first; returns how many there are."""
    target, source, amount, place, rows, total = queue
    width, many = gradient.shape[1], 0
    for j in range(size):
        at, here, factor = place[target[j]], source[j], amount[j]
        if at == ABSENT:
            place[target[j]] = many
            rows[many] = target[j]
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
    _, _, _, place, rows, total = queue
    for at in range(many):
        place[rows[at]] = ABSENT
    return ascend(group, rows[:many], total, rate, step)


# error_model="numpy": else every division is a branch to an exception and the loop not vectorised, 2.6 times slower
@kernel(fastmath={"reassoc"}, error_model="numpy")
def ascend(group, rows, gradient, rate, step):
    """AdaGrad on rows of weights: ``θ += η g / sqrt(δ + Σ g²)``, the present g in the sum (Duchi et al. 2011).

    Squares and drift may be of less precision than weights; a step takes its own square before that is rounded.
    ``gradient[j]`` belongs to ``rows[j]`` and is used up; ``rate = (eta, delta, l2, averaging)``, where the penalty's
    part, −l2 θ, joins the gradient. Returns the squared norm.
    """
    eta, delta, l2, averaging = rate
    weight, square, drift = group
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
        if averaging:
            for y in range(weight.shape[1]):
                drift[row, y] += step * gradient[j, y]
    return norm
