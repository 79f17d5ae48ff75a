"""Regret: what a selection of contexts loses against the best one of the same size, judged by exact inference.

A candidate represents all outputs whose way leads through it; its **exact share** is their probability under the full
model, which forgets nothing. The best selection of a position keeps the candidates with the largest exact shares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import build_lattice, exact
from rcmviz.core.builders.regret_result import LEAST_REGRET, Regret, Swap, WeightedDraws
from rcmviz.core.inference.exact_shares import drawn_shares, exact_shares
from rcmviz.core.inference.infer import log_prob, log_z, viterbi
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.methods import METHODS
from rcmviz.core.models.scores import Model
from rcmviz.core.rules import FORWARD, RULES
from rcmviz.core.shared import checks

if TYPE_CHECKING:
    pass


def regret(
    model: Model,
    log_emit: ArrayLike | None,
    trace: Trace,
    gold: Iterable[str] | None = None,
    *,
    draws: WeightedDraws | None = None,
) -> Regret:
    """Compare the contexts that a method kept with those that exact inference would keep.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model that the trace was built with.
    log_emit : array_like of shape (T, Y) or None
        Its log emissions in nats; None for an ``HMM``, which has its own.
    trace : Trace
        What a builder returned. What was pinned or forbidden stays so; the full model does not know it.
    gold : iterable of str, length T, optional
        The right labels.
    draws : Estimate, optional
        Weighted draws of ``rv.importance`` or ``rv.smc``, from which shares are estimated instead: for inputs that are
        too large for exact inference.

    Returns
    -------
    Regret
        Exact shares of all candidates, the regret of each position, and the swaps that would have been better.

    Raises
    ------
    ValueError
        The trace is of another model or input, exact inference is too large, or no output is possible.

    Notes
    -----
    The ways of all outputs through a lattice are disjoint, so exact shares of a position sum to 1, or to what has not
    been dropped. A position where everything is kept has no regret. The costs of a swap come from running the method
    again with it; later positions are selected again. With joined contexts, adaptive budgets, a rule of your own,
    draws and searches only the shares are known, as these are not run again with a swap.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> emissions = [[0.0, 0.1], [0.1, 0.0]]               # b is likelier until the next label is known
    >>> lattice, trace = rv.beam(model, emissions, budget=1)
    >>> found = rv.regret(model, emissions, trace, "ab")
    >>> found.by_position.round(3).tolist()
    [0.57]
    >>> found.repair.discarded, found.repair.kept, round(found.repair.gap, 3)
    (('a',), ('b',), 0.05)
    """
    selection = _Selection(model, log_emit, trace)
    gold = None if gold is None else selection.checked_gold(gold)
    found = selection.shares(draws)
    share = found.arcs[trace.context, trace.label]
    positions = [_Position(selection, i, share) for i in range(1, trace.lattice.T)]
    swaps = [position.best_swap() for position in positions]
    return Regret(
        share,
        np.array([position.regret for position in positions]),
        found.covered,
        tuple(swap and selection.tried(swap, gold) for swap in swaps),
        selection.repair(positions, gold),
        log_z(trace.lattice),
        found.log_z,
        selection.gold_probability(trace.lattice, gold),
        None if draws is None else float(draws.ess),
        trace,
    )


def total_regrets(model: Model, log_emit: ArrayLike | None, traces: Iterable[Trace]) -> list[float]:
    """The total regret of several selections on one input, with one exact inference and no swaps.

    Raises ValueError as ``regret`` does.
    """
    selections, totals, whole = [_Selection(model, log_emit, trace) for trace in traces], [], None
    for selection in selections:
        trace, whole = selection.trace, whole or selection.exact_lattice()
        share = exact_shares(trace.lattice, whole).arcs[trace.context, trace.label]
        totals.append(sum(_Position(selection, i, share).regret for i in range(1, trace.lattice.T)))
    return totals


class _Selection:
    """A method on an input, with its trace: what was kept, and the same once more with a swap."""

    def __init__(self, model, log_emit, trace):
        self.model, self.log_emit, self.trace = model, checks.model(model).check_emissions(log_emit), trace
        if not isinstance(trace, Trace):
            raise ValueError(f"trace {trace!r:.60}: give the trace that a builder returned")
        lattice = trace.lattice
        if lattice.labels != tuple(model.labels) or len(self.log_emit) != lattice.T:
            raise ValueError("the trace is of another model or input: give those that it was built with")
        self.entry = METHODS[trace.settings["method"]]

    def checked_gold(self, gold):
        """The gold as names, one for each position."""
        gold = tuple(checks.as_list("gold", gold, "a label for each position", or_text=True))
        checks.same_length(gold, "gold labels", self.trace.lattice.T, "positions")
        return gold

    def shares(self, draws):
        """The ``ExactShares`` of the arcs."""
        if draws is not None:
            if getattr(draws, "labels", np.zeros(0)).shape[1:] != (self.trace.lattice.T,):
                raise ValueError(f"draws {draws!r:.60}: give what rv.importance returned for this input")
            return drawn_shares(self.trace.lattice, draws.labels, draws.share, draws.log_z)
        return exact_shares(self.trace.lattice, self.exact_lattice())

    def exact_lattice(self):
        """The lattice of the full model; ValueError names the remedy if it is too large."""
        try:
            return exact(self.model, self.log_emit, record=False)[0]
        except ValueError as error:
            raise ValueError(f"{error}, or give draws=rv.importance(model, log_emit) for estimates") from None

    @staticmethod
    def gold_probability(lattice, gold):
        """The probability of the gold, None without one, 0 where no output is left."""
        if gold is None:
            return None
        try:
            return math.exp(log_prob(lattice, gold))
        except ValueError:  # no output, or a label that is none
            return 0.0

    @cached_property
    def can_run_again(self):
        """Whether the method can be run with a candidate kept instead of another one."""
        settings = self.trace.settings
        if settings.get("deduplicate") or "adaptive" in settings or settings.get("select", FORWARD) not in RULES:
            return False
        return self.entry.edits_contexts and not self.entry.searches

    def run(self, swap):
        """The lattice after a swap, None where it cannot be had or has no output."""
        settings = self.trace.settings
        options = self.entry.taken({**settings, "budgets": dict(settings.get("budgets") or {})})
        edits = {
            "pin": [*settings.get("pin", ()), (swap.position, swap.discarded)],
            "forbid": [*settings.get("forbid", ()), (swap.position, swap.kept)],
        }
        options.pop("root_weight", None)
        lattice, _ = build_lattice(
            self.entry.kind,
            self.model,
            self.log_emit,
            settings["budget"],
            root_weight=settings.get("root_weight", 0.0),
            record=False,
            **edits,
            **options,
        )
        return lattice if log_z(lattice) > -math.inf else None

    def tried(self, swap, gold):
        """The swap with what the method makes of it."""
        lattice = self.run(swap) if self.can_run_again else None
        if lattice is None:
            return swap
        output, chance = viterbi(lattice).labels, self.gold_probability(lattice, gold)
        return replace(swap, log_z=log_z(lattice), gold_probability=chance, output=output)

    def repair(self, positions, gold):
        """The swap with the smallest gap that brings the gold's candidate back and makes the method answer it."""
        if gold is None or not self.can_run_again:
            return None
        if log_z(self.trace.lattice) > -math.inf and viterbi(self.trace.lattice).labels == gold:
            return None
        swaps = [swap for position in positions for swap in position.swaps_for(gold)]
        for swap in sorted(swaps, key=lambda swap: (swap.gap, swap.position)):
            tried = self.tried(swap, gold)
            if tried.output == gold:
                return tried
        return None


class _Position:
    """The selection of a position. Candidates that are joined are one **unit**, represented by one of them."""

    def __init__(self, selection, i, share):
        self.trace, self.i = selection.trace, i
        rows = self.trace.candidates(i)
        self.rows = np.arange(rows.start, rows.stop)
        unit = self._units()
        of_units = np.bincount(unit, share[self.rows])
        representative = self._representatives(unit)
        self.share = of_units[unit][representative]
        self.rows = self.rows[representative]
        self.kept, key = self.trace.kept[self.rows], self.trace.key_share(i)[representative]
        self.key = key
        pinned, forbidden = self._edited("pin"), self._edited("forbid")
        self.free = self.kept & ~self._are(pinned)
        self.spare = ~self.kept & (self.trace.log_mass[self.rows] > -np.inf) & ~self._are(forbidden)
        if selection.entry.needs_whole_histories:
            self.spare &= self.trace.lattice.length[self.trace.context[self.rows]] == i - 1

    def _units(self):
        """A number for each candidate, the same for those that are joined."""
        settings = self.trace.settings
        if not settings.get("deduplicate"):
            return np.arange(len(self.rows))
        numbers = {}
        return np.array([numbers.setdefault(self.trace.labels_of(m), len(numbers)) for m in self.rows.tolist()], int)

    def _representatives(self, unit):
        """Of each unit the candidate that is kept, or has the highest key, as places among the candidates."""
        order = np.lexsort((-self.trace.key[self.rows], ~self.trace.kept[self.rows]))
        return np.sort(order[np.unique(unit[order], return_index=True)[1]])

    def _edited(self, kind):
        edits = [(p, tuple(what)) for p, what in self.trace.settings.get(kind) or () if not isinstance(what, str)]
        if kind == "pin":
            edits = [(p - cut, what[: len(what) - cut]) for p, what in edits for cut in range(len(what))]
        return {what for p, what in edits if p == self.i}

    def _are(self, contexts):
        """Which candidates are among these contexts."""
        if not contexts:
            return np.zeros(len(self.rows), bool)
        return np.array([self.trace.labels_of(m) in contexts for m in self.rows.tolist()], bool)

    @cached_property
    def regret(self):
        """The exact share that the best selection of the same size has more."""
        among, size = self.share[self.free | self.spare], int(self.free.sum())
        best = np.sort(among)[::-1][:size].sum()
        value = float(best - self.share[self.free].sum())
        return value if value > LEAST_REGRET else 0.0

    def best_swap(self):
        """The discarded candidate with the largest exact share for the kept one with the smallest; None without
        regret."""
        if not self.regret:
            return None
        out = np.flatnonzero(self.free)[self.share[self.free].argmin()]
        into = np.flatnonzero(self.spare)[self.share[self.spare].argmax()]
        return self._swap(out, into)

    def swaps_for(self, gold):
        """The swaps that bring in the candidate of the gold, if it was discarded: one for each kept one."""
        place = self._gold_place(gold)
        if place is None or not self.spare[place]:
            return []
        return [self._swap(out, place) for out in np.flatnonzero(self.free).tolist()]

    def _gold_place(self, gold):
        """Where the gold's candidate is, None if its history was dropped."""
        lattice, c = self.trace.lattice, 0
        indices = lattice.indices_of(gold[: self.i])
        for y in indices[:-1]:
            c = int(lattice.target[c, y]) if c >= 0 and y >= 0 and lattice.score[c, y] > -np.inf else -1
        found = (self.trace.context[self.rows] == c) & (self.trace.label[self.rows] == indices[-1])
        return int(found.argmax()) if found.any() else None

    def _swap(self, out, into):
        names = (self.trace.labels_of(int(self.rows[place])) for place in (out, into))
        gap = float(self.key[out] - self.key[into])
        return Swap(self.i, *names, float(self.share[out]), float(self.share[into]), gap)
