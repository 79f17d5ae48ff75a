"""Learning a tagger's field from tagged sentences: joint likelihood of words and tags, by its bound."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from rcmviz.mrf.tag_bound import tag_bound

OFFSETS = {1: (0,), 2: (-1, 0), 3: (-1, 0, 1)}  # of the words that a tag sees, by the size of the window


@dataclass(frozen=True, eq=False)
class TagMoments:
    """Counts of a ring of ``tokens``, a separator before every sentence: ``pairs (S, S)`` of neighbouring tags, ``words
    (V,)``, and ``seen[m] (S, V)`` sparse, of a tag and the word at offset m.
    """

    tokens: int
    pairs: np.ndarray
    words: np.ndarray
    seen: tuple


def count_tags(sentences, tag_number, word_number, window):
    """``TagMoments`` of pairs (words, tags); number 0 of both is the separator."""
    words = [0, *(w for names, _ in sentences for w in (*map(word_number.__getitem__, names), 0))][:-1]
    tags = [0, *(t for _, names in sentences for t in (*map(tag_number.__getitem__, names), 0))][:-1]
    words, tags, ones = np.array(words), np.array(tags), np.ones(len(tags))
    size = len(tag_number), len(word_number)
    pairs = sparse.coo_array((ones, (tags, np.roll(tags, -1))), shape=(size[0],) * 2).toarray()
    seen = tuple(
        sparse.coo_array((ones, (tags, np.roll(words, -offset))), shape=size).tocsr() for offset in OFFSETS[window]
    )
    return TagMoments(len(tags), pairs, np.bincount(words, minlength=size[1]).astype(float), seen)


class TagParts(NamedTuple):
    """The parts of the vector that a tagger is learned as: θ, θ⁰, ν, the weights of features, δ and ε."""

    pairs: np.ndarray
    tags: np.ndarray
    words: np.ndarray
    weights: np.ndarray
    delta: np.ndarray
    epsilon: np.ndarray


class TagObjective:
    """Minus the penalised bound on log p(words, tags) per token, and its gradient, of one vector.

    The vector holds θ (S, S), θ⁰ (S,), ν (V,), the weights (|M|, S, P) of features, δ (|M|, S) and ε (|M|, V); the
    first and the weights are penalised by ½ l2 Σ of squares against the log-likelihood of the whole text.
    """

    PENALISED = ("pairs", "weights")

    def __init__(self, moments, features, l2, dtype=np.float32):
        self.moments, self.dtype, self.l2 = moments, dtype, l2 / moments.tokens
        self.features, self.turned = features.astype(dtype), features.T.tocsr().astype(dtype)
        tags, words, count = len(moments.pairs), len(moments.words), len(moments.seen)
        self.shapes = (tags, tags), (tags,), (words,), (count, tags, features.shape[1]), (count, tags), (count, words)
        self.observed = [self._feature_counts(seen) / moments.tokens for seen in moments.seen]

    def _feature_counts(self, seen):
        """(S, P): how often each tag sees each feature."""
        return np.ascontiguousarray((self.turned @ seen.T.toarray().astype(self.dtype)).T, np.float64)

    def first(self):
        """The vector that learning begins with: frequencies of words and tags, nothing else."""
        parts = TagParts(*map(np.zeros, self.shapes))
        tags = self.moments.pairs.sum(axis=1)
        parts.tags[:] = np.log((tags + 0.5) / self.moments.tokens)
        parts.words[:] = np.log((self.moments.words + 0.5) / self.moments.tokens)
        return np.concatenate([part.ravel() for part in parts])

    def split(self, x):
        """The parts of a vector."""
        stops = np.cumsum([np.prod(shape) for shape in self.shapes])
        return TagParts(*map(np.reshape, np.split(x, stops[:-1]), self.shapes))

    def seen(self, weights):
        """θ^m (S, V) of all words by offset."""
        for of_offset in weights:
            yield np.ascontiguousarray((self.features @ of_offset.T.astype(self.dtype)).T)

    def __call__(self, x):
        parts, moments, share = self.split(x), self.moments, 1.0 / self.moments.tokens
        seen = self.seen(parts.weights)
        found = tag_bound(parts.pairs, parts.tags, parts.words, seen, parts.delta, parts.epsilon, moments.tokens)
        of_tags = moments.pairs.sum(axis=1)
        data = np.vdot(moments.pairs, parts.pairs) + of_tags @ parts.tags + moments.words @ parts.words
        value = found.bound - data * share - sum(map(np.vdot, self.observed, parts.weights))
        of_weights = [
            (self.turned @ seen.T).T.astype(np.float64) - observed
            for seen, observed in zip(found.seen, self.observed, strict=True)
        ]
        gradient = TagParts(
            found.pairs - moments.pairs * share,
            found.tags - of_tags * share,
            found.words - moments.words * share,
            np.stack(of_weights),
            found.delta,
            found.epsilon,
        )
        for name in self.PENALISED:
            values, of_values = getattr(parts, name), getattr(gradient, name)
            value += 0.5 * self.l2 * np.vdot(values, values)
            of_values += self.l2 * values
        return float(value), np.concatenate([part.ravel() for part in gradient])
