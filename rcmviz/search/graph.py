"""A custom search problem in a file: places, the steps between them with their scores, perhaps a bound.

``{"start": "a", "goals": ["c"], "steps": {"a": {"b": -1, "c": -4}, "b": {"c": -1}}, "rest": {"a": -2, "b": -1}}`` is a
complete file. Scores are added along a path and the highest total wins, so a length or a cost is written with a minus.
No path visits a place twice.
"""

import json
from math import inf
from pathlib import Path
from typing import NamedTuple

from rcmviz.core.shared import checks
from rcmviz.core.shared.text_file import decode
from rcmviz.search.engine import ROUNDING
from rcmviz.search.protocol import Expansion

KEYS = ("start", "goals", "steps", "rest")


class Way(NamedTuple):
    """Places in the order in which they are passed, and the score of the steps."""

    places: tuple[str, ...]
    score: float


class GraphSearch(Expansion[Way]):
    """Ways through places, from the start to one of the goals.

    ``steps`` {place: {next place: score}} · ``rest`` {place: bound on the score from there to a goal}, 0 where a place
    is not named; None searches by the score alone. ValueError says what does not fit together.
    """

    def __init__(self, start, goals, steps, rest=None):
        self.first, self.goals = _check_place(start, "start"), frozenset(_check_place(one, "goals") for one in goals)
        if not self.goals:
            raise ValueError("goals: name at least one place")
        self.steps = {_check_place(one, "steps"): _scores(f"steps of {one!r}", ahead) for one, ahead in steps.items()}
        self.ahead = None if rest is None else _scores("rest", rest)
        wrong = next((one for one in self.goals if self.bound(one) < 0), None)
        if wrong is not None:
            raise ValueError(f"rest of {wrong!r}, a goal, is {self.bound(wrong)}: nothing is left to add, write 0")
        if any(score > 0 for ahead in self.steps.values() for score in ahead.values()):
            self.context = None  # what has been passed matters where a detour may pay
        self.never_rises = all(
            score + self.bound(there) - self.bound(here) <= ROUNDING * (1 + abs(score))
            for here, ahead in self.steps.items()
            for there, score in ahead.items()
        )

    def bound(self, place):
        """The bound on the score from a place to a goal; 0.0 by default."""
        return self.ahead.get(place, 0.0) if self.ahead is not None else 0.0

    def start(self):
        """The first place."""
        return Way((self.first,), 0.0)

    def extend(self, hypothesis):
        """One step further, to a place that was not passed before."""
        places, score = hypothesis
        ahead = self.steps.get(places[-1], {})
        return [Way((*places, there), score + gain) for there, gain in ahead.items() if there not in places]

    def complete(self, hypothesis):
        """Whether a goal is reached."""
        return hypothesis.places[-1] in self.goals

    def score(self, hypothesis):
        """The sum of its steps."""
        return hypothesis.score

    def rest(self, hypothesis):
        """The bound from its last place."""
        return self.bound(hypothesis.places[-1])

    def context(self, hypothesis):
        """Its last place."""
        return hypothesis.places[-1]

    def name(self, hypothesis):
        """Its last place."""
        return hypothesis.places[-1]


def _check_place(name, where):
    if not isinstance(name, str) or not name:
        raise ValueError(f"{where}: {name!r} is no place; places are non-empty texts")
    return name


def _scores(where, values):
    if not isinstance(values, dict):
        raise ValueError(f"{where}: {values!r:.80} should be a dict from places to scores")
    wanted = "a number; costs are written with a minus"
    return {
        _check_place(one, where): checks.number(f"{where}, {one!r},", value, wanted, above=-inf, below=inf)
        for one, value in values.items()
    }


def read_graph(path):
    """The ``GraphSearch`` of a JSON file, None where the file holds no ``steps``; ValueError names the file."""
    try:
        found = json.loads(decode(Path(path).read_bytes(), path))
    except (ValueError, RecursionError):
        return None  # the reader of problem files reports its fault
    if not isinstance(found, dict) or "steps" not in found:
        return None
    strange = [key for key in found if key not in KEYS]
    missing = [key for key in KEYS[:3] if key not in found]
    if strange or missing:
        wrong = f"has no {missing[0]!r}" if missing else f"has the unknown key {strange[0]!r}"
        raise ValueError(f"{path}: the search problem {wrong}; its keys are {', '.join(KEYS)}")
    if not isinstance(found["goals"], list) or not isinstance(found["steps"], dict):
        raise ValueError(f"{path}: goals are a list of places, steps a dict {{place: {{next place: score}}}}")
    try:
        return GraphSearch(**found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
