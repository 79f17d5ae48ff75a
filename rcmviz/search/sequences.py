"""Labels one by one: the search problem of a model that scores sequences, whatever kind of model it is."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.histories import arc_scores
from rcmviz.core.lattices.edits import read_edits
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.search.bounds import arc_maxima, rest_bounds
from rcmviz.search.protocol import Expansion, Extensions

EditList = Iterable[tuple[int, str | Sequence[str]]]
ROUNDING = 1e-12  # of the sum of the largest arc scores


class Prefix(NamedTuple):
    """The first labels of a sequence, by their indices, with their log score and the bound on the rest."""

    labels: tuple[int, ...]
    score: float
    rest: float


class SequenceSearch(Expansion[Prefix]):
    """The labels of one input as a search problem: a hypothesis is a prefix, a step writes a label.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``.
    bound_order : int, optional
        Labels that the bound on the rest can see, 0 … n: the score is then f of A*, and the more it sees the fewer
        prefixes are popped. None searches by the score alone.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written, or a history that is taken before all others.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written, or a context that labels before it must not end in.

    Attributes
    ----------
    never_rises : bool
        Whether score + rest never rises: always with a bound, else where no label can score above 0.

    Raises
    ------
    ValueError
        An argument is malformed, or the bound's tables would be too large.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> problem = rv.SequenceSearch(model, [[0.0, 0.1], [0.1, 0.0]], bound_order=1)
    >>> found = rv.search_best(problem)
    >>> problem.labels(found.best.hypothesis), found.best.score
    (('a', 'b'), 2.0)
    """

    def __init__(
        self,
        model: Model,
        log_emit: ArrayLike | None = None,
        *,
        bound_order: int | None = None,
        pin: EditList = (),
        forbid: EditList = (),
    ):
        self.edits = read_edits(model, checks.model(model).check_emissions(log_emit), pin, forbid)
        self.scores = model.scores(self.edits.log_emit)
        _check_histories(self.edits.pinned)
        self.pinned = self._is_pinned if self.edits.pinned else None
        self.choices = self.scores.choices
        self.widths, self.order = self.scores.widths.tolist(), self.scores.order
        self.bound_order = bound_order
        self._rows: dict[tuple, np.ndarray] = {}
        if bound_order is not None:
            name = f"the labels that a bound can see, from 0 to {self.order} with this model"
            checks.whole("bound_order", bound_order, 0, self.order, name)
            self._rest = rest_bounds(self.scores, bound_order)
        self.never_rises = bound_order is not None or self._never_rises()

    def _never_rises(self):
        """Whether no label scores above 0; False where that would take too long to know."""
        try:
            return max(float(arcs.max()) for arcs in self._largest_arcs()) <= ROUNDING
        except ValueError:
            return False

    def _largest_arcs(self):
        maxima = arc_maxima(self.scores, 0)
        return [maxima(i) + self.scores.log_emit[i, :width] for i, width in enumerate(self.widths)]

    @property
    def T(self) -> int:
        """Number of positions."""
        return len(self.widths)

    def start(self) -> Prefix:
        """No label yet.

        Returns
        -------
        Prefix
            The empty prefix.
        """
        return Prefix((), 0.0, 0.0 if self.bound_order is None else float(self._rest[0][0]))

    def extend(self, hypothesis: Prefix) -> list[Prefix]:
        """One more label, whichever the position offers.

        Parameters
        ----------
        hypothesis : Prefix
            A prefix that is not complete.

        Returns
        -------
        list of Prefix
            Its extensions in the order of the labels; impossible ones score −inf.
        """
        return list(self.extend_many(hypothesis).hypotheses)

    def extend_many(self, hypothesis: Prefix) -> Extensions:
        """One more label, with all scores and bounds at once.

        Parameters
        ----------
        hypothesis : Prefix
            A prefix that is not complete.

        Returns
        -------
        hypotheses : sequence of Prefix
            Its extensions in the order of the labels.
        scores : ndarray of shape (Y,)
            Their log scores.
        rests : ndarray of shape (Y,)
            The bounds on their rest.
        """
        known, i = _check_hypothesis(hypothesis).labels, len(hypothesis.labels)
        scores = hypothesis.score + self.row(known)
        for context in self.edits.forbidden.get(i + 1, ()):
            if (known + context[-1:])[-len(context) :] == context:
                scores[context[-1]] = -inf
        rests = np.zeros(len(scores))
        if self.bound_order is not None:
            first = self._first_of(known) if self.bound_order else 0
            rests += self._rest[i + 1][first : first + len(scores) if self.bound_order else 1]
        return Extensions(_Prefixes(known, scores, rests), scores, rests)

    def _first_of(self, known):
        """The first bounds of the extensions of a prefix, one per label."""
        i, code = len(known), 0
        for j in range(max(0, i + 1 - self.bound_order), i):
            code = code * self.widths[j] + known[j]
        return code * self.widths[i]

    def row(self, known: tuple[int, ...]) -> np.ndarray:
        """Log scores of the labels after a prefix, emissions included.

        Parameters
        ----------
        known : tuple of int
            Indices of the labels before.

        Returns
        -------
        ndarray of shape (Y,)
            A score for each label that the position offers.
        """
        known = tuple(checks.as_list("known", known, "the indices of labels"))
        if len(known) >= len(self.widths):
            raise ValueError(f"{len(known)} labels: all {len(self.widths)} positions have theirs")
        known = tuple(checks.whole("known, a label,", y, 0, int(self.widths[i]) - 1) for i, y in enumerate(known))
        key = (len(known), known[-self.order :])
        if key not in self._rows:
            scores = arc_scores(self.scores, np.array([known], np.int64))
            self._rows[key] = scores[0, : self.widths[len(known)]]
        return self._rows[key]

    def complete(self, hypothesis: Prefix) -> bool:
        """Whether every position has its label.

        Parameters
        ----------
        hypothesis : Prefix
            The prefix.

        Returns
        -------
        bool
            True where it is an answer.
        """
        return len(_check_hypothesis(hypothesis).labels) == len(self.widths)

    def score(self, hypothesis: Prefix) -> float:
        """Its log score in nats, not normalised.

        Parameters
        ----------
        hypothesis : Prefix
            The prefix.

        Returns
        -------
        float
            The sum of what its labels score.
        """
        return _check_hypothesis(hypothesis).score

    def rest(self, hypothesis: Prefix) -> float:
        """Upper bound on the log score of the rest; 0.0 without a bound.

        Parameters
        ----------
        hypothesis : Prefix
            The prefix.

        Returns
        -------
        float
            The bound in nats.
        """
        return _check_hypothesis(hypothesis).rest

    def context(self, hypothesis: Prefix) -> tuple:
        """The position and the last n labels.

        Parameters
        ----------
        hypothesis : Prefix
            The prefix.

        Returns
        -------
        tuple
            Prefixes with equal ones have the same future.
        """
        return len(_check_hypothesis(hypothesis).labels), hypothesis.labels[-self.order :]

    def _is_pinned(self, hypothesis):
        return hypothesis.labels in self.edits.pinned.get(len(hypothesis.labels), ())

    def name(self, hypothesis: Prefix) -> str:
        """The last label.

        Parameters
        ----------
        hypothesis : Prefix
            The prefix.

        Returns
        -------
        str
            Its name, empty for the start.
        """
        known = _check_hypothesis(hypothesis).labels
        return self._name(len(known) - 1, known[-1]) if known else ""

    def labels(self, hypothesis: Prefix) -> tuple[str, ...]:
        """All labels of a prefix by name.

        Parameters
        ----------
        hypothesis : Prefix
            The prefix.

        Returns
        -------
        tuple of str
            Their names.
        """
        return tuple(self._name(i, y) for i, y in enumerate(_check_hypothesis(hypothesis).labels))

    def _name(self, i, y):
        return self.scores.labels[y if self.choices is None else self.choices[i, y]]


def _check_hypothesis(hypothesis):
    return checks.instance("hypothesis", hypothesis, Prefix, "a Prefix, as start and extend return it")


class _Prefixes(Sequence):
    """The extensions of a prefix, each made on first use."""

    def __init__(self, known, scores, rests):
        self._known, self._scores, self._rests = known, scores, rests

    def __len__(self):
        return len(self._scores)

    def __getitem__(self, y):
        return Prefix((*self._known, range(len(self))[y]), float(self._scores[y]), float(self._rests[y]))


def _check_histories(pinned):
    for position, contexts in pinned.items():
        if any(len(context) < position for context in contexts):
            raise ValueError(f"pin at position {position}: search knows full histories; pin all {position} labels")
