"""Alignments of phones with letters: contexts chosen cell by cell, sums forward and backward, the gradient of sheets.

``example = (x (L',), gold (L,), doors (L'+1, most+1))``: bit ``move`` of a door says that the observed letters, the
gold, may enter the cell by that move. The other tuples are those of ``align_cells.py`` and ``align/features.py``.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.align.cells import (
    BACKWARD,
    FORWARD,
    G_HIT,
    GOLD_BACKWARD,
    GOLD_FORWARD,
    GROUP,
    LENGTH,
    MODE,
    SHEET,
    STRING,
    absorb,
    absorb_gold,
    arrive,
    arrive_gold,
    choose,
    forget_letterless,
    group_contexts,
    grow,
    map_images,
    rank,
    rescale,
    set_roots,
    source_of,
    spread,
)
from rcmviz.kernels.align.features import (
    BEGIN,
    LETTERS,
    LETTERS_PER_PHONE,
    NODES,
    NOW,
    ORDER,
    PHONE,
    PHONES_PER_LETTER,
    SHEETS,
    TOO_FAR,
    C,
    P,
    sheet_of,
)

FITS, SHORT, FAR = 0, 1, 2  # how a forward pass ended: the workspace is too small, a score too large


@njit(cache=True, nogil=True)
def has_room(rule, shape, clock, lattice, paper, book):
    """Whether one more cell is sure to fit."""
    used, contexts, groups = lattice[8], lattice[5], lattice[7]
    most = 2 * rule[0] + shape[LETTERS_PER_PHONE] + shape[PHONES_PER_LETTER]
    return (
        used[0] + most <= contexts.shape[1]
        and used[1] + 3 * most <= groups.shape[1]
        and 2 * (clock[SHEETS] + most) <= paper[0].shape[0]
        and clock[SHEETS] + most <= paper[1].shape[0]
        and clock[NODES] + 4 * most * (shape[ORDER] + 1) <= book[1].size
    )


@njit(cache=True, nogil=True)
def begin_example(clock, lattice):
    """The empty alignment in cell (0, 0)."""
    begin, count, scale, roots, first, contexts, mass, _, used, _ = lattice
    begin[:], count[:], scale[:], roots[:], first[:], used[:] = 0, 0, -np.inf, -1, 0, 0
    clock[NOW] += 1
    clock[NODES], clock[SHEETS], clock[TOO_FAR] = 0, 0, 0
    contexts[:, 0] = -1
    contexts[MODE, 0], contexts[LENGTH, 0], contexts[STRING, 0] = 0, 1, BEGIN
    mass[:, 0] = 0.0
    mass[FORWARD, 0] = mass[GOLD_FORWARD, 0] = 1.0
    scale[FORWARD, 0] = scale[GOLD_FORWARD, 0] = 0.0
    count[0], used[0] = 1, 1


@njit(cache=True, nogil=True)
def complete_cell(cell, a, x, shape, ranked, clock, lattice, before, room, paper, book, weights):
    """Sheets and groups of a cell's contexts, and what they map to."""
    contexts, begin = lattice[5], lattice[0][cell]
    for k in range(begin, begin + lattice[1][cell]):
        contexts[SHEET, k] = sheet_of(
            contexts[STRING, k], contexts[LENGTH, k], a, x, shape, clock, paper, book, weights
        )
    group_contexts(cell, shape, clock, lattice, room[5])
    if ranked:
        map_images(cell, lattice, before)


@njit(cache=True, nogil=True)
def forward_cell(cell, door, y, shape, rule, ranked, lattice, before, room, paper, at, gold_at):
    """Choose the contexts of a cell; ``y`` is the observed letter, −1 where none is."""
    doors = door if y >= 0 else 0
    letters, used = shape[LETTERS], lattice[8]
    reference = arrive(cell, letters, lattice, paper, room[0], at)
    gold_reference = arrive_gold(cell, doors, y, letters, lattice, paper, room[1], gold_at)
    set_roots(cell, rule[1], lattice)
    if rule[1]:
        forget_letterless(cell, lattice, room[0], at)
    if ranked:
        rank(cell, letters, lattice, before, room, at)
    kept = choose(rule, ranked, y, letters, room, at, gold_at)
    grow(cell, letters, room[2], kept, lattice, at)
    absorb(cell, letters, rule[1], room[2], kept, lattice, room[0], at)
    lattice[1][cell] = used[0] - lattice[0][cell]
    rescale(FORWARD, cell, reference, lattice)
    if doors:
        absorb_gold(cell, y, lattice, room[1], gold_at)
        rescale(GOLD_FORWARD, cell, gold_reference, lattice)


@njit(cache=True, nogil=True)
def forward(example, shape, rule, ranked, clock, lattice, before, room, paper, book, weights):
    """Choose the contexts of all cells; returns how it ended, log Z and that of the observed letters."""
    x, gold, doors = example
    width = lattice[9]
    at, gold_at = np.zeros(4, np.int64), np.zeros(4, np.int64)
    begin_example(clock, lattice)
    for a in range(x.size + 1):
        clock[PHONE] += 1
        for i in range(width):
            cell = a * width + i
            if not has_room(rule, shape, clock, lattice, paper, book):
                return SHORT, -np.inf, -np.inf
            if a > 0 and i > 0:
                y = gold[i - 1] if i <= gold.size else -1
                forward_cell(cell, doors[a, i], y, shape, rule, ranked, lattice, before, room, paper, at, gold_at)
            if lattice[1][cell] > 0:
                complete_cell(cell, a, x, shape, ranked, clock, lattice, before, room, paper, book, weights)
    if clock[TOO_FAR]:
        return FAR, np.nan, np.nan
    log_z = -np.inf
    for cell in range(x.size * width + 1, (x.size + 1) * width):
        log_z = np.logaddexp(log_z, end_mass(FORWARD, cell, shape[LETTERS], lattice, paper))
    return FITS, log_z, end_mass(GOLD_FORWARD, x.size * width + gold.size, shape[LETTERS], lattice, paper)


@njit(cache=True, nogil=True)
def passes(example, shape, rule, many, clock, lattices, room, paper, book, weights):
    """Choose the contexts so many times, each time by what the time before found ahead.

    Returns how it ended, log Z, that of the observed letters, and which of the two lattices holds the last pass.
    """
    ended, log_z, gold_z, now = FITS, -np.inf, -np.inf, 1
    for turn in range(many):
        if turn > 0 and log_z > -np.inf:
            backward(example, shape, log_z, -np.inf, lattices[now], room, paper)
        ranked, now = turn > 0 and log_z > -np.inf, 1 - now
        ended, log_z, gold_z = forward(
            example, shape, rule, ranked, clock, lattices[now], lattices[1 - now], room, paper, book, weights
        )
        if ended != FITS:
            break
    return ended, log_z, gold_z, now


@njit(cache=True, nogil=True)
def forward_gold(example, shape, lattice, room, paper):
    """The log mass of other observed letters under contexts that are chosen already."""
    x, gold, doors = example
    scale, mass, used, width = lattice[2], lattice[6], lattice[8], lattice[9]
    mass[GOLD_FORWARD, : used[0]] = 0.0
    scale[GOLD_FORWARD] = -np.inf
    mass[GOLD_FORWARD, 0], scale[GOLD_FORWARD, 0] = 1.0, 0.0
    at = np.zeros(4, np.int64)
    for a in range(1, x.size + 1):
        for i in range(1, gold.size + 1):
            cell = a * width + i
            if lattice[1][cell] > 0 and doors[a, i]:
                y = gold[i - 1]
                reference = arrive_gold(cell, doors[a, i], y, shape[LETTERS], lattice, paper, room[1], at)
                absorb_gold(cell, y, lattice, room[1], at)
                rescale(GOLD_FORWARD, cell, reference, lattice)
    return end_mass(GOLD_FORWARD, x.size * width + gold.size, shape[LETTERS], lattice, paper)


@njit(cache=True, nogil=True)
def end_mass(which, cell, letters, lattice, paper):
    """The log mass of ending in a cell."""
    begin, count, scale, contexts, mass = lattice[0], lattice[1], lattice[2], lattice[5], lattice[6]
    total = 0.0
    for k in range(begin[cell], begin[cell] + count[cell]):
        total += mass[which, k] * paper[2][contexts[SHEET, k], 2 * letters + 1]
    return scale[which, cell] + np.log(total) if total > 0.0 else -np.inf


@njit(cache=True, nogil=True)
def is_inside(cell, move, phones, width):
    """Whether a move out of a cell stays on the paper."""
    a, i = cell // width, cell % width
    return (a < phones or move == C) and (i < width - 1 or move == P)


@njit(cache=True, nogil=True)
def highest_ahead(which, cell, phones, lattice):
    """The largest log scale of the cells that follow, and of the end."""
    scale, width = lattice[2], lattice[9]
    highest = 0.0 if cell >= phones * width else -np.inf
    for move in range(3):
        if is_inside(cell, move, phones, width):
            highest = max(highest, scale[which, cell + cell - source_of(cell, move, width)])
    return highest


# reassoc: a sum in any order, else it is one addition after the other
@njit(cache=True, nogil=True, fastmath={"reassoc"})
def backward_cell(cell, phones, letters, log_z, lattice, room, paper):
    """Backward messages of a cell, and minus what its arcs carry into the gradient of the sheets."""
    begin, count, scale, _, first, contexts, mass, _, _, width = lattice
    ahead, factors, gradient = room[4], paper[2], paper[3]
    highest = highest_ahead(BACKWARD, cell, phones, lattice)
    if highest == -np.inf:
        return
    message = mass[BACKWARD]
    start, stop = begin[cell], begin[cell] + count[cell]
    for move in range(3):
        if not is_inside(cell, move, phones, width):
            continue
        there = spread(cell, move, message, letters, lattice, ahead)
        if scale[BACKWARD, there] == -np.inf:
            continue
        relative = np.exp(scale[BACKWARD, there] - highest)
        shared = np.exp(scale[FORWARD, cell] + scale[BACKWARD, there] - log_z)
        column, step = move * letters, 1 if move == P else letters
        for k in range(start, stop):
            if contexts[GROUP + move, k] < 0:
                continue
            sheet, row = contexts[SHEET, k], ahead[contexts[GROUP + move, k] - first[cell, move]]
            factor, share = factors[sheet, column : column + step], gradient[sheet, column : column + step]
            carried, beyond = mass[FORWARD, k] * shared, 0.0
            for y in range(step):
                arc = factor[y] * row[y]
                beyond += arc
                share[y] -= carried * arc
            message[k] += beyond * relative
    if cell >= phones * width and cell % width > 0:
        for k in range(start, stop):
            sheet = contexts[SHEET, k]
            ending = factors[sheet, 2 * letters + 1]
            message[k] += ending * np.exp(-highest)
            gradient[sheet, 2 * letters + 1] -= mass[FORWARD, k] * ending * np.exp(scale[FORWARD, cell] - log_z)
    rescale(BACKWARD, cell, highest, lattice)


@njit(cache=True, nogil=True)
def backward_gold_cell(cell, example, letters, gold_z, lattice, paper):
    """The same for the observed letters, with a plus."""
    x, gold, doors = example
    begin, count, scale, _, first, contexts, mass, groups, _, width = lattice
    a, i = cell // width, cell % width
    highest = highest_ahead(GOLD_BACKWARD, cell, x.size, lattice)
    ends = a == x.size and i == gold.size
    if highest == -np.inf or scale[GOLD_FORWARD, cell] == -np.inf or i > gold.size:
        return
    message = mass[GOLD_BACKWARD]
    for move in range(3):
        if not is_inside(cell, move, x.size, width) or i + (move != P) > gold.size:
            continue
        there = cell + cell - source_of(cell, move, width)
        if not doors[there // width, there % width] >> move & 1 or scale[GOLD_BACKWARD, there] == -np.inf:
            continue
        relative = np.exp(scale[GOLD_BACKWARD, there] - highest)
        shared = np.exp(scale[GOLD_FORWARD, cell] + scale[GOLD_BACKWARD, there] - gold_z)
        column = move * letters + (0 if move == P else gold[i])
        for k in range(begin[cell], begin[cell] + count[cell]):
            group = contexts[GROUP + move, k]
            if group < 0 or mass[GOLD_FORWARD, k] == 0.0 or groups[G_HIT, group] < 0:
                continue
            arc = paper[2][contexts[SHEET, k], column] * message[groups[G_HIT, group]]
            message[k] += arc * relative
            paper[3][contexts[SHEET, k], column] += mass[GOLD_FORWARD, k] * arc * shared
    if ends:
        for k in range(begin[cell], begin[cell] + count[cell]):
            ending = paper[2][contexts[SHEET, k], 2 * letters + 1]
            message[k] += ending * np.exp(-highest)
            carried = mass[GOLD_FORWARD, k] * np.exp(scale[GOLD_FORWARD, cell] - gold_z)
            paper[3][contexts[SHEET, k], 2 * letters + 1] += carried * ending
    rescale(GOLD_BACKWARD, cell, highest, lattice)


@njit(cache=True, nogil=True)
def backward(example, shape, log_z, gold_z, lattice, room, paper):
    """Backward messages of all cells, of the observed letters too where they have a mass; the sheets' gradient."""
    phones, width = example[0].size, lattice[9]
    for cell in range((phones + 1) * width - 1, -1, -1):
        if lattice[1][cell] == 0:
            continue
        backward_cell(cell, phones, shape[LETTERS], log_z, lattice, room, paper)
        if gold_z > -np.inf:
            backward_gold_cell(cell, example, shape[LETTERS], gold_z, lattice, paper)
