"""The perceptron over lattices whose contexts are selected at the present weights; the exact chain is in
``perceptron_dense.py``.

Arguments as in ``train.py`` and ``perceptron_step.py``, everything on logs. The prediction is the heaviest output of
the lattice, of equals the first in the order of labels. An update may look at the first ``cut`` positions only: their
lattice is that of the whole example, ended there.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.chain.contexts import LABEL, ORIGIN, POWERS
from rcmviz.kernels.chain.words import (
    ALPHA,
    BEST,
    CONTEXTS,
    COUNT,
    MASS,
    TARGET,
    mean_length,
    viterbi_word,
    workspace,
)
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.learn.perceptron_step import Changes, Entries, Fired, log_emissions, make_touched, step
from rcmviz.kernels.learn.train import (
    FIRED,
    LOG_LIKELIHOOD,
    LOST,
    MANY,
    MEAN_LENGTH,
    NORM,
    SCORE,
    make_arcs,
    passes_example,
)
from rcmviz.kernels.learn.weights import (
    EMISSION,
    ROOT,
    STORE,
    WEIGHT,
    WINDOWS,
    add_scores,
    is_short_of_rows,
    window_addresses,
)
from rcmviz.kernels.lengths import most_entries
from rcmviz.kernels.rows import ONE, ZERO, copy_row

STANDARD, EARLY, MAX_VIOLATION = 0, 1, 2  # which prefix an update looks at
ROWS, LABELS = 0, 1  # of a path
ROUNDING = 1e-9


class Plan(NamedTuple):
    """Passes over an example, which prefix an update looks at, and how contexts are chosen (``chain/words.py``)."""

    passes: int
    update: int
    budget: int
    deduplicate: bool
    merging: bool
    root_proposes: bool
    cap: int


class Work(NamedTuple):
    """Room for one example; of workspaces and arcs there are two, for passes."""

    log_emits: Any  # (T, Y)
    paths: Any  # (2, 2, T)
    reached: Any  # (2, T)
    best: Any  # (T,)
    spaces: Any
    arcs: Any
    changes: Changes


@kernel(inline="always")
def search_example(truth, log_emit, plan, choosing, address, weights, work, measures):
    """All passes of one example; returns how many positions count and which workspace holds them.

    LOST of its measures is whether the gold has fallen off; an early update goes no further than that.
    """
    windows, k = (weights[STORE], weights[WINDOWS][WEIGHT]), ZERO
    logs, until = np.bool_(True), truth if plan.update == EARLY and plan.passes == 1 else truth[:0]
    _, now = passes_example(log_emit, until, plan.passes, choosing, address, windows, logs, work.spaces, work.arcs)
    if plan.passes > 1:
        return truth.size, now
    for i in range(truth.size - 1):
        k = work.spaces[0][TARGET][i, k, truth[i]]
        if k < 0:
            measures[LOST] = 1.0
            return i + 1 if plan.update == EARLY else truth.size, now
    return truth.size, now


@kernel(_nrt=False)
def follow(labels, log_emit, root_weight, address, weights, space, arcs, way, reached):
    """The rows that score some labels, into ``way (T,)``, those of their full history once they have fallen off; the
    scores of their prefixes, into ``reached (T,)``. Returns how often they entered the root.
    """
    target, score, windows, many = space[TARGET], arcs[SCORE], arcs[FIRED], arcs[MANY]
    powers, each, far = address[POWERS], space[CONTEXTS].shape[2], arcs[SCORE].shape[0] - labels.size
    total, entered, k, code = 0.0, 0, 0, ZERO
    for i in range(labels.size):
        row = i * each + k
        if k < 0:
            row = far + i
            many[row] = window_addresses(address, i, i, code, windows, row)
            add_scores(row, ONE, windows, many, weights[STORE], weights[WINDOWS][WEIGHT], score)
        way[i] = row
        total = total + score[row, labels[i]] + log_emit[i, labels[i]]
        reached[i] = total
        code = (code * powers[1] + labels[i]) % powers[powers.size - 1]
        if k >= 0 and i < labels.size - 1:
            k = target[i, k, labels[i]]
            if k == 0 and root_weight != 0.0:
                total += root_weight
            entered += k == 0
    return entered


@part(_nrt=False)
def trace_back(column, k, contexts, labels):
    """The labels of a context that is a full history, into ``labels``."""
    for i in range(column, 0, -1):
        labels[i - 1] = contexts[i, LABEL, k]
        k = contexts[i, ORIGIN, k]


@part(_nrt=False)
def heaviest(values):
    """Index and value of the largest, the first of equals."""
    winner = 0
    for j in range(1, values.size):
        if values[j] > values[winner]:
            winner = j
    return winner, values[winner]


@part()
def predict_history(cut, length, space, labels):
    """The heaviest prefix where every context is a full history, into ``labels (cut,)``."""
    contexts, count = space[CONTEXTS], space[COUNT]
    if cut < length:
        winner, _ = heaviest(space[ALPHA][cut, : count[cut]])
        trace_back(cut, winner, contexts, labels)
        return
    width = space[MASS].shape[1]
    winner, _ = heaviest(space[MASS][: count[length - 1]].ravel())
    labels[length - 1] = winner % width
    trace_back(length - 1, winner // width, contexts, labels)


@part(_nrt=False)
def prefix_maxima(log_emit, merging, root_weight, space, arcs, best):
    """The score of the heaviest prefix of each length, into ``best (T,)``, by maxima over the lattice."""
    count, target, each, ahead = space[COUNT], space[TARGET], space[CONTEXTS].shape[2], space[BEST]
    length, width = log_emit.shape
    ahead[0, 0] = 0.0
    for i in range(length):
        best[i] = ahead[i + 1, :] = -np.inf
        for k in range(count[i]):
            score = arcs[SCORE][i * each + k]
            for y in range(width):
                value, into = ahead[i, k] + score[y] + log_emit[i, y], target[i, k, y]
                best[i] = max(best[i], value)
                if i < length - 1 and into >= 0:
                    if merging and into == 0 and root_weight != 0.0:
                        value += root_weight
                    ahead[i + 1, into] = max(ahead[i + 1, into], value)


@part()
def history_maxima(length, space, best):
    """The same where every context is a full history."""
    for i in range(length - 1):
        _, best[i] = heaviest(space[ALPHA][i + 1, : space[COUNT][i + 1]])
    _, best[length - 1] = heaviest(space[MASS][: space[COUNT][length - 1]].ravel())


@kernel(_nrt=False)
def most_violated(best, reached):
    """The length of the prefix by which the gold falls behind most, of those equal but for rounding the longest: where
    both go on alike, they stay as far apart.
    """
    cut, most = best.size, -np.inf
    for i in range(best.size):
        most = max(most, best[i] - reached[i])
    for i in range(best.size):
        if best[i] - reached[i] >= most - ROUNDING * (1.0 + most):
            cut = i + 1
    return cut


@kernel(inline="always")
def perceptron_example(w, data, weights, plan, rate, address, count, work, measures):
    """Step number ``count``, on example w; ``measures (4,)`` what it was like."""
    offset, paths, reached, best = data.offset, work.paths, work.reached, work.best
    length = offset[w + 1] - offset[w]
    entries = Entries(data.begin[offset[w] : offset[w + 1] + 1], data.feature, data.value)
    truth, log_emit = paths[0, LABELS, :length], work.log_emits[:length]
    copy_row(data.gold[offset[w] : offset[w + 1]], truth)  # what may not be written would be a type of its own
    log_emissions(entries, weights[EMISSION][WEIGHT], log_emit)
    root_weight, histories = weights[ROOT][WEIGHT][0, 0], not plan.merging and not plan.deduplicate
    rule = plan.merging, plan.root_proposes, plan.cap, root_weight
    choosing = plan.budget, plan.deduplicate, rule
    measures[LOST] = 0.0
    cut, now = search_example(truth, log_emit, plan, choosing, address, weights, work, measures)
    space, arcs = work.spaces[now], work.arcs[now]
    measures[MEAN_LENGTH], measures[NORM] = mean_length(space, cut, np.bool_(True)), 0.0
    entered = follow(truth[:cut], log_emit, root_weight, address, weights, space, arcs, paths[0, ROWS], reached[0])
    if plan.update == MAX_VIOLATION:
        if histories:
            history_maxima(length, space, best)
        else:
            prefix_maxima(log_emit, plan.merging, root_weight, space, arcs, best)
        cut = most_violated(best[:length], reached[0])
        if cut < length:
            entered = follow(
                truth[:cut], log_emit, root_weight, address, weights, space, arcs, paths[0, ROWS], reached[0]
            )
    labels = paths[1, LABELS, :cut]
    if histories:
        predict_history(cut, length, space, labels)
    else:
        viterbi_word(log_emit[:cut], arcs[SCORE], rule, np.bool_(True), space, labels)
    left = follow(labels, log_emit, root_weight, address, weights, space, arcs, paths[1, ROWS], reached[1])
    lead = reached[1, cut - 1] - reached[0, cut - 1]
    measures[LOG_LIKELIHOOD] = -lead if np.isfinite(lead) else np.nan
    same = True
    for i in range(cut):
        same &= labels[i] == truth[i]
    if same or not np.isfinite(lead):
        return
    difference = 0.0 if plan.root_proposes else np.float64(entered - left)
    fired = Fired(arcs[FIRED], arcs[MANY])
    measures[NORM], _ = step(paths, cut, lead, difference, entries, fired, weights, rate, count, work.changes)


@kernel()
def perceptron_stretch(visit, data, weights, plan, rate, address, steps, measures):
    """Visit these examples, one step each; ``measures (·, 4)`` are what each was like before its step.

    ``steps (1,)`` counts the examples of the whole training. Stops early where a hashed table must grow first.
    """
    offset, budget = data.offset, plan.budget
    order, width, longest = address[POWERS].size - 1, weights[WINDOWS][WEIGHT].shape[1], np.int64(0)
    for w in visit:
        longest = max(longest, offset[w + 1] - offset[w])
    table, shorter = weights[WINDOWS][WEIGHT], longest if plan.passes > 1 else 1
    work = Work(
        np.zeros((longest, width)),
        np.zeros((2, 2, longest), np.int64),
        np.zeros((2, longest)),
        np.zeros(longest),
        (workspace(longest, budget, width, table), workspace(shorter, budget, width, table)),
        (make_arcs(longest, budget, width, order), make_arcs(shorter, budget, width, order)),
        Changes(make_touched(2 * longest * (order + 2)), make_touched(2 * most_entries(offset, data.begin))),
    )
    for j in range(visit.size):
        if is_short_of_rows(weights[STORE], 2 * longest * (order + 2)):
            return
        perceptron_example(visit[j], data, weights, plan, rate, address, steps[0] + 1, work, measures[j])
        steps[0] += 1
