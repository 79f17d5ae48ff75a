"""Scores of models without a table of their own: a row per distinct suffix, filled column by column.

Pairs of labels at any distance, a lifted Markov random field, a language model: whatever scores the next label by the
last ``order`` of them derives from ``SuffixScores``.
"""

from math import prod

import numpy as np

from rcmviz.core.models.scores import scale_emissions
from rcmviz.kernels.chain import contexts as kernel
from rcmviz.kernels.chain.state import RowAddress

FORGOTTEN, START = -1, -2  # in place of an index: a label that a context forgot, the place before the first position


class SuffixScores:
    """A ``scores.Scores`` that asks ``log_scores`` of every distinct suffix; contexts with equal suffixes share a row.

    ``log_emit (T, Y)`` are checked emissions, −inf beyond the candidates of a position if ``choices`` are given.

    >>> import rcmviz as rv
    >>> class Alternating(SuffixScores):
    ...     def log_scores(self, i, suffixes):
    ...         return np.where(suffixes[:, -1:] == np.arange(2), -1.0, 0.0)
    >>> class Model:
    ...     labels, choices = "ab", None
    ...     check_emissions = staticmethod(np.asarray)
    ...     def scores(self, log_emit, root_weight=0.0):
    ...         return Alternating(self.labels, None, 1, log_emit)
    >>> lattice, _ = rv.exact(Model(), [[0.1, 0.0], [0.0, 0.0], [0.0, 0.0]])
    >>> rv.viterbi(lattice).labels
    ('a', 'b', 'a')
    """

    has_rows = False
    follows = False  # a context is scored by what it remembers
    every_arc = False  # whether only the emissions can make an arc impossible
    logs = True  # the range of the scores is known only when every column is
    remedy = "use rcms or beam, or a lower order"

    def __init__(self, labels, choices, order, log_emit, settings=None):
        self.labels, self.choices, self.order, self.log_emit = labels, choices, order, log_emit
        self.widths = np.full(len(log_emit), log_emit.shape[1]) if choices is None else (choices >= 0).sum(axis=1)
        self.emit, self.scale = scale_emissions(log_emit, self.logs)
        self.settings = settings or {}

    def __str__(self):
        return f"of order {self.order} over {self.log_emit.shape[1]} labels"

    def log_scores(self, i, suffixes):
        """Log scores (K, Y) of the labels after i labels, emissions left out.

        ``suffixes (K, order)`` are what contexts remember, the last label rightmost, as indices of their positions:
        ``FORGOTTEN`` where they remember nothing, ``START`` once before a complete history; or what ``seen`` makes of
        them.
        """
        raise NotImplementedError

    def seen(self, i, suffixes):
        """The relevant part of the suffixes, (C, …) integers: contexts with equal parts share a row."""
        return suffixes

    @property
    def address(self):
        """Codes of histories for de-duplication; the rows come with the table."""
        width, n = self.log_emit.shape[1], self.order
        powers = np.array([min(width**k, 2**62) for k in range(n + 1)], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        none.setflags(write=False)
        return RowAddress(powers, np.zeros((n + 1, n + 1), np.int64), none, False)

    def place(self, i, here):
        """Nothing to set: the rows come with the table."""

    def table(self, columns, links=None):
        """Log scores after each distinct suffix of the last of the ``columns``, whose rows are set."""
        i = len(columns) - 1
        known, columns[-1][kernel.ROW] = unique_rows(self.seen(i, self.suffixes(columns, links)))
        table = np.ascontiguousarray(self.log_scores(i, known), dtype=np.float64)
        table.setflags(write=False)
        return table

    def suffixes(self, columns, links=None):
        """Indices (C, order) of what each context of the last column remembers, for ``seen`` and ``log_scores``."""
        i, n, here = len(columns) - 1, self.order, columns[-1]
        suffixes = np.full((here.shape[1], n), FORGOTTEN, np.int64)
        at = np.arange(len(suffixes))
        for back in range(1, min(i, n) + 1):
            knows, column = here[kernel.LENGTH] >= back, columns[i - back + 1]
            suffixes[:, n - back] = np.where(knows, column[kernel.LABEL].take(at), FORGOTTEN)
            at = np.where(knows, column[kernel.ORIGIN].take(at), 0)
        if i < n:
            suffixes[here[kernel.LENGTH] == i, n - 1 - i] = START
        return suffixes

    def arcs(self, i, here, table):
        """Log scores (C, Y) of the arcs of column i."""
        return table[here[kernel.ROW]] + self.log_emit[i]


def unique_rows(values):
    """The different rows of ``values (C, …)`` in order of their first, and which of them each one is, (C,).

    >>> known, rows = unique_rows(np.array([[3, 4], [1, 2], [3, 4]]))
    >>> known.tolist(), rows.tolist()
    ([[3, 4], [1, 2]], [0, 1, 0])
    """
    flat = np.ascontiguousarray(values).reshape(len(values), prod(values.shape[1:]))
    spelt = flat.view(f"V{flat.itemsize * flat.shape[1]}").ravel().tolist()
    number = {key: k for k, key in enumerate(dict.fromkeys(spelt))}
    rows = np.array([number[key] for key in spelt], np.int64)
    first = np.empty(len(number), np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]
    return values[first], rows
