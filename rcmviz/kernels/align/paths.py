"""Whole alignments: the best one, and draws from the posterior."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.align.features import LETTER, P
from rcmviz.kernels.align.grid import highest_ahead
from rcmviz.kernels.align.groups import (
    BACKWARD,
    GROUP,
    PROFILE,
    STRING,
    ends_at,
    goal_of,
    is_inside,
    letters_of,
    spread,
    target_of,
)
from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import ZERO, fill

END, NOTHING = -2, -1  # arcs that are no move


class Best(NamedTuple):
    """The largest product of factors from every context to the end, by its cell's log scale, and its arc.

    An arc is ``move · letters + letter``, or ``END``.
    """

    value: Any  # (K,)
    scale: Any  # (cells,)
    arc: Any  # (K,)


class Step(NamedTuple):
    """A move with the letter that it adds or takes along, and where it leads: to which cell, to which context."""

    move: int
    letter: int
    cell: int
    context: int


@kernel(_nrt=False)
def best_arcs(phones, gold, letters, lattice, ahead, factor, best):
    """Viterbi, into ``best``; of equals the first: D, C, P, the end. With a gold, its letters only."""
    gold, lattice, ahead, factor, best = bare((gold, lattice, ahead, factor, best))
    width = lattice.width
    for cell in range((phones + 1) * width - 1, -1, -1):
        highest = 0.0 if cell >= phones * width else -np.inf
        best.scale[cell] = -np.inf
        for move in range(3):
            if lattice.count[cell] > 0 and is_inside(cell, move, phones, width):
                highest = max(highest, best.scale[goal_of(cell, move, width)])
        start, stop = lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]
        fill(best.value[start:stop], 0.0)
        fill(best.arc[start:stop], NOTHING)
        if highest == -np.inf:
            continue
        for move in range(3):
            if is_inside(cell, move, phones, width):
                improve(cell, move, highest, gold, letters, lattice, ahead, factor, best)
        end_or_rescale(cell, highest, ends_at(cell, phones, gold, width), letters, lattice, factor, best)


@part(_nrt=False)
def improve(cell, move, highest, gold, letters, lattice, ahead, factor, best):
    """Take a move out of a cell wherever it is better than what was found so far."""
    low, high = letters_of(cell, move, gold, letters, lattice.width)
    there = spread(cell, move, low, high, best.value, lattice, ahead)
    relative, column = np.exp(best.scale[there] - highest), move * letters + low
    for k in range(lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]):
        group = lattice.contexts[GROUP + move, k]
        if group < 0:
            continue
        row, factors = ahead[group - lattice.first[cell, move]], factor[lattice.contexts[PROFILE, k], column:]
        for y in range(high - low):
            value = factors[y] * row[y] * relative
            if value > best.value[k]:
                best.value[k], best.arc[k] = value, column + y


@kernel(inline="always")
def end_or_rescale(cell, highest, ends, letters, lattice, factor, best):
    """Take the end, where it is one and better; then divide by the largest of the cell."""
    top = 0.0
    for k in range(lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]):
        ending = factor[lattice.contexts[PROFILE, k], 2 * letters + 1] * np.exp(-highest)
        if ends and ending > best.value[k]:
            best.value[k], best.arc[k] = ending, END
        top = max(top, best.value[k])
    if top > 0.0:
        best.scale[cell] = highest + np.log(top)
        for k in range(lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]):
            best.value[k] /= top


@part(_nrt=False)
def follow(cell, k, arc, letters, lattice):
    """The ``Step`` that an arc out of context k is."""
    move = min(arc // letters, P)
    y = lattice.contexts[STRING, k] & LETTER if move == P else arc - move * letters
    target = target_of(cell, move, lattice.contexts[GROUP + move, k], y, lattice)
    return Step(move, y, goal_of(cell, move, lattice.width), target)


@kernel(_nrt=False)
def best_path(letters, lattice, arc, path):
    """The moves and letters of the best alignment into ``path (2, ·)``; returns how many; 0 if no alignment exists."""
    lattice, arc, path = bare((lattice, arc, path))
    cell, k, size = ZERO, ZERO, 0
    while arc[k] >= 0:
        step = follow(cell, k, arc[k], letters, lattice)
        path[0, size], path[1, size], cell, k = step.move, step.letter, step.cell, step.context
        size += 1
    return size if arc[k] == END else 0


@part(_nrt=False)
def arc_weights(cell, k, phones, letters, lattice, ahead, factor, weight):
    """How probable every arc out of context k is, up to a factor; the end comes last. Returns their sum."""
    contexts, width = lattice.contexts, lattice.width
    factors, total = factor[contexts[PROFILE, k]], 0.0
    highest = highest_ahead(BACKWARD, cell, phones, lattice)
    fill(weight, 0.0)
    for move in range(3):
        group = contexts[GROUP + move, k]
        if group < 0 or not is_inside(cell, move, phones, width):
            continue
        step = 1 if move == P else letters
        there = spread(cell, move, ZERO, step, lattice.mass[BACKWARD], lattice, ahead)
        row, relative = ahead[group - lattice.first[cell, move]], np.exp(lattice.scale[BACKWARD, there] - highest)
        for y in range(step):
            weight[move * letters + y] = factors[move * letters + y] * row[y] * relative
            total += weight[move * letters + y]
    if cell >= phones * width and cell % width > 0:
        ending = factors[2 * letters + 1] * np.exp(-highest)
        weight[weight.size - 1] = ending
        total += ending
    return total


@kernel(_nrt=False)
def draw_path(uniform, phones, letters, lattice, ahead, factor, weight, path):
    """One alignment drawn from the posterior with the numbers ``uniform``, one a step, into ``path``; its size.

    ``weight (2 V + 2,)`` is scratch.
    """
    uniform, lattice, ahead = bare((uniform, lattice, ahead))
    factor, weight, path = bare((factor, weight, path))
    cell, k, size = ZERO, ZERO, 0
    while True:
        level = uniform[size] * arc_weights(cell, k, phones, letters, lattice, ahead, factor, weight)
        arc = ZERO
        while arc < weight.size - 1 and (level >= weight[arc] or weight[arc] == 0.0):
            level -= weight[arc]
            arc += 1
        if arc == weight.size - 1:
            return size
        step = follow(cell, k, arc, letters, lattice)
        path[0, size], path[1, size], cell, k = step.move, step.letter, step.cell, step.context
        size += 1
