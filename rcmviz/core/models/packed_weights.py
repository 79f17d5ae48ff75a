"""Tables of weights that are multiples of one step, as small numbers that deflate well: how a model's file keeps them.

A fit rounds its weights, and most are small or none. So a column, what all features say of one label, is kept after the
other, and of it the weights other than zero, k steps each: ``skip (M,)`` bytes count the zeros before the next, 255
for as many with none behind them; ``size (N,)`` bytes keep 2k − 2 of a positive k and −2k − 1 of a negative one, up to
254, and ``far`` those that are larger, where ``size`` is 255.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.core.shared.checks import LARGEST

LAST = 255  # of a byte: it says that more follows
MOST_CELLS = 250_000_000  # of a table; as floats they take all that an npz file may inflate to
PIECE = 1 << 18  # codes that are read together


class _Packed(NamedTuple):
    """The parts of a table."""

    shape: np.ndarray
    step: np.ndarray
    skip: np.ndarray
    size: np.ndarray
    far: np.ndarray


def pack_weights(name, table):
    """``{name_part: array}`` of a table ``(R, Y)`` in single precision; ``{name: table}`` where it cannot be kept so.

    >>> parts = pack_weights("w", np.array([[0, -0.5], [0.25, 0], [0, 0.5]], np.float32))
    >>> [(part, values.tolist()) for part, values in parts.items()]
    [('w_shape', [3, 2]), ('w_step', 0.25), ('w_skip', [1, 1, 1]), ('w_size', [0, 3, 2]), ('w_far', [])]
    """
    step = _common_step(table)
    if step is None:
        return {name: table}
    skips, sizes, far, behind = [], [], [], 0
    for column in table.T:  # each alone: a copy of all is as large as the model
        number = (column / step).astype(np.int32)
        at = np.flatnonzero(number)
        zeros = np.diff(at, prepend=-1 - behind) - 1
        behind = behind + len(column) if not len(at) else len(column) - 1 - int(at[-1])
        many = zeros // LAST
        skip = np.full(len(at) + int(many.sum()), LAST, np.uint8)
        skip[np.cumsum(many + 1) - 1] = zeros % LAST
        size = 2 * np.abs(number[at]) - 1 - (number[at] > 0)
        skips.append(skip)
        sizes.append(np.minimum(size, LAST).astype(np.uint8))
        far.append(size[size >= LAST].astype(np.uint16))
    parts = _Packed(np.array(table.shape), np.float64(step), *map(np.concatenate, (skips, sizes, far)))
    return {f"{name}_{part}": one for part, one in parts._asdict().items()}


def _common_step(table):
    """The power of two that all numbers are multiples of, None if none is large enough."""
    largest = max(table.max(initial=0.0), -table.min(initial=0.0)) if table.dtype == np.float32 else 0.0
    if not 0 < largest < np.inf or table.size > MOST_CELLS:
        return None
    step, bits = 2.0 ** (int(np.frexp(largest)[1]) - 15), 0
    for column in table.T:
        number = column / step
        whole = number.astype(np.int32)
        if not np.array_equal(number, whole):
            return None
        bits |= int(np.bitwise_or.reduce(np.abs(whole)))
    return step * (bits & -bits)


def unpack_weights(name, parts):
    """The table of ``pack_weights``; ValueError where its parts do not fit together, KeyError where one is missing."""
    if name in parts:
        return parts[name]
    packed = _Packed(*(parts[f"{name}_{part}"] for part in _Packed._fields))
    _check(name, packed)
    skip, size, far = packed.skip, packed.size, packed.far
    rows, width = map(int, packed.shape)
    table = np.zeros((rows, width), np.float32)
    end, done, more = 0, 0, 0
    for first in range(0, len(skip), PIECE):
        code = skip[first : first + PIECE].astype(np.int64)
        ends = end + np.cumsum(code + (code < LAST))
        end, cells = int(ends[-1]), ends[code < LAST] - 1
        number = size[done : done + len(cells)].astype(np.int64)
        is_far = number == LAST
        number[is_far] = far[more : more + is_far.sum()]
        done, more = done + len(cells), more + int(is_far.sum())
        if end > rows * width:
            raise ValueError(f"{name}: more numbers than its table has places")
        table[cells % rows, cells // rows] = np.where(number & 1, -1, 1) * (number // 2 + 1) * packed.step
    return table


def _check(name, packed):
    """ValueError for parts that cannot be those of a table."""
    shape, step, skip, size, far = packed.shape, packed.step, packed.skip, packed.size, packed.far
    kinds = [(part.ndim, part.dtype.str[1:]) for part in (skip, size, far)]
    if kinds != [(1, "u1"), (1, "u1"), (1, "u2")] or shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise ValueError(f"{name}: its parts are of other kinds")
    if shape.min() < 0 or int(shape[0]) * int(shape[1]) > MOST_CELLS:
        raise ValueError(f"{name}: a table of shape {tuple(shape.tolist())}")
    needed = np.count_nonzero(skip < LAST), np.count_nonzero(size == LAST)
    if step.shape or step.dtype.kind != "f" or not 0 < step <= LARGEST or needed != (len(size), len(far)):
        raise ValueError(f"{name}: its parts do not fit together")
