"""One cell of alignments: its candidates and their masses, the contexts that are kept; ``grid.py`` runs over all.

Masses are of the model, in row FORWARD, or of the observed letters under the same contexts, in row GOLD_FORWARD. These
two differ in the letters that are looked at, all or one: ``[low, high)``. With several passes candidates are ranked by
what the pass before found ahead of them.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.align.features import BITS, LETTER, P, symbol
from rcmviz.kernels.align.groups import (
    BACKWARD,
    FORWARD,
    G_IMAGE,
    G_LENGTH,
    G_MODE,
    G_PARENT,
    G_STRING,
    GROUP,
    IMAGE,
    LENGTH,
    LETTER_OF,
    MADE_BY,
    MADE_FROM,
    MODE,
    PROFILE,
    STRING,
    USED_CONTEXTS,
    source_of,
    spread,
)
from rcmviz.kernels.chain.selection import select
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import fill, fill_column

BY_MODEL, BY_TARGET, BY_BOTH = 0, 1, 2  # what the heaviest candidates are chosen by


class Rule(NamedTuple):
    """How many candidates of a cell are kept, whether the others are merged, by what the kept ones are chosen."""

    budget: int
    merging: int
    by: int


class Scratch(NamedTuple):
    """Overwritten by every cell; ``begins[move]`` is the first candidate of a move in ``flow``."""

    flow: Any
    gold_flow: Any
    chosen: Any
    by_gold: Any
    ahead: Any  # (groups, V)
    table: Any
    key: Any
    begins: Any  # (4,)
    gold_begins: Any  # (4,)


@part(_nrt=False)
def arrive(row, cell, allowed, low, high, letters, lattice, factor, flow, begins):
    """Mass of every candidate into ``flow``, a move's from ``begins[move]`` on, by the ``allowed`` moves, a bit each.

    Returns the log scale.
    """
    contexts, mass, scale, width = lattice.contexts, lattice.mass, lattice.scale, lattice.width
    highest, filled = -np.inf, 0
    for move in range(3):
        if allowed >> move & 1:
            highest = max(highest, scale[row, source_of(cell, move, width)])
    for move in range(3):
        source, step = source_of(cell, move, width), 1 if move == P else high - low
        start, column = lattice.first[source, move], move * letters + (0 if move == P else low)
        begins[move] = filled
        filled += (lattice.first[source, move + 1] - start) * step
        fill(flow[begins[move] : filled], 0.0)
        if not allowed >> move & 1 or highest == -np.inf:
            continue
        relative = np.exp(scale[row, source] - highest)
        for k in range(lattice.begin[source], lattice.begin[source] + lattice.count[source]):
            here = mass[row, k] * relative
            if contexts[GROUP + move, k] < 0 or here == 0.0:
                continue
            factors = factor[contexts[PROFILE, k], column : column + step]
            into = flow[begins[move] + (contexts[GROUP + move, k] - start) * step :][:step]
            for y in range(step):
                into[y] += here * factors[y]
    begins[3] = filled
    return highest


@kernel(inline="always")
def rank(cell, letters, lattice, before, scratch):
    """``key``: forward mass × the backward message of the context that a candidate maps to in the pass ``before``."""
    flow, key, begins, ahead = scratch.flow, scratch.key, scratch.begins, scratch.ahead
    for move in range(3):
        source, step = source_of(cell, move, lattice.width), 1 if move == P else letters
        spread(source, move, np.int64(0), step, before.mass[BACKWARD], before, ahead)
        start, past = lattice.first[source, move], before.first[source, move]
        for group in range(start, lattice.first[source, move + 1]):
            place, row = begins[move] + (group - start) * step, ahead[lattice.groups[G_IMAGE, group] - past]
            for y in range(step):
                key[place + y] = flow[place + y] * row[y]


@kernel(inline="always")
def choose(rule, ranked, y, letters, scratch):
    """The candidates that are kept, ascending, into ``chosen``; returns how many. Ties go to the lower number."""
    chosen, by_gold, begins, gold_begins = scratch.chosen, scratch.by_gold, scratch.begins, scratch.gold_begins
    kept = 0
    if rule.by != BY_TARGET:
        keys = scratch.key if ranked else scratch.flow
        kept = select(keys[: begins[3]], rule.budget, np.bool_(False), chosen)
    if rule.by == BY_MODEL or y < 0:
        return kept
    also = select(scratch.gold_flow[: gold_begins[3]], rule.budget, np.bool_(False), by_gold)
    move = 0
    for j in range(also):
        while by_gold[j] >= gold_begins[move + 1]:
            move += 1
        group = by_gold[j] - gold_begins[move]
        by_gold[j] = begins[move] + (group if move == P else group * letters + y)
    return join(chosen, kept, by_gold, also)


@kernel(inline="always")
def join(one, size, other, also):
    """The union of two ascending lists, ascending, into ``one``; returns its size."""
    for j in range(also):
        place = size
        while place > 0 and one[place - 1] > other[j]:
            place -= 1
        if place > 0 and one[place - 1] == other[j]:
            continue
        for k in range(size, place, -1):
            one[k] = one[k - 1]
        one[place] = other[j]
        size += 1
    return size


@kernel(inline="always")
def set_roots(cell, merging, lattice):
    """A root for every mode in which the cell can be entered."""
    roots, contexts, used = lattice.roots, lattice.contexts, lattice.used
    lattice.begin[cell] = used[USED_CONTEXTS]
    fill(roots[cell], -1)
    if not merging:
        return
    for move in range(3):
        source = source_of(cell, move, lattice.width)
        for group in range(lattice.first[source, move], lattice.first[source, move + 1]):
            roots[cell, lattice.groups[G_MODE, group]] = 0
    for mode in range(roots.shape[1]):
        if roots[cell, mode] == 0:
            root = used[USED_CONTEXTS]
            roots[cell, mode] = root
            fill_column(contexts, root, -1)
            contexts[MODE, root], contexts[LENGTH, root], contexts[STRING, root] = mode, 0, 0
            fill_column(lattice.mass, root, 0.0)
            used[USED_CONTEXTS] += 1


@kernel(inline="always")
def forget_letterless(cell, lattice, flow, begins):
    """P from a root adds nothing to remember: its mass goes to the root, and it is no candidate."""
    groups, source = lattice.groups, source_of(cell, P, lattice.width)
    for group in range(lattice.first[source, P], lattice.first[source, P + 1]):
        if groups[G_LENGTH, group] > 0:
            break
        place = begins[P] + group - lattice.first[source, P]
        lattice.mass[FORWARD, lattice.roots[cell, groups[G_MODE, group]]] += flow[place]
        flow[place] = 0.0


@kernel(inline="always")
def grow(cell, letters, chosen, lattice, begins):
    """A context for every candidate that is kept: ``chosen``, ascending."""
    contexts, groups, used, move = lattice.contexts, lattice.groups, lattice.used, 0
    for j in range(chosen.size):
        while chosen[j] >= begins[move + 1]:
            move += 1
        k, offset = used[USED_CONTEXTS] + j, chosen[j] - begins[move]
        start = lattice.first[source_of(cell, move, lattice.width), move]
        group = start + (offset if move == P else offset // letters)
        contexts[MADE_BY, k], contexts[MADE_FROM, k], contexts[MODE, k] = move, group, groups[G_MODE, group]
        length, string, letter = groups[G_LENGTH, group], groups[G_STRING, group], offset % letters
        if move == P:
            letter = string & LETTER
        else:
            length, string = length + 1, string << BITS | symbol(move, letter)
        contexts[LENGTH, k], contexts[STRING, k] = length, string
        contexts[LETTER_OF, k], contexts[IMAGE, k] = letter, -1
        fill_column(lattice.mass, k, 0.0)
    used[USED_CONTEXTS] += chosen.size
    lattice.count[cell] = used[USED_CONTEXTS] - lattice.begin[cell]


@part(_nrt=False)
def absorb(row, cell, low, high, reference, lattice, flow, begins):
    """Masses of a cell from those of its candidates, which are used up; ``reference`` is the candidates' log scale.

    A kept candidate has its own, the others add up into their least ancestor, or are dropped if there are no roots.
    """
    contexts, groups, mass = lattice.contexts, lattice.groups, lattice.mass
    k = lattice.begin[cell] + lattice.count[cell] - 1
    for move in range(2, -1, -1):
        source, step = source_of(cell, move, lattice.width), 1 if move == P else high - low
        for group in range(lattice.first[source, move + 1] - 1, lattice.first[source, move] - 1, -1):
            start = begins[move] + (group - lattice.first[source, move]) * step
            while k >= lattice.begin[cell] and contexts[MADE_BY, k] == move and contexts[MADE_FROM, k] == group:
                y = 0 if move == P else contexts[LETTER_OF, k] - low
                if 0 <= y < step:
                    mass[row, k] = flow[start + y]
                    flow[start + y] = 0.0
                k -= 1
            rest, parent = flow[start : start + step], groups[G_PARENT, group]
            root = lattice.roots[cell, groups[G_MODE, group]]
            if parent >= 0:
                into = flow[start + (parent - group) * step :][:step]
                for y in range(step):
                    into[y] += rest[y]
            elif root >= 0:
                total = 0.0
                for y in range(step):
                    total += rest[y]
                mass[row, root] += total
    rescale(row, cell, reference, lattice)


@part(_nrt=False)
def rescale(row, cell, reference, lattice):
    """Masses of a cell that sum to one, and the log of what they were divided by."""
    mass, start, stop, total = lattice.mass, lattice.begin[cell], lattice.begin[cell] + lattice.count[cell], 0.0
    for k in range(start, stop):
        total += mass[row, k]
    lattice.scale[row, cell] = reference + np.log(total) if total > 0.0 else -np.inf
    if total > 0.0:
        for k in range(start, stop):
            mass[row, k] /= total
