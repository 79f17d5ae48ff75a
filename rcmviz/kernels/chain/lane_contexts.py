"""Contexts on vectors of sixteen lanes, position by position: ``contexts.py`` for plain RCMS and beam.

``contexts.py`` is the definition and does everything; here are linear masses in single precision, one pass, and
contexts that are whole histories. A context has a *slot* in its column, from 1 on; slot 0 is the parent of what has
none. A row of 2^shift lanes belongs to each slot, so candidate (k, y) has place ``k << shift | y``, and what is done to
all candidates is done to whole vectors, one context after the other:

- ``kept`` is −1 where a candidate is not kept, else its slot in the next column; ``message`` is −1 there, else the
  message of that slot. Only as many places are written and set back as are kept.
- The slot that (k, y) leads to, and the message of that slot, are copied from parents to children (row 0 has those of
  what nothing else is an ancestor of), the slot to those that have children; masses of what is not kept are added from
  children to parents, at last to row 0.

``lane_state.py`` names the arrays. Indices are unsigned, as Numba looks for negative ones otherwise, and no kernel
allocates, so that none counts references.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bits_of, rows_at
from rcmviz.kernels.chain.lane_merging import (
    PAIR,
    ROOT,
    ancestors,
    lead,
    merge,
    take,
    take_alone,
)
from rcmviz.kernels.chain.lane_selection import choose
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, as_floats, as_ints, fetch, hits, larger, load, splat, store, total, where
from rcmviz.kernels.search_sorted import find

LEAST_MASS = np.float32(1e-30)  # of a position; what underflows is below 1e-38, so it is negligible next to this
LEAST_FAR_MASS = np.float32(1e-12)  # where emissions underflowed, too: their mass is lost at every position
ONE = np.float32(1)
LEAST_NORMAL = np.float32(1.2e-38)  # smaller numbers lose digits


@part(error_model="numpy", _nrt=False)
def expand(emit, table, here, size, shift, mass):
    """``mass[k, y] = alpha[k] · table[row(k), y] · emit[y]``."""
    if emit.size == PAIR:  # the emissions of a narrow row stay in registers
        left, right = load(emit, 0), load(emit, LANES)
        for k in range(1, size):
            forward, at, to = splat(here.alpha[k]), here.row[k], k << shift
            store(mass, to, forward * load(table, at) * left)
            store(mass, to + LANES, forward * load(table, at + LANES) * right)
        return
    for k in range(1, size):  # a wide one is read from one end to the other
        forward, at, to = splat(here.alpha[k]), here.row[k], k << shift
        for y in range(0, emit.size, LANES):
            store(mass, to + y, forward * load(table, at + y) * load(emit, y))


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_root(there, row, shift):
    """The root of a column: the empty history, whose row is ``row``."""
    there.parent[ROOT], there.row[ROOT], there.length[ROOT], there.code[ROOT] = 0, row << shift, 0, 0


@kernel(error_model="numpy", _nrt=False, inline="always")
def row_at(state, rows):
    """The row of the table that scores a window state: its own where the table is dense."""
    return rows[state] if rows.size > 0 else state


@part(error_model="numpy", _nrt=False)
def remember(here, size, i, address, stem, start):
    """What a context of column i leaves to the one that follows it by label y: this has the number ``stem + y`` of all
    of its length, and the first of these the address ``start``.

    Numbers are below 2^23, so single precision divides them: of such a float the last bits are the number, and what
    is added to 1.5 · 2^23 is rounded. No product has more than 32 bits.
    """
    order = address.powers.size - 1
    states, labels = np.int32(address.powers[order - 1]), splat(np.int32(address.powers[1]))
    none, inverse = splat(np.int32(0)), splat(np.float32(1) / np.float32(states))
    offset = address.base[i + 1 if i < order else order]
    exact, rounding = splat(np.float32(8388608)), splat(np.float32(12582912))
    for k in range(0, size, LANES):
        code = load(here.code, k)
        share = (as_floats(code + as_ints(exact)) - exact) * inverse + rounding
        rest = code - (as_ints(share) - as_ints(rounding)) * splat(states)
        rest = where(rest < none, rest + splat(states), rest)
        store(stem, k, rest * labels)
        first, length = splat(np.int32(offset[order])), load(here.length, k)
        for known in range(order - 1, 0, -1):
            first = where(length < splat(np.float32(known)), splat(np.int32(offset[known])), first)
        store(start, k, first)


@part(error_model="numpy", _nrt=False)
def number(here, there, count, selection, table, rows, stem, start):
    """What the next column's contexts remember, and their rows, which are prefetched."""
    bits, last = selection.shift, (1 << selection.shift) - 1
    for j in range(count):
        place = there.chosen[j]
        k, new = place >> bits, selection.first + j
        state = stem[k] + (place & last)
        there.length[new] = here.length[k] + np.float32(1)
        there.code[new] = state
        at = row_at(start[k] + state, rows) << bits
        there.row[new] = at
        fetch(table, at)
        fetch(table, at + LANES)


@part(error_model="numpy", _nrt=False)
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


@kernel(error_model="numpy", _nrt=False, inline="always")
def begin_lanes(address, shift, space):
    """The first column: the empty history alone."""
    space.size[0] = 2
    take_root(rows_at(space.columns, 0), row_at(address.base[0, 0], address.rows), shift)
    space.columns.alpha[0, ROOT] = 1


@part(error_model="numpy", _nrt=False)
def next_column(i, ranked, selection, table, address, space, guess):
    """Contexts of column i + 1 and their forward masses; returns what these summed to, mean length, and a new guess.

    Column i is expanded. Of ``ranked``, a row per slot, those masses or others, the largest are kept; rows of ``table``
    score them.
    """
    rows, size, shift = space.rows, space.size, selection.shift
    here, there = rows_at(space.columns, i), rows_at(space.columns, i + 1)
    bits, end = bits_of(ranked), size[i] << shift
    found, guess = choose(bits, 1 << shift, end, selection.budget, guess, rows.values, rows.places, there.chosen)
    remember(here, size[i], i, address, rows.values, rows.places)
    number(here, there, found, selection, table, address.rows, rows.values, rows.places)
    if selection.merging:
        for j in range(found):
            rows.kept[there.chosen[j]] = selection.first + j
        count = ancestors(here.parent, size[i], rows.values, rows.places)
        lead(here.parent, rows.places, count, shift, rows.kept, rows.own)
        there.alpha[ROOT] = merge(here.parent, size[i], shift, rows.kept, rows.mass)
        state = address.base[i + 1 if i + 2 < address.powers.size else address.powers.size - 1, 0]
        take_root(there, row_at(state, address.rows), shift)
        take(here.parent, there, found, selection, rows)
        for j in range(found):
            rows.kept[there.chosen[j]] = -1
    else:
        take_alone(there, found, selection, rows.mass)
    size[i + 1] = selection.first + found
    whole, mean = rescale(there.alpha, there.length, size[i + 1])
    return whole, mean, guess


@helper(error_model="numpy", _nrt=False)
def possible_candidates(emit, table, here, size, with_root, floor):
    """The number of candidates of a column whose score is not zero; a root without mass counts if ``with_root``.

    Emissions below ``floor`` count as this, so with a positive one none is impossible.
    """
    none, lowest, count = splat(np.float32(0)), splat(floor), 0
    for k in range(1, size):
        if here.alpha[k] > 0 or with_root:
            for y in range(0, emit.size, LANES):
                count += hits(load(table, here.row[k] + y) * larger(load(emit, y), lowest) > none)
    return count


@part(error_model="numpy", _nrt=False)
def is_selection_certain(i, selection, table, space, whole, is_complete, floor):
    """Whether double precision selects the same contexts: no kept mass is denormal, and none underflowed to zero.

    Column i + 1, whose masses are divided by their sum ``whole``, was selected from column i. ``is_complete``: all
    candidates of all earlier columns were kept, so a root without mass is empty. ``floor`` is positive if emissions may
    have underflowed.
    """
    least, found = LEAST_NORMAL / (np.float32(whole) if whole < 1 else ONE), space.size[i + 1] - selection.first
    following = space.columns.alpha[i + 1]
    expected, heavy = found + (1 if selection.merging and following[ROOT] > least else 0), 0
    for k in range(0, selection.first + found, LANES):
        heavy += hits(load(following, k) > splat(least))
    if heavy < expected:
        return False
    here = rows_at(space.columns, i)
    return found == selection.budget or found == possible_candidates(
        space.rows.emit[i], table, here, space.size[i], not is_complete, floor
    )


@kernel(error_model="numpy", _nrt=False, inline="always")
def last_mass(last, table, shift, space):
    """What the arcs of the last column sum to."""
    mass, size = space.rows.mass, space.size[last]
    expand(space.rows.emit[last], table, rows_at(space.columns, last), size, shift, mass)
    whole = splat(np.float32(0))
    for at in range(1 << shift, size << shift, LANES):
        whole = whole + load(mass, at)
    return np.float64(total(whole))


@part(error_model="numpy", _nrt=False)
def send(message, chosen, count, slot, following):
    """The messages of what was kept to their places; −1 instead of a message where nothing follows."""
    for j in range(count):
        message[chosen[j]] = following[slot + j]


@part(error_model="numpy", _nrt=False)
def take_back(message, chosen, count):
    """No messages there."""
    for j in range(count):
        message[chosen[j]] = -1


@kernel(error_model="numpy", _nrt=False, inline="always")
def inherit(message, ahead, at, up):
    """What lies ahead of sixteen candidates: their own messages or those of the same labels of the parent."""
    own = load(message, at)
    found = where(own < splat(np.float32(0)), load(ahead, up), own)
    store(ahead, at, found)
    return found


@part(error_model="numpy", _nrt=False)
def arcs_of(emit, table, at, message, ahead, to, up):
    """Sixteen arcs, those of ``table`` from ``at`` on, times what lies ahead of them."""
    return load(table, at) * emit * inherit(message, ahead, to, up)


@part(error_model="numpy", _nrt=False)
def sum_arcs(emit, scale, table, there, size, shift, message, ahead, rest, shares, gradient):
    """Backward messages and label ``shares`` of one position in one sweep of its arcs, times ``scale``, not normalised.

    With a ``gradient``, a row for each row of the table, shares are negative, and join it by row.
    """
    none, beta = splat(np.float32(0)), there.beta
    for k in range(0, size + 1, LANES):
        store(beta, k, none)
    for y in range(0, emit.size, PAIR):
        z = y + LANES
        left, right = load(emit, y) * splat(scale), load(emit, z) * splat(scale)
        one = other = none
        store(ahead, y, splat(rest))
        store(ahead, z, splat(rest))
        for k in range(1, size):
            to, at, up = k << shift, there.row[k], there.parent[k] << shift
            arcs = arcs_of(left, table, at + y, message, ahead, to + y, up + y)
            more = arcs_of(right, table, at + z, message, ahead, to + z, up + z)
            beta[k] += total(arcs + more)
            forward = splat(there.alpha[k])
            arcs, more = forward * arcs, forward * more
            one, other = one + arcs, other + more
            if gradient is not None:
                store(gradient, at + y, load(gradient, at + y) - arcs)
                store(gradient, at + z, load(gradient, at + z) - more)
        if gradient is not None:
            one, other = none - one, none - other
        store(shares, y, one)
        store(shares, z, other)


@part(error_model="numpy", _nrt=False)
def follow(chosen, count, parent, k, y, slot, shift):
    """The slot that (k, y) leads to, 0 where no ancestor's extension was kept."""
    while k > 0:
        place = find(chosen, 0, count, (k << shift) + y)
        if place >= 0:
            return slot + place
        k = parent[k]
    return 0
