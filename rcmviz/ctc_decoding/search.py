"""The most probable outputs of a table of alignments: best-first search over beginnings, with a proof if it ends.

The probability that an output begins with y bounds that of every output below, so the first complete output that is
taken from the queue is the most probable (prefix search, Graves et al., 2006, here over the contexts of a language
model). A beam's outputs are its last contexts, which need no search.
"""

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any, NamedTuple

import numpy as np

from rcmviz.ctc_decoding.contexts import Prefixes
from rcmviz.kernels.chain.masses import log_add
from rcmviz.kernels.ctc import outputs as kernel

START = -1  # in place of the last label of the empty beginning
# Frames of a beginning that are left out in a search: where exactly this is written with a probability that is smaller
# by a factor of e⁻⁶⁰ than at another frame. A search of 1,000 noisy frames took 7 s, and quadratically more of longer
# ones; so it takes .9 s. Short inputs, of which one may ask for all outputs, leave out nothing.
DROP, SHORT = 60.0, 64
EVERYTHING = np.inf


@dataclass(frozen=True, eq=False)
class Beginning:
    """The first labels of outputs, and the masses of their alignments (see ``kernels/ctc/outputs.py``)."""

    labels: tuple
    first: int
    at: np.ndarray  # (N, K)
    mass: np.ndarray  # (N, K, 2)

    @property
    def last(self):
        """The last label, START for none."""
        return self.labels[-1] if self.labels else START

    @property
    def rows(self):
        """The kernels' arguments."""
        return kernel.Rows(self.first, self.at, self.mass)

    def after(self, t):
        """Log of the summed scores of the alignments that write this in t frames."""
        inside = self.first <= t < self.first + len(self.at)
        return float(np.logaddexp.reduce(self.mass[t - self.first], axis=None)) if inside else -np.inf


def empty_beginning(table, worth, drop=EVERYTHING):
    """The beginning without labels; frames where its masses are ``worth (C, 2)`` less than elsewhere are left out."""
    at, mass, links = *_rows(table), table.links
    at[:], mass[:] = -1, -np.inf
    blanks = np.cumsum([0.0, *table.scores.emit[:, -1]])
    c, heaviest = 0, np.full(table.frames + 1, -np.inf)
    for t, total in enumerate(blanks.tolist()):
        at[t, links.length[c] - 1], mass[t, links.length[c] - 1, 0] = c, total
        heaviest[t] = total + worth[c, 0]
        c = links.stay[c]
        if c < 0:
            break
    matters = np.flatnonzero(heaviest >= max(heaviest.max() - drop, kernel.LEAST))
    return _cut_beginnings((), at, mass, (matters[0], matters[-1] + 1) if len(matters) else (0, 0))


def extend_beginning(table, worth, beginning, label, drop=EVERYTHING):
    """A beginning with one label more."""
    at, mass = _rows(table)
    rows, last = beginning.rows, beginning.last
    extent = kernel.append(table.links, table.scores, kernel.Matters(worth, drop), rows, last, label, at, mass)
    return _cut_beginnings((*beginning.labels, label), at, mass, extent)


def _rows(table):
    """Room for the rows of a beginning."""
    shape = table.frames + 1, table.slots
    return np.empty(shape, np.int64), np.empty((*shape, 2))


def _cut_beginnings(labels, at, mass, extent):
    rows = slice(*extent)
    return Beginning(labels, extent[0], at[rows].copy(), mass[rows].copy())


def log_mass(table, beginning):
    """Log of the summed scores of the alignments that write this beginning and end."""
    if beginning.first + len(beginning.at) != table.frames + 1:
        return -np.inf
    return float(np.logaddexp.reduce((beginning.mass[-1] + table.end[beginning.at[-1]]).ravel()))


def log_mass_of(table, labels):
    """The same for labels by their numbers; −inf where the output was dropped or is impossible."""
    beginning = empty_beginning(table, table.beta)
    for label in labels:
        beginning = extend_beginning(table, table.beta, beginning, label)
    return log_mass(table, beginning)


def chain(table, labels):
    """Probability (n + 1,) of each label given those before it, and of the end; 0 after an impossible one."""
    here, share, reached = empty_beginning(table, table.beta), np.empty(1), np.ones(len(labels) + 2)
    for j, label in enumerate(labels):
        _continue(table, here, np.array([label]), share)
        reached[j + 1] = share[0]
        here = extend_beginning(table, table.beta, here, label)
    reached[-1] = np.exp(log_mass(table, here) - table.log_z)
    before, after = reached[:-1], reached[1:]
    return np.divide(after, before, out=np.zeros(len(before)), where=before > 0).clip(0.0, 1.0)


def _continue(table, here, labels, share):
    """``share``: probability that the output begins so and continues with each of the labels."""
    kernel.continuations(table.links, table.scores, table.beta, table.log_z, here.rows, here.last, labels, share)


class _Waiting(NamedTuple):
    """A beginning in a queue with its log mass as an output, or with its next labels; probable ones come first."""

    minus_share: float
    serial: int
    before: Any
    what: Any


def best_outputs(table, k, most):
    """``([(labels, log mass)], proven)``: the k most probable outputs or all that there are; ``proven`` of them are
    proved to be heavier than all others.

    Of each length no more than ``most`` beginnings are opened, the most probable first; outputs less probable than one
    left out are not proved.
    """
    if isinstance(table.names, Prefixes):
        found = _beam_contexts(table, k)
        return found, len(found)
    found: list[tuple[tuple, float]] = []
    drop = DROP if table.frames > SHORT else EVERYTHING
    serial, opened, proven, left_out = count(), Counter[int](), 0, 0.0
    queue: list[_Waiting] = []
    labels, share, here = np.arange(table.width), np.empty(table.width), empty_beginning(table, table.beta, drop)
    while len(found) < k:
        if here is not None:
            ends = float(log_mass(table, here))
            if ends > -np.inf:
                heapq.heappush(queue, _Waiting(-math.exp(ends - table.log_z), next(serial), here, ends))
            _continue(table, here, labels, share)
            _push(queue, next(serial), here, _rank_labels(share))
            here = None
        if not queue:
            break
        highest = heapq.heappop(queue)
        before, what, share_of = highest.before, highest.what, -highest.minus_share
        if isinstance(what, float):
            found.append((before.labels, what))
            proven += int(share_of >= left_out)
        elif opened[len(before.labels)] == most:  # as many of that length are open; those behind it are less probable
            left_out = max(left_out, share_of)
        else:
            opened[len(before.labels)] += 1
            here = extend_beginning(table, table.beta, before, what.pop()[1], drop)
            _push(queue, next(serial), before, what)
    return (_add_greedy(table, found, k) if left_out and proven < k else found), proven


def _rank_labels(share):
    """``[(share, label)]`` of those that are possible, the most probable last."""
    ranked = np.argsort(-share, kind="stable")[: np.count_nonzero(share)][::-1]
    return list(zip(share[ranked].tolist(), ranked.tolist(), strict=True))


def _push(queue, number, before, ranked):
    """Put a beginning into the queue by the most probable of its labels that are left."""
    if ranked:
        heapq.heappush(queue, _Waiting(-ranked[-1][0], number, before, ranked))


def _add_greedy(table, found, k):
    """The outputs found without a proof, and that of the most probable symbol of each frame, if it is heavier."""
    symbols = table.symbols.argmax(axis=1).tolist()
    labels = tuple(a for a, _ in groupby(symbols) if a < table.width)
    every = dict(found) | {labels: float(log_mass_of(table, labels))}
    ranked = sorted(every.items(), key=lambda entry: -entry[1])
    return [(labels, mass) for labels, mass in ranked if mass > -np.inf][:k]


def _beam_contexts(table, k):
    """The last contexts, the heaviest first, ties to the one that stands first."""
    first = table.links.offset[table.frames]
    end = table.beta[first:, 0]  # nothing follows: the score of the end
    mass = np.array([log_add(*row) for row in table.alpha[first:]]) + end
    ranked = [j for j in np.argsort(-mass, kind="stable").tolist() if mass[j] > -np.inf]
    return [(table.names.spelt(int(table.keys[first + j])), float(mass[j])) for j in ranked[:k]]


def align(table, labels):
    """The symbols (T,) of the heaviest alignment of one output, the blank as V; None without an alignment."""
    symbol = np.empty(table.frames, np.int64)
    labels, shape = np.array(labels, np.int64), (len(labels) + 1, table.slots)
    came = np.full((table.frames + 1, *shape, 2), -1, np.int16)
    ways = kernel.Ways(came, np.empty((2, *shape), np.int64), np.empty((2, *shape, 2)))
    score = kernel.best_alignment(table.links, table.scores, labels, ways, symbol)
    return symbol if score > -np.inf else None
