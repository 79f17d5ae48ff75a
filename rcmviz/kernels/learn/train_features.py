"""Emissions from features, and the step on their weights; the entries of a position are features with values."""

import numpy as np

from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.feature_sums import add_features, value_at
from rcmviz.kernels.learn.weights import FAR, ascend_queue
from rcmviz.kernels.rows import ZERO


@kernel(inline="always")
def emissions(begin, feature, value, weight, log_emit, emit):
    """Log emissions into ``log_emit (T, Y)``, their exponentials, scaled to a maximum of one, into ``emit``.

    The entries are those from ``begin (T+1,)`` on. False where one is too small for linear masses.
    """
    near = True
    add_features(begin, feature, value, weight, log_emit)
    for i in range(log_emit.shape[0]):
        row = log_emit[i]
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
    bias, size = group.weight.shape[0] - 1, ZERO
    for i in range(label.shape[0]):
        for entry in range(begin[i], begin[i + 1] + 1):
            last = entry == begin[i + 1]
            queue.target[size], queue.source[size] = bias if last else feature[entry], i
            queue.amount[size] = 1.0 if last else value_at(value, entry)
            size += 1
    return ascend_queue(group, queue, size, label, rate, step)
