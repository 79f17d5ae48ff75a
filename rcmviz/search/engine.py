"""Search(a, f): take the best hypothesis from a queue, extend it, and so on until one is complete (Daumé, notes).

The queue is ordered by f = score + rest. If f never rises along extensions, the first complete hypothesis
is the best of all; else it is an answer without proof, as the result states.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.search.protocol import Complete, Expansion, Extensions, as_numbers
from rcmviz.search.queue import Bounded, Unbounded
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
    """A search's answers, their proof, and its cost.

    Attributes
    ----------
    answers : tuple of Found
        The complete hypotheses in the order in which they were popped; none where it ended before.
    stopped : {"found", "empty", "pops", "hypotheses"}
        Why it ended: k answers were found, the queue was empty, or a limit was reached.
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
        """The first answer; ValueError with the reason if there is none."""
        if not self.answers:
            raise ValueError(self.why)
        return self.answers[0]

    @property
    def proved(self) -> bool:
        """Whether the first answer is proved to be the best of all."""
        return bool(self.answers) and self.answers[0].gap == 0

    @property
    def why(self) -> str:
        """A sentence on why the first answer is the best of all, or why that is not known."""
        lost = int(np.count_nonzero(self.trace.fate == DROPPED))
        dropped = f"{lost:,} hypothes{'es were' if lost != 1 else 'is was'} dropped from the full queue"
        if not self.answers:
            return self._missing_answer_reason(dropped if lost else "")
        if self.rises is not None:
            return f"not proved: score and bound rose at {' '.join(self.rises)!r}, although the problem said never"
        if not self.promised:
            return "not proved: scores may rise along extensions, so a later answer can be better than the first"
        if self.proved:
            return f"proved after {self.pops:,} pops: no score rises along extensions" + (
                f"; {dropped}, none of them above the answer" if lost else ", and nothing was dropped"
            )
        return f"not proved: {dropped}, and another answer may be better by at most {self.answers[0].gap:.3g}"

    def _missing_answer_reason(self, dropped):
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
    problem: Expansion, *, queue: int | None = None, k: int = 1, most: int = 10_000, recombine: bool = False
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
        Extend only the k best of the hypotheses whose ``context`` is equal.

    Returns
    -------
    Search
        The answers, their proof, and the trace; also if it was stopped without an answer.

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
    waiting = Unbounded() if queue is None else Bounded(queue)
    run = _Run(Complete(problem), waiting, checks.switch("recombine", recombine) and k)
    stopped = run.loop(k, most)
    settings = {"queue": queue, "k": k, "most": most, "recombine": bool(recombine), "stopped": stopped}
    return run.result(stopped, settings)


class _Run:
    """One search under way: families of hypotheses, the queue, what was found."""

    def __init__(self, problem, queue, per_context):
        self.problem, self.queue, self.per_context = problem, queue, per_context
        if per_context and problem.context is None:
            raise ValueError(
                "recombine: the problem has no method context(hypothesis), the part that its extensions depend on"
            )
        self.made = HypothesisTable()
        self.pops, self.sizes, self.bounds, self.answers = [], [], [], []
        self.dropped, self.joined = [], []  # (numbers, pop); ``_Join``s
        self.of_context = {}
        self.highest_dropped, self.rises = -inf, None
        start = problem.start()
        rest = problem.rest(start) if problem.rest else 0.0
        self._add(NEVER, Extensions([start], as_numbers([problem.score(start)]), as_numbers([rest])))

    def loop(self, k, most):
        """Pop until ``k`` answers are found; why it stopped."""
        while len(self.queue):
            if len(self.pops) >= most:
                return "pops"
            if len(self.made) >= MOST_HYPOTHESES:
                return "hypotheses"
            node = self.queue.pop()
            hypothesis = self.made[node]
            if self.per_context and self._is_set_aside(node, hypothesis):
                continue
            self.bounds.append(max(self.made.total(node), self.highest_dropped))
            self.pops.append(node)
            if self.problem.complete(hypothesis):
                self.answers.append(node)
            else:
                self._add(node, self.problem.extensions(hypothesis, MOST_HYPOTHESES - len(self.made)))
                self._drop()
            self.sizes.append(len(self.queue))
            if len(self.answers) == k:
                return "found"
        return "empty"

    def _add(self, parent, extensions):
        """New hypotheses; those that are possible wait in the queue."""
        problem, first = self.problem, len(self.made)
        depth = self.made.add(parent, extensions)
        totals = extensions.scores + extensions.rests
        strange = ~(totals < inf)
        if strange.any():
            self._refuse(first + int(np.argmax(strange)))
        waiting = np.flatnonzero(totals > -inf)
        if problem.pinned is not None:
            pinned = np.array([bool(problem.pinned(extensions.hypotheses[place])) for place in waiting.tolist()], bool)
            self.queue.add(first + waiting[pinned], totals[waiting[pinned]], depth, pinned=True)
            waiting = waiting[~pinned]
        self.queue.add(first + waiting, totals[waiting], depth)
        if problem.never_rises and self.rises is None and parent >= 0:
            before = self.made.total(parent)
            above = totals > before + ROUNDING * (1 + abs(before))
            if above.any():
                self.rises = self._steps(first + int(np.argmax(above)))

    def _refuse(self, number):
        where = " ".join(self._steps(number))
        score, rest = self.made.score(number), self.made.total(number)
        raise ValueError(f"the score of {where!r} is {score}, with its rest {rest}: use -inf for what cannot be")

    def _is_set_aside(self, node, hypothesis):
        """Whether as many of its context as matter were extended before and are as good; it is then left aside."""
        equals = self.of_context.setdefault(self.problem.context(hypothesis), [])
        if len(equals) >= self.per_context:
            worst = min(equals, key=self.made.score)
            if self.made.score(node) <= self.made.score(worst):
                self.joined.append(_Join(node, len(self.pops) - 1, worst))
                return True
            equals.remove(worst)
        equals.append(node)
        return False

    def _drop(self):
        dropped = self.queue.drop()
        if len(dropped):
            self.dropped.append((dropped, len(self.pops) - 1))
            self.highest_dropped = max(self.highest_dropped, self.made.total(int(dropped[-1])))

    def _steps(self, number):
        names = []
        while number > 0:
            names.append(str(self.problem.name(self.made[number])))
            number = self.made.parent(number)
        return tuple(reversed(names))

    def result(self, stopped, settings):
        """The ``Search``."""
        promised = self.problem.never_rises
        answers = []
        for number in self.answers:
            score = self.made.score(number)
            above = self.highest_dropped - score
            is_rounding = above <= ROUNDING * (1 + abs(score))
            gap = (0.0 if is_rounding else above) if promised and self.rises is None else None
            answers.append(Found(self.made[number], self._steps(number), score, gap))
        return Search(
            tuple(answers),
            stopped,
            len(self.pops),
            len(self.pops) - len(answers),
            self.rises,
            promised,
            self._trace(settings),
        )

    def _trace(self, settings):
        made = self.made.columns()
        parent, count = made.parent, len(made.parent)
        fate, at, into = np.full(count, WAITING), np.full(count, NEVER), np.full(count, -1)
        pops = np.array(self.pops, np.int64)
        fate[pops], at[pops] = POPPED, np.arange(len(pops))
        with np.errstate(invalid="ignore"):
            impossible = np.flatnonzero(made.score + made.rest == -inf)
        fate[impossible], at[impossible] = IMPOSSIBLE, np.where(parent[impossible] < 0, NEVER, at[parent[impossible]])
        for numbers, pop in self.dropped:
            fate[numbers], at[numbers] = DROPPED, pop
        for join in self.joined:
            fate[join.number], at[join.number], into[join.number] = JOINED, join.pop, join.other
        complete = np.zeros(count, bool)
        complete[self.answers] = True
        return SearchTrace(
            self.made,
            *made,
            complete,
            fate,
            at,
            into,
            pops,
            np.array(self.sizes, np.int64),
            np.array(self.bounds, np.float64),
            tuple(self.answers),
            settings,
            self.problem.name,
        )


class _Join(NamedTuple):
    """A hypothesis that was left aside at a pop for another one."""

    number: int
    pop: int
    other: int


class _Family(NamedTuple):
    """The extensions of a hypothesis, and their depth."""

    parent: int
    extensions: Extensions
    depth: int


class _Columns(NamedTuple):
    """The fields of ``HypothesisTable`` for all (N,)."""

    parent: np.ndarray
    depth: np.ndarray
    score: np.ndarray
    rest: np.ndarray


class HypothesisTable(Sequence):
    """All hypotheses that were made, by number, in families: the extensions of one hypothesis."""

    def __init__(self):
        self._first, self._families = [], []

    def __len__(self):
        return self._first[-1] + len(self._families[-1].extensions.hypotheses) if self._first else 0

    def __getitem__(self, number):
        family, place = self._find(number)
        return family.extensions.hypotheses[place]

    def _find(self, number):
        """The family of a hypothesis, and its place there."""
        family = bisect_right(self._first, number) - 1
        return self._families[family], number - self._first[family]

    def add(self, parent, extensions):
        """A family, extensions of ``parent``: their depth."""
        depth = self._find(parent)[0].depth + 1 if parent >= 0 else 0
        if len(extensions.hypotheses):
            self._first.append(len(self))
            self._families.append(_Family(parent, extensions, depth))
        return depth

    def parent(self, number):
        """The hypothesis that it extends."""
        return self._find(number)[0].parent

    def score(self, number):
        """Its score."""
        family, place = self._find(number)
        return float(family.extensions.scores[place])

    def total(self, number):
        """Its score with the bound on the rest."""
        family, place = self._find(number)
        return float(family.extensions.scores[place] + family.extensions.rests[place])

    def columns(self):
        """The ``_Columns`` of all."""
        all_extensions = [family.extensions for family in self._families]
        sizes = [len(extensions.hypotheses) for extensions in all_extensions]
        return _Columns(
            np.repeat([family.parent for family in self._families], sizes),
            np.repeat([family.depth for family in self._families], sizes),
            np.concatenate([extensions.scores for extensions in all_extensions]),
            np.concatenate([extensions.rests for extensions in all_extensions]),
        )
