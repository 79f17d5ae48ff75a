"""Back-off n-gram language models: one table for probabilities, bounds and next words.

Words are numbered by their place in the vocabulary; `<s>`, `</s>` and `<unk>` are words with a meaning of their own.
The arrays are the reverse trie of ``kernels/ngrams.py``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from os import PathLike
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.lattices.printed import line_html
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.core.shared.npz import check_parts, head_text, pack_text, read_head, read_npz, unpack_text, write_npz
from rcmviz.core.shared.repeats import first_repeated
from rcmviz.kernels.lm import ngrams as kernel
from rcmviz.lm.scorer import WordScorer
from rcmviz.lm.table import NgramTable, tables_of_weights
from rcmviz.lm.text import BEGIN, END, TOKENS, UNKNOWN, splitter, words_before, words_of
from rcmviz.lm.text_scores import TextScores
from rcmviz.lm.trie import MAX_ORDER, Trie, build_trie, checked_trie

FORMAT, VERSION = "rcmviz/language-model", 1
COMPRESSED_BELOW = 1_000_000  # rows; above, inflating would take most of the second that loading may take


@dataclass(frozen=True, eq=False)
class LanguageModel(CopyableMixin):
    """Back-off n-gram language model.

    Train one with ``train_lm``, or read one with ``read_arpa`` or ``load_lm``.

    Parameters
    ----------
    vocabulary : tuple of str, length V
        The words; ``<s>``, ``</s>`` and ``<unk>`` have a meaning of their own.
    trie : Trie
        The n-grams, a row each.
    counts : tuple of int, length N
        How many n-grams are listed, by order.
    info : dict, optional
        Where the model comes from, and as ``"units"`` what its text was split into; tokens if there are none.

    Notes
    -----
    Wherever the model takes a text, it splits it into ``units``; a list of words is taken as it is. Log probabilities
    are by back-off, eq. 7 of Carter, Dymetman and Bouchard (2012), their maxima over longer histories by its eq. 8,
    exact also for tables with holes and with back-off weights above 1.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the cat ran"], order=2, cutoffs=(0, 0))
    >>> lm.order, lm.log_prob("cat", ["the"]) > lm.log_prob("sat", ["the"])
    (2, True)
    """

    vocabulary: tuple[str, ...]
    trie: Trie
    counts: tuple[int, ...]
    info: dict = field(default_factory=dict)

    def __post_init__(self):
        object.__setattr__(self, "info", checks.as_dict("info", self.info))
        checks.instance("vocabulary", self.vocabulary, (tuple, list), "a tuple of words")
        checks.instance("trie", self.trie, Trie, "the Trie of another model, or use LanguageModel.from_tables")
        checks.instance("counts", self.counts, (tuple, list), "a tuple of whole numbers")
        splitter(self.units)
        if len(self.counts) != self.order:
            raise ValueError(f"counts of {len(self.counts)} orders, levels of {self.order}")
        if len(self.vocabulary) != self.trie.level[1]:
            raise ValueError(f"a vocabulary of {len(self.vocabulary)} words, rows for {self.trie.level[1]}")

    def __repr__(self):
        counts = " + ".join(f"{count:,}" for count in self.counts)
        return f"<LanguageModel: order {self.order}, {len(self.vocabulary):,} words, {counts} n-grams>"

    def _repr_html_(self):
        return line_html(self)

    @classmethod
    def from_tables(cls, vocabulary: Iterable[str], tables: Iterable[NgramTable], info: Mapping | None = None) -> Self:
        """Make a model of tables of n-grams.

        Parameters
        ----------
        vocabulary : iterable of str, length V
            The words.
        tables : iterable of NgramTable
            One table per order, from 1 on.
        info : mapping, optional
            Where the model comes from.

        Returns
        -------
        LanguageModel
            The model. Suffixes that are missing are added without changing a probability; a word without a unigram of
            its own has log probability −inf.

        Raises
        ------
        ValueError
            A word occurs twice, a table is of another order, or an id is that of no word.
        """
        vocabulary = checks.texts("vocabulary", vocabulary)
        tables = checks.as_list("tables", tables, "an NgramTable for each order")
        index = {name: i for i, name in enumerate(vocabulary)}
        if not vocabulary or len(index) < len(vocabulary):
            raise ValueError("the vocabulary is empty" if not vocabulary else _repeated_ngram(vocabulary))
        if not 1 <= len(tables) <= MAX_ORDER:
            raise ValueError(f"{len(tables)} orders: a language model has 1 to {MAX_ORDER}")
        for k, table in enumerate(tables, start=1):
            if not isinstance(table, NgramTable):
                raise ValueError(f"table {k} is {table!r:.60}: give an NgramTable for each order, the shortest first")
            _check_table(k, table, vocabulary)
        trie = build_trie(len(vocabulary), tables, index.get(BEGIN, -1), index.get(END, -1))
        for table in tables:
            _check_listed_once(table, trie, vocabulary)
        return cls(vocabulary, trie, tuple(len(table) for table in tables), checks.as_dict("info", info))

    @classmethod
    def from_weights(cls, labels: Iterable[str], weights: Mapping[tuple[str, ...], float]) -> Self:
        """Make a sparse table of log weights over many labels: it takes memory for the windows that are listed.

        Parameters
        ----------
        labels : iterable of str, length V
            The labels.
        weights : mapping of tuple to float
            ``{window: log weight}`` in nats: one or more labels, the predicted one last; ``<s>`` first represents the
            beginning of the sequence.

        Returns
        -------
        LanguageModel
            A model that scores a label by the longest of the listed windows that ends there, and by 0 where none does.
            Its scores are no probabilities, so pass ``end=False`` to ``rv.HMM``.

        Raises
        ------
        ValueError
            A label occurs twice, or a window is malformed; the message names it.

        Examples
        --------
        >>> import rcmviz as rv
        >>> lm = rv.LanguageModel.from_weights("abc", {("a", "b"): 1.5, ("c",): -1.0, ("<s>", "c"): 0.5})
        >>> [lm.log_prob(label, ["a"]) for label in "abc"], lm.log_prob("c", ["<s>"])
        ([0.0, 1.5, -1.0], 0.5)
        """
        labels = checks.texts("labels", labels)
        checks.instance("weights", weights, Mapping, "a dict {window: weight}")
        return cls.from_tables(*tables_of_weights(labels, weights, BEGIN))

    @property
    def order(self) -> int:
        """Order N: a word is predicted from at most N − 1 words before it."""
        return len(self.trie.level) - 1

    @cached_property
    def _index(self):
        edges = {BEGIN: -1, END: -1}  # where the model has none: an edge is never an unknown word
        return edges | {name: i for i, name in enumerate(self.vocabulary)}

    @property
    def units(self) -> str:
        """The units of texts: ``"tokens"``, ``"words"``, ``"characters"``, ``"letters"`` or ``"english"``."""
        return self.info.get("units", TOKENS)

    def split(self, text: str) -> list[str]:
        """Split a text as the training text of the model was split.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            Its units.
        """
        return splitter(self.units)(checks.text("text", text))

    @property
    def begin(self) -> int:
        """The id of `<s>`, −1 where the model has none."""
        return self._index[BEGIN]

    @property
    def end(self) -> int:
        """The id of `</s>`, −1 where the model has none."""
        return self._index[END]

    @property
    def unknown(self) -> int:
        """The id of `<unk>`, −1 where the model has none."""
        return self._index.get(UNKNOWN, -1)

    @cached_property
    def is_positive(self) -> bool:
        """Whether every word has some probability after every history."""
        return bool(np.isfinite(self.trie.log_prob).all() and np.isfinite(self.trie.back_off).all())

    @property
    def bytes_per_ngram(self) -> float:
        """Memory per listed n-gram in bytes: a little more than 24, of which 8 are for the maxima of eq. 8."""
        return sum(array.nbytes for array in (*self.trie.arrays, self.trie.blanks)) / max(sum(self.counts), 1)

    def __contains__(self, word: str) -> bool:
        return self._index.get(word, -1) >= 0

    def word_id(self, word: str) -> int:
        """Id of a word.

        Parameters
        ----------
        word : str
            The word.

        Returns
        -------
        int
            Its place in the vocabulary; for an unknown word the id of ``<unk>``, or −1.
        """
        return self._index.get(checks.text("word", word), self.unknown)

    def ids(self, words: str | Iterable[str]) -> np.ndarray:
        """Ids of words.

        Parameters
        ----------
        words : str or iterable of str, length n
            A text, or its words.

        Returns
        -------
        ndarray of int32, shape (n,)
            Their ids as of ``word_id``.
        """
        if isinstance(words, bytes):
            raise ValueError(f"words {words!r:.60}: these are bytes; decode them, as in words.decode()")
        index, unknown, words = self._index, self.unknown, words_of("words", words, self.units)
        with checks.hashable("words", "give texts"):
            return np.array(list(map(index.get, words, repeat(unknown))), np.int32)

    def log_prob(self, word: str, history: str | Sequence[str] = ()) -> float:
        """Log probability of a word after a history.

        Parameters
        ----------
        word : str
            The predicted word.
        history : str or sequence of str
            The text or the words before it, the oldest first; ``<s>`` if the sentence starts there.

        Returns
        -------
        float
            Log probability in nats by back-off (Carter, Dymetman and Bouchard, 2012, eq. 7); −inf for a word without
            a probability.
        """
        known, score = self._history_ids(history), np.empty(1)
        predicted = np.array([self._predicted_id(word)], np.int32)
        kernel.fill_log_probs(self.trie.arrays, known, 0, len(known), predicted, 1.0, score)
        return float(score[0])

    def max_log_prob(self, word: str, history: str | Sequence[str] = ()) -> float:
        """Largest log probability of a word after any history that ends in this one.

        Parameters
        ----------
        word : str
            The predicted word.
        history : str or sequence of str
            The text or the words directly before it, the oldest first.

        Returns
        -------
        float
            The maximum in nats, exact (Carter, Dymetman and Bouchard, 2012, eq. 8).
        """
        known = self._history_ids(history)
        return float(kernel.max_log_prob(self.trie.arrays, known, 0, len(known), self._predicted_id(word)))

    def next_words(self, history: str | Sequence[str] = (), k: int = 10) -> list[tuple[str, float]]:
        """The k most probable next words.

        Parameters
        ----------
        history : str or sequence of str
            The text or the words so far, the oldest first. If a blank is a unit, one at the end of a text counts.
        k : int
            How many, 1 or more.

        Returns
        -------
        list of (str, float)
            Words with their log probabilities in nats, the best first, ties in order of the vocabulary. ``</s>`` is
            among them where the sentence may end, ``<s>`` never.

        Raises
        ------
        ValueError
            ``k`` is below 1.
        """
        checks.whole("k", k, 1, wanted="ask for 1 word or more")
        known, scores = self._history_ids(history), np.empty(len(self.vocabulary))
        words = np.arange(len(scores), dtype=np.int32)
        kernel.fill_log_probs(self.trie.arrays, known, 0, len(known), words, 1.0, scores)
        best = [w for w in np.argsort(-scores, kind="stable").tolist() if w != self.begin]
        return [(self.vocabulary[w], float(scores[w])) for w in best[:k]]

    def score_ngrams(self, ngrams: ArrayLike) -> np.ndarray:
        """Log probability of the last word of each n-gram after the others.

        Parameters
        ----------
        ngrams : array_like of int, shape (M, k)
            Word ids, the oldest first; −1 for a word that is not listed.

        Returns
        -------
        ndarray of shape (M,)
            Log probabilities in nats.

        Raises
        ------
        ValueError
            An id is outside the vocabulary, or the n-grams are not of one length of 1 or more.
        """
        rows = self._check_ids("ngrams", ngrams, dims=2)
        if rows.shape[1] == 0:
            raise ValueError("ngrams: they have no words; the last word of each is scored, so give 1 or more")
        scores = np.empty(len(rows))
        kernel.score_rows(self.trie.arrays, rows, scores)
        return scores

    def log_rows(self, histories: np.ndarray, words: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Log probabilities of some words after each of some histories.

        Parameters
        ----------
        histories : ndarray of int32, shape (R, n)
            Word ids, the oldest first; −1 where a word is not listed or forgotten.
        words : ndarray of int32, shape (Y,)
            Word ids; −1 for none.
        scale : float
            What the logs are multiplied by.

        Returns
        -------
        ndarray of shape (R, Y)
            Log probabilities in nats, −inf for no word.

        Raises
        ------
        ValueError
            An id is outside the vocabulary.
        """
        size = len(self.vocabulary)
        histories = checks.integers("histories", histories, -1, size, np.int32, dims=2)
        words = checks.integers("words", words, -1, size, np.int32).copy()
        scale = checks.number("scale", scale, "a finite number", above=-np.inf, below=np.inf)
        rows = np.empty((len(histories), len(words)))
        kernel.fill_rows(self.trie.arrays, histories, words, scale, rows)
        return rows

    def scorer(self, labels: Sequence[str]) -> WordScorer:
        """The model as a scorer of labels, for ``rv.ScorerModel``.

        Parameters
        ----------
        labels : sequence of str, length V
            The labels, which are words of the model.

        Returns
        -------
        WordScorer
            Its ``score(contexts)`` gives log probabilities (n, V) after label numbers (n, order − 1), −1 for ``<s>``.

        Raises
        ------
        ValueError
            The model lacks a label and has no ``<unk>``.
        """
        return WordScorer(self, labels)

    def score_words(self, ids: ArrayLike, offset: ArrayLike) -> np.ndarray:
        """Log probability of every word of many texts.

        Parameters
        ----------
        ids : array_like of int, shape (n,)
            Word ids of all texts, one after the other; the first word of a text is its start ``<s>`` and scores 0.
        offset : array_like of int
            Text t is ``ids[offset[t]:offset[t+1]]``.

        Returns
        -------
        ndarray of shape (n,)
            Log probabilities in nats.

        Raises
        ------
        ValueError
            An id is outside the vocabulary, or the offsets do not go from 0 to n one after the other.
        """
        words = self._check_ids("ids", ids)
        scores = np.empty(len(words))
        kernel.score_texts(self.trie.arrays, words, checks.offsets("offset", offset, len(words)), scores)
        return scores

    def _history_ids(self, history):
        return self.ids(words_before("history", history, self.units))

    def _predicted_id(self, word):
        """Id of a word as it is listed, else as the model splits texts: for "The" that of "the" if texts lose case."""
        found = [word] if checks.text("word", word) in self else words_before("word", word, self.units)
        return np.int32(self.word_id(found[0] if len(found) == 1 else word))

    def _check_ids(self, name, ids, dims=1):
        """Word ids for the kernels; −1 is a word that is not listed."""
        return checks.integers(name, ids, -1, len(self.vocabulary), np.int32, dims, "word ids")

    def score(self, sentences: Iterable[str | Sequence[str]], end: bool = True) -> TextScores:
        """Log probabilities of sentences.

        Parameters
        ----------
        sentences : iterable of str or of sequences of str
            Sentences as texts, which are split into ``units``, or as words.
        end : bool
            Score the end of each sentence too, where the model knows one.

        Returns
        -------
        TextScores
            Log probabilities and counts by sentence.

        Raises
        ------
        ValueError
            ``sentences`` is one text, or a sentence is neither a text nor a list of words, or holds ``<s>`` or
            ``</s>``.
        """
        checks.refuse_one_text("sentences", sentences)
        closing = [self.end] if checks.switch("end", end) and self.end >= 0 else []
        rows = [[self.begin, *self.ids(sentence).tolist(), *closing] for sentence in sentences]
        offset = np.cumsum([0, *(len(row) for row in rows)])
        ids = np.array([word for row in rows for word in row], np.int32)
        _refuse_edges(ids, offset, self.begin, self.end, bool(closing))
        scores = self.score_words(ids, offset)
        foreign = ids == self.unknown
        scores[foreign & (self.unknown < 0)] = 0.0
        foreign[offset[:-1]] = False
        per_sentence = [np.add.reduceat(column, offset[:-1]) if rows else np.zeros(0) for column in (scores, foreign)]
        return TextScores(per_sentence[0], np.diff(offset) - 1, per_sentence[1].astype(int), self.unknown >= 0)

    def perplexity(self, sentences: Iterable[str | Sequence[str]]) -> float:
        """Perplexity per word of sentences.

        Parameters
        ----------
        sentences : iterable of str or of sequences of str
            Sentences as for ``score``.

        Returns
        -------
        float
            Exponential of the mean negative log probability per word, ends of sentences counted; words without a
            probability are left out.
        """
        found = self.score(sentences).perplexity
        if np.isnan(found):
            raise ValueError("sentences: there is no word to score; give at least one sentence")
        return found

    def save(self, path: str | PathLike) -> None:
        """Write the model as an npz file without pickle, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        header = {"format": FORMAT, "version": VERSION, "counts": self.counts, "info": self.info}
        arrays = {name: getattr(self.trie, name) for name in Trie.__dataclass_fields__}
        texts = {"header": head_text(header), "vocabulary": "\n".join(self.vocabulary)}
        for name, text in texts.items():
            arrays[name] = pack_text(text)
        write_npz(path, arrays, compressed=len(self.trie.word) < COMPRESSED_BELOW)

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read a model that ``save`` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        LanguageModel
            The model. Its maxima (eq. 8) are computed from its probabilities again, whatever the file says of them:
            proofs of ARS do not rest on numbers from a file.

        Raises
        ------
        ValueError
            The file is missing, is no language model or is damaged.
        """
        remedy = "save it again with `rcmviz lm train` or LanguageModel.save"
        arrays = read_npz(path, "language model", remedy)
        with check_parts(path, "language model of rcmviz", remedy):
            header = read_head(arrays["header"], FORMAT, VERSION)
            words = tuple(unpack_text(arrays["vocabulary"]).split("\n"))
            index = {name: i for i, name in enumerate(words)}
            if len(index) < len(words):
                raise ValueError(_repeated_ngram(words))
            trie = checked_trie(arrays, len(words), index.get(BEGIN, -1), index.get(END, -1))
            return cls(words, trie, _counts(header["counts"]), dict(header["info"]))

    def write_arpa(self, path: str | PathLike, max_backoff: bool = False) -> None:
        """Write the model as an ARPA file.

        Parameters
        ----------
        path : str or path
            The file, gzip where its name ends in ``.gz``.
        max_backoff : bool
            Add the columns of a MAX-ARPA file (Carter, Dymetman and Bouchard, 2012, eq. 8).
        """
        from rcmviz.lm.arpa_write import write_arpa

        write_arpa(self, path, max_backoff)


def _refuse_edges(ids, offset, begin, end, closed):
    """ValueError for a sentence that holds what stands around it."""
    inside = np.isin(ids, [edge for edge in (begin, end) if edge >= 0])
    inside[offset[:-1]] = False
    if closed:
        inside[offset[1:] - 1] = False
    if inside.any():
        place = int(np.argmax(inside))
        mark = BEGIN if ids[place] == begin else END
        number = int(np.searchsorted(offset, place, side="right"))
        raise ValueError(f"sentence {number}: {mark} is put around every sentence anyway; take it out")


def _check_table(order, table, vocabulary):
    """ValueError unless this is a table of this order over the vocabulary."""
    if table.order != order:
        raise ValueError(f"the table of order {order} has n-grams of {table.order} words")
    foreign = table.words[(table.words < 0) | (table.words >= len(vocabulary))]
    if len(foreign):
        raise ValueError(f"order {order}: the id {foreign[0]} is outside the vocabulary of {len(vocabulary)} words")
    for name in ("log_prob", "back_off"):
        bad = np.flatnonzero(~(getattr(table, name) < np.inf))
        if len(bad):
            found = f"{_ngram_text(table, bad[0], vocabulary)!r} has the {name} {getattr(table, name)[bad[0]]}"
            raise ValueError(f"order {order}: {found}; use a number or -inf")


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
        raise ValueError(f"order {table.order}: {_ngram_text(table, ranked[again[0]], vocabulary)!r} is listed twice")


def _ngram_text(table, row, vocabulary):
    return " ".join(vocabulary[word] for word in table.words[row])


def _repeated_ngram(vocabulary):
    return f"the word {first_repeated(vocabulary)!r} is in the vocabulary twice"


def _counts(given):
    return tuple(checks.whole("counts", count, 0) for count in given)
