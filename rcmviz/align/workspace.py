"""Arrays for aligning an example, which are reused and grow for longer ones."""

from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.kernels.align import cells as kernel
from rcmviz.kernels.align import grid as sums
from rcmviz.kernels.align.features import COUNTERS, GROUPING, C, P, Shape
from rcmviz.kernels.align.groups import FIELDS, G_FIELDS, Lattice
from rcmviz.kernels.align.scores import Profiles, Scorer, Trie
from rcmviz.kernels.chain.selection import SLACK

STRATEGIES = ("rcms", "model", "target", "hybrid", "forced")
BEAMS = {"model": kernel.BY_MODEL, "target": kernel.BY_TARGET, "hybrid": kernel.BY_BOTH}
MOST_BUDGET = 10_000
FIRST_CONTEXTS, MOST_CONTEXTS = 4_000, 2_000_000  # with 26 letters 2 kB each
NO_GOLD = np.zeros(0, np.int64)
NO_GOLD.setflags(write=False)  # as the numbers of all examples are: else the kernels are compiled twice


class TooFarError(ValueError):
    """A score beyond what numbers hold."""


class ForwardSums(NamedTuple):
    """The result of choosing contexts: log Z, the log mass of the gold, and the contexts."""

    log_z: float
    gold_z: float
    lattice: Lattice


class _Pass(NamedTuple):
    """The outcome of a forward pass of the kernels, with its log masses."""

    ended: int
    log_z: float
    gold_z: float


def rule_of(strategy, budget):
    """``Rule`` of the kernels; ValueError for an unknown strategy."""
    checks.choice("strategy", strategy, STRATEGIES)
    return kernel.Rule(budget, int(strategy not in BEAMS), BEAMS.get(strategy, kernel.BY_MODEL))


def shape_of(model, memory, joined):
    """``Shape`` of the kernels."""
    limits = model.limits
    return Shape(
        len(model.letters),
        model.order,
        memory,
        limits.letters_per_phone,
        limits.phones_per_letter,
        int(model.additive),
        int(joined),
    )


def allowed_moves(moves, phones, letters, most):
    """By which moves an observed alignment enters which cell, a bit each, (phones + 1, most + 1); by any where none is
    observed.
    """
    allowed = np.zeros((phones + 1, most + 1), np.int64)
    if len(moves) > 0:
        allowed[np.cumsum(moves != C), np.cumsum(moves != P)] = 1 << moves
    else:
        allowed[:, : letters + 1] = 7
    return allowed


class Workspace:
    """Room for one example, given a model's ``shape``, a ``budget`` and the number of ``passes``.

    ``arrays`` are those of a ``Lattice``, ``others`` those of another pass; the rest are the kernels' tuples;
    ``grow`` doubles what depends on the length. ValueError for a budget that memory does not hold.
    """

    def __init__(self, shape, budget, passes=1):
        if budget > MOST_BUDGET:
            raise ValueError(f"budget {budget:,}: at most {MOST_BUDGET:,} contexts per cell")
        self.shape, self.budget, self.passes, self.contexts = shape, budget, passes, FIRST_CONTEXTS
        self.counters, self.width = np.zeros(COUNTERS, np.int64), 1
        self._make(cells=1)

    def grow(self):
        """Room for twice as many contexts, and twice the features; ValueError at the limit."""
        if 2 * self.contexts > MOST_CONTEXTS:
            raise ValueError(
                f"more than {self.contexts:,} contexts for one example: shorten it, or lower the budget ({self.budget})"
            )
        self.contexts *= 2
        self._make(self.cells)

    def fit(self, phones, most):
        """Room for ``phones`` phones and ``most`` letters."""
        cells, width = (phones + 1) * (most + 1), most + 1
        if cells > self.cells or width > self.width:
            self.width = max(width, self.width)
            self._make(max(cells, self.cells))

    def _make(self, cells):
        letters, order = self.shape.letters, self.shape.order
        modes = self.shape.letters_per_phone + self.shape.phones_per_letter
        fullest = 2 * self.budget + modes
        self.contexts = max(self.contexts, 4 * fullest)
        contexts = self.contexts
        nodes = max(2 * contexts, 8 * fullest * (order + 1))
        self.cells = cells
        self.arrays = _lattice_arrays(cells, contexts, modes)
        self.others = _lattice_arrays(cells, contexts, modes) if self.passes > 1 else _lattice_arrays(1, 1, modes)
        self.scratch = _scratch(fullest, letters, self.budget)
        self.profiles = _profiles(self.width * fullest, contexts, letters, order)
        self.trie = _trie(nodes, letters)
        self.counters[: GROUPING + 1] = 0  # the new tables hold nothing, with the stamp 0

    def scorer(self, weights):
        """``Scorer`` of the kernels; ``weights = (store, group)``."""
        store, group = weights
        return Scorer(self.shape, self.counters, self.profiles, self.trie, store, group)

    def forward(self, example, most, rule, weights):
        """Choose contexts for an ``Example``; returns ``ForwardSums``.

        TooFarError where a score is beyond what numbers hold.
        """
        self.fit(len(example.x), most)
        found, lattice = self._passes(example, most, rule, self.scorer(weights))
        while found.ended == sums.SHORT:
            self.grow()
            found, lattice = self._passes(example, most, rule, self.scorer(weights))
        if found.ended == sums.FAR:
            raise TooFarError("a score is beyond e^±200: the weights have grown too large; train with a lower eta")
        return ForwardSums(found.log_z, found.gold_z, lattice)

    def _passes(self, example, most, rule, scorer):
        """Choose contexts in several passes, each by what the one before found: the last pass, its lattice."""
        now, before = Lattice(*self.arrays, most + 1), Lattice(*self.others, most + 1)
        found = _Pass(*sums.forward(example, rule, False, now, before, scorer, self.scratch))
        for _ in range(1, self.passes):
            if found.ended != sums.FITS:
                break
            ranked = found.log_z > -np.inf
            if ranked:
                self.backward(example, found.log_z, -np.inf, now)
            now, before = before, now
            found = _Pass(*sums.forward(example, rule, ranked, now, before, scorer, self.scratch))
        return found, now

    def backward(self, example, log_z, gold_z, lattice):
        """Backward messages and the profiles' gradient, by log Z and that of the gold, as found."""
        sums.backward(example, self.shape.letters, log_z, gold_z, lattice, self.scratch.ahead, self.profiles)


def _table(entries):
    return np.zeros((1 << (2 * entries - 1).bit_length(), 3), np.int64)


def _lattice_arrays(cells, contexts, modes):
    return (
        np.zeros(cells, np.int64),
        np.zeros(cells, np.int64),
        np.zeros((4, cells)),
        np.zeros((cells, modes), np.int64),
        np.zeros((cells, 4), np.int64),
        np.zeros((FIELDS, contexts), np.int64),
        np.zeros((4, contexts)),
        np.zeros((G_FIELDS, 3 * contexts), np.int64),
        np.zeros(2, np.int64),
    )


def _scratch(fullest, letters, budget):
    return kernel.Scratch(
        np.zeros(3 * fullest * letters),
        np.zeros(3 * fullest),
        np.zeros(2 * budget + SLACK, np.int64),
        np.zeros(budget + SLACK, np.int64),
        np.zeros((fullest, letters)),
        _table(2 * fullest),
        np.zeros(3 * fullest * letters),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
    )


def _profiles(at_a_phone, most, letters, order):
    factors = 2 * letters + 2
    return Profiles(
        _table(at_a_phone),
        np.zeros((most, 5), np.int64),
        np.zeros((most, factors)),
        np.zeros((most, factors)),
        np.zeros(factors),
        np.zeros(order + 1, np.int64),
    )


def _trie(most, letters):
    parent, mark = np.zeros(most, np.int64), np.zeros(most, np.int64)
    row, stepped = np.zeros(most, np.int64), np.zeros(most, np.int64)
    score, gradient = np.zeros((most, letters + 1)), np.zeros((most, letters + 1))
    return Trie(_table(most), parent, mark, row, score, gradient, stepped)
