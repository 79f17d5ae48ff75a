"""Upper bounds on what a word can weigh while only the last words before it are known (science notes, eq. 8).

``problem = (trie, words (T, Y), emit (T, Y), scale, ahead, begin, widths (T,))``: the candidates of every position with
their log observations, what the language model's part is multiplied by, whether bounds look at the candidates before a
word, and the id of `<s>`. ``ids (T+1,)`` are the words of a path, with ``begin`` first.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.lm import ngrams
from rcmviz.kernels.rows import ZERO

TRIE, WORDS, EMIT, SCALE, AHEAD, BEGIN, WIDTHS = range(7)  # of a problem


@njit(cache=True, nogil=True)
def longest_history(trie):
    """How many words before it a word's probability can depend on."""
    level, _, _, _, _, _, _ = trie
    return level.size - 2


@njit(cache=True, nogil=True)
def fill_first_bounds(problem, i, ids, out):
    """What each candidate of position i weighs where nothing is known: exact at position 0, else a maximum.

    With look-ahead the maximum is over the candidates of the position before, not over all words: three times fewer
    rounds at order 5. The best word that has no n-gram with the candidate is among the first of a ranking.
    """
    trie, words, _, scale, ahead, _, _ = problem
    level, word, first, log_prob, back_off, max_log, max_back = trie
    if i == 0 or not ahead or level.size == 2:
        for y in range(out.size):
            out[y] = scale * bound_of(problem, i, ids, ZERO, words[i, y]) if words[i, y] >= 0 else -np.inf
        return
    before = words[i - 1][words[i - 1] >= 0]
    beyond = np.empty(before.size)
    for k in range(before.size):
        beyond[k] = np.float64(back_off[before[k]]) + max_back[before[k]]
    ranked = before[np.argsort(-beyond)]
    possible = np.zeros(level[1], np.bool_)
    possible[before] = True
    for y in range(out.size):
        predicted = words[i, y]
        if predicted < 0:
            out[y] = -np.inf
            continue
        highest = -np.inf
        for row in range(first[predicted], first[predicted + 1]):
            if possible[word[row]]:
                highest = max(highest, np.float64(max_log[row]))
        for older in ranked:
            if ngrams.find_child(word, first, predicted, older) < 0:
                highest = max(highest, log_prob[predicted] + (np.float64(back_off[older]) + max_back[older]))
                break
        out[y] = scale * highest


@njit(cache=True, nogil=True)
def bound_of(problem, i, ids, known, predicted):
    """The bound on ``log p(predicted | …)`` at position i when the last ``known`` words are; unscaled."""
    trie, words, _, _, ahead, _, _ = problem
    full = longest_history(trie)
    if known >= min(full, i):
        return ngrams.log_prob_of(trie, ids, max(0, i + 1 - full), i + 1, predicted)
    if ahead and known > 0:
        return bound_among(trie, ids, i + 1 - known, i + 1, predicted, words[i - known - 1])
    return ngrams.max_log_prob_of(trie, ids, i + 1 - known, i + 1, predicted)


@njit(cache=True, nogil=True, inline="always")
def bound_among(trie, ids, begin, stop, predicted, before):
    """As ``max_log_prob_of``, over histories whose next older word is one of ``before``."""
    _, word, first, _, back_off, max_log, max_back = trie
    own = ngrams.log_prob_of(trie, ids, begin, stop, predicted)
    context, row = ngrams.find_row(trie, ids, begin, stop), predicted
    for k in range(stop - 1, begin - 1, -1):
        row = ngrams.find_child(word, first, row, ids[k])
        if row < 0:
            break
    if context < 0 and row < 0:
        return own
    highest = -np.inf
    for older in before:
        if older < 0:
            continue
        longer = ngrams.find_child(word, first, row, older) if row >= 0 else -1
        if longer >= 0:
            highest = max(highest, np.float64(max_log[longer]))
            continue
        extended = ngrams.find_child(word, first, context, older) if context >= 0 else -1
        highest = max(highest, own + (np.float64(back_off[extended]) + max_back[extended]) if extended >= 0 else own)
    return highest
