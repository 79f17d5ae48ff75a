"""A beam or RCMS as a search pop by pop: the contexts of a position are extended one after the other, the
heaviest first; then those of the next position are chosen.
"""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.inference.infer import viterbi
from rcmviz.search.trace import DROPPED, IMPOSSIBLE, JOINED, NEVER, POPPED, WAITING, SearchTrace

ANY = "∗"  # the label of a context that remembers none


@dataclass(frozen=True, eq=False)
class KeptSearch:
    """A builder's contexts, with the members of a ``Search`` that a view reads: it proves nothing. ``score`` is that of
    the ``answer`` by the model, where contexts hold masses of more than one output.
    """

    trace: SearchTrace
    answer: tuple[str, ...]
    score: float
    proved: bool = False
    promised: bool = False


def as_search(lattice, trace, score):
    """The ``KeptSearch`` of a lattice and the trace of its builder, whose best path has a ``score`` by the model.

    The score of a hypothesis is its log mass, a context's that of all its histories.
    """
    answer = tuple(viterbi(lattice).labels)
    rows = _Rows(lattice, trace, answer)
    for i in range(lattice.T):
        rows.extend_column(i)
    return KeptSearch(rows.as_trace(), answer, score)


class _Rows:
    """The hypotheses as columns that grow; ``node`` and ``mass`` of each context."""

    def __init__(self, lattice, trace, answer):
        self.lattice, self.trace, self.answer = lattice, trace, lattice.indices_of(answer)
        self.node, self.mass = np.full(lattice.C, -1), np.full(lattice.C, -np.inf)
        self.node[0], self.mass[0] = 0, 0.0
        self.names, self.pops, self.queue, self.best = [""], [], [], NEVER
        self.parent, self.depth, self.score, self.fate, self.at, self.into = [NEVER], [0], [0.0], [POPPED], [0], [NEVER]

    def extend_column(self, i):
        """Pop the contexts of column i, the heaviest first; then choose among what they proposed."""
        column = np.arange(self.lattice.offset[i], self.lattice.offset[i + 1])
        column = column[np.argsort(-self.mass[column], kind="stable")]
        first, end = len(self.pops), len(self.pops) + len(column)
        for k, c in enumerate(column.tolist()):
            self.at[self.node[c]] = first + k
            self.pops.append(int(self.node[c]))
        born = self._propose_last(column) if i + 1 == self.lattice.T else self._propose(i + 1, end - 1)
        made = np.array([born.get(c, 0) for c in column.tolist()])
        waiting = np.cumsum(made) + np.arange(len(column) - 1, -1, -1)
        waiting[-1] = len(np.flatnonzero(np.array(self.fate) == WAITING))
        self.queue += waiting.tolist()
        if i + 1 == self.lattice.T:
            self._add_answer()
        else:
            fate = np.array(self.fate)
            self.fate = np.where(fate == WAITING, POPPED, fate).tolist()  # they are popped in the next column

    def _propose(self, i, pop):
        """The candidates of position i, and what becomes of them after a pop; how many each context made."""
        there, part = self.lattice.column(i), self.trace.candidates(i)
        born = {}
        for m in range(part.start, part.stop):
            c, mass = int(self.trace.context[m]), float(self.trace.log_mass[m])
            kept, into = bool(self.trace.kept[m]), int(self.trace.into[m])
            fate = IMPOSSIBLE if mass == -np.inf else WAITING if kept else JOINED if into >= 0 else DROPPED
            name = self.lattice.name_of(i - 1, int(self.trace.label[m]))
            n = self._add(int(self.node[c]), name, mass, fate, NEVER if kept else pop)
            born[c] = born.get(c, 0) + (fate != IMPOSSIBLE)
            if into >= 0:
                self.mass[into] = np.logaddexp(self.mass[into], mass)
            if kept:
                self.node[into] = n
        for c in range(there.start, there.stop):
            if self.node[c] < 0:  # the context that remembers nothing: no candidate, it holds the merged ones
                before = int(self.node[self.lattice.offset[i - 1]])
                self.node[c] = self._add(before, ANY, float(self.mass[c]), WAITING, NEVER)
            self.score[self.node[c]] = float(self.mass[c])
        return born

    def _propose_last(self, column):
        """All distinct complete outputs, and which of them is the answer."""
        born, last = {}, self.lattice.T - 1
        *before, end = self.answer
        into = 0
        for y in before:
            into = int(self.lattice.target[into, y])
        for c in column.tolist():
            for y in np.flatnonzero(self.lattice.target[c] >= 0).tolist():
                score = float(self.mass[c] + self.lattice.score[c, y])
                if score > -np.inf:
                    n = self._add(int(self.node[c]), self.lattice.name_of(last, y), score, WAITING, NEVER)
                    self.best = n if (c, y) == (into, end) else self.best
                    born[c] = born.get(c, 0) + 1
        return born

    def _add_answer(self):
        """The best path is taken."""
        self.fate[self.best], self.at[self.best] = POPPED, len(self.pops)
        self.pops.append(self.best)
        self.queue.append(self.queue[-1] - 1)

    def _add(self, parent, name, score, fate, at):
        self.names.append(name)
        columns = self.parent, self.score, self.fate, self.at, self.into, self.depth
        for column, value in zip(columns, (parent, score, fate, at, NEVER, self.depth[parent] + 1), strict=True):
            column.append(value)
        return len(self.names) - 1

    def as_trace(self):
        """Everything as a ``SearchTrace`` whose hypotheses are the names of their last labels."""
        complete = np.zeros(len(self.names), bool)
        complete[self.pops[-1]] = True
        integers = {name: np.array(getattr(self, name)) for name in ("parent", "depth", "fate", "at", "into", "pops")}
        return SearchTrace(
            hypotheses=self.names,
            score=np.array(self.score),
            rest=np.zeros(len(self.names)),
            complete=complete,
            queue=np.array(self.queue),
            bound=np.full(len(self.pops), np.nan),
            answers=(self.pops[-1],),
            settings={},
            name=str,
            **integers,
        )
