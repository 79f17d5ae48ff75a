"""A field as a scorer of candidate words, so that exact inference, beam, RCMS and adaptive rejection decode with it.

The score of y after the words … u_2 u_1 is θ⁰(y) + Σ_l θ_l(u_l, y), with separators before the first word; `</s>`
scores the edges to the K separators behind. Summed along a sentence that is its log weight, whose normaliser is
``Sentences.log_z``. All scores between candidates of neighbouring positions become n-grams of order K + 1 in a back-
off table, as language models are: one table for every builder.

A context that forgot the words beyond l = k scores with what they weigh on average, log Σ_u p(u) e^{θ_l(u, y)} with the
words' frequencies p, for every l > k: so for the roots of beam and RCMS. Adaptive rejection takes the maximum over
the candidates instead, as of every table (eq. 8 of Carter, Dymetman and Bouchard, 2012).
"""

import numpy as np

from rcmviz.lm.hmm import HMM
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN, LanguageModel
from rcmviz.lm.table import NgramTable

MOST_NGRAMS = 4_000_000
NEVER = -1e3  # of `<s>`, which is a history and never predicted


def candidates_hmm(vocabulary, potentials, counts, candidates, log_obs=None, end=True, temperature=1.0):
    """The HMM of some candidates per position; ``log_obs`` 0 by default.

    ValueError for a candidate that is not known where there is no ``<unk>``, and for too many n-grams.
    """
    candidates = [list(column) for column in candidates]
    log_obs = [np.zeros(len(column)) for column in candidates] if log_obs is None else log_obs
    model = scores_as_model(vocabulary, potentials, counts, candidates)
    return HMM(model, candidates, log_obs, end, temperature)


def scores_as_model(vocabulary, potentials, counts, candidates):
    """The back-off table of the scores between the candidates of neighbouring positions, a ``LanguageModel``."""
    return _Table(vocabulary, _Scores(potentials, counts), candidates).language_model()


class _Scores:
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

    def on_average(self, back, right):
        """log Σ_u p(u) e^{θ_l(u, y)} (w,) of a forgotten word."""
        scores = self.edge(back, np.arange(self.size), right) + self.log_frequency[:, None]
        highest = scores.max(axis=0)
        return highest + np.log(np.exp(scores - highest).sum(axis=0))


class _Table:
    """The n-grams of the candidates; a word of the table is a candidate, `<s>`, `</s>` or `<unk>`."""

    def __init__(self, vocabulary, scores, candidates):
        self.scores, self.order = scores, scores.order
        numbers = [vocabulary.ids(column) for column in candidates]
        names = [
            [UNKNOWN if number == vocabulary.unknown else word for word, number in zip(column, ids, strict=True)]
            for column, ids in zip(candidates, numbers, strict=True)
        ]
        self.words = (BEGIN, END, *dict.fromkeys(name for column in names for name in column))
        place = {word: w for w, word in enumerate(self.words)}
        local = [np.array([place[name] for name in column]) for column in names]
        self.columns = [_distinct(*pair) for pair in zip(local, numbers, strict=True)]
        self._check_size()

    def _check_size(self):
        widths = [len(local) for local, _ in self.columns]
        ngrams = number_of_ngrams(widths, self.order)
        if ngrams > MOST_NGRAMS:
            widest, most = int(np.argmax(widths)), widest_of(widths, self.order, MOST_NGRAMS)
            raise ValueError(
                f"the candidates make {ngrams:.2g} n-grams of order {self.order + 1}, at most {MOST_NGRAMS:,}: offer "
                f"at most {most:,} candidates at a position, those with the best log_obs or the likeliest of fill() "
                f"(position {widest + 1} has {widths[widest]:,}), or decode in parts"
            )

    def language_model(self):
        """The table as a back-off model, single precision as all of them; its scores are no probabilities."""
        found = [[] for _ in range(self.order + 1)]
        ends = [*self.columns, (np.array([1]), np.array([-1]))]
        for i, column in enumerate(ends):
            average = np.array([self.scores.on_average(back, column[1]) for back in range(1, self.order + 1)])
            for known in range(min(i, self.order) + 1):
                found[known].append(self._ngrams(ends[i - known : i + 1], average[known:].sum(axis=0), False))
            if i < self.order:
                found[i + 1].append(self._ngrams(ends[: i + 1], 0.0, True))
        found[0].append((np.array([[0]]), np.array([NEVER])))
        tables = [_table(parts) for parts in found]
        return LanguageModel.from_tables(self.words, tables, {"kind": "scores of a field, not normalised"})

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
            for back in range(len(history) + 1, self.order + 1):
                total += self.scores.edge(back, np.array([0]), right)[0]
        grid = np.meshgrid(*(local for local, _ in columns), indexing="ij")
        ngrams = np.stack([places.ravel() for places in grid], axis=1)
        if begins:
            ngrams = np.column_stack([np.zeros(len(ngrams), ngrams.dtype), ngrams])
        return ngrams, total.ravel()


def number_of_ngrams(widths, order):
    """N-grams of order K + 1 between neighbouring columns of so many candidates, a float as it may be huge.

    >>> number_of_ngrams([2, 3, 4], 1)
    20.0
    """
    padded = [1] * order + list(widths)
    return float(sum(np.prod(padded[i : i + order + 1], dtype=float) for i in range(len(widths))))


def widest_of(widths, order, most):
    """The most candidates at a position with which there are no more than so many n-grams.

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
    """The n-grams of one order, each once: what is met at two places scores the same."""
    if not parts:
        return NgramTable(np.zeros((0, 1), np.int32), np.zeros(0))
    ngrams, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = np.lexsort(ngrams.T[::-1])
    same = np.array([False, *(ngrams[kept][1:] == ngrams[kept][:-1]).all(axis=1)])
    return NgramTable(ngrams[kept][~same], scores[kept][~same])
