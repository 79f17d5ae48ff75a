"""What becomes of candidates on vectors of sixteen lanes: where they lead to, and where their mass goes.

The rules, and what slots and rows are, stand in ``lane_contexts.py``.
"""

import numpy as np

from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, load, splat, store, total, where

PAIR = 2 * LANES  # two vectors side by side
ROOT = 1  # the slot of the empty history


@part(error_model="numpy", _nrt=False)
def ancestors(parent, size, is_one, slots):
    """The slots that have children, ascending, into ``slots``; returns how many. ``is_one`` is room."""
    for k in range(0, size, LANES):
        store(is_one, k, splat(np.int32(0)))
    for k in range(1, size):
        is_one[parent[k]] = 1
    count = 0
    for k in range(1, size):
        slots[count] = k
        count += is_one[k]
    return np.int64(count)


@part(error_model="numpy", _nrt=False)
def lead(parent, slots, count, shift, kept, own):
    """``own[k, y]``, the slot that (k, y) leads to, for the slots that have children; others are not needed."""
    none, root = splat(np.int32(0)), splat(np.int32(ROOT))
    for y in range(0, 1 << shift, PAIR):
        z = y + LANES
        store(own, y, root)
        store(own, z, root)
        for j in range(count):
            k = slots[j]
            at, up = k << shift, parent[k] << shift
            slot, other = load(kept, at + y), load(kept, at + z)
            store(own, at + y, where(slot < none, load(own, up + y), slot))
            store(own, at + z, where(other < none, load(own, up + z), other))


@part(error_model="numpy", _nrt=False)
def merge(parent, size, shift, kept, mass):
    """Add discarded candidates to their least ancestors; returns the mass that joins the root."""
    none, zero, rest = splat(np.int32(0)), splat(np.float32(0)), splat(np.float32(0))
    for y in range(0, 1 << shift, PAIR):
        z = y + LANES
        store(mass, y, zero)
        store(mass, z, zero)
        for k in range(size - 1, 0, -1):
            at, up = k << shift, parent[k] << shift
            passed = where(load(kept, at + y) < none, load(mass, at + y), zero)
            other = where(load(kept, at + z) < none, load(mass, at + z), zero)
            store(mass, up + y, load(mass, up + y) + passed)
            store(mass, up + z, load(mass, up + z) + other)
        rest = rest + load(mass, y) + load(mass, z)
    return total(rest)


@part(error_model="numpy", _nrt=False)
def take(before, there, count, selection, rows):
    """Masses and least ancestors of the next column's contexts, the candidates that are kept, ``count`` of them."""
    bits, last = selection.shift, (1 << selection.shift) - 1
    for j in range(count):
        place, new = there.chosen[j], selection.first + j
        there.alpha[new] = rows.mass[place]
        up = before[place >> bits]
        there.parent[new] = rows.own[(up << bits) | (place & last)]


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_alone(there, count, selection, mass):
    """Masses of the next column's contexts in a beam, where nothing has an ancestor."""
    for j in range(count):
        new = selection.first + j
        there.alpha[new], there.parent[new] = mass[there.chosen[j]], 0
