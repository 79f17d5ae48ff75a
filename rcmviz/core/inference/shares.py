"""Mass on one denominator: everything that a position shows is a share of all that was proposed there.

Kept, absorbed and dropped mass then add up to one, whatever the method, and a number in the tree
can be compared with one in the list of candidates.
"""

from __future__ import annotations

import numpy as np

from rcmviz.core.inference.infer import posterior
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared.logs import log_sum


def forward_shares(lattice: Lattice, trace: Trace | None = None, forward: np.ndarray | None = None) -> np.ndarray:
    """Forward mass of each context as a share of all that was proposed at its position.

    Parameters
    ----------
    lattice : Lattice
        What a builder returned.
    trace : Trace, optional
        Its trace, which knows what was proposed; without one the arcs of the lattice say it.
    forward : ndarray of shape (C,), optional
        Log forward masses, where they are at hand.

    Returns
    -------
    ndarray of shape (C,)
        A column sums to 1, or to the remaining mass if the method drops contexts.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {})
    >>> lattice, trace = rv.beam(model, np.log([[0.75, 0.25]] * 2), budget=1)
    >>> round(float(forward_shares(lattice, trace)[lattice.column(1)][0]), 6)
    0.75
    """
    forward = posterior(lattice).forward if forward is None else forward
    shares = np.zeros(lattice.C)
    for i in range(lattice.T + 1):
        column = lattice.column(i)
        total = log_proposed(lattice, trace, forward, i)
        if total > -np.inf:
            shares[column] = np.exp(forward[column] - total)
    return shares


def log_proposed(lattice, trace, forward, i):
    """Log of all that was proposed at position i; without a trace what the arcs carry, those that lead nowhere too."""
    if i == 0:
        return forward[0]
    return trace.log_mass_of(i) if trace is not None and i < lattice.T else log_sum(log_arcs(lattice, forward, i))


def log_arcs(lattice, forward, i):
    """Log masses (C, Y) of all arcs to position i, those that lead nowhere too."""
    before = lattice.column(i - 1)
    return forward[before, None] + lattice.score[before]
