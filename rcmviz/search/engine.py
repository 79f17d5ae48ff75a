"""Search(a, f): take the best hypothesis from a queue, extend it, and so on until one is complete (Daumé, notes).

What the queue is ordered by, f, is score + rest. Where f never rises along extensions, the first complete hypothesis
is the best of all; else it is an answer, and the result says so.
"""

from dataclasses import dataclass
from itertools import islice
from math import inf, isnan
from typing import Any

import numpy as np

from rcmviz.core import checks
from rcmviz.search.protocol import Complete, Expansion
from rcmviz.search.queue import Queue
from rcmviz.search.trace import DROPPED, IMPOSSIBLE, JOINED, NEVER, POPPED, WAITING, SearchTrace

MOST_HYPOTHESES = 5_000_000  # of one search, some 2 GB
ROUNDING = 1e-9  # relative; what sums of scores may be off by


@dataclass(frozen=True)
class Found:
    """One answer of a search.

    Attributes
    ----------
    hypothesis : object
        The complete hypothesis.
    steps : tuple of str
        Its steps by name.
    score : float
        Its score.
    gap : float or None
        How much better the best hypothesis of its rank can be: 0.0 where it is proved to be that one, None where
        nothing is known.
    """

    hypothesis: Any
    steps: tuple[str, ...]
    score: float
    gap: float | None


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found, what is proved of it, and what it took.

    Attributes
    ----------
    answers : tuple of Found
        The complete hypotheses in the order in which they were popped; none where it ended before.
    stopped : {"found", "empty", "pops", "hypotheses"}
        Why it ended: as many were found as were asked for, nothing waited any more, or a limit was reached.
    pops : int
        How many hypotheses were taken from the queue.
    expansions : int
        How many of them were extended.
    rises : tuple of str, optional
        A step along which score + rest rose although the problem promised that it never does.
    promised : bool
        Whether the problem promised it.
    trace : SearchTrace
        Every pop.
    """

    answers: tuple[Found, ...]
    stopped: str
    pops: int
    expansions: int
    rises: tuple[str, ...] | None
    promised: bool
    trace: SearchTrace

    @property
    def best(self) -> Found:
        """The first answer; ValueError where there is none, with the reason."""
        if not self.answers:
            raise ValueError(self.why)
        return self.answers[0]

    @property
    def proved(self) -> bool:
        """Whether the first answer is proved to be the best of all."""
        return bool(self.answers) and self.answers[0].gap == 0

    @property
    def why(self) -> str:
        """Why the first answer is the best of all, or why that is not known: one sentence."""
        lost = int(np.count_nonzero(self.trace.fate == DROPPED))
        dropped = f"{lost:,} hypothes{'es were' if lost != 1 else 'is was'} dropped from the full queue"
        if not self.answers:
            return self._why_none(dropped if lost else "")
        if self.rises is not None:
            return f"not proved: score and bound rose at {' '.join(self.rises)!r}, although the problem said never"
        if not self.promised:
            return "not proved: scores may rise along extensions, so a later answer can be better than the first"
        if self.proved:
            return f"proved after {self.pops:,} pops: no score rises along extensions" + (
                f"; {dropped}, none of them above the answer" if lost else ", and nothing was dropped"
            )
        return f"not proved: {dropped}, and another answer may be better by at most {self.answers[0].gap:.3g}"

    def _why_none(self, dropped):
        if self.stopped == "empty":
            after = f"; {dropped}, answers may have begun so" if dropped else ": every one ended or is impossible"
            return f"no hypothesis became complete in {self.pops:,} pops{after}"
        limit = {"pops": f"{self.pops:,} pops", "hypotheses": f"{len(self.trace.parent):,} hypotheses"}[self.stopped]
        deepest = int(self.trace.depth.max())
        return (
            f"stopped after {limit} without a complete hypothesis; the longest has {deepest:,} steps: allow more pops "
            "(most), bound the queue, or look whether complete() ever becomes true"
        )


def search_best(
    problem: Expansion, *, queue: int | None = None, k: int = 1, most: int = 100_000, recombine: bool = False
) -> Search:
    """Search a problem best-first: take the highest hypothesis from a queue and extend it, until one is complete.

    Parameters
    ----------
    problem : Expansion
        The problem: ``start``, ``extend``, ``complete`` and ``score``; with ``rest``, a bound on what can still come,
        the search is A*.
    queue : int, optional
        How many hypotheses may wait, 1 or more; beyond that the lowest are dropped. 1 is greedy search, None drops
        nothing.
    k : int
        How many answers, 1 or more.
    most : int
        Pops to stop after.
    recombine : bool
        Keep only the k best of the hypotheses whose ``context`` is equal.

    Returns
    -------
    Search
        The answers, what is proved of them, and the trace; also where it was stopped without an answer.

    Raises
    ------
    ValueError
        An argument is malformed, a score is NaN or +inf, or the problem lacks a method.

    Notes
    -----
    Search(a, f) of Daumé's notes. Ties go to the longer hypothesis, then to the one that was made first; what scores
    −inf is never queued. If f = score + rest never rises along extensions, the first answer is the best, the second the
    second best and so on; this also holds after drops where no dropped one was above the answer.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> found = rv.search_best(rv.SequenceSearch(model, [[0.0, 0.1], [0.1, 0.0]], bound_order=0))
    >>> "".join(found.best.steps), found.proved, found.pops
    ('ab', True, 4)
    """
    if queue is not None:
        queue = checks.whole("queue", queue, 1, wanted="how many hypotheses may wait, 1 or more; None for no limit")
    k, most = checks.whole("k", k, 1), checks.whole("most", most, 1, wanted="pops to stop after, 1 or more")
    run = _Run(Complete(problem), Queue(queue), checks.switch("recombine", recombine) and k)
    stopped = run.loop(k, most)
    settings = {"queue": queue, "k": k, "most": most, "recombine": bool(recombine), "stopped": stopped}
    return run.result(stopped, settings)


class _Run:
    """One search under way: columns of hypotheses, the queue, what was found."""

    def __init__(self, problem, queue, per_context):
        self.problem, self.queue, self.per_context = problem, queue, per_context
        if per_context and problem.context is None:
            raise ValueError("recombine: the problem has no method context(hypothesis) that says what its future sees")
        self.hypotheses, self.parent, self.depth = [], [], []
        self.score, self.rest, self.fate, self.at, self.into = [], [], [], [], []
        self.pops, self.sizes, self.bounds, self.answers = [], [], [], []
        self.of_context = {}
        self.highest_dropped, self.rises = -inf, None
        self._add(problem.start(), NEVER)

    def loop(self, k, most):
        """Pop until ``k`` answers are found; why it stopped."""
        while len(self.queue):
            if len(self.pops) >= most:
                return "pops"
            if len(self.parent) >= MOST_HYPOTHESES:
                return "hypotheses"
            node = self.queue.pop()
            self._pop(node)
            if self.problem.complete(self.hypotheses[node]):
                self.answers.append(node)
            else:
                room = MOST_HYPOTHESES - len(self.parent)
                for extension in islice(self.problem.extend(self.hypotheses[node]), max(0, room)):
                    self._add(extension, node)
                self._drop()
            self.sizes.append(len(self.queue))
            if len(self.answers) == k:
                return "found"
        return "empty"

    def _pop(self, node):
        self.bounds.append(max(self.score[node] + self.rest[node], self.highest_dropped))
        self.fate[node], self.at[node] = POPPED, len(self.pops)
        self.pops.append(node)

    def _add(self, hypothesis, parent):
        """A new hypothesis; it waits in the queue unless it is impossible or one of an equal context is better."""
        problem, number = self.problem, len(self.parent)
        score = problem.score(hypothesis)
        rest = problem.rest(hypothesis) if problem.rest else 0.0
        self.hypotheses.append(hypothesis)
        self.parent.append(parent)
        self.depth.append(self.depth[parent] + 1 if parent >= 0 else 0)
        self.score.append(score)
        self.rest.append(rest)
        self.fate.append(WAITING)
        self.at.append(NEVER)
        self.into.append(-1)
        total = score + rest
        if isnan(total) or total == inf:
            where = " ".join(self._steps(number))
            raise ValueError(f"the score of {where!r} is {score}, its rest {rest}: use -inf for what cannot be")
        if total == -inf:
            self._end(number, IMPOSSIBLE)
            return
        if problem.never_rises and self.rises is None and parent >= 0:
            before = self.score[parent] + self.rest[parent]
            if total > before + ROUNDING * (1 + abs(before)):
                self.rises = self._steps(number)
        if not self.per_context or self._is_best_of_its_context(number):
            self.queue.push((self._comes_first(hypothesis), total, self.depth[number]), number)

    def _comes_first(self, hypothesis):
        return bool(self.problem.pinned and self.problem.pinned(hypothesis))

    def _is_best_of_its_context(self, number):
        """Whether it is among the best of its context; the one that it displaces leaves the queue."""
        equals = self.of_context.setdefault(self.problem.context(self.hypotheses[number]), [])
        if len(equals) < self.per_context:
            equals.append(number)
            return True
        worst = min(equals, key=lambda n: (self.score[n], -n))
        if self.score[number] <= self.score[worst]:
            self._end(number, JOINED, worst)
            return False
        equals[equals.index(worst)] = number
        if self.fate[worst] == WAITING:
            self.queue.remove(worst)
            self._end(worst, JOINED, number)
        return True

    def _drop(self):
        for number in self.queue.drop():
            self._end(number, DROPPED)
            self.highest_dropped = max(self.highest_dropped, self.score[number] + self.rest[number])

    def _end(self, number, fate, into=-1):
        self.fate[number], self.at[number], self.into[number] = fate, len(self.pops) - 1, into

    def _steps(self, number):
        names = []
        while number > 0:
            names.append(str(self.problem.name(self.hypotheses[number])))
            number = self.parent[number]
        return tuple(reversed(names))

    def result(self, stopped, settings):
        """The ``Search``."""
        promised = self.problem.never_rises
        answers = []
        for number in self.answers:
            score = self.score[number]
            above = self.highest_dropped - score
            is_rounding = above <= ROUNDING * (1 + abs(score))
            gap = (0.0 if is_rounding else above) if promised and self.rises is None else None
            answers.append(Found(self.hypotheses[number], self._steps(number), score, gap))
        return Search(
            tuple(answers), stopped, len(self.pops), len(self.pops) - len(answers), self.rises, promised,
            self._trace(settings),
        )  # fmt: skip

    def _trace(self, settings):
        complete = np.zeros(len(self.parent), bool)
        complete[self.answers] = True
        whole = (np.array(column, np.int64) for column in (self.parent, self.depth))
        real = (np.array(column, np.float64) for column in (self.score, self.rest))
        ends = (np.array(column, np.int64) for column in (self.fate, self.at, self.into, self.pops, self.sizes))
        fate, at, into, pops, sizes = ends
        bounds = np.array(self.bounds, np.float64)
        return SearchTrace(
            self.hypotheses, *whole, *real, complete, fate, at, into, pops, sizes, bounds, tuple(self.answers),
            settings, self.problem.name,
        )  # fmt: skip
