"""The log-linear n-gram model: a weight for every window of forgotten or remembered labels, and emissions.

Rows. At position i a context that remembers ℓ labels is scored by the window state ``(min(i, n), min(ℓ, n), code)``,
``code`` = its last labels as a number in base Y. ``base[min(i, n), min(ℓ, n)] + code`` is the dense address of its row
of Y weights; where the dense table would be too large, only rows with weights are stored and looked up by that address.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.models.model_file import read_model, write_model
from rcmviz.core.models.model_tables import exponentiate_panels, exponentiate_table, make_log_table, number_lane_rows
from rcmviz.core.models.scores import Scores, check_rows
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.chain.lane_state import Address, Panels
from rcmviz.kernels.chain.state import RowAddress

FORGOTTEN, BEGIN = "*", "^"
MODES = ("single", "additive")
DENSE_LIMIT = 8_000_000  # weights; 64 MB in double precision


class _State(NamedTuple):
    """Which row of a table a window reads: how many labels at most are before it, how many of them are known, the code
    of these, and whether its symbols stand in an order that windows have.
    """

    position: int
    known: int
    code: int
    is_valid: bool


@dataclass(frozen=True, eq=False)
class NgramModel(CopyableMixin):
    """Log-linear n-gram model over windows of remembered and forgotten labels, with emissions.

    Build one with ``from_windows`` or ``load``, or train one with ``train``.

    Parameters
    ----------
    labels : tuple of str, length Y
        Names of the labels.
    order : int
        How many past labels a weight can see, n ≥ 1.
    mode : {"single", "additive"}
        One window fires per position, or the windows of all suffixes add up.
    keys : ndarray of int64, shape (R,)
        Addresses of the rows that have weights, ascending.
    weights : ndarray of shape (R, Y)
        Log weights of the windows in nats, one row per key; −inf forbids a window.
    emission : ndarray of shape (F+1, Y), optional
        Weights of F features by label, in nats; the last row is the bias.
    info : dict, optional
        Where the model comes from.
    root_weight : float
        Learned log weight that the repaired beam adds where a path enters the root.

    Raises
    ------
    ValueError
        Labels, mode or order cannot be used.

    Notes
    -----
    Exactly one window of the last n + 1 positions fires per position, in which forgotten labels are written as ``*``
    (Steinhardt and Liang, 2015, eq. 6).

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> model.labels, model.order, model.weights.tolist()
    (('a', 'b'), 1, [[0.0, 1.0]])
    """

    labels: tuple[str, ...]
    order: int
    mode: str
    keys: np.ndarray
    weights: np.ndarray
    emission: np.ndarray | None = None
    info: dict = field(default_factory=dict)
    root_weight: float = 0.0

    def __post_init__(self):
        object.__setattr__(
            self, "labels", tuple(checks.as_list("labels", self.labels, "a list of texts", or_text=True))
        )
        check_labels(self.labels)
        checks.choice("mode", self.mode, MODES, "choose 'single' or 'additive'")
        checks.whole("order", self.order, 1, wanted="the order is a whole number of past labels, 1 or more")
        if (self.order + 1) * np.log2(max(len(self.labels), 2)) > 61:
            raise ValueError(f"order {self.order} with {len(self.labels)} labels has too many windows; lower the order")
        if not checks.array(self.keys, "keys: give whole numbers").size:
            # One row of zeros: to the kernels, no keys mean a dense table.
            object.__setattr__(self, "keys", np.zeros(1, np.int64))
            object.__setattr__(self, "weights", np.zeros((1, len(self.labels))))
        object.__setattr__(self, "keys", _check_keys(self.keys, self.size))
        object.__setattr__(self, "weights", _order_columns("weights", self.weights, self.labels))
        object.__setattr__(self, "weights", checks.weights("weights", self.weights, or_zero=True))
        if self.weights.shape != (len(self.keys), len(self.labels)):
            raise ValueError(f"weights of shape {self.weights.shape}: a row of {len(self.labels)} for each key")
        if self.emission is not None:
            object.__setattr__(self, "emission", _check_emission(self.emission, self.labels))
        object.__setattr__(self, "root_weight", checks.root_weight(self.root_weight))
        object.__setattr__(self, "info", checks.as_dict("info", self.info))
        freeze(self)

    @classmethod
    def from_windows(
        cls,
        labels: Iterable[str],
        order: int,
        weights: Mapping[tuple[str, ...], float],
        *,
        mode: str = "single",
        emission: np.ndarray | None = None,
        info: Mapping | None = None,
    ) -> Self:
        """Make a model of the weights of windows.

        Parameters
        ----------
        labels : iterable of str
            Names of the labels; ``*`` and ``^`` are reserved.
        order : int
            How many past labels a weight can see, n ≥ 1.
        weights : mapping of tuple to float
            ``{window: log weight}`` in nats; windows that are missing weigh 0. A window is a tuple of n symbols and the
            predicted label; a symbol is a label, ``"*"`` for a forgotten position or ``"^"`` for one before the start.
            A weight of −inf forbids its window, and in an additive model all that ends so. A context that has forgotten
            a label fires the window with ``"*"`` there, so a label forbidden after any label is forbidden there too.
        mode : {"single", "additive"}
            One window fires per position, or the windows of all suffixes add up.
        emission : ndarray of shape (F+1, Y), optional
            Weights of F features by label, the bias last.
        info : mapping, optional
            Where the model comes from.

        Returns
        -------
        NgramModel
            The model.

        Raises
        ------
        ValueError
            A window is malformed or its weight is neither finite nor −inf; the message names it.

        Examples
        --------
        >>> model = NgramModel.from_windows("ab", 2, {("^", "^", "a"): 1.0, ("^", "*", "b"): 0.5})
        >>> model.order, model.labels
        (2, ('a', 'b'))
        """
        if not checks.is_iterable(labels) or not isinstance(weights, Mapping):
            raise ValueError("from_windows: labels are a sequence of names, weights a dict {window: weight}")
        labels = tuple(labels)
        empty = cls(labels, order, mode, np.zeros(0, np.int64), np.zeros((0, len(labels))))
        index = {label: y for y, label in enumerate(labels)}
        rows: dict[int, np.ndarray] = {}
        of_context: dict[tuple, np.ndarray] = {}  # windows with one context are checked, and placed, once
        for window, weight in weights.items():
            row = of_context.get(window[:-1]) if isinstance(window, tuple) else None
            y = index.get(window[-1]) if row is not None else None
            if row is None or y is None:
                key, y = empty.address_of_window(window, index)
                row = of_context[window[:-1]] = rows.setdefault(key, np.zeros(len(labels)))
            row[y] = _check_weight(window, weight)
        keys = np.array(sorted(rows), dtype=np.int64)
        table = np.array([rows[key] for key in keys.tolist()]).reshape(len(keys), len(labels))
        return cls(labels, int(order), mode, keys, table, emission, checks.as_dict("info", info))

    def __repr__(self):
        features = "" if self.emission is None else f", {len(self.emission) - 1:,} features"
        return (
            f"<NgramModel: {len(self.labels):,} labels, order {self.order}, {self.mode}, {self.weights.size:,} weights"
            f"{features}>"
        )

    @property
    def choices(self) -> None:
        """None: every position offers all labels."""
        return None

    @property
    def additive(self) -> bool:
        """Whether the weights of all suffixes add up."""
        return self.mode == "additive"

    @cached_property
    def powers(self) -> np.ndarray:
        """The powers of Y from 0 to n, shape (n+1,)."""
        return np.array([len(self.labels) ** k for k in range(self.order + 1)], dtype=np.int64)

    @cached_property
    def base(self) -> np.ndarray:
        """First dense address of each group of rows, shape (n+1, n+1), indexed by [min(i, n), min(ℓ, n)]."""
        base = np.full((self.order + 1, self.order + 1), -1, dtype=np.int64)
        used = 0
        for i in range(self.order, -1, -1):
            for k in range(i + 1):
                shared = self.additive and k < i < self.order
                base[i, k] = base[self.order, k] if shared else used
                used += 0 if shared else int(self.powers[k])
        return base

    @cached_property
    def size(self) -> int:
        """Number of rows that there could be."""
        groups = {int(self.base[i, k]): int(self.powers[k]) for i in range(self.order + 1) for k in range(i + 1)}
        return sum(groups.values())

    @cached_property
    def is_dense(self) -> bool:
        """Whether every row has its place in the table (else only those with weights)."""
        return self.size * len(self.labels) <= DENSE_LIMIT

    @property
    def address(self) -> RowAddress:
        """The kernels' arguments to find a row."""
        return RowAddress(self.powers, self.base, self._no_keys if self.is_dense else self.keys, self.additive)

    @cached_property
    def _no_keys(self):
        empty = np.zeros(0, dtype=np.int64)
        empty.setflags(write=False)
        return empty

    def _state(self, prefix, index):
        """The ``_State`` of a window without its predicted label."""
        known = []
        while len(known) < len(prefix) and prefix[len(prefix) - 1 - len(known)] in index:
            known.append(index[prefix[len(prefix) - 1 - len(known)]])
        code = sum(y * len(self.labels) ** k for k, y in enumerate(known))
        rest = prefix[: len(prefix) - len(known)]
        if self.additive:  # forgotten positions, at most one begin symbol, labels
            begins = rest[-1:] == (BEGIN,)
            valid = all(symbol == FORGOTTEN for symbol in rest[: len(rest) - begins])
            return _State(len(known) if begins else self.order, len(known), code, valid)
        begins = sum(symbol == BEGIN for symbol in rest)
        valid = rest == (BEGIN,) * begins + (FORGOTTEN,) * (len(rest) - begins)
        return _State(self.order - begins, len(known), code, valid)

    def address_of_window(self, window: Sequence[str], index: Mapping[str, int]) -> tuple[int, int]:
        """Dense address and label number of a window.

        Parameters
        ----------
        window : sequence of str
            The window: n symbols and the predicted label, as in ``from_windows``.
        index : mapping of str to int
            The number of each label.

        Returns
        -------
        address : int
            Dense address of the row.
        label : int
            Number of the predicted label.

        Raises
        ------
        ValueError
            The window is malformed; the message names it.
        """
        if not isinstance(window, (tuple, list)) or len(window) != self.order + 1:
            raise ValueError(f"window {window!r}: expected {self.order} symbols and the predicted label")
        checks.instance("index", index, Mapping, "a dict {label: number}")
        if window[-1] not in index:
            raise ValueError(f"window {window!r}: it predicts {window[-1]!r}, which is not one of the labels")
        strange = [symbol for symbol in window[:-1] if symbol not in index and symbol not in (FORGOTTEN, BEGIN)]
        if strange:
            raise ValueError(f"window {window!r}: {strange[0]!r} is neither a label nor '*' nor '^'")
        state = self._state(tuple(window[:-1]), index)
        if not state.is_valid:
            shape = "'*' … then at most one '^' then labels" if self.additive else "'^' … then '*' … then labels"
            raise ValueError(f"window {window!r}: symbols come in the order {shape}")
        return int(self.base[state.position, state.known]) + state.code, index[window[-1]]

    def windows_of(self, position: int, context: Sequence[str]) -> list[tuple[str, ...]]:
        """Windows that fire for a context, without their predicted label.

        Parameters
        ----------
        position : int
            Number of labels before the predicted one.
        context : sequence of str
            The labels that are remembered, the oldest first.

        Returns
        -------
        list of tuple of str
            One window of n symbols, or one per suffix where the model is additive.

        Raises
        ------
        ValueError
            The position is no whole number from 0 on, or the context has something else than texts.
        """
        wanted = "the labels that are remembered"
        n, context = self.order, checks.as_list("context", context, wanted, or_text=True)
        known = tuple(context[-n:])
        if not all(isinstance(label, str) for label in known):
            checks.refuse("context", context, wanted)
        position = checks.whole("position", position, 0)
        if not self.additive:
            before = max(0, n - position)
            return [(BEGIN,) * before + (FORGOTTEN,) * (n - before - len(known)) + known]
        suffixes = [(FORGOTTEN,) * (n - k) + known[len(known) - k :] for k in range(len(known) + 1)]
        if len(context) == position < n:
            suffixes.append((FORGOTTEN,) * (n - len(known) - 1) + (BEGIN,) + known)
        return suffixes

    def rows(self, position: int, length: int, codes: np.ndarray) -> np.ndarray:
        """Table rows of contexts of one length.

        Parameters
        ----------
        position : int
            Number of labels before the predicted one.
        length : int
            How many labels the contexts remember.
        codes : ndarray of int, shape (N,)
            Their labels as numbers in base Y, the last label in the lowest digit.

        Returns
        -------
        ndarray of int, shape (N,)
            The rows of ``log_table``.

        Raises
        ------
        ValueError
            The codes are no whole numbers, or ``position`` or ``length`` is none from 0 on.
        """
        checks.whole("position", position, 0), checks.whole("length", length, 0)
        if not isinstance(codes, np.ndarray):
            codes = checks.array(codes, "codes: give whole numbers")
        if codes.dtype.kind not in "iu":
            checks.refuse("codes", codes, "whole numbers")
        i, known = min(position, self.order), min(length, self.order)
        addresses = self.base[i, known] + codes % self.powers[known]
        if self.is_dense:
            return addresses
        rows = self._find_rows(addresses)
        for k in range(known, -1, -1) if self.additive else ():
            missing = rows == len(self.keys)
            rows[missing] = self._find_rows(self.base[self.order, k] + codes[missing] % self.powers[k])
        return rows

    def _find_rows(self, addresses):
        rows = np.searchsorted(self.keys, addresses)
        found = np.zeros(len(rows), dtype=bool)
        inside = rows < len(self.keys)
        found[inside] = self.keys[rows[inside]] == addresses[inside]
        return np.where(found, rows, len(self.keys))

    @cached_property
    def log_table(self) -> np.ndarray:
        """Log weights by row: dense (size, Y), or the stored rows and one of zeros; suffixes summed if additive."""
        return make_log_table(self)

    @cached_property
    def log_range(self) -> float:
        """Largest difference of two finite log weights in nats, a missing window (0) among them."""
        table = self.log_table if self.additive else self.weights
        lowest = table.min(initial=0.0) if self.is_positive else table.min(initial=0.0, where=table > -np.inf)
        return float(table.max(initial=0.0)) - float(lowest)

    @cached_property
    def is_positive(self) -> bool:
        """Whether no window is forbidden by a weight of −inf."""
        return bool(self.weights.min(initial=0.0) > -np.inf)

    @cached_property
    def _tables(self) -> dict[tuple[bool, str], np.ndarray]:
        return {}

    def table(self, logs: bool = True, dtype: str = "f8") -> np.ndarray:
        """Table that the kernels read; made once.

        Parameters
        ----------
        logs : bool
            Logs, or exponentials.
        dtype : {"f8", "f4"}
            Double or single precision.

        Returns
        -------
        ndarray of shape (rows, Y)
            The table, read-only.
        """
        checks.choice("dtype", dtype, ("f4", "f8")), checks.switch("logs", logs)
        if (logs, dtype) not in self._tables:
            table = np.ascontiguousarray(self.log_table if logs else np.exp(self.log_table), dtype=dtype)
            table.setflags(write=False)
            self._tables[logs, dtype] = table
        return self._tables[logs, dtype]

    @cached_property
    def lane_shift(self) -> int:
        """Logarithm of the number of lanes that a row of the kernels on vectors has: a power of two, 32 or more."""
        return max(5, (len(self.labels) - 1).bit_length())

    @cached_property
    def lane_top(self) -> float:
        """The largest log weight, a missing window (0) among them: no entry of the tables of lanes exceeds one."""
        return float((self.log_table if self.additive else self.weights).max(initial=0.0))

    @cached_property
    def lane_table(self) -> np.ndarray:
        """Exponentials in single precision for the kernels on vectors, rows padded with zeros, flat."""
        return exponentiate_table(self)

    @cached_property
    def lane_address(self) -> Address:
        """The vector kernels' arguments to find a row."""
        return Address(self.powers, self.base, number_lane_rows(self))

    @cached_property
    def lane_panels(self) -> Panels:
        """Weights of order 1 for ``kernels/chain/lane_exact.py``."""
        return exponentiate_panels(self)

    def log_emit(self, features: ArrayLike, dtype: str = "f8") -> np.ndarray:
        """Log emissions of features.

        Parameters
        ----------
        features : array_like of shape (T, F)
            A row of numbers per position.
        dtype : {"f8", "f4"}
            Precision, for ``infer_batch``, which does not widen single precision.

        Returns
        -------
        ndarray of shape (T, Y)
            Log emissions in nats, not normalised.

        Raises
        ------
        ValueError
            The model has no emissions, expects another number of features, or a number is not finite.
        """
        if self.emission is None:
            raise ValueError("this model has no emissions: pass log emissions of your own")
        kind = np.float32 if checks.choice("dtype", dtype, ("f4", "f8")) == "f4" else np.float64
        features = np.atleast_2d(checks.array(features, "features: expected a row of numbers per position", kind))
        if features.shape[1] != len(self.emission) - 1:
            raise ValueError(f"{features.shape[1]} features per position, the model expects {len(self.emission) - 1}")
        weights = self.emission.astype(kind, copy=False)
        if kind is np.float32:
            from rcmviz.core.models.vectors import weigh_features  # Numba: a model is read without it

            if (found := weigh_features(features, weights)) is not None:
                return found
        if not np.isfinite(features).all():
            raise ValueError("features: every number must be finite; nan or inf is among them")
        found = features @ weights[:-1]
        found += weights[-1]
        return found

    def check_emissions(self, log_emit: ArrayLike) -> np.ndarray:
        """Log emissions as a float array, checked.

        Parameters
        ----------
        log_emit : array_like of shape (T, Y)
            Log emissions in nats, −inf allowed.

        Returns
        -------
        ndarray of shape (T, Y)
            The same numbers.

        Raises
        ------
        ValueError
            The shape does not fit the labels, or a number cannot be used.
        """
        return check_rows(log_emit, self.labels)

    def scores(self, log_emit: np.ndarray, root_weight: float = 0.0) -> Scores:
        """The scores of the arcs of a lattice.

        Parameters
        ----------
        log_emit : ndarray of shape (T, Y)
            Checked and edited log emissions in nats.
        root_weight : float
            Log weight that is added where a path enters the root.

        Returns
        -------
        Scores
            What the builders ask.
        """
        from rcmviz.core.models.window_scores import WindowScores  # Numba: a model is read without it

        return WindowScores(self, self.check_emissions(log_emit), checks.root_weight(root_weight))

    def save(self, path: str | PathLike) -> None:
        """Write the model as a compressed npz file without pickle, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file. Rows whose weights are all 0 are left out.
        """
        write_model(path, self)

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read a model that ``save`` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        NgramModel
            The model.

        Raises
        ------
        ValueError
            The file is missing, is no model, is damaged, or was written by a later version.
        """
        return read_model(path, cls)


def check_labels(labels):
    if not labels:
        raise ValueError("a model needs at least one label")
    for label in labels:
        if not isinstance(label, str) or not label:
            raise ValueError(f"label {label!r}: labels are non-empty strings")
        if label in (FORGOTTEN, BEGIN):
            name = "star" if label == FORGOTTEN else "caret"
            raise ValueError(f"label {label!r} is reserved ('*' forgotten, '^' before the start); rename it: {name!r}")
    if len(set(labels)) != len(labels):
        raise ValueError(f"labels repeat: {sorted(label for label, count in Counter(labels).items() if count > 1)}")


def _check_weight(window, weight):
    try:
        value = np.nan if isinstance(weight, np.complexfloating) else float(weight)
    except (TypeError, ValueError):
        value = np.nan
    if not (np.isfinite(value) or value == -np.inf):
        raise ValueError(f"window {window!r}: its weight is {weight!r}; give a finite number, or -inf to forbid it")
    return value


def _check_keys(keys, size):
    """Addresses as the kernels take them, which check no bounds and search among ascending ones."""
    keys = checks.integers("keys", keys, 0, size)
    if np.any(keys[1:] <= keys[:-1]):
        raise ValueError("keys: the addresses of the rows are not ascending; sort them, each once")
    return keys


def _order_columns(name, table, labels):
    """A table whose columns have names as an array, its columns in the order of the labels; any other as it is."""
    if checks.column_names(table) is None:
        return table
    return checks.labelled(name, table, labels, f"{name}: give numbers, rows of one length")


def _check_emission(emission, labels):
    """Weights of features as an array; ValueError where they do not fit the labels."""
    found, width = checks.weights("emission", _order_columns("emission", emission, labels)), len(labels)
    if found.ndim != 2 or found.shape[1] != width or not len(found):
        raise ValueError(
            f"emission of shape {found.shape}: a row for each feature and one for the bias, {width} columns"
        )
    return found
