"""From listed n-grams to the reverse trie: order the rows, add missing ones, compute the maxima of eq. 8.

Equation 8 is a bound only where the table is closed under suffixes, and real tables are not (science notes: up to 10
nats wrong on a 5-gram SRILM file). Each missing suffix becomes a **blank**: an n-gram with the probability that eq. 7
gives it anyway and a back-off of 1, so that no probability changes.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.lm import ngrams as kernel

MAX_ORDER = 9
LOGS = ("log_prob", "back_off")
LARGEST = 250_000  # nats, in size: what an ARPA file may have as log10


@dataclass(frozen=True, eq=False)
class Trie(CopyableMixin):
    """The arrays of ``kernels/ngrams.py`` and the rows that are blanks.

    ``level (N+1,)`` rows of order k are ``level[k−1]:level[k]`` · per row (M,): oldest ``word``, ``log_prob``,
    ``back_off``, ``max_log``, ``max_back`` (float32, natural logs) · ``first (M+1,)`` children · ``blanks`` (rows).
    """

    level: np.ndarray
    word: np.ndarray
    first: np.ndarray
    log_prob: np.ndarray
    back_off: np.ndarray
    max_log: np.ndarray
    max_back: np.ndarray
    blanks: np.ndarray

    def __post_init__(self):
        freeze(self)

    @property
    def arrays(self):
        """The kernels' arguments."""
        columns = self.level, self.word, self.first, self.log_prob, self.back_off, self.max_log, self.max_back
        return kernel.TrieArrays(*columns)


def build_trie(size, tables, begin, end):
    """The trie of ``tables`` (NgramTable of order 1, 2, …) over ``size`` words; ``begin``, ``end`` are ids or −1."""
    nodes = _close_under_suffixes(size, tables)
    level = np.cumsum([0, size, *(len(node.word) for node in nodes)])
    rows = int(level[-1])
    word = np.concatenate([np.arange(size), *(node.word for node in nodes)]).astype(np.int32)
    first = np.full(rows + 1, rows, np.int32)
    for order, node in enumerate(nodes, start=2):
        shorter = slice(level[order - 2], level[order - 1])
        first[shorter] = level[order - 1] + np.searchsorted(node.parent, np.arange(level[order - 1] - level[order - 2]))
    log_prob, back_off = np.full(rows, np.nan, np.float32), np.zeros(rows, np.float32)
    for order, table in enumerate(tables, start=1):
        place = table.words[:, 0] if order == 1 else level[order - 1] + nodes[order - 2].listed
        log_prob[place] = table.log_prob
        if order < len(tables):
            back_off[place] = table.back_off
    log_prob[:size][np.isnan(log_prob[:size])] = -np.inf  # words that only longer n-grams know
    blanks = np.flatnonzero(np.isnan(log_prob))
    maxima = _fill(size, level, word, first, (log_prob, back_off), blanks, begin, end)
    return Trie(level, word, first, log_prob, back_off, *maxima, blanks)


def checked_trie(arrays, size, begin, end):
    """The trie over ``size`` words of a file's ``arrays`` by name; ValueError where a walk would leave the arrays.

    Its maxima are computed again, so that a bound holds for the probabilities that are there. ``begin``, ``end`` are
    ids or −1.
    """
    rows = arrays["word"].size
    level = checks.offsets("level", arrays["level"], rows)
    if not 2 <= len(level) <= MAX_ORDER + 1 or level[1] != size:
        raise ValueError("its levels do not fit its vocabulary")
    word = checks.integers("word", arrays["word"], 0, size, np.int32)
    if np.any(word[:size] != np.arange(size)):
        raise ValueError("its first rows are not the words in their order")
    columns = [_logs(name, arrays[name], rows) for name in LOGS]
    first = checks.integers("first", arrays["first"], 0, rows + 1, np.int32)
    if len(first) != rows + 1 or first[-1] != rows or np.any(first[1:] < first[:-1]):
        raise ValueError("first: its rows are not in order")
    if np.any(first[level[:-1]] != level[1:]):  # children stand in the level after
        raise ValueError("first: a row has children of another order")
    brothers = np.ones(rows + 1, bool)
    brothers[first] = False
    if np.any((word[1:] <= word[:-1]) & brothers[1:-1]):
        raise ValueError("word: the children of a row are not in order")
    blanks = checks.integers("blanks", arrays["blanks"], 0, rows)
    maxima = _fill(size, level, word, first, columns, blanks[:0], begin, end)
    return Trie(level, word, first, *columns, *maxima, blanks)


def _logs(name, values, rows):
    if values.shape != (rows,) or values.dtype.kind != "f":
        raise ValueError(f"{name}: its shape is {values.shape} and its type {values.dtype}, not {rows:,} logs")
    with np.errstate(over="ignore"):
        logs = np.ascontiguousarray(values, np.float32)
    usable = (np.abs(logs) <= LARGEST) | (logs == -np.inf)  # NaN neither
    if not usable.all():
        place = int(np.argmin(usable))
        raise ValueError(f"{name}[{place}] is {values[place]}: not a number that a log can be")
    return logs


@dataclass(frozen=True, eq=False)
class _Level:
    """Rows of one order: ``parent`` (row within the order below, ascending) and ``word``; ``listed`` places a table's
    n-grams among them."""

    parent: np.ndarray
    word: np.ndarray
    listed: np.ndarray


def _close_under_suffixes(size, tables):
    """The rows of orders 2, 3, …: all suffixes of all listed n-grams, numbered by (suffix, oldest word)."""
    at = [table.words[:, -1].astype(np.int64) for table in tables]
    levels = []
    for order in range(2, len(tables) + 1):
        longer = range(order - 1, len(tables))
        keys = [at[k] * size + tables[k].words[:, -order] for k in longer]
        unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        bounds = np.cumsum([0, *(len(key) for key in keys)])
        for j, k in enumerate(longer):
            at[k] = inverse[bounds[j] : bounds[j + 1]]
        levels.append(_Level(unique // size, (unique % size).astype(np.int32), at[order - 1]))
    return levels


def suffix_rows(level, first):
    """The row of each n-gram without its oldest word (M,), −1 for words."""
    inner = int(level[-2])
    return np.concatenate([np.full(level[1], -1), np.repeat(np.arange(inner), np.diff(first[: inner + 1]))])


def prefix_rows(level, word, suffix):
    """The row of each n-gram without its last word (M,), −1 for words and where that is not listed.

    The prefix of a·u is a in front of the prefix of u.
    """
    prefix, size = np.full(len(word), -1, np.int32), int(level[1])
    for order in range(2, len(level)):
        rows, shorter = slice(*level[order - 1 : order + 1]), slice(*level[order - 2 : order])
        if order == 2:
            prefix[rows] = word[rows]
            continue
        before = prefix[suffix[rows]]
        listed, wanted = suffix[shorter] * size + word[shorter], before.astype(np.int64) * size + word[rows]
        place = np.searchsorted(listed, wanted).clip(max=len(listed) - 1)
        if len(listed):
            prefix[rows] = np.where((before >= 0) & (listed[place] == wanted), level[order - 2] + place, -1)
    return prefix


def _fill(size, level, word, first, logs, blanks, begin, end):
    """Blanks, written in place into ``logs = (log_prob, back_off)``; then both maxima, returned, from the highest order
    down.
    """
    for array in (level, word, first):  # as those of every finished trie: else the kernels are compiled twice
        array.setflags(write=False)
    max_log, max_back = np.zeros((2, len(word)), np.float32)
    trie = kernel.TrieArrays(level, word, first, *logs, max_log, max_back)
    suffix = suffix_rows(level, first)
    prefix = prefix_rows(level, word, suffix)
    _fill_blanks(trie, blanks, prefix, suffix)
    histories = size - int(end >= 0) + int(begin < 0)  # words that can stand before an n-gram, the start among them
    maximum, highest = np.zeros(len(word)), np.empty(len(word))
    for order in range(len(level) - 2, 0, -1):
        _fill_max_back_off(trie, order, histories, begin, end, suffix, maximum)
    contexts = int(level[max(len(level) - 2, 1)])  # rows of the highest order are never contexts
    ranked = np.lexsort((-maximum[:contexts], suffix[:contexts])).astype(np.int32)  # children of each row, best first
    for order in range(len(level) - 1, 0, -1):
        kernel.fill_max_log_prob(trie, order, histories, begin, end, prefix, ranked, maximum, highest)
        rows = slice(*level[order - 1 : order + 1])
        max_log[rows] = _round_up(highest[rows])
    return max_log, max_back


def _fill_blanks(trie, blanks, prefix, suffix):
    """Log probabilities of the blanks (rows), eq. 7: a blank a·u backs off from its context to u."""
    for start, stop in pairwise(trie.level[1:]):
        rows = blanks[(blanks >= start) & (blanks < stop)]
        ahead = np.where(prefix[rows] >= 0, trie.back_off[prefix[rows]], np.float32(0.0))
        trie.log_prob[rows] = trie.log_prob[suffix[rows]] + ahead


def _fill_max_back_off(trie, order, histories, begin, end, suffix, maximum):
    """``max_back`` of the rows of one order, and into ``maximum (M,)`` what a row adds when it is passed as a context.

    Orders from the highest down. ``histories``: how many words can stand before an n-gram; an n-gram that starts with
    ``begin`` cannot be extended, ``end`` never occurs in a history.
    """
    start, stop = trie.level[order - 1 : order + 1]
    highest, is_last = np.full(stop - start, -np.inf), order == len(trie.level) - 2
    if not is_last:
        longer = stop + np.flatnonzero(trie.word[stop : trie.level[order + 1]] != end)
        np.maximum.at(highest, suffix[longer] - start, maximum[longer])
        extensions = np.bincount(suffix[longer] - start, minlength=len(highest))
        highest[extensions < histories] = np.maximum(highest[extensions < histories], 0.0)
    highest[is_last | (trie.word[start:stop] == begin)] = 0.0
    trie.max_back[start:stop] = _round_up(highest)
    maximum[start:stop] = trie.back_off[start:stop].astype(float) + trie.max_back[start:stop]


def _round_up(values):
    """The least float32 that are not below ``values``: a bound stays a bound."""
    nearest = values.astype(np.float32)
    return np.where(nearest >= values, nearest, np.nextafter(nearest, np.float32(np.inf)))
