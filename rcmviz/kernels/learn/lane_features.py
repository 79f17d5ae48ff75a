"""Emissions from sparse features on vectors of sixteen lanes, and what the features get of a position's gradient.

``lane_state.py`` names the arrays.
"""

import numpy as np

from rcmviz.kernels.chain.lane_contexts import PAIR
from rcmviz.kernels.chain.lane_emissions import LOWEST, exponentials
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.lanes import LANES, counted, highest, larger, load, splat, store, where
from rcmviz.kernels.learn.feature_sums import value_at
from rcmviz.kernels.learn.lane_weights import add_scaled, claim


@part(error_model="numpy", _nrt=False)
def emit_position(i, entries, data, weight, always, begin, labels, shift, log_emit, emit):
    """Log emissions of position i, and their exponentials over the highest; returns that."""
    none = splat(np.float32(-np.inf))
    here, top = i << shift, none
    for y in range(0, 1 << shift, PAIR):
        left, right = load(always, begin + y), load(always, begin + y + LANES)
        for entry in range(entries[i], entries[i + 1]):
            amount, at = splat(np.float32(value_at(data.value, entry))), data.feature[entry] * labels + y
            left = left + amount * load(weight, at)
            right = right + amount * load(weight, at + LANES)
        number = counted() + splat(np.int32(y))
        left = where(number < splat(np.int32(labels)), left, none)
        right = where(number < splat(np.int32(labels - LANES)), right, none)
        store(log_emit, here + y, left)
        store(log_emit, here + y + LANES, right)
        top = larger(top, larger(left, right))
    peak = highest(top)
    for y in range(0, 1 << shift, LANES):
        log = load(log_emit, here + y) - splat(peak)
        power = exponentials(larger(log, splat(np.float32(LOWEST))))
        store(emit, y, where(log < splat(np.float32(LOWEST)), splat(np.float32(0)), power))
    return np.float64(peak)


@helper(error_model="numpy", _nrt=False)
def emit_example(entries, data, weight, always, begin, labels, shift, log_emit, emit):
    """Emissions ``emit (T, row)`` of all positions; returns the sum of the logs that they were divided by.

    Each position has the weights ``always`` from ``begin`` on.
    """
    scale = 0.0
    for i in range(entries.size - 1):
        scale += emit_position(i, entries, data, weight, always, begin, labels, shift, log_emit, emit[i])
    return scale


@kernel(error_model="numpy", _nrt=False, inline="always")
def count_features(i, gold, entries, data, shift, label, pile):
    """Add the gold to minus the shares of position i, ``label``, and give the sum to its features and the bias."""
    label[gold] += np.float32(1)
    for entry in range(entries[i], entries[i + 1] + 1):  # and the bias
        is_bias = entry == entries[i + 1]
        row = np.int64(pile.place.size - 1) if is_bias else data.feature[entry]
        amount = np.float32(1) if is_bias else np.float32(value_at(data.value, entry))
        add_scaled(amount, label, pile.gradient, claim(row, shift, pile), shift)
