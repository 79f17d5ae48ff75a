"""The perceptron with exact inference: every context of the last n labels, dense tables, maxima of sums of logs.

Arguments as in ``perceptron.py``; ``rows`` and ``sizes`` are those of `States`.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.dense_logs import viterbi_logs
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.learn.arcs import LOG_LIKELIHOOD, LOST, MEAN_LENGTH, NORM
from rcmviz.kernels.learn.feature_sums import add_features
from rcmviz.kernels.learn.perceptron import LABELS, MAX_VIOLATION, ROWS, most_violated
from rcmviz.kernels.learn.perceptron_step import Changes, Entries, Fired, make_changes, step
from rcmviz.kernels.learn.train_dense import add_suffixes
from rcmviz.kernels.learn.weights import window_addresses
from rcmviz.kernels.lengths import mean_history, most_positions
from rcmviz.kernels.rows import copy_row, fill, largest


class Work(NamedTuple):
    """Room for one example."""

    score: np.ndarray  # (R, Y): summed weights of additive windows, else the weights
    ahead: np.ndarray  # (T + 1, S)
    message: np.ndarray  # (Y,)
    log_emits: np.ndarray  # (T, Y)
    best: np.ndarray  # (T,)
    reached: np.ndarray  # (2, T)
    paths: np.ndarray  # (2, 2, T)
    fired: Fired
    changes: Changes


def make_work(visit, data, weights, states, address):
    """`Work` for these examples."""
    longest, table, order = most_positions(visit, data.offset), weights.windows.weight, address.powers.size - 1
    width = table.shape[1]
    return Work(
        np.zeros_like(table) if address.additive else table,
        np.zeros((longest + 1, max(int(states.sizes.max()), width))),
        np.zeros(width),
        np.zeros((longest, width)),
        np.zeros(longest),
        np.zeros((2, longest)),
        np.zeros((2, 2, longest), np.int64),
        Fired(np.zeros((2 * longest, order + 2), np.int64), np.zeros(2 * longest, np.int64)),
        make_changes(longest, order, data),
    )


@part(_nrt=False)
def prefix_maxima_dense(log_emit, score, rows, sizes, ahead, best):
    """The score of the heaviest prefix of each length, into ``best (T,)``; ``ahead (T+1, S)`` is used up."""
    positions, width = log_emit.shape
    ahead[0, 0] = 0.0
    for i in range(positions):
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        into = ahead[i + 1]
        fill(into[: suffixes * width], -np.inf)
        for code in range(sizes[i]):
            weight, before, first = score[rows[i] + code], ahead[i, code], code % suffixes * width
            for y in range(width):
                into[first + y] = max(into[first + y], before + weight[y] + log_emit[i, y])
        best[i] = largest(into[: suffixes * width])


@helper(_nrt=False)
def follow_states(labels, log_emit, score, address, way, reached):
    """The states that score some labels, into ``way (T,)``; the scores of their prefixes, into ``reached (T,)``."""
    powers, base, order = address.powers, address.base, address.powers.size - 1
    total, code = 0.0, 0
    for i in range(labels.size):
        known = min(i, order)
        way[i] = base[known, known] + code
        total = total + score[way[i], labels[i]] + log_emit[i, labels[i]]
        reached[i] = total
        code = (code * powers[1] + labels[i]) % powers[order]


@part(_nrt=False)
def fire(paths, cut, address, fired):
    """The windows that fire along two paths of states, into ``fired``; the paths name its rows from then on."""
    base, order = address.base, address.powers.size - 1
    for i in range(cut):
        shared = paths[0, ROWS, i] == paths[1, ROWS, i]
        for path in range(2):
            row, known = 2 * i + path, min(i, order)
            code = paths[path, ROWS, i] - base[known, known]
            fired.many[row] = window_addresses(address, i, i, code, fired.windows, row)
            paths[path, ROWS, i] = 2 * i if shared else row


@kernel()
def perceptron_dense_stretch(visit, data, weights, states, update, rate, address, steps, measures, work):
    """As ``perceptron_stretch``, with exact inference; ``update`` says which prefix a step looks at.

    Stops early where a drift is too far.
    """
    visit, data, weights, states, address = bare((visit, data, weights, states, address))
    steps, measures, work = bare((steps, measures, work))
    rows, sizes, offset, table = states.rows, states.sizes, data.offset, weights.windows.weight
    score, ahead, best, reached, paths = work.score, work.ahead, work.best, work.reached, work.paths
    stale = address.additive
    for j in range(visit.size):
        w, measure = visit[j], measures[j]
        length = offset[w + 1] - offset[w]
        entries = Entries(data.begin[offset[w] : offset[w + 1] + 1], data.feature, data.value)
        truth = paths[0, LABELS, :length]
        copy_row(data.gold[offset[w] : offset[w + 1]], truth)
        log_emit = work.log_emits[:length]
        add_features(entries.begin, entries.feature, entries.value, weights.emission.weight, log_emit)
        if stale:
            add_suffixes(address, table, score)
        follow_states(truth, log_emit, score, address, paths[0, ROWS], reached[0])
        cut = length
        if update == MAX_VIOLATION:
            prefix_maxima_dense(log_emit, score, rows, sizes, ahead, best)
            cut = most_violated(best[:length], reached[0])
        labels = paths[1, LABELS, :cut]
        viterbi_logs(log_emit[:cut], score, rows, sizes, ahead, work.message, labels)
        follow_states(labels, log_emit, score, address, paths[1, ROWS], reached[1])
        lead = reached[1, cut - 1] - reached[0, cut - 1]
        measure[MEAN_LENGTH] = mean_history(length, address.powers.size - 1)
        measure[LOST], measure[NORM], measure[LOG_LIKELIHOOD] = 0.0, 0.0, -lead if np.isfinite(lead) else np.nan
        steps[0] += 1
        same = True
        for i in range(cut):
            same &= labels[i] == truth[i]
        stale = address.additive and not same
        if same or not np.isfinite(lead):
            continue
        fire(paths, cut, address, work.fired)
        entered = 0.0
        norm, far = step(paths, cut, lead, entered, entries, work.fired, weights, rate, steps[0], work.changes)
        measure[NORM] = norm
        if far:
            return
