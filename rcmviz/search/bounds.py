"""Upper bounds on what the rest of a sequence can add: backward maxima of a model of a shorter order.

Of a history only the last k labels are kept; an arc then weighs the most that it can weigh, whatever stands before
them. The best way through this smaller chain bounds the best way through the true one, and never rises along it. With
k = 0 these are the bounds that adaptive rejection starts from, with the whole order the bound is exact.
"""

from math import prod

import numpy as np

from rcmviz.core.build import static_pass
from rcmviz.core.window_scores import WindowScores
from rcmviz.kernels.search.rest import fill_bounds
from rcmviz.lm.word_scores import WordScores

MAX_CELLS = 20_000_000  # of all tables, 160 MB
MOST_LOOKED_AT = 2_000_000  # words before contexts that the bounds of one position look at, some tenths of a second


def rest_bounds(scores, order):
    """Bound on what positions i … T−1 add after each context of the last min(i, ``order``) labels, a list of T + 1.

    Entry i is an array over these contexts, their last label the lowest digit; ``scores`` as of ``core/scores.py``.
    ValueError where the tables would be too large.
    """
    widths = scores.widths.tolist()
    sizes = [prod(widths[max(0, i - order) : i]) for i in range(len(widths) + 1)]
    cells = sum(size * width for size, width in zip(sizes, widths, strict=False))
    if cells > MAX_CELLS:
        raise ValueError(f"bound_order {order} needs {cells:,} numbers, the limit is {MAX_CELLS:,}: choose a lower one")
    maxima = arc_maxima(scores, order)
    rest = [np.zeros(sizes[-1])]
    for i in reversed(range(len(widths))):
        into = np.arange(sizes[i] * widths[i]).reshape(sizes[i], widths[i]) % sizes[i + 1]
        rest.append((maxima(i) + scores.log_emit[i, : widths[i]] + rest[-1][into]).max(axis=1))
    return rest[::-1]


def arc_maxima(scores, order):
    """A function of i: the most (C, Y) that label y can weigh after each context of min(i, ``order``) labels.

    Emissions are left out.
    """
    if isinstance(scores, WordScores):
        return _of_words(scores, order)
    return _of_windows(scores.model, order) if isinstance(scores, WindowScores) else _of_all_contexts(scores, order)


def _of_words(scores, order):
    """By the bounds of adaptive rejection; they look at the candidates before a context where these are not many."""
    hmm, widths = scores.hmm, scores.widths
    ids = np.full(len(widths) + 1, hmm.lm.begin, np.int32)

    def maxima(i):
        known = min(i, order)
        size = prod(widths[i - known : i].tolist())
        out = np.empty((size, widths[i]))
        looked_at = out.size * (widths[i - known - 1] if i > known > 0 else 0)
        problem = (
            hmm.lm.trie.arrays, hmm.words, scores.log_emit, 1.0 / hmm.temperature, bool(looked_at <= MOST_LOOKED_AT),
            int(hmm.lm.begin), widths,
        )  # fmt: skip
        fill_bounds(problem, i, known, ids, out)
        return out

    return maxima


def _of_windows(model, order):
    """From the table of a log-linear model; positions that all windows can see from share one answer."""
    made = {}

    def maxima(i):
        seen = min(i, model.order)
        if seen not in made:
            made[seen] = (_of_dense if model.is_dense else _of_sparse)(model, seen, min(seen, order))
        return made[seen]

    return maxima


def _of_dense(model, seen, known):
    width, first = len(model.labels), int(model.base[seen, seen])
    rows = model.log_table[first : first + width**seen]
    return rows.reshape(-1, width**known, width).max(axis=0)


def _of_sparse(model, seen, known):
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


def _of_all_contexts(scores, order):
    """Of any other model: from the scores of all contexts that it can see."""
    run, widths = static_pass(scores), scores.widths.tolist()

    def maxima(i):
        arcs = scores.arcs(i, run.contexts[i], run.table[i])[:, : widths[i]] - scores.log_emit[i, : widths[i]]
        arcs = np.where(np.isnan(arcs), -np.inf, arcs)  # −inf less −inf
        return arcs.reshape(-1, prod(widths[max(0, i - order) : i]), widths[i]).max(axis=0)

    return maxima
