"""A tagger that is a Markov field over tags and words together, with features of the words (K = 1)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.builders.build import exact
from rcmviz.core.inference import infer
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.core.shared.npz import (
    check_parts,
    head_text,
    join_precision,
    pack_text,
    read_head,
    read_npz,
    split_precision,
    write_npz,
)
from rcmviz.evaluation.tagging import TagAccuracy, tag_accuracy
from rcmviz.lm.english import treebank_words
from rcmviz.lm.hmm import HMM
from rcmviz.mrf.decoding import FieldScores
from rcmviz.mrf.lbfgs import LBFGS
from rcmviz.mrf.potentials import FullRank
from rcmviz.mrf.tag_features import FeatureTable, features_of
from rcmviz.mrf.tag_training import OFFSETS, TagObjective, count_tags
from rcmviz.mrf.vocabulary import SEPARATOR, Vocabulary

FORMAT, VERSION = "rcmviz/field-tagger", 1
REMEDY = "train it again, or copy it again from where it came"
ARRAYS = {"pairs": 2, "nodes": 1, "weights": 3, "tag_counts": 1}  # in a file, with their dimensions


class Reason(NamedTuple):
    """A feature of a word near the tagged one, ``offset`` words on, and its weight in nats."""

    offset: int
    feature: str
    weight: float


class FieldTagger(CopyableMixin, BaseEstimator):
    """Part-of-speech tagger: a Markov field over tags and words, learnt by their joint likelihood.

    Parameters
    ----------
    window : {1, 2, 3}
        L: a tag sees its word; the word before too; the word behind as well.
    l2 : float
        Weight of ½ l2 Σ of the squared weights against the log-likelihood of the whole text.
    rare : int
        A word that occurs more often is a feature itself.
    least : int
        Different words that a feature occurs in, at least.
    dictionary : bool
        Offer a word of the training text only the tags that it has there.
    max_steps : int
        Most steps of L-BFGS.
    tolerance : float
        A step that gains less, relatively, is the last.
    verbose : int
        Steps between two printed lines; 0 prints none.

    Attributes
    ----------
    classes_ : tuple of str
        The tags.
    features_ : FeatureTable
        The features by number.
    pairs_ : ndarray of shape (S, S)
        Edges between neighbouring tags; number 0 is the separator of sentences, t + 1 is ``classes_[t]``.
    nodes_ : ndarray of shape (S,)
        Nodes of tags.
    weights_ : ndarray of shape (L, S, P)
        Weight of each feature for each tag, by offset of the word.
    words_ : dict
        The words of the training text, and the tags that each has there.
    history_ : tuple of dict
        Objective in nats per token after each step.
    info_ : dict
        Where the tagger comes from.

    Notes
    -----
    Edges θ(t_i, t_{i+1}) and U^m f(t_i, w_{i+m}), features f of Jernite, Rush and Sontag (2015), §6, a free node for
    each word. log Z is bounded by one forest per offset of the window, a ring of tags with a leaf on each; that is
    exact where a tag sees one word.

    Examples
    --------
    >>> import rcmviz as rv
    >>> X, y = [["the", "dog", "barks"], ["a", "cat", "sees"]], [["D", "N", "V"], ["D", "N", "V"]]
    >>> rv.FieldTagger().fit(X, y).predict([["the", "cat", "barks"]])
    [['D', 'N', 'V']]
    """

    def __init__(
        self,
        window: int = 1,
        *,
        l2: float = 1.0,
        rare: int = 5,
        least: int = 2,
        dictionary: bool = True,
        max_steps: int = 400,
        tolerance: float = 1e-7,
        verbose: int = 0,
    ):
        self.window, self.l2, self.rare, self.least, self.dictionary = window, l2, rare, least, dictionary
        self.max_steps, self.tolerance, self.verbose = max_steps, tolerance, verbose

    def fit(
        self, X: Sequence[Sequence[str]], y: Sequence[Sequence[str]], *, progress: Callable[[dict], Any] | None = None
    ) -> Self:
        """Learn from tagged sentences.

        Parameters
        ----------
        X : sequence of sequences of str
            The words of each sentence.
        y : sequence of sequences of str
            Their tags.
        progress : callable, optional
            Called with the numbers of every step; where it returns False, learning ends there.

        Returns
        -------
        FieldTagger
            The tagger itself.

        Raises
        ------
        ValueError
            A setting is out of range, or sentences and tags do not fit together.
        """
        self._check_settings()
        if progress is not None:
            checks.function("progress", progress)
        sentences = _check_tagged(X, y)
        counts = Counter(word for words, _ in sentences for word in words)
        tags = (SEPARATOR, *sorted({tag for _, names in sentences for tag in names}))
        words = (SEPARATOR, *counts)
        tag_number, word_number = ({name: k for k, name in enumerate(names)} for names in (tags, words))
        moments = count_tags(sentences, tag_number, word_number, self.window)
        features = FeatureTable.learn(words, (word for word in counts if counts[word] > self.rare), self.least)
        seen: dict[str, set] = {}
        for names, golds in sentences:
            for word, tag in zip(names, golds, strict=True):
                seen.setdefault(word, set()).add(tag)
        objective = TagObjective(moments, features.rows(words), self.l2)
        parts = objective.split(self._minimise(objective, progress))
        words_ = {word: tuple(sorted(found)) for word, found in seen.items()}
        self.info_: dict = {}
        return self._set_result(
            tags, features, parts.pairs, parts.tags, parts.weights, moments.pairs.sum(axis=1), words_
        )

    def _check_settings(self):
        if self.window not in OFFSETS:
            raise ValueError(f"window {self.window!r}: choose 1, 2 or 3 words")
        checks.non_negative("l2", self.l2)
        checks.non_negative("tolerance", self.tolerance)
        checks.whole("rare", self.rare, 0)
        checks.whole("least", self.least, 1)
        checks.whole("max_steps", self.max_steps, 1)
        checks.switch("dictionary", self.dictionary)

    def _minimise(self, objective, progress):
        optimiser = LBFGS(objective, objective.first(), memory=6)
        history = [{"step": 0, "objective": -optimiser.value}]
        for step in range(1, self.max_steps + 1):
            before = optimiser.value
            if not optimiser.step():
                break
            history.append({"step": step, "objective": -optimiser.value})
            if self.verbose and step % self.verbose == 0:
                print(f"step {step} of {self.max_steps}: {-optimiser.value:.4f} nats per token")
            is_last = before - optimiser.value <= self.tolerance * max(1.0, abs(before))
            if (progress is not None and progress(history[-1]) is False) or is_last:
                break
        self.history_ = tuple(history)
        return optimiser.x

    def _set_result(self, tags, features, pairs, nodes, weights, tag_counts, words):
        self.classes_, self.features_, self.words_ = tags[1:], features, words
        self.pairs_, self.nodes_, self.weights_, self.tag_counts_ = pairs, nodes, weights, tag_counts
        self.__dict__.pop("_transitions", None)
        return self

    def split(self, text: str) -> list[str]:
        """Split a text into words as the English Web Treebank does; the calls that tag take words.

        Parameters
        ----------
        text : str
            A sentence.

        Returns
        -------
        list of str
            Its words.
        """
        return treebank_words(checks.text("text", text))

    def knows(self, word: str) -> bool:
        """Whether a word is in the training text as it is written.

        Parameters
        ----------
        word : str
            The word.

        Returns
        -------
        bool
            True for a known word.
        """
        check_is_fitted(self, "weights_")
        return checks.text("word", word) in self.words_

    def tag_scores(self, words: Sequence[str]) -> np.ndarray:
        """Log scores of the tags of a sentence by their words, edges between tags apart.

        Parameters
        ----------
        words : sequence of str, length T
            The sentence.

        Returns
        -------
        ndarray of shape (T, S − 1)
            Scores in nats in order of ``classes_``, up to a constant per sentence.

        Raises
        ------
        ValueError
            It has no words, or one is empty.
        """
        check_is_fitted(self, "weights_")
        rows = self.features_.rows([SEPARATOR, *_sentence(words), SEPARATOR])
        total = self.nodes_ + np.zeros((len(words), 1))
        for offset, weights in zip(OFFSETS[self.window], self.weights_, strict=True):
            total += (rows @ weights.T)[1 + offset : 1 + offset + len(words)]
        return total[:, 1:]

    def hmm(self, words: Sequence[str]) -> HMM:
        """The tags of a sentence, as all builders take them.

        Parameters
        ----------
        words : sequence of str
            The sentence.

        Returns
        -------
        HMM
            Candidate tags with their scores under the edges of the field, not normalised.

        Raises
        ------
        ValueError
            It has no words, or one is empty.
        """
        scores = self.tag_scores(words)
        place = {tag: t for t, tag in enumerate(self.classes_)}
        offered = [self.words_.get(word, self.classes_) if self.dictionary else self.classes_ for word in words]
        log_obs = [row[[place[tag] for tag in tags]] for row, tags in zip(scores, offered, strict=True)]
        return HMM(self._transitions, offered, log_obs)

    @cached_property
    def _transitions(self):
        nothing = np.zeros(len(self.nodes_))  # nodes are part of the emissions
        vocabulary = Vocabulary((SEPARATOR, *self.classes_))
        columns = [self.classes_] * 2
        return FieldScores(vocabulary, FullRank(nothing, self.pairs_[None]), self.tag_counts_, columns)

    def predict(self, X: Sequence[Sequence[str]]) -> list[list[str]]:
        """Best tags of sentences, exact.

        Parameters
        ----------
        X : sequence of sequences of str
            The words of each sentence.

        Returns
        -------
        list of list of str
            One tag per word.
        """
        found = []
        for number, words in enumerate(checks.as_list("X", X, "a list of sentences"), start=1):
            path = infer.viterbi(exact(self.hmm(_sentence(words, number)), record=False)[0])
            found.append(list(path.labels[: len(words)]))
        return found

    def accuracy(self, X: Sequence[Sequence[str]], y: Sequence[Sequence[str]]) -> TagAccuracy:
        """Accuracy of tags, for known and unknown words.

        Parameters
        ----------
        X : sequence of sequences of str
            The words of each sentence.
        y : sequence of sequences of str
            Their tags.

        Returns
        -------
        TagAccuracy
            Shares, NaN of no words.
        """
        sentences = _check_tagged(X, y)
        right, known = [], []
        for (words, gold), tags in zip(sentences, self.predict([words for words, _ in sentences]), strict=True):
            right += [tag == wanted for tag, wanted in zip(tags, gold, strict=True)]
            known += [self.knows(word) for word in words]
        return tag_accuracy(right, known)

    def score(self, X: Sequence[Sequence[str]], y: Sequence[Sequence[str]]) -> float:
        """Share of right tags.

        Parameters
        ----------
        X : sequence of sequences of str
            The words of each sentence.
        y : sequence of sequences of str
            Their tags.

        Returns
        -------
        float
            The share, 0 to 1.
        """
        return self.accuracy(X, y).all

    def reasons(self, words: Sequence[str], position: int, tag: str) -> list[Reason]:
        """Evidence for and against a tag: the features around a word and their weights.

        Parameters
        ----------
        words : sequence of str
            The sentence.
        position : int
            Which word, from 0 on.
        tag : str
            A tag of ``classes_``.

        Returns
        -------
        list of Reason
            Offset of the word, its feature and the weight less that of the average tag, the largest first.

        Raises
        ------
        ValueError
            There is no such position or tag.
        """
        check_is_fitted(self, "weights_")
        line = [SEPARATOR, *_sentence(words), SEPARATOR]
        checks.whole("position", position, 0, len(words) - 1)
        t = 1 + self.classes_.index(checks.choice("tag", tag, self.classes_))
        names = {name: k for k, name in enumerate(self.features_.names)}
        found = []
        for offset, weights in zip(OFFSETS[self.window], self.weights_, strict=True):
            word = line[1 + position + offset]
            for name in features_of(word, word in self.features_.frequent):
                if name in names:
                    column = weights[1:, names[name]]
                    found.append(Reason(offset, name, float(weights[t, names[name]] - column.mean())))
        return sorted(found, key=lambda reason: -abs(reason.weight))

    def save(self, path: str | PathLike, info: Mapping | None = None) -> None:
        """Write the tagger as npz without pickle, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file.
        info : mapping, optional
            Where the tagger comes from.
        """
        check_is_fitted(self, "weights_")
        info = self.info_ if info is None else checks.as_dict("info", info)
        head = {
            "format": FORMAT,
            "version": VERSION,
            "settings": self.get_params(),
            "tags": self.classes_,
            "features": self.features_.names,
            "words": {word: list(tags) for word, tags in self.words_.items()},
            "frequent": sorted(self.features_.frequent),
            "info": info,
            "history": list(self.history_),
        }
        arrays = split_precision({name: getattr(self, f"{name}_") for name in ARRAYS})
        write_npz(path, {"head": pack_text(head_text(head))} | arrays, compressed=True)

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read what ``save`` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        FieldTagger
            The tagger.

        Raises
        ------
        ValueError
            The file is none of a tagger or is damaged; the message names it and its fault.
        """
        arrays = read_npz(path, "tagger", REMEDY)
        with check_parts(path, "tagger of a field", REMEDY):
            return _from_parts(cls, read_head(arrays["head"], FORMAT, VERSION), arrays)


def _from_parts(kind, head, arrays):
    tagger = kind(**{name: value for name, value in head["settings"].items() if name in kind._get_param_names()})
    tagger._check_settings()
    tags, features = (SEPARATOR, *head["tags"]), FeatureTable(head["features"], head["frequent"])
    size = len(tags)
    shapes = {
        "pairs": (size, size),
        "nodes": (size,),
        "weights": (len(OFFSETS[tagger.window]), size, len(features)),
        "tag_counts": (size,),
    }
    for name, shape in shapes.items():
        if (
            arrays[name].shape != shape
            or arrays[name].dtype != np.float32
            or not (np.abs(join_precision(arrays, name)) <= checks.LARGEST).all()
        ):
            raise ValueError(f"{name}: expected {shape} finite numbers in single precision")
    words = {word: tuple(found) for word, found in head["words"].items()}
    if not all(found and set(found) <= set(tags[1:]) for found in words.values()):
        raise ValueError("a word has an unknown tag")
    parts = [join_precision(arrays, name) for name in ARRAYS]
    tagger.history_, tagger.info_ = tuple(head.get("history", ())), checks.as_dict("info", head["info"])
    return tagger._set_result(tags, features, *parts, words)


def _sentence(words, number=None):
    is_list = checks.is_iterable(words) and not isinstance(words, str) and hasattr(words, "__len__")
    if not is_list or not len(words) or not all(isinstance(word, str) and word for word in words):
        place = "" if number is None else f"sentence {number} is {words!r:.60}: "
        raise ValueError(f"{place}give a sentence as a list of words, at least one and none of them empty")
    return words


def _check_tagged(X, y):
    """Pairs (words, tags), checked."""
    X, y = checks.as_list("X", X, "a list of sentences"), checks.as_list("y", y, "a list of tag sequences")
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} sentences, y has {len(y)}; give one list of tags per sentence")
    for number, (words, tags) in enumerate(zip(X, y, strict=True), start=1):
        _sentence(words, number)
        is_list = checks.is_iterable(tags) and not isinstance(tags, str) and hasattr(tags, "__len__")
        if not is_list or len(tags) != len(words):
            raise ValueError(f"sentence {number} has {len(words)} words, but its tags are {tags!r:.60}: give one each")
        if SEPARATOR in words or SEPARATOR in tags:
            raise ValueError(f"sentence {number}: {SEPARATOR} stands between sentences by itself; take it out")
    if not X:
        raise ValueError("there are no sentences to learn from; give at least one")
    return list(zip(X, y, strict=True))
