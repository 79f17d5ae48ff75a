"""Many words at once on vectors of sixteen lanes: what ``words.py`` does, in single precision, for plain RCMS and beam.

Contexts are those of ``lane_contexts.py``. A word for which single precision is not enough gets NaN for log Z: a
position's mass or a message is too small to be trusted, or an underflow could have changed the selected contexts.
``core/inference/batch.py`` computes such words again in double precision. No weight of the table exceeds one. A word is
*far* if emissions of it may have underflowed, so that they look impossible: more is asked of it.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare, rows_at
from rcmviz.kernels.chain.lane_contexts import (
    LEAST_FAR_MASS,
    LEAST_MASS,
    ONE,
    ROOT,
    begin_lanes,
    expand,
    is_selection_certain,
    last_mass,
    next_column,
    send,
    sum_arcs,
    take_back,
)
from rcmviz.kernels.chain.lane_emissions import START, copy
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS
from rcmviz.kernels.chain.lane_viterbi import divide_by_highest, viterbi_lanes
from rcmviz.kernels.chain.words import LOG_SCORE, LOG_Z, MEAN_LENGTH
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, load, splat, store, total
from rcmviz.kernels.rows import ZERO


@part(error_model="numpy", _nrt=False)
def forward_lanes(positions, is_far, selection, table, address, space):
    """Contexts and forward masses of all positions; returns log Z up to the emissions' scale and the mean length.

    NaN if single precision is not enough.
    """
    scale, product, lengths, guess, is_complete = 0.0, 1.0, 0.0, FIRST_GUESS, positions > 0
    least, floor = (LEAST_FAR_MASS, np.float32(1)) if is_far else (LEAST_MASS, np.float32(0))
    emit, mass, shift = space.rows.emit, space.rows.mass, selection.shift
    begin_lanes(address, shift, space)
    for i in range(positions - 1):
        expand(emit[i], table, rows_at(space.columns, i), space.size[i], shift, mass)
        whole, mean, guess = next_column(i, mass, selection, table, address, space, guess)
        if not whole > least or not is_selection_certain(i, selection, table, space, whole, is_complete, floor):
            return np.nan, 0.0
        is_complete = is_complete and space.size[i + 1] - selection.first < selection.budget
        lengths += mean
        product *= whole
        if not 1e-200 < product < 1e200:
            scale += np.log(product)
            product = 1.0
    whole = last_mass(positions - 1, table, shift, space)
    product *= whole if whole > least else np.nan
    return scale + np.log(product), lengths / (positions - 1 if positions > 1 else 1)


@part(error_model="numpy", _nrt=False)
def posterior_lanes(positions, is_far, selection, table, space, posterior, begin):
    """Label posteriors ``P(y_i = v)`` of one word into the flat ``posterior``, rows of labels from ``begin`` on.

    Returns False if single precision is not enough.
    """
    emit, ahead, message, shares = space.rows.emit, space.rows.mass, space.rows.message, space.rows.shares
    chosen, beta, size, shift = space.columns.chosen, space.columns.beta, space.size, selection.shift
    least, count, rest = LEAST_FAR_MASS if is_far else LEAST_MASS, ZERO, ONE
    for i in range(positions - 1, -1, -1):
        send(message, chosen[i + 1], count, selection.first, beta[i + 1])
        there = rows_at(space.columns, i)
        sum_arcs(emit[i], ONE, table, there, size[i], shift, message, ahead, rest, shares, None)
        take_back(message, chosen[i + 1], count)
        divide_by_highest(beta[i], size[i])
        count, rest = size[i] - selection.first, beta[i, ROOT] if selection.merging else np.float32(0)
        whole = splat(np.float32(0))
        for y in range(0, shares.size, LANES):
            whole = whole + load(shares, y)
        mass = total(whole)
        if not mass > least:
            return False
        inverse = np.float32(1) / mass
        for y in range(0, shares.size, LANES):
            store(shares, y, load(shares, y) * splat(inverse))
        copy(shares, START, posterior, (begin + i) * selection.labels, selection.labels)
    return True


@kernel(error_model="numpy", _nrt=False)
def infer_lanes(thread, threads, emit, offset, far, selection, table, address, outputs, posterior, space):
    """Every ``threads``-th word from ``thread`` on, as ``words.infer_words``; ``far (W,)`` says which words are far.

    ``emit``, ``table`` and ``posterior`` are flat, the last empty if posteriors are not requested. Other arguments are
    those of ``lane_state.py``.
    """
    emit, offset, far, table = bare((emit, offset, far, table))
    address, outputs, posterior, space = bare((address, outputs, posterior, space))
    scores, labels, padded = outputs.scores, selection.labels, space.rows.emit
    for w in range(thread, offset.size - 1, threads):
        begin, end = offset[w], offset[w + 1]
        for i in range(end - begin):
            copy(emit, (begin + i) * labels, padded[i], START, labels)
        scores[w, LOG_Z], mean = forward_lanes(end - begin, far[w], selection, table, address, space)
        if np.isnan(scores[w, LOG_Z]):
            continue
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean
        if outputs.labels.size > 0:
            best = outputs.labels[begin:end]
            scores[w, LOG_SCORE] = viterbi_lanes(end - begin, far[w], selection, table, space, best)
            if np.isnan(scores[w, LOG_SCORE]):
                scores[w, LOG_Z] = np.nan
        if posterior.size > 0:
            is_known = posterior_lanes(end - begin, far[w], selection, table, space, posterior, begin)
            scores[w, LOG_Z] = scores[w, LOG_Z] if is_known else np.nan
