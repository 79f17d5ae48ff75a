"""Queries of a field: likelihood of a text, words for a blank, similar words, draws, candidates."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.shared import checks
from rcmviz.lm.hmm import HMM
from rcmviz.lm.text import check_words, splitter, words_after, words_before
from rcmviz.mrf import draws
from rcmviz.mrf.chain_bound import ChainBound
from rcmviz.mrf.decoding import candidates_hmm
from rcmviz.mrf.moments import moments_of
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.reference import SentenceModel, ring_log_z
from rcmviz.mrf.star import star_bound
from rcmviz.mrf.vocabulary import SEPARATOR, Vocabulary, encode

Sentence = str | Sequence[str]
Text = PathLike | Iterable[Sentence]
KINDS = ("star", "chain", "ring")


class FieldInference:
    """A field that has been learnt: ``vocabulary_``, ``potentials_``, ``delta_`` and ``counts_`` are there."""

    vocabulary_: Vocabulary
    potentials_: FullRank | LowRank
    delta_: np.ndarray
    counts_: np.ndarray

    def split(self, text: str) -> list[str]:
        """Split a text as the text that was learnt from was split.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            Its words, or other ``units``.
        """
        check_is_fitted(self, "vocabulary_")
        return splitter(self.vocabulary_.units)(checks.text("text", text))

    # How likely

    def log_prob(self, sentence: Sentence) -> float:
        """Log probability of a sentence among all sentences of its length.

        Parameters
        ----------
        sentence : str or sequence of str
            The text, or its words.

        Returns
        -------
        float
            In nats; exact.

        Raises
        ------
        ValueError
            It has no words, a word is unknown and there is no ``<unk>``, or C^K is too large to sum over.
        """
        return float(self._exact().log_prob(self._ids(sentence)))

    def score(self, sentences: Text, y: None = None) -> float:
        """Mean exact log probability of sentences.

        Parameters
        ----------
        sentences : path or iterable
            Sentences as for ``fit``.
        y : None
            Ignored.

        Returns
        -------
        float
            Nats per token; separators are counted, so that it can be compared with ``bound``, which is never above it.

        Raises
        ------
        ValueError
            As for ``log_prob``.
        """
        corpus, exact = self._encode_sentences(sentences), self._exact()
        total = sum(exact.log_prob(ids) for ids in corpus.sentences())
        return float(total) / (len(corpus.ids) + self.potentials_.order * len(corpus))

    def bound(self, sentences: Text, kind: str = "star") -> float:
        """Lower bound on the log-likelihood of a text as a ring.

        Parameters
        ----------
        sentences : path or iterable
            Sentences as for ``fit``.
        kind : {"star", "chain", "ring"}
            The star bound at the messages that were learnt; the tightest chain bound; or no bound but the ring's exact
            log-likelihood (by the largest eigenvalue, its limit for long texts, if there are many words).

        Returns
        -------
        float
            Nats per token, separators counted.

        Raises
        ------
        ValueError
            The kind is none, the text is empty or shorter than 2K + 1 tokens, or there are too many words for the kind.

        Notes
        -----
        Jernite, Rush and Sontag (2015), eq. 6 and 15, Lemma 1; the chain bound is ours: one structure of cycles per
        distance, weight 1/K each, and the trace of a matrix power.
        """
        checks.choice("kind", kind, KINDS)
        check_is_fitted(self, "potentials_")
        moments = moments_of(sentences, self.vocabulary_, self.potentials_.order)
        data, _ = self.potentials_.data_term(moments, gradient=False)
        return float(data - self.log_z(moments.tokens, kind))

    def log_z(self, tokens: int, kind: str = "star") -> float:
        """Upper bound on log Z of a ring, or log Z itself.

        Parameters
        ----------
        tokens : int
            N, the positions of the ring, more than 2K.
        kind : {"star", "chain", "ring"}
            As for ``bound``.

        Returns
        -------
        float
            Nats per token.

        Raises
        ------
        ValueError
            N is too small, or there are too many words for the kind.
        """
        checks.choice("kind", kind, KINDS)
        check_is_fitted(self, "potentials_")
        least = 2 * self.potentials_.order + 1
        checks.whole("tokens", tokens, least, wanted=f"a ring of order {least // 2} has {least} tokens or more")
        if kind == "star":
            return star_bound(self.potentials_, self.delta_, gradient=False).bound
        if kind == "chain":
            delta = ChainBound(self.potentials_, tokens, "asymptotic").tighten().delta
            return ChainBound(self.potentials_, tokens).at(delta).bound
        return float(ring_log_z(self.potentials_, tokens)[0])

    def _exact(self):
        check_is_fitted(self, "potentials_")
        return self._sentence_model

    @cached_property
    def _sentence_model(self):
        return SentenceModel(self.potentials_)

    def _ids(self, sentence):
        check_is_fitted(self, "potentials_")
        return encode([sentence], self.vocabulary_, "the sentence has no words; give at least one").ids

    def _encode_sentences(self, sentences):
        check_is_fitted(self, "potentials_")
        return encode(sentences, self.vocabulary_)

    # What stands where

    def conditional(self, left: Sentence, right: Sentence) -> np.ndarray:
        """Probability of every word in a blank, given the words before and after it.

        Parameters
        ----------
        left : str or sequence of str
            The text or the words before the blank; the last K words count. Fewer stand at the sentence's beginning.
        right : str or sequence of str
            The text or the words after it; the first K words count. Fewer stand at its end.

        Returns
        -------
        ndarray of shape (C,)
            Probabilities in order of ``words``, 0 for the separator.

        Raises
        ------
        ValueError
            A neighbour is unknown and there is no ``<unk>``.
        """
        scores = np.array(self.potentials_.node, np.float64) + self.edge_scores(left, right).sum(axis=(0, 1))
        scores[0] = -np.inf
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()

    def edge_scores(self, left: Sentence, right: Sentence) -> np.ndarray:
        """Log scores of the edges between every word in a blank and its neighbours.

        Parameters
        ----------
        left : str or sequence of str
            The words before the blank, as for ``conditional``.
        right : str or sequence of str
            The words after it.

        Returns
        -------
        ndarray of shape (2, K, C)
            Of the neighbour l before (row 0) and l behind (row 1) at place l − 1, for each word in the blank.
        """
        check_is_fitted(self, "potentials_")
        order, units = self.potentials_.order, self.vocabulary_.units
        left, right = words_before("left", left, units), words_after("right", right, units)
        before = ([0] * order + self._neighbour_ids("left", left))[-order:]
        behind = self._neighbour_ids("right", right) + [0] * order
        found = np.empty((2, order, len(self.vocabulary_)))
        for back in range(1, order + 1):
            found[0, back - 1] = self.potentials_.edges(back, left=[before[-back]])[0]
            found[1, back - 1] = self.potentials_.edges(back, right=[behind[back - 1]])[:, 0]
        return found

    def _neighbour_ids(self, name, words):
        check_words(name, words)
        if SEPARATOR in words:
            raise ValueError(f"{SEPARATOR} stands at the edges of a sentence by itself: leave it out")
        return self.vocabulary_.ids(words).tolist()

    def fill(self, left: Sentence, right: Sentence, k: int = 10) -> list[tuple[str, float]]:
        """The k most probable words in a blank.

        Parameters
        ----------
        left : str or sequence of str
            The words before the blank, as for ``conditional``.
        right : str or sequence of str
            The words after it.
        k : int
            How many, 1 or more.

        Returns
        -------
        list of (str, float)
            Words with their probabilities, the most probable first.
        """
        checks.whole("k", k, 1, wanted="ask for 1 word or more")
        p = self.conditional(left, right)
        best = [w for w in np.argsort(-p, kind="stable").tolist() if w > 0]
        return [(self.words[w], float(p[w])) for w in best[:k]]

    def hmm(
        self,
        candidates: Sequence[Sequence[str]],
        log_obs: Sequence[ArrayLike] | None = None,
        *,
        end: bool = True,
        temperature: float = 1.0,
        best_only: bool = False,
    ) -> HMM:
        """The field over candidate words, as all builders take it.

        Parameters
        ----------
        candidates : sequence of sequences of str, length L
            The words that each position can be.
        log_obs : sequence of array_like, optional
            Log probability in nats of what was observed, for each candidate; 0 by default.
        end : bool
            Score the edges to the separators behind the sentence too.
        temperature : float
            Divides the scores of the field.
        best_only : bool
            Leave out every candidate that a bound proves the best sentence has not. The best sentence stays the best,
            and its proof needs a smaller table; sums over sentences (log Z, posteriors, draws) miss the omitted ones.

        Returns
        -------
        HMM
            What ``rv.exact``, ``rv.beam``, ``rv.rcms`` and ``rv.ars_decode`` take. A sentence weighs e^score as in
            ``log_prob``, not normalised, in single precision.

        Raises
        ------
        ValueError
            The parts do not fit together, or a candidate is unknown and there is no ``<unk>``.

        Notes
        -----
        Exact inference, beam and RCMS score the contexts that they have, for any number of candidates. Adaptive
        rejection needs a table of all n-grams of candidates, at most four million, and raises ValueError for more,
        as for some 69 candidates at each of a dozen positions with K = 2.

        A context that has forgotten the word at distance l scores with its average weight, log Σ_u p(u) e^{θ_l(u, y)}
        by the words' frequencies; adaptive rejection bounds it by the maximum over the candidates.

        Examples
        --------
        >>> import rcmviz as rv
        >>> text = ["the cat sat", "the dog sat", "a dog ran"]
        >>> field = rv.MarkovField(size=None, order=2, rank=2, held_out=0.0, max_steps=30).fit(text)
        >>> best, _ = rv.ars_decode(field.hmm([["a", "the"], ["cat", "dog"], ["ran", "sat"]]))
        >>> best.words, best.gap
        (('the', 'dog', 'sat'), 0.0)
        """
        check_is_fitted(self, "potentials_")
        return candidates_hmm(
            self.vocabulary_, self.potentials_, self.counts_, candidates, log_obs, end, temperature, best_only
        )

    # Words as vectors

    @property
    def words(self) -> tuple[str, ...]:
        """The words by number, the separator first."""
        check_is_fitted(self, "vocabulary_")
        return self.vocabulary_.words

    @property
    def vectors(self) -> np.ndarray:
        """Vectors U of the words, shape (C, D); ValueError for a field of full rank, which has none."""
        check_is_fitted(self, "potentials_")
        if isinstance(self.potentials_, FullRank):
            raise ValueError("a field of full rank has no vectors: choose a rank, as in MarkovField(rank=30)")
        return self.potentials_.U

    def neighbours(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """The words whose vectors have the smallest angles with that of a word.

        Parameters
        ----------
        word : str
            A word of the vocabulary.
        k : int
            How many, 1 or more.

        Returns
        -------
        list of (str, float)
            Words with the cosine of their angle, the nearest first.

        Raises
        ------
        ValueError
            The word is not in the vocabulary, or the field is of full rank.
        """
        checks.whole("k", k, 1, wanted="ask for 1 word or more")
        vectors = self.vectors
        if word not in self.vocabulary_:
            raise ValueError(f"the word {word!r} is not among the {len(self.words) - 1:,} words of the model")
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
        here = int(self.vocabulary_.ids([word])[0])
        cosines = unit @ unit[here]
        best = [w for w in np.argsort(-cosines, kind="stable").tolist() if w not in (0, here)]
        return [(self.words[w], float(cosines[w])) for w in best[:k]]

    def sample(self, n: int = 1, length: int = 10, seed: int = 0, method: str = "auto") -> list[tuple[str, ...]]:
        """Draw sentences of a length.

        Parameters
        ----------
        n : int
            How many.
        length : int
            Words of each.
        seed : int
            Seed of the draws.
        method : {"auto", "exact", "gibbs"}
            Exact draws by summing over all sentences, which needs ``length`` · C^K numbers; Gibbs sampling, 200 sweeps
            from random words, which only comes close; or the first where it fits in memory.

        Returns
        -------
        list of tuple of str
            The sentences.

        Raises
        ------
        ValueError
            An argument is out of range, or exact draws do not fit in memory.
        """
        check_is_fitted(self, "potentials_")
        checks.whole("length", length, 1, checks.MAX_POSITIONS)
        checks.draws("n", n, length)
        checks.choice("method", method, ("auto", "exact", "gibbs"))
        exact = draws.can_be_exact(self.potentials_, length)
        if method == "exact" and not exact:
            raise ValueError(f"exact draws of {length} words do not fit in memory here; choose method='gibbs'")
        draw = draws.draw_by_gibbs if method == "gibbs" or not exact else draws.draw_exactly
        drawn = draw(self.potentials_, length, n, checks.generator(seed))
        return [tuple(self.words[w] for w in row) for row in drawn]
