"""Moments of a text for learning: counts of words, and of pairs of words at the distances 1 … K.

K separators stand before every sentence and the text is a ring, so that every position has K neighbours each way; pairs
of separators are pairs like others. N counts words and separators.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.mrf.vocabulary import batches

MOST_ORDER = 8


@dataclass(frozen=True, eq=False)
class Moments(CopyableMixin):
    """Counts of a ring of N ``tokens``: ``words (C,)`` and, per distance l, sparse ``pairs[l−1] (C, C)`` float64.

    ``pairs[l−1][u, v]``: at how many places v stands l behind u. All of them sum to N. ValueError for N ≤ 2K.
    """

    tokens: int
    words: np.ndarray
    pairs: tuple

    def __post_init__(self):
        if self.tokens <= 2 * self.order:
            raise ValueError(
                f"the text has {self.tokens} tokens with its separators: a field of order {self.order} needs more than "
                f"{2 * self.order}; give more text or a lower order"
            )
        freeze(self)

    @property
    def order(self):
        """K, the longest distance."""
        return len(self.pairs)

    @property
    def size(self):
        """C, the number of words."""
        return len(self.words)


def ring(corpus, order):
    """The tokens (N,) of a corpus with ``order`` separators, number 0, before every sentence."""
    lengths = np.diff(corpus.offset)
    line = np.zeros(len(corpus.ids) + order * len(lengths), np.int32)
    line[np.arange(len(corpus.ids)) + np.repeat(order * np.arange(1, len(lengths) + 1), lengths)] = corpus.ids
    return line


def count_moments(corpora, order, size):
    """``Moments`` of corpora that make one text, each held for a moment only; ``size`` is that of the vocabulary."""
    checks.whole("order", order, 1, MOST_ORDER)
    words, pairs = np.zeros(size), [sparse.csr_array((size, size)) for _ in range(order)]
    beginning = before = np.zeros(0, np.int32)
    tokens = 0
    for corpus in corpora:
        line = ring(corpus, order)
        if not tokens:
            beginning = before = line[:order]
            words += np.bincount(line[:order], minlength=size)
            tokens, line = order, line[order:]
        words += np.bincount(line, minlength=size)
        tokens += len(line)
        before = _add_pairs(pairs, before, line)
    if tokens:
        _add_pairs(pairs, before, beginning)
    return Moments(tokens, words, tuple(pairs))


def _add_pairs(pairs, before, line):
    """Count the pairs that end in ``line``; ``before`` are the tokens before it. The last tokens of both together."""
    together, size, order = np.concatenate([before, line]), pairs[0].shape[0], len(before)
    for back in range(1, order + 1):
        places = together[order - back : len(together) - back], line
        pairs[back - 1] += sparse.coo_array((np.ones(len(line)), places), shape=(size, size)).tocsr()
    return together[len(together) - order :]


def moments_of(source, vocabulary, order):
    """``Moments`` of any text by a vocabulary, in one pass and with a few sentences in memory.

    >>> from rcmviz.mrf.vocabulary import Vocabulary
    >>> moments = moments_of(["a b", "b"], Vocabulary(("<S>", "a", "b")), 1)
    >>> moments.tokens, moments.words.tolist(), moments.pairs[0].toarray().tolist()
    (5, [2.0, 1.0, 2.0], [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [2.0, 0.0, 0.0]])
    """
    return count_moments(batches(source, vocabulary), order, len(vocabulary))
