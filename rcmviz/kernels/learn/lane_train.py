"""AdaGrad on vectors of sixteen lanes: what ``train.py`` does, in single precision, for plain RCMS and beam.

``train.py`` is the definition and does everything; here are windows in a dense table, one pass, contexts that
are whole histories, and a lost gold that counts in the numerator only. Forward masses and contexts are those of
``chain/lane_contexts.py``, ``space`` its workspace. Each column's forward masses are divided by their sum, and what
lies ahead by the same sum, so that shares of arcs need no dividing, and each position's sum to one.

What single precision does not hold is found before any weight moves, and the example is left to ``train.py``: a score
beyond ±FARTHEST, a column without mass, candidates of no mass that could have been chosen, shares that do not sum to
one. An arc whose mass is none has less than ``least (T,)``, e^LOWEST times the largest score of its column; so, with
the largest message ahead, its share is bounded, too.

``groups = (windows, emission)``, their ``indices`` and piles as in ``lane_weights.py``, ``how = (additive, budget,
merging, shift, labels)``, a row of lanes being ``2^shift``; ``data`` and ``rate`` as in ``train.py``, ``address`` as in
``lane_contexts.py``.
``room = (log_emit (T · row,), label (row,), rows of windows, (scale (T,), least), piles of windows and features)``,
rows as in ``lane_windows.py``: once a column is scored, a context's ``row`` is that of its longest window there.
"""

import numpy as np

from rcmviz.kernels.chain.lane_contexts import (
    PAIR,
    ROOT,
    arcs_of,
    begin_lanes,
    column,
    expand,
    follow,
    last_mass,
    next_column,
    send,
    take_back,
)
from rcmviz.kernels.chain.lane_emissions import LOWEST
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, highest, larger, load, splat, store, total
from rcmviz.kernels.learn.lane_features import count_features, emit_example
from rcmviz.kernels.learn.lane_weights import ascend_both, is_full, row_of, sum_of
from rcmviz.kernels.learn.lane_windows import hand_on, meet_additive, meet_single
from rcmviz.kernels.learn.train import LOG_LIKELIHOOD, LOST, MEAN_LENGTH

FARTHEST = 80.0  # of a score: e^±80 are normal numbers of single precision
MOST_MASS = 1e30  # of a column, and its inverse the least
UNEVEN = 1e-3  # how far a position's shares may be from one
UNSEEN = 1e-7  # share that arcs without mass could have, all together


@part(error_model="numpy", _nrt=False)
def score_contexts(i, weight, how, address, index, space, room):
    """Let the rows of column i's contexts be those of their windows, scored; returns the largest square of a score."""
    additive, _, _, shift, labels = how
    _, columns, size = space
    _, _, rows, _, windows, _ = room
    row, squares, far = columns[2][i], rows[1], np.float32(0)
    for k in range(1, size[i]):
        window = np.int64(row[k]) >> shift
        if additive:
            at = meet_additive(window, weight, (address, shift, labels), index, rows, windows)
        else:
            at = meet_single(window, weight, (address, shift, labels), index, rows, windows)
        row[k] = at
        far = max(far, squares[at >> shift])
    return far


@kernel(error_model="numpy", _nrt=False, inline="always")
def is_in_doubt(alpha, slot, size, budget, candidates, least):
    """Whether a candidate without mass could have been chosen: too few were, or one of no more than ``least``."""
    count = min(budget, candidates)
    if count == candidates:
        return size - slot < count
    lowest = alpha[slot]
    for k in range(slot + 1, size):
        lowest = min(lowest, alpha[k])
    return size - slot < count or not lowest > least


@kernel(error_model="numpy", _nrt=False, inline="always")
def score_column(i, weight, how, address, index, space, room):
    """Score column i's contexts; False where a score is too far for single precision."""
    far = score_contexts(i, weight, how, address, index, space, room)
    if not far < FARTHEST * FARTHEST:
        return False
    _, least = room[3]
    least[i] = np.exp(np.sqrt(np.float64(far)) + LOWEST)
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def gather(whole, log_z, product):
    """``(log_z, product)`` with a column's mass: a product of them takes one logarithm for many."""
    product *= whole
    if not 1e-200 < product < 1e200:
        log_z += np.log(product)
        product = 1.0
    return log_z, product


@kernel(error_model="numpy", _nrt=False)
def forward_example(positions, weight, how, address, index, space, room):
    """Each context scored when its column is complete; log Z up to the emissions' scale, and the mean length."""
    _, budget, merging, shift, labels = how
    lanes, columns, size = space
    emit, mass, row, alpha = lanes[0], lanes[1], columns[2], columns[5]
    score, (scale, least) = room[2][0], room[3]
    log_z, product, lengths, guess = 0.0, 1.0, 0.0, FIRST_GUESS
    begin_lanes(address, shift, space)
    for i in range(positions):
        if not score_column(i, weight, how, address, index, space, room):
            return np.nan, 0.0
        if i < positions - 1:
            expand(emit[i], score, row[i], alpha[i], size[i], shift, mass)
            whole, mean, guess = next_column(i, mass, budget, merging, score, shift, address, space, guess)
            lengths += mean
            slot, heavy = 2 if merging else 1, size[i] - (1 if alpha[i, ROOT] > 0 else 2)
            if is_in_doubt(alpha[i + 1], slot, size[i + 1], budget, heavy * labels, least[i] / whole):
                return np.nan, 0.0
        else:
            whole = last_mass(i, score, shift, space)
        if not 1 / MOST_MASS < whole < MOST_MASS:
            return np.nan, 0.0
        scale[i] = 1 / whole
        log_z, product = gather(whole, log_z, product)
    return log_z + np.log(product), lengths / max(positions - 1, 1)


@kernel(error_model="numpy", _nrt=False)
def observe(gold, weight, how, address, index, space, room):
    """Add the gold's counts of windows; returns its log score, and whether it was lost."""
    additive, _, merging, shift, labels = how
    _, columns, size = space
    chosen, parent, row = columns[0], columns[1], columns[2]
    log_emit, _, rows, _, windows, _ = room
    powers, base, _ = address
    order, slot, log = powers.size - 1, 2 if merging else 1, rows[2]
    score, k, code, lost = 0.0, np.int64(ROOT), np.int64(0), False
    for i in range(gold.size):
        y, known = gold[i], min(i, order)
        if k > 0:
            at = np.int64(row[i, k])
        elif additive:
            at = meet_additive(base[known, known] + code, weight, (address, shift, labels), index, rows, windows)
        else:
            at = meet_single(base[known, known] + code, weight, (address, shift, labels), index, rows, windows)
        windows[2][at + y] += np.float32(1)
        own = log[at + y] if additive else weight[np.uint64(row_of(windows[1][at >> shift], index) * labels + y)]
        score += own + log_emit[(i << shift) + y]
        code = (code * powers[1] + y) % powers[order]
        if k > 0 and i < gold.size - 1:
            k = follow(chosen[i + 1], size[i + 1] - slot, parent[i], k, y, slot, shift)
            if k == 0 and merging:
                k = np.int64(ROOT)
            lost |= k == 0
    return score, lost


@part(error_model="numpy", _nrt=False)
def share_arcs(i, emit, scale, rest, how, space, room):
    """Minus the shares of column i's arcs into the gradients of windows and into ``label``; messages backward."""
    shift = how[3]
    lanes, columns, size = space
    _, label, (score, _, _, _, _), _, windows, _ = room
    there, ahead, message = column(columns, i), lanes[1], lanes[4]
    parent, row, alpha, beta = there[1], there[2], there[5], there[6]
    gradient = windows[2]
    for k in range(0, size[i] + 1, LANES):
        store(beta, k, splat(np.float32(0)))
    for y in range(0, emit.size, PAIR):
        z = y + LANES
        left, right = load(emit, y) * splat(scale), load(emit, z) * splat(scale)
        shares, others = splat(np.float32(0)), splat(np.float32(0))
        store(ahead, y, splat(rest))
        store(ahead, z, splat(rest))
        for k in range(1, size[i]):
            to, at, up = k << shift, np.int64(row[k]), np.int64(parent[k]) << shift
            arcs = arcs_of(left, score, at + y, message, ahead, to + y, up + y)
            more = arcs_of(right, score, at + z, message, ahead, to + z, up + z)
            beta[k] += total(arcs + more)
            forward = splat(-alpha[k])
            arcs, more = forward * arcs, forward * more
            shares, others = shares + arcs, others + more
            store(gradient, at + y, load(gradient, at + y) + arcs)
            store(gradient, at + z, load(gradient, at + z) + more)
        store(label, y, shares)
        store(label, z, others)


@kernel(error_model="numpy", _nrt=False)
def expect(gold, entries, data, how, space, room):
    """Minus the expected counts, and the gold's of emissions, into the gradients; False where masses were lost."""
    _, _, merging, shift, labels = how
    lanes, columns, size = space
    emit, message, chosen, beta = lanes[0], lanes[4], columns[0], columns[6]
    label, (scale, least), features = room[1], room[3], room[5]
    slot, count, rest, ahead = 2 if merging else 1, 0, np.float32(1), 1.0
    for i in range(gold.size - 1, -1, -1):
        send(message, chosen[i + 1], count, slot, beta[i + 1])
        share_arcs(i, emit[i], scale[i], rest, how, space, room)
        take_back(message, chosen[i + 1], count)
        count, rest = size[i] - slot, beta[i, ROOT] if merging else np.float32(0)
        seen = size[i] * labels * least[i] * scale[i] * ahead < UNSEEN
        if not (seen and abs(sum_of(label, shift) + 1) < UNEVEN):
            return False
        peak = splat(np.float32(0))
        for k in range(0, size[i], LANES):
            peak = larger(peak, load(beta[i], k))
        ahead = np.float64(highest(peak))
        count_features(i, gold[i], entries, data, shift, label, features)
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def emitted(w, data, emission, how, room, emit):
    """``(entries, gold, top)`` of example w: where its features lie, its labels, what emissions were divided by."""
    offset, begin, _, _, golds = data
    first, end = offset[w], offset[w + 1]
    entries, gold = begin[first : end + 1], golds[first:end]
    bias = emission, (room[5][0].size - 1) * how[4]
    return entries, gold, emit_example(entries, data, emission, bias, how[3:], room[0], emit)


@kernel(error_model="numpy", _nrt=False, inline="always")
def count_windows(example, found, data, weight, how, address, index, space, room, measures):
    """Gradients of an `emitted` example, ``found = (log_z, mean)`` by a forward pass; False as in `observe_example`."""
    (entries, gold, top), (log_z, mean) = example, found
    if not abs(log_z + top) < np.inf or not expect(gold, entries, data, how, space, room):
        return False
    score, lost = observe(gold, weight, how, address, index, space, room)
    measures[LOG_LIKELIHOOD], measures[MEAN_LENGTH], measures[LOST] = score - log_z - top, mean, 1.0 if lost else 0.0
    if how[0]:
        hand_on(how[3], room[2], room[4])
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def observe_example(w, data, groups, how, address, index, space, room, measures):
    """Gradients of example w, ``measures (4,)`` what it was like; False where it is not for single precision."""
    weight = groups[0][0]
    example = emitted(w, data, groups[1][0], how, room, space[0][0])
    found = forward_example(example[1].size, weight, how, address, index, space, room)
    return count_windows(example, found, data, weight, how, address, index, space, room, measures)


@kernel(error_model="numpy", _nrt=False)
def lane_stretch(visit, data, groups, how, pace, address, measures, rows, space, room):
    """What `train.train_stretch` does, ``pace = (rate, steps)``; stops before an example that is not for single
    precision, and where ``rows = (indices, most)`` have no room for the most windows that were never met.
    """
    (rate, steps), (indices, most) = pace, rows
    for j in range(visit.size):
        if is_full(indices[0], most) or not (
            observe_example(visit[j], data, groups, how, address, indices[0], space, room, measures[j])
            and ascend_both(groups, rate, steps[0], how[3:], room[4:], indices, measures[j])
        ):
            return
        steps[0] += 1
