"""Many words at once on explicit vectors: when the kernels of ``lane_words.py`` can do it, and what they work in."""

import numpy as np

from rcmviz.kernels import lanes
from rcmviz.kernels.chain import lane_words

MOST_LANES = 16_777_216  # of a model's table and of a column: with few labels most of them are empty


def fit(model, chosen, budget, passes, deduplicate):
    """Whether they can do it, where masses are linear and in single precision; ``chosen`` is the method."""
    plain = chosen.root_proposes and passes == 1 and not deduplicate
    rows = max(model.size, budget + 2)
    return lanes.SUPPORTED and plain and model.is_dense and rows << model.lane_shift <= MOST_LANES


def infer(thread, threads, emit, offset, work, *call):
    """``lane_words.infer_lanes`` of one thread, with a workspace of its own."""
    budget, _, shift = work
    space = workspace(int(np.diff(offset).max()), budget, 1 << shift)
    lane_words.infer_lanes(thread, threads, emit, offset, work, *call, space)


def workspace(positions, budget, width):
    """``space`` of one thread, as ``lane_words.py`` says; ``width`` lanes per context."""
    slots, places = budget + 2 + lanes.LANES, (budget + 2) * width + lanes.LANES
    emit, mass, posterior = np.zeros((positions, width), np.float32), _floats(places), _floats(width)
    kept, own, values, numbers = np.full(places, np.int32(-1)), _ints(places), _ints(places), _ints(places)
    message = np.full(places, np.float32(-1))
    shape = (positions + 1, slots)
    chosen, (length, alpha, beta) = _ints(shape), (_floats(shape) for _ in range(3))
    parent, row, code, choice = (np.zeros(shape, np.uint32) for _ in range(4))
    return (
        (emit, mass, kept, own, message, values, numbers, posterior),
        (chosen, parent, row, length, code, alpha, beta, choice),
        np.zeros(positions + 1, np.int64),
    )


def _floats(shape):
    return np.zeros(shape, np.float32)


def _ints(shape):
    return np.zeros(shape, np.int32)
