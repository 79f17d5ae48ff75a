"""The lattice: per position a set of suffix contexts, a total transition, and one log score per arc.

Letters: T positions, Y labels, C contexts. Absent link −1, log zero −inf, natural logs, ranges ``[start, stop)``.
"""

from dataclasses import dataclass, fields

import numpy as np


def freeze(table):
    """Make every array of a frozen dataclass read-only."""
    for entry in fields(table):
        value = getattr(table, entry.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Lattice:
    """Contexts in columns 0 … T; everything asked of a model is asked of this table (docs/data-model.md).

    ``labels`` names (Y,) · ``offset (T+2,)`` columns · per context (C,): ``length`` labels remembered, ``label``
    the last of them, ``origin`` the context that it extends, ``parent`` its least proper ancestor in its column,
    ``row`` of the model · ``target (C, Y)`` context of the next column, −1 dropped · ``score (C, Y)`` log of the arc.
    """

    labels: tuple
    offset: np.ndarray
    length: np.ndarray
    label: np.ndarray
    origin: np.ndarray
    parent: np.ndarray
    row: np.ndarray
    target: np.ndarray
    score: np.ndarray

    def __post_init__(self):
        freeze(self)

    @property
    def T(self):
        """Number of positions."""
        return len(self.offset) - 2

    @property
    def C(self):
        """Number of contexts, the start and the end included."""
        return len(self.length)

    def column(self, i):
        """The contexts after i labels, i = 0 … T, as a slice of ids."""
        return slice(int(self.offset[i]), int(self.offset[i + 1]))

    def column_of(self, c):
        """The column that context c stands in."""
        return int(np.searchsorted(self.offset, c, side="right")) - 1

    def indices(self, c):
        """The labels that context c remembers, oldest first, as indices."""
        found = []
        for _ in range(self.length[c]):
            found.append(int(self.label[c]))
            c = self.origin[c]
        return tuple(reversed(found))

    def context(self, c):
        """The labels that context c remembers, oldest first, as names; the root is ``()``."""
        return tuple(self.labels[y] for y in self.indices(c))

    def name(self, c):
        """How people write context c: ``*ol``; a complete history has no star, the root is ``*``.

        >>> import rcmviz as rv
        >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
        >>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
        >>> [lattice.name(c) for c in range(lattice.C)]
        ['*', '*', 'a', 'b', '*', 'aa', 'ab', '*']
        """
        complete = self.length[c] and self.length[c] == self.column_of(c)
        return ("" if complete else "*") + spell(self.context(c))

    def ancestors(self, c):
        """Least ancestor, its least ancestor, …, ending at the root."""
        chain = []
        while self.parent[c] >= 0:
            c = int(self.parent[c])
            chain.append(c)
        return chain

    def to_json(self, path=None):
        """Write the lattice as versioned JSON; returns the text (docs/data-model.md)."""
        from rcmviz.store import lattice_to_json

        return lattice_to_json(self, path)


def spell(labels):
    """Labels as text: run together where all are single characters, else with spaces."""
    return ("" if all(len(label) == 1 for label in labels) else " ").join(labels)
