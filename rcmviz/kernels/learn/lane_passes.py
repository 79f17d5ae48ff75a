"""What several passes of a training add to ``lane_train.py``, on vectors of sixteen lanes, as ``train.py`` has it.

Contexts are ranked by their mass times what the pass before has seen ahead of them. The first pass has one before, too:
one that kept the root alone, for which all that lies ahead is alike. Gradients are those of the last pass.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import rows_at
from rcmviz.kernels.chain.lane_contexts import ONE, ROOT, follow, inherit, send, sum_arcs, take_back
from rcmviz.kernels.chain.lane_viterbi import divide_by_highest
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, load, splat, store
from rcmviz.kernels.rows import ZERO

SLOT = np.int64(2)  # of the first context that is not the root
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
        to, up = k << shift, parent[k] << shift
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
        place = chosen[j]
        to = follow(kept, found, parent, image[i, place >> shift], place & ((1 << shift) - 1), SLOT, shift)
        image[i + 1, SLOT + j] = to if to > 0 else ROOT


@helper(error_model="numpy", _nrt=False)
def backward_pass(positions, shift, space, room):
    """What lies ahead of the contexts of all columns, the most of each column one; forgets the windows that it met."""
    emit, ahead, message, size = space.rows.emit, space.rows.mass, space.rows.message, space.size
    chosen, beta, pile, score = space.columns.chosen, space.columns.beta, room.piles.windows, room.windows.score
    count, rest = ZERO, ONE
    for i in range(positions - 1, -1, -1):
        there = rows_at(space.columns, i)
        send(message, chosen[i + 1], count, SLOT, beta[i + 1])
        sum_arcs(emit[i], ONE, score, there, size[i], shift, message, ahead, rest, room.label, None)
        take_back(message, chosen[i + 1], count)
        divide_by_highest(beta[i], size[i])
        count, rest = size[i] - SLOT, beta[i, ROOT]
    for j in range(pile.many[0]):
        pile.place[pile.addresses[j]] = 0
    pile.many[0] = 0
