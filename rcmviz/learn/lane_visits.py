"""Training in single precision on explicit vectors: when the kernel can do it, and what it works in.

The tables of a training stay what they are; the kernel has copies of them, a row of whole vectors each, for as long as
a stretch of examples takes. Every number that comes back is one of single precision, so where a stretch ends changes
nothing. An example that single precision does not hold takes its step in double precision.
"""

import numpy as np

from rcmviz.core import vectors
from rcmviz.core.model_tables import aligned
from rcmviz.kernels.learn import lane_train
from rcmviz.kernels.learn.weights import ABSENT

LEAST_DELTA, MOST = 1e-30, 1e15  # what a step's numbers may be without leaving single precision


def fit(trainer):
    """Whether the kernel can do this training."""
    s, method = trainer.settings, trainer.method
    plain = s.objective == "likelihood" and s.mode == "single" and method.selects and not trainer.tables.hashed
    kept = method.merges or s.lost_gold == "numerator"
    near = s.delta >= LEAST_DELTA and max(s.eta, s.delta, s.l2) <= MOST
    longest = int(np.diff(trainer.data.offset).max())
    features = trainer.data.F + 1
    rows = max(longest * (trainer.budget + 2), features)
    return (
        plain and kept and near and rows << trainer.shape.lane_shift <= vectors.MOST_LANES
        and vectors.fit(trainer.shape, method, trainer.budget, s.passes, s.deduplicate)
    )  # fmt: skip


def visit_lanes(trainer, visit, data, rate, measures, in_double):
    """Train on these examples; ``in_double(visit, measures)`` takes one that is not for single precision."""
    shape, until = trainer.shape, trainer.step + len(visit)
    how = trainer.budget, trainer.method.merges, shape.lane_shift, len(shape.labels)
    while True:
        groups = tuple(_rows(group, shape.lane_shift) for group in (trainer.tables.windows, trainer.tables.emission))
        lane_train.lane_stretch(
            visit, data, groups, how, rate, shape.lane_address, trainer.steps, measures,
            *_workspace(trainer, visit),
        )  # fmt: skip
        _take_back(trainer.tables, groups)
        left = until - trainer.step
        if left == 0:
            return
        in_double(visit[-left:][:1], measures[-left:][:1])
        if left == 1:
            return
        visit, measures = visit[1 - left :], measures[1 - left :]


def _rows(group, shift):
    """A group's numbers in single precision, rows padded with zeros, flat."""
    found = []
    for numbers in group:
        lanes = aligned((len(numbers), 1 << shift), np.float32)
        lanes[:, : numbers.shape[1]] = numbers
        found.append(lanes.reshape(-1))
    return tuple(found)


def _take_back(tables, groups):
    """The kernel's numbers into the tables that they were copied from."""
    for group, lanes in zip((tables.windows, tables.emission), groups, strict=True):
        for into, numbers in zip(group, lanes, strict=True):
            into[:] = numbers.reshape(len(into), -1)[:, : into.shape[1]]


def _workspace(trainer, visit):
    """``(space, room)`` as ``lane_train.py`` says, for these examples."""
    offset, width = trainer.data.offset, 1 << trainer.shape.lane_shift
    positions = int(np.diff(offset)[visit].max(initial=1))
    entries = int(np.diff(trainer.data.start[offset])[visit].max(initial=0))
    contexts = positions * (trainer.budget + 2)
    log_emit, label, score = (aligned(rows * width, np.float32) for rows in (positions, 1, contexts))
    windows = _pile(trainer.shape.size, contexts + positions, width)
    features = _pile(trainer.data.F + 1, entries + positions, width)
    scales = np.zeros(positions, np.float32), np.zeros(positions)
    room = log_emit, label, score, np.zeros(contexts, np.int64), scales, windows, features
    return vectors.workspace(positions, trainer.budget, width), room


def _pile(rows, most, width):
    """Room for the gradients of up to ``most`` of so many rows."""
    most = min(rows, most)
    gradient = aligned(most * width, np.float32)
    return np.full(rows, np.int32(ABSENT)), np.zeros(most, np.int64), gradient, np.zeros(1, np.int64)
