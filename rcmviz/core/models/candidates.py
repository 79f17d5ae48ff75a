"""A few candidates per position from scores of all labels, and how much mass is cut off with the others.

A classifier of 50,000 labels scores each of them at every position. Nearly all of its mass is on a few; a lattice
of those needs memory for the few and not for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze

FIRST_GUESS = 64  # candidates read if only their mass is given; four times more each time


@dataclass(frozen=True, eq=False)
class Candidates(CopyableMixin):
    """The candidates of each position and what the cut drops, as ``top_candidates`` returns them.

    T positions, V labels, K candidates at the position that has the most.

    Attributes
    ----------
    width : int
        How many labels there are, V.
    choices : ndarray of int, shape (T, K)
        The labels of each position by their numbers, ascending; −1 where a position has fewer.
    log_scores : ndarray of shape (T, K)
        Their scores as they were given, in nats; −inf where a position has fewer.
    dropped : ndarray of shape (T,)
        Share of the mass of each position, the softmax of its scores, that is cut off.
    columns : tuple of str, optional
        Names of the labels, where the table of scores had them.
    """

    width: int
    choices: np.ndarray
    log_scores: np.ndarray
    dropped: np.ndarray
    columns: tuple[str, ...] | None = None

    def __post_init__(self):
        freeze(self)

    def __repr__(self):
        most, worst = self.choices.shape[1], self.dropped.max()
        return (
            f"<Candidates: {self.T:,} positions, up to {most:,} of {self.width:,} labels; {worst:.2g} of a position's "
            f"mass dropped at most, {self.dropped_in_all:.2g} in all>"
        )

    @property
    def T(self) -> int:
        """Number of positions."""
        return len(self.choices)

    @property
    def counts(self) -> np.ndarray:
        """The number of candidates of each position, shape (T,)."""
        return (self.choices >= 0).sum(axis=1)

    @property
    def dropped_in_all(self) -> float:
        """Share of the mass of all outputs that is cut off: of those with a label that is dropped at any position.

        By the given scores alone, 1 − Π (1 − dropped); a model over the labels can move it either way.
        """
        with np.errstate(divide="ignore"):
            return float(-np.expm1(np.log1p(-self.dropped).sum()))

    def named(self, labels: Sequence[str]) -> tuple[list[list[str]], list[np.ndarray]]:
        """The candidates by name and their scores, as ``rv.HMM`` takes them.

        Parameters
        ----------
        labels : sequence of str, length V
            The names of all labels.

        Returns
        -------
        candidates : list of list of str
            The names of the candidates of each position.
        log_obs : list of ndarray
            Their scores in nats.

        Raises
        ------
        ValueError
            There are not as many names as labels.
        """
        labels = self.check_labels(labels)
        rows = [row[row >= 0].tolist() for row in self.choices]
        names = [[labels[y] for y in row] for row in rows]
        return names, [scores[: len(row)] for scores, row in zip(self.log_scores, rows, strict=True)]

    def check_labels(self, labels: Sequence[str]) -> tuple[str, ...]:
        """The names of all labels, if they are as many as the scores had columns and named as those were.

        Parameters
        ----------
        labels : sequence of str, length V
            The names, in the order of the columns.

        Returns
        -------
        tuple of str
            The names.

        Raises
        ------
        ValueError
            They are too few or too many, or a column has another name.
        """
        checks.same_length(labels, "labels", self.width, "columns of the scores", "name each column")
        for y, (name, label) in enumerate(zip(self.columns or labels, labels, strict=True)):
            if name != label:
                raise ValueError(f"labels[{y}] is {label!r}, but this column of the scores is {name!r}; pass .columns")
        return tuple(labels)


def top_candidates(scores: Any, k: int | None = 64, p: float | None = None) -> Candidates:
    """Cut each position down to its most probable labels.

    Parameters
    ----------
    scores : array_like of shape (T, V)
        Log scores of all labels at each position, in nats, −inf for impossible labels: an array of numpy, or whatever
        offers ``__array__`` or DLPack. They need not be normalised. Positions are read one by one, so a file
        that is mapped into memory does well too.
    k : int, optional
        Candidates per position at most, those with the highest scores; ties go to the lower label. None sets no limit.
    p : float, optional
        The fewest candidates whose share of the position's mass, the softmax of its scores, is p or more; never more
        than ``k``.

    Returns
    -------
    Candidates
        The candidates, and the mass that was dropped at each position and in all.

    Raises
    ------
    ValueError
        There is no limit or a wrong one, a score cannot be used, or every label of a position is impossible.

    Notes
    -----
    With p this is the nucleus of Holtzman, Buys, Du, Forbes and Choi (2020).

    Examples
    --------
    >>> import numpy as np
    >>> import rcmviz as rv
    >>> cut = rv.top_candidates(np.log([[0.5, 0.1, 0.3, 0.1], [0.1, 0.7, 0.1, 0.1]]), k=2)
    >>> cut.choices.tolist(), cut.dropped.round(2).tolist(), round(cut.dropped_in_all, 2)
    ([[0, 2], [0, 1]], [0.2, 0.2], 0.36)
    """
    rows = _rows(scores)
    length, width = rows.shape
    if k is None and p is None:
        raise ValueError("top_candidates: say how many candidates a position may have, k=64, or their mass, p=0.999")
    most = width if k is None else min(checks.whole("k", k, 1, wanted="keep 1 candidate or more"), width)
    share = None if p is None else checks.number("p", p, "a share of the mass above 0, at most 1", above=0, most=1)
    precision = np.float32 if rows.dtype == np.float32 else np.float64  # that of the scores: exponentials take half
    line, mass = np.empty(width), np.empty(width, precision)
    found, dropped = [], np.empty(length)
    for i, row in enumerate(rows):
        line[:] = row
        labels, dropped[i] = _cut(i, line, mass, most, share)
        found.append((labels, line[labels]))
    choices = _padded([labels for labels, _ in found], -1, np.int64)
    columns = checks.column_names(scores)
    log_scores = _padded([kept for _, kept in found], -np.inf, np.float64)
    return Candidates(width, choices, log_scores, dropped, None if columns is None else tuple(columns))


def _cut(i, line, mass, most, share):
    """(Labels that stay, ascending; share of the mass of the others) of one position; ``mass (V,)`` is scratch."""
    from rcmviz.kernels.chain.candidates import heaviest  # Numba: the library is imported without it

    top = line.max()
    if not -checks.LARGEST <= top <= checks.LARGEST:  # NaN is neither
        _refuse(i, line)
    np.exp(np.subtract(line, top, out=mass), out=mass)
    total = mass.sum(dtype=np.float64)
    count = most if share is None else min(most, FIRST_GUESS)
    while True:
        labels = np.empty(count, np.int64)
        labels = labels[: heaviest(line, labels)]
        if share is None:
            break
        order = labels[np.argsort(-line[labels], kind="stable")]
        enough = np.searchsorted(np.cumsum(mass[order], dtype=np.float64), share * total)
        if enough < len(order) or len(order) < count or count == most:
            labels = np.sort(order[: enough + 1])
            break
        count = min(most, 4 * count)
    mass[labels] = 0.0
    return labels, mass.sum(dtype=np.float64) / total


def _rows(scores):
    """The scores as they are, (T, V); ValueError where they are not numbers in two dimensions."""
    wanted = "scores: expected log scores (positions, labels), rows of one length"
    rows = checks.array(scores, wanted)
    if rows.dtype.kind not in "fiu" or rows.ndim != 2:
        raise ValueError(f"{wanted}, not {rows.dtype} of shape {rows.shape}")
    if not rows.size:
        raise ValueError(f"{wanted}, not of shape {rows.shape}: at least one position and one label")
    checks.positions(len(rows))
    return rows


def _refuse(i, line):
    if np.isneginf(line).all():
        raise ValueError(f"scores at position {i + 1}: every label is -inf, so none can be a candidate")
    checks.logs(line[None], lambda _, y: f"scores at position {i + 1}, label {y},")


def _padded(rows, filler, dtype):
    table = np.full((len(rows), max(map(len, rows))), filler, dtype)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table
