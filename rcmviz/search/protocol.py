"""The interface of a search problem: starts, extensions, completeness, scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from rcmviz.core.shared import checks

H = TypeVar("H")


class Expansion(Protocol[H]):
    """A problem of search: four methods over hypotheses of any type.

    Further members are used where a problem has them, and a class that derives from ``Expansion`` has them all:
    ``rest``, ``context``, ``name`` and ``never_rises``.

    Examples
    --------
    Words of four letters in which b follows a at a gain, with a bound on the gains to come:

    >>> class Words:
    ...     start = lambda self: ""
    ...     extend = lambda self, word: [word + letter for letter in "ab"]
    ...     complete = lambda self, word: len(word) == 4
    ...     score = lambda self, word: word.count("ab") - 0.1 * word.count("b")
    ...     rest = lambda self, word: (5 - len(word)) // 2
    >>> import rcmviz as rv
    >>> rv.search_best(Words()).best.hypothesis
    'abab'
    """

    never_rises: bool = False
    """Whether score + rest of an extension is never above that of what it extends: the first answer is then the best.
    The problem promises it; the search reports a promise that it sees broken."""

    def start(self) -> H:
        """The empty hypothesis."""
        ...

    def extend(self, hypothesis: H) -> Iterable[H]:
        """All hypotheses that are one step longer."""
        ...

    def complete(self, hypothesis: H) -> bool:
        """Whether it is an answer; complete ones are not extended."""
        ...

    def score(self, hypothesis: H) -> float:
        """Its score so far; higher is better, −inf if impossible."""
        ...

    def rest(self, hypothesis: H) -> float:
        """Upper bound on what the rest can add to the score; 0.0 of a complete hypothesis."""
        return 0.0

    def context(self, hypothesis: H) -> Hashable:
        """The state that decides its future: hypotheses with equal contexts have equal extensions and gains."""
        return hypothesis  # type: ignore[return-value]

    def name(self, hypothesis: H) -> str:
        """The last step in words."""
        return str(hypothesis)[-40:]


class Extensions(NamedTuple):
    """The extensions of a hypothesis, with their scores (n,) and the bounds on their rest (n,)."""

    hypotheses: Sequence
    scores: np.ndarray
    rests: np.ndarray


class Complete:
    """A problem with the optional members filled in; those that it lacks are None, but for its ``name``.

    ``SequenceSearch`` has two more: ``extend_many`` extends and scores at once, ``pinned`` is extended before
    all others, whatever it scores.
    """

    def __init__(self, problem: Expansion):
        for name in ("start", "extend", "complete", "score"):
            if not callable(getattr(problem, name, None)):
                needed = "a problem of search has start, extend, complete and score"
                raise ValueError(f"{type(problem).__name__} has no method {name!r}: {needed}")
        self.start, self.complete, self.score = problem.start, problem.complete, problem.score
        self.never_rises = bool(getattr(problem, "never_rises", False))
        self.rest, self.context = getattr(problem, "rest", None), getattr(problem, "context", None)
        self.pinned = getattr(problem, "pinned", None)
        self.name = getattr(problem, "name", None) or (lambda hypothesis: str(hypothesis)[-40:])
        self._extend, self._extend_many = problem.extend, getattr(problem, "extend_many", None)

    def extensions(self, hypothesis, most):
        """At most ``most`` extensions of a hypothesis, with their scores and the bounds on their rest."""
        if self._extend_many is not None:
            return Extensions(*self._extend_many(hypothesis))
        extensions = list(islice(self._extend(hypothesis), most))
        scores = as_numbers([self.score(one) for one in extensions])
        rests = as_numbers([self.rest(one) for one in extensions]) if self.rest else np.zeros(len(extensions))
        return Extensions(extensions, scores, rests)


def as_numbers(scores):
    """Scores as an array; ValueError where one is no number."""
    return checks.floats(scores, "score and rest return one number each: a hypothesis has another one")
