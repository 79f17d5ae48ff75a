"""Alignments of phones with letters: contexts chosen cell by cell, sums forward and backward, gradients of profiles.

``example = (x (L',), gold (L,), allowed (L'+1, most+1))``: bit ``move`` of ``allowed`` says that the observed letters,
the gold, may enter the cell by that move. The other tuples are those of ``groups.py``, ``cells.py`` and
``align/features.py``.
"""

import numpy as np

from rcmviz.kernels.align.cells import (
    absorb,
    absorb_gold,
    arrive,
    arrive_gold,
    choose,
    forget_letterless,
    grow,
    rank,
    rescale,
    set_roots,
)
from rcmviz.kernels.align.features import (
    BEGIN,
    FIRST_PLACES,
    LETTERS,
    LETTERS_PER_PHONE,
    NODES,
    NOW,
    ORDER,
    PHONE,
    PHONES_PER_LETTER,
    PLACES,
    PROFILES,
    TOO_FAR,
    C,
    P,
    make_places,
    profile_of,
    score_nodes,
    write_factors,
)
from rcmviz.kernels.align.groups import (
    BACKWARD,
    CELL_BEGIN,
    CELL_COUNT,
    CONTEXTS,
    FORWARD,
    G_HIT,
    GOLD_BACKWARD,
    GOLD_FORWARD,
    GROUP,
    GROUPS,
    LENGTH,
    MODE,
    PROFILE,
    SCALE,
    STRING,
    USED,
    USED_CONTEXTS,
    USED_GROUPS,
    WIDTH,
    group_contexts,
    map_images,
    source_of,
    spread,
)
from rcmviz.kernels.kernel import kernel

FITS, SHORT, FAR = 0, 1, 2  # how a forward pass ended: the workspace is too small, a score too large


@kernel(inline="always")
def has_room(budget, lattice, scorer):
    """Whether one more cell is sure to fit."""
    shape, counters, (_, nodes, _, _, _, _), (_, parents, _, _, _, _, _), _ = scorer
    used, contexts, groups = lattice[USED], lattice[CONTEXTS], lattice[GROUPS]
    most = 2 * budget + shape[LETTERS_PER_PHONE] + shape[PHONES_PER_LETTER]
    return (
        used[USED_CONTEXTS] + most <= contexts.shape[1]
        and used[USED_GROUPS] + 3 * most <= groups.shape[1]
        and counters[PROFILES] + most <= nodes.shape[0]
        and counters[NODES] + 4 * most * (shape[ORDER] + 1) <= parents.size
    )


@kernel(inline="always")
def begin_example(counters, lattice):
    """The empty alignment in cell (0, 0)."""
    begin, count, scale, roots, first, contexts, mass, _, used, _ = lattice
    begin[:], count[:], scale[:], roots[:], first[:], used[:] = 0, 0, -np.inf, -1, 0, 0
    counters[NOW] += 1
    counters[NODES], counters[PROFILES], counters[TOO_FAR], counters[PLACES] = 0, 0, 0, FIRST_PLACES
    contexts[:, 0] = -1
    contexts[MODE, 0], contexts[LENGTH, 0], contexts[STRING, 0] = 0, 1, BEGIN
    mass[:, 0] = 0.0
    mass[FORWARD, 0] = mass[GOLD_FORWARD, 0] = 1.0
    scale[FORWARD, 0] = scale[GOLD_FORWARD, 0] = 0.0
    count[0], used[USED_CONTEXTS] = 1, 1


@kernel(_nrt=False)
def complete_cell(cell, x, ranked, lattice, before, scorer, table):
    """Profiles and groups of a cell's contexts, and what they map to; ``table`` is that of the groups."""
    shape, counters, _, (nodes, parent, mark, _, _, _, _), _ = scorer
    contexts, begin, a = lattice[CONTEXTS], lattice[CELL_BEGIN][cell], cell // lattice[WIDTH]
    first_node, first_profile, count = counters[NODES], counters[PROFILES], lattice[CELL_COUNT][cell]
    make_places(4 * count * (shape[ORDER] + 1), counters, nodes, parent, mark)
    for k in range(begin, begin + count):
        contexts[PROFILE, k] = profile_of(contexts[STRING, k], contexts[LENGTH, k], a, x, scorer)
    score_nodes(first_node, scorer)
    for profile in range(first_profile, counters[PROFILES]):
        if not write_factors(profile, scorer):
            counters[TOO_FAR] = 1
    group_contexts(cell, shape, counters, lattice, table)
    if ranked:
        map_images(cell, lattice, before)


@kernel(_nrt=False)
def forward_cell(cell, allowed, y, rule, ranked, lattice, before, scorer, scratch):
    """Choose the contexts of a cell; ``y`` is the observed letter, −1 where none is."""
    shape, _, (_, _, factor, _, _, _), _, _ = scorer
    flow, gold_flow, chosen, _, _, _, _, begins, gold_begins = scratch
    moves, letters, (_, merging, _) = allowed if y >= 0 else 0, shape[LETTERS], rule
    reference = arrive(cell, letters, lattice, factor, flow, begins)
    gold_reference = arrive_gold(cell, moves, y, letters, lattice, factor, gold_flow, gold_begins)
    set_roots(cell, merging, lattice)
    if merging:
        forget_letterless(cell, lattice, flow, begins)
    if ranked:
        rank(cell, letters, lattice, before, scratch)
    kept = chosen[: choose(rule, ranked, y, letters, scratch)]
    grow(cell, letters, kept, lattice, begins)
    absorb(cell, letters, merging, kept, lattice, flow, begins)
    lattice[CELL_COUNT][cell] = lattice[USED][USED_CONTEXTS] - lattice[CELL_BEGIN][cell]
    rescale(FORWARD, cell, reference, lattice)
    if moves:
        absorb_gold(cell, y, lattice, gold_flow, gold_begins)
        rescale(GOLD_FORWARD, cell, gold_reference, lattice)


@kernel(_nrt=False)
def forward(example, rule, ranked, lattice, before, scorer, scratch):
    """Choose the contexts of all cells; returns how it ended, log Z and that of the observed letters."""
    x, gold, allowed = example
    shape, counters, (_, _, factor, _, _, _), _, _ = scorer
    (budget, _, _), (_, _, _, _, _, table, _, _, _) = rule, scratch
    count, width, letters = lattice[CELL_COUNT], lattice[WIDTH], shape[LETTERS]
    begin_example(counters, lattice)
    for a in range(x.size + 1):
        counters[PHONE] += 1
        for i in range(width):
            cell = a * width + i
            if not has_room(budget, lattice, scorer):
                return SHORT, -np.inf, -np.inf
            if a > 0 and i > 0:
                y = gold[i - 1] if i <= gold.size else -1
                forward_cell(cell, allowed[a, i], y, rule, ranked, lattice, before, scorer, scratch)
            if count[cell] > 0:
                complete_cell(cell, x, ranked, lattice, before, scorer, table)
    if counters[TOO_FAR]:
        return FAR, np.nan, np.nan
    log_z = -np.inf
    for cell in range(x.size * width + 1, (x.size + 1) * width):
        log_z = np.logaddexp(log_z, end_mass(FORWARD, cell, letters, lattice, factor))
    return FITS, log_z, end_mass(GOLD_FORWARD, x.size * width + gold.size, letters, lattice, factor)


@kernel(_nrt=False)
def forward_gold(example, letters, lattice, factor, scratch):
    """The log mass of other observed letters under contexts that are chosen already."""
    x, gold, allowed = example
    _, count, scale, _, _, _, mass, _, used, width = lattice
    _, gold_flow, _, _, _, _, _, _, gold_begins = scratch
    mass[GOLD_FORWARD, : used[USED_CONTEXTS]] = 0.0
    scale[GOLD_FORWARD] = -np.inf
    mass[GOLD_FORWARD, 0], scale[GOLD_FORWARD, 0] = 1.0, 0.0
    for a in range(1, x.size + 1):
        for i in range(1, gold.size + 1):
            cell, moves, y = a * width + i, allowed[a, i], gold[i - 1]
            if count[cell] > 0 and moves:
                reference = arrive_gold(cell, moves, y, letters, lattice, factor, gold_flow, gold_begins)
                absorb_gold(cell, y, lattice, gold_flow, gold_begins)
                rescale(GOLD_FORWARD, cell, reference, lattice)
    return end_mass(GOLD_FORWARD, x.size * width + gold.size, letters, lattice, factor)


@kernel(_nrt=False)
def end_mass(which, cell, letters, lattice, factor):
    """The log mass of ending in a cell."""
    begin, count, scale, _, _, contexts, mass, _, _, _ = lattice
    total = 0.0
    for k in range(begin[cell], begin[cell] + count[cell]):
        total += mass[which, k] * factor[contexts[PROFILE, k], 2 * letters + 1]
    return scale[which, cell] + np.log(total) if total > 0.0 else -np.inf


@kernel(_nrt=False)
def is_inside(cell, move, phones, width):
    """Whether a move out of a cell leads to another one."""
    a, i = cell // width, cell % width
    return (a < phones or move == C) and (i < width - 1 or move == P)


@kernel(_nrt=False)
def highest_ahead(which, cell, phones, lattice):
    """The largest log scale of the cells that follow, and of the end."""
    scale, width = lattice[SCALE], lattice[WIDTH]
    highest = 0.0 if cell >= phones * width else -np.inf
    for move in range(3):
        if is_inside(cell, move, phones, width):
            highest = max(highest, scale[which, cell + cell - source_of(cell, move, width)])
    return highest


# reassoc: a sum in any order, else it is one addition after the other
@kernel(_nrt=False, fastmath={"reassoc"})
def backward_cell(cell, phones, letters, log_z, lattice, ahead, profiles):
    """Backward messages of a cell, and minus what its arcs carry into the gradient of the profiles."""
    begin, count, scale, _, first, contexts, mass, _, _, width = lattice
    _, _, factors, gradient, _, _ = profiles
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
            profile, row = contexts[PROFILE, k], ahead[contexts[GROUP + move, k] - first[cell, move]]
            factor, share = factors[profile, column : column + step], gradient[profile, column : column + step]
            carried, beyond = mass[FORWARD, k] * shared, 0.0
            for y in range(step):
                arc = factor[y] * row[y]
                beyond += arc
                share[y] -= carried * arc
            message[k] += beyond * relative
    if cell >= phones * width and cell % width > 0:
        for k in range(start, stop):
            profile = contexts[PROFILE, k]
            ending = factors[profile, 2 * letters + 1]
            message[k] += ending * np.exp(-highest)
            gradient[profile, 2 * letters + 1] -= mass[FORWARD, k] * ending * np.exp(scale[FORWARD, cell] - log_z)
    rescale(BACKWARD, cell, highest, lattice)


@kernel(_nrt=False)
def backward_gold_cell(cell, example, letters, gold_z, lattice, profiles):
    """The same for the observed letters, with a plus."""
    x, gold, allowed = example
    _, _, factor, gradient, _, _ = profiles
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
        if not allowed[there // width, there % width] >> move & 1 or scale[GOLD_BACKWARD, there] == -np.inf:
            continue
        relative = np.exp(scale[GOLD_BACKWARD, there] - highest)
        shared = np.exp(scale[GOLD_FORWARD, cell] + scale[GOLD_BACKWARD, there] - gold_z)
        column = move * letters + (0 if move == P else gold[i])
        for k in range(begin[cell], begin[cell] + count[cell]):
            group = contexts[GROUP + move, k]
            if group < 0 or mass[GOLD_FORWARD, k] == 0.0 or groups[G_HIT, group] < 0:
                continue
            arc = factor[contexts[PROFILE, k], column] * message[groups[G_HIT, group]]
            message[k] += arc * relative
            gradient[contexts[PROFILE, k], column] += mass[GOLD_FORWARD, k] * arc * shared
    if ends:
        for k in range(begin[cell], begin[cell] + count[cell]):
            ending = factor[contexts[PROFILE, k], 2 * letters + 1]
            message[k] += ending * np.exp(-highest)
            carried = mass[GOLD_FORWARD, k] * np.exp(scale[GOLD_FORWARD, cell] - gold_z)
            gradient[contexts[PROFILE, k], 2 * letters + 1] += carried * ending
    rescale(GOLD_BACKWARD, cell, highest, lattice)


@kernel(_nrt=False)
def backward(example, letters, log_masses, lattice, ahead, profiles):
    """Backward messages of all cells, of the observed letters too where they have a mass; the profiles' gradient.

    ``log_masses = (log Z, that of the observed letters)``; ``ahead (·, V)`` is scratch.
    """
    (x, _, _), (log_z, gold_z) = example, log_masses
    count, phones, width = lattice[CELL_COUNT], x.size, lattice[WIDTH]
    for cell in range((phones + 1) * width - 1, -1, -1):
        if count[cell] == 0:
            continue
        backward_cell(cell, phones, letters, log_z, lattice, ahead, profiles)
        if gold_z > -np.inf:
            backward_gold_cell(cell, example, letters, gold_z, lattice, profiles)
