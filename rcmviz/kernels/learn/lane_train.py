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

from rcmviz.kernels.bare_arrays import bare, rows_at
from rcmviz.kernels.chain.lane_contexts import (
    ONE,
    ROOT,
    begin_lanes,
    expand,
    follow,
    last_mass,
    next_column,
    send,
    sum_arcs,
    take_back,
)
from rcmviz.kernels.chain.lane_emissions import LOWEST
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, highest, larger, load, splat
from rcmviz.kernels.learn.lane_features import count_features, emit_example
from rcmviz.kernels.learn.lane_passes import FAINT, backward_pass, know_nothing, map_images, rank
from rcmviz.kernels.learn.lane_weights import ascend_both, is_full, sum_of
from rcmviz.kernels.learn.lane_windows import hand_on, meet
from rcmviz.kernels.learn.train import LOG_LIKELIHOOD, LOST, MEAN_LENGTH
from rcmviz.kernels.rows import ZERO

FARTHEST = 80.0  # of a score: e^±80 are normal numbers of single precision
MOST_MASS = 1e30  # of a column, and its inverse the least
UNEVEN = 1e-3  # how far a position's shares may be from one
UNSEEN = 1e-7  # share that arcs without mass could have, all together


@part(error_model="numpy", _nrt=False)
def score_column(i, model, selection, space, room):
    """Let the rows of column i's contexts be those of their windows, scored; False where a score is too far for single
    precision.
    """
    row, windows, far = space.columns.row[i], room.windows, np.float32(0)
    for k in range(1, space.size[i]):
        window = row[k] >> selection.shift
        at = meet(window, model, selection.labels, selection.shift, windows, room.piles.windows)
        row[k] = at
        square = windows.far[at >> selection.shift]
        far = square if square > far else far
    room.least[i] = np.exp(np.sqrt(np.float64(far)) + LOWEST)
    return far < FARTHEST * FARTHEST


@part(error_model="numpy", _nrt=False)
def is_in_doubt(ranked, chosen, found, budget, candidates, least):
    """Whether a candidate without mass could have been chosen: too few were, or one of no more than ``least``."""
    if found < candidates:
        for j in range(found):
            if not ranked[chosen[j]] > least:
                return True
    return found < budget and found < candidates


@kernel(error_model="numpy", _nrt=False, inline="always")
def gather(whole, log_z, product):
    """``(log_z, product)`` with a column's mass: a product of them takes one logarithm for many."""
    product *= whole
    if not 1e-200 < product < 1e200:
        log_z += np.log(product)
        product = 1.0
    return log_z, product


@helper(error_model="numpy", _nrt=False)
def forward_example(positions, model, selection, space, room, before, ranking):
    """Each context scored when its column is complete; log Z up to the emissions' scale, and the mean length.

    NaN where single precision is not enough. ``ranking`` by the pass ``before``, or None.
    """
    emit, mass, score, size = space.rows.emit, space.rows.mass, room.windows.score, space.size
    shift, chosen, alpha = selection.shift, space.columns.chosen, space.columns.alpha
    log_z, product, lengths, guess = 0.0, 1.0, 0.0, FIRST_GUESS
    begin_lanes(model.address, shift, space)
    for i in range(positions):
        if not score_column(i, model, selection, space, room):
            return np.nan, 0.0
        if i < positions - 1:
            expand(emit[i], score, rows_at(space.columns, i), size[i], shift, mass)
            ranked, least = mass, room.least[i]
            if ranking is not None:
                rank(i, mass, size[i], before, ranking, shift)
                ranked = ranking.key
            whole, mean, guess = next_column(i, ranked, selection, score, model.address, space, guess)
            lengths += mean
            found = size[i + 1] - selection.first
            if ranking is not None:
                map_images(i, chosen[i + 1], found, before, ranking.image, shift)
                least = FAINT * whole if FAINT * whole > least else least
            candidates = (size[i] - (1 if alpha[i, ROOT] > 0 else 2)) * selection.labels
            if is_in_doubt(ranked, chosen[i + 1], found, selection.budget, candidates, least):
                return np.nan, 0.0
        else:
            whole = last_mass(i, score, shift, space)
        if not 1 / MOST_MASS < whole < MOST_MASS:
            return np.nan, 0.0
        room.scale[i] = 1 / whole
        log_z, product = gather(whole, log_z, product)
    return log_z + np.log(product), lengths / (positions - 1 if positions > 1 else 1)


@helper(error_model="numpy", _nrt=False)
def forward_passes(positions, model, selection, space, room, passes):
    """`forward_example` of the last of several passes, and the workspace that it is in."""
    log_z, mean, before = np.nan, 0.0, passes.before
    know_nothing(positions, before, passes.ranking.image)
    for turn in range(passes.count):
        if turn > 0:
            backward_pass(positions, selection.shift, space, room)
            space, before = before, space
        log_z, mean = forward_example(positions, model, selection, space, room, before, passes.ranking)
        if not abs(log_z) < np.inf:
            break
    return log_z, mean, space


@helper(error_model="numpy", _nrt=False)
def observe(gold, model, selection, space, room):
    """Add the gold's counts of windows; returns its log score, and whether it was lost."""
    chosen, columns, size, slot = space.columns.chosen, space.columns, space.size, selection.first
    labels, shift, windows, pile = selection.labels, selection.shift, room.windows, room.piles.windows
    powers, base = model.address.powers, model.address.base
    order = powers.size - 1
    score, k, code, lost = 0.0, np.int64(ROOT), np.int64(0), False
    for i in range(gold.size):
        y, known = gold[i], i if i < order else order
        at = columns.row[i, k] if k > 0 else meet(base[known, known] + code, model, labels, shift, windows, pile)
        pile.gradient[at + y] += ONE
        score += windows.log[at + y] + room.log_emit[(i << shift) + y]
        code = (code * powers[1] + y) % powers[order]
        if k > 0 and i < gold.size - 1:
            k = follow(chosen[i + 1], size[i + 1] - slot, columns.parent[i], k, y, slot, shift)
            if k == 0 and selection.merging:
                k = np.int64(ROOT)
            lost |= k == 0
    return score, lost


@helper(error_model="numpy", _nrt=False)
def expect(gold, entries, data, selection, space, room):
    """Minus the expected counts, and the gold's of emissions, into the gradients; False where masses were lost."""
    shift, chosen, beta, size = selection.shift, space.columns.chosen, space.columns.beta, space.size
    emit, message, ahead, label = space.rows.emit, space.rows.message, space.rows.mass, room.label
    score, gradient, slot = room.windows.score, room.piles.windows.gradient, selection.first
    count, rest, highest_ahead = ZERO, ONE, 1.0
    for i in range(gold.size - 1, -1, -1):
        send(message, chosen[i + 1], count, slot, beta[i + 1])
        there = rows_at(space.columns, i)
        sum_arcs(emit[i], room.scale[i], score, there, size[i], shift, message, ahead, rest, label, gradient)
        take_back(message, chosen[i + 1], count)
        count, rest = size[i] - slot, beta[i, ROOT] if selection.merging else np.float32(0)
        unseen = size[i] * selection.labels * room.least[i] * room.scale[i] * highest_ahead
        if not (unseen < UNSEEN and abs(sum_of(label, shift) + 1) < UNEVEN):
            return False
        peak = splat(np.float32(0))
        for k in range(0, size[i], LANES):
            peak = larger(peak, load(beta[i], k))
        highest_ahead = np.float64(highest(peak))
        count_features(i, gold[i], entries, data, shift, label, room.piles.emission)
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def example_of(w, data):
    """``(entries, gold)`` of example w: where its features lie, and its labels."""
    begin, end = data.offset[w], data.offset[w + 1]
    return data.begin[begin : end + 1], data.gold[begin:end]


@kernel(error_model="numpy", _nrt=False, inline="always")
def count_example(entries, gold, log_z, mean, data, model, selection, space, room, measures):
    """Gradients of an example with ``log_z`` and a ``mean`` length, ``measures (4,)`` what it was like; False where it
    is not for single precision.
    """
    if not abs(log_z) < np.inf or not expect(gold, entries, data, selection, space, room):
        return False
    score, lost = observe(gold, model, selection, space, room)
    measures[LOG_LIKELIHOOD], measures[MEAN_LENGTH] = score - log_z, mean
    measures[LOST] = 1.0 if lost else 0.0
    if room.windows.shorter.size > 0:
        hand_on(selection.shift, room.windows.shorter, room.piles.windows)
    return True


@kernel(error_model="numpy", _nrt=False)
def lane_stretch(visit, data, model, selection, steps, measures, space, room, passes):
    """What `train.train_stretch` does; stops before an example that is not for single precision, and where the most
    windows that were never met have no room. ``steps (1,)`` counts the examples of the whole training; ``passes`` is
    None for one.
    """
    visit, data, model, steps, measures = bare((visit, data, model, steps, measures))
    space, room, others = bare((space, room, passes))
    labels, shift, emit, last = selection.labels, selection.shift, space.rows.emit, space
    weight, begin = model.weights.emission.weight, (room.piles.emission.place.size - 1) * labels
    for j in range(visit.size):
        if is_full(model.indices.windows, model.most):
            return
        entries, gold = example_of(visit[j], data)
        top = emit_example(entries, data, weight, weight, begin, labels, shift, room.log_emit, emit)
        if passes is None:
            log_z, mean = forward_example(gold.size, model, selection, space, room, None, None)
        else:
            log_z, mean, last = forward_passes(gold.size, model, selection, space, room, others)
        if not (
            count_example(entries, gold, log_z + top, mean, data, model, selection, last, room, measures[j])
            and ascend_both(model, steps[0], labels, shift, room.piles, measures[j])
        ):
            return
        steps[0] += 1
