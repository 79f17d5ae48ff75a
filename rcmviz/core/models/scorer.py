"""Any model of what comes after some labels, called in batches: a function, a neural network, a language model.

It returns the log scores of all labels after the last N − 1 of a history. Beam search and exact inference
never forget those. RCMS merges histories, and a merged context is scored by its heaviest history: an approximation,
which ``docs/networks.md`` describes and ``rv.importance`` corrects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.models.candidates import Candidates
from rcmviz.core.models.model import check_labels
from rcmviz.core.models.scores import Scores, check_rows
from rcmviz.core.shared import checks

MOST_SEEN = 1_000  # labels that a scorer may ask for


class Scorer(Protocol):
    """The interface of a scorer for ``ScorerModel``.

    A scorer may also have ``order``, and ``score_some(contexts, labels)`` → (n, K) for label numbers ``labels (K,)``:
    where positions offer few candidates it is asked instead, and the scores of all labels are never made.
    """

    def score(self, contexts: np.ndarray) -> ArrayLike:
        """Log scores (n, V) of all labels in nats after ``contexts (n, order − 1)``.

        Contexts hold label numbers, the last label rightmost, −1 before the first; no two of one call are equal.
        """
        ...


class ScorerModel:
    """A model whose labels are scored by whatever can score labels after labels.

    Parameters
    ----------
    scorer : Scorer, callable or LanguageModel
        An object with ``score(contexts)``, or a function: log scores (n, V) in nats, −inf allowed, after ``contexts
        (n, order − 1)``, an array of label numbers, the last label rightmost, −1 before the beginning. It
        is called once per position with all contexts, more often if that makes more than four million
        scores. ``score_some(contexts, labels)``, if defined, scores the candidates of a position alone. A
        language model is asked for the words of these names.
    labels : sequence of str, length V
        The names of the labels.
    order : int, optional
        Labels that a score depends on, its own included; by default the scorer's ``order``.
    candidates : Candidates, optional
        What ``rv.top_candidates`` returned: the labels of each position and their scores, which then are the emissions.

    Attributes
    ----------
    labels : tuple of str
        The names of all labels, or of those that are a candidate somewhere.
    choices : ndarray of int, shape (T, K), or None
        Which of ``labels`` each candidate of a position is, −1 for none.

    Raises
    ------
    ValueError
        An argument cannot be used.

    Notes
    -----
    A context that remembers order − 1 labels, or all since the beginning, is scored by these. One that remembers less,
    as RCMS makes them, is scored by its heaviest history: by the last order − 1 labels of the most probable path into
    it. So beam search, exact inference and best-first search are those of the scorer itself; RCMS is of a model near
    it, from which ``rv.importance`` draws and weighs by the scorer itself.

    Examples
    --------
    >>> import numpy as np
    >>> import rcmviz as rv
    >>> def rising(contexts):  # likes the label after the last one
    ...     return np.where(contexts[:, -1:] + 1 == np.arange(3), 1.0, 0.0)
    >>> model = rv.ScorerModel(rising, "abc", order=2)
    >>> lattice, trace = rv.rcms(model, np.zeros((3, 3)), budget=2)
    >>> rv.viterbi(lattice).labels
    ('a', 'b', 'c')
    """

    def __init__(
        self, scorer: Any, labels: Sequence[str], order: int | None = None, candidates: Candidates | None = None
    ):
        self.names = tuple(checks.as_list("labels", labels, "a list of texts", or_text=True))
        check_labels(self.names)
        if hasattr(scorer, "scorer"):  # a language model
            scorer = scorer.scorer(self.names)
        self.score: Callable = _score_function(scorer)
        self.score_some: Callable | None = getattr(scorer, "score_some", None)
        order = getattr(scorer, "order", None) if order is None else order
        wanted = f"the labels that a score depends on, 1 to {MOST_SEEN + 1:,}; as argument or as the scorer's attribute"
        self.order = checks.whole("order", order, 1, MOST_SEEN + 1, wanted)
        self.candidates, self.labels = candidates, self.names
        self.choices: np.ndarray | None = None
        self.numbers: np.ndarray | None = None
        if candidates is not None:
            self._index_candidates(candidates)

    def _index_candidates(self, candidates):
        """The labels that are a candidate somewhere, and which of them each candidate is."""
        wanted = "what rv.top_candidates returns"
        checks.instance("candidates", candidates, Candidates, wanted).check_labels(self.names)
        self.numbers = candidates.choices
        used = np.unique(self.numbers[self.numbers >= 0])
        self.labels = tuple(self.names[y] for y in used)
        self.choices = np.where(self.numbers >= 0, np.searchsorted(used, self.numbers), -1)
        self.choices.setflags(write=False)
        checks.logs(candidates.log_scores, lambda i, y: f"the score of candidate {y} at position {i + 1}")

    def __repr__(self):
        offered = "" if self.candidates is None else f", {self.candidates.T:,} positions with candidates"
        return f"<ScorerModel: {len(self.names):,} labels, order {self.order}{offered}>"

    def check_emissions(self, log_emit: ArrayLike | None) -> np.ndarray:
        """Log emissions as a float array, checked.

        Parameters
        ----------
        log_emit : array_like of shape (T, V), or None
            Log emissions in nats, −inf allowed; None where the model has candidates, which bring their own.

        Returns
        -------
        ndarray of shape (T, V) or (T, K)
            The same numbers, or those of the candidates.

        Raises
        ------
        ValueError
            The shape does not fit the labels, a number cannot be used, or there are candidates already.
        """
        if self.candidates is None:
            return check_rows(log_emit, self.labels)
        if log_emit is not None:
            raise ValueError("the candidates bring their own scores: leave out log_emit, name the options, budget=20")
        return self.candidates.log_scores

    def scores(self, log_emit: np.ndarray, root_weight: float = 0.0) -> Scores:
        """The scores of the arcs of a lattice.

        Parameters
        ----------
        log_emit : ndarray of shape (T, V) or (T, K)
            Checked and edited log emissions in nats.
        root_weight : float
            Log weight of the root; the builders add it.

        Returns
        -------
        Scores
            What the builders ask.

        Raises
        ------
        ValueError
            The emissions do not fit.
        """
        from rcmviz.core.models.scorer_scores import ScorerScores  # Numba: a model is made without it

        if self.numbers is None:
            return ScorerScores(self, check_rows(log_emit, self.labels))
        log_emit = checks.floats(log_emit, "log_emit: give the edited scores of the candidates (T, K)")
        if log_emit.shape != self.numbers.shape:
            raise ValueError(f"log_emit of shape {log_emit.shape}: the candidates have {self.numbers.shape}")
        return ScorerScores(self, log_emit)


def _score_function(scorer):
    """The function that is called for scores."""
    if not isinstance(scorer, type):
        for function in (getattr(scorer, "score", None), scorer):
            if callable(function):
                return function
    raise ValueError(f"scorer {scorer!r:.60}: give a function of contexts (n, order − 1), or an object with score")
