"""The bound of a tagger's field: tags on a ring, each tied to the next one and to the words around it.

With offsets m ∈ M of the words that a tag sees, the edges are θ(t_i, t_{i+1}) and θ^m(t_i, w_{i+m}), the nodes θ⁰(t)
and ν(w). One forest per offset: the whole ring of tags, and on each tag the word at that offset, so that

    A / N ≤ (1/|M|) Σ_m (1/N) log Tr T_m^N,
    T_m(t, t') = e^{θ(t, t') + θ⁰(t') + δ_m(t')} Σ_w e^{|M| θ^m(t', w) + ν(w) + ε_m(w)}

for messages δ and ε whose sums over m are 0. With one word per tag it is exact.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class TagBound:
    """``bound`` on log Z in nats per token, and its gradients: ``pairs (S, S)`` by θ, ``tags (S,)`` by θ⁰, ``words
    (V,)`` by ν, ``seen (|M|, S, V)`` by θ^m, ``delta (|M|, S)`` and ``epsilon (|M|, V)`` by messages, whose sums are
    kept at 0.
    """

    bound: float
    pairs: np.ndarray
    tags: np.ndarray
    words: np.ndarray
    seen: list
    delta: np.ndarray
    epsilon: np.ndarray


def tag_bound(pairs, tags, words, seen, delta, epsilon, tokens):
    """The bound on the ring of ``tokens`` tokens as a ``TagBound``; ``seen`` yields θ^m (S, V) by offset."""
    count = len(delta)
    delta, epsilon = delta - delta.mean(axis=0), epsilon - epsilon.mean(axis=0)
    bound, of_pairs, of_seen = 0.0, np.zeros_like(pairs), []
    of_tags, of_words = np.empty_like(delta), np.empty_like(epsilon)
    for m, theta in enumerate(seen):
        weights = count * theta + (words + epsilon[m]).astype(theta.dtype)
        top = weights.max(axis=1, keepdims=True)
        weights -= top
        np.exp(weights, out=weights)
        sums = weights.sum(axis=1, keepdims=True)
        leaves = (top + np.log(sums))[:, 0].astype(np.float64)
        steps = pairs + tags + delta[m] + leaves
        highest = steps.max()
        log_trace, edges = _ring_marginals(np.exp(steps - highest), tokens)
        bound += (log_trace / tokens + highest) / count
        of_tags[m] = edges.sum(axis=0)
        weights *= (of_tags[m][:, None] / sums).astype(theta.dtype)
        of_pairs += edges / count
        of_words[m] = weights.sum(axis=0)
        of_seen.append(weights)
    return TagBound(
        float(bound),
        of_pairs,
        of_tags.mean(axis=0),
        of_words.mean(axis=0),
        of_seen,
        (of_tags - of_tags.mean(axis=0)) / count,
        (of_words - of_words.mean(axis=0)) / count,
    )


def _ring_marginals(matrix, tokens):
    """(log Tr Tᴺ, marginals (S, S) of neighbours) of a positive matrix."""
    power, log_power = _power(matrix, tokens - 1)
    edges = matrix * power.T
    return float(np.log(edges.sum()) + log_power), edges / edges.sum()


def _power(matrix, exponent):
    """(Mⁿ up to a factor, the factor's log), by squaring."""
    found, of_found, of_matrix = np.eye(len(matrix)), 0.0, 0.0
    while exponent:
        if exponent & 1:
            found, of_found = found @ matrix, of_found + of_matrix
            scale = found.max()
            found, of_found = found / scale, of_found + np.log(scale)
        matrix, of_matrix = matrix @ matrix, 2 * of_matrix
        scale = matrix.max()
        matrix, of_matrix = matrix / scale, of_matrix + np.log(scale)
        exponent >>= 1
    return found, of_found
