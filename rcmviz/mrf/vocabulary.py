"""Words by number, and any text as numbers: a file, a list of sentences, an iterator.

Number 0 is the separator that stands K times between sentences; number 1 is `<unk>` if there is one.
"""

import re
from array import array
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.repeats import first_repeated
from rcmviz.core.shared.wording import counted
from rcmviz.lm.text import TOKENS, UNKNOWN, sentences_of, splitter, words_after, words_before

SEPARATOR = "<S>"
BLANK, LONE_BLANK = "_", re.compile(r"(?<!\w)_(?!\w)")  # how a missing word is written, and where in a text
NO_WORDS = "the text has no words; give sentences with at least one word"
BATCH = 20_000  # sentences turned into numbers in one call


@dataclass(frozen=True, eq=False)
class Vocabulary(CopyableMixin):
    """``words`` by number, the separator first, and the ``units`` that texts are split into. ValueError for a word that
    is no text or is listed twice.

    >>> vocabulary = Vocabulary(("<S>", "<unk>", "the", "cat"))
    >>> len(vocabulary), vocabulary.ids(["the", "dog"]).tolist()
    (4, [2, 1])
    """

    words: tuple
    units: str = TOKENS

    def __post_init__(self):
        splitter(self.units)
        if not self.words or self.words[0] != SEPARATOR:
            raise ValueError(f"a vocabulary begins with {SEPARATOR}, the separator of sentences")
        wrong = next((word for word in self.words if not isinstance(word, str) or not word), None)
        if wrong is not None:
            raise ValueError(f"the vocabulary holds {wrong!r}: words are texts that are not empty")
        if len(self._place) < len(self.words):
            raise ValueError(f"the vocabulary holds {first_repeated(self.words)!r} twice")

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return isinstance(word, str) and self._place.get(word, 0) > 0

    @cached_property
    def _place(self):
        return {word: k for k, word in enumerate(self.words)}

    @property
    def unknown(self):
        """The number of ``<unk>``, −1 for none."""
        return self._place.get(UNKNOWN, -1)

    def ids(self, words):
        """Numbers (n,) of words; ValueError for an unknown one if there is no ``<unk>``."""
        unknown = self.unknown
        with checks.hashable("words", "give texts"):
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
class NumberedText(CopyableMixin):
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
        """(the first sentences, about the last ``share`` of the tokens): the training part and the held-out part."""
        stop = int(np.searchsorted(self.offset, (1.0 - share) * self.offset[-1]))
        stop = min(max(stop, 1), len(self) - 1)
        first, last = self.offset[: stop + 1], self.offset[stop:]
        return NumberedText(self.ids[: first[-1]], first), NumberedText(self.ids[last[0] :], last - last[0])


def split_at_blank(sentence, units=TOKENS):
    """(words before the blank, words after it) of a text or of words; ValueError if there is not exactly one ``_``.

    >>> split_at_blank("the dog _ at tom"), split_at_blank("The dog, _!", "english")
    ((['the', 'dog'], ['at', 'tom']), (['the', 'dog', ','], ['!']))
    """
    is_text = isinstance(sentence, str)
    blanks = len(LONE_BLANK.findall(sentence)) if is_text else list(sentence).count(BLANK)
    if blanks != 1:
        found = f"{sentence!r} has {counted(blanks, 'blank')}"
        raise ValueError(f"{found}: write one {BLANK} that stands by itself, as in 'the dog {BLANK}'")
    if is_text:
        left, right = LONE_BLANK.split(sentence)
        return words_before("sentence", left, units), words_after("sentence", right, units)
    words = list(sentence)
    return words[: words.index(BLANK)], words[words.index(BLANK) + 1 :]


AUTO, USUAL_SIZE = "auto", 1_000  # the size of a vocabulary: the usual one, or that of the text if it is smaller


def read_corpus(source, size=None, units=TOKENS):
    """(the ``size`` most frequent words as a ``Vocabulary``, the text as a ``NumberedText``), in one pass.

    ``size`` counts the separator and ``<unk>``, which represents all other words; None keeps all words, "auto" at most
    1,000. Texts are split into ``units``. Ties are kept in order of appearance. ValueError for a text without words, or
    with fewer than ``size``.
    """
    if size is not None and size != AUTO:
        checks.whole("size", size, 3, wanted="a whole number of words, 3 or more, None for all, or 'auto'")
    place, ids, lengths = {}, array("i"), array("q", [0])
    for words in sentences_of(source, units):
        ids.extend(place.setdefault(word, len(place)) for word in words)
        lengths.append(len(words))
    if not ids:
        raise ValueError(NO_WORDS)
    if SEPARATOR in place:
        raise ValueError(f"{SEPARATOR} is put between sentences anyway; take it out of the text")
    ids = np.frombuffer(ids, np.int32)
    words, number = _most_frequent(tuple(place), np.bincount(ids), size)
    return Vocabulary(words, units), NumberedText(number[ids], np.cumsum(np.frombuffer(lengths, np.int64)))


def _most_frequent(names, counts, size):
    """The words of the vocabulary, and the number there (V,) of each of the ``names``."""
    ranked = [w for w in np.argsort(-counts, kind="stable").tolist() if names[w] != UNKNOWN]
    reserved = 1 + (UNKNOWN in names)
    if size == AUTO:
        size = min(USUAL_SIZE, len(ranked) + reserved)
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
    return (SEPARATOR, *[UNKNOWN] * has_unknown, *(names[w] for w in kept)), number


def encode(source, vocabulary, no_words=NO_WORDS):
    """A text as a ``NumberedText`` of a vocabulary; ValueError as for ``sentences_of`` and ``Vocabulary.ids``."""
    rows = [vocabulary.ids(words) for words in sentences_of(source, vocabulary.units)]
    if not rows:
        raise ValueError(no_words)
    return NumberedText(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))


def batches(source, vocabulary):
    """A text as one ``NumberedText`` after the other, a few sentences each: never the whole text in memory."""
    waiting = []
    for words in sentences_of(source, vocabulary.units):
        waiting.append(words)
        if len(waiting) == BATCH:
            yield encode(waiting, vocabulary)
            waiting = []
    if waiting:
        yield encode(waiting, vocabulary)
