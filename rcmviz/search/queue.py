"""A queue that gives its highest entry and, where it is bounded, loses its lowest ones."""

import heapq


class Queue:
    """Entries by key, each with a number: ``pop`` the highest key, ``drop`` the lowest; the number breaks ties.

    A bounded queue is two heaps over the same entries; what one heap has given is skipped by the other.
    """

    def __init__(self, bound=None):
        self.bound = bound
        self._high, self._low, self._inside = [], [], set()

    def __len__(self):
        return len(self._inside)

    def push(self, key, number):
        """Add an entry: keys are tuples, and of two equal keys the lower number is the higher entry."""
        self._inside.add(number)
        heapq.heappush(self._high, (*(-part for part in key), number))
        if self.bound is not None:
            heapq.heappush(self._low, (*key, -number))

    def pop(self):
        """Take the highest entry: its number."""
        while True:
            number = heapq.heappop(self._high)[-1]
            if number in self._inside:
                self._inside.remove(number)
                return number

    def remove(self, number):
        """Take an entry out, wherever it stands."""
        self._inside.discard(number)

    def drop(self):
        """Take out the lowest entries until no more than ``bound`` are left: their numbers, the lowest first."""
        dropped = []
        while self.bound is not None and len(self._inside) > self.bound:
            number = -heapq.heappop(self._low)[-1]
            if number in self._inside:
                self._inside.remove(number)
                dropped.append(number)
        return dropped

    def numbers(self):
        """The numbers of all entries, ascending."""
        return sorted(self._inside)
