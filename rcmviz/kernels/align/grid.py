"""Alignments of phones with letters: contexts chosen cell by cell, sums forward and backward, gradients of profiles."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.align.cells import absorb, arrive, choose, forget_letterless, grow, rank, rescale, set_roots
from rcmviz.kernels.align.features import BEGIN, NODES, NOW, PHONE, PLACES, PROFILES, TOO_FAR
from rcmviz.kernels.align.groups import (
    BACKWARD,
    FORWARD,
    GOLD_FORWARD,
    GROUP,
    LENGTH,
    MODE,
    PROFILE,
    STRING,
    USED_CONTEXTS,
    USED_GROUPS,
    ends_at,
    goal_of,
    group_contexts,
    is_inside,
    letters_of,
    map_images,
    spread,
)
from rcmviz.kernels.align.scores import FIRST_PLACES, make_places, profile_of, score_nodes, write_factors
from rcmviz.kernels.bare_arrays import bare, fast_loops
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import ZERO, fill, fill_column

FITS, SHORT, FAR = 0, 1, 2  # how a forward pass ended: the workspace is too small, a score too large
ALL_MOVES = np.int64(7)


class Example(NamedTuple):
    """Phones, observed letters, and the moves by which these, the gold, may enter a cell, a bit each."""

    x: Any  # (L',)
    gold: Any  # (L,), none are observed where it is empty
    allowed: Any  # (L'+1, most+1)


@kernel(inline="always")
def has_room(budget, lattice, scorer):
    """Whether one more cell is sure to fit."""
    shape, counters, used = scorer.shape, scorer.counters, lattice.used
    most = 2 * budget + shape.letters_per_phone + shape.phones_per_letter
    return (
        used[USED_CONTEXTS] + most <= lattice.contexts.shape[1]
        and used[USED_GROUPS] + 3 * most <= lattice.groups.shape[1]
        and counters[PROFILES] + most <= scorer.profiles.nodes.shape[0]
        and counters[NODES] + 4 * most * (shape.order + 1) <= scorer.trie.parent.size
    )


@kernel(inline="always")
def begin_example(counters, lattice):
    """The empty alignment in cell (0, 0)."""
    contexts, mass, scale = lattice.contexts, lattice.mass, lattice.scale
    fill(lattice.begin, 0)
    fill(lattice.count, 0)
    fill(scale.ravel(), -np.inf)
    fill(lattice.roots.ravel(), -1)
    fill(lattice.first.ravel(), 0)
    fill(lattice.used, 0)
    counters[NOW] += 1
    counters[NODES], counters[PROFILES], counters[TOO_FAR], counters[PLACES] = 0, 0, 0, FIRST_PLACES
    fill_column(contexts, 0, -1)
    contexts[MODE, 0], contexts[LENGTH, 0], contexts[STRING, 0] = 0, 1, BEGIN
    fill_column(mass, 0, 0.0)
    mass[FORWARD, 0] = mass[GOLD_FORWARD, 0] = 1.0
    scale[FORWARD, 0] = scale[GOLD_FORWARD, 0] = 0.0
    lattice.count[0], lattice.used[USED_CONTEXTS] = 1, 1


@kernel(_nrt=False, no_cpython_wrapper=True)
def complete_cell(cell, x, ranked, lattice, before, scorer, table):
    """Profiles and groups of a cell's contexts, and what they map to; ``table`` is that of the groups."""
    shape, counters, contexts = scorer.shape, scorer.counters, lattice.contexts
    begin, count, a = lattice.begin[cell], lattice.count[cell], cell // lattice.width
    first_node, first_profile = counters[NODES], counters[PROFILES]
    make_places(4 * count * (shape.order + 1), counters, scorer.trie)
    for k in range(begin, begin + count):
        contexts[PROFILE, k] = profile_of(contexts[STRING, k], contexts[LENGTH, k], a, x, scorer)
    score_nodes(first_node, scorer)
    for profile in range(first_profile, counters[PROFILES]):
        if not write_factors(profile, scorer):
            counters[TOO_FAR] = 1
    group_contexts(cell, shape, counters, lattice, table)
    if ranked:
        map_images(cell, lattice, before)


@kernel(_nrt=False, no_cpython_wrapper=True)
def forward_cell(cell, allowed, y, rule, ranked, lattice, before, scorer, scratch):
    """Choose the contexts of a cell; ``y`` is the observed letter, −1 where none is."""
    letters, factor, flow, begins = scorer.shape.letters, scorer.profiles.factor, scratch.flow, scratch.begins
    gold_flow, gold_begins, moves = scratch.gold_flow, scratch.gold_begins, allowed if y >= 0 else ZERO
    reference = arrive(FORWARD, cell, ALL_MOVES, ZERO, letters, letters, lattice, factor, flow, begins)
    gold_reference = arrive(GOLD_FORWARD, cell, moves, y, y + 1, letters, lattice, factor, gold_flow, gold_begins)
    set_roots(cell, rule.merging, lattice)
    if rule.merging:
        forget_letterless(cell, lattice, flow, begins)
    if ranked:
        rank(cell, letters, lattice, before, scratch)
    grow(cell, letters, scratch.chosen[: choose(rule, ranked, y, letters, scratch)], lattice, begins)
    absorb(FORWARD, cell, ZERO, letters, reference, lattice, flow, begins)
    if moves:
        absorb(GOLD_FORWARD, cell, y, y + 1, gold_reference, lattice, gold_flow, gold_begins)


@kernel(_nrt=False)
def forward(example, rule, ranked, lattice, before, scorer, scratch):
    """Choose the contexts of all cells; returns how it ended, log Z and that of the observed letters."""
    example, lattice, before, scorer, scratch = bare((example, lattice, before, scorer, scratch))
    x, gold, counters, width = example.x, example.gold, scorer.counters, lattice.width
    letters, factor = scorer.shape.letters, scorer.profiles.factor
    begin_example(counters, lattice)
    for a in range(x.size + 1):
        counters[PHONE] += 1
        for i in range(width):
            cell = a * width + i
            if not has_room(rule.budget, lattice, scorer):
                return SHORT, -np.inf, -np.inf
            if a > 0 and i > 0:
                y = gold[i - 1] if i <= gold.size else -1
                forward_cell(cell, example.allowed[a, i], y, rule, ranked, lattice, before, scorer, scratch)
            if lattice.count[cell] > 0:
                complete_cell(cell, x, ranked, lattice, before, scorer, scratch.table)
    if counters[TOO_FAR]:
        return FAR, np.nan, np.nan
    log_z = -np.inf
    for cell in range(x.size * width + 1, (x.size + 1) * width):
        log_z = np.logaddexp(log_z, end_mass(FORWARD, cell, letters, lattice, factor))
    return FITS, log_z, end_mass(GOLD_FORWARD, x.size * width + gold.size, letters, lattice, factor)


@kernel(_nrt=False)
def forward_gold(example, letters, lattice, factor, scratch):
    """The log mass of other observed letters under contexts that are chosen already."""
    example, lattice, factor, scratch = bare((example, lattice, factor, scratch))
    x, gold, mass, flow, begins = example.x, example.gold, lattice.mass, scratch.gold_flow, scratch.gold_begins
    fill(mass[GOLD_FORWARD, : lattice.used[USED_CONTEXTS]], 0.0)
    fill(lattice.scale[GOLD_FORWARD], -np.inf)
    mass[GOLD_FORWARD, 0], lattice.scale[GOLD_FORWARD, 0] = 1.0, 0.0
    for a in range(1, x.size + 1):
        for i in range(1, gold.size + 1):
            cell, moves, y = a * lattice.width + i, example.allowed[a, i], gold[i - 1]
            if lattice.count[cell] > 0 and moves:
                scale = arrive(GOLD_FORWARD, cell, moves, y, y + 1, letters, lattice, factor, flow, begins)
                absorb(GOLD_FORWARD, cell, y, y + 1, scale, lattice, flow, begins)
    return end_mass(GOLD_FORWARD, x.size * lattice.width + gold.size, letters, lattice, factor)


@part(_nrt=False)
def end_mass(row, cell, letters, lattice, factor):
    """The log mass of ending in a cell."""
    total = 0.0
    for k in range(lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]):
        total += lattice.mass[row, k] * factor[lattice.contexts[PROFILE, k], 2 * letters + 1]
    return lattice.scale[row, cell] + np.log(total) if total > 0.0 else -np.inf


@part(_nrt=False)
def highest_ahead(row, cell, phones, lattice):
    """The largest log scale of the cells that follow, and of the end."""
    highest = 0.0 if cell >= phones * lattice.width else -np.inf
    for move in range(3):
        if is_inside(cell, move, phones, lattice.width):
            highest = max(highest, lattice.scale[row, goal_of(cell, move, lattice.width)])
    return highest


# reassoc: a sum in any order, else it is one addition after the other
@part(_nrt=False, fastmath={"reassoc"})
def carry(factor, ahead, carried, share):
    """Add to ``share`` what the arcs of a context carry; returns the sum of their factors times what lies ahead."""
    fast_loops()
    total = 0.0
    for y in range(factor.size):
        arc = factor[y] * ahead[y]
        total += arc
        share[y] += carried * arc
    return total


@part(_nrt=False)
def backward_cell(row, cell, gold, allowed, letters, log_z, lattice, ahead, profiles):
    """Backward messages of a cell, and what its arcs carry into the gradient of the profiles, with the gold's sign.

    ``row`` is FORWARD with an empty ``gold`` or GOLD_FORWARD with the observed letters.
    """
    contexts, mass, scale, width = lattice.contexts, lattice.mass, lattice.scale, lattice.width
    factors, gradient, phones = profiles.factor, profiles.gradient, allowed.shape[0] - 1
    behind, is_gold, sign = row + BACKWARD, row == GOLD_FORWARD, 1.0 if row == GOLD_FORWARD else -1.0
    highest = highest_ahead(behind, cell, phones, lattice)
    if highest == -np.inf or (is_gold and scale[row, cell] == -np.inf):
        return
    message = mass[behind]
    start, stop = lattice.begin[cell], lattice.begin[cell] + lattice.count[cell]
    for move in range(3):
        low, high = letters_of(cell, move, gold, letters, width)
        if not is_inside(cell, move, phones, width) or low == high:
            continue
        there = goal_of(cell, move, width)
        if scale[behind, there] == -np.inf or (is_gold and not allowed[there // width, there % width] >> move & 1):
            continue
        spread(cell, move, low, high, message, lattice, ahead)
        relative = np.exp(scale[behind, there] - highest)
        shared = sign * np.exp(scale[row, cell] + scale[behind, there] - log_z)
        column, step = move * letters + low, high - low
        for k in range(start, stop):
            if contexts[GROUP + move, k] < 0 or (is_gold and mass[row, k] == 0.0):
                continue
            profile, group = contexts[PROFILE, k], contexts[GROUP + move, k] - lattice.first[cell, move]
            factor, share = factors[profile, column : column + step], gradient[profile, column : column + step]
            message[k] += carry(factor, ahead[group], mass[row, k] * shared, share) * relative
    if ends_at(cell, phones, gold, width):
        for k in range(start, stop):
            profile = contexts[PROFILE, k]
            ending = factors[profile, 2 * letters + 1]
            message[k] += ending * np.exp(-highest)
            gradient[profile, 2 * letters + 1] += sign * mass[row, k] * ending * np.exp(scale[row, cell] - log_z)
    rescale(behind, cell, highest, lattice)


@kernel(_nrt=False)
def backward(example, letters, log_z, gold_z, lattice, ahead, profiles):
    """Backward messages of all cells, of the observed letters too where they have a mass; the profiles' gradient.

    ``log_z`` and ``gold_z`` are log Z and that of the observed letters; ``ahead (·, V)`` is scratch.
    """
    example, lattice, ahead, profiles = bare((example, lattice, ahead, profiles))
    gold, allowed = example.gold, example.allowed
    for cell in range(allowed.shape[0] * lattice.width - 1, -1, -1):
        if lattice.count[cell] == 0:
            continue
        backward_cell(FORWARD, cell, gold[:0], allowed, letters, log_z, lattice, ahead, profiles)
        if gold_z > -np.inf:
            backward_cell(GOLD_FORWARD, cell, gold, allowed, letters, gold_z, lattice, ahead, profiles)
