"""Learned selection: which contexts a budget keeps, scored by what promises to matter, the exact posterior as expert.

RCMS keeps the candidates with the largest forward mass. What they will be worth at the end is mass × e^message, the
message being the log weight of all that can follow, unknown at that position. An expert knows it on words that it has
read exactly. A scorer learns its message from cheap features; RCMS then keeps the largest mass × e^promise.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from rcmviz.core.builders.build import rcms_with_heuristic
from rcmviz.core.shared.logs import log_sum
from rcmviz.kernels.chain.contexts import CODE, LENGTH

FEATURES = ("next emission", "shorter rest", "next, then shorter rest", "length", "mass × entropy")


@lru_cache(maxsize=4)
def exponentials(model):
    """The table of a model, exponentiated (R, Y)."""
    return np.exp(model.log_table)


@dataclass(frozen=True, eq=False)
class ScoredWord:
    """A model of single windows with a dense table, and the emissions of one word."""

    model: object
    log_emit: np.ndarray

    def rows(self, position, length, codes):
        """Table rows of contexts that remember ``length`` labels (an array) at a position."""
        model, known = self.model, np.minimum(length, self.model.order)
        return model.base[min(position, model.order), known] + codes % model.powers[known]

    @cached_property
    def shorter(self):
        """The rest of the word when one label alone is remembered, log Σ, (T + 1, Y) by the label before a position."""
        T, width = self.log_emit.shape
        rest, labels = np.zeros((T + 1, width)), np.arange(width)
        for i in range(T - 1, 0, -1):
            table = self.model.log_table[self.rows(i, np.ones(width, np.int64), labels)]
            rest[i] = log_sum(table + self.log_emit[i] + rest[i + 1], 1)
        return rest

    @cached_property
    def ahead(self):
        """e^(emission) and e^(emission + shorter rest) of every position, each scaled to a maximum of one (T, Y, 2)."""
        both = np.stack([self.log_emit, self.log_emit + self.shorter[1:]], axis=2)
        return np.exp(both - both.max(axis=1, keepdims=True))

    @cached_property
    def entropies(self):
        """Entropy of the emissions of every position, in nats (T,)."""
        log_p = self.log_emit - log_sum(self.log_emit, 1)[:, None]
        return -(np.exp(log_p) * log_p).sum(axis=1)

    def features(self, i, contexts, log_mass):
        """(C, Y, features) of the candidates for column i + 1, where i + 1 < T."""
        lengths, rows = self._candidates(i, contexts)
        found = np.empty((*rows.shape, len(FEATURES)))
        following = exponentials(self.model)[rows] @ self.ahead[i + 1]
        found[..., 0], found[..., 2] = np.log(following[..., 0]), np.log(following[..., 1])
        found[..., 1] = self.shorter[i + 1]
        found[..., 3] = np.minimum(lengths, self.model.order)
        found[..., 4] = np.maximum(log_mass - log_mass.max(), -30.0) * self.entropies[i + 1]
        return found

    def next_emission(self, i, contexts, log_mass):
        """The first feature alone (C, Y)."""
        _, rows = self._candidates(i, contexts)
        return np.log(exponentials(self.model)[rows] @ self.emits[i + 1])

    def _candidates(self, i, contexts):
        """(labels remembered, table rows) of the candidates for column i + 1, both (C, Y)."""
        width = self.log_emit.shape[1]
        codes = contexts[CODE][:, None] * width + np.arange(width)
        lengths = np.broadcast_to(contexts[LENGTH][:, None] + 1, codes.shape)
        return lengths, self.rows(i + 1, lengths, codes)

    @cached_property
    def emits(self):
        """e^emission, each position scaled to a maximum of one (T, Y)."""
        return np.exp(self.log_emit - self.log_emit.max(axis=1, keepdims=True))

    @cached_property
    def exact(self):
        """(forward, message) of every context of min(i, n) labels, logs, two lists of (Y^min(i, n),) by position."""
        model, (T, width) = self.model, self.log_emit.shape
        depth = [min(i, model.order) for i in range(T + 1)]
        arcs = [
            model.log_table[model.base[depth[i], depth[i]] + np.arange(width ** depth[i])] + self.log_emit[i]
            for i in range(T)
        ]
        forward = [np.zeros(1)]
        for i in range(T):
            moved = (forward[i][:, None] + arcs[i]).reshape(-1, width ** depth[i + 1])
            forward.append(log_sum(moved, 0))
        message = [np.zeros(width ** depth[T])]
        for i in range(T - 1, -1, -1):
            after = message[0].reshape(-1, width)
            if len(after) < len(arcs[i]):  # contexts that are no longer remembered whole lead to the same ones
                after = np.tile(after, (width, 1))
            message.insert(0, log_sum(arcs[i] + after, 1))
        return forward, message

    def expert(self, i, contexts, log_mass):
        """The exact log message of every candidate for column i + 1 (C, Y), a mean over what it has forgotten."""
        forward, message = self.exact
        width, count = self.log_emit.shape[1], contexts.shape[1]
        depth = min(i + 1, self.model.order)
        found = np.empty((count, width))
        for k in range(count):
            known = min(int(contexts[LENGTH, k]) + 1, depth)
            codes = (int(contexts[CODE, k]) * width + np.arange(width)) % width**known
            a, b = (one[i + 1].reshape(-1, width**known)[:, codes] for one in (forward, message))
            found[k] = log_sum(a + b, 0) - log_sum(a, 0)
        return found


@dataclass(frozen=True)
class LearnedPromise:
    """``weights`` of the features; the promise of a candidate is their sum."""

    weights: np.ndarray

    def promise(self, word):
        """The heuristic of ``rcms_with_heuristic`` for one word."""
        return lambda i, contexts, log_mass: word.features(i, contexts, log_mass) @ self.weights


def learn_scorer(words, budget, epochs=2, eta=0.01, seed=0):
    """A ``LearnedPromise`` that learns, on columns that it selects itself, where its choice is not the expert's.

    Each candidate that the expert would keep and the scorer does not is set against each that the scorer keeps and the
    expert would not: weighted pairs, the weight of one being the exact posterior mass between the two (a perceptron's
    step, scaled by AdaGrad). It begins with the next emission alone; weights are averaged over all columns.
    """
    size, steps, random = len(FEATURES), 0, np.random.default_rng(seed)
    weights, square, total = np.eye(size)[0], np.full(size, 1e-4), np.zeros(size)
    for _ in range(epochs):
        for number in random.permutation(len(words)):
            word, seen = words[number], []
            rcms_with_heuristic(word.model, word.log_emit, _watched(word, LearnedPromise(weights), seen), budget)
            for column in seen:
                slope = _contested(column, weights, budget)
                square += slope**2
                weights = weights + eta * slope / np.sqrt(square)
                total, steps = total + weights, steps + 1
    return LearnedPromise(total / steps)


def _contested(column, weights, budget):
    """Σ over pairs, a the expert's alone and b the scorer's alone, of (p_a − p_b) (f_a − f_b)."""
    log_mass, features = column.log_mass.ravel(), column.features.reshape(-1, column.features.shape[-1])
    worth = log_mass + column.message.ravel()
    p = np.exp(worth - worth.max())
    p /= p.sum()
    best = np.argsort(-worth, kind="stable")[:budget]
    kept = np.argsort(-(log_mass + features @ weights), kind="stable")[:budget]
    ours, theirs = np.setdiff1d(kept, best), np.setdiff1d(best, kept)
    gap = p[theirs][:, None] - p[ours]
    return gap.sum(axis=1) @ features[theirs] - gap.sum(axis=0) @ features[ours]


class _SeenColumn(NamedTuple):
    """The candidates of a column: their features, what the expert says of their rest, and their log masses."""

    features: np.ndarray
    message: np.ndarray
    log_mass: np.ndarray


def _watched(word, scorer, seen):
    """The scorer's promise; what it saw and what the expert says of it go to ``seen``."""

    def promise(i, contexts, log_mass):
        features = word.features(i, contexts, log_mass)
        seen.append(_SeenColumn(features, word.expert(i, contexts, log_mass), log_mass))
        return features @ scorer.weights

    return promise
