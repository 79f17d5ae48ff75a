"""Many words at once on vectors of sixteen lanes: what ``words.py`` does, in single precision, for plain RCMS and beam.

``words.py`` is the definition and does everything; here are dense tables, linear masses, one pass, and contexts that
are whole histories. A context has a *slot* in its column, from 1 on; slot 0 is the parent of what has none. A row of
2^shift lanes belongs to each slot, so candidate (k, y) has place ``k << shift | y``, and what is done to all candidates
is done to whole vectors, one context after the other:

- ``kept`` is −1 where a candidate is not kept, else its slot in the next column; ``message`` is −1 there, else the
  message of that slot. Only as many places are written and set back as are kept.
- The slot that (k, y) leads to, and the message of that slot, are copied from parents to children (row 0 has those of
  what nothing else is an ancestor of), masses of what is not kept added from children to parents, at last to row 0.

``space = (lanes, columns, size (T+1,))`` is the workspace of a thread:
``lanes = (emit (T, row), mass, kept, own, message, values, places (all a row per slot), posterior (row,))`` and
``columns = (chosen, parent, row, length, code, alpha, beta, choice)``, each (T+1, slots). Indices are unsigned, as
Numba looks for negative ones otherwise, and no kernel allocates, so that none counts references (a tenth of the time).
"""

import numpy as np
from numba import njit

from rcmviz.kernels.chain.lane_selection import FIRST_GUESS, choose
from rcmviz.kernels.chain.words import LOG_SCORE, LOG_Z, MEAN_LENGTH
from rcmviz.kernels.lanes import LANES, first, highest, larger, load, splat, store, total, where
from rcmviz.kernels.search_sorted import find

PAIR = 2 * LANES  # two vectors side by side
ROOT = np.uint32(1)  # the slot of the empty history


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def expand(emit, table, row, alpha, size, shift, mass):
    """``mass[k, y] = alpha[k] · table[row(k), y] · emit[y]``."""
    for y in range(0, emit.size, PAIR):
        left, right = load(emit, y), load(emit, y + LANES)
        for k in range(1, size):
            forward, at, to = splat(alpha[k]), np.int64(row[k]) + y, (k << shift) + y
            store(mass, to, forward * load(table, at) * left)
            store(mass, to + LANES, forward * load(table, at + LANES) * right)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def merge(parent, size, shift, kept, own, mass):
    """``own[k, y]``, the slot that (k, y) leads to; what is not kept joins its least ancestor. Returns the root's."""
    none, zero, rest = splat(np.int32(0)), splat(np.float32(0)), splat(np.float32(0))
    for y in range(0, 1 << shift, LANES):
        store(own, y, splat(np.int32(1)))
        for k in range(1, size):
            at, up = (k << shift) + y, (np.int64(parent[k]) << shift) + y
            slot = load(kept, at)
            store(own, at, where(slot < none, load(own, up), slot))
        store(mass, y, zero)
        for k in range(size - 1, 0, -1):
            at, up = (k << shift) + y, (np.int64(parent[k]) << shift) + y
            passed = where(load(kept, at) < none, load(mass, at), zero)
            store(mass, up, load(mass, up) + passed)
        rest = rest + load(mass, y)
    return total(rest)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def take_root(there, row, shift):
    """The root of a column: the empty history, whose row is ``row``."""
    _, parent, rows, length, code, _, _, _ = there
    parent[ROOT], rows[ROOT], length[ROOT], code[ROOT] = 0, row << shift, 0, 0


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def take(here, there, i, count, slot, shift, merging, address, lanes):
    """The next column's contexts from ``slot`` on: the candidates that are kept, ``count`` of them."""
    powers, base = address
    _, mass, kept, own, _, _, _, _ = lanes
    chosen, parent, row, length, code, alpha = there[0], there[1], there[2], there[3], there[4], there[5]
    before, lengths, codes = here[1], here[3], here[4]
    order = powers.size - 1
    labels, states, offset = np.uint32(powers[1]), np.uint32(powers[order]), base[min(i + 1, order)]
    bits, last = np.uint32(shift), np.uint32((1 << shift) - 1)
    for j in range(count):
        place = np.uint32(chosen[j])
        k, y, new = np.uint32(place >> bits), np.uint32(place & last), np.uint32(slot + j)
        alpha[new] = mass[place]
        if merging:
            kept[place] = -1
            parent[new] = own[np.uint32((before[k] << bits) | y)]
        else:
            parent[new] = 0
        remembered = lengths[k]
        full = remembered >= order
        known = np.uint32(order if full else remembered + np.float32(1))
        number = np.uint32(np.uint32(codes[k] * labels) + y) % (states if full else np.uint32(0xFFFFFFFF))
        length[new] = remembered + np.float32(1)
        code[new] = number
        row[new] = (np.uint32(offset[known]) + number) << bits


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def rescale(alpha, length, size):
    """Divide by the sum; returns it and the mean length."""
    store(alpha, size, splat(np.float32(0)))
    whole, lengths = splat(np.float32(0)), splat(np.float32(0))
    for k in range(0, size, LANES):
        some = load(alpha, k)
        whole = whole + some
        lengths = lengths + some * load(length, k)
    mass = total(whole)
    inverse = np.float32(1) / mass if mass > 0 else np.float32(0)
    for k in range(0, size, LANES):
        store(alpha, k, load(alpha, k) * splat(inverse))
    return np.float64(mass), np.float64(total(lengths) * inverse)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def begin_lanes(address, shift, space):
    """The first column: the empty history alone."""
    _, columns, size = space
    size[0] = 2
    take_root(column(columns, 0), address[1][0, 0], shift)
    columns[5][0, ROOT] = 1


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def next_column(i, budget, merging, table, shift, address, space, guess):
    """Contexts of column i + 1 and their forward masses; returns what these summed to, mean length, and a new guess."""
    lanes, columns, size = space
    emit, mass, kept, own, _, values, places, _ = lanes
    chosen, parent, row, length, _, alpha, _, _ = columns
    base, slot = address[1], 2 if merging else 1
    expand(emit[i], table, row[i], alpha[i], size[i], shift, mass)
    bits, end = mass.view(np.int32), size[i] << shift
    found, guess = choose(bits, 1 << shift, end, budget, guess, values, places, chosen[i + 1])
    if merging:
        for j in range(found):
            kept[np.uint32(chosen[i + 1, j])] = slot + j
        alpha[i + 1, ROOT] = merge(parent[i], size[i], shift, kept, own, mass)
        take_root(column(columns, i + 1), base[min(i + 1, base.shape[0] - 1), 0], shift)
    take(column(columns, i), column(columns, i + 1), i, found, slot, shift, merging, address, lanes)
    size[i + 1] = slot + found
    whole, mean = rescale(alpha[i + 1], length[i + 1], size[i + 1])
    return whole, mean, guess


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def last_mass(last, table, shift, space):
    """What the arcs of the last column sum to."""
    lanes, columns, size = space
    emit, mass = lanes[0], lanes[1]
    expand(emit[last], table, columns[2][last], columns[5][last], size[last], shift, mass)
    whole = splat(np.float32(0))
    for at in range(1 << shift, size[last] << shift, LANES):
        whole = whole + load(mass, at)
    return np.float64(total(whole))


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def forward_lanes(positions, budget, merging, table, shift, address, space):
    """Contexts and forward masses of all positions; returns log Z up to the emissions' scale and the mean length."""
    scale, product, lengths, guess = 0.0, 1.0, 0.0, FIRST_GUESS
    begin_lanes(address, shift, space)
    for i in range(positions - 1):
        whole, mean, guess = next_column(i, budget, merging, table, shift, address, space, guess)
        lengths += mean
        product *= whole
        if not 1e-200 < product < 1e200:
            scale += np.log(product)
            product = 1.0
    product *= last_mass(positions - 1, table, shift, space)
    return scale + np.log(product), lengths / max(positions - 1, 1)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def column(columns, i):
    """What is known of the contexts of one position."""
    chosen, parent, row, length, code, alpha, beta, choice = columns
    return chosen[i], parent[i], row[i], length[i], code[i], alpha[i], beta[i], choice[i]


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def send(message, chosen, count, slot, following):
    """The messages of what was kept to their places; −1 instead of a message where nothing follows."""
    for j in range(count):
        message[np.uint32(chosen[j])] = following[slot + j]


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def take_back(message, chosen, count):
    """No messages there."""
    for j in range(count):
        message[np.uint32(chosen[j])] = -1


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def inherit(message, ahead, at, up):
    """What lies ahead of sixteen candidates: their own messages or those of the same labels of the parent."""
    own = load(message, at)
    found = where(own < splat(np.float32(0)), load(ahead, up), own)
    store(ahead, at, found)
    return found


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def arcs_of(k, y, left, right, table, there, shift, message, ahead):
    """The arcs of context k with the labels ``y … y + 31``, emissions ``left`` and ``right``, times what lies ahead."""
    parent, row = there[1], there[2]
    to, at, up = (k << shift) + y, np.int64(row[k]) + y, (np.int64(parent[k]) << shift) + y
    arcs = load(table, at) * left * inherit(message, ahead, to, up)
    return arcs, load(table, at + LANES) * right * inherit(message, ahead, to + LANES, up + LANES)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def sum_arcs(emit, table, there, size, shift, message, ahead, rest, posterior):
    """Backward messages, not scaled, and label posteriors, neither, of one position in one sweep of its arcs."""
    alpha, beta = there[5], there[6]
    for k in range(0, size + 1, LANES):
        store(beta, k, splat(np.float32(0)))
    for y in range(0, emit.size, PAIR):
        left, right = load(emit, y), load(emit, y + LANES)
        shares, others = splat(np.float32(0)), splat(np.float32(0))
        store(ahead, y, splat(rest))
        store(ahead, y + LANES, splat(rest))
        for k in range(1, size):
            arcs, more = arcs_of(k, y, left, right, table, there, shift, message, ahead)
            shares, others = shares + splat(alpha[k]) * arcs, others + splat(alpha[k]) * more
            beta[k] += total(arcs + more)
        store(posterior, y, shares)
        store(posterior, y + LANES, others)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def best_arcs(emit, table, there, size, shift, message, ahead, rest):
    """The best arc of each context of one position, ties to the lower label, and its value."""
    best, choice = there[6], there[7]
    for k in range(0, size + 1, LANES):
        store(best, k, splat(np.float32(0)))
    for y in range(0, emit.size, PAIR):
        left, right = load(emit, y), load(emit, y + LANES)
        store(ahead, y, splat(rest))
        store(ahead, y + LANES, splat(rest))
        for k in range(1, size):
            arcs, more = arcs_of(k, y, left, right, table, there, shift, message, ahead)
            value = highest(larger(arcs, more))
            if y == 0 or value > best[k]:
                winner = first(arcs == splat(value))
                choice[k] = y + (winner if winner < LANES else LANES + first(more == splat(value)))
                best[k] = value


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def divide_by_highest(beta, size):
    """Scale to a maximum of one; returns what the maximum was."""
    top = splat(np.float32(0))
    for k in range(0, size, LANES):
        top = larger(top, load(beta, k))
    top = highest(top)
    inverse = splat(np.float32(1) / top if top > 0 else np.float32(0))
    for k in range(0, size, LANES):
        store(beta, k, load(beta, k) * inverse)
    return np.float64(top)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def posterior_lanes(positions, merging, table, shift, space, posterior):
    """Label posteriors ``P(y_i = v)`` (T, Y) of one word."""
    lanes, columns, size = space
    emit, ahead, _, _, message, _, _, shares = lanes
    chosen, beta = columns[0], columns[6]
    slot, count, rest = 2 if merging else 1, 0, np.float32(1)
    for i in range(positions - 1, -1, -1):
        send(message, chosen[i + 1], count, slot, beta[i + 1])
        sum_arcs(emit[i], table, column(columns, i), size[i], shift, message, ahead, rest, shares)
        take_back(message, chosen[i + 1], count)
        divide_by_highest(beta[i], size[i])
        count, rest = size[i] - slot, beta[i, ROOT] if merging else np.float32(0)
        whole = splat(np.float32(0))
        for y in range(0, shares.size, LANES):
            whole = whole + load(shares, y)
        mass = total(whole)
        inverse = np.float32(1) / mass if mass > 0 else np.float32(0)
        for y in range(posterior.shape[1]):
            posterior[i, y] = shares[y] * inverse


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def viterbi_lanes(positions, merging, table, shift, space, labels):
    """The best labels into ``labels``; returns their log score up to the emissions' scale."""
    lanes, columns, size = space
    emit, ahead, _, _, message, _, _, _ = lanes
    chosen, parent, best, choice = columns[0], columns[1], columns[6], columns[7]
    slot, count, rest = 2 if merging else 1, 0, np.float32(1)
    scale, product = 0.0, 1.0
    for i in range(positions - 1, -1, -1):
        send(message, chosen[i + 1], count, slot, best[i + 1])
        best_arcs(emit[i], table, column(columns, i), size[i], shift, message, ahead, rest)
        take_back(message, chosen[i + 1], count)
        product *= divide_by_highest(best[i], size[i])
        count, rest = size[i] - slot, best[i, ROOT] if merging else np.float32(0)
        if not 1e-200 < product < 1e200:
            scale += np.log(product)
            product = 1.0
    k = np.int64(ROOT)
    for i in range(positions):
        labels[i] = choice[i, k]
        if i < positions - 1:
            k = follow(chosen[i + 1], size[i + 1] - slot, parent[i], k, labels[i], slot, shift)
            if k == 0:
                k = np.int64(ROOT) if merging else 0
    return scale + np.log(product)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, inline="always")
def follow(chosen, count, parent, k, y, slot, shift):
    """The slot that (k, y) leads to, 0 where no ancestor's extension was kept."""
    while k > 0:
        place = find(chosen, 0, count, (k << shift) + y)
        if place >= 0:
            return slot + place
        k = np.int64(parent[k])
    return 0


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def infer_lanes(thread, threads, emit, offset, work, table, address, outputs, space):
    """Every ``threads``-th word from ``thread`` on; ``work = (budget, merging, shift)``, else as ``words.infer_words``.

    ``table`` is flat, its rows padded with zeros to 2^shift lanes; ``address = (powers, base)``.
    """
    budget, merging, shift = work
    labels, scores, posterior = outputs
    padded = space[0][0]
    for w in range(thread, offset.size - 1, threads):
        begin, end = offset[w], offset[w + 1]
        for i in range(end - begin):
            for y in range(emit.shape[1]):
                padded[i, y] = emit[begin + i, y]
        scores[w, LOG_Z], mean = forward_lanes(end - begin, budget, merging, table, shift, address, space)
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean
        if labels.shape[0] > 0:
            scores[w, LOG_SCORE] = viterbi_lanes(end - begin, merging, table, shift, space, labels[begin:end])
        if posterior.shape[0] > 0:
            posterior_lanes(end - begin, merging, table, shift, space, posterior[begin:end])
