"""Upper bounds on what a word can weigh while only the last words before it are known (science notes, eq. 8).

``ids (T+1,)`` are the words of a path, with `<s>` first.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare, fast_loops
from rcmviz.kernels.chain.candidates import rank
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.lm import ngrams
from rcmviz.kernels.rows import fill


class Problem(NamedTuple):
    """The candidates of every position with their log observations, under a language model."""

    trie: Any
    words: Any  # (T, Y), −1 behind the last candidate
    emit: Any  # (T, Y)
    scale: float  # what the language model's part is multiplied by
    ahead: bool  # whether bounds look at the candidates before a word
    widths: Any  # (T,)


class Scratch(NamedTuple):
    """Room for the candidates of the position before."""

    before: Any  # (Y,): words
    beyond: Any  # (Y,): the most that each weighs with a word that it has no n-gram with
    ranked: Any  # (Y,): places of the words, the highest first


@part(_nrt=False)
def longest_history(trie):
    """How many words before it a word's probability can depend on."""
    return trie.level.size - 2


def fill_first_bounds(problem, ids, out):
    """What each candidate of each position weighs where nothing is known, ``out (T, Y)``."""
    width = problem.words.shape[1]
    scratch = Scratch(np.empty(width, np.int64), np.empty(width), np.empty(width, np.int64))
    fill_bounds(problem, ids, scratch, np.empty(problem.trie.level[1], np.int32), out)


@kernel(_nrt=False)
def fill_bounds(problem, ids, scratch, listed, out):
    """`fill_first_bounds`, ``scratch`` and ``listed (W,)`` are used up."""
    problem, ids, scratch, listed, out = bare((problem, ids, scratch, listed, out))
    trie, words = problem.trie, problem.words
    full = longest_history(trie)
    for i in range(words.shape[0]):
        if i > 0 and problem.ahead and full > 0:
            look_ahead(problem, i, scratch, listed, out[i])
            continue
        for y in range(words.shape[1]):
            predicted = words[i, y]
            if predicted < 0:
                out[i, y] = -np.inf
            elif i == 0:
                out[i, y] = problem.scale * ngrams.log_prob_of(trie, ids, max(0, 1 - full), np.int64(1), predicted)
            else:
                out[i, y] = problem.scale * np.float64(trie.max_log[predicted])


@kernel(inline="always")
def look_ahead(problem, i, scratch, listed, out):
    """The bounds of position i, maxima over the candidates of the position before, not over all words.

    Three times fewer rounds at order 5. The best word that has no n-gram with the candidate is among the first of a
    ranking.
    """
    trie, words, size = problem.trie, problem.words, 0
    fill(listed, -1)  # of each word offered before, the last one that it has an n-gram with
    for y in range(words.shape[1]):
        older = words[i - 1, y]
        if older >= 0:
            scratch.before[size], scratch.ranked[size], listed[older] = older, size, 0
            scratch.beyond[size] = np.float64(trie.back_off[older]) + trie.max_back[older]
            size += 1
    rank(scratch.beyond, scratch.ranked[:size])
    for y in range(out.size):
        predicted = words[i, y]
        if predicted < 0:
            out[y] = -np.inf
            continue
        highest = -np.inf
        for row in range(trie.first[predicted], trie.first[predicted + 1]):
            if listed[trie.word[row]] >= 0:
                listed[trie.word[row]] = y + 1
                highest = max(highest, np.float64(trie.max_log[row]))
        for j in range(size):
            k = scratch.ranked[j]
            if listed[scratch.before[k]] != y + 1:
                highest = max(highest, trie.log_prob[predicted] + scratch.beyond[k])
                break
        out[y] = problem.scale * highest


@kernel(_nrt=False)
def bound_of(problem, i, ids, known, predicted):
    """The bound on ``log p(predicted | …)`` at position i when the last ``known`` words are; unscaled."""
    trie = problem.trie
    full = longest_history(trie)
    if known >= min(full, i):
        return ngrams.log_prob_of(trie, ids, max(0, i + 1 - full), i + 1, predicted)
    if problem.ahead and known > 0:
        return bound_among(trie, ids, i + 1 - known, i + 1, predicted, problem.words[i - known - 1])
    return ngrams.max_log_prob_of(trie, ids, i + 1 - known, i + 1, predicted)


@kernel(inline="always")
def bound_among(trie, ids, begin, stop, predicted, before):
    """As ``max_log_prob_of``, over histories whose next older word is one of ``before``.

    First those that the n-gram is listed with, which are few. Of the others none is worth more than ``most``, that with
    the largest back-off of all words, which is mostly 1: then the first of them is enough.
    """
    own = ngrams.log_prob_of(trie, ids, begin, stop, predicted)
    context = ngrams.find_row(trie, ids, begin, stop)
    row = ngrams.find_suffix(trie, np.int64(predicted), ids, begin, stop)
    if context < 0 and row < 0:
        return own
    highest = highest_among(trie, row, before) if row >= 0 else -np.inf
    most = own + max(trie.max_back[context], 0.0) if context >= 0 else own
    for y in range(before.size):
        older = before[y]
        if highest >= most:
            break
        if older < 0 or (row >= 0 and ngrams.find_child(trie.word, trie.first, row, older) >= 0):
            continue
        extended = ngrams.find_child(trie.word, trie.first, context, older) if context >= 0 else ngrams.NONE
        ahead = np.float64(trie.back_off[extended]) + trie.max_back[extended] if extended >= 0 else 0.0
        highest = max(highest, own + ahead)
    return highest


@kernel(inline="always")
def highest_among(trie, row, before):
    """The largest ``max_log`` of the n-grams with one of ``before`` in front of row's, −inf of none."""
    highest = -np.inf
    for longer in range(trie.first[row], trie.first[row + 1]):
        if trie.max_log[longer] > highest and is_among(trie.word[longer], before):
            highest = np.float64(trie.max_log[longer])
    return highest


@part(_nrt=False)
def is_among(wanted, words):
    """Whether a word is one of these, in no order: without an end before the last, so that the loop vectorises."""
    fast_loops()
    hits, wanted = np.int32(0), np.int32(wanted)
    for y in range(words.size):
        hits |= np.int32(words[y] == wanted)
    return hits > 0
