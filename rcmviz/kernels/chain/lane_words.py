"""Many words at once on vectors of sixteen lanes: what ``words.py`` does, in single precision, for plain RCMS and beam.

Contexts and their workspace ``space`` are those of ``lane_contexts.py``. A word for which single precision is not
enough gets NaN for log Z: a position's mass or a message is too small to be trusted, or an underflow could have changed
the selected contexts. ``core/batch.py`` computes such words again in double precision. No weight of the table exceeds
one. A word is *far* if emissions of it may have underflowed, so that they look impossible: more is asked of it.
"""

import numpy as np

from rcmviz.kernels.chain.lane_contexts import (
    LEAST_FAR_MASS,
    LEAST_MASS,
    PAIR,
    ROOT,
    WIDE,
    arcs_of,
    begin_lanes,
    column,
    expand,
    is_selection_certain,
    last_mass,
    next_column,
    send,
    take_back,
)
from rcmviz.kernels.chain.lane_emissions import START, copy
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS
from rcmviz.kernels.chain.lane_viterbi import divide_by_highest, viterbi_lanes
from rcmviz.kernels.chain.words import LOG_SCORE, LOG_Z, MEAN_LENGTH
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, load, splat, store, total


@part(error_model="numpy", _nrt=False)
def forward_lanes(positions, is_far, budget, merging, table, shift, address, space):
    """Contexts and forward masses of all positions; returns log Z up to the emissions' scale and the mean length.

    NaN if single precision is not enough.
    """
    scale, product, lengths, guess, is_complete = 0.0, 1.0, 0.0, FIRST_GUESS, positions > 0
    least, floor = (LEAST_FAR_MASS, np.float32(1)) if is_far else (LEAST_MASS, np.float32(0))
    lanes, columns, size = space
    emit, mass, row, alpha = lanes[0], lanes[1], columns[2], columns[5]
    begin_lanes(address, shift, space)
    for i in range(positions - 1):
        expand(emit[i], table, row[i], alpha[i], size[i], shift, mass)
        whole, mean, guess = next_column(i, mass, budget, merging, table, shift, address, space, guess)
        found = size[i + 1] - (2 if merging else 1)
        if not whole > least or not is_selection_certain(
            emit[i], table, row[i], alpha[i], size[i], alpha[i + 1], found, budget, merging, whole, is_complete, floor
        ):
            return np.nan, 0.0
        is_complete = is_complete and found < budget
        lengths += mean
        product *= whole
        if not 1e-200 < product < 1e200:
            scale += np.log(product)
            product = 1.0
    whole = last_mass(positions - 1, table, shift, space)
    product *= whole if whole > least else np.nan
    return scale + np.log(product), lengths / max(positions - 1, 1)


@part(error_model="numpy", _nrt=False)
def sum_wide_arcs(emit, table, there, size, shift, message, ahead, rest, posterior):
    """`sum_arcs` where rows are wide."""
    parent, row, alpha, beta = there[1], there[2], there[5], there[6]
    for y in range(0, emit.size, LANES):
        store(ahead, y, splat(rest))
        store(posterior, y, splat(np.float32(0)))
    store(beta, size & -LANES, splat(np.float32(0)))
    beta[0] = 0
    for k in range(1, size):
        to, at, up = k << shift, np.int64(row[k]), np.int64(parent[k]) << shift
        forward, whole = splat(alpha[k]), splat(np.float32(0))
        for y in range(0, emit.size, LANES):
            arcs = arcs_of(load(emit, y), table, at + y, message, ahead, to + y, up + y)
            store(posterior, y, load(posterior, y) + forward * arcs)
            whole = whole + arcs
        beta[k] = total(whole)


@part(error_model="numpy", _nrt=False)
def sum_arcs(emit, table, there, size, shift, message, ahead, rest, posterior):
    """Backward messages, not scaled, and label posteriors, neither, of one position in one sweep of its arcs."""
    parent, row, alpha, beta = there[1], there[2], there[5], there[6]
    for k in range(0, size + 1, LANES):
        store(beta, k, splat(np.float32(0)))
    for y in range(0, emit.size, PAIR):
        z = y + LANES
        left, right = load(emit, y), load(emit, z)
        shares, others = splat(np.float32(0)), splat(np.float32(0))
        store(ahead, y, splat(rest))
        store(ahead, z, splat(rest))
        for k in range(1, size):
            to, at, up = k << shift, np.int64(row[k]), np.int64(parent[k]) << shift
            arcs = arcs_of(left, table, at + y, message, ahead, to + y, up + y)
            more = arcs_of(right, table, at + z, message, ahead, to + z, up + z)
            shares, others = shares + splat(alpha[k]) * arcs, others + splat(alpha[k]) * more
            beta[k] += total(arcs + more)
        store(posterior, y, shares)
        store(posterior, z, others)


@part(error_model="numpy", _nrt=False)
def posterior_lanes(positions, is_far, merging, table, shift, space, posterior, begin, depth):
    """Label posteriors ``P(y_i = v)`` of one word into the flat ``posterior``, rows of ``depth`` from ``begin`` on.

    Returns False if single precision is not enough.
    """
    lanes, columns, size = space
    emit, ahead, _, _, message, _, _, shares = lanes
    chosen, beta = columns[0], columns[6]
    least = LEAST_FAR_MASS if is_far else LEAST_MASS
    slot, count, rest = 2 if merging else 1, 0, np.float32(1)
    for i in range(positions - 1, -1, -1):
        send(message, chosen[i + 1], count, slot, beta[i + 1])
        if shift >= WIDE:
            sum_wide_arcs(emit[i], table, column(columns, i), size[i], shift, message, ahead, rest, shares)
        else:
            sum_arcs(emit[i], table, column(columns, i), size[i], shift, message, ahead, rest, shares)
        take_back(message, chosen[i + 1], count)
        divide_by_highest(beta[i], size[i])
        count, rest = size[i] - slot, beta[i, ROOT] if merging else np.float32(0)
        whole = splat(np.float32(0))
        for y in range(0, shares.size, LANES):
            whole = whole + load(shares, y)
        mass = total(whole)
        if not mass > least:
            return False
        inverse = np.float32(1) / mass
        for y in range(0, shares.size, LANES):
            store(shares, y, load(shares, y) * splat(inverse))
        copy(shares, START, posterior, (begin + i) * depth, depth)
    return True


@kernel(error_model="numpy", _nrt=False)
def infer_lanes(thread, threads, emit, offset, far, work, table, address, outputs, space):
    """Every ``threads``-th word from ``thread`` on, as ``words.infer_words``; ``work = (budget, merging, shift, Y)``.

    ``far (W,)`` says which words are far. ``emit``, the posterior among ``outputs`` and ``table`` are flat; rows of the
    table have 2^shift lanes.
    """
    budget, merging, shift, depth = work
    labels, scores, posterior = outputs
    padded = space[0][0]
    for w in range(thread, offset.size - 1, threads):
        begin, end = offset[w], offset[w + 1]
        for i in range(end - begin):
            copy(emit, (begin + i) * depth, padded[i], START, depth)
        scores[w, LOG_Z], mean = forward_lanes(end - begin, far[w], budget, merging, table, shift, address, space)
        if np.isnan(scores[w, LOG_Z]):
            continue
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean
        if labels.shape[0] > 0:
            scores[w, LOG_SCORE] = viterbi_lanes(end - begin, far[w], merging, table, shift, space, labels[begin:end])
            if np.isnan(scores[w, LOG_SCORE]):
                scores[w, LOG_Z] = np.nan
        if posterior.size > 0 and not posterior_lanes(
            end - begin, far[w], merging, table, shift, space, posterior, begin, depth
        ):
            scores[w, LOG_Z] = np.nan
