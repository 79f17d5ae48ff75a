"""Contexts of collapsed outputs, frame by frame: their candidates, the kept ones, and where the others are merged.

An alignment writes one symbol per frame, a label or the blank; its output is what remains when repeats are joined and
blanks left out. A context is a string of labels that the output so far ends in, known by its ``key``, and has two
masses: ``BLANK`` where the last frame is blank, ``LABEL`` where it is the last label. All masses are logs.

Keys are given by whoever names the strings (``ctc_decoding/contexts.py``): context k becomes ``grown[k, a]`` when
label a is appended. Strings that forget have keys head · n + cell: what may be forgotten first, as a number, and what
comes last.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.masses import log_add
from rcmviz.kernels.chain.selection import select
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import fill
from rcmviz.kernels.search_sorted import find

BLANK, LABEL = np.int64(0), np.int64(1)  # which mass: the last frame is blank, or the last label
DROPPED = -1
IN_LOGS = np.bool_(True)  # as an argument: a literal is a type of its own
SPREAD = -7046029254386353131  # odd, near 2^64 / golden ratio: neighbouring keys come to lie far apart


class Shape(NamedTuple):
    """How strings forget: the head without its oldest part, −1 for the empty one; and the rest of a cell when its
    beginning is forgotten too, the cell itself where nothing more can be.
    """

    shorter: Any  # (H,)
    bare: Any  # (n,), none of strings that are never merged


class Contexts(NamedTuple):
    """Those of a frame, and the logs of their masses."""

    keys: Any  # (C,)
    grown: Any  # (C, V)
    last: Any  # (C,)
    row: Any  # (C,)
    alpha: Any  # (C, 2)


class Scores(NamedTuple):
    """Logs of the labels after each row's history, the end last; and what each candidate is believed to pay later,
    which goes to its weight, the context itself last.
    """

    table: Any  # (R, V+1)
    outlook: Any  # (C, V+1), no rows where nothing is believed


class Seen(NamedTuple):
    """The contexts that the pass before kept here, in order of their keys, and their backward masses."""

    keys: Any  # (C,), none in a first pass
    beta: Any  # (C, 2)


class Following(NamedTuple):
    """Where contexts lead when no label is appended, and when one is; the keys and masses of what follows."""

    stay: Any  # (C,)
    child: Any  # (C, V)
    keys: Any
    alpha: Any


class Links(NamedTuple):
    """The contexts of all frames, numbered through: where columns begin, and per context the ones after it by staying
    and by label, its last label, its row of scores and its length. Links lead into the next column, −1 nowhere.
    """

    offset: Any  # (T+2,)
    stay: Any  # (C,)
    child: Any  # (C, V)
    last: Any  # (C,)
    row: Any  # (C,)
    length: Any  # (C,)


class LinkScores(NamedTuple):
    """Logs of the frames' symbols, the blank last, and of the labels after each row's history, the end last."""

    emit: Any  # (T, V+1)
    table: Any  # (R, V+1)


class Room(NamedTuple):
    """Places for (C + 1) (V + 1) candidates and more."""

    keys: Any
    mass: Any  # (N, 2)
    slot: Any  # a power of two
    weight: Any
    home: Any  # the candidate that carries its mass
    number: Any
    chosen: Any


@part(_nrt=False)
def place_of(key, keys, slot):
    """The place in ``slot`` of the candidate with this key, or the empty one where it would go."""
    place = ((key * SPREAD) >> 32) & (slot.size - 1)
    while slot[place] >= 0 and keys[slot[place]] != key:
        place = (place + 1) & (slot.size - 1)
    return place


@kernel(_nrt=False)
def propose(context, scores, emit, room, child):
    """`fill_candidates` of arrays of numpy."""
    return fill_candidates(*bare((context, scores, emit, room, child)))


@part(_nrt=False)
def fill_candidates(context, scores, emit, room, child):
    """Candidates of the next frame: every context as it is, then those with a label more; returns how many.

    A label that the last frame already shows is new only after a blank. The contexts are the first C candidates. Equal
    strings are one candidate. ``child[k, a]`` is the candidate that label a leads to, ``DROPPED`` where nothing does.
    """
    last, alpha, outlook = context.last, context.alpha, scores.outlook
    keys, mass, slot = room.keys, room.mass, room.slot
    count, width = context.grown.shape
    fill(slot, -1)
    fill(room.weight, 0.0)
    for k in range(count):
        keys[k] = context.keys[k]
        slot[place_of(keys[k], keys, slot)] = k
        if outlook.shape[0] > 0:
            room.weight[k] = outlook[k, width]
        mass[k, BLANK] = log_add(alpha[k, BLANK], alpha[k, LABEL]) + emit[width]
        mass[k, LABEL] = alpha[k, LABEL] + emit[last[k]] if last[k] >= 0 else -np.inf
    for k in range(last.size):
        either = log_add(alpha[k, BLANK], alpha[k, LABEL])
        for a in range(width):
            child[k, a] = DROPPED
            before = alpha[k, BLANK] if a == last[k] else either
            arriving = before + (scores.table[context.row[k], a] + emit[a])
            if arriving == -np.inf:
                continue
            place = place_of(context.grown[k, a], keys, slot)
            if slot[place] < 0:
                slot[place] = count
                keys[count] = context.grown[k, a]
                if outlook.shape[0] > 0:
                    room.weight[count] = outlook[k, a]
                mass[count, BLANK] = mass[count, LABEL] = -np.inf
                count += 1
            child[k, a] = slot[place]
            mass[slot[place], LABEL] = log_add(mass[slot[place], LABEL], arriving)
    return count


@part(_nrt=False)
def shortened(key, shape):
    """The key of the longest string that forgets something of this one; the same key where nothing can be forgotten."""
    if key < shape.bare.size:  # the empty head
        return shape.bare[key]
    head = key // shape.bare.size
    return key - (head - shape.shorter[head]) * shape.bare.size


@part(_nrt=False)
def weigh(count, shape, before, room):
    """The log mass of each candidate is added to its ``weight``; with its backward mass, where a pass ``before`` has
    seen it: a candidate's longest suffix among its contexts speaks for it.
    """
    mass, weight, seen, beta = room.mass, room.weight, before.keys, before.beta
    for j in range(count):
        if seen.size == 0:
            weight[j] += log_add(mass[j, BLANK], mass[j, LABEL])
            continue
        weight[j] = -np.inf
        key, longer = room.keys[j], np.int64(-1)
        while key != longer:
            image = find(seen, 0, seen.size, key)
            if image >= 0:
                weight[j] = log_add(mass[j, BLANK] + beta[image, BLANK], mass[j, LABEL] + beta[image, LABEL])
                break
            longer, key = key, shortened(key, shape)


@part(_nrt=False)
def keep(count, shape, budget, room):
    """Let the ``budget`` heaviest candidates be their own ``home``, and those that stay; others have none.

    What stays are strings with nothing more to forget but their last label, for which CTC asks; without a shape nothing
    is ever merged, so nothing has to. Ties go to the lower number; zero mass is never kept.
    """
    mass, home, keys = room.mass, room.home, room.keys
    for j in range(count):
        home[j] = DROPPED
        if shape.bare.size > 0 and shortened(keys[j], shape) == keys[j]:
            room.weight[j] = -np.inf
            if mass[j, BLANK] > -np.inf or mass[j, LABEL] > -np.inf:
                home[j] = j
    for place in range(select(room.weight[:count], budget, IN_LOGS, room.chosen)):
        home[room.chosen[place]] = room.chosen[place]


@part(_nrt=False)
def merge(count, shape, room):
    """Give the mass of every candidate without a home to its longest kept suffix; returns how many there are.

    A string that cannot forget becomes a candidate even if no context proposed it.
    """
    keys, mass, slot, home = room.keys, room.mass, room.slot, room.home
    proposed = count
    for j in range(proposed):
        if home[j] != DROPPED or (mass[j, BLANK] == -np.inf and mass[j, LABEL] == -np.inf):
            continue
        key, is_shortest = keys[j], False
        while not is_shortest:
            key = shortened(key, shape)
            is_shortest = shortened(key, shape) == key
            place = place_of(key, keys, slot)
            if slot[place] < 0 and is_shortest:
                slot[place] = count
                keys[count] = key
                mass[count, BLANK] = mass[count, LABEL] = -np.inf
                home[count] = count
                count += 1
            ancestor = slot[place]
            if ancestor >= 0 and (home[ancestor] == ancestor or is_shortest):
                home[ancestor] = ancestor
                home[j] = ancestor
                for ends in range(2):
                    mass[ancestor, ends] = log_add(mass[ancestor, ends], mass[j, ends])
                break
    return count


@part(_nrt=False)
def settle(count, begin, room, following):
    """Number the kept in their order, from ``begin`` on, and lead every context to them; returns how many there are."""
    home, number, stay, child, size = room.home, room.number, following.stay, following.child, 0
    for j in range(count):
        if home[j] == j:
            number[j] = begin + size
            following.keys[size] = room.keys[j]
            for ends in range(2):
                following.alpha[size, ends] = room.mass[j, ends]
            size += 1
    for k in range(stay.size):
        stay[k] = number[home[k]] if home[k] != DROPPED else DROPPED
        for a in range(child.shape[1]):
            j = child[k, a]
            child[k, a] = number[home[j]] if j != DROPPED and home[j] != DROPPED else DROPPED
    return size


@kernel(_nrt=False)
def step(context, scores, emit, shape, before, budget, begin, room, following):
    """One frame: propose, weigh, keep, merge where strings forget, settle; returns how many contexts follow."""
    context, scores, emit, shape = bare((context, scores, emit, shape))
    before, room, following = bare((before, room, following))
    count = fill_candidates(context, scores, emit, room, following.child)
    weigh(count, shape, before, room)
    keep(count, shape, budget, room)
    if shape.shorter.size > 0:
        count = merge(count, shape, room)
    return settle(count, begin, room, following)
