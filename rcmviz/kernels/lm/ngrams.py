"""Back-off n-gram models as a reverse trie: look-ups, scores of whole texts, maxima over words that are not known yet.

A row of the trie is an n-gram; its children are the n-grams with one older word in front. Rows of order k are
``level[k−1]:level[k]``, those of order 1 are the words themselves, and children ``first[r]:first[r+1]`` of row r stand
in order of their oldest ``word``. Every suffix of a row is a row, so walking down finds the longest n-gram that is
listed; ``log_prob``, ``back_off``, ``max_log``, ``max_back`` are its natural logs (science notes, eq. 7 and 8).

A history is a stretch ``words[start:stop]``, oldest first; −1 is a word that is not listed.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import ZERO
from rcmviz.kernels.search_sorted import find

NONE = np.int64(-1)  # in place of a row


class TrieArrays(NamedTuple):
    """The arrays of a trie; ``level`` by order, the others by row."""

    level: Any
    word: Any
    first: Any
    log_prob: Any
    back_off: Any
    max_log: Any
    max_back: Any


@kernel(_nrt=False)
def find_child(word, first, row, older):
    """The row of ``older`` in front of row's n-gram, or −1; numbers of 64 and of 32 bits."""
    return find(word, first[row], first[row + 1], older)


@kernel(_nrt=False)
def find_suffix(trie, row, words, start, stop):
    """The row of the n-gram ``words[start:stop]`` and then row's, or −1."""
    for k in range(stop - 1, start - 1, -1):
        if row >= 0:
            row = find_child(trie.word, trie.first, row, words[k])
    return row


@kernel(_nrt=False)
def find_row(trie, words, start, stop):
    """The row of the n-gram ``words[start:stop]``, or −1."""
    return find_suffix(trie, np.int64(words[stop - 1]), words, start, stop - 1) if stop > start else NONE


@kernel(_nrt=False)
def log_prob_of(trie, words, start, stop, predicted):
    """``log p(predicted | words[start:stop])`` by back-off: eq. 7."""
    if predicted < 0:
        return -np.inf
    row, used, longest = np.int64(predicted), 0, min(trie.level.size - 2, stop - start)
    while used < longest:
        longer = find_child(trie.word, trie.first, row, words[stop - 1 - used])
        if longer < 0:
            break
        row, used = longer, used + 1
    total = np.float64(trie.log_prob[row])
    context = NONE
    for length in range(longest):
        older = words[stop - 1 - length]
        context = find_child(trie.word, trie.first, context, older) if length else np.int64(older)
        if context < 0:
            break
        if length >= used:
            total += trie.back_off[context]
    return total


@kernel()
def max_log_prob(trie, words, start, stop, predicted):
    """`max_log_prob_of` arrays of numpy."""
    return max_log_prob_of(*bare((trie, words, start, stop, predicted)))


@kernel(_nrt=False)
def max_log_prob_of(trie, words, start, stop, predicted):
    """``max over g of log p(predicted | g words[start:stop])``: eq. 8."""
    if predicted < 0:
        return -np.inf
    begin = max(start, stop - (trie.level.size - 2))
    row = find_suffix(trie, np.int64(predicted), words, begin, stop)
    if row >= 0:
        return np.float64(trie.max_log[row])
    context = find_row(trie, words, begin, stop)
    ahead = np.float64(trie.max_back[context]) if context >= 0 else 0.0
    return ahead + log_prob_of(trie, words, begin, stop, predicted)


@kernel()
def fill_log_probs(trie, words, start, stop, candidates, scale, out):
    """``out[y] = scale · log p(candidates[y] | words[start:stop])``; −inf where a candidate is −1.

    The sums of ``log_prob_of``, the history's own rows looked up once for all candidates.
    """
    trie, words, candidates, out = bare((trie, words, candidates, out))
    longest = min(trie.level.size - 2, stop - start)
    passed, known, context = np.empty(trie.level.size, np.float32), 0, NONE  # back-offs of its suffixes, by length
    while known < longest:
        older = words[stop - 1 - known]
        context = find_child(trie.word, trie.first, context, older) if known else np.int64(older)
        if context < 0:
            break
        known += 1
        passed[known] = trie.back_off[context]
    for y in range(candidates.size):
        row, used = np.int64(candidates[y]), 0
        if row < 0:
            out[y] = scale * -np.inf
            continue
        while used < longest:
            longer = find_child(trie.word, trie.first, row, words[stop - 1 - used])
            if longer < 0:
                break
            row, used = longer, used + 1
        total = np.float64(trie.log_prob[row])
        for length in range(used + 1, known + 1):
            total += passed[length]
        out[y] = scale * total


@kernel()
def fill_rows(trie, histories, candidates, scale, out):
    """``fill_log_probs`` after each of the ``histories (R, n)``, into ``out (R, Y)``."""
    trie, histories, candidates, out = bare((trie, histories, candidates, out))
    for r in range(histories.shape[0]):
        fill_log_probs(trie, histories[r], ZERO, histories.shape[1], candidates, scale, out[r])


@kernel()
def score_texts(trie, words, offset, out):
    """``out[j] = log p(words[j] | what stands before it in its text)``; text t is ``words[offset[t]:offset[t+1]]``.

    The first word of each text is its start symbol: it is a history, not predicted, and scores 0. The n-grams that end
    in a word are the contexts of the next one, so each is looked up once.
    """
    trie, words, offset, out = bare((trie, words, offset, out))
    order = trie.level.size - 1
    ending, contexts = np.empty(order, np.int64), np.empty(order, np.int64)  # rows, by length
    for t in range(offset.size - 1):
        known = 0
        for j in range(offset[t], offset[t + 1]):
            found = 0
            row = np.int64(words[j])
            while row >= 0:
                ending[found] = row
                found += 1
                if found == order or j - found < offset[t]:
                    break
                row = find_child(trie.word, trie.first, row, words[j - found])
            out[j] = np.float64(trie.log_prob[ending[found - 1]]) if found else -np.inf
            for length in range(max(found, 1), known + 1):
                out[j] += trie.back_off[contexts[length - 1]]
            if j == offset[t]:
                out[j] = 0.0
            known = min(found, order - 1)
            for length in range(known):
                contexts[length] = ending[length]


@kernel(_nrt=False)
def score_rows(trie, ngrams, out):
    """``out[j] = log p(last | the others)`` of each row of ``ngrams (M, k)``."""
    trie, ngrams, out = bare((trie, ngrams, out))
    width = ngrams.shape[1]
    for j in range(ngrams.shape[0]):
        out[j] = log_prob_of(trie, ngrams[j], ZERO, width - 1, ngrams[j, width - 1])


@kernel(_nrt=False)
def fill_max_log_prob(trie, order, histories, begin, end, prefix, ranked, maximum, out):
    """``out (M,)``: the largest log probability of the rows of one order, eq. 8; ``max_log`` has those of the next one.

    ``ranked``: the children of each row in descending order of ``maximum`` (then the words themselves, so ranked), at
    the places of the children; so the best context whose extension is *not* listed is among the first few.
    """
    trie, prefix, ranked, maximum, out = bare((trie, prefix, ranked, maximum, out))
    level, word, first, max_log = trie.level, trie.word, trie.first, trie.max_log
    for row in range(level[order - 1], level[order]):
        own = np.float64(trie.log_prob[row])
        if order == level.size - 1 or word[row] == begin:
            out[row] = own
            continue
        highest = -np.inf
        listed = 0
        for longer in range(first[row], first[row + 1]):
            if word[longer] != end:
                listed += 1
                highest = max(highest, np.float64(max_log[longer]))
        context = prefix[row]
        low, high = (0, level[1]) if order == 1 else (0, 0)
        if order > 1 and context >= 0:
            low, high = first[context], first[context + 1]
        for k in range(low, high):
            extended = ranked[k]
            if word[extended] == end:
                continue
            if find_child(word, first, row, word[extended]) < 0:
                highest = max(highest, own + maximum[extended])
                break
        reached = 0
        if order == 1:  # every word is a listed context
            reached = high - np.int64(end >= 0) - listed
        elif listed + (high - low) >= histories:  # else some history is neither a listed context nor continued
            for k in range(low, high):
                if word[k] != end and find_child(word, first, row, word[k]) < 0:
                    reached += 1
        if listed + reached < histories:
            highest = max(highest, own)
        out[row] = highest
