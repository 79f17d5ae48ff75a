"""Contexts of alignments and their groups: what they are, what they lead to, which of the pass before they map to.

Cell (a, i), ``a · (most + 1) + i``, is where i letters and a phones are aligned so far; D, C and P lead into it from
(a−1, i−1), (a, i−1) and (a−1, i). A context is (mode, string), see ``align/features.py``; the empty string is the root
of its mode. Contexts that a move makes alike, the same mode and string after it but for the letter, form a *group*; a
candidate is (group, letter). So candidates are merged as a set before any is chosen, and the links of ``contexts.py``
hold between groups: the target of a candidate is its own context where it was kept, else that of its group's parent,
the group of the longest proper suffix, else the root.

Masses are linear, those of a cell by its own log ``scale``. With several passes, ``before`` is the lattice
of the pass before.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.align.features import (
    BITS,
    GROUPING,
    LETTER,
    STAMP,
    VALUE,
    C,
    D,
    P,
    needed,
    next_mode,
    put,
    seek,
    symbol,
    tail,
)
from rcmviz.kernels.kernel import kernel, part

# of a context: mode, symbols, string, profile; the move, group and letter that made it (−1 a root); the context of the
# pass before that it maps to; its three groups
MODE, LENGTH, STRING, PROFILE, MADE_BY, MADE_FROM, LETTER_OF, IMAGE, GROUP, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 11
# of a group: what it leads to, its parent, which group of the pass before it maps to
G_MODE, G_LENGTH, G_STRING, G_PARENT, G_IMAGE, G_FIELDS = 0, 1, 2, 3, 4, 5
# of ``mass`` and ``scale``, backward behind forward; numbers of Python would be types of their own where arguments
FORWARD, BACKWARD, GOLD_FORWARD, GOLD_BACKWARD = np.int64(0), np.int64(1), np.int64(2), np.int64(3)
USED_CONTEXTS, USED_GROUPS = 0, 1  # of ``used``


class Lattice(NamedTuple):
    """The contexts of an example, K at most, and their groups; ``first[cell, move]`` is a move's first out of a cell.

    The observed letters, the gold, have masses of their own.
    """

    begin: Any
    count: Any
    scale: Any  # (4, cells)
    roots: Any  # (cells, modes)
    first: Any  # (cells, 4)
    contexts: Any  # (FIELDS, K)
    mass: Any  # (4, K)
    groups: Any  # (G_FIELDS, G)
    used: Any
    width: int  # cells of a phone: letters at most, and one


@part(_nrt=False)
def key_of(mode, length, string):
    """Mode, length and string in one number."""
    return np.int64(mode) << 59 | np.int64(length) << 56 | string


@part(_nrt=False)
def remains(move, string, length, shape):
    """What of a string a group keeps, (string, its length): as much as stays once the move has added a symbol.

    P has no letter to choose, so its symbol is a part of the group's string.
    """
    if move == P and length == 0:
        return np.int64(0), 0
    longer = string << BITS | symbol(move, string & LETTER)
    keep = min(length + 1, shape.memory)
    if shape.joined:
        keep = min(keep, needed(longer, length + 1, shape.order))
    return (tail(longer, keep), keep) if move == P else (tail(string, keep - 1), keep - 1)


@kernel(inline="always")
def group_contexts(cell, shape, counters, lattice, table):
    """The groups of a cell's three moves, those of shorter strings first."""
    first, contexts, used = lattice.first, lattice.contexts, lattice.used
    start, stop = lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]
    for move in range(3):
        first[cell, move] = used[USED_GROUPS]
        counters[GROUPING] += 1
        longest = -1
        for k in range(start, stop):
            if next_mode(contexts[MODE, k], move, shape) < 0:
                contexts[GROUP + move, k] = -1
                continue
            _, length = remains(move, contexts[STRING, k], contexts[LENGTH, k], shape)
            contexts[GROUP + move, k] = -2 - length
            longest = max(longest, length)
        for length in range(longest + 1):
            for k in range(start, stop):
                if contexts[GROUP + move, k] == -2 - length:
                    mode = next_mode(contexts[MODE, k], move, shape)
                    string, _ = remains(move, contexts[STRING, k], contexts[LENGTH, k], shape)
                    contexts[GROUP + move, k] = group_of(mode, length, string, counters, lattice, table)
    first[cell, 3] = used[USED_GROUPS]


@kernel(inline="always")
def group_of(mode, length, string, counters, lattice, table):
    """The group that leads to ``mode`` with this string; made if it is missing."""
    groups, used, now = lattice.groups, lattice.used, counters[GROUPING]
    key = key_of(mode, length, string)
    at = seek(key, table, table.shape[0], now)
    if table[at, STAMP] == now:
        return table[at, VALUE]
    group = used[USED_GROUPS]
    used[USED_GROUPS] += 1
    put(key, group, at, table, now)
    groups[G_MODE, group], groups[G_LENGTH, group], groups[G_STRING, group] = mode, length, string
    groups[G_PARENT, group] = groups[G_IMAGE, group] = -1
    for shorter in range(length - 1, -1, -1):
        there = seek(key_of(mode, shorter, tail(string, shorter)), table, table.shape[0], now)
        if table[there, STAMP] == now:
            groups[G_PARENT, group] = table[there, VALUE]
            break
    return group


@part(_nrt=False)
def source_of(cell, move, width):
    """The cell from which a move leads here."""
    return cell - 1 - width if move == D else (cell - 1 if move == C else cell - width)


@part(_nrt=False)
def goal_of(cell, move, width):
    """The cell to which a move leads from here."""
    return cell + cell - source_of(cell, move, width)


@part(_nrt=False)
def is_inside(cell, move, phones, width):
    """Whether a move out of a cell leads to another one."""
    return (cell < phones * width or move == C) and (cell % width < width - 1 or move == P)


@part(_nrt=False)
def letters_of(cell, move, gold, letters, width):
    """[low, high), the letters that a move out of a cell can add: that of the gold if there is a gold; 0 for P."""
    i = cell % width
    if move == P:
        return 0, 1
    if gold.size == 0:
        return 0, letters
    return (gold[i], gold[i] + 1) if i < gold.size else (0, 0)


@part(_nrt=False)
def ends_at(cell, phones, gold, width):
    """Whether an alignment can end in a cell."""
    i = cell % width
    return cell >= phones * width and (i == gold.size if gold.size > 0 else i > 0)


@part(_nrt=False)
def spread(cell, move, low, high, message, lattice, ahead):
    """``ahead[group, y − low]``: the message of the context that a candidate of this move out of a cell leads to."""
    contexts, groups, width = lattice.contexts, lattice.groups, lattice.width
    there, start = goal_of(cell, move, width), lattice.first[cell, move]
    k, stop = lattice.begin[there], lattice.begin[there] + lattice.count[there]
    while k < stop and contexts[MADE_BY, k] < move:
        k += 1
    for group in range(start, lattice.first[cell, move + 1]):
        row, parent = ahead[group - start], groups[G_PARENT, group]
        root = lattice.roots[there, groups[G_MODE, group]]
        if parent >= 0:
            inherited = ahead[parent - start]
            for y in range(high - low):
                row[y] = inherited[y]
        else:
            for y in range(high - low):
                row[y] = message[root] if root >= 0 else 0.0
        while k < stop and contexts[MADE_BY, k] == move and contexts[MADE_FROM, k] == group:
            y = 0 if move == P else contexts[LETTER_OF, k] - low
            if 0 <= y < high - low:
                row[y] = message[k]
            k += 1
    return there


@part(_nrt=False)
def target_of(cell, move, group, y, lattice):
    """The context that a candidate leads to, −1 where it is dropped."""
    contexts, there, root = lattice.contexts, goal_of(cell, move, lattice.width), np.int64(-1)
    while group >= 0:
        for k in range(lattice.begin[there], lattice.begin[there] + lattice.count[there]):
            made_so = contexts[MADE_BY, k] == move and contexts[MADE_FROM, k] == group
            if made_so and (move == P or contexts[LETTER_OF, k] == y):
                return k
        root, group = lattice.roots[there, lattice.groups[G_MODE, group]], lattice.groups[G_PARENT, group]
    return root


@part(_nrt=False)
def map_images(cell, lattice, before):
    """IMAGE of each context, the longest of its suffixes that the pass ``before`` kept, and G_IMAGE of each group."""
    contexts, groups = lattice.contexts, lattice.groups
    for k in range(lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]):
        move, group = contexts[MADE_BY, k], contexts[MADE_FROM, k]
        if cell == 0:
            image = np.int64(0)
        elif move < 0:
            image = before.roots[cell, contexts[MODE, k]]
        else:
            source = source_of(cell, move, lattice.width)
            image = target_of(source, move, groups[G_IMAGE, group], contexts[LETTER_OF, k], before)
        contexts[IMAGE, k] = image
        for onward in range(3):
            own, theirs = contexts[GROUP + onward, k], before.contexts[GROUP + onward, image]
            if own < 0:
                continue
            known = groups[G_IMAGE, own]
            if known < 0 or before.groups[G_LENGTH, theirs] > before.groups[G_LENGTH, known]:
                groups[G_IMAGE, own] = theirs
