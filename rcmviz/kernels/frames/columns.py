"""Contexts of collapsed outputs, one frame at a time: what they propose, what is kept, where the rest goes.

An alignment writes one symbol per frame, a label or the blank; its output is what remains when repeats are joined and
blanks left out. A context is a string of labels that the output so far ends in, known by its ``key``, and has two
masses: ``BLANK`` where the last frame is blank, ``LABEL`` where it is the last label. All masses are logs.

Keys are given by whoever names the strings (``frames/contexts.py``): context k becomes ``grown[k, a]`` when label a is
appended. Strings that forget have keys head · n + cell: what may be forgotten first, as a number, and what comes last.
``shape = (shorter (H,), bare (n,))`` is the head without its oldest part, −1 for the empty one, and what is left of a
cell when its beginning is forgotten too, the cell itself where nothing more can be.

``context = (keys (C,), grown (C, V), last (C,), row (C,))`` are those of a frame, ``alpha (C, 2)`` their masses, and
``space = (keys, mass, slot, always, weight, home, number, chosen)`` has room for (C + 1) (V + 1) candidates and more.
"""

import numpy as np

from rcmviz.kernels.chain.contexts import log_add
from rcmviz.kernels.chain.selection import select
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.search_sorted import find

BLANK, LABEL = 0, 1  # which mass: the last frame is blank, or the last label
DROPPED = -1
SPREAD = -7046029254386353131  # odd, near 2^64 / golden ratio: neighbouring keys come to lie far apart


@kernel()
def place_of(key, keys, slot):
    """The place in ``slot`` of the candidate with this key, or the empty one where it would go."""
    place = ((key * SPREAD) >> 32) & (slot.size - 1)
    while slot[place] >= 0 and keys[slot[place]] != key:
        place = (place + 1) & (slot.size - 1)
    return place


@kernel()
def propose(context, alpha, scores, emit, space, child):
    """Candidates of the next frame: every context as it is, then those with a label more; returns how many.

    A label that the last frame already shows is new only after a blank. The contexts are the first C candidates. Equal
    strings are one candidate. ``child[k, a]`` is the candidate that label a leads to, ``DROPPED`` where nothing does.
    ``scores = (table (R, V+1), outlook (C, V+1))``: logs of the labels after each row's history; and what each
    candidate is believed to pay later, which goes to its weight, the context itself last, without rows where nothing is
    believed.
    """
    own, grown, last, row = context
    keys, mass, slot, _, hope, _, _, _ = space
    table, outlook = scores
    count, width = grown.shape
    slot[:] = -1
    hope[:] = 0.0
    for k in range(count):
        keys[k] = own[k]
        slot[place_of(keys[k], keys, slot)] = k
        if outlook.size > 0:
            hope[k] = outlook[k, width]
        mass[k, BLANK] = log_add(alpha[k, BLANK], alpha[k, LABEL]) + emit[width]
        mass[k, LABEL] = alpha[k, LABEL] + emit[last[k]] if last[k] >= 0 else -np.inf
    for k in range(grown.shape[0]):
        either = log_add(alpha[k, BLANK], alpha[k, LABEL])
        for a in range(width):
            child[k, a] = DROPPED
            before = alpha[k, BLANK] if a == last[k] else either
            arriving = before + (table[row[k], a] + emit[a])
            if arriving == -np.inf:
                continue
            place = place_of(grown[k, a], keys, slot)
            if slot[place] < 0:
                slot[place] = count
                keys[count] = grown[k, a]
                if outlook.size > 0:
                    hope[count] = outlook[k, a]
                mass[count, BLANK] = mass[count, LABEL] = -np.inf
                count += 1
            child[k, a] = slot[place]
            mass[slot[place], LABEL] = log_add(mass[slot[place], LABEL], arriving)
    return count


@kernel()
def shortened(key, shape):
    """The key of the longest string that forgets something of this one; the same key where nothing can be forgotten."""
    shorter, bare = shape
    if key < bare.size:  # the empty head
        return bare[key]
    head = key // bare.size
    return key - (head - shorter[head]) * bare.size


@kernel()
def weigh(keys, mass, count, shape, before, weight):
    """``weight[j]``: the log mass of each candidate, and its hope, which stands there; with what is to come, where a
    pass ``before`` has seen it.

    ``before = (keys, beta (C, 2))`` are the contexts that it kept here, in order of their keys, and their backward
    masses, none in a first pass; a candidate's longest suffix among them speaks for it.
    """
    seen, beta = before
    for j in range(count):
        if seen.size == 0:
            weight[j] += log_add(mass[j, BLANK], mass[j, LABEL])
            continue
        weight[j] = -np.inf
        key, longer = keys[j], np.int64(-1)
        while key != longer:
            image = find(seen, 0, seen.size, key)
            if image >= 0:
                weight[j] = log_add(mass[j, BLANK] + beta[image, BLANK], mass[j, LABEL] + beta[image, LABEL])
                break
            longer, key = key, shortened(key, shape)


@kernel()
def keep(mass, count, always, budget, chosen, weight, home):
    """Let the ``budget`` heaviest candidates be their own ``home``, and those ``always`` kept; others have none.

    Ties go to the lower number; zero mass is never kept.
    """
    for j in range(count):
        home[j] = DROPPED
        if always[j]:
            weight[j] = -np.inf
            if mass[j, BLANK] > -np.inf or mass[j, LABEL] > -np.inf:
                home[j] = j
    for place in range(select(weight[:count], budget, True, chosen)):
        home[chosen[place]] = chosen[place]


@kernel()
def mark_shortest(keys, count, shape, always):
    """``always[j]``: whether the string has nothing more to forget but its last label, for which CTC asks.

    Strings without a shape are never merged, so nothing has to stay.
    """
    for j in range(count):
        always[j] = shape[1].size > 0 and shortened(keys[j], shape) == keys[j]


@kernel()
def merge(keys, count, shape, mass, slot, home):
    """Give the mass of every candidate without a home to its longest kept suffix; returns how many there are.

    A string that cannot forget becomes a candidate where nobody proposed it.
    """
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
                for ends in (BLANK, LABEL):
                    mass[ancestor, ends] = log_add(mass[ancestor, ends], mass[j, ends])
                break
    return count


@kernel()
def settle(keys, count, mass, home, number, begin, stay, child, next_keys, next_alpha):
    """Number the kept in their order, from ``begin`` on, and lead every context to them; returns how many there are.

    ``stay[k]`` is where context k comes to when no label is appended, ``child[k, a]`` when a is.
    """
    size = 0
    for j in range(count):
        if home[j] == j:
            number[j] = begin + size
            next_keys[size] = keys[j]
            next_alpha[size, BLANK], next_alpha[size, LABEL] = mass[j, BLANK], mass[j, LABEL]
            size += 1
    for k in range(stay.size):
        stay[k] = number[home[k]] if home[k] != DROPPED else DROPPED
        for a in range(child.shape[1]):
            j = child[k, a]
            child[k, a] = number[home[j]] if j != DROPPED and home[j] != DROPPED else DROPPED
    return size


@kernel()
def step(context, alpha, scores, emit, shape, before, budget, begin, space, following):
    """One frame: propose, weigh, keep, merge where ``shape`` has lengths, settle; returns how many contexts follow.

    ``scores`` as in propose; where contexts lead, and what follows, goes into ``following = (stay (C,), child (C, V),
    keys, alpha)``.
    """
    stay, child, next_keys, next_alpha = following
    keys, mass, slot, always, weight, home, number, chosen = space
    count = propose(context, alpha, scores, emit, space, child)
    mark_shortest(keys, count, shape, always)
    weigh(keys, mass, count, shape, before, weight)
    keep(mass, count, always, budget, chosen, weight, home)
    if shape[0].size > 0:
        count = merge(keys, count, shape, mass, slot, home)
    return settle(keys, count, mass, home, number, begin, stay, child, next_keys, next_alpha)
