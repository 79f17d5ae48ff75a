"""One cell of alignments: its groups, its candidates, the contexts that are kept; ``align.py`` runs over all cells.

Cell (a, i), ``a · (most + 1) + i``, is where i letters and a phones are aligned so far; D, C and P lead into it from
(a−1, i−1), (a, i−1) and (a−1, i). A context is (mode, string), see ``align/features.py``; the empty string is the root
of its mode. Contexts that a move makes alike, the same mode and string after it but for the letter, form a *group*; a
candidate is (group, letter). So candidates are merged as a set before any is chosen, and the links of ``contexts.py``
hold between groups: the target of a candidate is its own context where it was kept, else that of its group's parent,
the group of the longest proper suffix, else the root.

``lattice = (begin, count, scale (4, cells), roots (cells, modes), first (cells, 4), contexts (FIELDS, K), mass (4, K),
groups (G_FIELDS, G), used (2,), most + 1)``; ``first[cell, move]`` is the first group of a move out of a cell. Masses
are linear, those of a cell by its own log ``scale``. ``rule = (budget, merging, by)``.
``room = (flow, gold flow, chosen, chosen by gold, ahead, table, key)`` is scratch. Where there are several passes,
``before`` is the lattice of the pass before, and candidates are ranked by what that found ahead of them.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.align.features import (
    BITS,
    GROUPING,
    JOINED,
    LETTER,
    MEMORY,
    ORDER,
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
from rcmviz.kernels.chain.contexts import select

# of a context: mode, symbols, string, sheet; the move, group and letter that made it (−1 a root); the context of the
# pass before that it maps to; its three groups
MODE, LENGTH, STRING, SHEET, MADE_BY, MADE_FROM, LETTER_OF, IMAGE, GROUP, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 11
# of a group: what it leads to, its parent, where the observed letter leads, which group of the pass before it maps to
G_MODE, G_LENGTH, G_STRING, G_PARENT, G_HIT, G_IMAGE, G_FIELDS = 0, 1, 2, 3, 4, 5, 6
FORWARD, BACKWARD, GOLD_FORWARD, GOLD_BACKWARD = 0, 1, 2, 3  # of ``mass`` and ``scale``
BY_MODEL, BY_TARGET, BY_BOTH = 0, 1, 2  # what the heaviest candidates are chosen by


@njit(cache=True, nogil=True)
def key_of(mode, length, string):
    """Mode, length and string in one number."""
    return np.int64(mode) << 59 | np.int64(length) << 56 | string


@njit(cache=True, nogil=True)
def remains(move, string, length, shape):
    """What of a string a group keeps, (string, its length): as much as stays once the move has added a symbol.

    P has no letter to choose, so its symbol is a part of the group's string.
    """
    if move == P and length == 0:
        return np.int64(0), 0
    longer = string << BITS | symbol(move, string & LETTER)
    keep = min(length + 1, shape[MEMORY])
    if shape[JOINED]:
        keep = min(keep, needed(longer, length + 1, shape[ORDER]))
    return (tail(longer, keep), keep) if move == P else (tail(string, keep - 1), keep - 1)


@njit(cache=True, nogil=True)
def group_contexts(cell, shape, clock, lattice, table):
    """The groups of a cell's three moves, those of shorter strings first."""
    begin, count, _, _, first, contexts, _, _, used, _ = lattice
    start, stop = begin[cell], begin[cell] + count[cell]
    for move in range(3):
        first[cell, move] = used[1]
        clock[GROUPING] += 1
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
                    contexts[GROUP + move, k] = group_of(mode, length, string, clock, lattice, table)
    first[cell, 3] = used[1]


@njit(cache=True, nogil=True)
def group_of(mode, length, string, clock, lattice, table):
    """The group that leads to ``mode`` with this string, made where there is none."""
    groups, used, now = lattice[7], lattice[8], clock[GROUPING]
    key = key_of(mode, length, string)
    at = seek(key, table, now)
    if table[at, STAMP] == now:
        return table[at, VALUE]
    group = used[1]
    used[1] += 1
    put(key, group, at, table, now)
    groups[G_MODE, group], groups[G_LENGTH, group], groups[G_STRING, group] = mode, length, string
    groups[G_PARENT, group] = groups[G_HIT, group] = groups[G_IMAGE, group] = -1
    for shorter in range(length - 1, -1, -1):
        there = seek(key_of(mode, shorter, tail(string, shorter)), table, now)
        if table[there, STAMP] == now:
            groups[G_PARENT, group] = table[there, VALUE]
            break
    return group


@njit(cache=True, nogil=True)
def source_of(cell, move, width):
    """The cell from which a move leads here."""
    return cell - 1 - width if move == D else (cell - 1 if move == C else cell - width)


@njit(cache=True, nogil=True)
def spread(cell, move, message, letters, lattice, ahead):
    """``ahead[group, y]``: the message of the context that a candidate of this move out of a cell leads to."""
    begin, count, _, roots, first, contexts, _, groups, _, width = lattice
    there = cell + cell - source_of(cell, move, width)
    step = 1 if move == P else letters
    k, stop = begin[there], begin[there] + count[there]
    while k < stop and contexts[MADE_BY, k] < move:
        k += 1
    for group in range(first[cell, move], first[cell, move + 1]):
        row, parent = ahead[group - first[cell, move]], groups[G_PARENT, group]
        root = roots[there, groups[G_MODE, group]]
        if parent >= 0:
            inherited = ahead[parent - first[cell, move]]
            for y in range(step):
                row[y] = inherited[y]
        else:
            for y in range(step):
                row[y] = message[root] if root >= 0 else 0.0
        while k < stop and contexts[MADE_BY, k] == move and contexts[MADE_FROM, k] == group:
            row[0 if move == P else contexts[LETTER_OF, k]] = message[k]
            k += 1
    return there


@njit(cache=True, nogil=True)
def target_of(cell, move, group, y, lattice):
    """The context that a candidate leads to, −1 where it is dropped."""
    begin, count, _, roots, _, contexts, _, groups, _, width = lattice
    there = cell + cell - source_of(cell, move, width)
    while group >= 0:
        for k in range(begin[there], begin[there] + count[there]):
            made_so = contexts[MADE_BY, k] == move and contexts[MADE_FROM, k] == group
            if made_so and (move == P or contexts[LETTER_OF, k] == y):
                return k
        root, group = roots[there, groups[G_MODE, group]], groups[G_PARENT, group]
    return root


@njit(cache=True, nogil=True)
def arrive(cell, letters, lattice, paper, flow, at):
    """Forward mass of every candidate into ``flow``, those of a move from ``at[move]`` on; returns the log scale."""
    begin, count, scale, _, first, contexts, mass, _, _, width = lattice
    highest, filled = -np.inf, 0
    for move in range(3):
        highest = max(highest, scale[FORWARD, source_of(cell, move, width)])
    for move in range(3):
        source, step = source_of(cell, move, width), 1 if move == P else letters
        start = first[source, move]
        at[move] = filled
        filled += (first[source, move + 1] - start) * step
        flow[at[move] : filled] = 0.0
        relative = np.exp(scale[FORWARD, source] - highest) if highest > -np.inf else 0.0
        for k in range(begin[source], begin[source] + count[source]):
            forward = mass[FORWARD, k] * relative
            if contexts[GROUP + move, k] < 0 or forward == 0.0:
                continue
            factor = paper[2][contexts[SHEET, k], move * letters : move * letters + step]
            row = flow[at[move] + (contexts[GROUP + move, k] - start) * step :][:step]
            for y in range(step):
                row[y] += forward * factor[y]
    at[3] = filled
    return highest


@njit(cache=True, nogil=True)
def arrive_gold(cell, door, y, letters, lattice, paper, flow, at):
    """The same for the observed letter y: one mass per group, those of a move from ``at[move]`` on."""
    begin, count, scale, _, first, contexts, mass, _, _, width = lattice
    highest, filled = -np.inf, 0
    for move in range(3):
        if door >> move & 1:
            highest = max(highest, scale[GOLD_FORWARD, source_of(cell, move, width)])
    for move in range(3):
        source = source_of(cell, move, width)
        start = first[source, move]
        at[move] = filled
        filled += first[source, move + 1] - start
        flow[at[move] : filled] = 0.0
        if not door >> move & 1 or highest == -np.inf:
            continue
        relative = np.exp(scale[GOLD_FORWARD, source] - highest)
        column = move * letters + (0 if move == P else y)
        for k in range(begin[source], begin[source] + count[source]):
            if contexts[GROUP + move, k] >= 0 and mass[GOLD_FORWARD, k] > 0.0:
                here = mass[GOLD_FORWARD, k] * relative * paper[2][contexts[SHEET, k], column]
                flow[at[move] + contexts[GROUP + move, k] - start] += here
    at[3] = filled
    return highest


@njit(cache=True, nogil=True)
def rank(cell, letters, lattice, before, room, at):
    """``key``: forward mass × the backward message of the context that a candidate maps to in the pass ``before``."""
    first, groups, width = lattice[4], lattice[7], lattice[9]
    flow, ahead, key = room[0], room[4], room[6]
    for move in range(3):
        source, step = source_of(cell, move, width), 1 if move == P else letters
        spread(source, move, before[6][BACKWARD], letters, before, ahead)
        start, past = first[source, move], before[4][source, move]
        for group in range(start, first[source, move + 1]):
            place, row = at[move] + (group - start) * step, ahead[groups[G_IMAGE, group] - past]
            for y in range(step):
                key[place + y] = flow[place + y] * row[y]


@njit(cache=True, nogil=True)
def map_images(cell, lattice, before):
    """IMAGE of each context, the longest of its suffixes that the pass ``before`` kept, and G_IMAGE of each group."""
    begin, count, _, roots, first, contexts, _, groups, _, width = lattice
    for k in range(begin[cell], begin[cell] + count[cell]):
        move, group = contexts[MADE_BY, k], contexts[MADE_FROM, k]
        if cell == 0:
            image = np.int64(0)
        elif move < 0:
            image = before[3][cell, contexts[MODE, k]]
        else:
            source = source_of(cell, move, width)
            image = target_of(source, move, groups[G_IMAGE, group], contexts[LETTER_OF, k], before)
        contexts[IMAGE, k] = image
        for onward in range(3):
            own, theirs = contexts[GROUP + onward, k], before[5][GROUP + onward, image]
            if own >= 0 and (
                groups[G_IMAGE, own] < 0 or before[7][G_LENGTH, theirs] > before[7][G_LENGTH, groups[G_IMAGE, own]]
            ):
                groups[G_IMAGE, own] = theirs


@njit(cache=True, nogil=True)
def choose(rule, ranked, y, letters, room, at, gold_at):
    """The candidates that are kept, ascending, into ``chosen``; returns how many. Ties go to the lower number."""
    flow, gold_flow, chosen, by_gold, _, _, key = room
    budget, _, by = rule
    kept = 0
    if by != BY_TARGET:
        kept = select(key[: at[3]] if ranked else flow[: at[3]], budget, False, chosen)
    if by == BY_MODEL or y < 0:
        return kept
    also = select(gold_flow[: gold_at[3]], budget, False, by_gold)
    move = 0
    for j in range(also):
        while by_gold[j] >= gold_at[move + 1]:
            move += 1
        group = by_gold[j] - gold_at[move]
        by_gold[j] = at[move] + (group if move == P else group * letters + y)
    return join(chosen, kept, by_gold, also)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def set_roots(cell, merging, lattice):
    """A root for every mode in which the cell can be entered."""
    begin, _, _, roots, first, contexts, mass, groups, used, width = lattice
    begin[cell] = used[0]
    roots[cell] = -1
    if not merging:
        return
    for move in range(3):
        source = source_of(cell, move, width)
        for group in range(first[source, move], first[source, move + 1]):
            roots[cell, groups[G_MODE, group]] = 0
    for mode in range(roots.shape[1]):
        if roots[cell, mode] == 0:
            roots[cell, mode] = used[0]
            contexts[:, used[0]] = -1
            contexts[MODE, used[0]], contexts[LENGTH, used[0]], contexts[STRING, used[0]] = mode, 0, 0
            mass[:, used[0]] = 0.0
            used[0] += 1


@njit(cache=True, nogil=True)
def forget_letterless(cell, lattice, flow, at):
    """P from a root adds nothing to remember: its mass goes to the root, and it is no candidate."""
    _, _, _, roots, first, _, mass, groups, _, width = lattice
    source = source_of(cell, P, width)
    for group in range(first[source, P], first[source, P + 1]):
        if groups[G_LENGTH, group] > 0:
            break
        place = at[P] + group - first[source, P]
        mass[FORWARD, roots[cell, groups[G_MODE, group]]] += flow[place]
        flow[place] = 0.0


@njit(cache=True, nogil=True)
def grow(cell, letters, chosen, kept, lattice, at):
    """A context for every candidate that is kept."""
    _, _, _, _, first, contexts, mass, groups, used, width = lattice
    move = 0
    for j in range(kept):
        while chosen[j] >= at[move + 1]:
            move += 1
        k, offset = used[0] + j, chosen[j] - at[move]
        start = first[source_of(cell, move, width), move]
        group = start + (offset if move == P else offset // letters)
        contexts[MADE_BY, k], contexts[MADE_FROM, k], contexts[MODE, k] = move, group, groups[G_MODE, group]
        length, string, letter = groups[G_LENGTH, group], groups[G_STRING, group], offset % letters
        if move == P:
            letter = string & LETTER
        else:
            length, string = length + 1, string << BITS | symbol(move, letter)
        contexts[LENGTH, k], contexts[STRING, k], contexts[LETTER_OF, k], contexts[IMAGE, k] = (
            length,
            string,
            letter,
            -1,
        )
        mass[:, k] = 0.0
    used[0] += kept


@njit(cache=True, nogil=True)
def absorb(cell, letters, merging, chosen, kept, lattice, flow, at):
    """Forward masses: a kept candidate has its own, the others add up into their least ancestor; uses up ``flow``."""
    _, _, _, roots, first, _, mass, groups, used, width = lattice
    j = kept - 1
    for move in range(2, -1, -1):
        source, step = source_of(cell, move, width), 1 if move == P else letters
        for group in range(first[source, move + 1] - 1, first[source, move] - 1, -1):
            start = at[move] + (group - first[source, move]) * step
            while j >= 0 and chosen[j] >= start:
                mass[FORWARD, used[0] - kept + j] = flow[chosen[j]]
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


@njit(cache=True, nogil=True)
def comes_before(contexts, k, move, group, y):
    """Whether context k was made by a candidate before (move, group, y)."""
    if contexts[MADE_BY, k] != move:
        return contexts[MADE_BY, k] < move
    if contexts[MADE_FROM, k] != group:
        return contexts[MADE_FROM, k] < group
    return move != P and contexts[LETTER_OF, k] < y


@njit(cache=True, nogil=True)
def absorb_gold(cell, y, lattice, flow, at):
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
                mass[GOLD_FORWARD, hit] += flow[at[move] + group - first[source, move]]


@njit(cache=True, nogil=True)
def rescale(which, cell, reference, lattice):
    """Masses of a cell that sum to one, and the log of what they were divided by."""
    begin, count, scale, mass = lattice[0], lattice[1], lattice[2], lattice[6]
    total = 0.0
    for k in range(begin[cell], begin[cell] + count[cell]):
        total += mass[which, k]
    scale[which, cell] = reference + np.log(total) if total > 0.0 else -np.inf
    if total > 0.0:
        for k in range(begin[cell], begin[cell] + count[cell]):
            mass[which, k] /= total
