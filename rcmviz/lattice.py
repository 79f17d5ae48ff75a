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
    ``row`` of the model (−1 where no windows score it) · ``target (C, Y)`` context of the next column, −1 dropped ·
    ``score (C, Y)`` log of the arc · ``choices (T, Y)`` where positions have candidates of their own: index y at
    position i + 1 writes ``labels[choices[i, y]]``, −1 pads; None where it writes ``labels[y]``.
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
    choices: np.ndarray | None = None

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

    @property
    def width(self):
        """How many indices a position has, Y: the width of ``target`` and ``score``."""
        return len(self.labels) if self.choices is None else self.choices.shape[-1]

    def column(self, i):
        """The contexts after i labels, i = 0 … T, as a slice of ids."""
        return slice(int(self.offset[i]), int(self.offset[i + 1]))

    def column_of(self, c):
        """The column that context c stands in."""
        return int(np.searchsorted(self.offset, c, side="right")) - 1

    @property
    def label_numbers(self):
        """Which of ``labels`` each index writes after 0 … T−1 labels, shape (T, Y), −1 none."""
        if self.choices is not None:
            return self.choices
        numbers = np.tile(np.arange(len(self.labels)), (self.T, 1))
        numbers.setflags(write=False)
        return numbers

    def label_of(self, i, y):
        """Which of ``labels`` index y writes after i labels, i = 0 … T−1; −1 where it is padding."""
        return int(y if self.choices is None else self.choices[i, y])

    def name_of(self, i, y):
        """The name of what index y writes after i labels, i = 0 … T−1; empty where it is padding."""
        number = self.label_of(i, y)
        return self.labels[number] if number >= 0 else ""

    def indices_of(self, labels):
        """The index of each of the labels, one per position from the first on; −1 where a position does not offer it.

        ValueError for a name that is no label at all, or more labels than positions.

        >>> import rcmviz as rv
        >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
        >>> lattice.indices_of("bab")
        [1, 0, 1]
        """
        labels = tuple(labels)
        if len(labels) > self.T:
            raise ValueError(f"{len(labels)} labels for {self.T} positions")
        unknown = [label for label in labels if label not in self.labels]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not one of the labels")
        offered = offered_indices(self.labels, self.choices, self.T)
        return [index.get(label, -1) for index, label in zip(offered, labels, strict=False)]

    def indices(self, c):
        """The labels that context c remembers, oldest first, as indices of their positions."""
        found = []
        for _ in range(self.length[c]):
            found.append(int(self.label[c]))
            c = self.origin[c]
        return tuple(reversed(found))

    def context(self, c):
        """The labels that context c remembers, oldest first, as names; the root is ``()``."""
        known = self.indices(c)
        if self.choices is None:
            return tuple(self.labels[y] for y in known)
        first = self.column_of(c) - len(known)
        return tuple(self.name_of(i, y) for i, y in enumerate(known, start=first))

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


def offered_indices(labels, choices, length):
    """Per position a dict from the names that it offers to their indices; the same for all without ``choices``."""
    if choices is None:
        return [{label: y for y, label in enumerate(labels)}] * length
    return [{labels[k]: y for y, k in enumerate(row) if k >= 0} for row in choices.tolist()]


def spell(labels):
    """Labels as text: run together where all are single characters, else with spaces."""
    return ("" if all(len(label) == 1 for label in labels) else " ").join(labels)
