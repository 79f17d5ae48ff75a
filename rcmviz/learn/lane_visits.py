"""Training in single precision on explicit vectors: when the kernels can do it, and what they work in.

They work on the tables themselves, which have places for a vector beyond their last row. An example that single
precision does not hold takes its step in double precision, in tables of its own.
"""

from copy import copy
from dataclasses import replace

import numpy as np

from rcmviz.core.models import vectors
from rcmviz.core.models.model_tables import aligned_zeros
from rcmviz.kernels.chain.lane_state import Address
from rcmviz.kernels.learn import lane_train, lane_train_exact
from rcmviz.kernels.learn.lane_state import (
    ExactRoom,
    Index,
    Model,
    Parts,
    Passes,
    Pile,
    Ranking,
    Room,
    Windows,
)
from rcmviz.kernels.learn.weights import DRIFT, SQUARE, WEIGHT
from rcmviz.kernels.packed import pack
from rcmviz.learn.tables import fill, make_tables

NO_ROWS = np.zeros(0, np.int32)
EACH_ROW = Index(NO_ROWS, np.zeros(0, np.int64), np.zeros(1, np.int64))  # of features
LEAST_DELTA, MOST = 1e-30, 1e15  # what a step's numbers may be without leaving single precision
MOST_PLACES = 2**32  # contexts are kept as unsigned numbers of 32 bits
MOST_WINDOWS = 8_000_000  # that there could be; what says which row each has takes 32 MB


def fit(trainer):
    """Whether the kernels can do this training."""
    s, method, shape = trainer.settings, trainer.method, trainer.shape
    plain = s.objective == "likelihood" and s.table != "hashed"
    near = s.delta >= LEAST_DELTA and max(s.eta, s.delta, s.l2) <= MOST
    small = shape.size << shape.lane_shift <= MOST_PLACES and shape.size <= MOST_WINDOWS
    if not (vectors.SUPPORTED and plain and near and small):
        return False
    longest = int(np.diff(trainer.data.offset).max())
    if not method.selects:
        return s.order == 1 and longest << shape.lane_shift <= vectors.MOST_LANES
    kept = method.root_proposes and (method.merges or s.lost_gold == "numerator")
    room = _most_rows(trainer, longest) << shape.lane_shift <= vectors.MOST_LANES
    return kept and room and not s.deduplicate


def visit_lanes(trainer, visit, data, rate, measures, in_double):
    """Train on these examples; ``in_double(trainer, visit, measures)`` takes the trainer of one that is not for single
    precision.
    """
    tables, shape, until = trainer.tables, trainer.shape, trainer.step + len(visit)
    kernel, room_of = _kernel(trainer)
    most, address = _most_windows(trainer, visit), Address(shape.powers, shape.base, NO_ROWS)
    room = room_of(trainer, visit)
    while True:
        before, left = trainer.step, until - trainer.step
        now, noted = visit[len(visit) - left :], measures[len(visit) - left :]
        indices = Parts(tables.store, EACH_ROW)
        model = Model(tables.for_lanes, indices, address, most, rate)
        kernel(*map(pack, (now, data, model)), *_size(trainer), *map(pack, (trainer.steps, noted)), *room)
        done = trainer.step - before
        if done < len(now) and tables.is_short(most):
            del model, indices  # else those that are replaced would stay
            tables.grow(most)
        elif done < len(now):
            _step_in_double(trainer, now[done], noted[done : done + 1], in_double)
            del room  # gradients of what was left undone are in it
            room = room_of(trainer, visit)
        if trainer.step == until:
            return


def _kernel(trainer):
    """The kernel of a training, and what makes its workspaces."""
    if not trainer.method.selects:
        return lane_train_exact.lane_exact_stretch, _exact_room
    return lane_train.lane_stretch, _buffers


def _size(trainer):
    """The kernels' arguments on contexts and labels."""
    if trainer.method.selects:
        return (vectors.selection_of(trainer.budget, trainer.method.merges, trainer.shape),)
    return len(trainer.shape.labels), trainer.shape.lane_shift


def _most_windows(trainer, visit):
    """The most new windows of one of these examples."""
    positions = int(np.diff(trainer.data.offset)[visit].max(initial=1))
    return min(trainer.shape.size, _most_rows(trainer, positions))


def _most_rows(trainer, positions):
    """Windows of the contexts of ``positions`` positions, and of a lost gold."""
    each = trainer.settings.order + 2 if trainer.shape.additive else 1
    return positions * (trainer.budget + 3) * each


def _step_in_double(trainer, w, measures, in_double):
    """The step of one example in tables of double precision, which hold what it can reach."""
    alone = copy(trainer)
    one = trainer.data.take([w])
    known, feature = np.unique(one.feature, return_inverse=True)
    alone.data = replace(one, F=len(known), feature=feature.astype(np.int32), names=None)
    tables, averaging = trainer.tables, trainer.settings.average
    rows, here = np.append(known, trainer.data.F), tables.addresses[1:]
    alone.tables = make_tables(trainer.shape, len(known), trainer.method.selects, averaging, sums="f4")
    windows, emission = (
        (group[WEIGHT][at], group[SQUARE][at], group[DRIFT][at] if averaging else group[DRIFT][:0])
        for group, at in ((tables.windows, slice(1, tables.used)), (tables.emission, rows))
    )
    fill(alone.tables, here, windows, emission, tables.root)
    in_double(alone, np.zeros(1, np.int64), measures)
    there, learnt = (tables.claim(alone.tables.addresses), rows), (alone.tables.windows, alone.tables.emission)
    for into, at, found in zip((tables.windows, tables.emission), there, learnt, strict=True):
        weight, square, drift = (numbers[: len(at)] for numbers in found)
        into[WEIGHT][at], into[SQUARE][at] = weight, square
        if averaging:
            into[DRIFT][at] = drift


def _buffers(trainer, visit):
    """Contexts and room for these examples."""
    width, (positions, entries) = 1 << trainer.shape.lane_shift, _longest(trainer, visit)
    most = min(trainer.shape.size, _most_rows(trainer, positions))
    log_emit, label, log, score = (aligned_zeros(rows * width, np.float32) for rows in (positions, 1, most + 1, most))
    sizes = (most, trainer.settings.order + 2) if trainer.shape.additive else (0, 0)
    shorter, chain = (np.zeros(size, np.int64) for size in sizes)
    windows = Windows(score, np.zeros(most, np.float32), log, shorter, chain)
    piles = _piles(trainer, most, entries + positions)
    room = Room(log_emit, label, windows, np.zeros(positions, np.float32), np.zeros(positions), piles)
    space = vectors.workspace(positions, trainer.budget, width)
    passes = pack(_passes(trainer, positions, space)) if trainer.settings.passes > 1 else None
    return pack(space), pack(room), passes


def _passes(trainer, positions, space):
    """Additional buffers of several passes; they share their rows."""
    before = vectors.workspace(positions, trainer.budget, 1 << trainer.shape.lane_shift)._replace(rows=space.rows)
    ahead, key = (aligned_zeros(len(space.rows.mass), np.float32) for _ in range(2))
    ranking = Ranking(ahead, key, np.ones(before.columns.chosen.shape, np.int64))
    return Passes(before, ranking, trainer.settings.passes)


def _exact_room(trainer, visit):
    """Room for exact chains of these examples."""
    width, (positions, entries) = 1 << trainer.shape.lane_shift, _longest(trainer, visit)
    states = 1 + len(trainer.shape.labels)
    log_emit, label, ahead, row = (aligned_zeros(rows * width, np.float32) for rows in (positions, 1, 1, 1))
    score, log = (aligned_zeros(rows * width, np.float32) for rows in (states, states + 1))
    emit, alpha = (aligned_zeros((positions, width), np.float32) for _ in range(2))
    windows = Windows(score, np.zeros(states, np.float32), log, *(np.zeros(0, np.int64),) * 2)
    piles, scale = _piles(trainer, states + 1, entries + positions), np.zeros(positions, np.float32)
    room = ExactRoom(log_emit, label, windows, ahead, scale, emit, alpha, piles)
    return pack(room), pack(row), trainer.shape.additive


def _longest(trainer, visit):
    """The most positions of one of these examples, and the most entries."""
    offset = trainer.data.offset
    entries = np.diff(trainer.data.start[offset])[visit]
    return int(np.diff(offset)[visit].max(initial=1)), int(entries.max(initial=0))


def _piles(trainer, most_windows, most_features):
    """Room for the gradients of windows and features, at most that many."""
    width = 1 << trainer.shape.lane_shift
    return Parts(_pile(trainer.shape.size, most_windows, width), _pile(trainer.data.F + 1, most_features, width))


def _pile(addresses, most, width):
    """Room for the gradients of up to ``most`` of the addresses."""
    most = min(addresses, most)
    gradient = aligned_zeros(most * width, np.float32)
    return Pile(np.zeros(addresses, np.int32), np.zeros(most, np.int64), gradient, np.zeros(1, np.int64))
