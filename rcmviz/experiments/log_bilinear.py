"""The left-context log-bilinear model, the reference of figure 6 of Jernite, Rush and Sontag (2015).

p(w | the K tokens before) ∝ exp(θ⁰(w) + Σ_l U_{token at distance l} · W_w^l): the potentials of a field (eq. 5) seen
from the left and normalised at every position, the distance-dependent form of Mnih and Hinton (2007). Full softmax,
AdaGrad through batches in random order; the epoch that is best on a held-out text is kept.
"""

import time

import numpy as np
from scipy import sparse

from rcmviz.mrf.moments import ring
from rcmviz.mrf.vocabulary import NumberedText

BATCH, TINY, SPREAD = 512, 1e-6, 0.1


class LogBilinear:
    """A model of order K over C words, learnt epoch by epoch; ``corpus`` is what it learns from.

    >>> corpus = NumberedText(np.array([1, 2, 1, 2, 1, 2], np.int32), np.array([0, 2, 4, 6]))
    >>> model = LogBilinear(corpus, size=3, order=1, rank=2)
    >>> before = model.log_prob(corpus)
    >>> _ = [model.epoch() for _ in range(20)]
    >>> model.log_prob(corpus) > before
    True
    """

    def __init__(
        self,
        corpus: NumberedText,
        size: int,
        order: int = 2,
        rank: int = 30,
        l2: float = 1.0,
        eta: float = 0.1,
        seed: int = 0,
    ):
        self.order, self.rank, self.eta, self.random = order, rank, eta, np.random.default_rng(seed)
        self.line, self.places = predicted_places(corpus, order)
        self.penalty = l2 / len(self.places)
        counts = np.bincount(self.line[self.places], minlength=size)
        self.node = np.log((counts + 0.5) / (len(self.places) + 0.5 * size)).astype(np.float32)
        self.left = self.random.normal(0.0, SPREAD, (size, rank)).astype(np.float32)
        self.right = self.random.normal(0.0, SPREAD, (size, order * rank)).astype(np.float32)
        self.squares = [np.zeros_like(part) for part in self._parts()]
        self.seconds = 0.0

    def _parts(self):
        return self.node, self.left, self.right

    def _before(self, line, places):
        """The tokens at the distances 1 … K before some places, one array each."""
        return [line[places - back] for back in range(1, self.order + 1)]  # −1 is the ring's last

    def _scores(self, before):
        context = np.hstack([self.left[tokens] for tokens in before])
        scores = self.node + context @ self.right.T
        scores -= scores.max(axis=1, keepdims=True)
        return context, scores

    def epoch(self) -> float:
        """Go through the text once; mean log probability in nats per predicted token, as it was met."""
        began, values = time.process_time(), []
        order = self.random.permutation(self.places)
        for start in range(0, len(order), BATCH):
            values.append(self._learn(order[start : start + BATCH]))
        self.seconds += time.process_time() - began
        return float(np.mean(values))

    def _learn(self, places):
        words, at = self.line[places], np.arange(len(places))
        before = self._before(self.line, places)
        context, scores = self._scores(before)
        own = scores[at, words].astype(np.float64)
        np.exp(scores, out=scores)
        sums = scores.sum(axis=1, keepdims=True)
        scores /= -sums * len(places)
        scores[at, words] += 1.0 / len(places)  # observed minus expected
        of_context = scores @ self.right
        of_left = sum(
            _scatter(tokens, of_context[:, back * self.rank : (back + 1) * self.rank], len(self.node))
            for back, tokens in enumerate(before)
        )
        slopes = scores.sum(axis=0), of_left - self.penalty * self.left, scores.T @ context - self.penalty * self.right
        for part, square, slope in zip(self._parts(), self.squares, slopes, strict=True):
            square += slope * slope
            part += self.eta * slope / (np.sqrt(square) + TINY)
        return float(np.mean(own - np.log(sums[:, 0])))

    def log_prob(self, corpus: NumberedText) -> float:
        """Log probability of a text in nats, the ends of sentences predicted, once each."""
        line, places = predicted_places(corpus, self.order)
        total = 0.0
        for start in range(0, len(places), BATCH):
            here = places[start : start + BATCH]
            _, scores = self._scores(self._before(line, here))
            own = scores[np.arange(len(here)), line[here]]
            total += float(np.sum(own - np.log(np.exp(scores).sum(axis=1)), dtype=np.float64))
        return total


def predicted_places(corpus: NumberedText, order: int) -> tuple[np.ndarray, np.ndarray]:
    """(the ring of a corpus, the places that are predicted): all words, and of K separators the one behind a word."""
    line = ring(corpus, order)
    return line, np.flatnonzero((line > 0) | (line[np.arange(len(line)) - 1] > 0))


def _scatter(words, rows, size):
    """Sums (C, D) of rows by word."""
    chosen = sparse.csr_array((np.ones(len(words), rows.dtype), (words, np.arange(len(words)))), (size, len(words)))
    return chosen @ rows
