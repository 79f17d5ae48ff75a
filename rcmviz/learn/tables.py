"""The weights of a training in the shape that the kernels want: groups of arrays, dense or hashed rows."""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.model import DENSE_LIMIT, NgramModel
from rcmviz.kernels.lanes import LANES
from rcmviz.kernels.learn import weights as kernel

MOST_LABELS = 5_000
MOST_WEIGHTS = 200_000_000  # of one kind; with AdaGrad's sums 3.2 GB
FIRST_ROWS = 1_024  # of a table that fills


@dataclass
class Tables:
    """``store`` where rows are · ``windows``, ``emission``, ``root`` groups (weight, square, drift); see
    ``kernels/weights.py``. The arrays are updated in place; a hashed table is replaced by a larger one as it fills, and
    so is one that is ``indexed``, whose store is the ``index`` of ``kernels/lane_weights.py``.
    """

    store: tuple
    windows: tuple
    emission: tuple
    root: tuple
    indexed: bool = False

    @property
    def for_kernels(self):
        """``weights`` of the kernels."""
        return self.store, self.windows, self.emission, self.root

    @property
    def hashed(self):
        """Whether rows are found through a hash."""
        slot, _, _ = self.store
        return len(slot) > 0 and not self.indexed

    @property
    def is_dense(self):
        """Whether each window has its row from the beginning."""
        return not (self.hashed or self.indexed)

    @property
    def used(self):
        """How many rows there are."""
        _, _, used = self.store
        return len(self.windows[kernel.WEIGHT]) if self.is_dense else int(used[0])

    @property
    def bytes(self):
        """Memory of all arrays."""
        return sum(array.nbytes for group in self.for_kernels for array in group)

    def keep_sums(self, dtype):
        """Keep AdaGrad's sums in this precision, as a checkpoint has them: up to rcmviz 0.2 it was double."""
        if self.indexed:
            return
        self.windows, self.emission, self.root = (
            (weight, square.astype(dtype), drift.astype(dtype)) for weight, square, drift in self.for_kernels[1:]
        )

    def forget_squares(self):
        """Make room for the model of a training that is over: no step can follow."""
        for name in ("windows", "emission"):
            weight, square, drift = getattr(self, name)
            setattr(self, name, (weight, np.zeros((1, weight.shape[1]), square.dtype), drift))

    def is_short(self, room):
        """Whether an indexed table has no room for so many more rows."""
        row, owner, used = self.store
        return int(used[0]) + room > len(owner) < len(row)

    def claim(self, where):
        """The rows of these addresses of an indexed table, new ones where they have none yet."""
        row, owner, used = self.store
        new = where[row[where] < 0]
        if self.is_short(len(new)):
            self.grow(len(new))
            row, owner, used = self.store
        row[new] = used[0] + np.arange(len(new))
        owner[row[new]] = new
        used[0] += len(new)
        return row[where]

    def grow(self, room):
        """Make room for so many more rows of a table that fills, at least doubling it; ValueError at the limit."""
        slot, owner, used = self.store
        rows = max(2 * len(owner), int(used[0]) + room)
        if self.indexed:
            rows = min(rows, len(slot))
        width = self.windows[kernel.WEIGHT].shape[1]
        if rows * width > MOST_WEIGHTS:
            raise ValueError(
                f"{int(used[0]):,} windows of {width} labels have been seen, the limit is {MOST_WEIGHTS:,} weights; "
                "lower the order or the budget"
            )
        windows, self.windows = list(self.windows), ()
        for k, array in enumerate(windows):  # each is let go before the next grows, so that one is ever held twice
            windows[k] = _longer(array, rows if len(array) > 1 else 1, self.indexed)
        self.windows = tuple(windows)
        known = owner[: used[0]].copy()
        if self.indexed:
            self.store = slot, np.concatenate([known, np.zeros(rows - len(known), np.int64)]), used
            return
        self.store = _hashed_store(rows)
        kernel.claim_all(known, self.store)


def make_tables(model, features, hashed, averaging, dtype="f8", sums=None):
    """Zero weights for a model of this shape with so many features and a bias; ValueError where they are too many.

    ``sums`` is the precision of squares and drift, ``dtype`` where none is given.
    """
    width = len(model.labels)
    _check_features(features, width)
    rows = FIRST_ROWS if hashed else model.size
    store = _hashed_store(rows) if hashed else (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(1, np.int64))
    kinds = dtype, sums or dtype, sums or dtype
    return Tables(store, *(_group(n, m, averaging, kinds) for n, m in ((rows, width), (features + 1, width), (1, 1))))


def make_lane_tables(model, features, averaging):
    """Zero weights for the kernels on vectors: in single precision, a window's row taken when it is first met. Zeros
    that nobody has written take no memory, so there is room for as many rows as a dense table would have.
    """
    width = len(model.labels)
    _check_features(features, width)
    rows = min(max(FIRST_ROWS, DENSE_LIMIT // width), model.size)
    store = np.full(model.size, np.int32(kernel.ABSENT)), np.zeros(rows, np.int64), np.zeros(1, np.int64)
    kinds = "f4", "f4", "f4"
    groups = (_group(n, m, averaging, kinds, _padded) for n, m in ((rows, width), (features + 1, width), (1, 1)))
    return Tables(store, *groups, indexed=True)


def _check_features(features, width):
    if (features + 1) * width > MOST_WEIGHTS:
        raise ValueError(
            f"{features:,} features for each of {width:,} labels: the limit is {MOST_WEIGHTS:,} weights; "
            "leave out rare features"
        )


def _group(rows, width, averaging, kinds, zeros=np.zeros):
    sizes = rows, rows, rows if averaging else 1
    return tuple(zeros((n, width), kind) for n, kind in zip(sizes, kinds, strict=True))


def _padded(shape, dtype):
    """Zeros of this shape; their ``base`` has places for a vector beyond the last row."""
    rows, width = shape
    return np.zeros((rows + 1) * width + max(width, 2 * LANES), dtype)[: rows * width].reshape(shape)


def _hashed_store(rows):
    slots = 1 << (2 * rows - 1).bit_length()  # at most half full
    return np.full(slots, kernel.ABSENT), np.zeros(rows, np.int64), np.zeros(1, np.int64)


def _longer(array, rows, padded):
    longer = (_padded if padded else np.zeros)((rows, array.shape[1]), array.dtype)
    longer[: len(array)] = array
    return longer


def addresses(tables):
    """The dense address of every row (R,)."""
    _, owner, _ = tables.store
    return np.arange(tables.used) if tables.is_dense else owner[: tables.used]


def touched_rows(tables):
    """(addresses (R,), group of their rows) of all windows that are or have been other than zero."""
    touched = _touched(tables)
    return addresses(tables)[touched], tuple(array[touched] if len(array) > 1 else array for array in tables.windows)


def _touched(tables):
    """The rows of these windows, ascending."""
    kept = [array[: tables.used] for array in tables.windows if len(array) > 1]
    return np.flatnonzero(np.any([np.any(array != 0, axis=1) for array in kept], axis=0))


def fill(tables, where, windows, emission, root):
    """Fill fresh tables: ``windows``, a group of rows with these addresses ``(R,)``, and two whole groups.

    An array without rows is left out; so is a drift where the tables do not average.
    """
    if tables.hashed:
        tables.grow(len(where))
        kernel.claim_all(where, tables.store)
    rows = np.arange(len(where)) if tables.hashed else tables.claim(where) if tables.indexed else where
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
    touched = _touched(tables)
    rows = touched[np.argsort(addresses(tables)[touched])]
    windows = _averaged(tables.windows, rows, steps, np.empty((len(rows), len(model.labels)), dtype))
    weight = tables.emission[kernel.WEIGHT]
    into = weight if last and weight.dtype == dtype else np.empty(weight.shape, dtype)
    emission = _averaged(tables.emission, np.arange(len(weight)), steps, into)
    root = _averaged(tables.root, np.zeros(1, int), steps, np.empty((1, 1)))
    used = np.any(windows != 0, axis=1)
    if not used.all():  # a copy of all is as large as the model
        rows, windows = rows[used], windows[used]
    if not (np.isfinite(windows).all() and np.isfinite(emission).all()):
        raise ValueError("the weights are beyond what numbers hold; lower eta or scale the features down")
    return NgramModel(
        model.labels, model.order, model.mode, addresses(tables)[rows], windows, emission, info,
        root_weight=float(root[0, 0]),
    )  # fmt: skip


def _averaged(group, rows, steps, found):
    """Rows of weights into ``found``, some at a time: all in between took twice a training's memory."""
    weight, _, drift = group
    many, whole = max(1, 100_000 // weight.shape[1]), np.float64(steps)  # in double precision, whatever they are in
    with np.errstate(over="ignore"):
        for first in range(0, len(rows), many):
            here = rows[first : first + many]
            found[first : first + many] = (weight[here] * whole - drift[here]) / whole if steps else weight[here]
    return found
