"""Training: sentences in, a language model out.

Kneser–Ney's continuation counts and all discounts are taken before cut-offs, and the removed mass goes into the
back-off weights, so every context's distribution sums to one. Cut-offs that never fall keep the prefixes and suffixes
of kept n-grams, so the table has no holes.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.lm import smoothing as smooth
from rcmviz.lm.counts import count_ngrams, encode
from rcmviz.lm.language_model import BEGIN, MAX_ORDER, UNKNOWN, LanguageModel
from rcmviz.lm.table import NgramTable

CUTOFFS = (0, 0, 1)  # singletons of order 3 and more are left out
NO_CUT = -1  # single words stay, those that never occur too
NEVER = -99 * math.log(10)  # log p of `<s>` in ARPA files: it is a history and never predicted


def train_lm(
    sentences: Iterable[str | Sequence[str]],
    order: int = 5,
    smoothing: str = "kneser-ney",
    cutoffs: Sequence[int] | None = None,
    *,
    vocabulary: Iterable[str] | int | None = None,
    min_count: int = 1,
    unknown: bool = True,
    end: bool = True,
    units: str = "tokens",
    discount: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> LanguageModel:
    """Train an n-gram language model on sentences.

    Parameters
    ----------
    sentences : iterable of str or of sequences of str
        Sentences as words, or as texts that are split into ``units``.
    order : int
        Order N, 1 to 9: a word is predicted from N − 1 words.
    smoothing : {"kneser-ney", "witten-bell", "absolute"}
        Modified Kneser–Ney, Witten–Bell or absolute discounting, all of them interpolated.
    cutoffs : sequence of int, optional
        An n-gram of order k that occurs at most ``cutoffs[k−1]`` times is left out; the last value goes for all higher
        orders, single words always stay. (0, 0, 1, 1, …) by default.
    vocabulary : iterable of str or int, optional
        The words to keep, or how many of the most frequent ones; other words become ``<unk>``.
    min_count : int
        How often a word has to occur to be kept.
    unknown : bool
        Give the model ``<unk>``, which always has a probability.
    end : bool
        End sentences with ``</s>``.
    units : {"tokens", "words", "characters", "letters", "english"}
        What texts are split into, here and whenever the model is asked: what stands between ASCII blanks; lower-case
        words without marks; characters or letters, with ``_`` between words; lower-case words with every mark of
        punctuation as a word.
    discount : float, optional
        Discount of ``"absolute"``, above 0 and at most 1; estimated by default.
    progress : callable, optional
        Called as ``progress(done, total)`` after every step once the sentences have been read.

    Returns
    -------
    LanguageModel
        The model; the distribution after every history sums to 1.

    Raises
    ------
    ValueError
        A setting is out of range, there are no words, or a word is empty, holds a blank or is ``<s>`` or ``</s>``.

    Notes
    -----
    Modified Kneser–Ney as in Chen and Goodman (1998), absolute discounting as in Ney, Essen and Kneser (1994).

    Examples
    --------
    >>> lm = train_lm(["the cat sat", "the cat ran", "a dog sat"], order=3, cutoffs=(0,))
    >>> lm.counts, [word for word, _ in lm.next_words(["<s>", "the"], 1)]
    ((9, 9, 8), ['cat'])
    """
    cutoffs = _check_settings(order, smoothing, cutoffs, discount)
    if progress is not None:
        checks.function("progress", progress)
    corpus = encode(sentences, vocabulary, min_count=min_count, unknown=unknown, end=end, units=units)
    tick = _ticker(progress, 2 * order + 1)
    levels = [tick(ngrams) for ngrams in count_ngrams(corpus, order)]
    smoothed = [tick(level) for level in _smooth_levels(levels, smoothing, cutoffs, discount)]
    tables = _tables(levels, smoothed, corpus.vocabulary.index(BEGIN))
    info = {
        "smoothing": smoothing,
        "cutoffs": list(cutoffs),
        "discounts": [list(level.discounts) for level in smoothed],
    }
    info |= {"units": units} | _amounts(corpus, levels[0])
    return tick(LanguageModel.from_tables(corpus.vocabulary, tables, info))


def _ticker(progress, total):
    """A function that hands back what it is given and counts how often it was called."""
    done = iter(range(1, total + 1))

    def tick(value):
        if progress is not None:
            progress(next(done), total)
        return value

    return tick


def _amounts(corpus, unigrams):
    """The size of the training text: sentences, words with the ends of sentences, and `<unk>` among them."""
    counts = dict(zip(corpus.vocabulary, unigrams.count.tolist(), strict=True))
    return {"sentences": len(corpus), "words": sum(counts.values()), "unknown": counts.get(UNKNOWN, 0)}


def _check_settings(order, smoothing, cutoffs, discount):
    """The cut-offs of all orders; ValueError for a setting out of range."""
    checks.whole("order", order, 1, MAX_ORDER, f"give a whole number from 1 to {MAX_ORDER}")
    checks.choice("smoothing", smoothing, smooth.SMOOTHINGS, f"choose {', '.join(smooth.SMOOTHINGS)}")
    if discount is not None and smoothing != "absolute":
        raise ValueError(f"discount {discount!r}: {smoothing} has none to choose; only absolute discounting has")
    if discount is not None:
        checks.number("discount", discount, "give a number above 0, at most 1", above=0, most=1)
    return _cutoffs_by_order(CUTOFFS[:order] if cutoffs is None else cutoffs, order)


def _cutoffs_by_order(cutoffs, order):
    given = f"cutoffs {cutoffs!r}"
    if not isinstance(cutoffs, (tuple, list)) or not cutoffs:
        raise ValueError(f"{given}: give one count per order, e.g. (0, 0, 1)")
    if len(cutoffs) > order:
        raise ValueError(f"{given}: {len(cutoffs)} of them for order {order}; give at most one per order")
    cutoffs = [
        checks.whole(f"{given}: cut-off", cut, 0, wanted="give whole numbers from 0, e.g. (0, 0, 1)") for cut in cutoffs
    ]
    by_order = (0, *cutoffs[1:], *[cutoffs[-1]] * (order - len(cutoffs)))
    if any(low > high for low, high in zip(by_order, by_order[1:], strict=False)):
        raise ValueError(
            f"{given} fall: an n-gram that is kept needs its parts; let every order's be as high or higher"
        )
    return by_order


class _Smoothed(NamedTuple):
    """Of an order: which n-grams are ``listed``, ``p`` of all, γ of the order below as contexts, and the discounts."""

    listed: np.ndarray
    p: np.ndarray
    back_off: np.ndarray
    discounts: tuple


def _smooth_levels(levels, smoothing, cutoffs, discount):
    """Yields a ``_Smoothed`` per order."""
    p = np.full(1, 1 / (len(levels[0]) - 1))  # below single words: uniform over all but `<s>`
    for k, ngrams in enumerate(levels):
        longer = levels[k + 1] if k + 1 < len(levels) else None
        part = smooth.split(smooth.masses(ngrams, longer, smoothing), smoothing, discount)
        listed = ngrams.count > (cutoffs[k] if k else NO_CUT)
        kept, given = np.where(listed, part.kept, 0.0), np.where(listed, part.given, part.kept + part.given)
        p, back_off = smooth.interpolate(ngrams, kept, given, p)
        yield _Smoothed(listed, p, back_off, part.discounts)


def _tables(levels, smoothed, begin):
    """The listed n-grams of every order as ``NgramTable``."""
    back_offs = [level.back_off for level in smoothed[1:]] + [np.ones(len(levels[-1]))]
    words, tables = np.zeros((1, 0), np.int32), []
    place = np.zeros(1, np.int64)  # of every n-gram of the order below among those that are listed
    for ngrams, level, back_off in zip(levels, smoothed, back_offs, strict=True):
        listed = level.listed
        words = np.column_stack([words[place[ngrams.prefix[listed]]], ngrams.word[listed]])
        place = np.cumsum(listed) - 1
        tables.append(NgramTable(words, np.log(level.p[listed]), np.log(back_off[listed])))
    tables[0] = _forbid_start(tables[0], begin)
    return tables


def _forbid_start(unigrams, begin):
    log_prob = unigrams.log_prob.copy()
    log_prob[begin] = NEVER
    return NgramTable(unigrams.words, log_prob, unigrams.back_off)
