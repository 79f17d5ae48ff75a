"""Few contexts on vectors of sixteen lanes: what ``lane_contexts.py`` does, where a column is one vector.

With up to ``MOST`` contexts and rows of ``1 << ROW`` lanes, what is known of a column (lane k of a vector: the context
in slot k) stays in registers from one position to the next, and a candidate's place, ``k << ROW | y``, says by a
permutation what its context was. The result is that of ``lane_contexts.py``:

- Candidates are put on the short list as they are computed. The bound that they must exceed is guessed from what they
  are products of: it is about the same share of the sum of emissions in all columns.
- What exceeds the bound is kept, so nothing else says it. As a row is asked what is kept when others have joined it,
  they join a copy of it, ``1 << COPY`` places on. Where a tie drops candidates, all rows are copied first, and these
  are nothing in the row.
- The ancestors of a context are bits of a number. Of what is kept, (k, y) descends from each (k', y) where k' is an
  ancestor of k; the least ancestor is the highest bit, as slots are in the order of places.
- Nothing, slot 0, has length −1, and what it leads to by label 0, place 0, is the root.

Arrays are flat here, a column ``SLOTS`` places.
"""

import numpy as np

from rcmviz.kernels.chain.lane_contexts import LEAST_MASS, ROOT, inherit, is_selection_certain, row_at
from rcmviz.kernels.chain.lane_emissions import copy
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS, LEAST, choose_of
from rcmviz.kernels.chain.lane_viterbi import viterbi_word
from rcmviz.kernels.chain.words import LOG_SCORE, LOG_Z, MEAN_LENGTH
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lanes import (
    LANES,
    as_floats,
    as_ints,
    compress,
    counted,
    fetch,
    highest,
    hits,
    larger,
    list_larger,
    load,
    look_up,
    pick,
    splat,
    spread,
    store,
    sums_of_rows,
    total,
    where,
)

ROW, WIDTH = 5, 32  # the logarithm of a row's lanes, and their number
SLOTS = 32  # places of a column in the workspace
EACH = 8  # numbers of the short list at a time, so that it ends in few different ways: zeros follow them
COPY = 9  # the logarithm of the places from a row to its copy
LISTED = 28  # candidates that are meant to be on the short list, which has room for 32
ONE = np.int64(0x3F800000)  # as bits: 1
MOST = 14  # contexts: slot 0 and the root's are beside them


@kernel(error_model="numpy", _nrt=False, inline="always")
def logarithm(number):
    """The bits of a positive float: its logarithm up to ``ONE``, straight between powers of two."""
    return np.int64(np.float32(number).view(np.int32))


@kernel(error_model="numpy", _nrt=False, inline="always")
def list_candidates(left, right, table, row, alpha, here, size, bound, lanes):
    """`expand` and `shorten` in one; returns how many exceed the bound."""
    _, mass, _, _, _, values, places, _ = lanes
    least, found = splat(np.int32(bound)), np.int64(0)  # with a bare 0 `choose_seldom` is compiled twice
    for k in range(1, size):
        forward, start, to = spread(alpha, here + k), np.int64(row[np.uint64(here + k)]), k << ROW
        one = forward * load(table, start) * left
        other = forward * load(table, start + LANES) * right
        store(mass, to, one)
        store(mass, to + LANES, other)
        found += list_larger(values, places, found, as_ints(one), as_ints(other), splat(np.int32(to)), least)
    store(values, found, splat(np.int32(0)))
    store(values, found + LANES, splat(np.int32(0)))
    return found


@kernel(error_model="numpy", _nrt=False, inline="always")
def keep_largest(values, places, found, budget, low, chosen, at):
    """The ``budget`` largest of a short list of two vectors into ``chosen`` from place ``at`` on: each is compared with
    all. Returns a bound that no others exceed, ``low`` where all are kept, and how many: more where ties forbid.
    """
    left, right, zero, one = load(values, 0), load(values, LANES), splat(np.int32(0)), splat(np.int32(1))
    above_left = above_right = zero
    for j in range(0, found, EACH):
        for other in range(EACH):
            number = spread(values, j + other)
            above_left = where(number > left, above_left + one, above_left)
            above_right = where(number > right, above_right + one, above_right)
    most = splat(np.int32(budget))
    left_stays, right_stays = where(above_left < most, left, zero) > zero, where(above_right < most, right, zero) > zero
    count = hits(left_stays)
    compress(chosen, at, load(places, 0), left_stays)
    compress(chosen, at + count, load(places, LANES), right_stays)
    count += hits(right_stays)
    if found > budget:
        least = splat(LEAST)
        lowest = larger(where(left_stays, zero - left, least), where(right_stays, zero - right, least))
        low = -np.int64(highest(lowest)) - 1
    return low, count


@kernel(error_model="numpy", _nrt=False, inline="always")
def passed_on(mass, at, own, least):
    """Of a row the masses from ``own`` on of those that do not exceed the bound from ``at`` on."""
    zero = splat(np.float32(0))
    one = where(as_ints(load(mass, at)) > least, zero, load(mass, own))
    return one, where(as_ints(load(mass, at + LANES)) > least, zero, load(mass, own + LANES))


@kernel(error_model="numpy", _nrt=False, inline="always")
def merge_few(parent, here, size, low, joined, mass, row):
    """What does not exceed the bound joins its least ancestor, in the copy of its row. Returns what joins the root, and
    whose copy has the sums, as bits: those of ``joined``, all or none, and all parents. ``row`` is room.
    """
    least = splat(np.int32(low))
    copied = np.int32((joined & np.uint64(1)) << np.uint64(COPY))
    store(row, 0, (counted() << splat(np.int32(ROW))) + splat(copied))
    for k in range(size - 1, ROOT, -1):
        one, other = passed_on(mass, k << ROW, np.int64(row[np.uint64(k)]), least)
        up = np.uint64(parent[np.uint64(here + k)])
        before, to = np.int64(row[up]), np.int64(up << np.uint64(ROW)) + (1 << COPY)
        store(mass, to, load(mass, before) + one)
        store(mass, to + LANES, load(mass, before + LANES) + other)
        row[up] = to
        joined |= np.uint64(1) << up
    one, other = passed_on(mass, WIDTH, np.int64(row[ROOT]), least)
    return total(one + other), joined


@kernel(error_model="numpy", _nrt=False, inline="always")
def states_ahead(i, code, length, address):
    """What a context of column i leaves to the one that follows it by label y: see `lane_contexts.remember`."""
    powers, base, _ = address
    order = powers.size - 1
    states, labels, none = np.int32(powers[order - 1]), splat(np.int32(powers[1])), splat(np.int32(0))
    inverse, offset = splat(np.float32(1) / np.float32(states)), base[min(i + 1, order)]
    exact, rounding = splat(np.float32(8388608)), splat(np.float32(12582912))
    share = (as_floats(code + as_ints(exact)) - exact) * inverse + rounding
    rest = code - (as_ints(share) - as_ints(rounding)) * splat(states)
    rest = where(rest < none, rest + splat(states), rest)
    first = splat(np.int32(offset[order]))
    for known in range(order - 1, -1, -1):
        first = where(length < splat(np.float32(known)), splat(np.int32(offset[known])), first)
    return rest * labels, first


@kernel(error_model="numpy", _nrt=False, inline="always")
def ancestors_of(ancestors, context, label, slot, size, room):
    """The ancestors of the next column's contexts, as bits; ``room`` is scratch."""
    lane, one, upper = counted(), splat(np.int32(1)), splat(np.int32(-65536))
    own = where(lane > one, one + one, one)
    label = label << splat(np.int32(16))
    known, bit = pick(ancestors, context) | label, one << context
    store(room, 0, label | bit)
    store(room, LANES, upper | bit)
    for j in range(slot, size):
        is_one = (known & spread(room, LANES + j)) == spread(room, j)
        own = where(is_one, own | splat(np.int32(1 << j)), own)
    return own


@kernel(error_model="numpy", _nrt=False, inline="always")
def highest_bit(numbers):
    """The number of the highest bit, as floats know it; ``numbers`` are positive and less than 2^23."""
    exact = splat(np.float32(8388608))
    bits = as_ints(as_floats(numbers + as_ints(exact)) - exact)
    return (bits >> splat(np.int32(23))) - splat(np.int32(127))


@kernel(error_model="numpy", _nrt=False, inline="always")
def begin_few(address, columns):
    """The first column: the empty history alone."""
    _, parent, row, alpha, _ = columns
    is_root, state = counted() == splat(np.int32(ROOT)), address[1][0, 0]
    first = row_at(np.uint32(state), address[2])
    store(parent, 0, splat(np.int32(0)))
    store(row, 0, splat(np.int32(first << ROW)))
    store(alpha, 0, where(is_root, splat(np.float32(1)), splat(np.float32(0))))
    return where(is_root, splat(np.float32(0)), splat(np.float32(-1)))


@kernel(error_model="numpy", _nrt=False, inline="always")
def choose_few(found, bound, end, budget, lanes, chosen, at):
    """As `lane_selection.choose_of`: how many are chosen, a bound that no others exceed, and which rows have copies, as
    bits: all where a tie drops candidates.
    """
    _, mass, _, _, _, values, places, _ = lanes
    is_few = found <= 2 * LANES and (found >= budget or bound == 0)
    low, kept = bound, np.int64(0)
    if is_few:
        low, kept = keep_largest(values, places, found, budget, bound, chosen, at)
    if is_few and kept <= budget:
        return kept, low, np.uint64(0)
    return choose_seldom(mass, end, budget, (bound, found, bound), values, places, chosen, at)


@kernel(error_model="numpy", _nrt=False)
def choose_seldom(mass, end, budget, listed, values, places, chosen, at):
    """`choose_few` where the list is long, too short or ends with ties, as a call."""
    bits = mass.view(np.int32)
    kept, low, _, above = choose_of(bits, WIDTH, end, budget, listed, values, places, chosen, at)
    if above <= budget:
        return kept, low, np.uint64(0)
    for j in range(0, end, LANES):
        store(mass, j + (1 << COPY), load(mass, j))
    found = np.int64(0)
    for place in range(WIDTH, end):
        if bits[np.uint64(place)] > low:
            if found < kept and chosen[np.uint64(at + found)] == place:
                found += 1
            else:
                bits[np.uint64(place)] = 0
    return kept, low, np.uint64(0xFFFF)


@kernel(error_model="numpy", _nrt=False, inline="always")
def row_few(state, rows, room):
    """`lane_contexts.row_at` of sixteen states; ``room`` is scratch."""
    if rows.size > 0:
        store(room, 0, state)
        state = look_up(rows, room, 0)
    return state << splat(np.int32(ROW))


@kernel(error_model="numpy", _nrt=False, inline="always")
def forward_few(positions, budget, merging, table, address, lanes, columns, size, level):
    """As `lane_words.forward_lanes`. ``level``, the logarithm of the bound's share of what all labels emit, is learnt
    and returned, too.
    """
    emit, mass, _, own, _, _, _, _ = lanes
    chosen, parent, row, alpha, _ = columns
    slot, lane, zero, none = 2 if merging else 1, counted(), splat(np.int32(0)), splat(np.float32(0))
    scale, product, lengths, is_complete = 0.0, 1.0, 0.0, True
    length, code, ancestors = begin_few(address, columns), zero, zero
    size[0] = count = 2
    margin = logarithm(LISTED / budget) - ONE
    for i in range(positions - 1):
        here, there, end = i * SLOTS, (i + 1) * SLOTS, count << ROW
        left, right = load(emit[i], 0), load(emit[i], LANES)
        whole = logarithm(total(left + right))
        bound = max(level + whole - margin, 0) if count > 2 else np.int64(0)  # the first column's are few
        found = list_candidates(left, right, table, row, alpha, here, count, bound, lanes)
        kept, low, joined = choose_few(found, bound, end, budget, lanes, chosen, there)
        level += (low - whole - level) >> 3 if count > 2 and low > 0 else 0
        rest = np.float32(0)
        if merging:
            rest, joined = merge_few(parent, here, count, low, joined, mass, own)
        size[i + 1] = count = slot + kept
        place = where(lane < splat(np.int32(count)), load(chosen, there - slot), zero)
        place = where(lane > splat(np.int32(slot - 1)), place, zero)
        context, label = place >> splat(np.int32(ROW)), place & splat(np.int32(WIDTH - 1))
        stem, first = states_ahead(i, code, length, address)
        code = pick(stem, context) + label
        store(row, there, row_few(pick(first, context) + code, address[2], own))
        for k in range(1, count):
            at = np.int64(row[np.uint64(there + k)])
            fetch(table, at)
            fetch(table, at + LANES)
        length = where(lane > zero, pick(length, context) + splat(np.float32(1)), splat(np.float32(-1)))
        if merging:
            ancestors = ancestors_of(ancestors, context, label, slot, count, own)
            store(parent, there, highest_bit(ancestors))
        is_copy = (splat(np.int32(joined)) >> context) & splat(np.int32(1))
        store(own, WIDTH, place + (is_copy << splat(np.int32(COPY))))
        masses = where(place > zero, look_up(mass, own, WIDTH), none)
        masses = where(lane == splat(np.int32(slot - 1)), splat(rest), masses)
        whole = total(masses)
        masses = masses * splat(np.float32(1) / whole if whole > 0 else np.float32(0))
        store(alpha, there, masses)
        if not whole > LEAST_MASS or not is_selection_certain(
            emit[i], table, row[here:there], alpha[here:there], size[i], alpha[there:], kept, budget, merging, whole,
            is_complete,
        ):  # fmt: skip
            return np.nan, 0.0, level
        is_complete = is_complete and kept < budget
        lengths += np.float64(total(masses * length))
        product *= np.float64(whole)
        if not 1e-200 < product < 1e200:
            scale += np.log(product)
            product = 1.0
    whole = last_few(emit[positions - 1], table, row, alpha, (positions - 1) * SLOTS, count)
    product *= whole if whole > LEAST_MASS else np.nan
    return scale + np.log(product), lengths / max(positions - 1, 1), level


@kernel(error_model="numpy", _nrt=False, inline="always")
def last_few(emit, table, row, alpha, here, size):
    """What the arcs of the last column sum to."""
    left, right, whole = load(emit, 0), load(emit, LANES), splat(np.float32(0))
    for k in range(1, size):
        start = np.int64(row[np.uint64(here + k)])
        whole = whole + spread(alpha, here + k) * (load(table, start) * left + load(table, start + LANES) * right)
    return np.float64(total(whole))


@kernel(error_model="numpy", _nrt=False, inline="always")
def posterior_few(positions, merging, table, lanes, columns, size, posterior, begin, depth):
    """As `lane_words.posterior_lanes`."""
    emit, ahead, _, _, message, values, _, shares = lanes
    chosen, parent, row, alpha, beta = columns
    sums = values.view(np.float32)
    slot, count, rest, lane, none = 2 if merging else 1, 0, np.float32(1), counted(), splat(np.float32(0))
    for i in range(positions - 1, -1, -1):
        here, there = i * SLOTS, (i + 1) * SLOTS
        for j in range(count):
            message[np.uint32(chosen[np.uint64(there + j)])] = beta[np.uint64(there + slot + j)]
        left, right = load(emit[i], 0), load(emit[i], LANES)
        shares_left = shares_right = none
        store(ahead, 0, splat(rest))
        store(ahead, LANES, splat(rest))
        for k in range(1, size[i]):
            at, to = np.int64(row[np.uint64(here + k)]), k << ROW
            up, forward = np.int64(parent[np.uint64(here + k)]) << ROW, spread(alpha, here + k)
            arcs = load(table, at) * left * inherit(message, ahead, to, up)
            more = load(table, at + LANES) * right * inherit(message, ahead, to + LANES, up + LANES)
            shares_left, shares_right = shares_left + forward * arcs, shares_right + forward * more
            store(sums, k * LANES, arcs + more)
        for j in range(count):
            message[np.uint32(chosen[np.uint64(there + j)])] = -1
        own = where(lane > splat(np.int32(0)), sums_of_rows(sums, 0), none)
        own = where(lane < splat(np.int32(size[i])), own, none)
        top = highest(own)
        own = own * splat(np.float32(1) / top if top > LEAST_MASS else np.float32(0))
        store(beta, here, own)
        count, rest = size[i] - slot, beta[np.uint64(here + ROOT)] if merging else np.float32(0)
        whole = total(shares_left + shares_right)
        if not whole > LEAST_MASS:
            return False
        inverse = splat(np.float32(1) / whole)
        store(shares, 0, shares_left * inverse)
        store(shares, LANES, shares_right * inverse)
        copy(shares, 0, posterior, (begin + i) * depth, depth)
    return True


@kernel(error_model="numpy", _nrt=False)
def infer_few(thread, threads, emit, offset, work, table, address, outputs, space):
    """As `lane_words.infer_lanes`, whose arguments these are."""
    budget, merging, shift, depth = work
    labels, scores, posterior = outputs
    lanes, columns, size = space
    padded = lanes[0]
    flat = (
        columns[0].reshape(-1), columns[1].view(np.int32).reshape(-1), columns[2].view(np.int32).reshape(-1),
        columns[5].reshape(-1), columns[6].reshape(-1),
    )  # fmt: skip
    level = FIRST_GUESS - ONE
    for w in range(thread, offset.size - 1, threads):
        begin, end = offset[w], offset[w + 1]
        for at in range(begin * depth, end * depth, LANES):
            fetch(posterior, at)  # of this word, written at last
            fetch(emit, at + (end - begin) * depth)  # of the next
        for i in range(end - begin):
            copy(emit, (begin + i) * depth, padded[i], 0, depth)
        log_z, mean, level = forward_few(end - begin, budget, merging, table, address, lanes, flat, size, level)
        scores[w, LOG_Z] = log_z
        if np.isnan(log_z):
            continue
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean
        if labels.shape[0] > 0:
            scores[w, LOG_SCORE] = viterbi_word(end - begin, merging, table, shift, space, labels[begin:end])
            if np.isnan(scores[w, LOG_SCORE]):
                scores[w, LOG_Z] = np.nan
        if posterior.size > 0 and not posterior_few(
            end - begin, merging, table, lanes, flat, size, posterior, begin, depth
        ):
            scores[w, LOG_Z] = np.nan
