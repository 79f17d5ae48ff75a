"""The perceptron's step: what fires along the gold less what fires along the predicted labels, times a size.

Weights as in ``weights.py``; of a group, squares are not used, the drift is Σ_s s Δ_s, where Δ_s is the change of step
s = 1, 2, …: the mean of all n + 1 vectors is w − drift / (n + 1). Those of features may be whole numbers of 32
bits where all changes are whole; ``rate`` says how far a drift may be, and a stretch ends behind an example that takes
one farther.

Paths are ``(2, 2, T)``: of the gold and of the prediction the rows of ``Fired`` and the labels.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.learn.feature_sums import value_at
from rcmviz.kernels.learn.weights import ABSENT, GOLDEN, claim_row
from rcmviz.kernels.lengths import most_entries
from rcmviz.kernels.rows import ZERO


class Entries(NamedTuple):
    """Features of one example; the entries of position i are ``begin[i]:begin[i + 1]``."""

    begin: Any  # (T+1,)
    feature: Any
    value: Any


class PerceptronRate(NamedTuple):
    """The largest passive-aggressive step, 0 for steps of size one; whether and how far drifts are kept."""

    most: float
    averaging: bool
    farthest: float


class Fired(NamedTuple):
    """The windows that fire for each row of a path."""

    windows: Any  # (M, n+2)
    many: Any  # (M,)


class Touched(NamedTuple):
    """The weights that change in one example, each once, and by how much; ``slot``, a hash that is empty between
    examples, finds them: −1 or a number below M, which stands at ``place`` of it.
    """

    row: Any  # (M,)
    label: Any  # (M,)
    total: Any  # (M,)
    place: Any  # (M,)
    slot: Any  # (H,)


class Changes(NamedTuple):
    """Of windows and of features."""

    windows: Touched
    features: Touched


def make_changes(longest, order, data):
    """Room for what one example can change."""
    return Changes(_room(2 * longest * (order + 2)), _room(2 * most_entries(data.offset, data.begin)))


def _room(most):
    rows, labels, places = (np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64))
    slots = np.full(1 << int(2 * most).bit_length(), ABSENT)  # at most half of them full
    return Touched(rows, labels, np.zeros(most), places, slots)


@kernel(inline="always")
def add_change(row, label, amount, touched, size):
    """Add to what a weight changes by; returns how many weights change, of which ``size`` were known."""
    slot, mask = touched.slot, touched.slot.size - 1
    at = (((row << 16) + label) * GOLDEN >> 20) & mask
    while slot[at] != ABSENT and (touched.row[slot[at]] != row or touched.label[slot[at]] != label):
        at = (at + 1) & mask
    if slot[at] != ABSENT:
        touched.total[slot[at]] += amount
        return size
    slot[at], touched.place[size] = size, at
    touched.row[size], touched.label[size], touched.total[size] = row, label, amount
    return size + 1


@part(_nrt=False)
def count_windows(paths, signs, cut, fired, store, touched):
    """Add ``signs`` for the windows that fire along two paths, where these differ; returns how many weights change."""
    size = ZERO
    for i in range(cut):
        if paths[0, 0, i] == paths[1, 0, i] and paths[0, 1, i] == paths[1, 1, i]:
            continue
        for path in range(2):
            row, y = paths[path, 0, i], paths[path, 1, i]
            for j in range(fired.many[row]):
                size = add_change(claim_row(fired.windows[row, j], store), y, signs[path], touched, size)
    return size


@part(_nrt=False)
def count_features(paths, signs, cut, entries, bias, touched):
    """The same for the features of positions whose labels differ, and the ``bias``, the row behind theirs."""
    begin, feature, value, size = entries.begin, entries.feature, entries.value, ZERO
    for i in range(cut):
        if paths[0, 1, i] == paths[1, 1, i]:
            continue
        for entry in range(begin[i], begin[i + 1] + 1):
            last = entry == begin[i + 1]
            at, amount = bias if last else feature[entry], 1.0 if last else value_at(value, entry)
            for path in range(2):
                size = add_change(np.int64(at), paths[path, 1, i], signs[path] * amount, touched, size)
    return size


@part(_nrt=False)
def squared_norm(touched, size):
    """The sum of the squares of all changes."""
    total, norm = touched.total, 0.0
    for j in range(size):
        norm += total[j] * total[j]
    return norm


@part(_nrt=False)
def move(group, touched, size, step, count, averaging):
    """Change weights by ``step`` times their totals, and forget these; this is step number ``count``, from 1 on.
    Returns the largest size of a drift.
    """
    rows, labels, total = touched.row, touched.label, touched.total
    weight, drift, far = group.weight, group.drift, 0.0
    for j in range(size):
        touched.slot[touched.place[j]] = ABSENT
        weight[rows[j], labels[j]] += step * total[j]
        if averaging:
            value = drift[rows[j], labels[j]] + count * (step * total[j])
            drift[rows[j], labels[j]] = value
            far = max(far, abs(value))
    return far


@kernel(inline="always")
def step_size(most, loss, norm):
    """One, or the passive-aggressive step: what removes the loss, at most ``most`` (Crammer et al., 2006, PA-I)."""
    if most == 0.0:
        return 1.0
    return min(most, max(loss, 0.0) / norm) if norm > 0 else 0.0


@part(_nrt=False)
def step(paths, cut, lead, entered, entries, fired, weights, rate, count, changes):
    """Step towards the gold, ``paths[0]``, and away from the prediction, ``paths[1]``, on their first ``cut`` labels.

    ``lead`` is the prediction's score less the gold's, ``entered`` how often the gold entered the root less how often
    the prediction did. Returns the norm of the difference, and whether a drift is too far for more.
    """
    of_windows, of_features = changes.windows, changes.features
    signs = (1.0, -1.0)
    emission, root = weights.emission, weights.root
    size = count_windows(paths, signs, cut, fired, weights.store, of_windows)
    number = count_features(paths, signs, cut, entries, emission.weight.shape[0] - 1, of_features)
    norm = squared_norm(of_windows, size) + squared_norm(of_features, number)
    norm += entered * entered
    wrong = 0
    for i in range(cut):
        wrong += paths[0, 1, i] != paths[1, 1, i]
    far = step_size(rate.most, lead + wrong, norm)
    drift = move(weights.windows, of_windows, size, far, count, rate.averaging)
    drift = max(drift, move(emission, of_features, number, far, count, rate.averaging))
    root.weight[0, 0] += far * entered
    if rate.averaging:
        root.drift[0, 0] += count * (far * entered)
    return np.sqrt(norm), drift > rate.farthest
