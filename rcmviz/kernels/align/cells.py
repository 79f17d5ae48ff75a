"""One cell of alignments: its candidates and their masses, the contexts that are kept; ``grid.py`` runs over all.

Tuples as in ``groups.py``. ``rule = (budget, merging, by)`` says how many candidates are kept, whether the others
are merged, and by what they are chosen. ``scratch = (flow, gold flow, chosen, chosen by gold, ahead, table, key, begins
(4,), gold begins (4,))`` is overwritten by every cell; ``begins[move]`` is the first candidate of a move in ``flow``.
With several passes candidates are ranked by what the pass before found ahead of them.
"""

import numpy as np

from rcmviz.kernels.align.features import BITS, LETTER, P, symbol
from rcmviz.kernels.align.groups import (
    BACKWARD,
    CELL_BEGIN,
    CELL_COUNT,
    FIRST,
    FORWARD,
    G_HIT,
    G_IMAGE,
    G_LENGTH,
    G_MODE,
    G_PARENT,
    G_STRING,
    GOLD_FORWARD,
    GROUP,
    GROUPS,
    IMAGE,
    LENGTH,
    LETTER_OF,
    MADE_BY,
    MADE_FROM,
    MASS,
    MODE,
    PROFILE,
    SCALE,
    STRING,
    USED_CONTEXTS,
    WIDTH,
    source_of,
    spread,
)
from rcmviz.kernels.chain.selection import select
from rcmviz.kernels.kernel import kernel

BY_MODEL, BY_TARGET, BY_BOTH = 0, 1, 2  # what the heaviest candidates are chosen by


@kernel(inline="always")
def arrive(cell, letters, lattice, factor, flow, begins):
    """Forward mass of every candidate into ``flow``, a move's from ``begins[move]`` on; returns the log scale."""
    begin, count, scale, _, first, contexts, mass, _, _, width = lattice
    highest, filled = -np.inf, 0
    for move in range(3):
        highest = max(highest, scale[FORWARD, source_of(cell, move, width)])
    for move in range(3):
        source, step = source_of(cell, move, width), 1 if move == P else letters
        start = first[source, move]
        begins[move] = filled
        filled += (first[source, move + 1] - start) * step
        flow[begins[move] : filled] = 0.0
        relative = np.exp(scale[FORWARD, source] - highest) if highest > -np.inf else 0.0
        for k in range(begin[source], begin[source] + count[source]):
            forward = mass[FORWARD, k] * relative
            if contexts[GROUP + move, k] < 0 or forward == 0.0:
                continue
            factors = factor[contexts[PROFILE, k], move * letters : move * letters + step]
            row = flow[begins[move] + (contexts[GROUP + move, k] - start) * step :][:step]
            for y in range(step):
                row[y] += forward * factors[y]
    begins[3] = filled
    return highest


@kernel(_nrt=False)
def arrive_gold(cell, allowed, y, letters, lattice, factor, flow, begins):
    """The same for the observed letter y: one mass per group, those of a move from ``begins[move]`` on."""
    begin, count, scale, _, first, contexts, mass, _, _, width = lattice
    highest, filled = -np.inf, 0
    for move in range(3):
        if allowed >> move & 1:
            highest = max(highest, scale[GOLD_FORWARD, source_of(cell, move, width)])
    for move in range(3):
        source = source_of(cell, move, width)
        start = first[source, move]
        begins[move] = filled
        filled += first[source, move + 1] - start
        flow[begins[move] : filled] = 0.0
        if not allowed >> move & 1 or highest == -np.inf:
            continue
        relative = np.exp(scale[GOLD_FORWARD, source] - highest)
        column = move * letters + (0 if move == P else y)
        for k in range(begin[source], begin[source] + count[source]):
            if contexts[GROUP + move, k] >= 0 and mass[GOLD_FORWARD, k] > 0.0:
                here = mass[GOLD_FORWARD, k] * relative * factor[contexts[PROFILE, k], column]
                flow[begins[move] + contexts[GROUP + move, k] - start] += here
    begins[3] = filled
    return highest


@kernel(inline="always")
def rank(cell, letters, lattice, before, scratch):
    """``key``: forward mass × the backward message of the context that a candidate maps to in the pass ``before``."""
    first, groups, width = lattice[FIRST], lattice[GROUPS], lattice[WIDTH]
    flow, _, _, _, ahead, _, key, begins, _ = scratch
    for move in range(3):
        source, step = source_of(cell, move, width), 1 if move == P else letters
        spread(source, move, before[MASS][BACKWARD], letters, before, ahead)
        start, past = first[source, move], before[FIRST][source, move]
        for group in range(start, first[source, move + 1]):
            place, row = begins[move] + (group - start) * step, ahead[groups[G_IMAGE, group] - past]
            for y in range(step):
                key[place + y] = flow[place + y] * row[y]


@kernel(inline="always")
def choose(rule, ranked, y, letters, scratch):
    """The candidates that are kept, ascending, into ``chosen``; returns how many. Ties go to the lower number."""
    flow, gold_flow, chosen, by_gold, _, _, key, begins, gold_begins = scratch
    budget, _, by = rule
    kept = 0
    if by != BY_TARGET:
        kept = select(key[: begins[3]] if ranked else flow[: begins[3]], budget, np.bool_(False), chosen)
    if by == BY_MODEL or y < 0:
        return kept
    also = select(gold_flow[: gold_begins[3]], budget, np.bool_(False), by_gold)
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
    begin, _, _, roots, first, contexts, mass, groups, used, width = lattice
    begin[cell] = used[USED_CONTEXTS]
    roots[cell] = -1
    if not merging:
        return
    for move in range(3):
        source = source_of(cell, move, width)
        for group in range(first[source, move], first[source, move + 1]):
            roots[cell, groups[G_MODE, group]] = 0
    for mode in range(roots.shape[1]):
        if roots[cell, mode] == 0:
            root = used[USED_CONTEXTS]
            roots[cell, mode] = root
            contexts[:, root] = -1
            contexts[MODE, root], contexts[LENGTH, root], contexts[STRING, root] = mode, 0, 0
            mass[:, root] = 0.0
            used[USED_CONTEXTS] += 1


@kernel(inline="always")
def forget_letterless(cell, lattice, flow, begins):
    """P from a root adds nothing to remember: its mass goes to the root, and it is no candidate."""
    _, _, _, roots, first, _, mass, groups, _, width = lattice
    source = source_of(cell, P, width)
    for group in range(first[source, P], first[source, P + 1]):
        if groups[G_LENGTH, group] > 0:
            break
        place = begins[P] + group - first[source, P]
        mass[FORWARD, roots[cell, groups[G_MODE, group]]] += flow[place]
        flow[place] = 0.0


@kernel(_nrt=False)
def grow(cell, letters, chosen, lattice, begins):
    """A context for every candidate that is kept: ``chosen``, ascending."""
    _, _, _, _, first, contexts, mass, groups, used, width = lattice
    move = 0
    for j in range(chosen.size):
        while chosen[j] >= begins[move + 1]:
            move += 1
        k, offset = used[USED_CONTEXTS] + j, chosen[j] - begins[move]
        start = first[source_of(cell, move, width), move]
        group = start + (offset if move == P else offset // letters)
        contexts[MADE_BY, k], contexts[MADE_FROM, k], contexts[MODE, k] = move, group, groups[G_MODE, group]
        length, string, letter = groups[G_LENGTH, group], groups[G_STRING, group], offset % letters
        if move == P:
            letter = string & LETTER
        else:
            length, string = length + 1, string << BITS | symbol(move, letter)
        contexts[LENGTH, k], contexts[STRING, k] = length, string
        contexts[LETTER_OF, k], contexts[IMAGE, k] = letter, -1
        mass[:, k] = 0.0
    used[USED_CONTEXTS] += chosen.size


@kernel(_nrt=False)
def absorb(cell, letters, merging, chosen, lattice, flow, begins):
    """Forward masses: a kept candidate has its own, the others add up into their least ancestor; uses up ``flow``."""
    _, _, _, roots, first, _, mass, groups, used, width = lattice
    j, made = chosen.size - 1, used[USED_CONTEXTS] - chosen.size
    for move in range(2, -1, -1):
        source, step = source_of(cell, move, width), 1 if move == P else letters
        for group in range(first[source, move + 1] - 1, first[source, move] - 1, -1):
            start = begins[move] + (group - first[source, move]) * step
            while j >= 0 and chosen[j] >= start:
                mass[FORWARD, made + j] = flow[chosen[j]]
                flow[chosen[j]] = 0.0
                j -= 1
            if not merging:
                continue
            row, parent = flow[start : start + step], groups[G_PARENT, group]
            if parent >= 0:
                into = flow[start + (parent - group) * step :][:step]
                for y in range(step):
                    into[y] += row[y]
            else:
                total = 0.0
                for y in range(step):
                    total += row[y]
                mass[FORWARD, roots[cell, groups[G_MODE, group]]] += total


@kernel(inline="always")
def comes_before(contexts, k, move, group, y):
    """Whether context k was made by a candidate before (move, group, y)."""
    if contexts[MADE_BY, k] != move:
        return contexts[MADE_BY, k] < move
    if contexts[MADE_FROM, k] != group:
        return contexts[MADE_FROM, k] < group
    return move != P and contexts[LETTER_OF, k] < y


@kernel(_nrt=False)
def absorb_gold(cell, y, lattice, flow, begins):
    """Where the observed letter leads from every group, into G_HIT, and the masses that it takes there."""
    begin, count, _, roots, first, contexts, mass, groups, _, width = lattice
    k, stop = begin[cell], begin[cell] + count[cell]
    for move in range(3):
        source = source_of(cell, move, width)
        for group in range(first[source, move], first[source, move + 1]):
            parent = groups[G_PARENT, group]
            hit = groups[G_HIT, parent] if parent >= 0 else roots[cell, groups[G_MODE, group]]
            while k < stop and comes_before(contexts, k, move, group, y):
                k += 1
            if k < stop and contexts[MADE_FROM, k] == group and (move == P or contexts[LETTER_OF, k] == y):
                hit = k
            groups[G_HIT, group] = hit
            if hit >= 0:
                mass[GOLD_FORWARD, hit] += flow[begins[move] + group - first[source, move]]


@kernel(_nrt=False)
def rescale(which, cell, reference, lattice):
    """Masses of a cell that sum to one, and the log of what they were divided by."""
    begin, count, scale, mass = lattice[CELL_BEGIN], lattice[CELL_COUNT], lattice[SCALE], lattice[MASS]
    total = 0.0
    for k in range(begin[cell], begin[cell] + count[cell]):
        total += mass[which, k]
    scale[which, cell] = reference + np.log(total) if total > 0.0 else -np.inf
    if total > 0.0:
        for k in range(begin[cell], begin[cell] + count[cell]):
            mass[which, k] /= total
