"""Whose fault is a wrong output: the model's, which prefers it to the gold, or the search's, which lost the gold.

The judge is the **full model**: the score of an output whose every context is the whole history, so that nothing is
merged and nothing dropped. A method maximises something else, the score of its own lattice; where that forgets, the two
differ. ``docs/diagnosis.md`` defines the verdicts, the position and the smallest budget, and proves what they promise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.histories import output_scores
from rcmviz.core.inference.infer import ROUNDING, viterbi
from rcmviz.core.lattices.lattice import Lattice, offered_indices
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.logs import finite_or_none, subtract_logs

VERDICTS = RIGHT, MODEL_ERROR, SEARCH_ERROR = "right", "model error", "search error"
CAUSES = DROPPED, MERGED, OVERRATED, WEIGHED = "dropped", "merged", "overrated", "weighed"


@dataclass(frozen=True, eq=False)
class Blame(CopyableMixin):
    """Whose fault it is that an output is not the gold, as ``blame`` returns it.

    Attributes
    ----------
    verdict : {"right", "model error", "search error"}
        ``"right"`` where the output is the gold, ``"search error"`` where the gold scores more under the full model,
        else ``"model error"``, ties included.
    gold, output : tuple of str, length T
        The right labels and those of the best path; ``output`` is None where the lattice has no path.
    position : int or None
        Of a search error: the first position at which the gold's context was dropped, or merged into one that remembers
        less than the model sees; where the gold's never was, the first at which the output's was; where neither was,
        as with weighted draws, the first at which the lattice scores one of them otherwise than the model.
    cause : {"dropped", "merged", "overrated", "weighed"} or None
        Of a search error: the gold was dropped at ``position``, or merged there, or the output was merged there and is
        scored too high, or draws have weighed one of them otherwise than the model.
    gold_scores, output_scores : ndarray of shape (T,)
        Log scores of the labels under the full model, in nats.
    gold_own, output_own : ndarray of shape (T,)
        Log scores of the same labels in the lattice, −inf from where it dropped them.
    """

    verdict: str
    gold: tuple[str, ...]
    output: tuple[str, ...] | None
    position: int | None
    cause: str | None
    gold_scores: np.ndarray
    output_scores: np.ndarray
    gold_own: np.ndarray
    output_own: np.ndarray

    def __post_init__(self):
        freeze(self)

    @property
    def gold_score(self) -> float:
        """Log score of the gold under the full model, in nats."""
        return float(self.gold_scores.sum())

    @property
    def output_score(self) -> float:
        """Log score of the output under the full model, in nats."""
        return float(self.output_scores.sum())

    @property
    def difference(self) -> np.ndarray:
        """By how much the gold scores more than the output under the full model, per position (T,), in nats."""
        return subtract_logs(self.gold_scores, self.output_scores)

    @property
    def margin(self) -> float:
        """By how much the gold scores more than the output under the full model, in nats; below 0 in a model error."""
        return float(subtract_logs(np.array(self.gold_score), np.array(self.output_score)))

    @property
    def own_margin(self) -> float:
        """The same in the lattice: what the method itself compared."""
        return float(subtract_logs(self.gold_own.sum(), self.output_own.sum()))

    @property
    def is_tie(self) -> bool:
        """Whether the full model scores both alike, up to rounding, and they differ."""
        return self.verdict == MODEL_ERROR and _alike(self.gold_score, self.output_score)

    def to_dict(self) -> dict[str, Any]:
        """The verdict with both scores as plain values, ready for JSON; None represents −inf."""
        numbers = {name: getattr(self, name) for name in ("gold_score", "output_score", "margin", "own_margin")}
        plain = {name: getattr(self, name) for name in ("verdict", "position", "cause", "gold", "output")}
        per_position = {"difference": [finite_or_none(value) for value in self.difference.tolist()]}
        return plain | {name: finite_or_none(value) for name, value in numbers.items()} | per_position


def blame(model: Model, log_emit: ArrayLike | None, lattice: Lattice, gold: Iterable[str]) -> Blame:
    """Say whether the best path of a lattice is right, and if not, whether the model or the search is to blame.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model that the lattice was built with.
    log_emit : array_like of shape (T, Y) or None
        Its log emissions in nats; None for an ``HMM``, which has its own.
    lattice : Lattice
        What a builder returned. What was pinned or forbidden belongs to the search: the full model does not know it.
    gold : iterable of str, length T
        The right labels; one that is no label of the model can never be written.

    Returns
    -------
    Blame
        The verdict, both outputs and their scores.

    Raises
    ------
    ValueError
        The gold has another length, or the lattice is of another model or input.

    Notes
    -----
    A search error is an output that the model itself finds worse than the gold; the model is at fault where a search
    that loses nothing would not return the gold either. Every search error has a position: an output whose contexts
    always remember what the model sees has the same score in the lattice.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> emissions = [[0.0, 0.1], [0.1, 0.0]]
    >>> lattice, _ = rv.greedy(model, emissions)
    >>> found = rv.blame(model, emissions, lattice, "ab")
    >>> found.verdict, found.position, "".join(found.output), round(found.margin, 6)
    ('search error', 1, 'ba', 1.8)
    """
    judge = FullModel(model, log_emit, gold)
    judge.check(lattice)
    return judge.blame(lattice)


def blame_problem(problem, lattice):
    """The ``Blame`` of a lattice of a ``Problem``, None without a gold."""
    return None if problem.gold is None else blame(problem.model, problem.log_emit, lattice, problem.gold)


class FullModel:
    """The full model on one input, with a gold: what lattices of it are judged by.

    ``gold`` are names; those that a position does not offer, or that are no labels, score −inf.
    """

    def __init__(self, model, log_emit, gold):
        self.model, self.log_emit = model, checks.model(model).check_emissions(log_emit)
        self.gold = tuple(checks.as_list("gold", gold, "a label for each position", or_text=True))
        checks.same_length(self.gold, "gold labels", len(self.log_emit), "positions")
        offered = offered_indices(model.labels, model.choices, len(self.log_emit))
        with checks.hashable("gold", "give labels by name"):
            self.gold_indices = [index.get(label, -1) for index, label in zip(offered, self.gold, strict=True)]
        self._scores = model.scores(self.log_emit)
        self._known = {}

    @property
    def gold_scores(self):
        """Log scores (T,) of the gold."""
        return self.scores_of(self.gold_indices)

    def scores_of(self, indices):
        """Log scores (T,) of an output, each label after the whole history."""
        key = tuple(indices)
        if key not in self._known:
            self._known[key] = output_scores(self._scores, np.array([key]))[0]
        return self._known[key]

    def check(self, lattice):
        """ValueError where the lattice cannot be one of this model and input."""
        if checks.lattice(lattice).labels != tuple(self.model.labels):
            raise ValueError("the lattice has other labels than the model: give the model that it was built with")
        if len(self.log_emit) != lattice.T:
            raise ValueError(f"the lattice has {lattice.T} positions, log_emit {len(self.log_emit)}: give its own")

    def blame(self, lattice):
        """The ``Blame`` of a lattice of this model and input."""
        best = _best(lattice)
        output = None if best is None else best.indices
        nothing = np.full(lattice.T, -np.inf)
        scores, own = (nothing, nothing) if output is None else (self.scores_of(output), follow(lattice, output)[1])
        gold_way, gold_own = follow(lattice, self.gold_indices)
        verdict = self._verdict(output, float(scores.sum()))
        position = cause = None
        if verdict == SEARCH_ERROR:
            unlike = ~np.isclose(gold_own, self.gold_scores) | ~np.isclose(own, scores)
            position, cause = self._loss(lattice, gold_way, output, unlike)
        return Blame(
            verdict,
            self.gold,
            None if best is None else best.labels,
            position,
            cause,
            self.gold_scores,
            scores,
            gold_own,
            own,
        )

    def keeps(self, lattice):
        """Whether the gold's contexts remember all that the model sees, so that the lattice scores it as the model."""
        return forgets_at(lattice, follow(lattice, self.gold_indices)[0], self._scores.order) is None

    def _verdict(self, output, score):
        if output is not None and list(output) == self.gold_indices:
            return RIGHT
        gold = float(self.gold_scores.sum())
        return SEARCH_ERROR if gold > score and not _alike(gold, score) else MODEL_ERROR

    def _loss(self, lattice, gold_way, output, unlike):
        """(Position, cause) of a search error; ``unlike (T,)`` where the lattice does not score as the model does."""
        order = self._scores.order
        at = forgets_at(lattice, gold_way, order)
        if at is not None:
            return at, DROPPED if gold_way[at] < 0 else MERGED
        at = forgets_at(lattice, follow(lattice, output)[0], order)
        return (at, OVERRATED) if at is not None else (int(unlike.argmax()) + 1, WEIGHED)


def follow(lattice, indices):
    """(Contexts after 0 … T labels, log scores (T,)) of an output in a lattice; −1 and −inf once it is dropped."""
    at, way, scores = 0, [0], np.full(lattice.T, -np.inf)
    for i, y in enumerate(indices):
        if at >= 0:
            scores[i] = lattice.score[at, y] if y >= 0 and lattice.target[at, y] >= 0 else -np.inf
            at = int(lattice.target[at, y]) if scores[i] > -np.inf else -1
        way.append(at)
    return way, scores


def forgets_at(lattice, way, order):
    """The first position (1 … T) whose context on this way is none, or remembers less than the model sees; else None.

    After i labels a model of order n sees min(i, n) of them; after the last nothing has to be remembered.
    """
    for position, c in enumerate(way[1:], start=1):
        if c < 0 or (position < lattice.T and lattice.length[c] < min(position, order)):
            return position
    return None


def _best(lattice):
    """The best path, or None."""
    try:
        return viterbi(lattice)
    except ValueError:
        return None


def _alike(one, other):
    return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
