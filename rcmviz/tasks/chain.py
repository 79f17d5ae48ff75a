"""Lines of a task as problems: the model is written as the windows that the candidates of the line can fire.

A problem file holds windows. A line that is read under a language model therefore becomes an additive n-gram model over
the labels that are candidates at some position. Its contexts have the scores of the original model, whatever they
remember, so log Z and the outputs of every method are the same.
"""

from itertools import product
from math import prod

import numpy as np

from rcmviz.core.models.model import BEGIN, FORGOTTEN, NgramModel
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_reader import MAX_BYTES, MAX_LABELS, MAX_ORDER, MAX_WINDOWS

MAX_SCORED = 400_000  # weights that are looked up; more would take seconds
END_TOKEN = "end"


class LineTooLarge(ValueError):
    """A line that a problem file cannot hold."""

    def __init__(self):
        super().__init__("this line is too large for the player")


def problem_of_hmm(hmm, *, most=None, max_arcs=None, gold=(), tokens=(), title=""):
    """Write an ``HMM`` as a ``Problem``.

    ``most`` likeliest candidates of each position (of observation and unigram model), and the right one, are kept; all
    if None. LineTooLarge if the problem would be larger than a problem file may be, or exact inference on it had more
    than ``max_arcs`` arcs. ``gold`` and ``tokens`` have one text for each position but that of ``</s>``.
    Scores are in nats. ValueError for a word without a probability that has one after other words.

    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
    >>> hmm = rv.HMM(lm, [["the"], ["cat", "dog"]], [[0.0], [-1.0, -2.0]])
    >>> round(rv.log_z(problem_of_hmm(hmm).run("exact")[0]) - rv.log_z(rv.exact(hmm)[0]), 9) + 0.0
    0.0
    """
    lm, labels, scale = hmm.lm, hmm.labels, 1.0 / hmm.temperature
    ids = lm.ids(labels).astype(np.int32)
    log_emit = np.full((hmm.T, len(labels)), -np.inf)
    for row, chosen, values in zip(log_emit, hmm.choices, hmm.log_emit, strict=True):
        row[chosen[chosen >= 0]] = values[chosen >= 0]
    unigram = lm.log_rows(np.full((1, 1), -1, np.int32), ids, scale)[0]
    order = max(hmm.order - 1, 1)

    def weights(histories, column, is_begin):
        known = histories.shape[1]
        seen = np.full((len(histories), order), -1, np.int32)
        seen[:, order - known :] = ids[histories]
        shorter = seen.copy()
        if is_begin:
            seen[:, order - known - 1] = lm.begin
        elif known:
            shorter[:, order - known] = -1
        scores = lm.log_rows(seen, ids[column], scale)
        if not known and not is_begin:
            return scores
        before = lm.log_rows(shorter, ids[column], scale)
        is_possible = before > -np.inf
        if (scores[~is_possible] > -np.inf).any():
            raise ValueError("the player cannot show a word that has a probability after others and none alone")
        return np.subtract(scores, before, where=is_possible, out=np.zeros_like(scores))

    return _write_problem(labels, order, weights, log_emit, log_emit + unigram, (most, max_arcs), gold, tokens, title)


def problem_of_line(model, log_emit, rank, *, most=None, max_arcs=None, gold=(), tokens=(), title=""):
    """Write a line under an additive ``NgramModel`` as a ``Problem``.

    ``log_emit`` and ``rank`` have the shape (T, labels); of each position the ``most`` labels of the highest rank, and
    the right one, are kept. Other arguments and errors are those of ``problem_of_hmm``.
    """
    order = model.order

    def weights(histories, column, is_begin):
        known = histories.shape[1]
        codes = histories @ model.powers[:known][::-1] if known else np.zeros(len(histories), np.int64)
        keys = codes + model.base[known if is_begin else order, known]
        rows = np.minimum(np.searchsorted(model.keys, keys), len(model.keys) - 1)
        return np.where((model.keys[rows] == keys)[:, None], model.weights[np.ix_(rows, column)], 0.0)

    rank = np.where(np.isneginf(log_emit), -np.inf, rank)
    return _write_problem(model.labels, order, weights, log_emit, rank, (most, max_arcs), gold, tokens, title)


def largest_problem(write, choices, **options):
    """Return ``(problem, most)`` of the first number of candidates for which ``write(most=…)`` fits; LineTooLarge if
    none does.
    """
    for most in choices:
        try:
            return write(most=most, **options), most
        except LineTooLarge:
            continue
    raise LineTooLarge


def _write_problem(labels, order, weights, log_emit, rank, limits, gold, tokens, title):
    most, max_arcs = limits
    gold = [labels.index(label) for label in gold] if set(gold) <= set(labels) else []
    gold += [len(labels) - 1] * (len(log_emit) - len(gold)) if gold else []
    columns = _candidates(rank, most, gold)
    kept = np.unique(np.concatenate(columns))
    _check_size(columns, kept, order, max_arcs)
    names, windows = [labels[y] for y in range(len(labels))], {}
    for i, column in enumerate(columns):
        for known in range(min(i, order) + 1):
            for is_begin in (False, True) if known == i < order else (False,):
                listed = list(product(*columns[i - known : i]))
                histories = np.array(listed, np.int64).reshape(len(listed), known)
                table = weights(histories, column, is_begin)
                prefix = (FORGOTTEN,) * (order - known - is_begin) + (BEGIN,) * is_begin
                for row, y in zip(*map(np.ndarray.tolist, np.nonzero(table)), strict=True):
                    window = (*prefix, *(names[one] for one in histories[row]), names[column[y]])
                    windows[window] = float(table[row, y])
        if len(windows) > MAX_WINDOWS:
            raise LineTooLarge
    emissions = np.full((len(columns), len(kept)), -np.inf)
    for row, column, values in zip(emissions, columns, log_emit, strict=True):
        row[np.searchsorted(kept, column)] = values[column]
    problem = Problem(
        NgramModel.from_windows([names[y] for y in kept], order, windows, mode="additive"),
        emissions,
        gold=tuple(names[y] for y in gold) or None,
        tokens=(*tokens, *(END_TOKEN,) * (len(columns) - len(tokens))) if tokens else None,
        title=title,
    )
    if len(problem.to_json().encode()) > MAX_BYTES:
        raise LineTooLarge
    return problem


def _candidates(rank, most, gold):
    """The labels (ascending) that stay at each position."""
    columns = []
    for i, row in enumerate(rank):
        chosen = np.flatnonzero(row > -np.inf)
        if most is not None and len(chosen) > most:
            chosen = chosen[np.argsort(-row[chosen], kind="stable")[:most]]
            chosen = np.union1d(chosen, gold[i : i + 1])
        columns.append(np.sort(chosen).astype(np.int64))
    return columns


def _check_size(columns, kept, order, max_arcs):
    """Refuse what a problem file cannot hold, before any window is written."""
    widths = [len(column) for column in columns]
    scored = sum(prod(widths[i - k : i + 1]) for i in range(len(widths)) for k in range(min(i, order) + 1))
    arcs = sum(len(kept) ** (min(i, order) + 1) for i in range(len(widths)))
    if max_arcs is not None and arcs > max_arcs:
        raise LineTooLarge
    if len(kept) > MAX_LABELS or order > MAX_ORDER or scored > MAX_SCORED:
        raise LineTooLarge
