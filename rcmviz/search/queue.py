"""Queues that give their highest entry, one without a bound and one that loses its lowest entries.

An entry is a number with a total and a depth. The highest is one that was pinned, then that with the highest total,
then the deepest, then that with the lowest number. Entries come in families, the extensions of one hypothesis.
"""

import heapq
from typing import NamedTuple

import numpy as np


class Family(NamedTuple):
    """Entries that were added together, the highest first."""

    numbers: np.ndarray
    totals: np.ndarray
    depth: int
    pinned: bool


class _Waiting(NamedTuple):
    """The highest entry of a family that still waits; the lowest such tuple is the highest entry of all."""

    is_not_pinned: bool
    minus_total: float
    minus_depth: int
    number: int
    family: int
    rank: int


class Unbounded:
    """A heap of families: only the highest entry of each that still waits is in it."""

    def __init__(self):
        self._heap, self._families, self._size = [], [], 0

    def __len__(self):
        return self._size

    def add(self, numbers, totals, depth, pinned=False):
        """Add a family: ``numbers`` ascending, with their ``totals``."""
        if len(numbers):
            order = np.argsort(-totals, kind="stable")
            self._families.append(Family(numbers[order], totals[order], depth, pinned))
            self._size += len(order)
            self._push(len(self._families) - 1, 0)

    def _push(self, family, rank):
        it = self._families[family]
        total, number = float(it.totals[rank]), int(it.numbers[rank])
        heapq.heappush(self._heap, _Waiting(not it.pinned, -total, -it.depth, number, family, rank))

    def pop(self):
        """Take the highest entry: its number."""
        highest = heapq.heappop(self._heap)
        self._size -= 1
        if highest.rank + 1 < len(self._families[highest.family].numbers):
            self._push(highest.family, highest.rank + 1)
        else:
            self._families[highest.family] = None
        return highest.number

    def drop(self):
        """Nothing is ever too much."""
        return np.zeros(0, np.int64)


class Bounded:
    """Sorted columns of at most ``bound`` entries, once ``drop`` has been called."""

    def __init__(self, bound):
        self.bound = bound
        self._columns = [np.zeros(0, bool), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)]

    def __len__(self):
        return len(self._columns[0])

    def add(self, numbers, totals, depth, pinned=False):
        """Add a family: ``numbers`` ascending, with their ``totals``."""
        new = np.full(len(numbers), not pinned), -totals, np.full(len(numbers), -depth), numbers
        columns = [np.concatenate(pair) for pair in zip(self._columns, new, strict=True)]
        order = np.lexsort(columns[::-1])
        self._columns = [column[order] for column in columns]

    def pop(self):
        """Take the highest entry: its number."""
        number = int(self._columns[-1][0])
        self._columns = [column[1:] for column in self._columns]
        return number

    def drop(self):
        """Take out the lowest entries until no more than ``bound`` are left: their numbers, the lowest first."""
        dropped = self._columns[-1][self.bound :][::-1]
        self._columns = [column[: self.bound] for column in self._columns]
        return dropped
