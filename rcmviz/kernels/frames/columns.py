"""Contexts of collapsed outputs, one frame at a time: what they propose, what is kept, where the rest goes.

An alignment writes one symbol per frame, a label or the blank; its output is what remains when repeats are joined and
blanks left out. A context is a string of labels that the output so far ends in, known by its ``key``, and has two
masses: ``BLANK`` where the last frame is blank, ``LABEL`` where it is the last label. All masses are logs.

Keys are given by whoever names the strings (``frames/contexts.py``): a context with ``stem`` s becomes s + a when label
a is appended. For strings that forget, ``shape = (first (n+2,), powers (n+1,))``: those of length k have the keys
``first[k]`` … ``first[k+1] − 1``, in base ``powers[1]``, the last label lowest.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.chain.contexts import log_add
from rcmviz.kernels.chain.selection import select

BLANK, LABEL = 0, 1  # which mass: the last frame is blank, or the last label
DROPPED = -1
SPREAD = -7046029254386353131  # odd, near 2^64 / golden ratio: neighbouring keys come to lie far apart


@njit(cache=True, nogil=True)
def place_of(key, keys, slot):
    """The place in ``slot`` of the candidate with this key, or the empty one where it would go."""
    place = ((key * SPREAD) >> 32) & (slot.size - 1)
    while slot[place] >= 0 and keys[slot[place]] != key:
        place = (place + 1) & (slot.size - 1)
    return place


@njit(cache=True, nogil=True)
def propose(stem, last, row, alpha, table, emit, keys, mass, child, slot):
    """Candidates of the next frame: every context as it is, then those with a label more; returns how many.

    A label that the last frame already shows is new only after a blank. ``keys[:C]`` are the contexts' own. Equal
    strings are one candidate. ``child[k, a]`` is the candidate that label a leads to, ``DROPPED`` where nothing does.
    """
    count, width = stem.size, emit.size - 1
    slot[:] = -1
    for k in range(count):
        slot[place_of(keys[k], keys, slot)] = k
        mass[k, BLANK] = log_add(alpha[k, BLANK], alpha[k, LABEL]) + emit[width]
        mass[k, LABEL] = alpha[k, LABEL] + emit[last[k]] if last[k] >= 0 else -np.inf
    for k in range(stem.size):
        either = log_add(alpha[k, BLANK], alpha[k, LABEL])
        for a in range(width):
            child[k, a] = DROPPED
            before = alpha[k, BLANK] if a == last[k] else either
            arriving = before + (table[row[k], a] + emit[a])
            if arriving == -np.inf:
                continue
            place = place_of(stem[k] + a, keys, slot)
            if slot[place] < 0:
                slot[place] = count
                keys[count] = stem[k] + a
                mass[count, BLANK] = mass[count, LABEL] = -np.inf
                count += 1
            child[k, a] = slot[place]
            mass[slot[place], LABEL] = log_add(mass[slot[place], LABEL], arriving)
    return count


@njit(cache=True, nogil=True)
def length_of(key, first):
    """How long the string with this key is."""
    return np.searchsorted(first, key, side="right") - 1


@njit(cache=True, nogil=True)
def weigh(keys, mass, count, shape, before, weight):
    """``weight[j]``: the log mass of each candidate; with what is to come, where a pass ``before`` has seen it.

    ``before = (keys, beta (C, 2))`` are the contexts that it kept here, in order of their keys, and their backward
    masses, none in a first pass; a candidate's longest suffix among them speaks for it.
    """
    first, powers = shape
    seen, beta = before
    for j in range(count):
        if seen.size == 0:
            weight[j] = log_add(mass[j, BLANK], mass[j, LABEL])
            continue
        weight[j] = -np.inf
        length = length_of(keys[j], first)
        code = keys[j] - first[length]
        for known in range(length, 0, -1):
            key = first[known] + code % powers[known]
            image = np.searchsorted(seen, key)
            if image < seen.size and seen[image] == key:
                weight[j] = log_add(mass[j, BLANK] + beta[image, BLANK], mass[j, LABEL] + beta[image, LABEL])
                break


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def mark_shortest(keys, count, shape, always):
    """``always[j]``: whether the string is of length one, which cannot be forgotten: CTC asks which label was last.

    Strings without lengths are never merged, so nothing has to stay.
    """
    first, _ = shape
    for j in range(count):
        always[j] = first.size > 0 and keys[j] < first[2]


@njit(cache=True, nogil=True)
def merge(keys, count, shape, mass, slot, home):
    """Give the mass of every candidate without a home to its longest kept suffix; returns how many there are.

    A string of one label, the shortest that there is, becomes a candidate where nobody proposed it.
    """
    first, powers = shape
    proposed = count
    for j in range(proposed):
        if home[j] != DROPPED or (mass[j, BLANK] == -np.inf and mass[j, LABEL] == -np.inf):
            continue
        length = length_of(keys[j], first)
        code = keys[j] - first[length]
        for known in range(length - 1, 0, -1):
            key = first[known] + code % powers[known]
            place = place_of(key, keys, slot)
            if slot[place] < 0 and known == 1:
                slot[place] = count
                keys[count] = key
                mass[count, BLANK] = mass[count, LABEL] = -np.inf
                home[count] = count
                count += 1
            ancestor = slot[place]
            if ancestor >= 0 and (home[ancestor] == ancestor or known == 1):
                home[ancestor] = ancestor
                home[j] = ancestor
                for ends in (BLANK, LABEL):
                    mass[ancestor, ends] = log_add(mass[ancestor, ends], mass[j, ends])
                break
    return count


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def step(context, alpha, table, emit, shape, before, budget, begin, space, stay, child, next_keys, next_alpha):
    """One frame: propose, weigh, keep, merge where ``shape`` has lengths, settle; returns how many contexts follow.

    ``context = (keys, stem, last, row)``, each (C,); ``space = (keys, mass, slot, always, weight, home, number,
    chosen)`` has room for (C + 1) (V + 1) candidates and more.
    """
    own, stem, last, row = context
    keys, mass, slot, always, weight, home, number, chosen = space
    for k in range(own.size):
        keys[k] = own[k]
    count = propose(stem, last, row, alpha, table, emit, keys, mass, child, slot)
    mark_shortest(keys, count, shape, always)
    weigh(keys, mass, count, shape, before, weight)
    keep(mass, count, always, budget, chosen, weight, home)
    if shape[0].size > 0:
        count = merge(keys, count, shape, mass, slot, home)
    return settle(keys, count, mass, home, number, begin, stay, child, next_keys, next_alpha)
