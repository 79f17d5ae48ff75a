"""The selection rule ``learned``: a scorer of five cheap features, and how one learns from the exact posterior.

What a candidate is worth at the end is its forward mass times the mass of all that can follow, which is not known yet.
The scorer estimates the log of the second factor by a weighted sum of features; the shipped weights are in
``models/selection-scorer.json``.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import rcms
from rcmviz.core.builders.selection_rules import Candidates, expert
from rcmviz.core.models.scores import Model
from rcmviz.core.models.shipped import model_folder
from rcmviz.core.shared.logs import log_sum

FEATURES = ("next arcs", "shorter rest", "next arcs, then shorter rest", "length", "mass × entropy")
LONGEST, LEAST = 3, -30.0  # labels that the length counts; nats below the largest of a position


def learned(candidates: Candidates) -> np.ndarray:
    """The largest forward mass times what the shipped scorer expects of the rest."""
    expected = features(candidates) @ shipped_weights()
    return candidates.log_mass + np.where(candidates.log_next > -np.inf, expected, -np.inf)


def features(candidates: Candidates) -> np.ndarray:
    """The features of candidates, shape (N, 5), in the order of ``FEATURES``.

    Logs are differences from the largest of the position, ``LEAST`` or more.
    """
    found = np.empty((len(candidates), len(FEATURES)))
    for k, column in enumerate((candidates.log_next, candidates.log_rest_short, candidates.log_next_short)):
        found[:, k] = _behind(column)
    found[:, 3] = np.minimum(candidates.length, LONGEST)
    found[:, 4] = _behind(candidates.log_mass) * _entropy(candidates.log_emit[candidates.position])
    return found


def _behind(column):
    """Differences from the largest of a column."""
    highest = column.max(initial=-np.inf)
    return np.maximum(column - highest, LEAST) if highest > -np.inf else np.full(len(column), LEAST)


def _entropy(row):
    """Of the emissions of a position, in nats; 0 if none is possible."""
    total = log_sum(row)
    if total == -np.inf:
        return 0.0
    log_p = row[row > -np.inf] - total
    return float(-(np.exp(log_p) * log_p).sum())


@lru_cache(maxsize=1)
def shipped_weights() -> np.ndarray:
    """The weights of the shipped scorer, shape (5,), in the order of ``FEATURES``."""
    text = (model_folder() / "selection-scorer.json").read_text(encoding="utf-8")
    by_name = json.loads(text)["weights"]
    weights = np.array([by_name[name] for name in FEATURES])
    weights.setflags(write=False)
    return weights


def learn_scorer(
    model: Model,
    log_emits: Iterable[ArrayLike],
    budget: int,
    *,
    epochs: int = 2,
    eta: float = 0.01,
    seed: int = 0,
) -> np.ndarray:
    """Learn the weights of a scorer on inputs that exact inference can read; returns them, shape (5,).

    Parameters
    ----------
    model : NgramModel or another model
        The model of all inputs.
    log_emits : iterable of array_like of shape (T, Y)
        Their log emissions in nats.
    budget : int
        Contexts per position.
    epochs : int
        Passes over the inputs.
    eta : float
        Step size of AdaGrad.
    seed : int
        Of the order of the inputs.

    Returns
    -------
    ndarray of shape (5,)
        Weights in the order of ``FEATURES``, averaged over all positions.

    Raises
    ------
    ValueError
        Exact inference is too large.

    Notes
    -----
    RCMS selects with the scorer of the moment. Each candidate that the exact posterior would keep and the scorer does
    not is compared with each that the scorer keeps and the posterior would not, weighted by the difference of their
    posterior masses. The first weights are those of look-ahead.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> learn_scorer(model, [[[0.1, 0.0], [0.0, 0.3], [0.0, 0.0]]], 1).shape
    (5,)
    """
    inputs = list(log_emits)
    learner, random = _Learner(budget, eta), np.random.default_rng(seed)
    for _ in range(epochs):
        for number in random.permutation(len(inputs)):
            learner.seen.clear()
            rcms(model, inputs[number], budget, select=learner, record=False)
            learner.step()
    return learner.total / max(learner.steps, 1)


class _Seen(NamedTuple):
    """The features of a position's candidates, their log masses and the expert's worth."""

    features: np.ndarray
    log_mass: np.ndarray
    worth: np.ndarray


class _Learner:
    """A rule that ranks by the weights of the moment and notes what it saw."""

    def __init__(self, budget, eta):
        self.budget, self.eta, self.seen, self.steps = budget, eta, [], 0
        self.weights, self.square = np.eye(len(FEATURES))[0], np.full(len(FEATURES), 1e-4)
        self.total = np.zeros(len(FEATURES))

    def __call__(self, candidates):
        found = features(candidates)
        self.seen.append(_Seen(found, candidates.log_mass, np.asarray(expert(candidates))))
        return candidates.log_mass + found @ self.weights

    def step(self):
        """Learn from the positions seen."""
        for seen in self.seen:
            slope = self._slope(*seen)
            self.square += slope**2
            self.weights = self.weights + self.eta * slope / np.sqrt(self.square)
            self.total, self.steps = self.total + self.weights, self.steps + 1

    def _slope(self, found, log_mass, worth):
        """Σ over pairs, a the expert's alone and b the scorer's alone, of (p_a − p_b) (f_a − f_b)."""
        total = log_sum(worth)
        p = np.exp(worth - total) if total > -np.inf else np.zeros(len(worth))
        best = np.argsort(-worth, kind="stable")[: self.budget]
        kept = np.argsort(-(log_mass + found @ self.weights), kind="stable")[: self.budget]
        ours, theirs = np.setdiff1d(kept, best), np.setdiff1d(best, kept)
        gap = p[theirs][:, None] - p[ours]
        return gap.sum(axis=1) @ found[theirs] - gap.sum(axis=0) @ found[ours]
