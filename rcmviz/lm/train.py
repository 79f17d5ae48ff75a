"""Training: sentences in, a language model out.

Kneser–Ney's continuation counts and all discounts are taken before cut-offs, and what is cut off goes into the back-off
weights, so every context's distribution sums to one. Cut-offs that never fall keep every beginning and every end of an
n-gram that is kept, so the table has no holes.
"""

import math

import numpy as np

from rcmviz.lm import smoothing as smooth
from rcmviz.lm.counts import count_ngrams, encode, is_whole
from rcmviz.lm.language_model import BEGIN, MAX_ORDER, UNKNOWN, LanguageModel
from rcmviz.lm.table import NgramTable

CUTOFFS = (0, 0, 1)  # singletons of order 3 and more are left out
NO_CUT = -1  # single words stay, those that never occur too
NEVER = -99 * math.log(10)  # log p of `<s>` in ARPA files: it is a history and never predicted


def train_lm(
    sentences, order=5, smoothing="kneser-ney", cutoffs=None, *, vocabulary=None, min_count=1, unknown=True, end=True,
    units="tokens", discount=None, progress=None,
):  # fmt: skip
    """An n-gram model of ``sentences``: an iterable of lists of words, or of strings, split into ``units``.

    ``order`` 1–9 · ``smoothing`` kneser-ney (modified), witten-bell, absolute (by ``discount`` in (0, 1], or by an
    estimated one), all interpolated · ``cutoffs`` n-grams of order k that occur at most ``cutoffs[k−1]`` times are left
    out, the last value goes for all higher orders, single words always stay; by default (0, 0, 1, 1, …) ·
    ``vocabulary`` a list of words or the number of most frequent ones to keep, ``min_count`` how often a word has to
    occur; other words are `<unk>`, if it is ``unknown`` (it always has a probability) · ``end`` sentences end with
    `</s>` · ``units`` of strings: tokens (as they are between blanks), words, characters, letters (``lm/text.py``) ·
    ``progress(done, total)`` is told of every step after the sentences have been read.

    ValueError for settings out of range, a corpus without words, a word that is empty, holds a blank, or is `<s>` or
    `</s>`.

    >>> lm = train_lm(["the cat sat", "the cat ran", "a dog sat"], order=3, cutoffs=(0,))
    >>> lm.counts, [word for word, _ in lm.next_words(["<s>", "the"], 1)]
    ((9, 9, 8), ['cat'])
    """
    cutoffs = _checked(order, smoothing, cutoffs, discount)
    corpus = encode(sentences, vocabulary, min_count=min_count, unknown=unknown, end=end, units=units)
    tick = _ticker(progress, 2 * order + 1)
    levels = [tick(ngrams) for ngrams in count_ngrams(corpus, order)]
    smoothed = [tick(level) for level in _smoothed(levels, smoothing, cutoffs, discount)]
    tables = _tables(levels, smoothed, corpus.vocabulary.index(BEGIN))
    info = {"smoothing": smoothing, "cutoffs": list(cutoffs), "discounts": [list(found) for *_, found in smoothed]}
    info |= {"units": units} | _amounts(corpus, levels[0])
    return tick(LanguageModel.from_tables(corpus.vocabulary, tables, info))


def _ticker(progress, total):
    """A function that hands back what it is given and counts how often it was called."""
    done = iter(range(1, total + 1))

    def tick(value):
        if progress:
            progress(next(done), total)
        return value

    return tick


def _amounts(corpus, unigrams):
    """How much was learnt from: sentences, words with the ends of sentences, and `<unk>` among them."""
    counts = dict(zip(corpus.vocabulary, unigrams.count.tolist(), strict=True))
    return {"sentences": len(corpus), "words": sum(counts.values()), "unknown": counts.get(UNKNOWN, 0)}


def _checked(order, smoothing, cutoffs, discount):
    """The cut-offs of all orders; ValueError for a setting out of range."""
    if not is_whole(order, 1) or order > MAX_ORDER:
        raise ValueError(f"order {order!r}: give a whole number from 1 to {MAX_ORDER}")
    if smoothing not in smooth.SMOOTHINGS:
        raise ValueError(f"smoothing {smoothing!r}: choose {', '.join(smooth.SMOOTHINGS)}")
    if discount is not None and smoothing != "absolute":
        raise ValueError(f"discount {discount!r}: {smoothing} has none to choose; only absolute discounting has")
    if discount is not None and not 0 < discount <= 1:
        raise ValueError(f"discount {discount!r}: give a number above 0, at most 1")
    return _cutoffs_by_order(CUTOFFS[:order] if cutoffs is None else cutoffs, order)


def _cutoffs_by_order(cutoffs, order):
    told = f"cutoffs {cutoffs!r}"
    if not isinstance(cutoffs, (tuple, list)) or not cutoffs:
        raise ValueError(f"{told}: give one count per order, e.g. (0, 0, 1)")
    if len(cutoffs) > order:
        raise ValueError(f"{told}: {len(cutoffs)} of them for order {order}; give at most one per order")
    if not all(is_whole(cut, 0) for cut in cutoffs):
        raise ValueError(f"{told}: give whole numbers from 0, e.g. (0, 0, 1)")
    by_order = (0, *map(int, cutoffs[1:]), *[int(cutoffs[-1])] * (order - len(cutoffs)))
    if any(low > high for low, high in zip(by_order, by_order[1:], strict=False)):
        raise ValueError(f"{told} fall: an n-gram that is kept needs its parts; let every order's be as high or higher")
    return by_order


def _smoothed(levels, smoothing, cutoffs, discount):
    """Per order: which n-grams are ``listed``, p of all, γ of the order below as contexts, and the discounts."""
    p = np.full(1, 1 / (len(levels[0]) - 1))  # below single words: uniform over all but `<s>`
    for k, ngrams in enumerate(levels):
        longer = levels[k + 1] if k + 1 < len(levels) else None
        kept, given, discounts = smooth.split(smooth.masses(ngrams, longer, smoothing), smoothing, discount)
        listed = ngrams.count > (cutoffs[k] if k else NO_CUT)
        kept, given = np.where(listed, kept, 0.0), np.where(listed, given, kept + given)
        p, back_off = smooth.interpolate(ngrams, kept, given, p)
        yield listed, p, back_off, discounts


def _tables(levels, smoothed, begin):
    """The listed n-grams of every order as ``NgramTable``."""
    back_offs = [back_off for _, _, back_off, _ in smoothed[1:]] + [np.ones(len(levels[-1]))]
    words, tables = np.zeros((1, 0), np.int32), []
    place = np.zeros(1, np.int64)  # of every n-gram of the order below among those that are listed
    for ngrams, (listed, p, *_), back_off in zip(levels, smoothed, back_offs, strict=True):
        words = np.column_stack([words[place[ngrams.prefix[listed]]], ngrams.word[listed]])
        place = np.cumsum(listed) - 1
        tables.append(NgramTable(words, np.log(p[listed]), np.log(back_off[listed])))
    tables[0] = _without_start(tables[0], begin)
    return tables


def _without_start(unigrams, begin):
    log_prob = unigrams.log_prob.copy()
    log_prob[begin] = NEVER
    return NgramTable(unigrams.words, log_prob, unigrams.back_off)
