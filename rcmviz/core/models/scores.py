"""The interface of models for the builders: checks of emissions, and scores of the arcs of a lattice.

``NgramModel`` and ``HMM`` are two kinds. Whatever has ``labels``, ``choices``, ``check_emissions`` and ``scores`` is a
third: ``rv.exact``, ``rv.beam`` and ``rv.rcms`` take it as it is. A model without a table of its own derives its scores
from ``suffix_scores.SuffixScores`` and writes one method.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.wording import counted

# Linear masses lose a path only where it falls e^-700 behind in one stretch and catches up in the rest.
FLOATS = np.dtype(np.float32), np.dtype(np.float64)
SAFE_RANGE = {"f8": 600.0, "f4": 70.0}


class Model(Protocol):
    """The interface of a model for ``rv.exact``, ``rv.beam`` and ``rv.rcms``.

    Attributes
    ----------
    labels : tuple of str
        The names of all labels.
    choices : array (T, Y) of int, or None
        Which of ``labels`` index y of a position is, −1 for none; None where every position offers all labels.
    """

    @property
    def labels(self) -> tuple[str, ...]: ...

    @property
    def choices(self) -> np.ndarray | None: ...

    def check_emissions(self, log_emit: Any) -> np.ndarray:
        """Log emissions (T, Y): those given, checked, or the model's own where None is given; ValueError else."""
        ...

    def scores(self, log_emit: np.ndarray, root_weight: float = 0.0) -> Scores:
        """The scores of the arcs, for checked emissions; ``root_weight`` is the repaired beam's cost of the root."""
        ...


class Scores(Protocol):
    """A model on one input, as the builders and the kernels of ``kernels/chain/contexts.py`` use it.

    The kernels are handed a table with a row per known suffix, one per column or one for all, and find a context's row
    in its field ``ROW``. A context is scored by its labels alone; a complete history also knows
    where it began. ``str`` says how large the model is: "exact inference {…} needs so many arcs; {remedy}".

    Attributes
    ----------
    labels, choices
        As of the model.
    widths : array (T,) of int
        How many indices each position offers.
    order : int
        How many labels back a score can see, 1 or more.
    log_emit : array (T, Y)
        The log emissions.
    logs : bool
        Whether the kernels work on logs; else on linear masses.
    emit : array (T, Y)
        What the kernels multiply by, or add where ``logs``.
    scale : array (T,)
        What was taken out of the logs of each row of ``emit``.
    address : RowAddress
        Of a row, for the kernels: see ``kernels/chain/state.py``.
    has_rows : bool
        Whether the field ``ROW`` is a row of the model, which a lattice then keeps, or of a column's table only.
    every_arc : bool
        Whether only the emissions can make an arc impossible: how large a lattice becomes is known before it is built.
    follows : bool
        Whether a context is scored by its heaviest history; ``table`` is then given where each comes from.
    settings : dict
        For the trace.
    remedy : str
        What to do where exact inference is too large.
    """

    labels: tuple[str, ...]
    choices: np.ndarray | None
    widths: np.ndarray
    order: int
    log_emit: np.ndarray
    logs: bool
    emit: np.ndarray
    scale: np.ndarray
    has_rows: bool
    follows: bool
    settings: dict
    remedy: str

    @property
    def every_arc(self) -> bool: ...  # a language model is asked

    @property
    def address(self) -> tuple: ...

    def place(self, i: int, here: np.ndarray) -> None:
        """Set the field ``ROW`` of column i, whose contexts all remember min(i, order) labels."""
        ...

    def table(self, columns: list[np.ndarray], links: list[np.ndarray] | None = None) -> np.ndarray:
        """The table that the last of the ``columns`` is scored with, in the kernels' domain.

        ``links[j]`` (2, C): the context of column j that the heaviest history of each context of column j + 1 comes
        from, and its label; None if nothing was merged, or links are not followed.
        """
        ...

    def arcs(self, i: int, here: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log scores (C, Y) of the arcs of column i, whatever domain the kernels work in."""
        ...


def check_rows(log_emit: Any, labels: tuple[str, ...]) -> np.ndarray:
    """``log_emit`` as a float array (T, Y), a row per position; ValueError names the fault."""
    log_emit = shape_rows(log_emit, labels)
    checks.positions(len(log_emit))
    log_emit = checks.logs(log_emit, lambda i, y: f"log_emit at position {i + 1}, label {labels[y]!r}")
    checks.warn_of_probabilities("log_emit", log_emit)
    return log_emit


def stack_rows(log_emits: Iterable[Any], labels: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The rows of many sequences (N, Y), and where each begins (W + 1,); in single precision where all are."""
    rows = checks.as_list("log_emits", log_emits, "a list of log emissions, one table (T, Y) for each word")
    stacked = _stack_arrays(rows, len(labels))
    if stacked is None:
        names = ["log_emit"] if len(rows) == 1 else [f"log_emits[{w}]" for w in range(len(rows))]
        rows = [
            shape_rows(one, labels, getattr(one, "dtype", None), name) for one, name in zip(rows, names, strict=True)
        ]
        stacked = np.concatenate(rows) if rows else np.zeros((0, len(labels)))
    offset = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(list(map(len, rows)), out=offset[1:])
    return stacked, offset


def check_stacked(stacked: np.ndarray, offset: np.ndarray, labels: tuple[str, ...]) -> None:
    """Check the logs of sequences of any length, for callers that keep no lattice; ValueError names the fault."""

    def name(i, y):
        w = int(np.searchsorted(offset, i, side="right")) - 1
        return f"log_emit{f's[{w}]' * (len(offset) > 2)} at position {i - offset[w] + 1}, label {labels[y]!r}"

    checks.logs(stacked, name)
    if len(stacked):
        checks.warn_of_probabilities("log_emit", stacked)


def _stack_arrays(rows, width):
    """The rows of all where `shape_rows` would hand each back, else None; to ask each alone takes twice as long."""
    if set(map(type, rows)) != {np.ndarray} or not {one.dtype for one in rows} <= set(FLOATS):
        return None
    try:
        stacked = np.concatenate(rows)
    except ValueError:
        return None
    return stacked if stacked.shape[1:] == (width,) and 0 not in map(len, rows) else None


def shape_rows(log_emit: Any, labels: tuple[str, ...], kept: Any = None, name: str = "log_emit") -> np.ndarray:
    """``log_emit`` as an array (T, Y) of the right shape, in double precision unless single is ``kept``."""
    if log_emit is None:
        raise ValueError(f"{name} is missing: an n-gram model needs emissions (T, Y); only an HMM brings its own")
    wanted = f"{name}: expected one row of numbers per position, all rows of one length"
    log_emit = checks.labelled(name, log_emit, labels, wanted, np.float32 if kept == np.float32 else np.float64)
    if log_emit.ndim != 2 or len(log_emit) == 0:
        raise ValueError(f"{name} has shape {log_emit.shape}: expected (positions, labels), at least one position")
    columns = log_emit.shape[1]
    if columns != len(labels):
        raise ValueError(f"{name} has {counted(columns, 'column')}, the model {counted(len(labels), 'label')}")
    return log_emit


def score_ranges(model, log_emit, root_weight=0.0):
    """The largest difference of two finite arc scores of each position, shape (T,).

    Their sum bounds how far a path can fall behind and still catch up: below ``SAFE_RANGE`` no mass that matters can
    underflow, and the kernels work on linear masses, else on logs.
    """
    by_label = np.ascontiguousarray(log_emit.T)  # numpy is four times as fast along positions as along some labels
    lowest, highest = by_label.min(axis=0), by_label.max(axis=0)
    if not np.isfinite(lowest).all():
        lowest = np.min(by_label, axis=0, where=np.isfinite(by_label), initial=np.inf)
        lowest = np.where(np.isneginf(highest), highest, lowest)
    emissions = np.subtract(highest, lowest, out=np.zeros_like(highest), where=~np.isneginf(highest))
    return emissions + weight_range(model, root_weight)


def weight_range(model, root_weight):
    """The part of the weights in the range of a position's scores."""
    return model.log_range + (abs(root_weight) if np.isfinite(root_weight) else 0.0)


def scale_emissions(log_emit, logs, dtype="f8"):
    """The kernels' factors (T, Y), and the log scale (T,) taken out of each row (0 where ``logs``)."""
    log_emit = log_emit.astype(np.float64, copy=False)
    highest = log_emit.max(axis=1)
    scale = np.where(np.isneginf(highest) | logs, 0.0, highest)
    emit = log_emit if logs else np.exp(log_emit - scale[:, None])
    return np.ascontiguousarray(emit, dtype=dtype), scale
