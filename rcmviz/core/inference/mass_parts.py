"""The parts of a step: mass with one origin, one destination and one fate, the smallest thing that moves.

A named candidate is a part; candidates too light for a name are added up by the bar that they come from, the
bar that they go to, and whether they were kept. If that still makes too many, the lightest are added up whatever they
come from.
"""

from typing import NamedTuple

import numpy as np

MIXED = -1  # the origin of what comes from several bars
DROPPED = -1  # the destination of lost mass


class Part(NamedTuple):
    """``origin`` and ``into`` are bars of the columns before and after, ``candidate`` one of those by name or −1;
    ``share`` of what was proposed, ``end`` the posterior probability of going this way, if requested.
    """

    origin: int
    into: int
    kept: bool
    count: int
    share: float
    candidate: int
    end: float = 0.0


class Ends(NamedTuple):
    """The origin and destination of each candidate of a step, as bars: arrays (M,)."""

    origin: np.ndarray
    into: np.ndarray


def choose_named(found, wanted, most, least_below):
    """Rows of the candidates that are sent by name, by rank: the first ``most``, some below the line, those wanted."""
    by_rank = np.argsort(found.rank)
    by_rank = by_rank[found.share[by_rank] > 0]
    below = by_rank[~found.kept[by_rank]][:least_below]
    chosen = set(by_rank[:most].tolist()) | set(below.tolist()) | {m for m in wanted if found.share[m] > 0}
    return sorted(chosen, key=lambda m: found.rank[m])


def rest_parts(found, ends, named, most, posterior=None, counts=None):
    """The parts of all candidates without a name, at most about ``most``; none for what has no mass.

    ``posterior`` probability of each candidate (M,), for the ``end`` of parts · ``counts`` (M,) how many candidates
    each row represents, by default 1.
    """
    posterior = np.zeros(len(found.share)) if posterior is None else posterior
    left = found.share > 0
    left[named] = False
    rows = np.flatnonzero(left)
    if not len(rows):
        return []
    keys = np.stack([ends.origin[rows], ends.into[rows], found.kept[rows]])
    groups, inverse = np.unique(keys, axis=1, return_inverse=True)
    inverse = inverse.ravel()
    count = np.bincount(inverse, None if counts is None else counts[rows])
    share, end = np.bincount(inverse, found.share[rows]), np.bincount(inverse, posterior[rows])
    parts = [
        Part(int(o), int(d), bool(k), int(n), float(s), -1, float(e))
        for (o, d, k), n, s, e in zip(groups.T, count, share, end, strict=True)
    ]
    if len(parts) <= most:
        return parts
    parts.sort(key=lambda part: -part.share)
    return parts[:most] + _merge_parts(parts[most:])


def _merge_parts(parts):
    """The same mass by destination and fate alone, whatever it comes from."""
    mixed = {}
    for part in parts:
        mixed.setdefault((part.into, part.kept), []).append(part)
    return [
        Part(
            origin=group[0].origin if len(group) == 1 else MIXED,
            into=into,
            kept=kept,
            count=sum(part.count for part in group),
            share=sum(part.share for part in group),
            candidate=-1,
            end=sum(part.end for part in group),
        )
        for (into, kept), group in sorted(mixed.items())
    ]
