"""The result of one method on one example: its output, its confidence, the fate of the gold labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rcmviz.core.inference import infer
from rcmviz.core.lattices.lattice import Lattice

RANKS = 200  # how far down the gold's rank is looked for


@dataclass(frozen=True)
class Verdict:
    """`decoded` label names · `confidence` its probability · `log_z` of the method's own model · `entropy` in nats ·
    `top` the likeliest outputs as (labels, probability) · with gold: its `gold_probability`, its `gold_rank` from 1
    (None beyond the first 200) and `lost_at`, the position at which the lattice dropped it (None if it never did).
    """

    name: str
    decoded: tuple[str, ...]
    confidence: float
    log_z: float
    entropy: float
    top: tuple[tuple[tuple[str, ...], float], ...]
    gold: tuple[str, ...] | None = None
    gold_probability: float | None = None
    gold_rank: int | None = None
    lost_at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, ready for JSON."""
        return asdict(self)


def judge(name: str, lattice: Lattice, gold: Sequence[str] | None = None, top: int = 5) -> Verdict:
    """The verdict of a lattice; ValueError if no output is possible or gold does not fit the lattice.

    Example: `judge("beam 10", lattice, "embraces").lost_at`.
    """
    table = infer.posterior(lattice)
    paths = infer.kbest(lattice, RANKS if gold is not None else top)
    best = tuple((path.labels, math.exp(path.log_prob)) for path in paths[:top])
    verdict = {
        "name": name,
        "decoded": best[0][0],
        "confidence": best[0][1],
        "log_z": table.log_z,
        "entropy": table.entropy,
        "top": best,
    }
    if gold is None:
        return Verdict(**verdict)
    gold = tuple(gold)
    probability = math.exp(infer.log_prob(lattice, gold))
    rank = next((place for place, path in enumerate(paths, start=1) if path.labels == gold), None)
    return Verdict(**verdict, gold=gold, gold_probability=probability, gold_rank=rank, lost_at=lost_at(lattice, gold))


def lost_at(lattice: Lattice, labels: Sequence[str]) -> int | None:
    """The position (1 … T) at which an output falls off the lattice, None if all of it has a way through.

    Beam search loses what it drops; RCMS and exact inference lose nothing but what a score of −inf forbids.
    """
    at = 0
    for position, y in enumerate(lattice.indices_of(labels), start=1):
        if y < 0 or lattice.target[at, y] < 0 or lattice.score[at, y] == -math.inf:
            return position
        at = int(lattice.target[at, y])
    return None


def contexts_along(lattice: Lattice, labels: Sequence[str]) -> list[int | None]:
    """Per column 0 … T the context that carries these labels, None from where they were dropped."""
    nodes: list[int | None] = [0]
    for y in lattice.indices_of(labels):
        into = -1 if nodes[-1] is None or y < 0 else int(lattice.target[nodes[-1], y])
        nodes.append(None if into < 0 else into)
    return nodes
