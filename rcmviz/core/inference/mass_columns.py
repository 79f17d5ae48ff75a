"""Which contexts of a run the picture shows by name, and the order in which a column stacks them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.core.lattices.lattice import Lattice

LAST = 2**62  # behind every rank


@dataclass(frozen=True, eq=False)
class Column:
    """The contexts of column i as the picture stacks them.

    ``lattice`` · ``position`` i · ``shown`` ids of the contexts with a bar of their own, from the top; the root is the
    last · ``place (contexts of the column,)`` number of the bar of each; all that are not shown share one bar.
    """

    lattice: Lattice
    position: int
    shown: np.ndarray
    place: np.ndarray
    rest_place: int
    rest: int

    @property
    def bars(self) -> int:
        """Number of bars, that of all others included."""
        return len(self.shown) + (self.rest > 0)

    @cached_property
    def ids(self) -> list[int]:
        """Id of the context of each bar, −1 for that of all others."""
        ids = self.shown.tolist()
        if self.rest:
            ids.insert(self.rest_place, -1)
        return ids

    def place_of(self, c: int) -> int:
        """The bar of a context of this column, −1 for none."""
        return int(self.place[c - self.lattice.column(self.position).start]) if c >= 0 else -1

    def places_of(self, contexts: np.ndarray) -> np.ndarray:
        """The bars of contexts of this column (any shape), −1 for none."""
        start = self.lattice.column(self.position).start
        return np.where(contexts >= 0, self.place[np.maximum(contexts - start, 0)], -1)


def choose_columns(lattice, steps, wanted, limit):
    """The columns 0 … T−1 as the picture shows them.

    ``steps`` the proposals of the positions 1 … T · ``wanted`` per column ids to show whatever they weigh · ``limit``
    contexts per column, about: the heaviest, and what those of the next column extend, so that a name can be read off
    from column to column.
    """
    columns, extended = [None] * lattice.T, set()
    for i in range(lattice.T - 1, -1, -1):
        ids = lattice.column(i)
        mass, rank = _mass_and_rank(lattice, steps, i)
        shown = set(wanted[i]) | extended | _roots(lattice, i)
        for c in _heaviest_indices(mass, limit):
            if len(shown) >= limit:
                break
            shown.add(int(c) + ids.start)
        if len(shown) == len(mass) - 1:  # one alone needs no bar of others
            shown = set(range(ids.start, ids.stop))
        columns[i] = _stack_bars(lattice, i, shown, rank, mass)
        extended = {int(lattice.origin[c]) for c in shown} - {-1}
    return columns


def _roots(lattice, i):
    ids = lattice.column(i)
    return set((np.flatnonzero(lattice.length[ids] == 0) + ids.start).tolist())


def _mass_and_rank(lattice, steps, i):
    """Of the contexts of column i: their share of what was proposed, and the rank of their own candidate."""
    ids = lattice.column(i)
    count = ids.stop - ids.start
    if not i:
        return np.ones(1), np.full(1, LAST)
    found = steps[i - 1]
    reached = found.into >= 0
    mass = np.bincount(found.into[reached] - ids.start, found.share[reached], minlength=count)
    rank = np.full(count, LAST)
    own = found.kept & reached
    rank[found.into[own] - ids.start] = found.rank[own]
    return mass, rank


def _heaviest_indices(mass, limit):
    chosen = np.argpartition(-mass, limit)[:limit] if len(mass) > limit else np.arange(len(mass))
    return chosen[np.lexsort((chosen, -mass[chosen]))]


def _stack_bars(lattice, i, shown, rank, mass):
    ids = lattice.column(i)
    root = lattice.length[ids] == 0
    chosen = np.array(sorted(shown), dtype=np.int64) - ids.start
    order = chosen[np.lexsort((chosen, -mass[chosen], rank[chosen], root[chosen] if i else chosen * 0))]
    rest = len(mass) - len(order)
    rest_place = len(order) - int(bool(i) and len(order) and root[order[-1]])
    place = np.full(len(mass), rest_place)
    place[order] = np.arange(len(order))
    if rest:
        place[order[rest_place:]] += 1
    return Column(lattice, i, order + ids.start, place, rest_place, rest)
