"""Tables of a reverse trie that are made once: prefixes of its n-grams, blanks, maxima over unknown words.

The arrays are those of ``ngrams.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lm.ngrams import find_child
from rcmviz.kernels.rows import fill
from rcmviz.kernels.search_sorted import place


@kernel(_nrt=False)
def find_prefixes(level, word, first, prefix):
    """``prefix[r]``: the row of the n-gram without its last word, −1 where that is not listed.

    The prefix of a·u is a in front of the prefix of u. Rows of order 1 have none.
    """
    level, word, first, prefix = bare((level, word, first, prefix))
    fill(prefix[: level[1]], -1)
    for order in range(2, level.size):
        for shorter in range(level[order - 2], level[order - 1]):
            for row in range(first[shorter], first[shorter + 1]):
                if order == 2:
                    prefix[row] = word[row]
                elif prefix[shorter] >= 0:
                    prefix[row] = find_child(word, first, np.int64(prefix[shorter]), word[row])
                else:
                    prefix[row] = -1


@kernel(_nrt=False)
def fill_blanks(trie, blanks, prefix):
    """Log probabilities of the blanks (rows, ascending), eq. 7: a blank a·u backs off from its context to u."""
    trie, blanks, prefix = bare((trie, blanks, prefix))
    level, log_prob = trie.level, trie.log_prob
    for j in range(blanks.size):
        row = blanks[j]
        order = place(level, 0, level.size, row + 1)
        shorter = parent_of(trie.first, level, row, order)
        ahead = trie.back_off[prefix[row]] if prefix[row] >= 0 else np.float32(0.0)
        log_prob[row] = log_prob[shorter] + ahead


@kernel(_nrt=False)
def parent_of(first, level, row, order):
    """The row of the n-gram without its oldest word; ``order`` is the row's own, 2 or more."""
    return place(first, level[order - 2], level[order - 1], row + 1) - 1


@kernel(_nrt=False)
def spell_row(level, word, first, row, out):
    """Write the words of a row, oldest first, to ``out``; returns how many."""
    level, word, first, out = bare((level, word, first, out))
    order = place(level, 0, level.size, row + 1)
    for k in range(order):
        out[k] = word[row]
        if k < order - 1:
            row = parent_of(first, level, row, order - k)
    return order


@kernel(_nrt=False)
def round_up(value):
    """The least float32 that is not below ``value``: a bound stays a bound."""
    nearest = np.float32(value)
    return nearest if nearest >= value else np.nextafter(nearest, np.float32(np.inf))


@kernel(_nrt=False)
def fill_max_back_off(trie, order, histories, begin, end, maximum):
    """``max_back`` of the rows of one order, and into ``maximum[r]`` what a row adds when it is passed as a context.

    Orders from the highest down. ``histories``: how many words can stand before an n-gram; an n-gram that starts with
    ``begin`` cannot be extended, ``end`` never stands in a history.
    """
    trie, maximum = bare((trie, maximum))
    level, word, first, max_back = trie.level, trie.word, trie.first, trie.max_back
    for row in range(level[order - 1], level[order]):
        highest = -np.inf
        extensions = 0
        if order < level.size - 2 and word[row] != begin:
            for longer in range(first[row], first[row + 1]):
                if word[longer] != end:
                    extensions += 1
                    highest = max(highest, maximum[longer])
        if extensions < histories:
            highest = max(highest, 0.0)
        if order >= level.size - 2 or word[row] == begin:
            highest = 0.0
        max_back[row] = round_up(highest)
        maximum[row] = np.float64(trie.back_off[row]) + max_back[row]


@kernel(_nrt=False)
def fill_max_log_prob(trie, order, histories, begin, end, prefix, ranked, maximum):
    """``max_log`` of the rows of one order, orders from the highest down.

    ``ranked``: the children of each row in descending order of ``maximum`` (then the words themselves, so ranked), at
    the places of the children; so the best context whose extension is *not* listed is among the first few.
    """
    trie, prefix, ranked, maximum = bare((trie, prefix, ranked, maximum))
    level, word, first, max_log = trie.level, trie.word, trie.first, trie.max_log
    for row in range(level[order - 1], level[order]):
        own = np.float64(trie.log_prob[row])
        if order == level.size - 1 or word[row] == begin:
            max_log[row] = trie.log_prob[row]
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
        max_log[row] = round_up(highest)
