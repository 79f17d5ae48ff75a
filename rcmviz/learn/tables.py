"""The weights of a training in the shape that the kernels want: groups of arrays, dense or hashed rows."""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.models.model import DENSE_LIMIT, NgramModel
from rcmviz.kernels.lanes import LANES
from rcmviz.kernels.learn import weights as kernel
from rcmviz.kernels.learn.lane_state import Index, Parts

MOST_LABELS = 5_000
MOST_WEIGHTS = 200_000_000  # of one kind; with AdaGrad's sums 3.2 GB
MOST_DRIFT = float(1 << 30)  # of whole numbers of 32 bits: one more example takes none beyond them
FIRST_ROWS = 1_024  # of a table that fills
GROUPS = "windows", "emission", "root"
SINGLE = "f4", "f4", "f4"  # of a group
PIECE = 20_000  # weights that are looked at together


@dataclass
class Tables:
    """The parts of ``kernels.learn.weights.Weights``, whose arrays are updated in place.

    Here each window has its row from the beginning.
    """

    store: kernel.Store | Index
    windows: kernel.Group
    emission: kernel.Group
    root: kernel.Group

    @property
    def for_kernels(self):
        """All weights."""
        return kernel.Weights(self.store, self.windows, self.emission, self.root)

    @property
    def used(self):
        """The number of rows."""
        return len(self.windows.weight)

    @property
    def addresses(self):
        """The dense address of every row (R,)."""
        return np.arange(self.used)

    @property
    def bytes(self):
        """Memory of all arrays."""
        return sum(array.nbytes for group in self.for_kernels for array in group)

    def claim(self, where):
        """The rows of these addresses."""
        return where

    @property
    def farthest(self):
        """The largest drift of a perceptron before it takes more room."""
        return MOST_DRIFT if self.emission.weight.dtype == np.int32 else np.inf

    def widen(self):
        """Weights and sums of whole numbers, those of features, in double precision."""
        self.emission = kernel.Group(*(array.astype(np.float64) for array in self.emission))

    def keep_sums(self, dtype):
        """Keep AdaGrad's sums in this precision, as a checkpoint has them: up to rcmviz 0.2 it was double."""
        for name in GROUPS:
            group = getattr(self, name)
            kept = group._replace(square=group.square.astype(dtype), drift=group.drift.astype(dtype))
            setattr(self, name, kept)

    def forget_squares(self):
        """Make room for the model of a training that is over: no step can follow."""
        for name in ("windows", "emission"):
            group = getattr(self, name)
            setattr(self, name, group._replace(square=np.zeros((1, group.weight.shape[1]), group.square.dtype)))

    def averaged(self, group, rows, steps):
        """Rows of weights averaged over ``steps`` steps, unchanged for none."""
        if not steps:
            return group.weight[rows]
        whole = np.float64(steps)  # in double precision, whatever they are in
        return (group.weight[rows] * whole - group.drift[rows]) / whole


class HashedTables(Tables):
    """Rows are found through a hash; the arrays are replaced by larger ones as they fill."""

    zeros = staticmethod(np.zeros)

    @property
    def used(self):
        """The number of rows."""
        return int(self.store.used[0])

    @property
    def addresses(self):
        """The dense address of every row (R,)."""
        return self.store.owner[: self.used]

    def claim(self, where):
        """New rows for these addresses, which have none yet."""
        first = self.used
        self.grow(len(where))
        kernel.claim_all(where, self.store)
        return np.arange(first, self.used)

    def grow(self, room):
        """Make room for ``room`` more rows, at least doubling it; ValueError at the limit."""
        rows, width = self._more_rows(room), self.windows.weight.shape[1]
        if rows * width > MOST_WEIGHTS:
            raise ValueError(
                f"{self.used:,} windows of {width} labels have been seen, the limit is {MOST_WEIGHTS:,} weights; "
                "lower the order or the budget"
            )
        windows, self.windows = list(self.windows), ()
        for k, array in enumerate(windows):  # each is released before the next grows, so that only one is held twice
            if len(array) > 1:
                windows[k] = self.zeros((rows, width), array.dtype)
                windows[k][: len(array)] = array
        self.windows = kernel.Group(*windows)
        self._find_again(self.addresses.copy(), rows)

    def _more_rows(self, room):
        return max(2 * len(self.store.owner), self.used + room)

    def _find_again(self, known, rows):
        self.store = _hashed_store(rows)
        kernel.claim_all(known, self.store)


class LaneTables(HashedTables):
    """Tables of the vector kernels, in single precision; ``store`` is an `Index`."""

    @property
    def for_lanes(self):
        """Windows' and features' weights as flat arrays."""
        return Parts(*(kernel.Group(*(numbers.base for numbers in group)) for group in (self.windows, self.emission)))

    @staticmethod
    def zeros(shape, dtype):
        """Zeros of this shape; their ``base`` has places for a vector beyond the last row."""
        rows, width = shape
        return np.zeros((rows + 1) * width + max(width, 2 * LANES), dtype)[: rows * width].reshape(shape)

    def keep_sums(self, dtype):
        """They are in single precision whatever a checkpoint has."""

    def is_short(self, room):
        """Whether there is no room for ``room`` more rows."""
        return self.used + room > len(self.store.owner) <= len(self.store.row)

    def claim(self, where):
        """The rows of these addresses, new ones where they have none yet."""
        new = where[self.store.row[where] == 0]
        if self.is_short(len(new)):
            self.grow(len(new))
        index = self.store
        index.row[new] = index.used[0] + np.arange(len(new))
        index.owner[index.row[new]] = new
        index.used[0] += len(new)
        return index.row[where]

    def _more_rows(self, room):
        return min(super()._more_rows(room), len(self.store.row) + 1)

    def _find_again(self, known, rows):
        self.store = self.store._replace(owner=np.concatenate([known, np.zeros(rows - len(known), np.int64)]))


def make_tables(model, features, hashed, averaging, dtype="f8", sums=None, squared=True):
    """Zero weights for a model of this shape with its features and a bias; ValueError if there are too many.

    ``sums`` is the precision of squares and drift, ``dtype`` by default, ``"i4"`` for features in whole
    numbers: windows, which all maxima read, would take a quarter more of a fit's time so. A perceptron has no squares.
    """
    width = len(model.labels)
    _check_features(features, width)
    rows = FIRST_ROWS if hashed else model.size
    kinds = dtype, sums or dtype, sums or dtype
    others = ("f8",) * 3 if dtype == "i4" else kinds
    groups = (
        _group(rows, width, averaging, others, squared=squared),
        _group(features + 1, width, averaging, kinds, squared=squared),
        _group(1, 1, averaging, others),
    )
    if hashed:
        return HashedTables(_hashed_store(rows), *groups)
    return Tables(kernel.Store(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(1, np.int64)), *groups)


def make_lane_tables(model, features, averaging):
    """Zero weights for the kernels on vectors, a window's row taken when it first learns. Unwritten zeros
    take no memory, so there is room for as many rows as a dense table would have.
    """
    width = len(model.labels)
    _check_features(features, width)
    rows = min(max(FIRST_ROWS, DENSE_LIMIT // width), model.size + 1)
    store = Index(np.zeros(model.size, np.int32), np.zeros(rows, np.int64), np.ones(1, np.int64))
    groups = (_group(n, width, averaging, SINGLE, LaneTables.zeros) for n in (rows, features + 1))
    return LaneTables(store, *groups, _group(1, 1, averaging, SINGLE))


def _check_features(features, width):
    if (features + 1) * width > MOST_WEIGHTS:
        raise ValueError(
            f"{features:,} features for each of {width:,} labels: the limit is {MOST_WEIGHTS:,} weights; "
            "leave out rare features"
        )


def _group(rows, width, averaging, kinds, zeros=np.zeros, squared=True):
    sizes = rows, rows if squared else 1, rows if averaging else 1
    return kernel.Group(*(zeros((n, width), kind) for n, kind in zip(sizes, kinds, strict=True)))


def _hashed_store(rows):
    slots = 1 << (2 * rows - 1).bit_length()  # at most half full
    return kernel.Store(np.full(slots, kernel.ABSENT), np.zeros(rows, np.int64), np.zeros(1, np.int64))


def touched_rows(tables):
    """(addresses (R,), group of their rows) of all windows that are or have been other than zero."""
    touched = _find_touched(tables)
    return tables.addresses[touched], tuple(array[touched] if len(array) > 1 else array for array in tables.windows)


def _find_touched(tables):
    """The rows of these windows, ascending."""
    kept = [array[: tables.used] for array in tables.windows if len(array) > 1]
    return np.flatnonzero(np.any([have_weights(array) for array in kept], axis=0))


def have_weights(rows):
    """Whether each of these rows has a value other than zero, by blocks: boolean arrays take memory, too."""
    found, many = np.zeros(len(rows), bool), max(1, PIECE // rows.shape[1])
    for first in range(0, len(rows), many):
        found[first : first + many] = np.any(rows[first : first + many], axis=1)
    return found


def fill(tables, where, windows, emission, root):
    """Fill fresh tables: ``windows``, a group of rows with these addresses ``(R,)``, and two whole groups.

    An array without rows is left out; so is a drift where the tables do not average.
    """
    rows = tables.claim(where)
    for into, values in zip(tables.windows, windows, strict=True):
        if len(values) == len(rows) and len(into) > 1 and values.shape[1:] != into.shape[1:]:
            raise ValueError(f"rows of shape {values.shape[1:]} where {into.shape[1:]}: of another training")
        if len(values) == len(rows) and len(into) > 1:
            into[rows] = values
    for group, parts in ((tables.emission, emission), (tables.root, root)):
        for into, values in zip(group, parts, strict=True):
            if len(values) and values.shape != into.shape:
                raise ValueError(f"weights of shape {values.shape} where {into.shape}: of another training")
            if len(values):
                into[:] = values


def to_model(tables, model, steps, info, dtype, last=False):
    """The model as it is now, averaged over ``steps`` where that is positive; ``dtype`` ``"f4"`` or ``"f8"``. The
    ``last`` of a training may have the place of its weights.

    ValueError where a weight is beyond what the dtype holds. Single precision halves snapshots and files; the rounding
    is 1e-7 of a weight, the spread over seeds 1e-1.
    """
    touched = _find_touched(tables)
    rows = touched[np.argsort(tables.addresses[touched])]
    keys = tables.addresses[rows]
    windows = _average_rows(tables, "windows", rows, steps, np.empty((len(rows), len(model.labels)), dtype))
    if last:
        tables.windows = ()
    weight = tables.emission.weight
    fits = last and weight.itemsize == np.dtype(dtype).itemsize
    into = weight.view(dtype) if fits else np.empty(weight.shape, dtype)
    emission = _average_rows(tables, "emission", np.arange(len(weight)), steps, into)
    root, drift = float(tables.root.weight[0, 0]), float(tables.root.drift[0, 0])
    used = have_weights(windows)
    if not used.all():  # a copy of all is as large as the model
        keys, windows = keys[used], windows[used]
    return NgramModel(
        model.labels,
        model.order,
        model.mode,
        keys,
        windows,
        emission,
        info,
        root_weight=(root * steps - drift) / steps if steps else root,
    )


def _average_rows(tables, name, rows, steps, found):
    """Rows of a group's weights into ``found``, by blocks: a copy of all would take twice a training's memory."""
    group, many = getattr(tables, name), max(1, PIECE // found.shape[1])
    with np.errstate(over="ignore"):
        for first in range(0, len(rows), many):
            here = slice(first, first + many)
            found[here] = tables.averaged(group, rows[here], steps)
            if not np.isfinite(found[here]).all():
                raise ValueError("the weights are beyond what numbers hold; lower eta or scale the features down")
    return found
