"""Labelled sequences with sparse features: what a trainer learns from and a classifier decodes.

W sequences, N positions in all, F features, Y labels. Every position has a run of (feature, value) pairs, so pixels and
a hundred thousand indicator features are the same thing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze

UNKNOWN = -1  # the gold label of an unlabelled position


@dataclass(frozen=True, eq=False)
class Sequences(CopyableMixin):
    """Labelled sequences with sparse features, in flat read-only arrays.

    W sequences, N positions in all, K entries. Build them with ``from_arrays`` or ``from_entries``.

    Parameters
    ----------
    labels : tuple of str, length Y
        Names of the labels.
    F : int
        Number of features.
    offset : ndarray of int, shape (W+1,)
        Sequence w has the positions ``offset[w]`` … ``offset[w+1] − 1``.
    start : ndarray of int, shape (N+1,)
        Position i has the entries ``start[i]`` … ``start[i+1] − 1``.
    feature : ndarray of int32, shape (K,)
        Feature number of each entry.
    value : ndarray of shape (K,)
        Value of each entry; one number in memory, repeated by ``np.broadcast_to``, where all are indicators.
    gold : ndarray of int, shape (N,)
        Gold label numbers, −1 where unknown.
    names : tuple of str, optional
        Names of the features.

    Examples
    --------
    >>> import rcmviz as rv
    >>> data = rv.Sequences.from_arrays([[[1, 0], [0, 2.5]]], ["ab"], "ab")
    >>> len(data), data.positions, data.F
    (1, 2, 2)
    """

    labels: tuple[str, ...]
    F: int
    offset: np.ndarray
    start: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    gold: np.ndarray
    names: tuple[str, ...] | None = None

    def __post_init__(self):
        _check_tables(self)
        freeze(self)

    def __repr__(self):
        return (
            f"<Sequences: {len(self):,} sequences, {self.positions:,} positions, {self.F:,} features, "
            f"{len(self.labels):,} labels>"
        )

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def positions(self) -> int:
        """Number of positions of all sequences, N."""
        return len(self.gold)

    @classmethod
    def from_arrays(
        cls,
        features: Sequence[ArrayLike],
        gold: Sequence[Sequence[str]] | None,
        labels: Iterable[str],
        names: Iterable[str] | None = None,
    ) -> Self:
        """Make sequences of dense feature arrays.

        Parameters
        ----------
        features : sequence of array_like of shape (T, F)
            One array per sequence, a row of numbers per position.
        gold : sequence of sequence of str, or None
            The labels of each sequence; None where they are not known.
        labels : iterable of str
            Names of the labels.
        names : iterable of str, optional
            Names of the features.

        Returns
        -------
        Sequences
            The sequences.

        Raises
        ------
        ValueError
            A sequence is empty, has another length or number of features, a value that is not finite or an unknown
            label; the message names it.

        Examples
        --------
        >>> data = Sequences.from_arrays([[[1, 0], [0, 2.5]]], ["ab"], "ab")
        >>> len(data), data.positions, data.feature.tolist(), data.value.tolist(), data.gold.tolist()
        (1, 2, [0, 1], [1.0, 2.5], [0, 1])
        """
        rows = _check_rows(features)
        found = _entries(rows)
        lengths = [len(array) for array in rows]
        return cls.from_entries(found.start, found.feature, found.value, lengths, gold, labels, found.F, names)

    @classmethod
    def from_entries(
        cls,
        start: ArrayLike,
        feature: ArrayLike,
        value: ArrayLike,
        lengths: ArrayLike,
        gold: Sequence[Sequence[str]] | None,
        labels: Iterable[str],
        F: int,
        names: Iterable[str] | None = None,
    ) -> Self:
        """Make sequences of the rows of a sparse matrix, such as scipy's ``indptr, indices, data``.

        Parameters
        ----------
        start : array_like of int, shape (N+1,)
            Where the entries of each position begin.
        feature : array_like of int, shape (K,)
            Feature number of each entry.
        value : array_like of shape (K,)
            Value of each entry.
        lengths : array_like of int, shape (W,)
            Number of positions of each sequence.
        gold : sequence of sequence of str, or None
            The labels of each sequence; None where they are not known.
        labels : iterable of str
            Names of the labels.
        F : int
            Number of features.
        names : iterable of str, optional
            Names of the features.

        Returns
        -------
        Sequences
            The sequences.

        Raises
        ------
        ValueError
            The parts do not fit together, or a sequence cannot be used as in ``from_arrays``.
        """
        labels, F = checks.texts("labels", labels), checks.whole("F", F, 0)
        value = np.ascontiguousarray(checks.floats(value, "value: give one number for each entry"))
        start = checks.offsets("start", start, len(value))
        lengths = _check_lengths(lengths, len(start) - 1)
        offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        features = _check_features(offset, start, feature, value, F)
        numbers = _gold_numbers(gold, lengths, labels)
        return cls(labels, F, offset, start, features, value, numbers, _check_names(names, F))

    def take(self, which: ArrayLike) -> "Sequences":
        """Select sequences by number.

        Parameters
        ----------
        which : array_like of int
            Numbers from 0 on; the result has them in this order. Masks are refused.

        Returns
        -------
        Sequences
            The selected sequences.

        Raises
        ------
        ValueError
            A number is that of no sequence.
        """
        checks.floats(which, "take: give a list of numbers")
        which = np.asarray(which)
        which = which if which.size else which.astype(np.int64)  # numpy takes [] for floats
        if which.ndim != 1 or which.dtype.kind not in "iu" or np.any((which < 0) | (which >= len(self))):
            raise ValueError(f"take a list of numbers from 0 to {len(self) - 1:,}, each that of a sequence")
        positions = _runs(self.offset, which)
        entries = _runs(self.start, positions)
        counts = np.diff(self.start)[positions]
        return Sequences(
            self.labels,
            self.F,
            np.concatenate([[0], np.cumsum(np.diff(self.offset)[which])]),
            np.concatenate([[0], np.cumsum(counts)]),
            self.feature[entries],
            _values_of(self.value, entries),
            self.gold[positions],
            self.names,
        )

    @property
    def amounts(self) -> np.ndarray:
        """``value`` as the kernels take it: a single number if it is the same for all entries."""
        return self.value[:1] if self.value.strides == (0,) else self.value

    def golds(self) -> list[np.ndarray]:
        """Gold label numbers by sequence.

        Returns
        -------
        list of ndarray of int, shape (T,)
            One array per sequence, −1 where a label is unknown.
        """
        return np.split(self.gold, self.offset[1:-1])

    def log_emits(self, emission: ArrayLike) -> list[np.ndarray]:
        """Log emissions by sequence.

        Parameters
        ----------
        emission : array_like of shape (F+1, Y)
            Weights of the features by label in nats, the bias last.

        Returns
        -------
        list of ndarray of shape (T, Y)
            One array per sequence, in nats.

        Raises
        ------
        ValueError
            The weights are of another number of features or labels, or not finite.
        """
        return np.split(self.stacked_log_emits(emission), self.offset[1:-1])

    def stacked_log_emits(self, emission: ArrayLike) -> np.ndarray:
        """Log emissions of all sequences, one after the other.

        Parameters
        ----------
        emission : array_like of shape (F+1, Y)
            Weights of the features by label in nats, the bias last.

        Returns
        -------
        ndarray of shape (N, Y)
            A row per position, in nats.

        Raises
        ------
        ValueError
            The weights are of another number of features or labels, or not finite.
        """
        wanted = "emission: give a row of weights per feature, and one of the bias"
        is_ready = isinstance(emission, np.ndarray) and emission.dtype in (np.float32, np.float64)
        table: np.ndarray = np.asarray(emission) if is_ready else checks.floats(emission, wanted)
        if table.shape != (self.F + 1, len(self.labels)):
            raise ValueError(
                f"emission weights of shape {table.shape}: {self.F} features and {len(self.labels)} labels need "
                f"({self.F + 1}, {len(self.labels)})"
            )
        from rcmviz.kernels.learn.feature_sums import add_features  # Numba: a table is made without it

        logs = np.empty((self.positions, len(self.labels)))
        add_features(self.start, self.feature, self.amounts, np.ascontiguousarray(table), logs)
        if not np.isfinite(logs).all():  # of a large model only the rows that are used are looked at
            raise ValueError("emission: weights, or what they add up to, are not finite")
        return logs


def check_sequences(name, value):
    """The value, if it is a ``Sequences``; ValueError else."""
    return checks.instance(name, value, Sequences, "rcmviz.Sequences")


def _check_tables(data):
    """Give sequences their tables as the kernels take them, which check no bounds; ValueError where they do not fit."""
    labels = checks.texts("labels", data.labels)
    gold = checks.array(data.gold, "gold: give the number of a label for each position")
    F, count = checks.whole("F", data.F, 0, 2**31), gold.size
    offset = checks.offsets("offset", data.offset, count)
    value = checks.floats(data.value, "value: give a number per entry")
    start = checks.offsets("start", data.start, value.size)
    if len(start) != count + 1 or value.ndim != 1 or not np.isfinite(value).all():
        raise ValueError(
            f"{count:,} gold labels need {count + 1:,} places in start, and finite values: they do not fit"
        )
    feature = checks.integers("feature", data.feature, 0, max(F, 1), np.int32)
    if len(feature) != len(value):
        raise ValueError(f"{len(feature):,} features for {len(value):,} values: give one of each per entry")
    gold = checks.integers("gold", gold, UNKNOWN, max(len(labels), 1))
    names = data.names if isinstance(data.names, tuple) else _check_names(data.names, F)  # a tuple has been checked
    found = {"labels": labels, "names": names, "F": F, "offset": offset, "start": start}
    found |= {"feature": feature, "value": value, "gold": gold}
    for name, array in found.items():
        object.__setattr__(data, name, array)


def _runs(offset, which):
    """The numbers ``offset[k] … offset[k+1] − 1`` of every k in ``which``, one after the other."""
    lengths = np.diff(offset)[which]
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(offset[which] - (ends - lengths), lengths)


def _values_of(value, entries):
    """The values of these entries; one that is repeated for all stays one in memory."""
    return np.broadcast_to(value[:1], len(entries)) if value.strides == (0,) and len(value) else value[entries]


def full_rows(features, labels):
    """Sequences without gold labels of dense feature arrays, of those that have positions.

    >>> len(full_rows([[[1, 0]], [], [[0, 2.5]]], ("a", "b")))
    2
    """
    rows = _check_rows(features)
    found, offset = _entries(rows), np.cumsum([0, *map(len, rows)])
    feature = _check_features(offset, *found)
    gold = np.full(offset[-1], UNKNOWN)
    return Sequences(labels, found.F, np.unique(offset), found.start, feature, found.value, gold)


def first_full(X):
    """The first sequence with positions; ValueError for none."""
    for positions in X:
        if length_of(positions) != 0:
            return positions
    empty = "all sequences are empty: give one with positions"
    raise ValueError(empty if len(X) else "no sequences: give at least one")


def length_of(positions):
    """The length, or None if unknown, as for a generator or a sparse matrix, which are refused later."""
    try:
        return len(positions)
    except TypeError:
        return None


def _check_rows(features):
    """One array ``(T, F)`` per sequence, or an empty one."""
    if not checks.is_iterable(features):
        checks.refuse("features", features, "a table of features for each sequence")
    rows, first = [], None
    for number, array in enumerate(features, start=1):
        columns = checks.column_names(array)
        first = columns if first is None else first
        if columns is not None and columns != first:
            some = ", ".join(map(repr, columns[:8]))
            raise ValueError(f"sequence {number}: its columns are {some}: give those of the first table in its order")
        array = checks.floats(array, f"sequence {number}: its features are not one row of numbers per position")
        if array.ndim != 2 and length_of(array) != 0:
            raise ValueError(f"sequence {number}: features of shape {array.shape}, expected (positions, features)")
        rows.append(array)
    return rows


class _Entries(NamedTuple):
    """The first entry of each position (N+1,), feature and value of each entry (K,), the number of features."""

    start: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    F: int


def _entries(rows):
    """The ``_Entries`` of feature arrays."""
    F, widths = first_full(rows).shape[1], {}
    for number, array in enumerate(rows, start=1):
        if len(array) and widths.setdefault(array.shape[1], number) == number and len(widths) > 1:
            raise ValueError(f"sequence {number}: {array.shape[1]} features per position, sequence {widths[F]} has {F}")
    stacked = np.concatenate([array for array in rows if len(array)])
    where, feature = np.nonzero(stacked)
    return _Entries(np.searchsorted(where, np.arange(len(stacked) + 1)), feature, stacked[where, feature], F)


def _check_lengths(lengths, positions):
    """Numbers of positions that are ``positions`` in all; each alone is no more, so their sum cannot wrap around."""
    given = checks.array(lengths, "lengths: expected one whole number per sequence")
    if not given.size:
        raise ValueError("no sequences: give at least one")
    if given.dtype.kind in "iu" and np.any(given == 0):
        raise ValueError(f"sequence {int(np.argmax(given == 0)) + 1} is empty: leave it out")
    found = checks.integers("lengths", given, 1, max(positions, 1) + 1)
    if len(found) > positions or found.sum() != positions:
        raise ValueError(f"the sequences have {found.sum():,} positions, the entries {positions:,}")
    return found


def _check_features(offset, start, feature, value, F):
    """Feature numbers as the kernels take them, of np.nonzero they are strided; values must be finite."""
    feature = checks.array(feature, "feature: give one whole number per entry")
    if feature.shape != value.shape or value.ndim != 1:
        raise ValueError(f"features of shape {feature.shape}, values of shape {value.shape}: one of each per entry")
    feature = checks.integers("feature", feature, -(2**63), 2**63)
    wrong = (feature < 0) | (feature >= F) | ~np.isfinite(value)
    if np.any(wrong):
        k = int(np.argmax(wrong))
        i = int(np.searchsorted(start, k, side="right")) - 1
        w = int(np.searchsorted(offset, i, side="right"))
        what = f"is {value[k]}; use finite numbers" if 0 <= feature[k] < F else f"is none of {F:,} features"
        raise ValueError(f"sequence {w}, position {i - offset[w - 1] + 1}: feature {feature[k]} {what}")
    return feature


def _check_names(names, F):
    if names is None:
        return None
    names = tuple(checks.as_list("names", names, "a list of texts"))
    checks.same_length(names, "names", F, "features")
    for name in names:
        if not isinstance(name, (str, int)):
            raise ValueError(f"names: {name!r:.60} is no text")
    return names


def _gold_numbers(gold, lengths, labels):
    if gold is None:
        return np.full(int(np.sum(lengths)), UNKNOWN)
    gold = checks.as_list("gold", gold, "a list of labels for each sequence", or_text=True)
    if len(gold) != len(lengths):
        raise ValueError(f"{len(lengths)} feature arrays, {len(gold)} gold sequences: as many of each")
    index = {label: y for y, label in enumerate(labels)}
    gold = [checks.as_list(f"gold[{w}]", truth, "a list of labels", or_text=True) for w, truth in enumerate(gold)]
    for number, (truth, length) in enumerate(zip(gold, lengths, strict=True), start=1):
        if len(truth) != length:
            raise ValueError(f"sequence {number}: {length} positions of features, {len(truth)} labels")
        with checks.hashable(f"gold[{number - 1}]", "give labels by name"):
            strange = [label for label in truth if label not in index]
        if strange:
            raise ValueError(f"sequence {number}: {strange[0]!r} is not one of the labels")
    return np.array([index[label] for truth in gold for label in truth], dtype=np.int64)
