"""Counting: a corpus as one row of word ids, and its n-grams of every order, linked to their beginnings and ends.

Letters: S sentences, N tokens with their marks, V words, M n-grams of one order. An n-gram of order k is named by its
place in the table of order k; no n-gram is ever spelt out while counting, so millions of them are a few sorts.
"""

import re
from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.repeats import first_repeated
from rcmviz.lm.text import BEGIN, END, UNKNOWN, splitter, words_of

SPECIAL_WORDS = (UNKNOWN, BEGIN, END)
BLANKS = re.compile(r"[ \t\n\r\f\v]")


@dataclass(frozen=True, eq=False)
class Corpus(CopyableMixin):
    """``vocabulary`` (V,) words · ``ids (N,)`` int32 the words of all sentences, each between its marks ·
    ``offset (S+1,)`` where sentences begin.
    """

    vocabulary: tuple
    ids: np.ndarray
    offset: np.ndarray

    def __post_init__(self):
        freeze(self)

    def __len__(self):
        return len(self.offset) - 1


@dataclass(frozen=True, eq=False)
class Ngrams(CopyableMixin):
    """The n-grams of order k that occur, in order of their words. Per n-gram (M,): ``prefix`` and ``suffix``, the
    n-grams of order k − 1 without its last and without its first word · ``word``, the last one · ``count``.

    At order 1 these are all V words, those that never occur too; `<s>` has the count 0, as it is never predicted.
    """

    prefix: np.ndarray
    suffix: np.ndarray
    word: np.ndarray
    count: np.ndarray

    def __post_init__(self):
        freeze(self)

    def __len__(self):
        return len(self.word)


def encode(sentences, vocabulary=None, *, min_count=1, unknown=True, end=True, units="tokens"):
    """The ``Corpus`` of ``sentences``, an iterable of lists of words, or of strings that are split into ``units``.

    ``vocabulary``: a number keeps the n most frequent words, a list exactly these (those that never occur
    too); ``min_count`` leaves rarer words out. Omitted words become `<unk>`, if it is ``unknown``; ``end`` puts
    `</s>` behind sentences. ValueError for a corpus without words, and for an invalid word.

    >>> corpus = encode(["a b a", "c"], vocabulary=1)
    >>> corpus.vocabulary, corpus.ids.tolist(), corpus.offset.tolist()
    (('<unk>', '<s>', '</s>', 'a'), [1, 3, 0, 3, 2, 1, 0, 2], [0, 5, 8])
    """
    splitter(units)
    checks.switch("unknown", unknown), checks.switch("end", end)
    texts = _number_words(sentences, units)
    seen, numbers = texts.words, texts.numbers
    offset = np.concatenate([[0], np.cumsum(texts.lengths)])
    _check_words(seen, numbers, offset)
    counts = np.bincount(numbers, minlength=len(seen))
    chosen = _chosen(seen, counts, vocabulary, min_count)
    special = tuple(word for word, wanted in zip(SPECIAL_WORDS, (unknown, True, end), strict=True) if wanted)
    words = special + tuple(word for word in chosen if word not in SPECIAL_WORDS)
    index = {word: i for i, word in enumerate(words)}
    renumbered = np.array([index.get(word, index.get(UNKNOWN, -1)) for word in seen], np.int32)
    if renumbered.min() < 0:
        left_out = seen[int(np.argmin(renumbered))]
        raise ValueError(f"the word {left_out!r} is not in the vocabulary; put it there, or let unknown words be <unk>")
    return _add_boundaries(words, renumbered[numbers], offset, index)


class _Numbered(NamedTuple):
    """Distinct words in the order in which they come, the number of every word, the lengths of sentences."""

    words: tuple
    numbers: np.ndarray
    lengths: np.ndarray


def _number_words(sentences, units):
    """The sentences as ``_Numbered``."""
    checks.refuse_one_text("sentences", sentences)
    number = defaultdict(count().__next__)
    numbers, lengths = array("i"), array("q")
    for place, sentence in enumerate(sentences, start=1):
        words = words_of(f"sentence {place}", sentence, units)
        with checks.hashable(f"sentence {place}", "give a list of words, or a string"):
            row = [number[word] for word in words]
        numbers.extend(row)
        lengths.append(len(row))
    if not numbers:
        raise ValueError(f"{len(lengths):,} sentences without a word; give some text")
    return _Numbered(tuple(number), np.frombuffer(numbers, np.int32), np.frombuffer(lengths, np.int64))


def _check_words(seen, numbers, offset):
    for number, word in enumerate(seen):
        fault = _word_fault(word)
        if fault:
            place = int(np.argmax(numbers == number))
            sentence = int(np.searchsorted(offset, place, side="right"))
            raise ValueError(f"sentence {sentence}, word {place - offset[sentence - 1] + 1}: {fault}")


def _word_fault(word):
    """The fault of a word, or None."""
    if not isinstance(word, str):
        return f"{word!r} is no text; write words as strings"
    if word in (BEGIN, END):
        return f"{word} is put around every sentence anyway; take it out"
    if not word or BLANKS.search(word):
        return f"{word!r} {'holds a blank' if word else 'is empty'}; a word has at least one character and no blanks"
    try:
        word.encode()
    except UnicodeEncodeError:
        return f"{word!r} cannot be written as UTF-8; mend how the text was decoded"
    return None


def _chosen(seen, counts, vocabulary, min_count):
    """The words that are kept: as listed, or the most frequent first, equally frequent ones by alphabet."""
    checks.whole("min_count", min_count, 1, wanted="give a whole number from 1")
    if checks.is_whole(vocabulary) and vocabulary >= 1 or vocabulary is None:
        ranked = sorted(zip((-counts).tolist(), seen, strict=True))
        return [word for less, word in ranked if -less >= min_count and word not in SPECIAL_WORDS][:vocabulary]
    if isinstance(vocabulary, str) or not checks.is_iterable(vocabulary):
        raise ValueError(f"vocabulary {vocabulary!r}: give the number of words to keep, from 1, or a list of words")
    if min_count > 1:
        raise ValueError(f"min_count {min_count} with a list of words, which fixes the vocabulary; leave it out")
    return _check_list(list(vocabulary))


def _check_list(words):
    for place, word in enumerate(words, start=1):
        fault = None if word in SPECIAL_WORDS else _word_fault(word)
        if fault:
            raise ValueError(f"vocabulary, word {place}: {fault}")
    if len(set(words)) < len(words):
        raise ValueError(f"vocabulary: {first_repeated(words)!r} is listed twice")
    return words


def _add_boundaries(words, ids, offset, index):
    """The corpus with `<s>` before and, if it is a word, `</s>` behind every sentence."""
    extra = 1 + (END in index)
    marked = offset + extra * np.arange(len(offset))
    inside = np.ones(marked[-1], bool)
    inside[marked[:-1]] = False
    if END in index:
        inside[marked[1:] - 1] = False
    everything = np.full(marked[-1], index.get(END, 0), np.int32)
    everything[inside] = ids
    everything[marked[:-1]] = index[BEGIN]
    return Corpus(words, everything, marked)


def count_ngrams(corpus, order):
    """``Ngrams`` of order 1, 2, … up to ``order``, one after the other; none where no sentence is so long.

    >>> ngrams = list(count_ngrams(encode(["a b", "a"]), 2))
    >>> ngrams[0].count.tolist(), ngrams[1].prefix.tolist(), ngrams[1].word.tolist(), ngrams[1].count.tolist()
    ([0, 0, 2, 2, 1], [1, 3, 3, 4], [3, 2, 4, 2], [2, 1, 1, 1])
    """
    V, begin = len(corpus.vocabulary), corpus.vocabulary.index(BEGIN)
    counts = np.bincount(corpus.ids, minlength=V)
    counts[begin] = 0
    yield Ngrams(np.zeros(V, np.int32), np.zeros(V, np.int32), np.arange(V, dtype=np.int32), counts)
    left = np.repeat(corpus.offset[1:], np.diff(corpus.offset)) - np.arange(len(corpus.ids))  # words to the end
    rank, at = corpus.ids.copy(), np.arange(len(corpus.ids))
    for k in range(2, order + 1):
        at = at[left[at] >= k]
        keys = rank[at].astype(np.int64) * V + corpus.ids[at + k - 1]
        distinct = np.unique_all(keys)
        keys, suffix = distinct.values, rank[at[distinct.indices] + 1]
        rank[at] = distinct.inverse_indices
        yield Ngrams((keys // V).astype(np.int32), suffix, (keys % V).astype(np.int32), distinct.counts)
