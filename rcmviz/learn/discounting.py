"""A language model over a small vocabulary as an additive log-linear model: one row per known suffix.

Absolute discounting, D = .25, over N words and ends, h a history, h' the same without its oldest word:

    P(w)     = (c(w) + .01) / (N + .01·Y)
    P(w | h) = max(c(hw) − D, 0) / c(h) + D·N₁₊(h) / c(h) · P(w | h'),   P(w | h') where h was never seen

N₁₊(h) is how many different words follow h. Histories at the start of a sentence begin with BOS, which is forgotten
first. The weight of a window is log P(w | h) − log P(w | h'), so the suffixes of a context add up to its probability:
every context, whatever it remembers, is scored by a distribution over words and the end, which sums to one.
"""

import numpy as np

from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks

END = "</s>"
DISCOUNT, SMOOTHING = 0.25, 0.01


def discounted_model(sentences, vocabulary, order, *, discount=DISCOUNT, smoothing=SMOOTHING):
    """The ``NgramModel`` over ``vocabulary`` and the end, with ``order`` words of history, of lists of word numbers.

    ValueError for no sentences, a number that is no word's, or a discount or smoothing that gives no
    distribution.

    >>> model = discounted_model([[0, 1], [0]], "ab", order=1)
    >>> model.labels, np.exp(model.log_table[model.rows(1, 0, np.zeros(1, int))]).round(3).tolist()
    (('a', 'b', '</s>'), [[0.4, 0.201, 0.4]])
    """
    checks.number("discount", discount, "a number from 0 to below 1", least=0, below=1)
    checks.positive("smoothing", smoothing)
    if not len(sentences):
        raise ValueError("no plain sentences: a language model needs at least one")
    labels = (*vocabulary, END)
    shape = NgramModel(labels, order, "additive", np.zeros(0, np.int64), np.zeros((0, len(labels))))
    words, place = _stream(sentences, len(labels) - 1)
    if words.min() < 0 or np.sum(words >= len(labels) - 1) > len(sentences):
        raise ValueError(f"words are numbers from 0 to {len(labels) - 2}, as many as the vocabulary has")
    counts = np.bincount(words, minlength=len(labels))
    unigram = (counts + smoothing) / (counts.sum() + smoothing * len(labels))
    tables = [(np.zeros(1, np.int64), unigram[None])]
    codes = [np.zeros(len(words), np.int64)]
    for k in range(1, order + 1):
        codes.append(codes[-1] + np.roll(words, k) * shape.powers[k - 1])
        inside = place >= k
        tables.append(_discount_rows(codes[k][inside], words[inside], tables[k - 1], shape.powers[k - 1], discount))
    begins = [
        _discount_rows(codes[i][place == i], words[place == i], tables[i], shape.powers[i], discount)
        for i in range(order)
    ]
    return additive_model(shape, tables, begins)


def _stream(sentences, end):
    """All words with an end after each sentence (N,), and how many words of its sentence precede each."""
    words = np.concatenate([part for sentence in sentences for part in (sentence, [end])]).astype(np.int64)
    place = np.concatenate([np.arange(len(sentence) + 1) for sentence in sentences])
    return words, place


def _discount_rows(codes, words, shorter, power, discount):
    """``(codes (R,), rows (R, Y))`` of the histories ``codes`` before ``words``; ``shorter`` the same for h'."""
    known, row = np.unique(codes, return_inverse=True)
    counts = np.zeros((len(known), shorter[1].shape[1]))
    np.add.at(counts, (row.ravel(), words), 1)
    total = counts.sum(axis=1, keepdims=True)
    spared = discount * (counts > 0).sum(axis=1, keepdims=True) / total
    np.maximum(counts - discount, 0, out=counts)
    counts /= total
    counts += spared * shorter[1][np.searchsorted(shorter[0], known % power)]
    return known, counts


def additive_model(shape, tables, begins):
    """A model like ``shape`` whose suffixes add up to given distributions.

    ``tables[k] = (codes (R,) ascending, rows (R, Y))``, k = 0 … n: what follows the k labels of ``codes`` when nothing
    before them is known; ``begins[i]``, i < n, is what follows i labels and the start.
    """
    n, parts = shape.order, []
    for k, (codes, rows) in enumerate(tables):
        shorter = tables[k - 1] if k else None
        parts.append((shape.base[n, k] + codes, _log_ratio(codes, rows, shorter, shape.powers[max(k - 1, 0)])))
    for i, (codes, rows) in enumerate(begins):
        parts.append((shape.base[i, i] + codes, _log_ratio(codes, rows, tables[i], shape.powers[i])))
    keys = np.concatenate([part[0] for part in parts])
    weights = np.concatenate([part[1] for part in parts])
    ascending = np.argsort(keys)
    return NgramModel(shape.labels, n, "additive", keys[ascending], weights[ascending])


def _log_ratio(codes, rows, shorter, power):
    if shorter is None:
        return np.log(rows)
    return np.log(rows / shorter[1][np.searchsorted(shorter[0], codes % power)])
