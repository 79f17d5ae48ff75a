"""The chain bound on log Z of a ring of N positions: K structures of cycles instead of stars, tighter and dearer.

The positions that are l apart form g_l = gcd(N, l) cycles of N / g_l, all of whose edges are at distance l. With
messages δ (K, C) whose sum over l is 0, and M_l = diag(e^{θ⁰ + δ_l}) e^{K θ_l},

    A(θ) ≤ (1/K) Σ_l g_l log Tr M_l^{N / g_l}

by convexity; for K = 1 it is exact. The *asymptotic* form (1/K) Σ_l log λ_max(M_l) per token is its limit for large N
and **no bound** for a given N.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

FORMS = ("trace", "asymptotic")
MOST_WORDS = 4_000  # C² numbers per distance in double precision
MOST_ITERATIONS, CLOSE_ENOUGH = 2_000, 1e-11


@dataclass(frozen=True, eq=False)
class Chain:
    """``bound`` in nats per token · ``nodes (K, C)`` marginals of the K structures, equal where δ is tight ·
    ``form`` trace or asymptotic · ``delta (K, C)`` the messages it was taken at.
    """

    bound: float
    nodes: np.ndarray
    form: str
    delta: np.ndarray


class ChainBound:
    """The bound of some potentials; their exponentials are kept, so that it can be asked at many δ.

    >>> from rcmviz.mrf.potentials import FullRank
    >>> chains = ChainBound(FullRank(np.zeros(4), np.zeros((2, 4, 4))), 12)
    >>> round(float(chains.at(np.zeros((2, 4))).bound / np.log(4)), 3)
    1.0
    """

    def __init__(self, potentials, tokens, form="trace"):
        if form not in FORMS:
            raise ValueError(f"form {form!r}: choose one of {', '.join(FORMS)}")
        self.order, self.size, self.tokens, self.form = potentials.order, potentials.size, tokens, form
        if self.size > MOST_WORDS:
            raise ValueError(f"{self.size:,} words: the chain bound takes at most {MOST_WORDS:,}; use the star bound")
        if tokens <= 2 * self.order:
            raise ValueError(f"N = {tokens}: the bounds need more than 2K = {2 * self.order} tokens")
        self.node = np.asarray(potentials.node, np.float64)
        edges = [self.order * np.asarray(potentials.edges(back), np.float64) for back in range(1, self.order + 1)]
        self.highest = [edge.max() for edge in edges]
        self.edges = [np.exp(edge - highest) for edge, highest in zip(edges, self.highest, strict=True)]

    def at(self, delta):
        """The bound as a ``Chain``; ValueError where the messages of a word do not sum to 0."""
        delta = np.asarray(delta, np.float64)
        if delta.shape != (self.order, self.size) or np.abs(delta.sum(axis=0)).max() > 1e-9 * (1 + np.abs(delta).max()):
            raise ValueError(f"delta: expected {(self.order, self.size)} messages that sum to 0 over the distances")
        bound, nodes = 0.0, np.empty_like(delta)
        for back, (edges, highest) in enumerate(zip(self.edges, self.highest, strict=True), start=1):
            weights = self.node + delta[back - 1]
            top = weights.max()
            value, nodes[back - 1] = self._cycle_bound(np.exp(weights - top), edges, back)
            bound += (value + top + highest) / self.order
        return Chain(float(bound), nodes, self.form, delta)

    def _cycle_bound(self, weight, edges, back):
        """(log mass per token, marginals (C,)) of the cycles of one distance; matrix diag(weight) edges."""
        if self.form == "asymptotic":
            return largest_eigenvalue(weight, edges)
        cycles = gcd(self.tokens, back)
        log_trace, diagonal = log_trace_of_power(weight[:, None] * edges, self.tokens // cycles)
        return cycles * log_trace / self.tokens, diagonal

    def tighten(self, steps=200):
        """The tightest bound that L-BFGS finds, as a ``Chain``: convex in δ, exact gradients."""
        if self.order == 1:
            return self.at(np.zeros((1, self.size)))
        from scipy.optimize import minimize  # a third of what every first page of the application would import

        rows = self.order - 1

        def value_and_gradient(free):
            chain = self.at(self._close_messages(free))
            return chain.bound, ((chain.nodes[:rows] - chain.nodes[rows]) / self.order).ravel()

        start = np.zeros(rows * self.size)
        options = {"maxiter": steps, "ftol": 1e-12, "gtol": 1e-9}
        found = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options=options)
        return self.at(self._close_messages(found.x))

    def _close_messages(self, free):
        """Messages (K, C) whose last row makes the sum 0."""
        rows = free.reshape(self.order - 1, self.size)
        return np.vstack([rows, -rows.sum(axis=0)])


def log_trace_of_power(matrix, power):
    """(log Tr Mⁿ, diag Mⁿ / Tr Mⁿ) of a positive matrix, by squaring.

    >>> log_trace, diagonal = log_trace_of_power(np.ones((2, 2)), 3)
    >>> round(float(np.exp(log_trace)), 9), diagonal.tolist()
    (8.0, [0.5, 0.5])
    """
    square, of_square, found, of_found = matrix, 0.0, None, 0.0
    while True:
        scale = square.max()
        square, of_square = square / scale, of_square + np.log(scale)
        if power & 1:
            found, of_found = (square, of_square) if found is None else (found @ square, of_found + of_square)
            scale = found.max()
            found, of_found = found / scale, of_found + np.log(scale)
        power >>= 1
        if not power:
            diagonal = np.diagonal(found)
            return float(np.log(diagonal.sum()) + of_found), diagonal / diagonal.sum()
        square, of_square = square @ square, 2 * of_square


def largest_eigenvalue(weight, edges):
    """(log λ_max, marginals (C,)) of diag(weight) · edges by power iteration from both sides."""
    even = np.full(len(weight), 1.0 / len(weight))
    _, left = growth(lambda state: (state * weight) @ edges, even)
    value, right = growth(lambda state: weight * (edges @ state), even)
    both = left * right
    return float(np.log(value)), both / both.sum()


def growth(step, state, close=CLOSE_ENOUGH):
    """(largest eigenvalue of a positive linear ``step``, its eigenvector of sum 1), by power iteration.

    It runs on step + λ/2: alternating states, whose second eigenvalue is near −λ, would never settle else.
    """
    once = step(state)
    twice = step(once / once.sum(dtype=np.float64))
    half, last = 0.5 * np.sqrt(once.sum(dtype=np.float64) * twice.sum(dtype=np.float64)), np.inf
    half = state.dtype.type(half)
    for _ in range(MOST_ITERATIONS):
        state = step(state) + half * state
        value = state.sum(dtype=np.float64)
        state /= state.dtype.type(value)
        if abs(value - last) <= close * value:
            break
        last = value
    return float(value - half), state
