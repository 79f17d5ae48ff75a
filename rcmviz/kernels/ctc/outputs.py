"""One output among all: its alignments through a table of contexts, label by label.

A beginning of an output can be in several contexts after a frame, one for each length of a string. Frames that do not
matter are left out of it: those where all masses with their worth are lighter than the heaviest of them by more than
``drop``; with an infinite ``drop`` those before and behind all mass.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.masses import log_add
from rcmviz.kernels.ctc.columns import BLANK, LABEL
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import fill

LEAST = -np.finfo(np.float64).max  # every log of a mass above zero is larger


class Matters(NamedTuple):
    """What a mass in a context is worth, as a log, and how far below the heaviest it no longer matters."""

    worth: Any  # (C, 2)
    drop: float


class Ways(NamedTuple):
    """Room for the heaviest alignments, by the labels written, the slot and what the last frame is."""

    came: Any  # (T + 1, n + 1, slots, 2): (slot · 2 + ends) · 2 + whether a label is new
    at: Any  # (2, n + 1, slots): contexts after this frame and the one before
    best: Any  # (2, n + 1, slots, 2)


class Rows(NamedTuple):
    """After ``first``, first + 1, … frames: the contexts by their length less one, −1 none, and the logs of the summed
    scores of the alignments that end there.
    """

    first: int
    at: Any  # (N, K)
    mass: Any  # (N, K, 2)


@part(_nrt=False)
def heaviest(worth, at, mass, t):
    """The heaviest mass with its worth in row t."""
    highest = -np.inf
    for k in range(at.shape[1]):
        if at[t, k] >= 0:
            for ends in range(2):
                highest = max(highest, mass[t, k, ends] + worth[at[t, k], ends])
    return highest


@part(_nrt=False)
def extent(matters, at, mass, start, stop):
    """The first of the rows ``[start, stop)`` that matters, and the one after the last."""
    worth, top, begin = matters.worth, -np.inf, start
    for t in range(start, stop):
        top = max(top, heaviest(worth, at, mass, t))
    if top == -np.inf:
        return start, start
    least = max(top - matters.drop, LEAST)
    while heaviest(worth, at, mass, stop - 1) < least:
        stop -= 1
    while heaviest(worth, at, mass, begin) < least:
        begin += 1
    return begin, stop


@part(_nrt=False)
def leaves(mass, t, k, label, last):
    """Log mass of the alignments in slot k after t frames that may show ``label`` next as a new one."""
    return mass[t, k, BLANK] if label == last else log_add(mass[t, k, BLANK], mass[t, k, LABEL])


@kernel(_nrt=False)
def append(links, scores, matters, beginning, last, label, next_at, next_mass):
    """The beginning with one label more, into rows of 0 … T; returns the extent of those that matter.

    ``last`` is the label before it, −1 for none. Behind the last row of the shorter one, nothing arrives any more, and
    its remaining mass only shrinks.
    """
    links, scores, matters, beginning = bare((links, scores, matters, beginning))
    next_at, next_mass = bare((next_at, next_mass))
    stay, child, length, emit = links.stay, links.child, links.length, scores.emit
    first, at, t = beginning.first, beginning.at, beginning.first
    arrives, top = first + at.shape[0], -np.inf
    fill(next_at[t], -1)
    fill(next_mass[t].ravel(), -np.inf)
    while t < emit.shape[0]:
        fill(next_at[t + 1], -1)
        fill(next_mass[t + 1].ravel(), -np.inf)
        for k in range(at.shape[1]):
            c = at[t - first, k] if t < arrives else -1
            if c >= 0 and child[c, label] >= 0:
                to = child[c, label]
                score = emit[t, label] + scores.table[links.row[c], label]
                arriving = leaves(beginning.mass, t - first, k, label, last) + score
                j = length[to] - 1
                next_at[t + 1, j] = to
                next_mass[t + 1, j, LABEL] = log_add(next_mass[t + 1, j, LABEL], arriving)
            c = next_at[t, k]
            if c >= 0 and stay[c] >= 0:
                j = length[stay[c]] - 1
                blank = log_add(next_mass[t, k, BLANK], next_mass[t, k, LABEL]) + emit[t, emit.shape[1] - 1]
                again = next_mass[t, k, LABEL] + emit[t, label]
                next_at[t + 1, j] = stay[c]
                next_mass[t + 1, j, BLANK] = log_add(next_mass[t + 1, j, BLANK], blank)
                next_mass[t + 1, j, LABEL] = log_add(next_mass[t + 1, j, LABEL], again)
        t += 1
        here = heaviest(matters.worth, next_at, next_mass, t)
        top = max(top, here)
        if t >= arrives and here < max(top - matters.drop, LEAST):
            break
    return extent(matters, next_at, next_mass, first, t + 1)


@kernel(_nrt=False)
def continuations(links, scores, beta, log_z, beginning, last, labels, share):
    """``share (n,)``: probability that the output begins with y and continues with each of ``labels (n,)``.

    Each enters at one frame.
    """
    links, scores, beta, beginning = bare((links, scores, beta, beginning))
    labels, share = bare((labels, share))
    child, emit, first, at, mass = links.child, scores.emit, beginning.first, beginning.at, beginning.mass
    fill(share, 0.0)
    for t in range(min(at.shape[0], emit.shape[0] - first)):
        for k in range(at.shape[1]):
            c = at[t, k]
            if c < 0 or mass[t, k, BLANK] == mass[t, k, LABEL] == -np.inf:
                continue
            for n in range(labels.size):
                a = labels[n]
                if child[c, a] >= 0:
                    ahead = emit[first + t, a] + scores.table[links.row[c], a] + beta[child[c, a], LABEL]
                    share[n] += np.exp(leaves(mass, t, k, a, last) + ahead - log_z)


@part(_nrt=False)
def improve(t, found, best, came, j, k, ends, origin):
    """Take a better way to label j in slot k, and note where it comes from."""
    if found > best[j, k, ends]:
        best[j, k, ends] = found
        came[t, j, k, ends] = origin


@kernel(_nrt=False)
def best_alignment(links, scores, labels, ways, symbol):
    """The heaviest alignment of one output, its symbols into ``symbol (T,)``, the blank as V; returns its log score.

    Viterbi's algorithm over (labels written, slot, what the last frame is); ties go to the move that is tried first: a
    new label, then the blank, then the label again.
    """
    links, scores, labels, ways, symbol = bare((links, scores, labels, ways, symbol))
    stay, child, length, emit, table = links.stay, links.child, links.length, scores.emit, scores.table
    frames, width, count, came = emit.shape[0], child.shape[1], labels.size, ways.came
    at, next_at, best, next_best = ways.at[0], ways.at[1], ways.best[0], ways.best[1]
    fill(at.ravel(), -1)
    fill(best.ravel(), -np.inf)
    at[0, length[0] - 1] = 0
    best[0, length[0] - 1, BLANK] = 0.0
    for t in range(frames):
        fill(next_at.ravel(), -1)
        fill(next_best.ravel(), -np.inf)
        for j in range(count + 1):
            for k in range(at.shape[1]):
                c = at[j, k]
                if c < 0:
                    continue
                for ends in range(2):
                    here, origin = best[j, k, ends], (k * 2 + ends) * 2
                    if here == -np.inf:
                        continue
                    is_new = j < count and not (ends == LABEL and j > 0 and labels[j] == labels[j - 1])
                    if is_new and child[c, labels[j]] >= 0:
                        to = child[c, labels[j]]
                        next_at[j + 1, length[to] - 1] = to
                        found = here + emit[t, labels[j]] + table[links.row[c], labels[j]]
                        improve(t + 1, found, next_best, came, j + 1, length[to] - 1, LABEL, origin + 1)
                    if stay[c] >= 0:
                        to = stay[c]
                        next_at[j, length[to] - 1] = to
                        improve(t + 1, here + emit[t, width], next_best, came, j, length[to] - 1, BLANK, origin)
                        if ends == LABEL:
                            found = here + emit[t, labels[j - 1]]
                            improve(t + 1, found, next_best, came, j, length[to] - 1, LABEL, origin)
        at, next_at, best, next_best = next_at, at, next_best, best
    return walk_back(table, links.row, labels, at, best, came, symbol)


@kernel(inline="always")
def walk_back(table, row, labels, at, best, came, symbol):
    """The symbols of the heaviest way that `best_alignment` has found; returns its log score."""
    width, j = table.shape[1] - 1, labels.size
    highest, k, ends = -np.inf, 0, 0
    for slot in range(at.shape[1]):
        for last in range(2):
            if at[j, slot] >= 0 and best[j, slot, last] + table[row[at[j, slot]], width] > highest:
                highest, k, ends = best[j, slot, last] + table[row[at[j, slot]], width], slot, last
    if highest == -np.inf:
        return highest
    for t in range(symbol.size, 0, -1):
        symbol[t - 1] = width if ends == BLANK else labels[j - 1]
        origin = came[t, j, k, ends]
        j -= origin & 1
        k, ends = origin >> 2, (origin >> 1) & 1
    return highest
