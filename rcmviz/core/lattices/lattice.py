"""The lattice: per position a set of suffix contexts, a total transition, and one log score per arc.

Letters: T positions, Y labels, C contexts. Absent link −1, log zero −inf, natural logs, ranges ``[start, stop)``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

import numpy as np

from rcmviz.core.lattices import printed
from rcmviz.core.lattices.fitting import check_lattice
from rcmviz.core.lattices.fst_text import fst_text, symbol_table
from rcmviz.core.lattices.table_text import to_text
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze


@dataclass(frozen=True, eq=False)
class Lattice(CopyableMixin):
    """Contexts in columns 0 … T with their arcs and scores, as every builder returns them.

    T positions, Y labels, C contexts. The arrays are read-only.

    Parameters
    ----------
    labels : tuple of str
        The names of the labels.
    offset : ndarray of int, shape (T+2,)
        Column i holds the contexts ``offset[i]`` … ``offset[i+1] − 1``.
    length : ndarray of int, shape (C,)
        How many labels each context remembers.
    label : ndarray of int, shape (C,)
        Index of the last label that it remembers, −1 for none.
    origin : ndarray of int, shape (C,)
        The context of the column before that it extends, −1 for none.
    parent : ndarray of int, shape (C,)
        Its least proper ancestor: the longest proper suffix in its column, −1 for none.
    row : ndarray of int, shape (C,)
        The model's row that scores it, −1 where no windows do.
    target : ndarray of int, shape (C, Y)
        The context of the next column that each label leads to, −1 where the arc is dropped.
    score : ndarray of shape (C, Y)
        Log scores of the arcs in nats.
    choices : ndarray of int, shape (T, Y), optional
        If candidates differ by position: index y at position i + 1 represents ``labels[choices[i, y]]``,
        −1 pads. None if it represents ``labels[y]``.

    Notes
    -----
    A context is a suffix of the labels so far; the transition goes to the longest suffix in the next column, the
    smallest set that contains the extended context (Steinhardt and Liang, 2015, §3). ``docs/data.md`` describes
    the columns with an example.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 2)
    >>> lattice.T, lattice.C, [lattice.name(c) for c in range(lattice.C)]
    (2, 4, ['*', 'a', 'b', '*'])
    """

    labels: tuple[str, ...]
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
        check_lattice(self)
        freeze(self)

    def __repr__(self):
        return f"<{printed.about_lattice(self)}>"

    def __str__(self):
        return printed.tree_text(self)

    def _repr_html_(self):
        return printed.tree_html(self)

    @property
    def T(self) -> int:
        """Number of positions."""
        return len(self.offset) - 2

    @property
    def C(self) -> int:
        """Number of contexts, the start and the end included."""
        return len(self.length)

    @property
    def width(self) -> int:
        """Number of label indices of a position, Y."""
        return len(self.labels) if self.choices is None else self.choices.shape[-1]

    def column(self, i: int) -> slice:
        """Contexts after i labels.

        Parameters
        ----------
        i : int
            The column, 0 … T.

        Returns
        -------
        slice
            Their ids.
        """
        if not 0 <= checks.index("i", i) <= self.T:
            raise ValueError(f"column {i}: the lattice has the columns 0 to {self.T}")
        return slice(int(self.offset[i]), int(self.offset[i + 1]))

    def column_of(self, c: int) -> int:
        """Column of a context.

        Parameters
        ----------
        c : int
            Id of the context.

        Returns
        -------
        int
            The number of labels written before it.
        """
        return int(np.searchsorted(self.offset, self._context_id(c), side="right")) - 1

    def _context_id(self, c):
        """The id of a context that there is."""
        if not 0 <= checks.index("c", c) < self.C:
            raise ValueError(f"context {c}: the lattice has the contexts 0 to {self.C - 1:,}")
        return c

    @property
    def label_numbers(self) -> np.ndarray:
        """Number of the label that each index represents at each position, shape (T, Y); −1 for none."""
        if self.choices is not None:
            return self.choices
        numbers = np.tile(np.arange(len(self.labels)), (self.T, 1))
        numbers.setflags(write=False)
        return numbers

    def label_of(self, i: int, y: int) -> int:
        """Number of the label that an index represents.

        Parameters
        ----------
        i : int
            Number of labels before it, 0 … T−1.
        y : int
            Index of the label at that position.

        Returns
        -------
        int
            Its place in ``labels``, −1 where the index is padding.
        """
        if not (0 <= checks.index("i", i) < self.T and 0 <= checks.index("y", y) < self.width):
            raise ValueError(f"index {y} after {i} labels: there are 0 to {self.width - 1} after 0 to {self.T - 1}")
        return int(y if self.choices is None else self.choices[i, y])

    def name_of(self, i: int, y: int) -> str:
        """Name of the label that an index represents.

        Parameters
        ----------
        i : int
            Number of labels before it, 0 … T−1.
        y : int
            Index of the label at that position.

        Returns
        -------
        str
            The name, empty where the index is padding.
        """
        number = self.label_of(i, y)
        return self.labels[number] if number >= 0 else ""

    def indices_of(self, labels: Iterable[str]) -> list[int]:
        """Indices of labels given by name.

        Parameters
        ----------
        labels : iterable of str
            One name per position, from the first position on.

        Returns
        -------
        list of int
            Their indices, −1 where a position does not offer the label.

        Raises
        ------
        ValueError
            A name is no label at all, or there are more names than positions.

        Examples
        --------
        >>> import rcmviz as rv
        >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 3)
        >>> lattice.indices_of("bab")
        [1, 0, 1]
        """
        labels = checks.texts("labels", labels)
        if len(labels) > self.T:
            raise ValueError(f"{len(labels)} labels for {self.T} positions")
        unknown = [label for label in labels if label not in self.labels]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not one of the labels")
        offered = offered_indices(self.labels, self.choices, self.T)
        return [index.get(label, -1) for index, label in zip(offered, labels, strict=False)]

    def indices(self, c: int) -> tuple[int, ...]:
        """Labels that a context remembers, as indices.

        Parameters
        ----------
        c : int
            Id of the context.

        Returns
        -------
        tuple of int
            Indices of their positions, the oldest first.
        """
        found = []
        for _ in range(self.length[self._context_id(c)]):
            found.append(int(self.label[c]))
            c = self.origin[c]
        return tuple(reversed(found))

    def context(self, c: int) -> tuple[str, ...]:
        """Labels that a context remembers, as names.

        Parameters
        ----------
        c : int
            Id of the context.

        Returns
        -------
        tuple of str
            Their names, the oldest first; empty for the root.
        """
        known = self.indices(c)
        if self.choices is None:
            return tuple(self.labels[y] for y in known)
        first = self.column_of(c) - len(known)
        return tuple(self.name_of(i, y) for i, y in enumerate(known, start=first))

    def name(self, c: int) -> str:
        """Name of a context as people write it.

        Parameters
        ----------
        c : int
            Id of the context.

        Returns
        -------
        str
            A star for forgotten labels, then the labels that are remembered, such as ``*ol``; a complete history has
            no star, the root is ``*``.

        Examples
        --------
        >>> import rcmviz as rv
        >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
        >>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
        >>> [lattice.name(c) for c in range(lattice.C)]
        ['*', '*', 'a', 'b', '*', 'aa', 'ab', '*']
        """
        complete = self.length[self._context_id(c)] and self.length[c] == self.column_of(c)
        return ("" if complete else "*") + spell(self.context(c))

    def find(self, i: int, name: str) -> int:
        """Context of a column by its name.

        Parameters
        ----------
        i : int
            The column, 0 … T.
        name : str
            The name as ``name`` writes it, such as ``*ol``.

        Returns
        -------
        int
            Its id.

        Raises
        ------
        ValueError
            The column has no context of that name.

        Examples
        --------
        >>> import rcmviz as rv
        >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
        >>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
        >>> lattice.find(2, "ab")
        6
        """
        checks.text("name", name)
        for c in range(*self.column(i).indices(self.C)):
            if self.name(c) == name:
                return c
        raise ValueError(f"column {i} has no context {name!r}")

    def ancestors(self, c: int) -> list[int]:
        """Chain of least ancestors of a context.

        Parameters
        ----------
        c : int
            Id of the context.

        Returns
        -------
        list of int
            Its least ancestor, the least ancestor of that, and so on to the root.
        """
        chain = []
        while self.parent[self._context_id(c)] >= 0:
            c = int(self.parent[c])
            chain.append(c)
        return chain

    def to_json(self, path: str | PathLike | None = None) -> str:
        """The lattice as versioned JSON, described in ``docs/data.md``.

        Parameters
        ----------
        path : str or path, optional
            File to write the text to.

        Returns
        -------
        str
            The text, which ``read_lattice`` reads.
        """
        return to_text(path, self)

    def to_fst_text(self, convention: str = "openfst") -> str:
        """The lattice as an acceptor of finite-state tools: contexts are states, arcs carry label numbers.

        Parameters
        ----------
        convention : {"openfst", "k2"}
            OpenFst's text (``fstcompile``, pynini, kaldifst), whose weights are costs, −score; or k2's, with scores.

        Returns
        -------
        str
            One line per arc that is possible, then the final state. Label y of ``labels`` has the number y + 1, which
            ``to_symbols`` names.

        Raises
        ------
        ValueError
            There is no such convention, or no label can begin a path.

        Examples
        --------
        >>> import rcmviz as rv
        >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0}), [[0.5, -0.5]])
        >>> print(lattice.to_fst_text("k2"), end="")
        0 1 1 0.5
        0 1 2 -0.5
        1 2 -1 0.0
        2
        """
        return fst_text(self, convention)

    def to_symbols(self) -> str:
        """The symbol table of ``to_fst_text``.

        Returns
        -------
        str
            One line per label, its name and its number; 0 is ``<eps>``.

        Raises
        ------
        ValueError
            A label is empty, has blanks or is ``<eps>``.

        Examples
        --------
        >>> import rcmviz as rv
        >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.5, -0.5]])
        >>> lattice.to_symbols().split()
        ['<eps>', '0', 'a', '1', 'b', '2']
        """
        return symbol_table(self.labels)


def offered_indices(labels, choices, length):
    """Per position a dict from the names that it offers to their indices; the same for all without ``choices``."""
    if choices is None:
        return [{label: y for y, label in enumerate(labels)}] * length
    return [{labels[k]: y for y, k in enumerate(row) if k >= 0} for row in choices.tolist()]


def spell(labels):
    """Labels as text: run together where all are single characters, else with spaces."""
    return ("" if all(len(label) == 1 for label in labels) else " ").join(labels)
