"""Weights that learn: rows of a dense or hashed table, scores of contexts made of them, and the AdaGrad step.

``store = (slot (H,), owner (R,), used (1,))`` says where a row is kept. A dense table has no slots: an address (see
``model.py``) is its row. A hashed one finds the row through ``slot`` (a power of two of places, −1 empty) and knows
the address of each row in ``owner``.

``group = (weight (R, Y), square (R, Y), drift (R or 1, Y))`` are weights, AdaGrad's sums of squares, and what it takes
to average over all steps: Σ_s (s − 1) Δ_s, where Δ_s is the change of step s.
"""

import numpy as np
from numba import njit

ABSENT = -1
GOLDEN = np.int64(-7046029254386353131)  # 2^64 / golden ratio: multiplying spreads neighbouring addresses (Knuth, 6.4)


@njit(cache=True, nogil=True)
def place_of(address, store):
    """The slot that holds an address, or the empty one where it would go."""
    slot, owner, _ = store
    mask = slot.size - 1
    at = ((address * GOLDEN) >> 20) & mask
    while slot[at] != ABSENT and owner[slot[at]] != address:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def row_of(address, store):
    """The row of an address, −1 where it has none yet (its weights are zero)."""
    if store[0].size == 0:
        return address
    return store[0][place_of(address, store)]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def claim_all(addresses, store):
    """A row for each of these addresses, in this order."""
    for address in addresses:
        claim_row(address, store)


@njit(cache=True, nogil=True)
def is_short_of_rows(store, needed):
    """Whether a hashed table could run out of rows before ``needed`` more are claimed."""
    slot, owner, used = store
    return slot.size > 0 and used[0] + needed > owner.size


@njit(cache=True, nogil=True)
def window_addresses(address, position, length, code, windows):
    """The addresses of the windows that fire for a context, into ``windows``; returns how many.

    One where there is a single indicator; else one per suffix, the shortest first, and the complete history last.
    """
    powers, base, _, additive = address
    order = powers.size - 1
    known = min(length, order)
    here = base[min(position, order), known] + code
    if not additive:
        windows[0] = here
        return 1
    for k in range(known + 1):
        windows[k] = base[order, k] + code % powers[k]
    if length == position and position < order:
        windows[known + 1] = here
        return known + 2
    return known + 1


@njit(cache=True, nogil=True)
def add_scores(windows, store, weight, scores):
    """``scores (Y,)`` += the weights of these windows."""
    for window in windows:
        row = row_of(window, store)
        if row != ABSENT:
            for y in range(scores.size):
                scores[y] += weight[row, y]


@njit(cache=True, nogil=True)
def accumulator(rows, most, labels):
    """What sums gradients by row: ``(place (rows,) or −1, row (most,), total (most, Y), how many (1,))``."""
    return np.full(rows, ABSENT), np.zeros(most, np.int64), np.zeros((most, labels)), np.zeros(1, np.int64)


@njit(cache=True, nogil=True)
def add_to(gathered, row, gradient, amount):
    """Add ``amount · gradient (Y,)`` to the total of a row."""
    place, rows, total, many = gathered
    at = place[row]
    if at == ABSENT:
        at = many[0]
        place[row] = at
        rows[at] = row
        total[at] = 0
        many[0] += 1
    into = total[at]
    for y in range(gradient.size):
        into[y] += amount * gradient[y]


# error_model="numpy": else every division is a branch to an exception and the loop not vectorised, 2.6 times slower
@njit(cache=True, nogil=True, error_model="numpy")
def ascend(weight, square, drift, gradient, rate, step):
    """AdaGrad on one row: ``θ += η g / sqrt(δ + Σ g²)``, the present gradient in the sum (Duchi et al. 2011).

    ``rate = (eta, delta, l2, averaging)``; the penalty's part, −l2 θ, joins ``gradient``, which is used up. Returns the
    squared norm.
    """
    eta, delta, l2, averaging = rate
    norm = 0.0
    for y in range(gradient.size):
        slope = gradient[y] - l2 * weight[y]
        norm += slope * slope
        square[y] += slope * slope
        change = eta * slope / np.sqrt(delta + square[y])
        gradient[y] = change
        weight[y] += change
    if averaging:
        for y in range(gradient.size):
            drift[y] += step * gradient[y]
    return norm


@njit(cache=True, nogil=True)
def ascend_all(group, gathered, rate, step, norm):
    """One step on every row that was gathered, which are then forgotten; returns ``norm`` plus their squared norms."""
    place, rows, total, many = gathered
    weight, square, drift = group
    for at in range(many[0]):
        row = rows[at]
        norm += ascend(weight[row], square[row], drift[row if rate[3] else 0], total[at], rate, step)
        place[row] = ABSENT
    many[0] = 0
    return norm
