"""A field as a scorer of candidate words, so that exact inference, beam, RCMS and adaptive rejection decode with it.

The score of y after the words … u_2 u_1 is θ⁰(y) + Σ_l θ_l(u_l, y), with separators before the first word; `</s>`
scores the edges to the K separators behind. Summed along a sentence that is its log weight, whose normaliser is
``Sentences.log_z``. Exact inference, beam and RCMS ask for the rows of the contexts that they have, so there may be any
number of candidates. Adaptive rejection needs a bound of what it has not seen: all scores between candidates of
neighbouring positions become n-grams of order K + 1 in a back-off table, as language models are, once it asks.

A context that forgot the words beyond l = k scores with what they weigh on average, log Σ_u p(u) e^{θ_l(u, y)} with the
words' frequencies p, for every l > k: so for the roots of beam and RCMS. Adaptive rejection takes the maximum over
the candidates instead, as of every table (eq. 8 of Carter, Dymetman and Bouchard, 2012).
"""

from functools import cached_property, lru_cache

import numpy as np

from rcmviz.core.builders.build import beam
from rcmviz.core.inference.infer import viterbi
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.lm.hmm import HMM
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN, LanguageModel
from rcmviz.lm.table import NgramTable
from rcmviz.mrf.reach import chains_of, reachable_candidates

MOST_NGRAMS = 4_000_000  # of a table
BUDGET = 100  # of the beam whose sentence is held against the bounds
NEVER = -1e3  # of `<s>`, which is a history and never predicted


def candidates_hmm(
    vocabulary, potentials, counts, candidates, log_obs=None, end=True, temperature=1.0, best_only=False
):
    """The HMM of some candidates per position; ``log_obs`` 0 by default · ``best_only`` leaves out candidates that the
    best sentence provably has not.

    ValueError for a candidate that is not known, if there is no ``<unk>``.
    """
    columns = checks.as_list("candidates", candidates, "a list of words per position")
    candidates = [checks.as_list(f"candidates of position {i}", one, "words") for i, one in enumerate(columns, start=1)]
    log_obs = [np.zeros(len(column)) for column in candidates] if log_obs is None else log_obs
    scores = FieldScores(vocabulary, potentials, counts, candidates)
    hmm = HMM(scores, candidates, log_obs, end, temperature)
    if not checks.switch("best_only", best_only):
        return hmm
    kept = _reachable_candidates(hmm)
    candidates = [[column[k] for k in places] for column, places in zip(hmm.candidates, kept, strict=True)]
    log_obs = [column[places] for column, places in zip(hmm.log_obs, kept, strict=True)]
    return HMM(FieldScores(vocabulary, potentials, counts, candidates), candidates, log_obs, end, temperature)


def _reachable_candidates(hmm):
    """Places of the candidates that the best sentence can have, by a sentence that a beam finds."""
    kept = [np.flatnonzero(column > -np.inf) for column in hmm.log_obs]
    if not all(map(len, kept)):  # no sentence is possible, as whoever decodes will say
        return [np.arange(len(column)) for column in hmm.log_obs]
    found = viterbi(beam(hmm, budget=BUDGET, record=False)[0]).log_score
    columns = [hmm.lm.numbers[hmm.lm.ids(column)][places] for column, places in zip(hmm.candidates, kept, strict=True)]
    log_obs = [column[places] for column, places in zip(hmm.log_obs, kept, strict=True)]
    chains = chains_of(hmm.lm.scores, columns, log_obs, hmm.end, hmm.temperature)
    return [places[near] for places, near in zip(kept, reachable_candidates(chains, found), strict=True)]


class _Scores(CopyableMixin):
    """Scores of words by their numbers in the field; the end of a sentence is number −1."""

    def __init__(self, potentials, counts):
        self.potentials, self.order, self.size = potentials, potentials.order, potentials.size
        frequency = np.array(counts, np.float64)
        frequency[0] = 0.0
        with np.errstate(divide="ignore"):
            self.log_frequency = np.log(frequency / frequency.sum())

    def node(self, right):
        """θ⁰ (w,) of words, 0 of the end."""
        return np.zeros(1) if right[0] < 0 else np.asarray(self.potentials.node, np.float64)[right]

    def edge(self, back, left, right):
        """θ_l (v, w) of words l = ``back`` apart; behind the end stand K separators, of which the first is meant."""
        if right[0] >= 0:
            return np.asarray(self.potentials.edges(back, left, right), np.float64)
        distances = range(back, self.order + 1)
        total = sum(np.asarray(self.potentials.edges(far, left, [0]), np.float64) for far in distances)
        return np.where(np.equal(left, 0)[:, None], 0.0, total)

    def averages(self, right):
        """Weights of forgotten words, (K, w): a row per distance."""
        return self._averages(tuple(right.tolist()))

    @cached_property
    def _averages(self):
        distances = range(1, self.order + 1)
        return lru_cache(64)(lambda right: np.array([self._average_edge(back, list(right)) for back in distances]))

    def _average_edge(self, back, right):
        """log Σ_u p(u) e^{θ_l(u, y)} (w,) of a forgotten word."""
        scores = self.edge(back, np.arange(self.size), right) + self.log_frequency[:, None]
        highest = scores.max(axis=0)
        return highest + np.log(np.exp(scores - highest).sum(axis=0))


class FieldScores(LanguageModel):
    """The scores between the candidates of neighbouring positions, asked as a language model is; no probabilities.

    A word of it is a candidate, `<s>`, `</s>` or `<unk>`. The n-grams of its ``trie``, single precision as all of them,
    are made on first use: ValueError if there are too many.
    """

    def __init__(self, vocabulary, potentials, counts, candidates):
        put = object.__setattr__  # frozen, as all language models
        put(self, "scores", _Scores(potentials, counts))
        numbers = [vocabulary.ids(column) for column in candidates]
        names = [
            [UNKNOWN if number == vocabulary.unknown else word for word, number in zip(column, ids, strict=True)]
            for column, ids in zip(candidates, numbers, strict=True)
        ]
        put(self, "vocabulary", (BEGIN, END, *dict.fromkeys(name for column in names for name in column)))
        put(self, "info", {"kind": "scores of a field, not normalised"})
        local = [self.ids(column) for column in names]
        put(self, "columns", [_distinct(*pair) for pair in zip(local, numbers, strict=True)])
        number = np.full(len(self.vocabulary), -1)
        number[0] = 0
        for here, ids in self.columns:
            number[here] = ids
        put(self, "numbers", number)

    def __repr__(self):
        return f"<FieldScores: order {self.order}, {len(self.vocabulary):,} words>"  # without its n-grams

    @property
    def order(self):
        """K + 1."""
        return self.scores.order + 1

    is_positive = True  # potentials are finite

    def log_rows(self, histories, words, scale=1.0):
        """The method of language models, from the potentials, rounded as the table is."""
        there = words >= 0
        right = self.numbers[words[there]]
        lefts, known = self._left_context(histories)
        average = self.scores.averages(right)
        beyond = np.array([average[k:].sum(axis=0) for k in range(self.order)])
        total = self.scores.node(right) + beyond[known]
        for back in range(1, self.order):
            seen = known >= back
            left, place = np.unique(lefts[seen, -back], return_inverse=True)
            if len(left):
                total[seen] += self.scores.edge(back, left, right)[place]
        rows = np.full((len(histories), len(words)), -np.inf)
        rows[:, there] = total.astype(np.float32) * scale
        return rows

    def _left_context(self, histories):
        """Numbers (R, K) in the field of the words of histories, the last one rightmost, separators before the first;
        how many of them each remembers (R,).
        """
        count, order = len(histories), self.order - 1
        lefts = np.full((count, order), -1)
        begun = np.zeros(count, bool)
        for back in range(1, order + 1):
            here = histories[:, -back] if back <= histories.shape[1] else np.full(count, -1)
            begun |= here == self.begin
            lefts[:, -back] = np.where(begun, 0, np.where(here >= 0, self.numbers[here], -1))
        return lefts, (lefts >= 0).sum(axis=1)

    def score_words(self, ids, offset):
        """The method of language models, without a table."""
        words, offset = self._check_ids("ids", ids), checks.offsets("offset", offset, len(ids))
        found = np.zeros(len(words))
        for start, stop in zip(offset[:-1].tolist(), offset[1:].tolist(), strict=True):
            for at in range(start + 1, stop):
                history = words[max(start, at + 1 - self.order) : at]
                found[at] = self.log_rows(history[None], words[at : at + 1])[0, 0]
        return found

    @cached_property
    def _table(self):
        self._check_size()
        return LanguageModel.from_tables(self.vocabulary, self._tables())

    @property
    def trie(self):
        """The n-grams."""
        return self._table.trie

    @property
    def counts(self):
        """The number of n-grams, by order."""
        return self._table.counts

    def _check_size(self):
        widths, order = [len(local) for local, _ in self.columns], self.order - 1
        ngrams = number_of_ngrams(widths, order)
        if ngrams > MOST_NGRAMS:
            widest, most = int(np.argmax(widths)), widest_of(widths, order, MOST_NGRAMS)
            raise ValueError(
                f"the candidates make {ngrams:.2g} n-grams of order {self.order}, and bounds of all of them are needed "
                f"here, at most {MOST_NGRAMS:,}: ask for the best sentence only, field.hmm(…, best_only=True), which "
                f"leaves out what cannot be in it; or offer at most {most:,} candidates at a position, those with the "
                f"best log_obs or the likeliest of fill() (position {widest + 1} has {widths[widest]:,}); or decode "
                "with beam or RCMS"
            )

    def _tables(self):
        """An ``NgramTable`` per order."""
        order = self.order - 1
        found = [[] for _ in range(order + 1)]
        ends = [*self.columns, (np.array([1]), np.array([-1]))]
        for i, column in enumerate(ends):
            average = self.scores.averages(column[1])
            for known in range(min(i, order) + 1):
                found[known].append(self._ngrams(ends[i - known : i + 1], average[known:].sum(axis=0), False))
            if i < order:
                found[i + 1].append(self._ngrams(ends[: i + 1], 0.0, True))
        found[0].append((np.array([[0]]), np.array([NEVER])))
        return [_table(parts) for parts in found]

    def _ngrams(self, columns, beyond, begins):
        """(n-grams (M, k), their scores) of neighbouring columns; ``beyond`` is what forgotten words weigh."""
        *history, (_, right) = columns
        shape = tuple(len(local) for local, _ in columns)
        total = np.zeros(shape) + self.scores.node(right) + beyond
        for back, (_, left) in enumerate(reversed(history), start=1):
            widths = [1] * len(shape)
            widths[-1 - back], widths[-1] = len(left), len(right)
            total += self.scores.edge(back, left, right).reshape(widths)
        if begins:
            for back in range(len(history) + 1, self.order):
                total += self.scores.edge(back, np.array([0]), right)[0]
        grid = np.meshgrid(*(local for local, _ in columns), indexing="ij")
        ngrams = np.stack([places.ravel() for places in grid], axis=1)
        if begins:
            ngrams = np.column_stack([np.zeros(len(ngrams), ngrams.dtype), ngrams])
        return ngrams, total.ravel()


def number_of_ngrams(widths, order):
    """N-grams of order K + 1 between neighbouring columns of ``widths`` candidates, a float as it may be huge.

    >>> number_of_ngrams([2, 3, 4], 1)
    20.0
    """
    padded = [1] * order + list(widths)
    return float(sum(np.prod(padded[i : i + order + 1], dtype=float) for i in range(len(widths))))


def widest_of(widths, order, most):
    """The most candidates at a position that leave at most ``most`` n-grams.

    >>> widest_of([2, 3_000, 3_000], 1, 4_000_000)
    1998
    """
    low, high = 1, max(widths)
    while low < high:
        middle = (low + high + 1) // 2
        fits = number_of_ngrams([min(width, middle) for width in widths], order) <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def _distinct(local, numbers):
    """Each word once: several unknown candidates are one word."""
    first = np.unique(local, return_index=True)[1]
    return local[first], np.asarray(numbers)[first]


def _table(parts):
    """The n-grams of one order, each once: n-grams met at two places score the same."""
    if not parts:
        return NgramTable(np.zeros((0, 1), np.int32), np.zeros(0))
    ngrams, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = np.lexsort(ngrams.T[::-1])
    same = np.array([False, *(ngrams[kept][1:] == ngrams[kept][:-1]).all(axis=1)])
    return NgramTable(ngrams[kept][~same], scores[kept][~same])
