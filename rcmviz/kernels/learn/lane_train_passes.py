"""Training in several passes on vectors of sixteen lanes: what ``train.py`` does with them, as ``lane_train.py``.

Contexts are ranked by their mass times what the pass before has seen ahead of them. The first pass has one before, too:
one that kept the root alone, for which all that lies ahead is alike. Gradients are those of the last pass.

``space = (two workspaces of the same lanes, (ahead, key, image), passes)``: ``ahead`` and ``key`` have a row for each
slot, ``image (T+1, slots)`` the slot of the pass before that a context's longest suffix had there.
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
from rcmviz.kernels.learn.lane_train import MOST_MASS, count_windows, emitted, gather, score_column
from rcmviz.kernels.learn.lane_weights import ascend_both, is_full

SLOT = 2  # of the first context that is not the root
FAINT = 1e-25  # share of a column's mass, times what lies ahead: of less single precision may not know how much it is


@kernel(error_model="numpy", _nrt=False, inline="always")
def know_nothing(positions, space, image):
    """What a pass that keeps the root alone leaves behind."""
    _, columns, size = space
    parent, beta = columns[1], columns[6]
    for i in range(positions + 1):
        size[i], parent[i, ROOT], beta[i, ROOT], image[i, ROOT] = SLOT, 0, 1, ROOT


@part(error_model="numpy", _nrt=False)
def rank(i, mass, size, before, image, shift, ahead, key):
    """``key[k, y]``: mass of a candidate times what the pass before has seen ahead, as `contexts.rank_by_posterior`."""
    lanes, columns, sizes = before
    message, chosen, parent, beta = lanes[4], columns[0][i + 1], columns[1][i], columns[6][i + 1]
    count = sizes[i + 1] - SLOT
    send(message, chosen, count, SLOT, beta)
    for y in range(0, 1 << shift, LANES):
        store(ahead, y, splat(beta[ROOT]))
    for k in range(1, sizes[i]):
        to, up = k << shift, np.int64(parent[k]) << shift
        for y in range(0, 1 << shift, LANES):
            inherit(message, ahead, to + y, up + y)
    take_back(message, chosen, count)
    for k in range(1, size):
        to, at = k << shift, image[np.uint64(k)] << shift
        for y in range(0, 1 << shift, LANES):
            store(key, to + y, load(mass, to + y) * load(ahead, at + y))


@kernel(error_model="numpy", _nrt=False, inline="always")
def map_images(i, chosen, count, before, image, shift):
    """The images of column i + 1, as `contexts.map_images`; ``chosen`` are the candidates that are kept."""
    _, columns, sizes = before
    for j in range(count):
        place = np.int64(chosen[j])
        k, y = place >> shift, place & ((1 << shift) - 1)
        to = follow(columns[0][i + 1], sizes[i + 1] - SLOT, columns[1][i], image[i, k], y, SLOT, shift)
        image[i + 1, SLOT + j] = max(to, np.int64(ROOT))


@kernel(error_model="numpy", _nrt=False, inline="always")
def lowest_key(key, chosen, count):
    """The least key of those that are kept."""
    lowest = np.float32(np.inf)
    for j in range(count):
        lowest = min(lowest, key[np.uint32(chosen[j])])
    return np.float64(lowest)


@kernel(error_model="numpy", _nrt=False)
def forward_pass(positions, weight, how, address, index, space, before, ranking, room):
    """As `lane_train.forward_example`, ranked by the pass before; NaN also where a key is too small to be known."""
    _, budget, _, shift, labels = how
    lanes, columns, size = space
    emit, mass, chosen, row, alpha = lanes[0], lanes[1], columns[0], columns[2], columns[5]
    score, (scale, least), (ahead, key, image) = room[2][0], room[3], ranking
    log_z, product, lengths, guess = 0.0, 1.0, 0.0, FIRST_GUESS
    begin_lanes(address, shift, space)
    for i in range(positions):
        if not score_column(i, weight, how, address, index, space, room):
            return np.nan, 0.0
        if i < positions - 1:
            expand(emit[i], score, row[i], alpha[i], size[i], shift, mass)
            rank(i, mass, size[i], before, image[i], shift, ahead, key)
            whole, mean, guess = next_column(i, key, budget, True, score, shift, address, space, guess)
            lengths += mean
            found, candidates = size[i + 1] - SLOT, (size[i] - (1 if alpha[i, ROOT] > 0 else SLOT)) * labels
            map_images(i, chosen[i + 1], found, before, image, shift)
            is_known = lowest_key(key, chosen[i + 1], found) > max(least[i], FAINT * whole)
            if found < min(budget, candidates) or not (is_known or found == candidates):
                return np.nan, 0.0
        else:
            whole = last_mass(i, score, shift, space)
        if not 1 / MOST_MASS < whole < MOST_MASS:
            return np.nan, 0.0
        scale[i] = 1 / whole
        log_z, product = gather(whole, log_z, product)
    return log_z + np.log(product), lengths / max(positions - 1, 1)


@kernel(error_model="numpy", _nrt=False)
def backward_pass(positions, shift, space, room):
    """What lies ahead of the contexts of all columns, the most of each column one; forgets the windows that it met."""
    lanes, columns, size = space
    emit, ahead, message, chosen, beta = lanes[0], lanes[1], lanes[4], columns[0], columns[6]
    _, label, rows, _, (place, addresses, _, many), _ = room
    count, rest = 0, np.float32(1)
    for i in range(positions - 1, -1, -1):
        send(message, chosen[i + 1], count, SLOT, beta[i + 1])
        sum_arcs(emit[i], rows[0], column(columns, i), size[i], shift, message, ahead, rest, label)
        take_back(message, chosen[i + 1], count)
        divide_by_highest(beta[i], size[i])
        count, rest = size[i] - SLOT, beta[i, ROOT]
    for j in range(many[0]):
        place[np.uint64(addresses[j])] = 0
    many[0] = 0


@kernel(error_model="numpy", _nrt=False, inline="always")
def observe_example(w, data, groups, how, address, index, space, room, measures):
    """`lane_train.observe_example` with all passes."""
    (now, before), ranking, passes = space
    weight = groups[0][0]
    example = emitted(w, data, groups[1][0], how, room, now[0][0])
    length, found = example[1].size, (np.nan, 0.0)
    know_nothing(length, before, ranking[2])
    for turn in range(passes):
        if turn > 0:
            backward_pass(length, how[3], now, room)
            now, before = before, now
        found = forward_pass(length, weight, how, address, index, now, before, ranking, room)
        if not abs(found[0]) < np.inf:
            return False
    return count_windows(example, found, data, weight, how, address, index, now, room, measures)


@kernel(error_model="numpy", _nrt=False)
def lane_passes_stretch(visit, data, groups, how, pace, address, measures, rows, space, room):
    """`lane_train.lane_stretch` with all passes."""
    (rate, steps), (indices, most) = pace, rows
    for j in range(visit.size):
        if is_full(indices[0], most) or not (
            observe_example(visit[j], data, groups, how, address, indices[0], space, room, measures[j])
            and ascend_both(groups, rate, steps[0], how[3:], room[4:], indices, measures[j])
        ):
            return
        steps[0] += 1
