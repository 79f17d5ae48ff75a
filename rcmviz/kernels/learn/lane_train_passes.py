"""Training in several passes on vectors of sixteen lanes: what ``train.py`` does with them, as ``lane_train.py``.

Contexts are ranked by their mass times what the pass before has seen ahead of them. The first pass has one before, too:
one that kept the root alone, for which all that lies ahead is alike. Gradients are those of the last pass.
"""

import numpy as np

from rcmviz.kernels.chain.lane_contexts import (
    ROOT,
    begin_lanes,
    column,
    expand,
    follow,
    inherit,
    last_mass,
    next_column,
    send,
    take_back,
)
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS
from rcmviz.kernels.chain.lane_viterbi import divide_by_highest
from rcmviz.kernels.chain.lane_words import sum_arcs
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, load, splat, store
from rcmviz.kernels.learn.lane_train import MOST_MASS, count_windows, emitted, example_of, gather, score_column
from rcmviz.kernels.learn.lane_weights import ascend_both, is_full

SLOT = 2  # of the first context that is not the root
FAINT = 1e-25  # share of a column's mass, times what lies ahead: of less single precision may not know how much it is


@kernel(error_model="numpy", _nrt=False, inline="always")
def know_nothing(positions, space, image):
    """What a pass that keeps the root alone leaves behind."""
    parent, beta = space.columns.parent, space.columns.beta
    for i in range(positions + 1):
        space.size[i], parent[i, ROOT], beta[i, ROOT], image[i, ROOT] = SLOT, 0, 1, ROOT


@part(error_model="numpy", _nrt=False)
def rank(i, mass, size, before, ranking, shift):
    """``key[k, y]``: mass of a candidate times what the pass before has seen ahead, as `contexts.rank_by_posterior`."""
    message, chosen, ahead = before.rows.message, before.columns.chosen[i + 1], ranking.ahead
    parent, beta, count = before.columns.parent[i], before.columns.beta[i + 1], before.size[i + 1] - SLOT
    send(message, chosen, count, SLOT, beta)
    for y in range(0, 1 << shift, LANES):
        store(ahead, y, splat(beta[ROOT]))
    for k in range(1, before.size[i]):
        to, up = k << shift, np.int64(parent[k]) << shift
        for y in range(0, 1 << shift, LANES):
            inherit(message, ahead, to + y, up + y)
    take_back(message, chosen, count)
    for k in range(1, size):
        to, at = k << shift, ranking.image[i, k] << shift
        for y in range(0, 1 << shift, LANES):
            store(ranking.key, to + y, load(mass, to + y) * load(ahead, at + y))


@kernel(error_model="numpy", _nrt=False, inline="always")
def map_images(i, chosen, count, before, image, shift):
    """The images of column i + 1, as `contexts.map_images`; ``chosen`` are the candidates that are kept."""
    kept, parent, found = before.columns.chosen[i + 1], before.columns.parent[i], before.size[i + 1] - SLOT
    for j in range(count):
        place = np.int64(chosen[j])
        to = follow(kept, found, parent, image[i, place >> shift], place & ((1 << shift) - 1), SLOT, shift)
        image[i + 1, SLOT + j] = max(to, np.int64(ROOT))


@kernel(error_model="numpy", _nrt=False, inline="always")
def lowest_key(key, chosen, count):
    """The least key of those that are kept."""
    lowest = np.float32(np.inf)
    for j in range(count):
        lowest = min(lowest, key[np.uint32(chosen[j])])
    return np.float64(lowest)


@kernel(error_model="numpy", _nrt=False)
def forward_pass(positions, model, selection, space, before, ranking, room):
    """As `lane_train.forward_example`, ranked by the pass before; NaN also where a key is too small to be known."""
    emit, mass, score, size = space.rows.emit, space.rows.mass, room.windows.score, space.size
    shift, chosen, alpha, key = selection.shift, space.columns.chosen, space.columns.alpha, ranking.key
    log_z, product, lengths, guess = 0.0, 1.0, 0.0, FIRST_GUESS
    begin_lanes(model.address, shift, space)
    for i in range(positions):
        if not score_column(i, model, selection, space, room):
            return np.nan, 0.0
        if i < positions - 1:
            expand(emit[i], score, column(space.columns, i), size[i], shift, mass)
            rank(i, mass, size[i], before, ranking, shift)
            whole, mean, guess = next_column(i, key, selection, score, model.address, space, guess)
            lengths += mean
            found = size[i + 1] - SLOT
            candidates = (size[i] - (1 if alpha[i, ROOT] > 0 else SLOT)) * selection.labels
            map_images(i, chosen[i + 1], found, before, ranking.image, shift)
            is_known = lowest_key(key, chosen[i + 1], found) > max(room.least[i], FAINT * whole)
            if found < min(selection.budget, candidates) or not (is_known or found == candidates):
                return np.nan, 0.0
        else:
            whole = last_mass(i, score, shift, space)
        if not 1 / MOST_MASS < whole < MOST_MASS:
            return np.nan, 0.0
        room.scale[i] = 1 / whole
        log_z, product = gather(whole, log_z, product)
    return log_z + np.log(product), lengths / max(positions - 1, 1)


@kernel(error_model="numpy", _nrt=False)
def backward_pass(positions, shift, space, room):
    """What lies ahead of the contexts of all columns, the most of each column one; forgets the windows that it met."""
    emit, ahead, message, size = space.rows.emit, space.rows.mass, space.rows.message, space.size
    chosen, beta, pile, count, rest = space.columns.chosen, space.columns.beta, room.piles.windows, 0, np.float32(1)
    for i in range(positions - 1, -1, -1):
        there = column(space.columns, i)
        send(message, chosen[i + 1], count, SLOT, beta[i + 1])
        sum_arcs(emit[i], room.windows.score, there, size[i], shift, message, ahead, rest, room.label)
        take_back(message, chosen[i + 1], count)
        divide_by_highest(beta[i], size[i])
        count, rest = size[i] - SLOT, beta[i, ROOT]
    for j in range(pile.many[0]):
        pile.place[np.uint64(pile.addresses[j])] = 0
    pile.many[0] = 0


@kernel(error_model="numpy", _nrt=False, inline="always")
def observe_example(w, data, model, selection, passes, room, measures):
    """`lane_train.observe_example` with all passes."""
    now, before = passes.now, passes.before
    entries, gold = example_of(w, data)
    top = emitted(entries, data, model, selection, room, now.rows.emit)
    log_z, mean = np.nan, 0.0
    know_nothing(gold.size, before, passes.ranking.image)
    for turn in range(passes.count):
        if turn > 0:
            backward_pass(gold.size, selection.shift, now, room)
            now, before = before, now
        log_z, mean = forward_pass(gold.size, model, selection, now, before, passes.ranking, room)
        if not abs(log_z) < np.inf:
            return False
    return count_windows(entries, gold, log_z + top, mean, data, model, selection, now, room, measures)


@kernel(error_model="numpy", _nrt=False)
def lane_passes_stretch(visit, data, model, selection, steps, measures, passes, room):
    """`lane_train.lane_stretch` with all passes."""
    for j in range(visit.size):
        if is_full(model.indices.windows, model.most) or not (
            observe_example(visit[j], data, model, selection, passes, room, measures[j])
            and ascend_both(model, steps[0], selection.labels, selection.shift, room.piles, measures[j])
        ):
            return
        steps[0] += 1
