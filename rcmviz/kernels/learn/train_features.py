"""Emissions from features, and the step on their weights; the entries of a position are features with values."""

import numpy as np

from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.feature_sums import value_at
from rcmviz.kernels.learn.weights import FAR, WEIGHT, ascend_queue
from rcmviz.kernels.rows import ZERO, copy_row


@kernel(inline="always")
def emissions(begin, feature, value, weight, log_emit, emit):
    """Log emissions into ``log_emit (T, Y)``, their exponentials, scaled to a maximum of one, into ``emit``.

    The entries are those from ``begin (T+1,)`` on. False where one is too small for linear masses.
    """
    near = True
    for i in range(log_emit.shape[0]):
        row = log_emit[i]
        copy_row(weight[-1], row)
        for entry in range(begin[i], begin[i + 1]):
            amount, column = value_at(value, entry), weight[feature[entry]]
            for y in range(row.size):
                row[y] += amount * column[y]
        highest = lowest = row[0]
        for y in range(1, row.size):
            highest, lowest = max(highest, row[y]), min(lowest, row[y])
        near &= highest - lowest < FAR
        for y in range(row.size):
            emit[i, y] = np.exp(row[y] - highest)
    return near


@kernel(inline="always")
def ascend_features(begin, feature, value, label, group, rate, step, queue):
    """One step on the emissions: each entry's value times its position's labels, and the bias; the squared norm."""
    target, source, amount, _, _, _ = queue
    bias, size = group[WEIGHT].shape[0] - 1, ZERO
    for i in range(label.shape[0]):
        for entry in range(begin[i], begin[i + 1]):
            target[size], source[size], amount[size] = feature[entry], i, value_at(value, entry)
            size += 1
        target[size], source[size], amount[size] = bias, i, 1.0
        size += 1
    return ascend_queue(group, queue, size, label, rate, step)
