"""Exact inference in an n-gram chain whose states are the last n labels, for low orders and dense tables.

State s·y of position i + 1 is entered from a·s for every a, so with codes in base Y both the weights of one state and
the states that it leads to are runs of Y neighbours: every inner loop is contiguous. ``rows`` and ``sizes`` are those
of `States`. Masses are linear, or their logs by ``dense_logs.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import as_in, bare, fast_loops
from rcmviz.kernels.chain.dense_logs import backward_logs, forward_logs, posterior_logs, viterbi_logs
from rcmviz.kernels.chain.state import StatesSpace
from rcmviz.kernels.chain.words import LEAST_MASS, LOG_SCORE, LOG_Z, MEAN_LENGTH
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lengths import mean_history
from rcmviz.kernels.rows import divide_row, fill, sum_of


def states_space(longest, states, labels, dtype):
    """`StatesSpace` of words of up to ``longest`` positions."""
    widest = max(int(states.sizes.max()), labels)
    alpha, beta = np.zeros((2, longest + 1, widest), dtype)
    return StatesSpace(alpha, beta, np.zeros(max(longest, widest), dtype), np.zeros(labels, dtype))


@helper()
def forward_dense(emit, table, rows, sizes, alpha, last):
    """Forward masses ``alpha (T, S)``, each position summing to one; returns log Z up to the emissions' scale.

    ``last (Y,)`` is used up.
    """
    fast_loops()
    positions, width = emit.shape
    alpha[0, 0] = 1.0
    scale = 0.0
    for i in range(positions):
        size = sizes[i]
        ending = i == positions - 1
        suffixes = 1 if ending else sizes[i + 1] // width
        into = last if ending else alpha[i + 1]
        fill(into[: suffixes * width], 0)
        for code in range(size):
            weight, mass = table[rows[i] + code], alpha[i, code]
            run = into[(code % suffixes) * width : (code % suffixes + 1) * width]
            for y in range(width):
                run[y] += mass * weight[y]
        total = as_in(table, 0)
        for suffix in range(suffixes):
            run = into[suffix * width : (suffix + 1) * width]
            for y in range(width):
                run[y] *= emit[i, y]
                total += run[y]
        if not total > 0:
            return -np.inf
        divide_row(into[: suffixes * width], total)
        scale += np.log(total)
    return scale


@helper(fastmath={"reassoc"})
def backward_dense(emit, table, rows, sizes, beta, scale, message):
    """Backward messages ``beta (T+1, S)``, each position divided by its maximum, which goes into ``scale (T,)``.

    ``message (Y,)`` is used up.
    """
    fast_loops()
    positions, width = emit.shape
    fill(beta[positions, :width], 1.0)
    for i in range(positions - 1, -1, -1):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        highest = as_in(table, 0)
        for suffix in range(suffixes):
            run = beta[i + 1, suffix * width : (suffix + 1) * width]
            for y in range(width):
                message[y] = emit[i, y] * run[y]
            for code in range(suffix, sizes[i], suffixes):
                weight = table[rows[i] + code]
                total = as_in(table, 0)
                for y in range(width):
                    total += weight[y] * message[y]
                beta[i, code] = total
                highest = max(highest, total)
        scale[i] = highest
        if highest > 0:
            divide_row(beta[i, : sizes[i]], highest)


@helper()
def posterior_dense(emit, table, rows, sizes, alpha, beta, posterior):
    """Label posteriors ``(T, Y)``; position i's are sums of alpha · beta over the states that end in the label.

    Returns False if a position's mass is too small to be trusted.
    """
    fast_loops()
    positions, width = emit.shape
    is_trusted = True
    for i in range(positions):
        out = posterior[i]
        fill(out, 0)
        if i < positions - 1:
            for suffix in range(sizes[i + 1] // width):
                for y in range(width):
                    out[y] += alpha[i + 1, suffix * width + y] * beta[i + 1, suffix * width + y]
        else:
            for code in range(sizes[i]):
                weight, mass = table[rows[i] + code], alpha[i, code]
                for y in range(width):
                    out[y] += mass * weight[y] * emit[i, y]
        total = sum_of(out)
        is_trusted = is_trusted and total > LEAST_MASS
        if total > 0:
            divide_row(out, total)
    return is_trusted


@part()
def viterbi_dense(emit, table, rows, sizes, alpha, best, message, labels):
    """Best labels (ties to the lower label at the earliest position); returns their log score up to the scale.

    NaN if masses are too small to be trusted. ``message (Y,)`` is used up.
    """
    fast_loops()
    positions, width = emit.shape
    fill(best[positions, :width], 1.0)
    scale = 0.0
    for i in range(positions - 1, -1, -1):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        highest = through = as_in(table, 0)
        for suffix in range(suffixes):
            run = best[i + 1, suffix * width : (suffix + 1) * width]
            for y in range(width):
                message[y] = emit[i, y] * run[y]
            for code in range(suffix, sizes[i], suffixes):
                weight = table[rows[i] + code]
                top = as_in(table, 0)
                for y in range(width):
                    top = max(top, weight[y] * message[y])
                best[i, code] = top
                highest = max(highest, top)
                through += alpha[i, code] * top
        if not through > LEAST_MASS:
            return np.nan
        divide_row(best[i, : sizes[i]], highest)
        scale += np.log(highest)
    code = 0
    for i in range(positions):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        weight = table[rows[i] + code]
        run = best[i + 1, (code % suffixes) * width : (code % suffixes + 1) * width]
        winner = 0
        for y in range(1, width):
            if weight[y] * emit[i, y] * run[y] > weight[winner] * emit[i, winner] * run[winner]:
                winner = y
        labels[i] = winner
        code = (code % suffixes) * width + winner
    return scale


@kernel()
def infer_dense(thread, threads, emit, offset, table, states, logs, outputs, space):
    """Every ``threads``-th word from ``thread`` on, else as ``infer_words``; ``space`` is a `StatesSpace`.

    ``logs`` is None for linear masses, else true, and each is compiled for itself. Linear masses that are not enough
    leave −inf or NaN for log Z.
    """
    emit, offset, table, states, outputs, space = bare((emit, offset, table, states, outputs, space))
    labels, scores, posterior = outputs.labels, outputs.scores, outputs.posterior
    rows, sizes, order = states.rows, states.sizes, 0
    alpha, beta, work, message = space.alpha, space.beta, space.work, space.message
    while rows[order] != rows[rows.size - 1]:  # not of sizes: with one label all are 1
        order += 1
    for w in range(thread, offset.size - 1, threads):
        span = emit[offset[w] : offset[w + 1]]
        if logs is None:
            scores[w, LOG_Z] = forward_dense(span, table, rows, sizes, alpha, message)
        else:
            scores[w, LOG_Z] = forward_logs(span, table, rows, sizes, alpha, work)
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean_history(span.shape[0], order)
        if posterior.shape[0] > 0:
            shares = posterior[offset[w] : offset[w + 1]]
            if not scores[w, LOG_Z] > -np.inf:  # ``alpha`` is another word's behind the place that nothing gets past
                fill(shares.ravel(), 0)
            elif logs is None:
                backward_dense(span, table, rows, sizes, beta, work, message)
                if not posterior_dense(span, table, rows, sizes, alpha, beta, shares):
                    scores[w, LOG_Z] = np.nan
            else:
                backward_logs(span, table, rows, sizes, beta, message)
                posterior_logs(span, sizes, alpha, beta, shares)
        if labels.size > 0:
            best = labels[offset[w] : offset[w + 1]]
            if logs is not None:
                scores[w, LOG_SCORE] = viterbi_logs(span, table, rows, sizes, beta, message, best)
            elif scores[w, LOG_Z] > -np.inf:
                scores[w, LOG_SCORE] = viterbi_dense(span, table, rows, sizes, alpha, beta, message, best)
                if np.isnan(scores[w, LOG_SCORE]):
                    scores[w, LOG_Z] = np.nan
