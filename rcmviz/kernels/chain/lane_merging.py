"""What becomes of candidates on vectors of sixteen lanes: where they lead to, and where their mass goes.

The rules, and what slots and rows are, stand in ``lane_contexts.py``.
"""

import numpy as np

from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lanes import LANES, load, splat, store, total, where

PAIR = 2 * LANES  # two vectors side by side
WIDE = 7  # from 2^WIDE lanes on a row is worked off before the next; below, 32 labels of all rows before others
ROOT = np.uint32(1)  # the slot of the empty history


@part(error_model="numpy", _nrt=False)
def ancestors(parent, size, is_one, slots):
    """The slots that have children, ascending, into ``slots``; returns how many. ``is_one`` is room."""
    for k in range(0, size, LANES):
        store(is_one, k, splat(np.int32(0)))
    for k in range(1, size):
        is_one[parent[k]] = 1
    count = np.uint32(0)
    for k in range(1, size):
        slots[count] = k
        count = np.uint32(count + np.uint32(is_one[np.uint32(k)]))
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
            k = np.int64(slots[j])
            at, up = k << shift, np.int64(parent[np.uint64(k)]) << shift
            slot, other = load(kept, at + y), load(kept, at + z)
            store(own, at + y, where(slot < none, load(own, up + y), slot))
            store(own, at + z, where(other < none, load(own, up + z), other))


@part(error_model="numpy", _nrt=False)
def merge(parent, size, shift, kept, mass):
    """What is not kept joins its least ancestor. Returns what joins the root."""
    none, zero, rest = splat(np.int32(0)), splat(np.float32(0)), splat(np.float32(0))
    if shift >= WIDE:
        return merge_wide(parent, size, shift, kept, mass)
    for y in range(0, 1 << shift, PAIR):
        z = y + LANES
        store(mass, y, zero)
        store(mass, z, zero)
        for k in range(size - 1, 0, -1):
            at, up = k << shift, np.int64(parent[k]) << shift
            passed = where(load(kept, at + y) < none, load(mass, at + y), zero)
            other = where(load(kept, at + z) < none, load(mass, at + z), zero)
            store(mass, up + y, load(mass, up + y) + passed)
            store(mass, up + z, load(mass, up + z) + other)
        rest = rest + load(mass, y) + load(mass, z)
    return total(rest)


@part(error_model="numpy", _nrt=False)
def merge_wide(parent, size, shift, kept, mass):
    """`merge` where rows are wide."""
    none, zero, rest = splat(np.int32(0)), splat(np.float32(0)), splat(np.float32(0))
    for y in range(0, 1 << shift, LANES):
        store(mass, y, zero)
    for k in range(size - 1, 0, -1):
        at, up = k << shift, np.int64(parent[k]) << shift
        for y in range(0, 1 << shift, LANES):
            passed = where(load(kept, at + y) < none, load(mass, at + y), zero)
            store(mass, up + y, load(mass, up + y) + passed)
    for y in range(0, 1 << shift, LANES):
        rest = rest + load(mass, y)
    return total(rest)


@part(error_model="numpy", _nrt=False)
def take(before, there, count, selection, rows):
    """Masses and least ancestors of the next column's contexts, the candidates that are kept, ``count`` of them."""
    bits, last = np.uint32(selection.shift), np.uint32((1 << selection.shift) - 1)
    if selection.shift >= WIDE:
        return take_wide(before, there, count, selection, rows)
    for j in range(count):
        place, new = np.uint32(there.chosen[j]), np.uint32(selection.first + j)
        there.alpha[new] = rows.mass[place]
        up = np.uint32(before[np.uint32(place >> bits)])
        there.parent[new] = rows.own[np.uint32(np.uint32(up << bits) | np.uint32(place & last))]


@part(error_model="numpy", _nrt=False)
def take_wide(before, there, count, selection, rows):
    """`take` where rows are wide: few places are needed, and what `lead` would know is found by going up."""
    kept, bits, last = rows.kept, np.uint32(selection.shift), np.uint32((1 << selection.shift) - 1)
    for j in range(count):
        place, new = np.uint32(there.chosen[j]), np.uint32(selection.first + j)
        there.alpha[new] = rows.mass[place]
        y, up = np.uint32(place & last), np.uint32(before[np.uint32(place >> bits)])
        while up > 0 and kept[np.uint32(np.uint32(up << bits) | y)] < 0:
            up = np.uint32(before[up])
        there.parent[new] = kept[np.uint32(np.uint32(up << bits) | y)] if up > 0 else ROOT


@kernel(error_model="numpy", _nrt=False, inline="always")
def take_alone(there, count, selection, mass):
    """Masses of the next column's contexts in a beam, where nothing has an ancestor."""
    for j in range(count):
        new = np.uint32(selection.first + j)
        there.alpha[new], there.parent[new] = mass[np.uint32(there.chosen[j])], 0
