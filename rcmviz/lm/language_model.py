"""Back-off n-gram language models: one table, asked for probabilities, for bounds and for what comes next.

Words are numbered by their place in the vocabulary; `<s>`, `</s>` and `<unk>` are words with a meaning of their own.
The arrays are the reverse trie of ``kernels/ngrams.py``.
"""

import json
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rcmviz.kernels import ngrams as kernel
from rcmviz.lattice import freeze
from rcmviz.lm.trie import Trie, build_trie
from rcmviz.npz import read_npz, write_npz

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
MAX_ORDER = 9
FORMAT, VERSION = "rcmviz/language-model", 1
COMPRESSED_BELOW = 1_000_000  # rows; above, inflating would take most of the second that loading may take


@dataclass(frozen=True, eq=False)
class TextScores:
    """Per sentence (n,): ``log_prob`` of what has a probability, ``words`` predicted, the end counted, and among them
    ``unknown``, those that the vocabulary lacks (scored as `<unk>`; left out where the model has none)."""

    log_prob: np.ndarray
    words: np.ndarray
    unknown: np.ndarray
    has_unknown: bool

    def __post_init__(self):
        freeze(self)

    @property
    def perplexity(self):
        """``exp(−log_prob / words)`` over all that was scored."""
        scored = self.words.sum() - (0 if self.has_unknown else self.unknown.sum())
        return float(np.exp(-self.log_prob.sum() / scored)) if scored else float("nan")


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A back-off n-gram model. ``vocabulary`` (V,) · ``trie`` its rows · ``counts (N,)`` listed n-grams by order ·
    ``info`` where it comes from.

    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the cat ran"], order=2, cutoffs=(0, 0))
    >>> lm.order, lm.log_prob("cat", ["the"]) > lm.log_prob("sat", ["the"])
    (2, True)
    """

    vocabulary: tuple
    trie: Trie
    counts: tuple
    info: dict = field(default_factory=dict)

    @classmethod
    def from_tables(cls, vocabulary, tables, info=None):
        """The model of ``tables``, an ``NgramTable`` per order 1, 2, …, over ``vocabulary``.

        Missing suffixes are added as blanks (``lm/trie.py``); a word without a unigram of its own gets log 0.
        ValueError for words that occur twice, tables of other orders, or ids that are no words.
        """
        vocabulary, tables = tuple(vocabulary), list(tables)
        index = {name: i for i, name in enumerate(vocabulary)}
        if not vocabulary or len(index) < len(vocabulary):
            raise ValueError("the vocabulary is empty" if not vocabulary else _twice(vocabulary))
        if not 1 <= len(tables) <= MAX_ORDER:
            raise ValueError(f"{len(tables)} orders: a language model has 1 to {MAX_ORDER}")
        for k, table in enumerate(tables, start=1):
            _check_table(k, table, vocabulary)
        trie = build_trie(len(vocabulary), tables, index.get(BEGIN, -1), index.get(END, -1))
        for table in tables:
            _check_listed_once(table, trie, vocabulary)
        return cls(vocabulary, trie, tuple(len(table) for table in tables), dict(info or {}))

    @property
    def order(self):
        """N: a word is predicted from at most N − 1 words before it."""
        return len(self.trie.level) - 1

    @cached_property
    def _index(self):
        edges = {BEGIN: -1, END: -1}  # where the model has none: an edge is never an unknown word
        return edges | {name: i for i, name in enumerate(self.vocabulary)}

    @property
    def begin(self):
        """The id of `<s>`, −1 where the model has none."""
        return self._index[BEGIN]

    @property
    def end(self):
        """The id of `</s>`, −1 where the model has none."""
        return self._index[END]

    @property
    def unknown(self):
        """The id of `<unk>`, −1 where the model has none."""
        return self._index.get(UNKNOWN, -1)

    @property
    def bytes_per_ngram(self):
        """Memory of the arrays over the listed n-grams; 24 and a bit: 8 of them are the maxima of eq. 8."""
        return sum(array.nbytes for array in (*self.trie.arrays, self.trie.blanks)) / max(sum(self.counts), 1)

    def __contains__(self, word):
        return self._index.get(word, -1) >= 0

    def word_id(self, word):
        """The id of a word; that of `<unk>` for others but `<s>` and `</s>`, −1 where the model has none of these."""
        return self._index.get(word, self.unknown)

    def ids(self, words):
        """Ids of a sequence of words, (n,) int32."""
        index, unknown = self._index, self.unknown
        return np.array([index.get(word, unknown) for word in words], np.int32)

    def log_prob(self, word, history=()):
        """``log p(word | history)``, natural, eq. 7 of Carter et al.; −inf for a word without a probability.

        ``history``: words, oldest first, as many as one likes; write `<s>` where the sentence starts.
        """
        known = self.ids(_words(history))
        return float(kernel.log_prob_of(self.trie.arrays, known, 0, len(known), self.word_id(word)))

    def max_log_prob(self, word, history=()):
        """The largest ``log p(word | g history)`` over all longer histories g: eq. 8, exact."""
        known = self.ids(_words(history))
        return float(kernel.max_log_prob_of(self.trie.arrays, known, 0, len(known), self.word_id(word)))

    def next_words(self, history=(), k=10):
        """The k most probable next words as ``[(word, log_prob), …]``; ties in order of the vocabulary.

        `</s>` is among them where the sentence may end; `<s>` never is. ValueError for k < 1.
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ValueError(f"k {k!r}: ask for 1 word or more")
        known, scores = self.ids(_words(history)), np.empty(len(self.vocabulary))
        words = np.arange(len(scores), dtype=np.int32)
        kernel.fill_log_probs(self.trie.arrays, known, 0, len(known), words, 1.0, scores)
        best = [w for w in np.argsort(-scores, kind="stable").tolist() if w != self.begin]
        return [(self.vocabulary[w], float(scores[w])) for w in best[:k]]

    def score_ngrams(self, ngrams):
        """``log p(last | the others)`` of each row of ids ``ngrams (M, k)``, (M,)."""
        ngrams = np.ascontiguousarray(ngrams, np.int32)
        scores = np.empty(len(ngrams))
        kernel.score_rows(self.trie.arrays, ngrams, scores)
        return scores

    def score_words(self, ids, offset):
        """``log p`` of every word of many texts at once, (n,); text t is ``ids[offset[t]:offset[t+1]]``.

        The first word of a text is its start (`<s>`) and scores 0.
        """
        scores = np.empty(len(ids))
        kernel.score_texts(self.trie.arrays, np.ascontiguousarray(ids, np.int32), np.asarray(offset, np.int64), scores)
        return scores

    def score(self, sentences, end=True):
        """``TextScores`` of sentences, each a list of words or a string with blanks between them.

        ``end``: whether the end of a sentence is scored too (where the model knows one).
        """
        closing = [self.end] if end and self.end >= 0 else []
        rows = [[self.begin, *self.ids(_words(sentence)).tolist(), *closing] for sentence in sentences]
        offset = np.cumsum([0, *(len(row) for row in rows)])
        ids = np.array([word for row in rows for word in row], np.int32)
        scores = self.score_words(ids, offset)
        foreign = ids == self.unknown
        scores[foreign & (self.unknown < 0)] = 0.0
        foreign[offset[:-1]] = False
        per_sentence = [np.add.reduceat(column, offset[:-1]) if rows else np.zeros(0) for column in (scores, foreign)]
        return TextScores(per_sentence[0], np.diff(offset) - 1, per_sentence[1].astype(int), self.unknown >= 0)

    def perplexity(self, sentences):
        """Perplexity per word, ends of sentences counted; words without a probability are left out (see ``score``)."""
        return self.score(sentences).perplexity

    def save(self, path):
        """Write the model as npz without pickle, whole or not at all; OSError where it cannot be written."""
        header = {"format": FORMAT, "version": VERSION, "counts": self.counts, "info": self.info}
        arrays = {name: getattr(self.trie, name) for name in Trie.__dataclass_fields__}
        texts = {"header": json.dumps(header, ensure_ascii=False), "vocabulary": "\n".join(self.vocabulary)}
        for name, text in texts.items():
            arrays[name] = np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)
        write_npz(path, arrays, compressed=len(self.trie.word) < COMPRESSED_BELOW)

    @classmethod
    def load(cls, path):
        """Read what ``save`` wrote; ValueError names the file and what is wrong with it."""
        remedy = "save it again with `rcmviz lm train` or LanguageModel.save"
        arrays = read_npz(path, "language model", remedy)
        try:
            header = json.loads(_text_of(arrays["header"]))
            if (header["format"], header["version"]) != (FORMAT, VERSION):
                raise ValueError(f"it is a {header['format']} of version {header['version']}")
            trie = Trie(*(arrays[name] for name in Trie.__dataclass_fields__))
            words = tuple(_text_of(arrays["vocabulary"]).split("\n"))
            _check_trie(trie, len(words))
            return cls(words, trie, tuple(map(int, header["counts"])), dict(header["info"]))
        except (KeyError, TypeError, ValueError) as error:
            told = f"it has no {error}" if isinstance(error, KeyError) else error
            raise ValueError(f"{path}: not a language model of rcmviz ({told}); {remedy}") from None

    def write_arpa(self, path, max_backoff=False):
        """Write an ARPA file, gzip where the name ends in .gz; ``max_backoff`` adds the columns of eq. 8."""
        from rcmviz.lm.arpa_write import write_arpa

        write_arpa(self, path, max_backoff)


def _words(text):
    return text.split() if isinstance(text, str) else text


def _text_of(codes):
    return bytes(codes).decode("utf-8", "surrogateescape")


def _check_table(order, table, vocabulary):
    """ValueError for what is no table of this order over the vocabulary."""
    if table.order != order:
        raise ValueError(f"the table of order {order} has n-grams of {table.order} words")
    foreign = table.words[(table.words < 0) | (table.words >= len(vocabulary))]
    if len(foreign):
        raise ValueError(f"order {order}: the id {foreign[0]} is outside the vocabulary of {len(vocabulary)} words")
    for name in ("log_prob", "back_off"):
        bad = np.flatnonzero(~(getattr(table, name) < np.inf))
        if len(bad):
            told = f"{_spelt(table, bad[0], vocabulary)!r} has the {name} {getattr(table, name)[bad[0]]}"
            raise ValueError(f"order {order}: {told}; use a number or -inf")


def _check_listed_once(table, trie, vocabulary):
    """ValueError for an n-gram that a table lists twice: sorted out only where rows are fewer than n-grams."""
    rows = slice(trie.level[table.order - 1], trie.level[table.order])
    blanks = np.searchsorted(trie.blanks, [rows.start, rows.stop])
    distinct = rows.stop - rows.start - (blanks[1] - blanks[0])
    if table.order == 1:
        distinct = len(np.unique(table.words))  # words without a unigram have a row too
    if distinct < len(table):
        ranked = np.lexsort(table.words.T)
        again = np.flatnonzero((table.words[ranked[1:]] == table.words[ranked[:-1]]).all(axis=1))
        raise ValueError(f"order {table.order}: {_spelt(table, ranked[again[0]], vocabulary)!r} is listed twice")


def _spelt(table, row, vocabulary):
    return " ".join(vocabulary[word] for word in table.words[row])


def _twice(vocabulary):
    seen = set()
    again = next(word for word in vocabulary if word in seen or seen.add(word))
    return f"the word {again!r} is in the vocabulary twice"


def _check_trie(trie, size):
    """What the kernels rely on: a walk through a file that somebody changed must not leave the arrays."""
    level, first, rows = trie.level, trie.first, len(trie.word)
    kinds = {name: "i" if name in ("level", "word", "first", "blanks") else "f" for name in Trie.__dataclass_fields__}
    if any(getattr(trie, name).ndim != 1 or getattr(trie, name).dtype.kind != kind for name, kind in kinds.items()):
        raise ValueError("an array has another shape or type")
    columns = (trie.log_prob, trie.back_off, trie.max_log, trie.max_back)
    if not 2 <= len(level) <= MAX_ORDER + 1 or level[0] != 0 or level[1] != size or level[-1] != rows:
        raise ValueError("its levels do not fit its vocabulary")
    if any(len(column) != rows for column in columns) or len(first) != rows + 1:
        raise ValueError("its columns differ in length")
    starts_right = all(first[level[k]] == level[k + 1] for k in range(len(level) - 1)) if len(level) > 2 else True
    if np.any(np.diff(level) < 0) or np.any(np.diff(first) < 0) or first[-1] != rows or not starts_right:
        raise ValueError("its rows are not in order")
    if rows and not 0 <= trie.word.min() <= trie.word.max() < size:
        raise ValueError("a row has a word outside the vocabulary")
    if len(trie.blanks) and not 0 <= trie.blanks.min() <= trie.blanks.max() < rows:
        raise ValueError("a blank is outside the table")
    if any(np.isnan(column).any() for column in columns):
        raise ValueError("a probability is not a number")
