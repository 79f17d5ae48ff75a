"""The weights of a training in the shape that the kernels want: groups of arrays, dense or hashed rows."""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.model import NgramModel
from rcmviz.kernels.learn import weights as kernel

MOST_LABELS = 5_000
MOST_WEIGHTS = 200_000_000  # of one kind; with AdaGrad's sums 3.2 GB
FIRST_ROWS = 1_024  # of a hashed table


@dataclass
class Tables:
    """``store`` where rows are · ``windows``, ``emission``, ``root`` groups (weight, square, drift); see
    ``kernels/weights.py``. The arrays are updated in place; a hashed table is replaced by a larger one as it fills.
    """

    store: tuple
    windows: tuple
    emission: tuple
    root: tuple

    @property
    def for_kernels(self):
        """``weights`` of the kernels."""
        return self.store, self.windows, self.emission, self.root

    @property
    def hashed(self):
        """Whether rows are found through a hash."""
        slot, _, _ = self.store
        return len(slot) > 0

    @property
    def used(self):
        """How many rows there are."""
        _, _, used = self.store
        return int(used[0]) if self.hashed else len(self.windows[kernel.WEIGHT])

    @property
    def bytes(self):
        """Memory of all arrays."""
        return sum(array.nbytes for group in self.for_kernels for array in group)

    def keep_sums(self, dtype):
        """Keep AdaGrad's sums in this precision, as a checkpoint has them: up to rcmviz 0.2 it was double."""
        self.windows, self.emission, self.root = (
            (weight, square.astype(dtype), drift.astype(dtype)) for weight, square, drift in self.for_kernels[1:]
        )

    def forget_squares(self):
        """Make room for the model of a training that is over: no step can follow."""
        for name in ("windows", "emission"):
            weight, square, drift = getattr(self, name)
            setattr(self, name, (weight, np.zeros((1, weight.shape[1]), square.dtype), drift))

    def grow(self, room):
        """Make room for so many more rows of a hashed table, at least doubling it; ValueError at the limit."""
        _, owner, used = self.store
        rows = max(2 * len(owner), int(used[0]) + room)
        width = self.windows[kernel.WEIGHT].shape[1]
        if rows * width > MOST_WEIGHTS:
            raise ValueError(
                f"{int(used[0]):,} windows of {width} labels have been seen, the limit is {MOST_WEIGHTS:,} weights; "
                "lower the order or the budget"
            )
        windows, self.windows = list(self.windows), ()
        for k, array in enumerate(windows):  # each is let go before the next grows, so that one is ever held twice
            windows[k] = _longer(array, rows if len(array) > 1 else 1)
        self.windows = tuple(windows)
        known = owner[: used[0]].copy()
        self.store = _hashed_store(rows)
        kernel.claim_all(known, self.store)


def make_tables(model, features, hashed, averaging, dtype="f8", sums=None):
    """Zero weights for a model of this shape with so many features and a bias; ValueError where they are too many.

    ``sums`` is the precision of squares and drift, ``dtype`` where none is given.
    """
    width = len(model.labels)
    if (features + 1) * width > MOST_WEIGHTS:
        raise ValueError(
            f"{features:,} features for each of {width:,} labels: the limit is {MOST_WEIGHTS:,} weights; "
            "leave out rare features"
        )
    rows = FIRST_ROWS if hashed else model.size
    store = _hashed_store(rows) if hashed else (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(1, np.int64))
    kinds = dtype, sums or dtype, sums or dtype
    return Tables(store, *(_group(n, m, averaging, kinds) for n, m in ((rows, width), (features + 1, width), (1, 1))))


def _group(rows, width, averaging, kinds):
    sizes = rows, rows, rows if averaging else 1
    return tuple(np.zeros((n, width), kind) for n, kind in zip(sizes, kinds, strict=True))


def _hashed_store(rows):
    slots = 1 << (2 * rows - 1).bit_length()  # at most half full
    return np.full(slots, kernel.ABSENT), np.zeros(rows, np.int64), np.zeros(1, np.int64)


def _longer(array, rows):
    longer = np.zeros((rows, array.shape[1]), array.dtype)
    longer[: len(array)] = array
    return longer


def addresses(tables):
    """The dense address of every row (R,)."""
    _, owner, _ = tables.store
    return owner[: tables.used] if tables.hashed else np.arange(tables.used)


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
    rows = np.arange(len(where)) if tables.hashed else where
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


def to_model(tables, model, steps, info, dtype):
    """The model as it is now, averaged over ``steps`` where that is positive; ``dtype`` ``"f4"`` or ``"f8"``.

    ValueError where a weight is beyond what the dtype holds. Single precision halves snapshots and files; the rounding
    is 1e-7 of a weight, the spread over seeds 1e-1.
    """
    touched = _touched(tables)
    rows = touched[np.argsort(addresses(tables)[touched])]
    windows = _averaged(tables.windows, rows, steps, dtype)
    emission = _averaged(tables.emission, np.arange(len(tables.emission[kernel.WEIGHT])), steps, dtype)
    root = _averaged(tables.root, np.zeros(1, int), steps, "f8")
    used = np.any(windows != 0, axis=1)
    if not used.all():  # a copy of all is as large as the model
        rows, windows = rows[used], windows[used]
    if not (np.isfinite(windows).all() and np.isfinite(emission).all()):
        raise ValueError("the weights are beyond what numbers hold; lower eta or scale the features down")
    return NgramModel(
        model.labels, model.order, model.mode, addresses(tables)[rows], windows, emission, info,
        root_weight=float(root[0, 0]),
    )  # fmt: skip


def _averaged(group, rows, steps, dtype):
    """Rows of weights in the model's precision, some at a time: all in between took twice a training's memory."""
    weight, _, drift = group
    found = np.empty((len(rows), weight.shape[1]), dtype)
    many = max(1, 100_000 // weight.shape[1])
    with np.errstate(over="ignore"):
        for first in range(0, len(rows), many):
            here = rows[first : first + many]
            found[first : first + many] = (weight[here] * steps - drift[here]) / steps if steps else weight[here]
    return found
