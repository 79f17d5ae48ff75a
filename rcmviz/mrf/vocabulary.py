"""Words by number, and any text as numbers: a file, a list of sentences, an iterator.

Number 0 is the separator that stands K times between sentences; number 1 is `<unk>` where there is one.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike

import numpy as np

from rcmviz.core import checks
from rcmviz.core.lattice import freeze
from rcmviz.lm.language_model import UNKNOWN
from rcmviz.lm.text import read_sentences, tokens

SEPARATOR = "<S>"
BATCH = 20_000  # sentences that are turned into numbers at a time


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """``words`` by number, the separator first. ValueError where a word is no text or stands there twice.

    >>> vocabulary = Vocabulary(("<S>", "<unk>", "the", "cat"))
    >>> len(vocabulary), vocabulary.ids(["the", "dog"]).tolist()
    (4, [2, 1])
    """

    words: tuple

    def __post_init__(self):
        if not self.words or self.words[0] != SEPARATOR:
            raise ValueError(f"a vocabulary begins with {SEPARATOR}, the separator of sentences")
        wrong = next((word for word in self.words if not isinstance(word, str) or not word), None)
        if wrong is not None:
            raise ValueError(f"the vocabulary holds {wrong!r}: words are texts that are not empty")
        if len(self._place) < len(self.words):
            twice = next(word for k, word in enumerate(self.words) if self._place[word] != k)
            raise ValueError(f"the vocabulary holds {twice!r} twice")

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return isinstance(word, str) and self._place.get(word, 0) > 0

    @cached_property
    def _place(self):
        return {word: k for k, word in enumerate(self.words)}

    @property
    def unknown(self):
        """The number of ``<unk>``, −1 where there is none."""
        return self._place.get(UNKNOWN, -1)

    def ids(self, words):
        """Numbers (n,) of words; ValueError for one that is not known where there is no ``<unk>``."""
        unknown = self.unknown
        found = np.fromiter((self._place.get(word, unknown) for word in words), np.int32)
        if len(found) and found.min() < 1:
            word = words[int(np.argmin(found))]
            if word == SEPARATOR:
                raise ValueError(f"{SEPARATOR} is put between sentences anyway; take it out of the text")
            raise ValueError(
                f"the word {word!r} is not among the {len(self) - 1:,} words of the model, which has no {UNKNOWN}: "
                "train on a text with rarer words than its size, or leave the word out"
            )
        return found


@dataclass(frozen=True, eq=False)
class NumberedText:
    """Sentences as numbers: sentence s is ``ids[offset[s]:offset[s+1]]``; 4 bytes a token."""

    ids: np.ndarray
    offset: np.ndarray

    def __post_init__(self):
        freeze(self)

    def __len__(self):
        return len(self.offset) - 1

    def sentences(self):
        """The sentences, one array each."""
        return np.split(self.ids, self.offset[1:-1])

    def cut(self, share):
        """(the first sentences, about the last ``share`` of the tokens): what is trained on and what is held out."""
        stop = int(np.searchsorted(self.offset, (1.0 - share) * self.offset[-1]))
        stop = min(max(stop, 1), len(self) - 1)
        first, last = self.offset[: stop + 1], self.offset[stop:]
        return NumberedText(self.ids[: first[-1]], first), NumberedText(self.ids[last[0] :], last - last[0])


def sentences_of(source):
    """The sentences of a text as lists of words, one after the other; those without words are left out.

    ``source``: the path of a text file, a sentence a line; or sentences, as texts with blanks between the words or as
    words. ValueError for a bare text, and for a word that is none.
    """
    if isinstance(source, PathLike):
        yield from read_sentences(source)
        return
    if isinstance(source, str) or not isinstance(source, Iterable):
        raise ValueError(
            f"sentences: expected a list of sentences or a pathlib.Path, found {source!r:.60}; write [text] for one"
        )
    for number, sentence in enumerate(source, start=1):
        words = (
            tokens(sentence) if isinstance(sentence, str) else checks.listed(f"sentence {number}", sentence, "words")
        )
        if not all(isinstance(word, str) and word for word in words):
            raise ValueError(f"sentence {number}: {words!r:.60} are no words; give texts that are not empty")
        if words:
            yield words


def read_corpus(source, size=None):
    """(the ``size`` most frequent words as a ``Vocabulary``, the text as a ``NumberedText``), in one pass.

    ``size`` counts the separator and ``<unk>``, which stands for all other words; None keeps all words. Ties are kept
    in order of appearance. ValueError for a text without words, or with fewer than ``size``.
    """
    if size is not None:
        checks.whole("size", size, 3, wanted="a whole number of words, 3 or more, or None for all")
    place, ids, lengths = {}, array("i"), array("q", [0])
    for words in sentences_of(source):
        ids.extend(place.setdefault(word, len(place)) for word in words)
        lengths.append(len(words))
    if not ids:
        raise ValueError("the text has no words; give sentences with at least one word")
    if SEPARATOR in place:
        raise ValueError(f"{SEPARATOR} is put between sentences anyway; take it out of the text")
    ids = np.frombuffer(ids, np.int32)
    vocabulary, number = _most_frequent(tuple(place), np.bincount(ids), size)
    return vocabulary, NumberedText(number[ids], np.cumsum(np.frombuffer(lengths, np.int64)))


def _most_frequent(names, counts, size):
    """The vocabulary, and the number in it (V,) of each of the ``names``."""
    ranked = [w for w in np.argsort(-counts, kind="stable").tolist() if names[w] != UNKNOWN]
    reserved = 1 + (UNKNOWN in names)
    if size is not None and size > len(ranked) + reserved:
        raise ValueError(
            f"size {size:,}: the text has {len(ranked):,} different words, with {SEPARATOR} at most "
            f"{len(ranked) + reserved:,}; lower the size, or take all words (None; 0 on the command line)"
        )
    is_cut = size is not None and size < len(ranked) + reserved
    has_unknown = is_cut or reserved == 2
    kept = ranked[: size - 2] if is_cut else ranked
    number = np.ones(len(names), np.int32)  # <unk>
    number[kept] = np.arange(len(kept)) + 1 + has_unknown
    return Vocabulary((SEPARATOR, *[UNKNOWN] * has_unknown, *(names[w] for w in kept))), number


def encode(source, vocabulary):
    """A text as a ``NumberedText`` of a vocabulary; ValueError as for ``sentences_of`` and ``Vocabulary.ids``."""
    rows = [vocabulary.ids(words) for words in sentences_of(source)]
    if not rows:
        raise ValueError("the text has no words; give sentences with at least one word")
    return NumberedText(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


def batches(source, vocabulary):
    """A text as one ``NumberedText`` after the other, a few sentences each: never the whole text in memory."""
    waiting = []
    for words in sentences_of(source):
        waiting.append(words)
        if len(waiting) == BATCH:
            yield encode(waiting, vocabulary)
            waiting = []
    if waiting:
        yield encode(waiting, vocabulary)
