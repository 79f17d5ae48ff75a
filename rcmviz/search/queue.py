"""Queues that give their highest entry, one without a bound and one that loses its lowest entries.

An entry is a number with a total and a depth. The highest is one that was pinned, then that with the highest total,
then the deepest, then that with the lowest number. Entries come in families, the extensions of one hypothesis.
"""

import heapq

import numpy as np


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
            self._families.append((numbers[order], totals[order], depth, pinned))
            self._size += len(order)
            self._push(len(self._families) - 1, 0)

    def _push(self, family, rank):
        numbers, totals, depth, pinned = self._families[family]
        heapq.heappush(self._heap, (not pinned, -float(totals[rank]), -depth, int(numbers[rank]), family, rank))

    def pop(self):
        """Take the highest entry: its number."""
        *_, number, family, rank = heapq.heappop(self._heap)
        self._size -= 1
        if rank + 1 < len(self._families[family][0]):
            self._push(family, rank + 1)
        else:
            self._families[family] = None
        return number

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
