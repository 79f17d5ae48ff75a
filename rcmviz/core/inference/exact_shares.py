"""Exact posterior mass of each arc of a lattice: of all outputs whose way leads through it.

The exact model is a Markov chain over its own contexts, the last n labels. It is followed together with the lattice,
which says at every position which of its contexts represents the labels so far.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.core.inference.infer import possible
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.kernels.chain import sweep

LEAST = 1e-15  # a smaller share is not followed further


class ExactShares(NamedTuple):
    """Shares of the exact posterior: ``arcs (C, Y)`` of a lattice, and ``covered (T+1,)``, what has not been dropped
    after 0 … T labels; ``log_z`` of the full model in nats.
    """

    arcs: np.ndarray
    covered: np.ndarray
    log_z: float


def exact_shares(lattice: Lattice, exact: Lattice) -> ExactShares:
    """The shares by the exact lattice of the same input; ValueError where it has no output.

    An arc of the lattice that scores −inf loses its outputs, as one that leads nowhere does.
    """
    backward = possible(sweep.backward_sums(exact.offset, exact.target, exact.score))
    arcs, covered = np.zeros(lattice.target.shape), np.zeros(lattice.T + 1)
    width, target = lattice.width, _open(lattice)
    context, state, share = np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1)
    for i in range(lattice.T):
        covered[i] = share.sum()
        into = exact.target[state]
        with np.errstate(invalid="ignore"):  # −inf − −inf of labels that are not offered
            step = np.where(into >= 0, exact.score[state] + backward[into], -np.inf) - backward[state, None]
        mass = share[:, None] * np.exp(step)
        column, after = lattice.column(i), lattice.column(i + 1)
        flat = (context - column.start)[:, None] * width + np.arange(width)
        arcs[column] = np.bincount(flat.ravel(), mass.ravel(), arcs[column].size).reshape(-1, width)
        onward = target[context]
        there = (onward >= 0) & (mass > LEAST)
        first, size = int(exact.offset[i + 1]), int(exact.offset[i + 2] - exact.offset[i + 1])
        pairs = (onward[there] - after.start) * size + into[there] - first
        known, place = np.unique(pairs, return_inverse=True)
        share = np.bincount(place, mass[there], len(known))
        context, state = known // size + after.start, known % size + first
    covered[lattice.T] = share.sum()
    return ExactShares(arcs, covered, float(backward[0]))


def drawn_shares(lattice: Lattice, labels: np.ndarray, weight: np.ndarray, log_z: float) -> ExactShares:
    """Estimates of the same from outputs, label indices (n, T), with their weights (n,), which sum to 1."""
    arcs, covered, target = np.zeros(lattice.target.shape), np.zeros(lattice.T + 1), _open(lattice)
    context, share = np.zeros(len(labels), np.int64), np.asarray(weight, dtype=float)
    for i in range(lattice.T):
        covered[i] = share.sum()
        np.add.at(arcs, (context, labels[:, i]), share)
        context = target[context, labels[:, i]]
        there = context >= 0
        labels, context, share = labels[there], context[there], share[there]
    covered[lattice.T] = share.sum()
    return ExactShares(arcs, covered, log_z)


def _open(lattice):
    """Where each arc leads (C, Y), −1 also where it scores −inf."""
    return np.where(lattice.score > -np.inf, lattice.target, -1)
