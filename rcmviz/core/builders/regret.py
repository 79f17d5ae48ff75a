"""Regret: what a selection of contexts loses against the best one of the same size, judged by exact inference.

A candidate represents all outputs whose way leads through it; its **exact share** is their probability under the full
model, which forgets nothing. The best selection of a position keeps the candidates with the largest exact shares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import build_lattice, exact
from rcmviz.core.inference.exact_shares import drawn_shares, exact_shares
from rcmviz.core.inference.infer import log_prob, log_z, viterbi
from rcmviz.core.lattices.trace import Trace, star
from rcmviz.core.methods import METHODS
from rcmviz.core.models.scores import Model
from rcmviz.core.rules import FORWARD, RULES
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze

if TYPE_CHECKING:
    import pandas

LEAST_REGRET = 1e-9  # less is rounding


class WeightedDraws(Protocol):
    """What ``rv.importance`` and ``rv.smc`` return."""

    labels: np.ndarray
    share: np.ndarray
    ess: float
    log_z: float


@dataclass(frozen=True)
class Swap:
    """One discarded candidate in the place of a kept one.

    Attributes
    ----------
    position : int
        The position, 1 … T−1.
    kept, discarded : tuple of str
        The labels that both remember, the oldest first.
    kept_share, discarded_share : float
        Their exact shares.
    gap : float
        By how much the kept one is ranked higher, as a share of all ranking keys of the position.
    log_z : float or None
        Log Z of the method after the swap, in nats; None where it cannot be repeated with a swap.
    gold_probability : float or None
        Probability of the gold in the method after the swap.
    output : tuple of str or None
        What the method answers after the swap.
    """

    position: int
    kept: tuple[str, ...]
    discarded: tuple[str, ...]
    kept_share: float
    discarded_share: float
    gap: float
    log_z: float | None = None
    gold_probability: float | None = None
    output: tuple[str, ...] | None = None

    @property
    def gain(self) -> float:
        """The exact share that the swap keeps in addition."""
        return self.discarded_share - self.kept_share


@dataclass(frozen=True, eq=False)
class Regret(CopyableMixin):
    """What a selection of contexts loses, as ``regret`` returns it. M candidates of the trace.

    Attributes
    ----------
    exact_share : ndarray of shape (M,)
        Probability, under the full model, of all outputs whose way leads through a candidate.
    by_position : ndarray of shape (T−1,)
        Regret of the positions 1 … T−1: the summed exact shares of the best candidates, as many as were kept, minus
        those of the kept ones.
    covered : ndarray of shape (T+1,)
        Exact share of the outputs that are not dropped after 0 … T labels.
    swaps : tuple of Swap or None
        For each position the swap that gains most, None where the regret is 0.
    repair : Swap or None
        The swap with the smallest gap, among those that bring the gold's candidate back at one position, after which
        the method answers the gold; None if it already does or no such swap suffices.
    log_z, full_log_z : float
        Log Z of the method and of the full model, in nats.
    gold_probability : float or None
        Probability of the gold in the method.
    ess : float or None
        Effective sample size where the shares are estimated from weighted draws, None where they are exact.
    """

    exact_share: np.ndarray
    by_position: np.ndarray
    covered: np.ndarray
    swaps: tuple[Swap | None, ...]
    repair: Swap | None
    log_z: float
    full_log_z: float
    gold_probability: float | None
    ess: float | None
    _trace: Trace = field(repr=False)

    def __post_init__(self):
        freeze(self)

    def __repr__(self):
        kind = "" if self.ess is None else f", estimated from {self.ess:.1f} effective draws"
        return f"<Regret: {self.total:.3g} at {len(self.by_position)} positions{kind}>"

    @property
    def is_estimate(self) -> bool:
        """Whether the shares come from weighted draws instead of exact inference."""
        return self.ess is not None

    @property
    def total(self) -> float:
        """The sum of the regrets of all positions."""
        return float(self.by_position.sum())

    @property
    def worst(self) -> Swap | None:
        """The swap of the position with the largest regret, None if all are 0."""
        return self.swaps[int(self.by_position.argmax())] if self.total > 0 else None

    def costs(self, swap: Swap) -> tuple[float | None, float | None]:
        """What keeping the wrong candidate cost: (log Z in nats, probability of the gold), None where unknown."""
        cost = None if swap.log_z is None else _minus(swap.log_z, self.log_z)
        if swap.gold_probability is None or self.gold_probability is None:
            return cost, None
        return cost, swap.gold_probability - self.gold_probability

    def sentence(self, position: int) -> str:
        """What the selection of a position should have been, in a sentence.

        Parameters
        ----------
        position : int
            The position, 1 … T−1.

        Returns
        -------
        str
            One sentence.
        """
        if not 1 <= checks.index("position", position) <= len(self.swaps):
            raise ValueError(f"position {position}: contexts are selected at positions 1 to {len(self.swaps)}")
        swap, about = self.swaps[position - 1], "estimated" if self.is_estimate else "exact"
        if swap is None:
            return f"Position {position}: no selection of this size has a larger {about} share."
        names = star(swap.discarded, position), star(swap.kept, position)
        shares = f"{swap.discarded_share:.2g} against {swap.kept_share:.2g} of the {about} mass"
        cost, gold = self.costs(swap)
        parts = [] if cost is None else [f"log Z by {cost:+.2g} nats"]
        parts += [] if gold is None else [f"the gold's probability by {gold:+.2g}"]
        changes = f"; the swap changes {' and '.join(parts)}" if parts else ""
        return f"Position {position}: `{names[0]}` should have been kept instead of `{names[1]}`, {shares}{changes}."

    def table(self) -> pandas.DataFrame:
        """One row for each position, with its best swap.

        Returns
        -------
        pandas.DataFrame
            ``position``, ``regret``, ``discarded`` and ``kept`` (names such as ``*ol``), ``discarded_share``,
            ``kept_share``, ``log_z_cost``, ``gold_cost`` and ``gap``; missing values where the regret is 0.
        """
        import pandas

        rows = []
        for position, (value, swap) in enumerate(zip(self.by_position.tolist(), self.swaps, strict=True), 1):
            row: dict[str, Any] = {"position": position, "regret": value}
            if swap is not None:
                cost, gold = self.costs(swap)
                row |= {"discarded": star(swap.discarded, position), "kept": star(swap.kept, position)}
                row |= {"discarded_share": swap.discarded_share, "kept_share": swap.kept_share}
                row |= {"log_z_cost": cost, "gold_cost": gold, "gap": swap.gap}
            rows.append(row)
        return pandas.DataFrame(rows, columns=COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """The regrets, swaps and shares as plain values, ready for JSON; None represents −inf."""
        swaps = [None if swap is None else self._plain(swap) for swap in self.swaps]
        return {
            "regret": self.by_position.tolist(),
            "covered": self.covered.tolist(),
            "swaps": swaps,
            "repair": None if self.repair is None else self._plain(self.repair),
            "log_z": _finite(self.log_z),
            "full_log_z": _finite(self.full_log_z),
            "gold_probability": self.gold_probability,
            "effective_draws": self.ess,
        }

    def _plain(self, swap):
        cost, gold = self.costs(swap)
        plain = {name: getattr(swap, name) for name in ("position", "kept", "discarded", "kept_share")}
        plain |= {"discarded_share": swap.discarded_share, "gap": swap.gap, "output": swap.output}
        return plain | {"log_z_cost": None if cost is None else _finite(cost), "gold_cost": gold}


COLUMNS = [
    "position",
    "regret",
    "discarded",
    "kept",
    "discarded_share",
    "kept_share",
    "log_z_cost",
    "gold_cost",
    "gap",
]


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


def _minus(one, other):
    return 0.0 if one == other else one - other


def _finite(value):
    return value if math.isfinite(value) else None
