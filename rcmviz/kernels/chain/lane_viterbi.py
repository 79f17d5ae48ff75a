"""The best labels of a word on vectors of sixteen lanes, from the contexts that its forward masses were chosen with.

The workspace ``space`` is that of ``lane_state.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import rows_at
from rcmviz.kernels.chain.lane_contexts import (
    LEAST_MASS,
    LEAST_NORMAL,
    PAIR,
    ROOT,
    arcs_of,
    follow,
    send,
    take_back,
)
from rcmviz.kernels.kernel import helper, part
from rcmviz.kernels.lanes import LANES, first, highest, hits, larger, load, splat, store, where


@part(error_model="numpy", _nrt=False)
def best_arcs(emit, table, there, size, shift, message, ahead, rest):
    """The best arc of each context of one position, ties to the lower label, and its value."""
    best = there.beta
    for y in range(0, emit.size, LANES):
        store(ahead, y, splat(rest))
    for k in range(1, size):
        to, at, up = k << shift, there.row[k], there.parent[k] << shift
        top, winner = np.float32(-1), 0
        for y in range(0, emit.size, PAIR):
            z = y + LANES
            arcs = arcs_of(load(emit, y), table, at + y, message, ahead, to + y, up + y)
            more = arcs_of(load(emit, z), table, at + z, message, ahead, to + z, up + z)
            value = highest(larger(arcs, more))
            if value > top:
                top, winner = value, first(arcs == splat(value))
                winner = y + (winner if winner < LANES else LANES + first(more == splat(value)))
        best[k], there.choice[k] = top, winner
    best[0] = 0
    store(best, size, splat(np.float32(0)))


@helper(error_model="numpy", _nrt=False)
def are_arcs_certain(emit, table, there, size, shift, ahead, is_far):
    """Whether each context's best arc is known: heavy enough, or none for sure."""
    best, none = there.beta, splat(np.float32(0))
    least, floor = (LEAST_MASS, np.float32(1)) if is_far else (LEAST_NORMAL, np.float32(0))
    for k in range(1, size):
        if best[k] > least:
            continue
        if best[k] > 0:
            return False
        for y in range(0, emit.size, LANES):
            score = load(table, there.row[k] + y) * larger(load(emit, y), splat(floor))
            if hits(where(load(ahead, (k << shift) + y) > none, score, none) > none) > 0:
                return False
    return True


@part(error_model="numpy", _nrt=False)
def divide_by_highest(beta, size):
    """Scale to a maximum of one, or to zeros if the maximum is too small to be trusted; returns the maximum."""
    top = splat(np.float32(0))
    for k in range(0, size, LANES):
        top = larger(top, load(beta, k))
    top = highest(top)
    inverse = splat(np.float32(1) / top if top > LEAST_MASS else np.float32(0))
    for k in range(0, size, LANES):
        store(beta, k, load(beta, k) * inverse)
    return np.float64(top)


@part(error_model="numpy", _nrt=False)
def viterbi_lanes(positions, is_far, selection, table, space, labels):
    """The best labels into ``labels``; returns their log score up to the emissions' scale.

    NaN, and no labels, if single precision is not enough.
    """
    emit, ahead, message, size, shift = (
        space.rows.emit,
        space.rows.mass,
        space.rows.message,
        space.size,
        selection.shift,
    )
    chosen, best = space.columns.chosen, space.columns.beta
    count, rest, scale, product = 0, np.float32(1), 0.0, 1.0
    for i in range(positions - 1, -1, -1):
        send(message, chosen[i + 1], count, selection.first, best[i + 1])
        there = rows_at(space.columns, i)
        best_arcs(emit[i], table, there, size[i], shift, message, ahead, rest)
        take_back(message, chosen[i + 1], count)
        if not are_arcs_certain(emit[i], table, there, size[i], shift, ahead, is_far):
            return np.nan
        top = divide_by_highest(best[i], size[i])
        product *= top if top > LEAST_MASS else np.nan
        count, rest = size[i] - selection.first, best[i, ROOT] if selection.merging else np.float32(0)
        if not 1e-200 < product < 1e200:
            scale += np.log(product)
            product = 1.0
    k = np.int64(ROOT)
    for i in range(positions):
        labels[i] = space.columns.choice[i, k]
        if i < positions - 1:
            found, parent = size[i + 1] - selection.first, space.columns.parent[i]
            k = follow(chosen[i + 1], found, parent, k, labels[i], selection.first, shift)
            if k == 0:
                k = np.int64(ROOT) if selection.merging else 0
    return scale + np.log(product)
