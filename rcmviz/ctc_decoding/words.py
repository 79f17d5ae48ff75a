"""A language model of words over labels that spell them: what a context remembers, and what it pays.

A context is the words before the current one, as many as the model sees, and the beginning of the current one. What
lies farthest is forgotten first: words from the oldest on, then the beginning of the current word, all but its last
label. A word whose beginning is forgotten counts as one that the model does not know, and is forgotten when it ends.
"""

from functools import lru_cache
from typing import NamedTuple
from weakref import ref

import numpy as np

from rcmviz.ctc_decoding.contexts import Prefixes, Strings, latest
from rcmviz.ctc_decoding.lexicon import LOST, NO_WORD, UNLISTED, lexicon_of
from rcmviz.lm.language_model import END, UNKNOWN, LanguageModel

OUTSET = "^"  # how the start before the first word is written
FAINT = -1e4  # instead of −inf where candidates are ranked by what they will pay: it refuses none


class Spelt(NamedTuple):
    """The words ``before`` as texts, labels of the current one, None at the start, whether its beginning is known."""

    before: list
    letters: tuple | None
    is_whole: bool


class WordSuffixes:
    """Contexts of words; a key is the number of the words before the current one, times the cells, plus its cell."""

    def __init__(self, lexicon, lm, separator):
        self.lexicon, self.separator = lexicon, separator
        self.vocabulary, self.remembered = lm.vocabulary, lm.order - 1
        self.begin, self.unknown = lm.begin, lm.unknown
        self.heads, self.following = Strings(), {}
        self.start = lexicon.start

    @property
    def shape(self):
        """The kernels' rule of forgetting."""
        return self.heads.shorter, self.lexicon.bare

    def split(self, keys):
        """Numbers of the words before, and cells."""
        return np.divmod(keys, len(self.lexicon.last))

    def lengths(self, keys):
        """The number of items that each remembers: its words, its last label, the beginning of its word."""
        heads, cells = self.split(keys)
        return self.heads.lengths(heads) + 1 + (self.lexicon.bare[cells] != cells)

    def grown(self, keys):
        """The keys (n, V) with a label more."""
        for key in keys.tolist():
            if key not in self.following:
                before, word = self.words(key)
                after = before if word == NO_WORD else self._after(before, word)
                self.following[key] = self.heads.number(before), self.heads.number(after)
        within, after = np.array([self.following[key] for key in keys.tolist()], np.int64).reshape(-1, 2).T
        _, cells = self.split(keys)
        heads = np.repeat(within[:, None], self.lexicon.following.shape[1], axis=1)
        heads[:, self.separator] = after
        return heads * len(self.lexicon.last) + self.lexicon.following[cells]

    def words(self, key):
        """Ids of the words before, oldest first, and of the current one, or what a lexicon has instead of it."""
        head, cell = divmod(key, len(self.lexicon.last))
        before = latest((self.begin,), self.remembered) if cell == self.start else self.heads.known[head]
        return before, int(self.lexicon.word[cell])

    def spelt(self, key):
        """The ``Spelt`` words of a context."""
        called = {self.begin: OUTSET, -1: UNKNOWN}
        texts = [called.get(word) or self.vocabulary[word] for word in self.words(key)[0]]
        _, cell = self.split(key)
        if cell == self.start:
            return Spelt(texts, None, True)
        return Spelt(texts, self.lexicon.spelt(int(cell)), cell < len(self.lexicon.parent))

    def _after(self, before, word):
        """The words before the next word."""
        if not before and word == LOST:
            return before
        return latest((*before, self.unknown if word in (UNLISTED, LOST) else word), self.remembered)

    def last(self, keys):
        """The last label, −1 for the start."""
        return self.lexicon.last[self.split(keys)[1]]


class Weights(NamedTuple):
    """Weights of the language model, a label, a word, an unknown word and a letter of one (``rv.ctc``)."""

    lm_weight: float
    label_bonus: float
    word_bonus: float
    unknown_score: float
    unknown_letter: float


class SpellingScores:
    """A row for every history and word that occurred: log scores of the labels after it, and in the last column of the
    end. A word is scored by the label that ends it.
    """

    def __init__(self, labels, lm, separator, weights, end):
        self.lexicon, self.lm, self.end = _lexicon(ref(lm), labels, separator), lm, end
        self.separator = labels.index(separator)
        self.weights = weights
        self.states = WordSuffixes(self.lexicon, lm, self.separator)
        self.state_of, self.row_of, self.row_of_words = {Prefixes.start: self.states.start}, {}, {}
        self.rows = np.empty((16, len(labels) + 1))
        self.pays = self._pays()

    def names(self, method):
        """The numbers of contexts."""
        return Prefixes(len(self.rows[0]) - 1, 0) if method == "beam" else self.states

    @property
    def table(self):
        """All rows so far, (R, V + 1)."""
        return self.rows[: len(self.row_of_words)]

    def rows_of(self, names, keys):
        """The row of each context; contexts that no score tells apart share one."""
        states = self._states(names, keys).tolist()
        missing = {key: self.states.words(key) for key in states if key not in self.row_of}
        new = [words for words in dict.fromkeys(missing.values()) if words not in self.row_of_words]
        if new:
            self._add(new)
        self.row_of |= {key: self.row_of_words[words] for key, words in missing.items()}
        return np.array([self.row_of[key] for key in states], np.int64)

    def outlook(self, names, keys):
        """Estimated cost of each context's word with one more label (C, V), and unchanged."""
        _, cells = self.states.split(self._states(names, keys))
        return np.concatenate([self.pays[self.lexicon.following[cells]], self.pays[cells, None]], axis=1)

    def _states(self, names, keys):
        """Keys of words; those of whole strings are followed from one to the next."""
        if names is self.states:
            return keys
        new = [key for key in keys.tolist() if key not in self.state_of]
        if new:
            before = np.array([self.state_of[names.key[key // names.width]] for key in new], np.int64)
            grown = self.states.grown(before)[np.arange(len(new)), np.array(new) % names.width]
            self.state_of |= dict(zip(new, grown.tolist(), strict=True))
        return np.array([self.state_of[key] for key in keys.tolist()], np.int64)

    def _add(self, words):
        """Rows of new pairs of histories and words."""
        begin = len(self.row_of_words)
        while len(self.rows) < begin + len(words):
            self.rows = np.concatenate([self.rows, np.empty_like(self.rows)])
        ids = {NO_WORD: (), UNLISTED: (self.lm.unknown,), LOST: (self.lm.unknown,)}
        ended = [(*before, *ids.get(word, (word,))) for before, word in words]
        word = np.array([word for _, word in words])
        pays = np.where(word != NO_WORD, self._log(ended) + self.weights.word_bonus, 0.0)
        pays[(word == UNLISTED) | (word == LOST)] += self.weights.unknown_score
        rows = self.rows[begin : begin + len(words)]
        rows[:] = self.weights.label_bonus
        rows[word == LOST] += self.weights.unknown_letter
        rows[:, self.separator] = self.weights.label_bonus + pays
        rows[:, -1] = pays + (self._log([(*before, self.lm.end) for before in ended]) if self.end else 0.0)
        self.row_of_words |= {pair: begin + k for k, pair in enumerate(words)}

    def _log(self, ngrams):
        """The language model's log scores of last words, 0 for one that it has no id for."""
        rows = np.full((len(ngrams), self.lm.order + 1), -1)
        for row, ngram in zip(rows, ngrams, strict=True):
            row[len(row) - len(ngram) :] = ngram
        return np.where(rows[:, -1] < 0, 0.0, self.weights.lm_weight * self.lm.score_ngrams(rows))

    def _pays(self):
        """Estimated cost of each cell's word: that of the most probable word with this prefix."""
        lexicon = self.lexicon
        unlisted = self._log([(self.lm.unknown,)])[0] + self.weights.unknown_score
        pays = np.full(len(lexicon.last), unlisted + self.weights.word_bonus)
        pays[: len(lexicon.best)] = self.weights.lm_weight * lexicon.best + self.weights.word_bonus
        pays[lexicon.word == NO_WORD] = 0.0
        return np.maximum(pays, FAINT)


@lru_cache(maxsize=4)
def _lexicon(lm, labels, separator):
    return lexicon_of(lm(), labels, separator)


def spelling_scores_of(labels, lm, separator, weights, end):
    """``SpellingScores`` of checked settings."""
    if not isinstance(lm, LanguageModel):
        raise ValueError(f"lm {lm!r:.60}: words between separators are scored by an rv.LanguageModel of words")
    if separator not in labels:
        raise ValueError(f"separator {separator!r:.60} is not one of the labels; name the label between words")
    if len(labels) == 1:
        raise ValueError("labels: only the separator; add the labels of the words' letters")
    if end and lm.end < 0:
        raise ValueError(f"the language model has no {END}: it cannot score the end; pass end=False")
    return SpellingScores(labels, lm, separator, weights, end)
