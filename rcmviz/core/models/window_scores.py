"""The windows of a log-linear n-gram model as scores: one table for all positions."""

import numpy as np

from rcmviz.core.models.scores import SAFE_RANGE, scale_emissions, score_ranges
from rcmviz.kernels.chain import contexts as kernel


class WindowScores:
    """An ``NgramModel`` and emissions ``log_emit (T, Y)``; see ``scores.Scores``."""

    choices: np.ndarray | None = None
    has_rows = True
    follows = False
    settings: dict = {}
    remedy = "use rcms or beam, or a lower order"

    def __init__(self, model, log_emit, root_weight=0.0):
        self.model, self.labels, self.order, self.address = model, model.labels, model.order, model.address
        self.log_emit, self.widths = log_emit, np.full(len(log_emit), len(model.labels))
        self.logs = bool(score_ranges(model, log_emit, root_weight).sum() >= SAFE_RANGE["f8"])
        self.emit, self.scale = scale_emissions(log_emit, self.logs)

    @property
    def every_arc(self):
        """Whether no window is forbidden."""
        return self.model.is_positive

    def __str__(self):
        return f"of order {self.order} over {len(self.labels)} labels"

    def place(self, i, here):
        """The rows of contexts of one length are found by their codes."""
        here[kernel.ROW] = self.model.rows(i, int(here[kernel.LENGTH, 0]), here[kernel.CODE])

    def table(self, columns, links=None):
        """The model's table, the same for every column."""
        return self.model.table(self.logs)

    def arcs(self, i, here, table):
        """Log scores (C, Y), of logs whatever domain the kernels work in."""
        return self.model.log_table[here[kernel.ROW]] + self.log_emit[i]
