"""Many words at once on explicit vectors: when the kernels can do it, and what they work in.

RCMS and beam are computed by ``lane_words.py``, exact inference of order 1 by ``lane_exact.py``.
"""

from itertools import accumulate, pairwise
from threading import local
from typing import NamedTuple

import numpy as np

from rcmviz.core.models.model_tables import aligned_zeros
from rcmviz.kernels.chain import lane_emissions, lane_exact, lane_words
from rcmviz.kernels.chain.lane_state import Columns, ExactSpace, Rows, Selection, Space
from rcmviz.kernels.lanes import LANES, SUPPORTED
from rcmviz.kernels.packed import pack

MOST_ADDRESSES = 4_194_304  # of windows, each with a number: 16 MB, made in .3 s
MOST_KEPT = 1_000_000  # bytes of a workspace that waits for the next call
MOST_LANES = 16_777_216  # of a model's table and of a column: with few labels most of them are empty


class Scaled(NamedTuple):
    """Emissions, what was taken out of the logs of each row, and the lowest possible log of each (N,)."""

    emit: np.ndarray
    scale: np.ndarray
    lowest: np.ndarray


def fit(model, chosen, budget, passes, deduplicate):
    """Whether they can do it, where masses are linear and in single precision; ``chosen`` is the method."""
    plain = chosen.root_proposes and passes == 1 and not deduplicate
    rows = max(model.size if model.is_dense else len(model.keys) + 1, budget + 2)
    return SUPPORTED and plain and rows << model.lane_shift <= MOST_LANES and model.size <= MOST_ADDRESSES


def infer(thread, threads, emit, offset, is_far, longest, selection, table, address, outputs):
    """``lane_words.infer_lanes`` of one thread, with a workspace of its own for ``longest`` positions."""
    space = RECENT.workspace(longest, selection.budget, 1 << selection.shift)
    posterior, emit = outputs.posterior.reshape(-1), emit.reshape(-1)
    given = map(pack, (table, address, outputs, posterior))
    lane_words.infer_lanes(thread, threads, *map(pack, (emit, offset, is_far)), selection, *given, space)


def workspace(positions, budget, width):
    """`lane_state.Space` of one thread; ``width`` lanes per context."""
    slots = -(-(budget + 2 + LANES) // LANES) * LANES
    places = max(budget + 2, 2 * LANES) * width + 2 * LANES
    sizes = (positions + 1) * width, 4 * places, 2 * places, 8 * (positions + 1) * slots
    room = aligned_zeros(sum(sizes), np.int32)  # one array: each takes ten microseconds
    floats, ends = room.view(np.float32), list(accumulate(sizes))
    emit, ints = floats[: ends[0]].reshape(-1, width), room[ends[0] : ends[1]].reshape(4, places)
    masses, columns = floats[ends[1] : ends[2]].reshape(2, places), room[ends[2] :].reshape(8, -1, slots)
    others, indices = columns.view(np.float32), columns.view(np.uint32)
    ints[0].fill(-1)
    masses[1].fill(-1)
    rows = Rows(
        emit=emit[:-1],
        mass=masses[0],
        kept=ints[0],
        own=ints[1],
        message=masses[1],
        values=ints[2],
        places=ints[3],
        shares=emit[-1],
    )
    of_contexts = Columns(
        chosen=columns[0],
        parent=columns[1],
        row=indices[2],
        length=others[3],
        code=columns[4],
        alpha=others[5],
        beta=others[6],
        choice=columns[7],
    )
    return Space(rows, of_contexts, np.zeros(positions + 1, np.int64))


class RecentWorkspace(local):
    """The last small workspace of each thread, packed; kernels leave a workspace as they found it."""

    sizes = space = None

    def workspace(self, *sizes):
        """`workspace` of these sizes."""
        if self.sizes != sizes:
            space = workspace(*sizes)
            if 6 * space.rows.mass.nbytes + 8 * space.columns.alpha.nbytes > MOST_KEPT:
                return pack(space)
            self.sizes, self.space = sizes, pack(space)
        return self.space


RECENT = RecentWorkspace()


def selection_of(budget, merging, model):
    """`lane_state.Selection`; ``model`` has labels and the shift of its rows."""
    return Selection(budget, merging, model.lane_shift, len(model.labels), 2 if merging else 1)


def weigh_features(features, weights):
    """``features (T, F) @ weights[:-1] + weights[-1]`` of ``weights (F + 1, Y)`` in single precision; None where it is
    not for vectors, or what comes out is not finite.
    """
    (positions, count), width = features.shape, weights.shape[1]
    if not (SUPPORTED and positions >= lane_emissions.ROWS and width >= LANES):
        return None
    starts = np.minimum(np.arange(0, width, LANES), width - LANES)
    panels = weights[:, starts[:, None] + np.arange(LANES)].swapaxes(0, 1).ravel()
    found = np.empty((positions, width), np.float32)
    flat = np.ascontiguousarray(features).reshape(-1)
    return found if lane_emissions.weigh_lanes(flat, count, panels, width, found.reshape(-1)) else None


def scaled_emissions(log_emit):
    """``scores.scale_emissions`` for linear masses in single precision."""
    emit = np.empty(log_emit.shape, np.float32)
    flat, scale, lowest = emit.reshape(-1), np.empty(len(emit)), np.empty(len(emit))
    if log_emit.dtype == np.float32 and log_emit.flags.c_contiguous:
        row = _floats(LANES)
        row[:] = -np.inf
        lane_emissions.scale_lanes(log_emit.reshape(-1), flat, scale, lowest, row)
    else:
        room = -(-emit.shape[1] // LANES) * LANES
        lane_emissions.scale_emissions(log_emit, flat, scale, lowest, _floats(room), _ints(room))
    return Scaled(emit, scale, lowest)


def fit_exact(model, longest):
    """``fit`` for exact inference of words of at most ``longest`` positions."""
    return SUPPORTED and model.order == 1 and longest * (len(model.labels) + LANES) * lane_exact.GROUP <= MOST_LANES


def infer_exact(thread, threads, emit, offset, panels, outputs):
    """``lane_exact.infer_exact_lanes`` of one thread, with a workspace of its own."""
    lengths, group = offset[1:] - offset[:-1], lane_exact.GROUP
    shorter = lengths.max() - lengths
    order = np.argsort(shorter.astype(np.uint16) if shorter.max() < 65_536 else shorter, kind="stable")  # by its digits
    row = group * panels.start.size
    column = lengths.max() * row
    ends = list(accumulate((column, column, row, row, LANES)))
    room = _floats(ends[-1])
    *rows, inverse = (room[begin:end] for begin, end in pairwise([0, *ends]))
    space = ExactSpace(*rows, logs=np.zeros(2 * group), inverse=inverse)
    emit, outputs = emit.reshape(-1), outputs._replace(posterior=outputs.posterior.reshape(-1))
    lane_exact.infer_exact_lanes(thread, threads, *map(pack, (emit, offset, order, panels, outputs, space)))


def _floats(shape):
    return aligned_zeros(shape, np.float32)


def _ints(shape):
    return aligned_zeros(shape, np.int32)
