"""What an example is aligned in: arrays that are reused and grow when one is too long for them."""

import numpy as np

from rcmviz.core import checks
from rcmviz.kernels.align import cells as kernel
from rcmviz.kernels.align import features
from rcmviz.kernels.align import grid as sums
from rcmviz.kernels.chain.contexts import SLACK

STRATEGIES = ("rcms", "model", "target", "hybrid", "forced")
BEAMS = {"model": kernel.BY_MODEL, "target": kernel.BY_TARGET, "hybrid": kernel.BY_BOTH}
MOST_BUDGET = 10_000
FIRST_CONTEXTS, MOST_CONTEXTS = 4_000, 2_000_000  # with 26 letters 2 kB each
NO_GOLD = np.zeros(0, np.int64)
NO_GOLD.setflags(write=False)  # as the numbers of all examples are: else the kernels are compiled twice


def rule_of(strategy, budget):
    """``rule`` of the kernels: contexts per cell, whether the rest is merged, by what the heaviest are chosen.

    ValueError for a strategy that there is none of.
    """
    checks.choice("strategy", strategy, STRATEGIES)
    return budget, int(strategy not in BEAMS), BEAMS.get(strategy, kernel.BY_MODEL)


def shape_of(model, memory, joined):
    """``shape`` of the kernels."""
    limits = model.limits
    return (
        len(model.letters), model.order, memory, limits.letters_per_phone, limits.phones_per_letter,
        int(model.additive), int(joined),
    )  # fmt: skip


class Workspace:
    """Room for one example at a time, for a model's ``shape``, a ``budget`` and so many ``passes``.

    ``spaces`` are the kernels' ``(clock, arrays, arrays of another pass, room, paper, book)``; ``grow`` doubles what
    depends on the length. ValueError for a budget that memory does not hold.
    """

    def __init__(self, shape, budget, passes=1):
        if budget > MOST_BUDGET:
            raise ValueError(f"budget {budget:,}: at most {MOST_BUDGET:,} contexts per cell")
        self.shape, self.budget, self.passes, self.contexts = shape, budget, passes, FIRST_CONTEXTS
        self.clock = np.zeros(6, np.int64)
        self._make(cells=1)

    def grow(self):
        """Room for twice as many contexts, and twice the features; ValueError at the limit."""
        if 2 * self.contexts > MOST_CONTEXTS:
            raise ValueError(
                f"more than {self.contexts:,} contexts for one example: shorten it, or lower the budget ({self.budget})"
            )
        self.contexts *= 2
        self._make(len(self.spaces[1][0]))

    def fit(self, cells):
        """Room for so many cells."""
        if cells > len(self.spaces[1][0]):
            self._make(cells)

    def _make(self, cells):
        letters, order = self.shape[features.LETTERS], self.shape[features.ORDER]
        modes = self.shape[features.LETTERS_PER_PHONE] + self.shape[features.PHONES_PER_LETTER]
        fullest = 2 * self.budget + modes
        self.contexts = max(self.contexts, 4 * fullest)
        contexts = self.contexts
        nodes = max(2 * contexts, 8 * fullest * (order + 1))
        self.spaces = (
            self.clock,
            _lattice_arrays(cells, contexts, modes),
            _lattice_arrays(cells, contexts, modes) if self.passes > 1 else _lattice_arrays(1, 1, modes),
            _room(fullest, letters, self.budget),
            (
                _table(contexts), np.zeros((contexts, 5), np.int64), np.zeros((contexts, 2 * letters + 2)),
                np.zeros((contexts, 2 * letters + 2)), np.zeros(2 * letters + 2), np.zeros(order + 1, np.int64),
            ),
            (
                _table(nodes), *(np.zeros(nodes, np.int64) for _ in range(3)), np.zeros((nodes, letters + 1)),
                np.zeros((nodes, letters + 1)),
            ),
        )  # fmt: skip
        self.clock[: features.GROUPING + 1] = 0  # the new tables hold nothing, with the stamp 0

    def forward(self, example, most, rule, weights):
        """Choose contexts for ``example = (x, gold, doors)``: (log Z, log mass of the gold, the kernels' lattice).

        ValueError where a score is beyond what numbers hold.
        """
        self.fit((len(example[0]) + 1) * (most + 1))
        ended = sums.SHORT
        while ended == sums.SHORT:
            clock, arrays, others, room, paper, book = self.spaces
            lattices = (*arrays, most + 1), (*others, most + 1)
            ended, log_z, gold_z, now = sums.passes(
                example, self.shape, rule, self.passes, clock, lattices, room, paper, book, weights
            )
            if ended == sums.SHORT:
                self.grow()
        if ended == sums.FAR:
            raise ValueError("a score is beyond e^±200: the weights have grown too large; train with a lower eta")
        return log_z, gold_z, lattices[now]


def _table(entries):
    return np.zeros((1 << (2 * entries - 1).bit_length(), 3), np.int64)


def _lattice_arrays(cells, contexts, modes):
    return (
        np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.zeros((4, cells)), np.zeros((cells, modes), np.int64),
        np.zeros((cells, 4), np.int64), np.zeros((kernel.FIELDS, contexts), np.int64), np.zeros((4, contexts)),
        np.zeros((kernel.G_FIELDS, 3 * contexts), np.int64), np.zeros(2, np.int64),
    )  # fmt: skip


def _room(fullest, letters, budget):
    return (
        np.zeros(3 * fullest * letters), np.zeros(3 * fullest), np.zeros(2 * budget + SLACK, np.int64),
        np.zeros(budget + SLACK, np.int64), np.zeros((fullest, letters)), _table(2 * fullest),
        np.zeros(3 * fullest * letters),
    )  # fmt: skip
