"""Training in single precision on explicit vectors: when the kernels can do it, and what they work in.

They work on the tables themselves, which have places for a vector beyond their last row. An example that single
precision does not hold takes its step in double precision, in tables of its own.
"""

from copy import copy
from dataclasses import replace

import numpy as np

from rcmviz.core import vectors
from rcmviz.core.model_tables import aligned
from rcmviz.kernels.learn import lane_train, lane_train_exact
from rcmviz.kernels.learn.weights import ABSENT, WEIGHT
from rcmviz.learn.tables import addresses, fill, make_tables

NO_ROWS = np.zeros(0, np.int32)
LEAST_DELTA, MOST = 1e-30, 1e15  # what a step's numbers may be without leaving single precision
MOST_PLACES = 2**32  # contexts are kept as unsigned numbers of 32 bits
MOST_WINDOWS = 8_000_000  # that there could be; what says which row each has takes 32 MB


def fit(trainer):
    """Whether the kernels can do this training."""
    s, method, shape = trainer.settings, trainer.method, trainer.shape
    plain = s.objective == "likelihood" and s.mode == "single" and s.table != "hashed"
    near = s.delta >= LEAST_DELTA and max(s.eta, s.delta, s.l2) <= MOST
    small = shape.size << shape.lane_shift <= MOST_PLACES and shape.size <= MOST_WINDOWS
    if not (vectors.SUPPORTED and plain and near and small):
        return False
    longest = int(np.diff(trainer.data.offset).max())
    if not method.selects:
        return s.order == 1 and longest << shape.lane_shift <= vectors.MOST_LANES
    kept = method.root_proposes and (method.merges or s.lost_gold == "numerator")
    room = longest * (trainer.budget + 2) << shape.lane_shift <= vectors.MOST_LANES
    return kept and room and s.passes == 1 and not s.deduplicate


def visit_lanes(trainer, visit, data, rate, measures, in_double):
    """Train on these examples; ``in_double(trainer, visit, measures)`` takes the trainer of one that is not for single
    precision.
    """
    shape, tables, until = trainer.shape, trainer.tables, trainer.step + len(visit)
    selects = trainer.method.selects
    kernel, how = lane_train_exact.lane_exact_stretch, (shape.lane_shift, len(shape.labels))
    if selects:
        kernel, how = lane_train.lane_stretch, (trainer.budget, trainer.method.merges, *how)
    most = _most_windows(trainer, visit)
    while True:
        left = until - trainer.step
        now, noted = visit[len(visit) - left :], measures[len(visit) - left :]
        groups = tuple(tuple(numbers.base for numbers in group) for group in (tables.windows, tables.emission))
        space, room = (_workspace if selects else _workspace_exact)(trainer, now)
        address = shape.powers, shape.base, NO_ROWS  # in `index` they change as they learn
        kernel(now, data, groups, how, rate, address, trainer.steps, noted, tables.store, most, space, room)
        done, left = trainer.step - (until - left), until - trainer.step
        if left == 0:
            return
        if tables.is_short(most):
            del groups  # else those that are replaced would stay
            tables.grow(most)
            continue
        _step_in_double(trainer, now[done], noted[done : done + 1], in_double)
        if left == 1:
            return


def _most_windows(trainer, visit):
    """How many windows one of these examples may be the first to have."""
    positions = int(np.diff(trainer.data.offset)[visit].max(initial=1))
    return min(trainer.shape.size, positions * (trainer.budget + 3))


def _step_in_double(trainer, w, measures, in_double):
    """The step of one example in tables of double precision, which hold what it can reach."""
    alone = copy(trainer)
    one = trainer.data.take([w])
    known, feature = np.unique(one.feature, return_inverse=True)
    alone.data = replace(one, F=len(known), feature=feature.astype(np.int32), names=None)
    averaging, tables = trainer.settings.average, trainer.tables
    rows, here = np.append(known, trainer.data.F), addresses(tables)
    alone.tables = make_tables(trainer.shape, len(known), trainer.method.selects, averaging, sums="f4")
    windows = tuple(numbers[: len(here)] for numbers in tables.windows)
    emission = tuple(numbers[rows if len(numbers) > 1 else slice(None)] for numbers in tables.emission)
    fill(alone.tables, here, windows, emission, tables.root)
    in_double(alone, np.zeros(1, np.int64), measures)
    there = addresses(alone.tables)
    at = tables.claim(there)
    for into, numbers in zip(tables.windows, alone.tables.windows, strict=True):
        if len(into) > 1:
            into[at] = numbers[: len(there)]
    for into, numbers in zip(tables.emission, alone.tables.emission, strict=True):
        if len(into) > 1 or not trainer.data.F:
            into[rows] = numbers


def _workspace(trainer, visit):
    """``(space, room)`` as ``lane_train.py`` says, for these examples."""
    width, (positions, entries) = 1 << trainer.shape.lane_shift, _longest(trainer, visit)
    contexts = positions * (trainer.budget + 2)
    log_emit, label, score = (aligned(rows * width, np.float32) for rows in (positions, 1, contexts))
    windows = _pile(len(trainer.tables.windows[WEIGHT]), contexts + positions, width)
    features = _pile(trainer.data.F + 1, entries + positions, width)
    scales = np.zeros(positions, np.float32), np.zeros(positions)
    room = log_emit, label, score, np.zeros(contexts, np.int64), scales, windows, features
    return vectors.workspace(positions, trainer.budget, width), room


def _workspace_exact(trainer, visit):
    """``(space, room)`` as ``lane_train_exact.py`` says, for these examples."""
    width, (positions, entries) = 1 << trainer.shape.lane_shift, _longest(trainer, visit)
    states = 1 + len(trainer.shape.labels)
    log_emit, label, score, ahead = (aligned(rows * width, np.float32) for rows in (positions, 1, states, 1))
    windows = _pile(len(trainer.tables.windows[WEIGHT]), states, width)
    features = _pile(trainer.data.F + 1, entries + positions, width)
    room = log_emit, label, score, ahead, np.zeros(positions, np.float32), windows, features
    return tuple(aligned((positions, width), np.float32) for _ in range(2)), room


def _longest(trainer, visit):
    """The most positions of one of these examples, and the most entries."""
    offset = trainer.data.offset
    entries = np.diff(trainer.data.start[offset])[visit]
    return int(np.diff(offset)[visit].max(initial=1)), int(entries.max(initial=0))


def _pile(rows, most, width):
    """Room for the gradients of up to ``most`` of so many rows."""
    most = min(rows, most)
    gradient = aligned(most * width, np.float32)
    return np.full(rows, np.int32(ABSENT)), np.zeros(most, np.int64), gradient, np.zeros(1, np.int64)
