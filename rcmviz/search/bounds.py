"""Upper bounds on what the rest of a sequence can add: backward maxima of a model of a shorter order.

Of a history only the last k labels are kept; an arc then weighs the most that it can weigh, whatever stands before
them. The best way through this smaller chain bounds the best way through the true one, and never rises along it. With
k = 0 these are the bounds that adaptive rejection starts from, with the whole order the bound is exact.
"""

from math import prod

import numpy as np

from rcmviz.core.builders.passes import static_pass
from rcmviz.core.models.window_scores import WindowScores
from rcmviz.kernels.ars.bounds import Problem, fill_first_bounds
from rcmviz.kernels.search.rest import fill_rests
from rcmviz.lm.word_scores import WordScores

MAX_CELLS = 20_000_000  # arcs of all contexts, 160 MB
MAX_PAIRS = 100_000_000  # the same for words, few of which are looked at
MOST_LOOKED_AT = 2_000_000  # words before contexts that the bounds of one position look at, some tenths of a second


def rest_bounds(scores, order):
    """Bound on what positions i … T−1 add after each context of the last min(i, ``order``) labels, a list of T + 1.

    Entry i is an array over these contexts, their last label the lowest digit; ``scores``: ``core/models/scores.py``.
    ValueError where the tables would be too large.
    """
    cells, most = cells_of(scores, order), most_cells(scores)
    if cells > most:
        raise ValueError(f"bound_order {order} looks at {cells:,} arcs, the limit is {most:,}: choose a lower one")
    by_words = isinstance(scores, WordScores) and order > 0
    return _rests_of_words(scores, order) if by_words else _rests(scores, order)


def cells_of(scores, order):
    """The number of arcs between contexts of ``order`` labels."""
    widths = scores.widths.tolist()
    return sum(prod(widths[max(0, i - order) : i + 1]) for i in range(len(widths)))


def most_cells(scores):
    """The most of them that a bound may read."""
    return MAX_PAIRS if isinstance(scores, WordScores) else MAX_CELLS


def _rests(scores, order):
    """By the largest arc of every label after every context."""
    widths, sizes = scores.widths.tolist(), _sizes(scores, order)
    maxima, rest = arc_maxima(scores, order), [np.zeros(sizes[-1])]
    for i in reversed(range(len(widths))):
        into = np.arange(sizes[i] * widths[i]).reshape(sizes[i], widths[i]) % sizes[i + 1]
        rest.append((maxima(i) + scores.log_emit[i, : widths[i]] + rest[-1][into]).max(axis=1))
    return rest[::-1]


def _sizes(scores, order):
    """The number of contexts after 0 … T labels."""
    widths = scores.widths.tolist()
    return [prod(widths[max(0, i - order) : i]) for i in range(len(widths) + 1)]


def _rests_of_words(scores, order):
    """By the bounds of adaptive rejection; they look at the candidates before a context where these are not many.

    The bounds of order 0 are no lower, so most words need not be looked at after a context.
    """
    hmm, widths, sizes = scores.hmm, scores.widths, _sizes(scores, order)
    maxima, rest = _word_bounds(scores), [np.zeros(sizes[-1])]
    ids = np.full(len(widths) + 1, hmm.lm.begin, np.int32)
    for i in reversed(range(len(widths))):
        known, width = min(i, order), widths[i]
        behind = rest[-1].reshape(-1, width).max(axis=0)
        highest = maxima(i)[0] + scores.log_emit[i, :width] + behind
        looks = sizes[i] * width * widths[i - known - 1] <= MOST_LOOKED_AT if i > known else True
        out = np.empty(sizes[i])
        problem = problem_of(scores, looks)
        fill_rests(problem, i, known, ids, rest[-1], highest, np.argsort(-highest, kind="stable"), out)
        rest.append(out)
    return rest[::-1]


def problem_of(scores, look_ahead):
    """The HMM as the kernels of adaptive rejection take it."""
    hmm, log_emit = scores.hmm, scores.log_emit.view()
    log_emit.setflags(write=False)  # as that of the HMM is: else the kernels are compiled twice
    scale = 1.0 / hmm.temperature
    return Problem(hmm.lm.trie.arrays, hmm.words, log_emit, scale, bool(look_ahead), scores.widths)


def arc_maxima(scores, order):
    """A function of i: the most (C, Y) that label y can weigh after each context of min(i, ``order``) labels.

    Emissions are left out; of words the order is 0.
    """
    if isinstance(scores, WordScores):
        return _word_bounds(scores)
    return _window_bounds(scores.model, order) if isinstance(scores, WindowScores) else _context_bounds(scores, order)


def _word_bounds(scores):
    """The bounds that adaptive rejection starts from."""
    begin, bounds = np.full(len(scores.widths) + 1, scores.hmm.lm.begin, np.int32), np.empty(scores.log_emit.shape)
    fill_first_bounds(problem_of(scores, True), begin, bounds)
    return lambda i: bounds[i][None, : scores.widths[i]]


def _window_bounds(model, order):
    """From the table of a log-linear model; positions that all windows can see from share one answer."""
    made = {}

    def maxima(i):
        seen = min(i, model.order)
        if seen not in made:
            made[seen] = (_dense_bounds if model.is_dense else _sparse_bounds)(model, seen, min(seen, order))
        return made[seen]

    return maxima


def _dense_bounds(model, seen, known):
    width, first = len(model.labels), int(model.base[seen, seen])
    rows = model.log_table[first : first + width**seen]
    return rows.reshape(-1, width**known, width).max(axis=0)


def _sparse_bounds(model, seen, known):
    """Rows that are not stored are those of the longest suffix that is, or zeros; a bound where all are stored."""
    contexts = np.arange(len(model.labels) ** known)
    if known == seen:
        return model.log_table[model.rows(seen, seen, contexts)]
    maxima = np.zeros((len(contexts), len(model.labels)))
    if model.additive:
        maxima = model.log_table[model.rows(model.order, known, contexts)]
    groups = [(seen, seen)] + [(model.order, length) for length in range(known + 1, seen + 1)] * model.additive
    for group in groups:
        first = int(model.base[group])
        here = slice(*np.searchsorted(model.keys, [first, first + model.powers[group[1]]]))
        np.maximum.at(maxima, (model.keys[here] - first) % len(contexts), model.log_table[here])
    return maxima


def _context_bounds(scores, order):
    """Of any other model: from the scores of all contexts that it can see."""
    run, widths = static_pass(scores), scores.widths.tolist()

    def maxima(i):
        arcs = scores.arcs(i, run.contexts[i], run.table[i])[:, : widths[i]] - scores.log_emit[i, : widths[i]]
        arcs = np.where(np.isnan(arcs), -np.inf, arcs)  # −inf less −inf
        return arcs.reshape(-1, prod(widths[max(0, i - order) : i]), widths[i]).max(axis=0)

    return maxima
