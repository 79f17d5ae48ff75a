"""Whose mass is it? The share of each context that comes from a beginning, or went through a context.

Mass flows linearly: what extends a context has its share of the mass that is followed, and where contexts merge, the
shares are averaged by mass. The browser computes the same from a payload, for named candidates.
"""

import numpy as np

from rcmviz.core.inference.verdict import contexts_along
from rcmviz.kernels.chain import sweep


def follow_beginning(lattice, labels):
    """Share of each context's forward mass (C,) that comes from outputs that begin with ``labels``, given by name.

    The last entry is the share of all outputs: their probability. Zeros where the lattice has dropped the beginning.

    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0}), [[0.5, 0.0]] * 3, budget=1)
    >>> bool(np.isclose(follow_beginning(lattice, "ab")[-1], rv.mass(lattice, "ab*")))
    True
    """
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    way, log_mass = contexts_along(lattice, labels), 0.0
    for c, y in zip(way, lattice.indices_of(labels), strict=False):
        if c is None or y < 0:
            return np.zeros(lattice.C)
        log_mass += lattice.score[c, y]
    start = np.zeros(lattice.C)
    if way[-1] is not None and log_mass > -np.inf:
        start[way[-1]] = np.exp(log_mass - forward[way[-1]])
    return _propagate_share(lattice, forward, start, len(labels))


def follow_context(lattice, c):
    """Share of each later context's forward mass (C,) that went through context ``c``; 1 for itself.

    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.5, 0.0]] * 3, budget=1)
    >>> root = lattice.find(1, "*")
    >>> bool(np.isclose(follow_context(lattice, root)[-1], rv.posterior(lattice).context[root]))
    True
    """
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    start = np.zeros(lattice.C)
    start[c] = 1.0
    return _propagate_share(lattice, forward, start, lattice.column_of(c))


def _propagate_share(lattice, forward, share, at):
    """The shares of column ``at`` handed on to all later columns."""
    for i in range(at, lattice.T):
        column, after = lattice.column(i), lattice.column(i + 1)
        target = lattice.target[column]
        mass = forward[column, None] + lattice.score[column]
        carried = (target >= 0) & (mass > -np.inf)
        into = target[carried]
        part = np.exp(mass[carried] - forward[into]) * np.broadcast_to(share[column, None], target.shape)[carried]
        share[after] = np.bincount(into - after.start, part, minlength=after.stop - after.start)
    return share
