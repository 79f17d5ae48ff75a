"""Tightening the star bound at fixed potentials: the paper's sub-gradient steps, L-BFGS, and learning with
such a tightening inside every evaluation (Algorithms 1 and 2), to compare the joint training with.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rcmviz.mrf.star import star_bound

RATE, STEPS, VIOLATION = 1e3, 200, 1e-5  # §6; the authors' code stops at this violation
METHODS = ("sub-gradient", "l-bfgs")


@dataclass(frozen=True, eq=False)
class Tightening:
    """``delta (K, C)`` the messages of the lowest bound · ``bounds`` on log Z per token, after every step, that of the
    start first · ``violation`` how far the marginals of centre and leaves still are apart, at most.
    """

    delta: np.ndarray
    bounds: tuple
    violation: float


def tighten(potentials, delta=None, method="l-bfgs", steps=STEPS, dtype=np.float64):
    """The star bound of these potentials, tightened from ``delta`` (0 by default) on, as a ``Tightening``.

    ``sub-gradient`` is Algorithm 1: δ ← δ − α (μ_V^l − μ_V^0) with α = 10³ / 2^t, t the steps so far that did not lower
    the bound. ValueError for another method.

    >>> from rcmviz.mrf.potentials import FullRank
    >>> found = tighten(FullRank(np.zeros(2), np.array([[[0.0, 2.0], [1.0, 0.0]]])))
    >>> found.bounds[-1] < found.bounds[0]
    True
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: choose one of {', '.join(METHODS)}")
    delta = np.zeros((potentials.order, potentials.size)) if delta is None else np.asarray(delta, np.float64)
    run = _descend if method == "sub-gradient" else _minimise
    found = run(potentials, delta, steps, dtype)
    nodes = found.star.nodes
    return Tightening(found.delta, tuple(found.bounds), float(np.abs(nodes[1:] - nodes[0]).max()))


class _Run(NamedTuple):
    """The best δ, the bounds by step, and the star at the best δ."""

    delta: np.ndarray
    bounds: list
    star: Any


def _descend(potentials, delta, steps, dtype):
    """The ``_Run`` of Algorithm 1."""
    rate, c = RATE, potentials.order + 1
    star = best = star_bound(potentials, delta, dtype=dtype)
    best_delta, bounds = delta, [star.bound]
    for _ in range(steps):
        if c * np.abs(star.delta).max() < VIOLATION:
            break
        delta = delta - rate * c * star.delta
        star = star_bound(potentials, delta, dtype=dtype)
        bounds.append(star.bound)
        if not star.bound < bounds[-2]:
            rate /= 2
        if star.bound < best.bound:
            best, best_delta = star, delta
    return _Run(best_delta, bounds, best)


def _minimise(potentials, delta, steps, dtype):
    """The same of L-BFGS: the bound is convex in δ."""
    bounds = [star_bound(potentials, delta, gradient=False, dtype=dtype).bound]

    def value_and_gradient(x):
        star = star_bound(potentials, x.reshape(delta.shape), dtype=dtype)
        return star.bound, star.delta.ravel()

    from scipy.optimize import minimize  # not at every start of the application (chain_bound.py)

    found = minimize(
        value_and_gradient,
        delta.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "ftol": 1e-13},
        callback=lambda intermediate_result: bounds.append(float(intermediate_result.fun)),
    )
    best = found.x.reshape(delta.shape)
    return _Run(best, bounds, star_bound(potentials, best, dtype=dtype))


class TighteningObjective:
    """Algorithm 2: minus the penalised bound as a function of the potentials only, tightened at every evaluation.

    Wraps an ``Objective`` of ``training.py``; the messages start where the last evaluation left them. ``passes`` counts
    the evaluations of the star.
    """

    def __init__(self, joint):
        self.joint, self.shape, self.l2, self.passes = joint, joint.shape, joint.l2, 0
        self.delta = np.zeros((joint.shape.order, joint.shape.size))
        self._last = None

    def first(self, potentials):
        """The vector that learning begins with."""
        return potentials.pack()

    @property
    def extra(self):
        """A checkpoint's numbers besides the optimiser's."""
        return {"delta": self.delta}

    def split(self, x):
        """(potentials, messages (K, C)) of a vector; tightened again if another was requested last."""
        if self._last is None or not np.array_equal(x, self._last):
            self(x)
        return self.shape.unpack(x), self.delta

    def __call__(self, x):
        found = tighten(self.shape.unpack(x), self.delta, "sub-gradient", dtype=self.joint.dtype)
        self.passes += len(found.bounds)
        self.delta, self._last = found.delta, np.array(x)
        value, gradient = self.joint(np.concatenate([x, found.delta.ravel()]))
        return value, gradient[: len(x)]
