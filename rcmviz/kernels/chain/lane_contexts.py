"""Contexts on vectors of sixteen lanes, one position at a time: what ``contexts.py`` does, for plain RCMS and beam.

``contexts.py`` is the definition and does everything; here are linear masses in single precision, one pass, and
contexts that are whole histories. A context has a *slot* in its column, from 1 on; slot 0 is the parent of what has
none. A row of 2^shift lanes belongs to each slot, so candidate (k, y) has place ``k << shift | y``, and what is done to
all candidates is done to whole vectors, one context after the other:

- ``kept`` is −1 where a candidate is not kept, else its slot in the next column; ``message`` is −1 there, else the
  message of that slot. Only as many places are written and set back as are kept.
- The slot that (k, y) leads to, and the message of that slot, are copied from parents to children (row 0 has those of
  what nothing else is an ancestor of), the slot to those that have children; masses of what is not kept are added from
  children to parents, at last to row 0.
- Rows of 128 lanes and more, of which few places are kept, are worked off one after the other, and where a candidate
  leads is looked up in its ancestors for those that are kept.

``space = (lanes, columns, size (T+1,))`` is the workspace of a thread:
``lanes = (emit (T, row), mass, kept, own, message, values, places (all a row per slot), posterior (row,))`` and
``columns = (chosen, parent, row, length, code, alpha, beta, choice)``, each (T+1, slots). ``address = (powers, base,
rows)``: ``rows`` says which row of the table has each address, none where it is dense. Indices are unsigned, as Numba
looks for negative ones otherwise, and no kernel allocates, so that none counts references (a tenth of the time). All
arrays begin with a line of the cache: with AVX-512 a vector is one.
"""

import numpy as np

from rcmviz.kernels.chain.lane_selection import choose
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, as_floats, as_ints, fetch, hits, larger, load, splat, store, total, where
from rcmviz.kernels.search_sorted import find

PAIR = 2 * LANES  # two vectors side by side
WIDE = 7  # from 2^WIDE lanes on a row is worked off before the next; below, 32 labels of all rows before others
ROOT = np.uint32(1)  # the slot of the empty history
LEAST_MASS = np.float32(1e-30)  # of a position; what underflows is below 1e-38, so it is negligible next to this
LEAST_FAR_MASS = np.float32(1e-12)  # where emissions underflowed, too: their mass is lost at every position
LEAST_NORMAL = np.float32(1.2e-38)  # smaller numbers lose digits


@part(error_model="numpy", _nrt=False)
def expand(emit, table, row, alpha, size, shift, mass):
    """``mass[k, y] = alpha[k] · table[row(k), y] · emit[y]``."""
    if shift >= WIDE:
        for k in range(1, size):
            forward, at, to = splat(alpha[k]), np.int64(row[k]), k << shift
            for y in range(0, emit.size, LANES):
                store(mass, to + y, forward * load(table, at + y) * load(emit, y))
        return
    for y in range(0, emit.size, PAIR):
        left, right = load(emit, y), load(emit, y + LANES)
        for k in range(1, size):
            forward, at, to = splat(alpha[k]), np.int64(row[k]) + y, (k << shift) + y
            store(mass, to, forward * load(table, at) * left)
            store(mass, to + LANES, forward * load(table, at + LANES) * right)


@part(error_model="numpy", _nrt=False)
def ancestors(parent, size, is_one, slots):
    """The slots that have children, ascending, into ``slots``; returns how many. ``is_one`` is room."""
    for k in range(0, size, LANES):
        store(is_one, k, splat(np.int32(0)))
    for k in range(1, size):
        is_one[parent[k]] = 1
    count = np.uint32(0)
    for k in range(1, size):
        slots[count] = k
        count = np.uint32(count + np.uint32(is_one[np.uint32(k)]))
    return np.int64(count)


@part(error_model="numpy", _nrt=False)
def lead(parent, slots, count, shift, kept, own):
    """``own[k, y]``, the slot that (k, y) leads to, for the slots that have children: nobody asks for others."""
    none, root = splat(np.int32(0)), splat(np.int32(ROOT))
    for y in range(0, 1 << shift, PAIR):
        z = y + LANES
        store(own, y, root)
        store(own, z, root)
        for j in range(count):
            k = np.int64(slots[j])
            at, up = k << shift, np.int64(parent[np.uint64(k)]) << shift
            slot, other = load(kept, at + y), load(kept, at + z)
            store(own, at + y, where(slot < none, load(own, up + y), slot))
            store(own, at + z, where(other < none, load(own, up + z), other))


@part(error_model="numpy", _nrt=False)
def merge(parent, size, shift, kept, mass):
    """What is not kept joins its least ancestor. Returns what joins the root."""
    none, zero, rest = splat(np.int32(0)), splat(np.float32(0)), splat(np.float32(0))
    if shift >= WIDE:
        return merge_wide(parent, size, shift, kept, mass)
    for y in range(0, 1 << shift, PAIR):
        z = y + LANES
        store(mass, y, zero)
        store(mass, z, zero)
        for k in range(size - 1, 0, -1):
            at, up = k << shift, np.int64(parent[k]) << shift
            passed = where(load(kept, at + y) < none, load(mass, at + y), zero)
            other = where(load(kept, at + z) < none, load(mass, at + z), zero)
            store(mass, up + y, load(mass, up + y) + passed)
            store(mass, up + z, load(mass, up + z) + other)
        rest = rest + load(mass, y) + load(mass, z)
    return total(rest)


@part(error_model="numpy", _nrt=False)
def merge_wide(parent, size, shift, kept, mass):
    """`merge` where rows are wide."""
    none, zero, rest = splat(np.int32(0)), splat(np.float32(0)), splat(np.float32(0))
    for y in range(0, 1 << shift, LANES):
        store(mass, y, zero)
    for k in range(size - 1, 0, -1):
        at, up = k << shift, np.int64(parent[k]) << shift
        for y in range(0, 1 << shift, LANES):
            passed = where(load(kept, at + y) < none, load(mass, at + y), zero)
            store(mass, up + y, load(mass, up + y) + passed)
    for y in range(0, 1 << shift, LANES):
        rest = rest + load(mass, y)
    return total(rest)


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_root(there, row, shift):
    """The root of a column: the empty history, whose row is ``row``."""
    _, parent, rows, length, code, _, _, _ = there
    parent[ROOT], rows[ROOT], length[ROOT], code[ROOT] = 0, row << shift, 0, 0


@kernel(error_model="numpy", _nrt=False, inline="always")
def row_at(state, rows):
    """The row of the table that scores a window state: its own where the table is dense."""
    return np.uint32(rows[state]) if rows.size > 0 else np.uint32(state)


@part(error_model="numpy", _nrt=False)
def remember(here, size, i, address, stem, start):
    """What a context of column i leaves to the one that follows it by label y: this has the number ``stem + y`` of all
    of its length, and the first of these the address ``start``.

    Numbers are below 2^23, so single precision divides them: of such a float the last bits are the number, and what
    is added to 1.5 · 2^23 is rounded. No product has more than 32 bits.
    """
    lengths, codes = here[3], here[4]
    powers, base, _ = address
    order = powers.size - 1
    states, labels, none = np.int32(powers[order - 1]), splat(np.int32(powers[1])), splat(np.int32(0))
    inverse, offset = splat(np.float32(1) / np.float32(states)), base[min(i + 1, order)]
    exact, rounding = splat(np.float32(8388608)), splat(np.float32(12582912))
    for k in range(0, size, LANES):
        code = load(codes, k)
        share = (as_floats(code + as_ints(exact)) - exact) * inverse + rounding
        rest = code - (as_ints(share) - as_ints(rounding)) * splat(states)
        rest = where(rest < none, rest + splat(states), rest)
        store(stem, k, rest * labels)
        first, length = splat(np.int32(offset[order])), load(lengths, k)
        for known in range(order - 1, 0, -1):
            first = where(length < splat(np.float32(known)), splat(np.int32(offset[known])), first)
        store(start, k, first)


@part(error_model="numpy", _nrt=False)
def number(here, there, count, slot, shift, table, rows, stem, start):
    """What the next column's contexts remember, from ``slot`` on, and their rows, which are asked for meanwhile."""
    chosen, row, length, code = there[0], there[2], there[3], there[4]
    lengths = here[3]
    bits, last = np.uint32(shift), np.uint32((1 << shift) - 1)
    for j in range(count):
        place = np.uint32(chosen[j])
        k, new = np.uint32(place >> bits), np.uint32(slot + j)
        state = np.uint32(stem[k]) + np.uint32(place & last)
        length[new] = lengths[k] + np.float32(1)
        code[new] = state
        at = np.uint32(row_at(np.uint32(np.uint32(start[k]) + state), rows) << bits)
        row[new] = at
        fetch(table, np.int64(at))
        fetch(table, np.int64(at) + LANES)


@part(error_model="numpy", _nrt=False)
def take(before, there, count, slot, shift, lanes):
    """Masses and least ancestors of the next column's contexts, the candidates that are kept, ``count`` of them."""
    mass, own = lanes[1], lanes[3]
    chosen, parent, alpha = there[0], there[1], there[5]
    bits, last = np.uint32(shift), np.uint32((1 << shift) - 1)
    if shift >= WIDE:
        return take_wide(before, there, count, slot, shift, lanes)
    for j in range(count):
        place, new = np.uint32(chosen[j]), np.uint32(slot + j)
        alpha[new] = mass[place]
        up = np.uint32(before[np.uint32(place >> bits)])
        parent[new] = own[np.uint32(np.uint32(up << bits) | np.uint32(place & last))]


@part(error_model="numpy", _nrt=False)
def take_wide(before, there, count, slot, shift, lanes):
    """`take` where rows are wide: few places are asked for, and what `lead` would know is found by going up."""
    mass, kept = lanes[1], lanes[2]
    chosen, parent, alpha = there[0], there[1], there[5]
    bits, last = np.uint32(shift), np.uint32((1 << shift) - 1)
    for j in range(count):
        place, new = np.uint32(chosen[j]), np.uint32(slot + j)
        alpha[new] = mass[place]
        y, up = np.uint32(place & last), np.uint32(before[np.uint32(place >> bits)])
        while up > 0 and kept[np.uint32(np.uint32(up << bits) | y)] < 0:
            up = np.uint32(before[up])
        parent[new] = kept[np.uint32(np.uint32(up << bits) | y)] if up > 0 else ROOT


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_alone(there, count, slot, mass):
    """Masses of the next column's contexts in a beam, where nothing has an ancestor."""
    chosen, parent, alpha = there[0], there[1], there[5]
    for j in range(count):
        new = np.uint32(slot + j)
        alpha[new], parent[new] = mass[np.uint32(chosen[j])], 0


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
def column(columns, i):
    """What is known of the contexts of one position."""
    chosen, parent, row, length, code, alpha, beta, choice = columns
    return chosen[i], parent[i], row[i], length[i], code[i], alpha[i], beta[i], choice[i]


@kernel(error_model="numpy", _nrt=False, inline="always")
def begin_lanes(address, shift, space):
    """The first column: the empty history alone."""
    _, columns, size = space
    size[0] = 2
    take_root(column(columns, 0), row_at(np.uint32(address[1][0, 0]), address[2]), shift)
    columns[5][0, ROOT] = 1


@part(error_model="numpy", _nrt=False)
def next_column(i, ranked, budget, merging, table, shift, address, space, guess):
    """Contexts of column i + 1 and their forward masses; returns what these summed to, mean length, and a new guess.

    Column i is expanded. Of ``ranked``, a row per slot, those masses or others, the largest are kept; rows of ``table``
    score them.
    """
    lanes, columns, size = space
    _, mass, kept, own, _, values, places, _ = lanes
    chosen, parent, _, length, _, alpha, _, _ = columns
    base, slot = address[1], 2 if merging else 1
    bits, end = ranked.view(np.int32), size[i] << shift
    found, guess = choose(bits, 1 << shift, end, budget, guess, values, places, chosen[i + 1])
    there = column(columns, i + 1)
    remember(column(columns, i), size[i], i, address, values, places)
    number(column(columns, i), there, found, slot, shift, table, address[2], values, places)
    if merging:
        for j in range(found):
            kept[np.uint32(chosen[i + 1, j])] = slot + j
        if shift < WIDE:
            lead(parent[i], places, ancestors(parent[i], size[i], values, places), shift, kept, own)
        alpha[i + 1, ROOT] = merge(parent[i], size[i], shift, kept, mass)
        state = np.uint32(base[min(i + 1, base.shape[0] - 1), 0])
        take_root(there, row_at(state, address[2]), shift)
        take(parent[i], there, found, slot, shift, lanes)
        for j in range(found):
            kept[np.uint32(chosen[i + 1, j])] = -1
    else:
        take_alone(there, found, slot, mass)
    size[i + 1] = slot + found
    whole, mean = rescale(alpha[i + 1], length[i + 1], size[i + 1])
    return whole, mean, guess


@kernel(error_model="numpy", _nrt=False)
def possible_candidates(emit, table, row, alpha, size, with_root, floor):
    """The number of candidates of a column whose score is not zero; a root without mass counts if ``with_root``.

    Emissions below ``floor`` count as this, so with a positive one none is impossible.
    """
    none, lowest, count = splat(np.float32(0)), splat(floor), 0
    for k in range(1, size):
        if alpha[k] > 0 or with_root:
            for y in range(0, emit.size, LANES):
                count += hits(load(table, np.int64(row[k]) + y) * larger(load(emit, y), lowest) > none)
    return count


@part(error_model="numpy", _nrt=False)
def is_selection_certain(emit, table, row, alpha, size, following, found, budget, merging, whole, is_complete, floor):
    """Whether double precision selects the same contexts: no kept mass is denormal, and none underflowed to zero.

    ``found`` contexts with masses ``following``, divided by their sum ``whole``, were selected from the column ``row,
    alpha, size``. ``is_complete``: all candidates of all earlier columns were kept, so a root without mass is empty.
    ``floor`` is positive if emissions may have underflowed.
    """
    slot, least = 2 if merging else 1, LEAST_NORMAL / min(np.float32(whole), np.float32(1))
    expected = found + (1 if merging and following[ROOT] > least else 0)
    heavy = 0
    for k in range(0, slot + found, LANES):
        heavy += hits(load(following, k) > splat(least))
    if heavy < expected:
        return False
    return found == budget or found == possible_candidates(emit, table, row, alpha, size, not is_complete, floor)


@kernel(error_model="numpy", _nrt=False, inline="always")
def last_mass(last, table, shift, space):
    """What the arcs of the last column sum to."""
    lanes, columns, size = space
    emit, mass = lanes[0], lanes[1]
    expand(emit[last], table, columns[2][last], columns[5][last], size[last], shift, mass)
    whole = splat(np.float32(0))
    for at in range(1 << shift, size[last] << shift, LANES):
        whole = whole + load(mass, at)
    return np.float64(total(whole))


@kernel(error_model="numpy", _nrt=False, inline="always")
def send(message, chosen, count, slot, following):
    """The messages of what was kept to their places; −1 instead of a message where nothing follows."""
    for j in range(count):
        message[np.uint32(chosen[j])] = following[slot + j]


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_back(message, chosen, count):
    """No messages there."""
    for j in range(count):
        message[np.uint32(chosen[j])] = -1


@kernel(error_model="numpy", _nrt=False, inline="always")
def inherit(message, ahead, at, up):
    """What lies ahead of sixteen candidates: their own messages or those of the same labels of the parent."""
    own = load(message, at)
    found = where(own < splat(np.float32(0)), load(ahead, up), own)
    store(ahead, at, found)
    return found


@kernel(error_model="numpy", _nrt=False, inline="always")
def arcs_of(emit, table, at, message, ahead, to, up):
    """Sixteen arcs, those of ``table`` from ``at`` on, times what lies ahead of them."""
    return load(table, at) * emit * inherit(message, ahead, to, up)


@kernel(error_model="numpy", _nrt=False, inline="always")
def follow(chosen, count, parent, k, y, slot, shift):
    """The slot that (k, y) leads to, 0 where no ancestor's extension was kept."""
    while k > 0:
        place = find(chosen, 0, count, (k << shift) + y)
        if place >= 0:
            return slot + place
        k = np.int64(parent[k])
    return 0
