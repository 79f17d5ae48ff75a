"""AdaGrad on vectors of sixteen lanes over exact chains of order 1: what ``train_dense.py`` does, in single precision.

Examples are left to double precision as in ``lane_train.py``; the arrays are named in ``lane_state.py``. State 0 is the
beginning, state 1 + a the label a before; ``score`` has a row of exponentials for each, and since they are claimed
first, their gradients begin where their rows do. Masses of each column sum to one, and what lies ahead is divided by
the same sums.

Where windows are additive, that without labels fires at each position, as the bias does: its weights are added to the
bias's, and its gradient is the bias's.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.lane_contexts import ONE, PAIR
from rcmviz.kernels.chain.lane_emissions import LOWEST, START
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, highest, larger, load, splat, store, total
from rcmviz.kernels.learn.lane_features import count_features, emit_example
from rcmviz.kernels.learn.lane_train import FARTHEST, MOST_MASS, UNEVEN, UNSEEN, example_of
from rcmviz.kernels.learn.lane_weights import ascend_both, claim, is_full, row_of, sum_of
from rcmviz.kernels.learn.lane_windows import score_row
from rcmviz.kernels.learn.train import LOG_LIKELIHOOD, LOST, MEAN_LENGTH


@part(error_model="numpy", _nrt=False)
def score_states(positions, model, labels, shift, room):
    """Exponentials of the windows of all states that ``positions`` positions reach; returns the largest square."""
    weight, index, base, far = model.weights.windows.weight, model.indices.windows, model.address.base, np.float32(0)
    for state in range(1 if positions == 1 else labels + 1):
        window = base[0, 0] if state == 0 else base[1, 1] + state - 1
        to = claim(window, shift, room.piles.windows)
        at = row_of(window, index) * labels
        square = score_row(weight, at, labels, shift, room.windows.far.size << shift, to, room.windows)
        far = square if square > far else far
    return far


@helper(error_model="numpy", _nrt=False)
def forward_states(positions, labels, shift, room):
    """Forward masses, and log Z up to the emissions' scale; NaN where single precision does not hold them."""
    score, log_z, product = room.windows.score, 0.0, 1.0
    for i in range(positions):
        emit, alpha, before = room.emit[i], room.alpha[i], room.alpha[i - 1 if i > 0 else 0]
        sums = splat(np.float32(0))
        for y in range(0, 1 << shift, PAIR):
            if i == 0:
                left, right = load(score, y), load(score, y + LANES)
            else:
                left = right = splat(np.float32(0))
                for a in range(labels):
                    mass, at = splat(before[a]), ((1 + a) << shift) + y
                    left = left + mass * load(score, at)
                    right = right + mass * load(score, at + LANES)
            left, right = left * load(emit, y), right * load(emit, y + LANES)
            store(alpha, y, left)
            store(alpha, y + LANES, right)
            sums = sums + (left + right)
        whole = np.float64(total(sums))
        if not 1 / MOST_MASS < whole < MOST_MASS:
            return np.nan
        room.scale[i] = 1 / whole
        for y in range(0, 1 << shift, LANES):
            store(alpha, y, load(alpha, y) * splat(room.scale[i]))
        product *= whole
        if not 1e-200 < product < 1e200:
            log_z += np.log(product)
            product = 1.0
    return log_z + np.log(product)


@kernel(error_model="numpy", _nrt=False, inline="always")
def share_state(state, forward, shift, score, label, gradient):
    """Minus the shares of a state's arcs into its gradient; what lies ahead of it. ``label`` is what follows them."""
    sums, row = splat(np.float32(0)), state << shift
    for y in range(0, 1 << shift, LANES):
        arcs = load(score, row + y) * load(label, y)
        sums = sums + arcs
        store(gradient, row + y, load(gradient, row + y) - splat(forward) * arcs)
    return total(sums)


@helper(error_model="numpy", _nrt=False)
def expect_states(gold, entries, data, labels, shift, least, room):
    """Minus the expected counts, and the gold's of emissions, into the gradients; False where masses were lost."""
    label, score, ahead, gradient = room.label, room.windows.score, room.ahead, room.piles.windows.gradient
    for y in range(0, 1 << shift, LANES):
        store(ahead, y, splat(np.float32(1)))
    highest_ahead = 1.0
    for i in range(gold.size - 1, -1, -1):
        emit, alpha = room.emit[i], room.alpha[i]
        for y in range(0, 1 << shift, LANES):
            store(label, y, splat(np.float32(0)) - load(alpha, y) * load(ahead, y))
            store(emit, y, load(emit, y) * load(ahead, y) * splat(room.scale[i]))
        seen = labels * labels * least * room.scale[i] * highest_ahead < UNSEEN
        if not (seen and abs(sum_of(label, shift) + 1) < UNEVEN):
            return False
        count_features(i, gold[i], entries, data, shift, label, room.piles.emission)
        if i == 0:
            share_state(0, np.float32(1), shift, score, emit, gradient)
        else:
            before, top = room.alpha[i - 1], splat(np.float32(0))
            for a in range(labels):
                ahead[a] = share_state(1 + a, before[a], shift, score, emit, gradient)
            for y in range(0, 1 << shift, LANES):
                top = larger(top, load(ahead, y))
            highest_ahead = np.float64(highest(top))
    return True


@part(error_model="numpy", _nrt=False)
def observe_states(gold, shift, room):
    """Add the gold's counts of windows; returns its log score."""
    gradient, log = room.piles.windows.gradient, room.windows.log
    score, state = 0.0, np.int64(0)
    for i in range(gold.size):
        y = gold[i]
        gradient[(state << shift) + y] += ONE
        score += log[(state << shift) + y] + room.log_emit[(i << shift) + y]
        state = 1 + y
    return score


@kernel(error_model="numpy", _nrt=False, inline="always")
def observe_example(w, data, model, always, begin, labels, shift, room, measures):
    """Gradients of example w, ``measures (4,)`` what it was like; False where it is not for single precision.
    ``always`` and ``begin`` as in ``lane_features.py``.
    """
    entries, gold = example_of(w, data)
    emission = model.weights.emission.weight
    top = emit_example(entries, data, emission, always, begin, labels, shift, room.log_emit, room.emit)
    far = score_states(gold.size, model, labels, shift, room)
    if not far < FARTHEST * FARTHEST:
        return False
    log_z = forward_states(gold.size, labels, shift, room)
    least = np.exp(np.sqrt(np.float64(far)) + LOWEST)
    if not abs(log_z + top) < np.inf or not expect_states(gold, entries, data, labels, shift, least, room):
        return False
    measures[LOG_LIKELIHOOD] = observe_states(gold, shift, room) - log_z - top
    measures[MEAN_LENGTH], measures[LOST] = 1.0 if gold.size > 1 else 0.0, 0.0
    return True


@kernel(error_model="numpy", _nrt=False, inline="always")
def add_rows(one, at, other, also, into, to, shift):
    """The sum of the rows that begin at two places, into another."""
    for y in range(0, 1 << shift, LANES):
        store(into, to + y, load(one, at + y) + load(other, also + y))


@kernel(error_model="numpy", _nrt=False)
def lane_exact_stretch(visit, data, model, labels, shift, steps, measures, room, row, additive):
    """What `train_dense.train_dense_stretch` does with windows of one label; stops as `lane_train.lane_stretch`.

    Where windows are additive, the row of the bias is made in ``row``.
    """
    visit, data, model, steps, measures = bare((visit, data, model, steps, measures))
    room, both = bare((room, row))
    windows, features = room.piles.windows, room.piles.emission
    index, shortest, last = model.indices.windows, model.address.base[1, 0], features.place.size - 1
    weights, emission = model.weights.windows.weight, model.weights.emission.weight
    always, begin = (both, START) if additive else (emission, last * labels)
    for j in range(visit.size):
        if additive:
            add_rows(emission, last * labels, weights, row_of(shortest, index) * labels, both, START, shift)
        if is_full(index, model.most) or not observe_example(
            visit[j], data, model, always, begin, labels, shift, room, measures[j]
        ):
            return
        if additive:
            at, to = claim(last, shift, features), claim(shortest, shift, windows)
            add_rows(features.gradient, at, windows.gradient, to, windows.gradient, to, shift)
        if not ascend_both(model, steps[0], labels, shift, room.piles, measures[j]):
            return
        steps[0] += 1
