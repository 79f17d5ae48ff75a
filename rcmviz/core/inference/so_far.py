"""The state after the first i labels: the best prefix, and each label's share of all candidates."""

from __future__ import annotations

import numpy as np

from rcmviz.core.inference.infer import posterior
from rcmviz.core.inference.shares import log_arcs
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.shared.logs import log_sum


def best_beginnings(lattice: Lattice) -> list[tuple[int, ...]]:
    """The best beginning of an output after 1 … T labels, of those that the lattice still holds.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.

    Returns
    -------
    list of tuple of int
        Label indices, one tuple of each length 1 … T; ties go to the lower context, then to the lower label.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 9.0}), [[0.0, 1.0], [0.0, 0.0]])
    >>> best_beginnings(lattice)
    [(1,), (0, 1)]
    """
    best, last, found = np.zeros(1), [], []
    for i in range(lattice.T):
        column, after = lattice.column(i), lattice.column(i + 1)
        target = lattice.target[column].ravel() - after.start
        score = (best[:, None] + lattice.score[column]).ravel()
        arcs = np.flatnonzero(target >= 0)[::-1]
        best = np.full(after.stop - after.start, -np.inf)
        np.maximum.at(best, target[arcs], score[arcs])
        wins = arcs[score[arcs] == best[target[arcs]]]
        taken = np.full(len(best), -1, dtype=np.int64)
        taken[target[wins]] = wins  # the lowest arc is written last
        last.append(taken)
        found.append(_back(lattice, last, int(best.argmax())))
    return found


def _back(lattice, last, at):
    """The labels on the best way to a context of the column behind the ``last`` arcs."""
    labels = []
    for taken in reversed(last):
        at, y = divmod(int(taken[at]), lattice.width)
        labels.append(y)
    return tuple(reversed(labels))


def label_shares(lattice: Lattice, forward: np.ndarray | None = None) -> np.ndarray:
    """Share of each label in all mass that is proposed at its position, whatever is kept of it.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    forward : ndarray of shape (C,), optional
        Log forward masses, where they are at hand.

    Returns
    -------
    ndarray of shape (T, Y)
        P(y_i = v) as far as a method knows it that has read positions 1 … i only; every row sums to 1.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.beam(rv.NgramModel.from_windows("ab", 1, {}), np.log([[0.75, 0.25]] * 2), budget=1)
    >>> label_shares(lattice).round(2).tolist()
    [[0.75, 0.25], [0.75, 0.25]]
    """
    forward = posterior(lattice).forward if forward is None else forward
    shares = np.zeros((lattice.T, lattice.width))
    for i in range(lattice.T):
        arcs = log_arcs(lattice, forward, i + 1)
        total = log_sum(arcs)
        if total > -np.inf:
            shares[i] = np.exp(arcs - total).sum(axis=0)
    return shares
