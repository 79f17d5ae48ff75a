"""AdaGrad on vectors of sixteen lanes: what ``train.py`` does, in single precision, for plain RCMS and beam.

``train.py`` is the definition and does everything; here are windows in a dense table, one pass, contexts that
are whole histories, and a lost gold that counts in the numerator only. Forward masses and contexts are those of
``chain/lane_contexts.py``, ``space`` its workspace. Each column's forward masses are divided by their sum, and what
lies ahead by the same sum, so that shares of arcs need no dividing, and each position's sum to one.

What single precision does not hold is found before any weight moves, and the example is left to ``train.py``: a score
beyond ±FARTHEST, a column without mass, candidates of no mass that could have been chosen, shares that do not sum to
one. An arc whose mass is none has less than ``least (T,)``, e^LOWEST times the largest score of its column; so, with
the largest message ahead, its share is bounded, too.

``lane_state.py`` names the arrays. Once a column is scored, a context's ``row`` is that of its longest window among the
example's windows.
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
def score_contexts(i, model, selection, space, room):
    """Let the rows of column i's contexts be those of their windows, scored; returns the largest square of a score."""
    row, labels, shift, far = space.columns.row[i], selection.labels, selection.shift, np.float32(0)
    for k in range(1, space.size[i]):
        window = np.int64(row[k]) >> shift
        if model.additive:
            at = meet_additive(window, model, labels, shift, room.windows, room.piles.windows)
        else:
            at = meet_single(window, model, labels, shift, room.windows, room.piles.windows)
        row[k] = at
        far = max(far, room.windows.far[at >> shift])
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
def score_column(i, model, selection, space, room):
    """Score column i's contexts; False where a score is too far for single precision."""
    far = score_contexts(i, model, selection, space, room)
    if not far < FARTHEST * FARTHEST:
        return False
    room.least[i] = np.exp(np.sqrt(np.float64(far)) + LOWEST)
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
def forward_example(positions, model, selection, space, room):
    """Each context scored when its column is complete; log Z up to the emissions' scale, and the mean length."""
    emit, mass, score, size = space.rows.emit, space.rows.mass, room.windows.score, space.size
    shift, slot, alpha = selection.shift, selection.first, space.columns.alpha
    log_z, product, lengths, guess = 0.0, 1.0, 0.0, FIRST_GUESS
    begin_lanes(model.address, shift, space)
    for i in range(positions):
        if not score_column(i, model, selection, space, room):
            return np.nan, 0.0
        if i < positions - 1:
            expand(emit[i], score, column(space.columns, i), size[i], shift, mass)
            whole, mean, guess = next_column(i, mass, selection, score, model.address, space, guess)
            lengths += mean
            candidates = (size[i] - (1 if alpha[i, ROOT] > 0 else 2)) * selection.labels
            least = room.least[i] / whole
            if is_in_doubt(alpha[i + 1], slot, size[i + 1], selection.budget, candidates, least):
                return np.nan, 0.0
        else:
            whole = last_mass(i, score, shift, space)
        if not 1 / MOST_MASS < whole < MOST_MASS:
            return np.nan, 0.0
        room.scale[i] = 1 / whole
        log_z, product = gather(whole, log_z, product)
    return log_z + np.log(product), lengths / max(positions - 1, 1)


@kernel(error_model="numpy", _nrt=False)
def observe(gold, model, selection, space, room):
    """Add the gold's counts of windows; returns its log score, and whether it was lost."""
    chosen, columns, size, slot = space.columns.chosen, space.columns, space.size, selection.first
    labels, shift, pile = selection.labels, selection.shift, room.piles.windows
    weight, index = model.weights.windows.weight, model.indices.windows
    powers, base = model.address.powers, model.address.base
    order = powers.size - 1
    score, k, code, lost = 0.0, np.int64(ROOT), np.int64(0), False
    for i in range(gold.size):
        y, known = gold[i], min(i, order)
        if k > 0:
            at = np.int64(columns.row[i, k])
        elif model.additive:
            at = meet_additive(base[known, known] + code, model, labels, shift, room.windows, pile)
        else:
            at = meet_single(base[known, known] + code, model, labels, shift, room.windows, pile)
        pile.gradient[at + y] += np.float32(1)
        row = np.uint64(row_of(pile.addresses[at >> shift], index) * labels + y)
        own = room.windows.log[at + y] if model.additive else weight[row]
        score += own + room.log_emit[(i << shift) + y]
        code = (code * powers[1] + y) % powers[order]
        if k > 0 and i < gold.size - 1:
            k = follow(chosen[i + 1], size[i + 1] - slot, columns.parent[i], k, y, slot, shift)
            if k == 0 and selection.merging:
                k = np.int64(ROOT)
            lost |= k == 0
    return score, lost


@part(error_model="numpy", _nrt=False)
def share_arcs(i, emit, scale, rest, shift, space, room):
    """Minus the shares of column i's arcs into the gradients of windows and into ``label``; messages backward."""
    there, ahead, message = column(space.columns, i), space.rows.mass, space.rows.message
    label, score, gradient = room.label, room.windows.score, room.piles.windows.gradient
    for k in range(0, space.size[i] + 1, LANES):
        store(there.beta, k, splat(np.float32(0)))
    for y in range(0, emit.size, PAIR):
        z = y + LANES
        left, right = load(emit, y) * splat(scale), load(emit, z) * splat(scale)
        shares, others = splat(np.float32(0)), splat(np.float32(0))
        store(ahead, y, splat(rest))
        store(ahead, z, splat(rest))
        for k in range(1, space.size[i]):
            to, at, up = k << shift, np.int64(there.row[k]), np.int64(there.parent[k]) << shift
            arcs = arcs_of(left, score, at + y, message, ahead, to + y, up + y)
            more = arcs_of(right, score, at + z, message, ahead, to + z, up + z)
            there.beta[k] += total(arcs + more)
            forward = splat(-there.alpha[k])
            arcs, more = forward * arcs, forward * more
            shares, others = shares + arcs, others + more
            store(gradient, at + y, load(gradient, at + y) + arcs)
            store(gradient, at + z, load(gradient, at + z) + more)
        store(label, y, shares)
        store(label, z, others)


@kernel(error_model="numpy", _nrt=False)
def expect(gold, entries, data, selection, space, room):
    """Minus the expected counts, and the gold's of emissions, into the gradients; False where masses were lost."""
    shift, chosen, beta, size = selection.shift, space.columns.chosen, space.columns.beta, space.size
    message, label, slot, count, rest, ahead = space.rows.message, room.label, selection.first, 0, np.float32(1), 1.0
    for i in range(gold.size - 1, -1, -1):
        send(message, chosen[i + 1], count, slot, beta[i + 1])
        share_arcs(i, space.rows.emit[i], room.scale[i], rest, shift, space, room)
        take_back(message, chosen[i + 1], count)
        count, rest = size[i] - slot, beta[i, ROOT] if selection.merging else np.float32(0)
        unseen = size[i] * selection.labels * room.least[i] * room.scale[i] * ahead
        if not (unseen < UNSEEN and abs(sum_of(label, shift) + 1) < UNEVEN):
            return False
        peak = splat(np.float32(0))
        for k in range(0, size[i], LANES):
            peak = larger(peak, load(beta[i], k))
        ahead = np.float64(highest(peak))
        count_features(i, gold[i], entries, data, shift, label, room.piles.emission)
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def example_of(w, data):
    """``(entries, gold)`` of example w: where its features lie, and its labels."""
    begin, end = data.offset[w], data.offset[w + 1]
    return data.begin[begin : end + 1], data.gold[begin:end]


@kernel(error_model="numpy", _nrt=False, inline="always")
def emitted(entries, data, model, selection, room, emit):
    """Emissions of an example; returns the sum of the logs that they were divided by."""
    weight, begin = model.weights.emission.weight, (room.piles.emission.place.size - 1) * selection.labels
    return emit_example(entries, data, weight, weight, begin, selection.labels, selection.shift, room.log_emit, emit)


@kernel(error_model="numpy", _nrt=False, inline="always")
def count_windows(entries, gold, log_z, mean, data, model, selection, space, room, measures):
    """Gradients of an example with ``log_z`` and a ``mean`` length; False as in `observe_example`."""
    if not abs(log_z) < np.inf or not expect(gold, entries, data, selection, space, room):
        return False
    score, lost = observe(gold, model, selection, space, room)
    measures[LOG_LIKELIHOOD], measures[MEAN_LENGTH], measures[LOST] = score - log_z, mean, 1.0 if lost else 0.0
    if model.additive:
        hand_on(selection.shift, room.windows.shorter, room.piles.windows)
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def observe_example(w, data, model, selection, space, room, measures):
    """Gradients of example w, ``measures (4,)`` what it was like; False where it is not for single precision."""
    entries, gold = example_of(w, data)
    top = emitted(entries, data, model, selection, room, space.rows.emit)
    log_z, mean = forward_example(gold.size, model, selection, space, room)
    return count_windows(entries, gold, log_z + top, mean, data, model, selection, space, room, measures)


@kernel(error_model="numpy", _nrt=False)
def lane_stretch(visit, data, model, selection, steps, measures, space, room):
    """What `train.train_stretch` does; stops before an example that is not for single precision, and where the most
    windows that were never met have no room. ``steps (1,)`` counts the examples of the whole training.
    """
    for j in range(visit.size):
        if is_full(model.indices.windows, model.most) or not (
            observe_example(visit[j], data, model, selection, space, room, measures[j])
            and ascend_both(model, steps[0], selection.labels, selection.shift, room.piles, measures[j])
        ):
            return
        steps[0] += 1
