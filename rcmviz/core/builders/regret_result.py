"""The result of a regret analysis: exact shares, the best swap of each position, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rcmviz.core.lattices.trace import Trace, star
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.logs import finite_or_none, subtract_logs

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
        cost = None if swap.log_z is None else float(subtract_logs(swap.log_z, self.log_z))
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
            "log_z": finite_or_none(self.log_z),
            "full_log_z": finite_or_none(self.full_log_z),
            "gold_probability": self.gold_probability,
            "effective_draws": self.ess,
        }

    def _plain(self, swap):
        cost, gold = self.costs(swap)
        plain = {name: getattr(swap, name) for name in ("position", "kept", "discarded", "kept_share")}
        plain |= {"discarded_share": swap.discarded_share, "gap": swap.gap, "output": swap.output}
        return plain | {"log_z_cost": None if cost is None else finite_or_none(cost), "gold_cost": gold}


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
