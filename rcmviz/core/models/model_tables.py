"""The weights of an n-gram model in the shapes that kernels read: rows of logs, and padded rows of exponentials."""

import math

import numpy as np

from rcmviz.kernels.chain.lane_state import Panels

LINE = 64  # bytes of a line of the cache


def make_log_table(model):
    """Log weights by row: dense (size, Y), or the stored rows and one of zeros; suffixes summed if additive."""
    summed = np.array(model.weights, dtype=np.float64)
    if model.is_dense:
        table = np.zeros((model.size, len(model.labels)))
        table[model.keys] = summed
        if model.additive:
            _add_suffixes(model, table)
    else:
        table = np.vstack([summed, np.zeros(len(model.labels))])
        if model.additive:
            _add_sparse_suffixes(model, table)
    table.setflags(write=False)
    return table


def _add_suffixes(model, table):
    """Dense: each group adds the finished rows of the context that forgets one symbol more."""
    n, base, powers = model.order, model.base, model.powers
    for k in range(1, n + 1):
        shorter = base[n, k - 1] + np.arange(powers[k]) % powers[k - 1]
        table[base[n, k] : base[n, k] + powers[k]] += table[shorter]
    for i in range(n):
        table[base[i, i] : base[i, i] + powers[i]] += table[base[n, i] : base[n, i] + powers[i]]


def _add_sparse_suffixes(model, table):
    """Sparse: the same over stored rows, shorter windows first; a missing row is its next shorter one."""
    n, base, keys = model.order, model.base, model.keys
    for i, k in [(n, k) for k in range(1, n + 1)] + [(i, i) for i in range(n)]:
        here = np.flatnonzero((keys >= base[i, k]) & (keys < base[i, k] + model.powers[k]))
        codes = keys[here] - base[i, k]
        table[here] += table[model.rows(n, k if i < n else k - 1, codes)]


def exponentiate_table(model):
    """Exponentials in single precision less ``lane_top``, each row padded with zeros to ``2 ** lane_shift``, flat."""
    rows = model.size if model.is_dense else len(model.keys) + 1
    table = aligned_zeros((rows, 1 << model.lane_shift), np.float32)
    inner = table[:, : len(model.labels)]
    if model.additive:
        inner[:] = np.exp(model.log_table - model.lane_top)
    else:  # a dense table of logs is mostly zeros: of 49 tags and order 3, 48 MB
        inner[:] = np.exp(-model.lane_top)
        inner[model.keys if model.is_dense else slice(rows - 1)] = np.exp(model.weights - model.lane_top)
    return table.ravel()


def number_lane_rows(model):
    """The row for each address that there could be (size,); none of a table that is dense."""
    rows = np.zeros(0 if model.is_dense else model.size, np.int32)
    for i in range(model.order + 1):
        for k in range(0 if model.is_dense else i + 1):
            first, count = model.base[i, k], model.powers[k]
            rows[first : first + count] = model.rows(i, k, np.arange(count))
    return rows


def aligned_zeros(shape, dtype):
    """Zeros that begin with a line of the cache, so that no whole vector of AVX-512 lies in two."""
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    room = np.zeros(size * np.dtype(dtype).itemsize + LINE, np.uint8)
    return np.ndarray(shape, dtype, room, -room.ctypes.data % LINE)


def exponentiate_panels(model):
    """Exponentials of order 1 less ``lane_top`` for ``kernels/chain/lane_exact.py``: a row (lanes,) for the first
    label, and the table of all others in panels of sixteen labels, as it is and transposed, flat.
    """
    width, top = len(model.labels), model.lane_top
    table = np.zeros((width + 1, -(-width // 16) * 16), dtype=np.float32)
    table[0, :width] = np.exp(model.log_table[model.base[0, 0]] - top)
    table[1:, :width] = np.exp(model.log_table[model.base[1, 1] :][:width] - top)
    transposed = np.zeros_like(table[1:])
    transposed[:, :width] = table[1:, :width].T
    forward, backward = (way.reshape(width, -1, 16).swapaxes(0, 1).ravel() for way in (table[1:], transposed))
    return Panels(table[0], forward, backward)
