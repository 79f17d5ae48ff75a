"""What scores the arcs of a column: the windows of a log-linear model, or the words of a language model.

Both hand the kernels of ``kernels/contexts.py`` a table with a row per known suffix: the log-linear model one table for
all positions, the language model one per column, filled when the column's contexts are known. A context is scored by
what it remembers and by nothing else; a complete history also knows where it began.
"""

import numpy as np

from rcmviz.hmm import HMM, LARGEST, MAX_POSITIONS
from rcmviz.kernels import contexts as kernel
from rcmviz.kernels import ngrams

# Linear masses lose a path only where it falls e^-700 behind in one stretch and catches up in the rest.
SAFE_RANGE = {"f8": 600.0, "f4": 70.0}


class WindowScores:
    """A log-linear n-gram model and emissions ``log_emit (T, Y)``.

    ``labels`` · ``choices`` None: every position offers all labels · ``widths (T,)`` how many a position offers ·
    ``order`` labels that a score can see · ``address`` of a row, for the kernels · ``logs`` whether they work on logs ·
    ``emit (T, Y)`` what they multiply by, with ``scale (T,)`` taken out · ``settings`` for the trace · ``remedy`` where
    exact inference, named by ``str``, is too large.
    """

    choices = None
    settings = {}
    remedy = "use rcms or beam, or a lower order"

    def __init__(self, model, log_emit, root_weight=0.0):
        self.model, self.labels, self.order, self.address = model, model.labels, model.order, model.address
        self.log_emit, self.widths = log_emit, np.full(len(log_emit), len(model.labels))
        self.logs = bool(score_ranges(model, log_emit, root_weight).sum() >= SAFE_RANGE["f8"])
        self.emit, self.scale = scaled_emissions(log_emit, self.logs)

    def __str__(self):
        return f"of order {self.order} over {len(self.labels)} labels"

    def place(self, i, here):
        """Set the rows of a column whose contexts all remember min(i, n) labels."""
        here[kernel.ROW] = self.model.rows(i, min(i, self.order), here[kernel.CODE])

    def table(self, columns):
        """The table that the last of the ``columns`` is scored with, in the kernels' domain."""
        return self.model.table(self.logs)

    def arcs(self, i, here, table):
        """Log scores (C, Y) of the arcs of column i, whatever domain the kernels work in."""
        return self.model.log_table[here[kernel.ROW]] + self.log_emit[i]


class WordScores:
    """The language model and the observations of an HMM; attributes and methods as of ``WindowScores``.

    A position offers its candidates: indices beyond them are padding, without mass. Contexts equal in their last N − 1
    words share a row.
    """

    logs = True  # the range of the scores is known only when every column is
    remedy = "use rcms, beam or ars_decode, or offer fewer candidates"

    def __init__(self, hmm, log_emit):
        self.hmm, self.labels, self.choices = hmm, hmm.labels, hmm.choices
        self.log_emit, self.widths = log_emit, (hmm.choices >= 0).sum(axis=1)
        self.order = max(hmm.order - 1, 1)
        self.emit, self.scale = scaled_emissions(log_emit, self.logs)
        self.settings = {"temperature": float(hmm.temperature), "end": bool(hmm.end)}

    def __str__(self):
        return f"with a {self.hmm.order}-gram model and up to {self.log_emit.shape[1]} candidates at a position"

    @property
    def address(self):
        """Codes of histories for de-duplication; the rows come with the table."""
        width, n = self.log_emit.shape[1], self.order
        powers = np.array([min(width**k, 2**62) for k in range(n + 1)], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        none.setflags(write=False)
        return powers, np.zeros((n + 1, n + 1), np.int64), none, False

    def place(self, i, here):
        """Nothing to set: the rows come with the table."""

    def table(self, columns):
        """Log probabilities of the candidates after each distinct known suffix of the last of the ``columns``."""
        known, rows = np.unique(self._known(columns), axis=0, return_inverse=True)
        columns[-1][kernel.ROW] = rows.ravel()
        words = self.hmm.words[len(columns) - 1].copy()
        table = np.empty((len(known), len(words)))
        for history, scores in zip(known, table, strict=True):
            ngrams.fill_log_probs(
                self.hmm.lm.trie.arrays, history, 0, len(history), words, 1.0 / self.hmm.temperature, scores
            )
        table.setflags(write=False)
        return table

    def _known(self, columns):
        """Ids (C, n) of the words that each context of the last column remembers, right-aligned, −1 where forgotten."""
        i, n, here = len(columns) - 1, self.order, columns[-1]
        known = np.full((here.shape[1], n), -1, np.int32)
        at = np.arange(len(known))
        for back in range(1, min(i, n) + 1):
            knows, column = here[kernel.LENGTH] >= back, columns[i - back + 1]
            label = column[kernel.LABEL, at]
            known[knows, n - back] = self.hmm.words[i - back, label[knows]]
            at = np.where(knows, column[kernel.ORIGIN, at], 0)
        if i < n:
            known[here[kernel.LENGTH] == i, n - 1 - i] = self.hmm.lm.begin
        return known

    def arcs(self, i, here, table):
        """Log scores (C, Y) of the arcs of column i."""
        return table[here[kernel.ROW]] + self.log_emit[i]


def scores_of(model, log_emit, root_weight=0.0):
    """What scores ``model`` on checked and edited emissions."""
    return WordScores(model, log_emit) if isinstance(model, HMM) else WindowScores(model, log_emit, root_weight)


def check_emissions(model, log_emit):
    """``log_emit`` as a float array (T, Y), an HMM's own; ValueError names what is wrong with it."""
    if isinstance(model, HMM):
        if log_emit is not None:
            raise ValueError("an HMM has its own observations: leave out log_emit and name the options, budget=20")
        return model.log_emit
    if log_emit is None:
        raise ValueError("log_emit is missing: an n-gram model needs emissions (T, Y); only an HMM brings its own")
    try:
        log_emit = np.asarray(log_emit, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("log_emit: expected one row of numbers per position, all rows of one length") from None
    if log_emit.ndim != 2 or len(log_emit) == 0:
        raise ValueError(f"log_emit has shape {log_emit.shape}: expected (positions, labels), at least one position")
    if log_emit.shape[1] != len(model.labels):
        raise ValueError(f"log_emit has {log_emit.shape[1]} columns, the model has {len(model.labels)} labels")
    if len(log_emit) > MAX_POSITIONS:
        raise ValueError(f"{len(log_emit)} positions: the limit is {MAX_POSITIONS}; split the sequence")
    bad = np.argwhere(~((np.abs(log_emit) < LARGEST) | np.isneginf(log_emit)))
    if len(bad):
        i, y = bad[0]
        where = f"log_emit at position {i + 1}, label {model.labels[y]!r}"
        raise ValueError(f"{where} is {log_emit[i, y]}: use a log below {LARGEST:g} in size, or -inf")
    return log_emit


def score_ranges(model, log_emit, root_weight=0.0):
    """How far apart two finite arc scores of a position can be, shape (T,).

    Their sum bounds how far a path can fall behind and still catch up: below ``SAFE_RANGE`` no mass that matters can
    underflow, and the kernels work on linear masses, else on logs.
    """
    finite = np.isfinite(log_emit)
    lowest = np.min(log_emit, axis=1, where=finite, initial=np.inf)
    highest = np.max(log_emit, axis=1, where=finite, initial=-np.inf)
    emissions = np.where(finite.any(axis=1), highest - lowest, 0.0)
    return emissions + model.log_range + (abs(root_weight) if np.isfinite(root_weight) else 0.0)


def scaled_emissions(log_emit, logs, dtype="f8"):
    """What the kernels multiply by (T, Y), and the log scale (T,) taken out of each row (0 where ``logs``)."""
    highest = log_emit.max(axis=1)
    scale = np.where(np.isneginf(highest) | logs, 0.0, highest)
    emit = log_emit if logs else np.exp(log_emit - scale[:, None])
    return np.ascontiguousarray(emit, dtype=dtype), scale
