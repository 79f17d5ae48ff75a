"""Whose fault the mistakes on labelled sequences are: one row per wrong sequence of one method.

A sequence whose gold has a label that the model does not know is the model's error: it cannot be written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rcmviz.core.builders.blame import RIGHT, SEARCH_ERROR, VERDICTS, Blame, FullModel
from rcmviz.core.builders.budgets import budget_strip
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.methods import MOST_BUDGETS
from rcmviz.core.models.model import NgramModel
from rcmviz.evaluation.evaluate import Answers, Contender
from rcmviz.sequences.table import UNKNOWN, Sequences


@dataclass(frozen=True, eq=False)
class Mistake:
    """A wrong sequence: its ``number``, the ``blame``, whether budgets were ``searched``, as they are for search errors
    of methods that have a budget, and the ``smallest`` that gives the gold, None where none of those tried does.
    """

    number: int
    blame: Blame
    searched: bool
    smallest: int | None

    def to_dict(self) -> dict[str, Any]:
        """The number and the verdict as plain values, ready for JSON."""
        return {"number": self.number} | self.blame.to_dict() | {"smallest_budget": self.smallest}


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One method on labelled sequences: its ``name``, how many ``sequences``, and its ``mistakes`` in their order."""

    name: str
    sequences: int
    mistakes: tuple[Mistake, ...]

    @property
    def counts(self) -> dict[str, int]:
        """The number of sequences with each verdict.

        >>> Verdicts("RCMS 10", 7, ()).counts
        {'right': 7, 'model error': 0, 'search error': 0}
        """
        found = Counter(mistake.blame.verdict for mistake in self.mistakes)
        found[RIGHT] += self.sequences - len(self.mistakes)
        return {verdict: found[verdict] for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """The counts and the mistakes as plain values, ready for JSON."""
        mistakes = [mistake.to_dict() for mistake in self.mistakes]
        return {"name": self.name, "sequences": self.sequences, "verdicts": self.counts, "mistakes": mistakes}


def blame_answers(
    model: NgramModel, data: Sequences, method: Contender, answers: Answers, most: int = MOST_BUDGETS
) -> Verdicts:
    """The verdicts on what a method answered; of wrong sequences the lattice is built once more, in double precision.

    Budgets up to ``most`` are tried for each search error, none where it is 0.
    """
    log_emits, mistakes = data.log_emits(model.emission), []
    for number in np.flatnonzero(~answers.correct).tolist():
        gold = [None if y == UNKNOWN else data.labels[y] for y in answers.gold[number].tolist()]
        mistakes.append(Mistake(number, *_judge_answer(model, log_emits[number], method, gold, most)))
    return Verdicts(answers.name, len(data), tuple(mistakes))


def _judge_answer(model: NgramModel, log_emit: np.ndarray, method: Contender, gold: Iterable, most: int) -> tuple:
    options = method.entry.taken(
        {
            "passes": method.passes,
            "deduplicate": method.deduplicate,
            "root_weight": model.root_weight,
            "select": method.select,
        }
    )
    judge = FullModel(model, log_emit, gold)
    found = judge.blame(build_lattice(method.kind, model, log_emit, method.budget, record=False, **options)[0])
    if found.verdict != SEARCH_ERROR or not method.has_budget or not most:
        return found, False, None
    strip = budget_strip(model, log_emit, judge.gold, method.kind, most=most, beyond=False, **options)
    return found, True, strip.smallest
