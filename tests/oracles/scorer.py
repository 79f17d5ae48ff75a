"""A scorer under given contexts by its definition, by enumeration of all outputs; imports nothing of rcmviz.

Labels are numbers, contexts tuples of them, the oldest first. ``columns[i]`` are the contexts after i labels in their
order, ``emit[i][y]`` and ``score(history)[y]`` log scores, the history being the last N − 1 labels of all, ``BEFORE``
in front of the first.
"""

import math
from dataclasses import dataclass, field
from itertools import product

BEFORE = -1


def last(history, count):
    """The last labels of a history, as a scorer is asked.

    >>> last((3, 4), 3), last((3, 4), 1), last((3, 4), 0)
    ((-1, 3, 4), (4,), ())
    """
    return ((BEFORE,) * count + tuple(history))[len(history) :]


def log_sum(logs):
    """Log of a sum of numbers that are known by their logs."""
    logs = list(logs)
    highest = max(logs, default=-math.inf)
    if highest == -math.inf:
        return highest
    return highest + math.log(math.fsum(math.exp(log - highest) for log in logs))


def full_score(output, emit, score, order):
    """Log score of an output by the scorer itself."""
    return sum(emit[i][y] + score(last(output[:i], order - 1))[y] for i, y in enumerate(output))


@dataclass
class Machine:
    """``merging``: candidates that are no contexts join their longest suffix that is one, otherwise they are dropped.

    A path pays ``root_weight`` where it enters the root, the context without labels.

    ``arcs[i][c][y]`` log score of label y after the c-th context of ``columns[i]`` · ``heaviest[i][c]`` the most
    probable labels that lead there, None for a context that no output of positive mass reaches · ``reached[i]``
    ``{prefix: (context, log score)}`` · ``outputs`` ``{output: log score}``.
    """

    columns: list
    emit: list
    score: object
    order: int
    merging: bool = True
    root_weight: float = 0.0
    arcs: list = field(default_factory=list)
    heaviest: list = field(default_factory=list)
    reached: list = field(default_factory=list)

    def __post_init__(self):
        reached = {(): (0, 0.0)}
        for i, contexts in enumerate(self.columns):
            self.reached.append(reached)
            self.heaviest.append([self._heaviest(i, c, reached) for c in range(len(contexts))])
            self.arcs.append([self._arcs(i, *pair) for pair in zip(contexts, self.heaviest[i], strict=True)])
            reached = dict(self._extended(i, reached))
        self.outputs = {output: total for output, (_, total) in reached.items()}
        self.log_z = log_sum(self.outputs.values())

    def _heaviest(self, i, c, reached):
        """Of equal histories the one that comes from the lower context, then of the lower label."""
        there = {prefix: total for prefix, (into, total) in reached.items() if into == c and total > -math.inf}
        if not there:
            return None
        if i == 0:
            return ()
        most, before = max(there.values()), self.reached[i - 1]
        ways = {(before[prefix[:-1]][0], prefix[-1]) for prefix, total in there.items() if total == most}
        origin, label = min(ways)
        return (*self.heaviest[i - 1][origin], label)

    def _arcs(self, i, context, history):
        if history is None:
            return None
        scores = self.score(last(history, self.order - 1))
        return [
            e + s + self._pays(i, context + (y,)) for y, (e, s) in enumerate(zip(self.emit[i], scores, strict=True))
        ]

    def _pays(self, i, context):
        enters = self.root_weight and i < len(self.columns) - 1 and self._target(i, context) == 0
        return self.root_weight if enters else 0.0

    def _extended(self, i, reached):
        """Every prefix with one label more, and where it leads."""
        ending = i == len(self.columns) - 1
        for (prefix, (c, total)), y in product(reached.items(), range(len(self.emit[i]))):
            if self.arcs[i][c] is None:
                continue
            into = 0 if ending else self._target(i, self.columns[i][c] + (y,))
            if into is not None:
                yield (*prefix, y), (into, total + self.arcs[i][c][y])

    def _target(self, i, context):
        there = self.columns[i + 1]
        for start in range(len(context) + 1 if self.merging else 1):
            if context[start:] in there:
                return there.index(context[start:])
        return None

    def mass_of_candidates(self, i):
        """Return ``{(context, label): log mass}`` of the candidates after i labels."""
        found = {}
        for _, (c, total) in self.reached[i].items():
            for y, arc in enumerate(self.arcs[i][c] or ()):
                found.setdefault((self.columns[i][c], y), []).append(total + arc)
        return {candidate: log_sum(logs) for candidate, logs in found.items()}
