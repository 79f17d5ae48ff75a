"""The perceptron over lattices whose contexts are selected at the present weights; the exact chain is in
``perceptron_dense.py``.

Arguments as in ``train.py`` and ``perceptron_step.py``, everything on logs. The prediction is the heaviest output of
the lattice, of equals the first in the order of labels. An update may look at the first ``cut`` positions only: their
lattice is that of the whole example, ended there.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.contexts import LABEL, ORIGIN
from rcmviz.kernels.chain.state import Pruning, Workspace
from rcmviz.kernels.chain.words import mean_length, viterbi_word
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.learn.arcs import (
    LOG_LIKELIHOOD,
    LOST,
    MEAN_LENGTH,
    NORM,
    Arcs,
    Windows,
    first_lost_row,
    follow_labels,
    make_pairs,
    passes_example,
    root_entries,
)
from rcmviz.kernels.learn.feature_sums import add_features
from rcmviz.kernels.learn.perceptron_step import Changes, Entries, Fired, make_changes, step
from rcmviz.kernels.learn.train import pruning_now
from rcmviz.kernels.learn.weights import add_scores, is_short_of_rows
from rcmviz.kernels.lengths import longest_of, most_positions
from rcmviz.kernels.rows import ONE, copy_row, fill

STANDARD, EARLY, MAX_VIOLATION = 0, 1, 2  # which prefix an update looks at
ROWS, LABELS = 0, 1  # of a path
ROUNDING = 1e-9


class Plan(NamedTuple):
    """How an example is visited."""

    passes: int
    update: int  # which prefix it looks at
    pruning: Pruning


class Work(NamedTuple):
    """Room for one example; of workspaces and arcs there are two, for passes."""

    log_emits: Any  # (T, Y)
    paths: Any  # (2, 2, T)
    reached: Any  # (2, T)
    best: Any  # (T,)
    spaces: tuple[Workspace, Workspace]
    arcs: tuple[Arcs, Arcs]
    changes: Changes


@helper(_nrt=False)
def score_prefixes(labels, log_emit, root_weight, weights, space, arcs, way, reached):
    """The scores of all prefixes of some labels, which the rows ``way`` score, into ``reached (T,)``."""
    score, each, far, total = arcs.score, space.contexts.shape[2], first_lost_row(space, arcs), 0.0
    for i in range(labels.size):
        row = way[i]
        if row >= far:
            add_scores(row, ONE, arcs.windows, arcs.many, weights.store, weights.windows.weight, score)
        if i > 0 and row == i * each and root_weight != 0.0:
            total += root_weight
        total = total + score[row, labels[i]] + log_emit[i, labels[i]]
        reached[i] = total


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
    contexts, count = space.contexts, space.count
    if cut < length:
        winner, _ = heaviest(space.alpha[cut, : count[cut]])
        trace_back(cut, winner, contexts, labels)
        return
    width = space.mass.shape[1]
    winner, _ = heaviest(space.mass[: count[length - 1]].ravel())
    labels[length - 1] = winner % width
    trace_back(length - 1, winner // width, contexts, labels)


@part(_nrt=False)
def prefix_maxima(log_emit, rule, space, arcs, best):
    """The score of the heaviest prefix of each length, into ``best (T,)``, by maxima over the lattice."""
    count, target, each, ahead = space.count, space.target, space.contexts.shape[2], space.best
    length, width = log_emit.shape
    ahead[0, 0] = 0.0
    for i in range(length):
        best[i] = -np.inf
        fill(ahead[i + 1], -np.inf)
        for k in range(count[i]):
            score = arcs.score[i * each + k]
            for y in range(width):
                value, into = ahead[i, k] + score[y] + log_emit[i, y], target[i, k, y]
                best[i] = max(best[i], value)
                if i < length - 1 and into >= 0:
                    if rule.merging and into == 0 and rule.root_weight != 0.0:
                        value += rule.root_weight
                    ahead[i + 1, into] = max(ahead[i + 1, into], value)


@part()
def history_maxima(length, space, best):
    """The same where every context is a full history."""
    for i in range(length - 1):
        _, best[i] = heaviest(space.alpha[i + 1, : space.count[i + 1]])
    _, best[length - 1] = heaviest(space.mass[: space.count[length - 1]].ravel())


@kernel(_nrt=False)
def most_violated(best, reached):
    """The length of the prefix by which the gold falls behind most, of those equal but for rounding the longest: where
    both continue alike, they stay as far apart.
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
    length, is_early = offset[w + 1] - offset[w], plan.update == EARLY and plan.passes == 1
    entries = Entries(data.begin[offset[w] : offset[w + 1] + 1], data.feature, data.value)
    truth, log_emit = paths[0, LABELS, :length], work.log_emits[:length]
    copy_row(data.gold[offset[w] : offset[w + 1]], truth)
    add_features(entries.begin, entries.feature, entries.value, weights.emission.weight, log_emit)
    pruning = pruning_now(plan.pruning, weights)
    rule, logs, windows = pruning.rule, np.bool_(True), Windows(weights.store, weights.windows.weight)
    until, histories = truth if is_early else truth[:0], not rule.merging and not pruning.deduplicate
    _, now = passes_example(log_emit, until, plan.passes, pruning, address, windows, logs, work.spaces, work.arcs)
    space, arcs = work.spaces[now], work.arcs[now]
    lost = follow_labels(truth, address, space, arcs, paths[0, ROWS])
    cut = lost + 1 if is_early and lost >= 0 else length
    score_prefixes(truth[:cut], log_emit, rule.root_weight, weights, space, arcs, paths[0, ROWS], reached[0])
    measures[LOST], measures[MEAN_LENGTH], measures[NORM] = lost >= 0, mean_length(space, cut, logs), 0.0
    if plan.update == MAX_VIOLATION:
        if histories:
            history_maxima(length, space, best)
        else:
            prefix_maxima(log_emit, rule, space, arcs, best)
        cut = most_violated(best[:length], reached[0])
    labels = paths[1, LABELS, :cut]
    if histories:
        predict_history(cut, length, space, labels)
    else:
        viterbi_word(log_emit[:cut], arcs.score, rule, logs, space, labels)
    follow_labels(labels, address, space, arcs, paths[1, ROWS])
    score_prefixes(labels, log_emit, rule.root_weight, weights, space, arcs, paths[1, ROWS], reached[1])
    lead = reached[1, cut - 1] - reached[0, cut - 1]
    measures[LOG_LIKELIHOOD] = -lead if np.isfinite(lead) else np.nan
    same = True
    for i in range(cut):
        same &= labels[i] == truth[i]
    if same or not np.isfinite(lead):
        return
    entered = 0.0
    if not rule.root_proposes:
        entered += root_entries(paths[0, ROWS, :cut], space) - root_entries(paths[1, ROWS, :cut], space)
    fired = Fired(arcs.windows, arcs.many)
    measures[NORM], _ = step(paths, cut, lead, entered, entries, fired, weights, rate, count, work.changes)


def make_work(visit, data, weights, plan, order):
    """`Work` for these examples."""
    longest, table = most_positions(visit, data.offset), weights.windows.weight
    spaces, arcs = make_pairs(longest, plan.passes, plan.pruning.budget, table, order)
    return Work(
        np.zeros((longest, table.shape[1])),
        np.zeros((2, 2, longest), np.int64),
        np.zeros((2, longest)),
        np.zeros(longest),
        spaces,
        arcs,
        make_changes(longest, order, data),
    )


@kernel()
def perceptron_stretch(visit, data, weights, plan, rate, address, steps, measures, work):
    """Visit these examples, one step each; ``measures (·, 4)`` are what each was like before its step.

    ``steps (1,)`` counts the examples of the whole training. Stops early where a hashed table must grow first.
    """
    visit, data, weights, address = bare((visit, data, weights, address))
    steps, measures, work = bare((steps, measures, work))
    order, longest = address.powers.size - 1, longest_of(visit, data.offset)
    for j in range(visit.size):
        if is_short_of_rows(weights.store, 2 * longest * (order + 2)):
            return
        perceptron_example(visit[j], data, weights, plan, rate, address, steps[0] + 1, work, measures[j])
        steps[0] += 1
