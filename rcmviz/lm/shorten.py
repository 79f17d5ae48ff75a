"""A model with a shorter memory: the n-grams up to an order, from one that knows longer ones."""

from rcmviz.core.shared import checks
from rcmviz.lm.arpa_write import listed_ngrams
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.table import NgramTable


def shorten(lm, order):
    """The model that forgets all n-grams longer than ``order``; ValueError if it has no n-gram of this length.

    With interpolated Witten–Bell or absolute smoothing it is the model that training with this order gives, as lower
    orders are smoothed from the same counts; Kneser–Ney's lower orders are made for backing off and fit less well.

    >>> import rcmviz as rv
    >>> text = ["the cat sat on the mat", "the cat ran"]
    >>> long, short = (rv.train_lm(text, order=n, smoothing="witten-bell", cutoffs=(0,)) for n in (4, 2))
    >>> shorten(long, 2).log_prob("mat", ["the"]) == short.log_prob("mat", ["the"])
    True
    """
    if order == lm.order:
        return lm
    checks.whole("order", order, 1, lm.order, f"the model has the orders 1 to {lm.order}")
    tables = ngram_tables(lm)[:order]
    tables[-1] = NgramTable(tables[-1].words, tables[-1].log_prob)
    return LanguageModel.from_tables(lm.vocabulary, tables, lm.info)


def ngram_tables(lm):
    """The listed n-grams, a list with one ``NgramTable`` per order: what ``LanguageModel.from_tables`` takes."""
    trie = lm.trie
    return [NgramTable(words, trie.log_prob[rows], trie.back_off[rows]) for rows, words in listed_ngrams(trie)]
