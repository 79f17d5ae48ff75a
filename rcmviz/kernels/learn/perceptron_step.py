"""The perceptron's step: what fires along the gold less what fires along the predicted labels, times a size.

Weights as in ``weights.py``; of a group, SQUARE holds the present example's difference and is zero between examples,
DRIFT is Σ_s s Δ_s, where Δ_s is the change of step s = 1, 2, …: the mean of all n + 1 vectors is w − drift / (n + 1).

``rate = (most, averaging)``: the largest passive-aggressive step, 0 for steps of size one.
``touched = (row (M,), label (M,), total (M,))`` are the weights that may change, a weight perhaps several times.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.learn.feature_sums import value_at
from rcmviz.kernels.learn.weights import DRIFT, EMISSION, ROOT, SQUARE, STORE, WEIGHT, WINDOWS, claim_row
from rcmviz.kernels.rows import ZERO


@njit(cache=True, nogil=True)
def make_touched(most):
    """Room for so many changes."""
    return np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most)


@njit(cache=True, nogil=True, inline="always")
def log_emissions(begin, feature, value, weight, log_emit):
    """Log emissions into ``log_emit (T, Y)``; the entries are those from ``begin (T+1,)`` on, the last row the bias."""
    for i in range(log_emit.shape[0]):
        row, bias = log_emit[i], weight[weight.shape[0] - 1]
        for y in range(row.size):
            row[y] = bias[y]
        for entry in range(begin[i], begin[i + 1]):
            amount, column = value_at(value, entry), weight[feature[entry]]
            for y in range(row.size):
                row[y] += amount * column[y]


@njit(cache=True, nogil=True, inline="always")
def count_windows(paths, signs, cut, fired, store, difference, touched):
    """Add ``signs`` for the windows that fire along two paths, where these differ; returns how many changes there are.

    ``paths (2, 2, T)``: of each path the rows of ``fired = (windows (M, n+2), many (M,))`` and the labels.
    """
    windows, many = fired
    rows, labels, _ = touched
    size = ZERO
    for i in range(cut):
        if paths[0, 0, i] == paths[1, 0, i] and paths[0, 1, i] == paths[1, 1, i]:
            continue
        for path in range(2):
            row, y = paths[path, 0, i], paths[path, 1, i]
            for j in range(many[row]):
                at = claim_row(windows[row, j], store)
                difference[at, y] += signs[path]
                rows[size], labels[size] = at, y
                size += 1
    return size


@njit(cache=True, nogil=True, inline="always")
def count_features(paths, signs, cut, begin, feature, value, difference, touched):
    """The same for the features of positions whose labels differ, and the bias."""
    rows, labels, _ = touched
    bias, size = difference.shape[0] - 1, ZERO
    for i in range(cut):
        if paths[0, 1, i] == paths[1, 1, i]:
            continue
        for entry in range(begin[i], begin[i + 1] + 1):
            last = entry == begin[i + 1]
            at, amount = bias if last else feature[entry], 1.0 if last else value_at(value, entry)
            for path in range(2):
                y = paths[path, 1, i]
                difference[at, y] += signs[path] * amount
                rows[size], labels[size] = at, y
                size += 1
    return size


@njit(cache=True, nogil=True)
def collect(difference, touched, size):
    """Move the differences into ``total``, each where it is met first; returns the sum of their squares."""
    rows, labels, total = touched
    norm = 0.0
    for j in range(size):
        total[j] = difference[rows[j], labels[j]]
        difference[rows[j], labels[j]] = 0.0
        norm += total[j] * total[j]
    return norm


@njit(cache=True, nogil=True)
def move(group, touched, size, step, count, averaging):
    """Change weights by ``step`` times what was collected; this is step number ``count``, from 1 on."""
    rows, labels, total = touched
    weight, drift = group[WEIGHT], group[DRIFT]
    for j in range(size):
        weight[rows[j], labels[j]] += step * total[j]
        if averaging:
            drift[rows[j], labels[j]] += count * (step * total[j])


@njit(cache=True, nogil=True, inline="always")
def step_size(most, loss, norm):
    """One, or the passive-aggressive step: what removes the loss, at most ``most`` (Crammer et al., 2006, PA-I)."""
    if most == 0.0:
        return 1.0
    return min(most, max(loss, 0.0) / norm) if norm > 0 else 0.0


@njit(cache=True, nogil=True)
def step(paths, cut, lead, entered, entries, fired, weights, rate, count, changes):
    """Step towards the gold, ``paths[0]``, and away from the prediction, ``paths[1]``, on their first ``cut`` labels.

    ``lead`` is the prediction's score less the gold's, ``entered`` how often the gold entered the root less how often
    the prediction did, ``entries = (begin, feature, value)``. Returns the norm of the difference.
    """
    most, averaging = rate
    begin, feature, value = entries
    of_windows, of_features = changes
    signs = (1.0, -1.0)
    windows, emission, root = weights[WINDOWS], weights[EMISSION], weights[ROOT]
    size = count_windows(paths, signs, cut, fired, weights[STORE], windows[SQUARE], of_windows)
    number = count_features(paths, signs, cut, begin, feature, value, emission[SQUARE], of_features)
    norm = collect(windows[SQUARE], of_windows, size) + collect(emission[SQUARE], of_features, number)
    norm += entered * entered
    wrong = 0
    for i in range(cut):
        wrong += paths[0, 1, i] != paths[1, 1, i]
    far = step_size(most, lead + wrong, norm)
    move(windows, of_windows, size, far, count, averaging)
    move(emission, of_features, number, far, count, averaging)
    root[WEIGHT][0, 0] += far * entered
    if averaging:
        root[DRIFT][0, 0] += count * (far * entered)
    return np.sqrt(norm)
