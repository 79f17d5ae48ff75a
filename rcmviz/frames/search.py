"""The most probable outputs that a table of alignments has: best-first over beginnings, with a proof where it ends.

The probability that an output begins with y bounds that of every output below, so the first complete output that is
taken from the queue is the most probable (prefix search, Graves et al., 2006, here over the contexts of a language
model). A beam's outputs are its last contexts, which need no search.
"""

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any

import numpy as np

from rcmviz.frames.contexts import Prefixes
from rcmviz.kernels.chain.contexts import log_add
from rcmviz.kernels.frames import outputs as kernel

START = -1  # in place of the last label of the empty beginning


@dataclass(frozen=True, eq=False)
class Beginning:
    """The first labels of outputs, and the masses of their alignments (see ``kernels/frames/outputs.py``)."""

    labels: tuple
    at: np.ndarray  # (T + 1, K)
    mass: np.ndarray  # (T + 1, K, 2)

    @property
    def last(self):
        """The last label, START for none."""
        return self.labels[-1] if self.labels else START


def empty(table):
    """The beginning without labels."""
    at = np.empty((table.frames + 1, table.slots), np.int64)
    mass = np.empty((*at.shape, 2))
    kernel.nothing(table.links, table.scores, at, mass)
    return Beginning((), at, mass)


def longer(table, beginning, label):
    """A beginning with one label more."""
    at, mass = np.empty_like(beginning.at), np.empty_like(beginning.mass)
    kernel.append(table.links, table.scores, beginning.at, beginning.mass, beginning.last, label, at, mass)
    return Beginning((*beginning.labels, label), at, mass)


def log_mass(table, beginning):
    """Log of the summed scores of the alignments that write this beginning and end."""
    return kernel.whole(table.links, table.scores, beginning.at, beginning.mass)


def log_mass_of(table, labels):
    """The same for labels by their numbers; −inf where the output was dropped or is impossible."""
    beginning = empty(table)
    for label in labels:
        beginning = longer(table, beginning, label)
    return log_mass(table, beginning)


def chain(table, labels):
    """Probability (n + 1,) of each label given those before it, and of the end; 0 after what is impossible."""
    here, share, reached = empty(table), np.empty(table.width), np.ones(len(labels) + 2)
    for j, label in enumerate(labels):
        kernel.continuations(table.links, table.scores, table.beta, table.log_z, here.at, here.mass, here.last, share)
        reached[j + 1] = share[label]
        here = longer(table, here, label)
    reached[-1] = np.exp(log_mass(table, here) - table.log_z)
    before, after = reached[:-1], reached[1:]
    return np.divide(after, before, out=np.zeros(len(before)), where=before > 0).clip(0.0, 1.0)


def best_outputs(table, k, most):
    """``([(labels, log mass)], whether no other is heavier)``: the k most probable outputs or all that there are.

    Of each length no more than ``most`` beginnings are opened, the most probable first; without a proof where there
    were more.
    """
    if isinstance(table.names, Prefixes):
        return _of_beam(table, k), True
    found: list[tuple[tuple, float]] = []
    serial, opened, is_proven = count(), Counter[int](), True
    queue: list[tuple[float, int, Any, Any]] = [(-1.0, next(serial), None, None)]
    share = np.empty(table.width)
    while queue and len(found) < k:
        _, _, before, what = heapq.heappop(queue)
        if isinstance(what, float):
            found.append((before.labels, what))
            continue
        length = len(before.labels) + 1 if before else 0
        opened[length] += 1
        if opened[length] > most:
            is_proven = False
            continue
        here = longer(table, before, what) if before else empty(table)
        ends = log_mass(table, here)
        if ends > -np.inf:
            heapq.heappush(queue, (-np.exp(ends - table.log_z), next(serial), here, float(ends)))
        kernel.continuations(table.links, table.scores, table.beta, table.log_z, here.at, here.mass, here.last, share)
        for label in np.flatnonzero(share).tolist():
            heapq.heappush(queue, (-share[label], next(serial), here, label))
    return found if is_proven else _with_greedy(table, found, k), is_proven


def _with_greedy(table, found, k):
    """The outputs found without a proof, and that of the most probable symbol of each frame, where it is heavier."""
    symbols = table.symbols.argmax(axis=1).tolist()
    labels = tuple(a for a, _ in groupby(symbols) if a < table.width)
    every = dict(found) | {labels: float(log_mass_of(table, labels))}
    ranked = sorted(every.items(), key=lambda entry: -entry[1])
    return [(labels, mass) for labels, mass in ranked if mass > -np.inf][:k]


def _of_beam(table, k):
    """The last contexts, the heaviest first, ties to the one that stands first."""
    first = table.links[0][table.frames]
    end = table.beta[first:, 0]  # nothing follows: the score of the end
    mass = np.array([log_add(*row) for row in table.alpha[first:]]) + end
    ranked = [j for j in np.argsort(-mass, kind="stable").tolist() if mass[j] > -np.inf]
    return [(table.names.spelt(int(table.keys[first + j])), float(mass[j])) for j in ranked[:k]]


def align(table, labels):
    """The symbols (T,) of the heaviest alignment of one output, the blank as V; None where it has none."""
    symbol = np.empty(table.frames, np.int64)
    labels = np.array(labels, np.int64)
    score = kernel.best_alignment(table.links, table.scores, labels, table.slots, symbol)
    return symbol if score > -np.inf else None
