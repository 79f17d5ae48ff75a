"""The candidates of one position with their share of the mass and their destination, from a trace or from arcs."""

from typing import NamedTuple

import numpy as np

from rcmviz.core.inference.shares import log_arcs
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared.logs import log_sum


class Proposals(NamedTuple):
    """Candidates of a position, one entry each: arrays of shape (M,).

    ``context`` of the column before that a candidate extends · ``label`` index · ``share`` of all mass proposed at the
    position · ``rank`` from 1 · ``kept`` as a context of its own · ``into`` the context that carries its mass, −1 where
    it was dropped.
    """

    context: np.ndarray
    label: np.ndarray
    share: np.ndarray
    rank: np.ndarray
    kept: np.ndarray
    into: np.ndarray


def proposals(lattice: Lattice, trace: Trace | None, forward: np.ndarray, i: int) -> Proposals:
    """The candidates of position i, 1 … T; at T, or without a trace, the arcs of the lattice tell them.

    >>> import rcmviz as rv
    >>> lattice, trace = rv.beam(rv.NgramModel.from_windows("ab", 1, {}), np.log([[0.75, 0.25]] * 2), budget=1)
    >>> proposals(lattice, trace, rv.posterior(lattice).forward, 1).share.round(2).tolist()
    [0.75, 0.25]
    """
    if trace is None or i == lattice.T:
        return _proposals_from_arcs(lattice, forward, i)
    rows = trace.candidates(i)
    return Proposals(
        context=trace.context[rows],
        label=trace.label[rows],
        share=trace.share(i),
        rank=trace.rank(i),
        kept=trace.kept[rows],
        into=trace.into[rows],
    )


def _proposals_from_arcs(lattice, forward, i):
    column = lattice.column(i - 1)
    context, label = (
        part.ravel()
        for part in np.meshgrid(np.arange(column.start, column.stop), np.arange(lattice.width), indexing="ij")
    )
    offered = np.ones(len(label), bool) if lattice.choices is None else lattice.choices[i - 1, label] >= 0
    context, label = context[offered], label[offered]
    log_mass = log_arcs(lattice, forward, i).ravel()[offered]
    total = log_sum(log_mass)
    share = np.exp(log_mass - total) if total > -np.inf else np.zeros(len(log_mass))
    rank = np.empty(len(share), dtype=np.int64)
    rank[np.argsort(-log_mass, kind="stable")] = np.arange(1, len(share) + 1)
    into = lattice.target[context, label]
    return Proposals(context, label, share, rank, _kept_candidates(lattice, context, label, into, i), into)


def _kept_candidates(lattice, context, label, into, i):
    """Which candidates became contexts of their own: those that their context says it extends; at the end all."""
    reached = into >= 0
    if i == lattice.T:
        return reached
    return reached & (lattice.origin[into] == context) & (lattice.label[into] == label)
