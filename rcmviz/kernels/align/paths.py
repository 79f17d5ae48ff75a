"""Whole alignments: the best one, and draws from the posterior. Tuples as in ``groups.py``."""

import numpy as np

from rcmviz.kernels.align.features import LETTER, P
from rcmviz.kernels.align.grid import highest_ahead, is_inside
from rcmviz.kernels.align.groups import (
    BACKWARD,
    CONTEXTS,
    GROUP,
    PROFILE,
    STRING,
    WIDTH,
    source_of,
    spread,
    target_of,
)
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import ZERO

END, NOTHING = -2, -1  # arcs that are no move


@kernel(_nrt=False)
def best_arcs(phones, gold, letters, lattice, ahead, factor, found):
    """Viterbi: the largest product of factors from every context to the end, by its cell's log ``scale``, and its arc.

    ``found = (best (K,), scale (cells,), arc (K,))``. An arc is ``move · letters + letter``; of equals the first: D, C,
    P, the end. With a gold, its letters only.
    """
    begin, count, _, _, _, _, _, _, _, width = lattice
    best, scale, arc = found
    for cell in range((phones + 1) * width - 1, -1, -1):
        highest = 0.0 if cell >= phones * width else -np.inf
        scale[cell] = -np.inf
        for move in range(3):
            if count[cell] > 0 and is_inside(cell, move, phones, width):
                highest = max(highest, scale[cell + cell - source_of(cell, move, width)])
        start, stop = begin[cell], begin[cell] + count[cell]
        best[start:stop], arc[start:stop] = 0.0, NOTHING
        if highest == -np.inf:
            continue
        for move in range(3):
            if is_inside(cell, move, phones, width):
                improve(cell, move, highest, gold, letters, lattice, ahead, factor, found)
        ends = cell >= phones * width and (cell % width == gold.size if gold.size > 0 else cell % width > 0)
        end_or_rescale(cell, highest, ends, letters, lattice, factor, found)


@kernel(_nrt=False)
def improve(cell, move, highest, gold, letters, lattice, ahead, factor, found):
    """Take a move out of a cell wherever it is better than what was found so far."""
    begin, count, _, _, first, contexts, _, _, _, width = lattice
    best, scale, arc = found
    there = spread(cell, move, best, letters, lattice, ahead)
    relative = np.exp(scale[there] - highest)
    column, low, high = move * letters, 0, 1 if move == P else letters
    if gold.size > 0 and move != P:
        low, high = (gold[cell % width], gold[cell % width] + 1) if cell % width < gold.size else (0, 0)
    for k in range(begin[cell], begin[cell] + count[cell]):
        if contexts[GROUP + move, k] < 0:
            continue
        row = ahead[contexts[GROUP + move, k] - first[cell, move]]
        factors = factor[contexts[PROFILE, k], column:]
        for y in range(low, high):
            value = factors[y] * row[y] * relative
            if value > best[k]:
                best[k], arc[k] = value, column + y


@kernel(inline="always")
def end_or_rescale(cell, highest, ends, letters, lattice, factor, found):
    """Take the end, where it is one and better; then divide by the largest of the cell."""
    begin, count, _, _, _, contexts, _, _, _, _ = lattice
    best, scale, arc = found
    top = 0.0
    for k in range(begin[cell], begin[cell] + count[cell]):
        ending = factor[contexts[PROFILE, k], 2 * letters + 1] * np.exp(-highest)
        if ends and ending > best[k]:
            best[k], arc[k] = ending, END
        top = max(top, best[k])
    if top > 0.0:
        scale[cell] = highest + np.log(top)
        for k in range(begin[cell], begin[cell] + count[cell]):
            best[k] /= top


@kernel(_nrt=False)
def follow(cell, k, arc, letters, lattice):
    """Where an arc out of context k leads: (move, letter, cell, context)."""
    contexts, width = lattice[CONTEXTS], lattice[WIDTH]
    move = min(arc // letters, P)
    y = contexts[STRING, k] & LETTER if move == P else arc - move * letters
    there = cell + cell - source_of(cell, move, width)
    return move, y, there, target_of(cell, move, contexts[GROUP + move, k], y, lattice)


@kernel(_nrt=False)
def best_path(letters, lattice, arc, path):
    """The moves and letters of the best alignment into ``path (2, ·)``; returns how many, 0 where there is none."""
    cell, k, size = ZERO, ZERO, 0
    while arc[k] >= 0:
        path[0, size], path[1, size], cell, k = follow(cell, k, arc[k], letters, lattice)
        size += 1
    return size if arc[k] == END else 0


@kernel(inline="always")
def arc_weights(cell, k, phones, letters, lattice, ahead, factor, weight):
    """How probable every arc out of context k is, up to a factor; the end comes last. Returns their sum."""
    _, _, scale, _, first, contexts, mass, _, _, width = lattice
    factors, total = factor[contexts[PROFILE, k]], 0.0
    highest = highest_ahead(BACKWARD, cell, phones, lattice)
    weight[:] = 0.0
    for move in range(3):
        if contexts[GROUP + move, k] < 0 or not is_inside(cell, move, phones, width):
            continue
        there = spread(cell, move, mass[BACKWARD], letters, lattice, ahead)
        row, relative = ahead[contexts[GROUP + move, k] - first[cell, move]], np.exp(scale[BACKWARD, there] - highest)
        for y in range(1 if move == P else letters):
            weight[move * letters + y] = factors[move * letters + y] * row[y] * relative
            total += weight[move * letters + y]
    if cell >= phones * width and cell % width > 0:
        weight[-1] = factors[2 * letters + 1] * np.exp(-highest)
        total += weight[-1]
    return total


@kernel()
def draw_path(uniform, phones, letters, lattice, ahead, factor, path):
    """One alignment drawn from the posterior with the numbers ``uniform``, one a step, into ``path``; its size."""
    weight = np.zeros(2 * letters + 2)
    cell, k, size = ZERO, ZERO, 0
    while True:
        level = uniform[size] * arc_weights(cell, k, phones, letters, lattice, ahead, factor, weight)
        arc = ZERO
        while arc < weight.size - 1 and (level >= weight[arc] or weight[arc] == 0.0):
            level -= weight[arc]
            arc += 1
        if arc == weight.size - 1:
            return size
        path[0, size], path[1, size], cell, k = follow(cell, k, arc, letters, lattice)
        size += 1
