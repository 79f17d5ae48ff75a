"""The exact chain of ``dense.py`` on logs, where scores are too far apart for linear masses, and for maxima alone.

``rows (T,)``, ``sizes (T,)`` and the order of states as there; tables and emissions are logs, −inf allowed.
``message (Y,)`` is used up.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import fast_loops
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.rows import divide_row, fill, largest, sum_of


@kernel()
def log_sum(values):
    """log Σ exp, −inf where all are."""
    highest, total = largest(values), 0.0
    if highest == -np.inf:
        return highest
    for j in range(values.size):
        total += np.exp(values[j] - highest)
    return highest + np.log(total)


@part()
def forward_logs(log_emit, table, rows, sizes, alpha, highest):
    """Log forward masses ``alpha (T+1, S)``; ``highest (S,)`` is used up. Returns log Z."""
    fast_loops()
    positions, width = log_emit.shape
    alpha[0, 0] = 0.0
    for i in range(positions):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        into = alpha[i + 1, : suffixes * width]
        fill(highest[: into.size], -np.inf)
        fill(into, 0.0)
        for code in range(sizes[i]):
            weight, first = table[rows[i] + code], code % suffixes * width
            for y in range(width):
                highest[first + y] = max(highest[first + y], alpha[i, code] + weight[y])
        for code in range(sizes[i]):
            weight, first = table[rows[i] + code], code % suffixes * width
            for y in range(width):
                value = alpha[i, code] + weight[y]
                if value > -np.inf:
                    into[first + y] += np.exp(value - highest[first + y])
        for state in range(into.size):
            into[state] = highest[state] + np.log(into[state]) + log_emit[i, state % width]
    return log_sum(alpha[positions, :width])


@kernel(inline="always")
def backward_logs(log_emit, table, rows, sizes, beta, message):
    """Log backward messages ``beta (T+1, S)``."""
    positions, width = log_emit.shape
    fill(beta[positions, :width], 0.0)
    for i in range(positions - 1, -1, -1):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        for code in range(sizes[i]):
            weight, first = table[rows[i] + code], code % suffixes * width
            for y in range(width):
                message[y] = weight[y] + log_emit[i, y] + beta[i + 1, first + y]
            beta[i, code] = log_sum(message)


@part()
def posterior_logs(log_emit, sizes, alpha, beta, posterior):
    """Label posteriors ``(T, Y)``, all zero where no output is possible."""
    positions, width = log_emit.shape
    for i in range(positions):
        states = width if i == positions - 1 else sizes[i + 1]
        behind, ahead, highest = alpha[i + 1], beta[i + 1], -np.inf
        fill(posterior[i], 0.0)
        for state in range(states):
            highest = max(highest, behind[state] + ahead[state])
        if highest > -np.inf:
            for state in range(states):
                posterior[i, state % width] += np.exp(behind[state] + ahead[state] - highest)
            divide_row(posterior[i], sum_of(posterior[i]))


# nnan, nsz: else a maximum is no reduction that vectorises; there is no NaN, as +∞ is no score
@helper(fastmath={"nnan", "nsz"})
def largest_sum(a, b):
    """max (a + b)."""
    fast_loops()
    top = a[0] + b[0]
    for y in range(1, a.size):
        top = max(top, a[y] + b[y])
    return top


@helper()
def viterbi_logs(log_emit, table, rows, sizes, best, message, labels):
    """Best labels (ties to the lower label at the earliest position); returns their log score."""
    fast_loops()
    positions, width = log_emit.shape
    fill(best[positions, :width], 0.0)
    for i in range(positions - 1, -1, -1):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        for suffix in range(suffixes):
            for y in range(width):
                message[y] = log_emit[i, y] + best[i + 1, suffix * width + y]
            for code in range(suffix, sizes[i], suffixes):
                best[i, code] = largest_sum(table[rows[i] + code], message)
    code = 0
    for i in range(positions):
        suffix = 0 if i == positions - 1 else code % (sizes[i + 1] // width)
        weight, winner, top = table[rows[i] + code], 0, -np.inf
        for y in range(width):
            value = weight[y] + (log_emit[i, y] + best[i + 1, suffix * width + y])
            if value > top:
                winner, top = y, value
        labels[i] = winner
        code = suffix * width + winner
    return best[0, 0]
