"""A model that scores what a context forgot by the best that could have stood there: its log Z is an upper bound.

RCMS on it keeps the contexts that matter to the bound and merges the others, as adaptive rejection keeps what
rejections ask for (Carter, Dymetman and Bouchard, 2012). No output scores less than in the full model.
"""

from math import prod

import numpy as np

from rcmviz.core.builders.histories import arc_scores
from rcmviz.core.models.suffix_scores import SuffixScores
from rcmviz.kernels.chain import contexts as kernel
from rcmviz.search.bounds import arc_maxima

MOST_CELLS = 2_000_000  # of one table of maxima, 16 MB; beyond that a context is scored as if it knew less


class MaximaModel:
    """The bound of another model, for ``rv.rcms``."""

    def __init__(self, model):
        self.model, self.labels, self.choices = model, model.labels, model.choices

    def check_emissions(self, log_emit):
        """Check them as the other model does."""
        return self.model.check_emissions(log_emit)

    def scores(self, log_emit, root_weight=0.0):
        """Maxima where a context forgot what the other model's scores can see."""
        return MaximaScores(self.model.scores(log_emit))


class MaximaScores(SuffixScores):
    """Largest scores over all histories that end in what a context remembers; its tables hold the emissions too."""

    def __init__(self, scores):
        super().__init__(scores.labels, scores.choices, scores.order, scores.log_emit, scores.settings)
        self.scores, self.emit, self._of = scores, np.zeros_like(scores.log_emit), {}
        self._widths = scores.widths.tolist()

    def log_scores(self, i, suffixes):
        """Log scores (K, Y) with emissions: the full model's where nothing was forgotten, else maxima."""
        known, seen = (suffixes >= 0).sum(axis=1), min(i, self.order)
        table = np.full((len(suffixes), self.log_emit.shape[1]), -np.inf)
        for k in np.unique(known).tolist():
            rows = np.flatnonzero(known == k)
            if k == seen:
                table[rows] = self._full_score(i, suffixes[rows])
            else:
                width = self._widths[i]
                table[rows, :width] = self._best(i, k, suffixes[rows]) + self.log_emit[i, :width]
        return table

    def arcs(self, i, here, table):
        """Log scores (C, Y) of the arcs of column i."""
        return table[here[kernel.ROW]]

    def _full_score(self, i, suffixes):
        """Scores of the full model after the last min(i, order) labels of all."""
        histories = np.zeros((len(suffixes), i), np.int64)
        if i:
            histories[:, -self.order :] = suffixes[:, -min(i, self.order) :]
        return arc_scores(self.scores, histories)

    def _best(self, i, k, suffixes):
        """The most (K, Y) after suffixes that end in k labels, without emissions."""
        widths = self._widths
        while k and prod(widths[i - k : i + 1]) > MOST_CELLS:
            k -= 1
        if k not in self._of:
            self._of[k] = arc_maxima(self.scores, k)
        table, codes = self._of[k](i), np.zeros(len(suffixes), np.int64)
        for back in range(k, 0, -1):
            codes = codes * widths[i - back] + suffixes[:, -back]
        return table[codes % len(table)]  # of words there is one row, whatever is known
