"""Log emissions of sparse features by weights in whatever precision: nothing is widened but a sum."""

from typing import Any, NamedTuple

from rcmviz.kernels.bare_arrays import fast_loops
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import fill


class Examples(NamedTuple):
    """Sequences one after the other; entries of position ``at`` are ``begin[at]:begin[at + 1]``."""

    offset: Any  # (W+1,): of positions
    begin: Any  # (N+1,): of entries
    feature: Any  # (K,)
    value: Any  # (K,), or one for all
    gold: Any  # (N,): labels


@kernel(inline="always")
def value_at(value, entry):
    """The value of an entry. ``value`` may be one number for all: indicators are 1, and took half of the memory."""
    return value[min(entry, value.size - 1)]


@kernel()
def add_features(start, feature, value, weight, log_emit):
    """``log_emit[i] = Σ value × weight[feature]`` of the entries ``start[i] … start[i+1] − 1``, plus the last row."""
    fast_loops()
    bias = weight[weight.shape[0] - 1]
    for i in range(log_emit.shape[0]):
        row = log_emit[i]
        fill(row, 0.0)
        for entry in range(start[i], start[i + 1]):
            amount, column = value_at(value, entry), weight[feature[entry]]
            for y in range(row.size):
                row[y] += amount * column[y]
        for y in range(row.size):
            row[y] += bias[y]


@kernel()
def add_rows_at(rows, places, into):
    """Add row i of ``rows (N, Y)`` to row ``places[i]`` of ``into``."""
    for i in range(places.size):
        row, sums = rows[i], into[places[i]]
        for y in range(row.size):
            sums[y] += row[y]
