"""Whole histories as a lattice: the tree of what was drawn, with the trace of what could have been."""

from dataclasses import replace

import numpy as np

from rcmviz.core.builders.histories import arc_scores, history_pass
from rcmviz.core.builders.passes import assemble, record_candidates
from rcmviz.core.lattices.edits import edit_settings
from rcmviz.core.methods import METHODS
from rcmviz.core.shared import checks


class HistoryTree:
    """Histories that grow by one label per position; every column is in the order of what its histories extend.

    ``origins``, ``labels`` per position: the history extended and the label, of each of the new ones.
    """

    def __init__(self, proposal):
        self.proposal, self.scores = proposal, proposal.scores
        self.width = proposal.lattice.width
        self.origins, self.labels = [], []
        self.known = np.zeros((1, 0), np.int64)  # (C, i) the labels of the histories of the last column
        self.contexts = np.zeros(1, np.int64)  # (C,) of RCMS, where they lead in its lattice
        self.log_score = np.zeros(1)  # (C,) in the full model
        self.proposed = []  # per position the full scores (C, Y) of all extensions
        self.keys = []  # and what they are taken by

    def propose(self):
        """Store the full scores (C, Y) of all extensions of the histories."""
        self.proposed.append(self.log_score[:, None] + arc_scores(self.scores, self.known))

    def grow(self, taken):
        """Extend the histories: ``taken`` are (history, label) as ascending numbers history · Y + label."""
        origin, label = np.divmod(taken, self.width)
        self.origins.append(origin)
        self.labels.append(label)
        self.log_score = self.proposed[-1][origin, label]
        self.known = np.concatenate([self.known[origin], label[:, None]], axis=1)
        self.contexts = self.proposal.lattice.target[self.contexts[origin], label]

    def finish(self, settings, pin, forbid, record, log_mass=None):
        """``(lattice, trace)``; what was grown last are the outputs, which have ``log_mass`` instead of their score."""
        scores, beam = self.scores, METHODS["beam"].rule()
        lattice = assemble(scores, history_pass(scores, self.origins, self.labels), beam)
        if log_mass is not None:
            score, last = np.array(lattice.score), lattice.column(lattice.T - 1).start
            possible = log_mass > -np.inf
            change = np.subtract(log_mass, self.log_score, out=np.full(len(log_mass), -np.inf), where=possible)
            score[last + self.origins[-1], self.labels[-1]] += change
            lattice = replace(lattice, score=score)
        if not checks.switch("record", record):
            return lattice, None
        settings |= {"order": scores.order, **scores.settings, **edit_settings(pin, forbid)}
        kept = [lattice.target[lattice.column(i)] >= 0 for i in range(lattice.T)]
        return lattice, record_candidates(lattice, scores, self.proposed, self.keys, kept, settings)
