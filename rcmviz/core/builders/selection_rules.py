"""Selection rules: how the candidates of a position are ranked before the budget cuts.

A rule takes the `Candidates` of a position and returns a score for each; those with the highest scores become contexts.
``rcmviz.core.rules`` lists the shipped ones. A rule changes which contexts are kept and nothing else: the other
candidates are merged or dropped as the method says, with their forward mass.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.passes import ForwardPass, assemble, extended_pass, static_pass
from rcmviz.core.methods import METHODS, Method
from rcmviz.core.models.scores import Scores
from rcmviz.core.rules import FORWARD, RULES
from rcmviz.core.shared.logs import log_sum
from rcmviz.kernels.chain import sweep
from rcmviz.kernels.chain.contexts import LABEL, LENGTH, ORIGIN

MOST_ALIKE = 2  # contexts with one last label that ``diversity`` keeps


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of one position that have mass: N contexts of the position before, each with a label more.

    Parameters
    ----------
    position : int
        Number of labels that the candidates have written, 1 to T − 1.
    labels : tuple of str
        The label set.
    context : ndarray of int, shape (N,)
        Which context of the position before a candidate extends.
    label : ndarray of int, shape (N,)
        Number of the label that extends it, among ``labels``.
    length : ndarray of int, shape (N,)
        Labels that it remembers, the new one included.
    log_mass : ndarray of shape (N,)
        Log forward mass in nats, up to a constant of the position.
    log_emit : ndarray of shape (T, Y)
        Log emissions of the whole input.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> def longest(candidates):
    ...     return candidates.length + 1e-3 * candidates.log_mass
    >>> lattice, trace = rv.rcms(model, [[0.1, 0.0]] * 3, budget=2, select=longest)
    >>> trace.settings["select"]
    'longest'
    """

    position: int
    labels: tuple[str, ...]
    context: np.ndarray
    label: np.ndarray
    length: np.ndarray
    log_mass: np.ndarray
    log_emit: np.ndarray
    _at: "_Place" = field(repr=False)

    def __len__(self) -> int:
        return len(self.label)

    def suffix(self, candidate: int) -> tuple[str, ...]:
        """The labels that a candidate remembers, the oldest first."""
        offers, suffix = self._at.offers, self._at.suffix(candidate)
        begin = self.position - len(suffix)
        return tuple(self.labels[offers[begin + j, y]] for j, y in enumerate(suffix))

    @cached_property
    def log_next(self) -> np.ndarray:
        """Log of the summed scores of the arcs that would leave each candidate, shape (N,)."""
        return log_sum(self._at.next_arcs, 1)

    @cached_property
    def log_rest(self) -> np.ndarray:
        """Log of the summed scores of all that can follow each candidate by exact inference, shape (N,).

        The mean over the labels that a candidate has forgotten, by their exact forward mass. Raises ValueError if exact
        inference is too large.
        """
        return np.array([self._at.known.log_rest(self.position, self._at.suffix(k)) for k in range(len(self))])

    @cached_property
    def log_rest_short(self) -> np.ndarray:
        """Log of the summed scores of all that can follow if only the last label were remembered, shape (N,)."""
        return self._at.known.short_rest(self.position)[self._index]

    @cached_property
    def log_next_short(self) -> np.ndarray:
        """As ``log_next``, with each arc times the ``log_rest_short`` that follows it, shape (N,)."""
        rest = self._at.known.short_rest(self.position + 1)
        return log_sum(self._at.next_arcs[:, : len(rest)] + rest, 1)

    @cached_property
    def log_bound(self) -> np.ndarray:
        """Upper bound on the log score of the best continuation of each candidate, shape (N,).

        The bound of ``rv.astar`` that remembers one label. Raises ValueError if its tables are too large.
        """
        return self._at.known.bounds[self.position][self._index]

    @property
    def _index(self):
        return self._at.flat % self.log_emit.shape[1]


SelectionRule = Callable[[Candidates], ArrayLike]


def forward(candidates: Candidates) -> np.ndarray:
    """The heaviest first: Steinhardt and Liang (2015), §4."""
    return candidates.log_mass


def lookahead(candidates: Candidates) -> np.ndarray:
    """The heaviest after one label more: forward mass times the summed scores of the next arcs."""
    return candidates.log_mass + candidates.log_next


def bound(candidates: Candidates) -> np.ndarray:
    """The heaviest first if each continues by the best score that A* cannot exclude."""
    return candidates.log_mass + candidates.log_bound


def diversity(candidates: Candidates) -> np.ndarray:
    """The heaviest first, at most two contexts with the same last label."""
    order = np.lexsort((-candidates.log_mass, candidates.label))
    label = candidates.label[order]
    scores = candidates.log_mass.copy()
    scores[order[MOST_ALIKE:][label[MOST_ALIKE:] == label[:-MOST_ALIKE]]] = -np.inf
    return scores


def expert(candidates: Candidates) -> np.ndarray:
    """The largest exact posterior mass first: a reference for rules that know less, as it needs exact inference."""
    return candidates.log_mass + candidates.log_rest


def function_of(name: str) -> SelectionRule:
    """The function of a shipped rule.

    >>> function_of("lookahead").__name__
    'lookahead'
    """
    home = RULES[name].home
    if home is None:
        raise ValueError(f"select {name!r} ranks further passes, not the candidates of one position")
    function: SelectionRule = getattr(import_module(home), name)
    return function


@dataclass(eq=False)
class _Known:
    """What rules look up of a model on an input: exact messages and those of shorter contexts, each made on demand."""

    scores: Scores

    @cached_property
    def bounds(self):
        """By position the bounds of A*, indexed by the last label; search is a package that may be left out."""
        return import_module("rcmviz.search.bounds").rest_bounds(self.scores, 1)

    @cached_property
    def _short(self):
        lattice = assemble(self.scores, static_pass(self.scores, 1), METHODS["exact"].rule())
        return lattice, sweep.backward_sums(lattice.offset, lattice.target, lattice.score)

    def short_rest(self, position):
        """Log of the summed scores of the rest by the index of the last label (Y,); zeros at the end."""
        lattice, rest = self._short
        return np.zeros(self.scores.widths[-1]) if position == lattice.T else rest[lattice.column(position)]

    @cached_property
    def _lattice(self):
        return assemble(self.scores, static_pass(self.scores), METHODS["exact"].rule())

    @cached_property
    def _sums(self):
        arcs = self._lattice.offset, self._lattice.target, self._lattice.score
        return sweep.forward_sums(*arcs), sweep.backward_sums(*arcs)

    def log_rest(self, position, suffix):
        """Log of the summed scores of what follows ``suffix`` after ``position`` labels."""
        column, widths = self._lattice.column(position), self.scores.widths.tolist()
        known = min(len(suffix), self.scores.order, position)
        number, period = 0, 1
        for y, width in zip(suffix[len(suffix) - known :], widths[position - known : position], strict=True):
            number, period = number * width + y, period * width
        before, after = (sums[column][number::period] for sums in self._sums)
        if len(after) == 1:
            return after[0]
        mass = log_sum(before)
        return log_sum(before + after) - mass if mass > -np.inf else -np.inf


@dataclass(frozen=True, eq=False)
class _Place:
    """The place of candidates: before the selection of column ``i + 1``; ``flat`` are their numbers among all pairs."""

    scores: Scores
    run: ForwardPass
    i: int
    rule: Any
    known: _Known
    flat: np.ndarray

    @cached_property
    def offers(self):
        """The label that each index of each position is (T, Y)."""
        if self.scores.choices is not None:
            return self.scores.choices
        return np.broadcast_to(np.arange(len(self.scores.labels)), self.scores.log_emit.shape)

    def suffix(self, candidate):
        """The indices of the labels that a candidate remembers, the oldest first."""
        k, y = divmod(int(self.flat[candidate]), self.scores.log_emit.shape[1])
        length, found = min(int(self.run.contexts[self.i][LENGTH, k]) + 1, self.rule.cap), [y]
        for column in reversed(self.run.contexts[: self.i + 1]):
            if len(found) == length:
                break
            found.append(int(column[LABEL, k]))
            k = int(column[ORIGIN, k])
        return found[::-1]

    @cached_property
    def next_arcs(self):
        """The arcs (N, Y) of all candidates as if each were kept."""
        run, number = extended_pass(self.scores, self.run, self.i, self.rule, self.flat)
        return self.scores.arcs(self.i + 1, run.contexts[-1], self.scores.table(run.contexts, run.links))[number]


def ranking(select: str | SelectionRule, scores: Scores, rule: Any) -> Any:
    """``rank(i, run, log_key)`` → log scores (C, Y) of all pairs for column i + 1; None for ``forward``.

    ``log_key (C, Y)`` is −inf where a pair is no candidate.
    """
    if isinstance(select, str):
        select = function_of(select)
    if select is forward:
        return None
    known = _Known(scores)

    def rank(i, run, log_key):
        flat = np.flatnonzero(log_key.ravel() > -np.inf)
        context, index = np.divmod(flat, log_key.shape[1])
        length = np.minimum(run.contexts[i][LENGTH, context] + 1, rule.cap)
        place, mass = _Place(scores, run, i, rule, known, flat), log_key.ravel()[flat]
        label = place.offers[i, index]
        candidates = Candidates(i + 1, tuple(scores.labels), context, label, length, mass, scores.log_emit, place)
        found = np.full(log_key.shape, -np.inf)
        found.ravel()[flat] = _check_scores(select(candidates), candidates, name_of(select))
        return found

    return rank


def checked_rule(select: Any, method: Method) -> str | SelectionRule:
    """A rule that a method can rank by; ValueError for an unknown name, or a rule that does not suit the method."""
    if isinstance(select, str):
        if select not in RULES:
            raise ValueError(f"select {select!r}: choose {', '.join(RULES)}, or give a function")
        if select != FORWARD and not RULES[select].suits(method):
            suited = ", ".join(name for name, rule in RULES.items() if rule.suits(method)) or FORWARD
            raise ValueError(f"select {select!r}: {method.full_title} cannot rank by it; choose {suited}")
    elif not callable(select):
        raise ValueError(f"select {select!r:.60}: choose {', '.join(RULES)}, or give a function of the candidates")
    return select


def name_of(select: str | SelectionRule) -> str:
    """The name of a rule in a trace's settings.

    >>> name_of("lookahead"), name_of(lambda candidates: candidates.log_mass)
    ('lookahead', '<lambda>')
    """
    return select if isinstance(select, str) else getattr(select, "__name__", type(select).__name__)


def _check_scores(given, candidates, name):
    where = f"select {name} at position {candidates.position}"
    try:
        scores = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{where}: returned {given!r:.60}; return one number per candidate") from None
    if scores.shape != (len(candidates),):
        raise ValueError(f"{where}: returned shape {scores.shape}; return one number per candidate, {len(candidates)}")
    wrong = np.flatnonzero(np.isnan(scores) | (scores == np.inf))
    if wrong.size:
        raise ValueError(f"{where}: candidate {wrong[0]} has {scores[wrong[0]]}; return numbers, or -inf to discard")
    return scores
