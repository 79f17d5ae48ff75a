"""The perceptron over lattices whose contexts are selected at the present weights; the exact chain is in
``perceptron_dense.py``.

Arguments as in ``train.py``, everything on logs; ``plan = (passes, update, choosing)``, ``rate`` as in
``perceptron_step.py``. The prediction is the heaviest output of the lattice, of equals the first in the order of
labels. An update may look at the first ``cut`` positions only: their lattice is that of the whole example, ended there.
"""

import numpy as np

from rcmviz.kernels.chain.contexts import LABEL, ORIGIN, POWERS
from rcmviz.kernels.chain.words import (
    ALPHA,
    BEST,
    CONTEXTS,
    COUNT,
    MASS,
    TARGET,
    forward_position,
    mean_length,
    start_word,
    viterbi_word,
    workspace,
)
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.perceptron_step import log_emissions, make_touched, step
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
    plan_now,
    score_contexts,
)
from rcmviz.kernels.learn.weights import (
    EMISSION,
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


@kernel()
def search_example(truth, log_emit, plan, address, weights, spaces, both_arcs):
    """All passes of one example; returns how many positions there are, which workspace holds them and whether the gold
    has fallen off. An early update goes no further than that.
    """
    passes, update, choosing = plan
    _, _, (merging, _, _, _) = choosing
    length = truth.size
    windows = weights[STORE], weights[WINDOWS][WEIGHT]
    logs, second = np.bool_(True), np.bool_(False)  # literals would be types of their own, and all compiled once more
    if passes > 1:
        _, now = passes_example(log_emit, passes, choosing, address, windows, logs, spaces, both_arcs)
        return length, now, False
    space, arcs = spaces[0], both_arcs[0]
    start_word(address, merging, logs, space)
    k = 0
    for i in range(length):
        score_contexts(i, address, windows, logs, space, arcs)
        forward_position(i, log_emit, arcs[SCORE], address, logs, choosing, space, spaces[1], second)
        if k >= 0 and i < length - 1:
            k = space[TARGET][i, k, truth[i]]
            if k < 0 and update == EARLY:
                return i + 1, 0, True
    return length, 0, k < 0


@kernel()
def follow(labels, log_emit, rule, address, weights, space, arcs, way, reached):
    """The rows that score some labels, into ``way (T,)``, those of their full history once they have fallen off; the
    scores of their prefixes, into ``reached (T,)``. Returns how often they entered the root.
    """
    _, _, _, root_weight = rule
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


@kernel()
def trace_back(column, k, contexts, labels):
    """The labels of a context that is a full history, into ``labels``."""
    for i in range(column, 0, -1):
        labels[i - 1] = contexts[i, LABEL, k]
        k = contexts[i, ORIGIN, k]


@kernel()
def heaviest(values):
    """Index and value of the largest, the first of equals."""
    winner = 0
    for j in range(1, values.size):
        if values[j] > values[winner]:
            winner = j
    return winner, values[winner]


@kernel(inline="always")
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


@kernel(inline="always")
def prefix_maxima(log_emit, rule, space, arcs, best):
    """The score of the heaviest prefix of each length, into ``best (T,)``, by maxima over the lattice."""
    merging, _, _, root_weight = rule
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


@kernel(inline="always")
def history_maxima(length, space, best):
    """The same where every context is a full history."""
    for i in range(length - 1):
        _, best[i] = heaviest(space[ALPHA][i + 1, : space[COUNT][i + 1]])
    _, best[length - 1] = heaviest(space[MASS][: space[COUNT][length - 1]].ravel())


@kernel()
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
    offset, begin, feature, value, gold = data
    log_emits, paths, reached, best, spaces, both_arcs, changes = work
    length = offset[w + 1] - offset[w]
    entries, truth = begin[offset[w] : offset[w + 1] + 1], paths[0, LABELS, :length]
    copy_row(gold[offset[w] : offset[w + 1]], truth)  # what may not be written would be a type of its own
    log_emit = log_emits[:length]
    log_emissions(entries, feature, value, weights[EMISSION][WEIGHT], log_emit)
    plan = plan_now(plan, weights)
    _, update, (_, deduplicate, rule) = plan
    merging, root_proposes, _, _ = rule
    histories = not merging and not deduplicate
    cut, now, lost = search_example(truth, log_emit, plan, address, weights, spaces, both_arcs)
    space, arcs = spaces[now], both_arcs[now]
    measures[MEAN_LENGTH], measures[LOST], measures[NORM] = mean_length(space, cut, np.bool_(True)), lost, 0.0
    entered = follow(truth[:cut], log_emit, rule, address, weights, space, arcs, paths[0, ROWS], reached[0])
    if update == MAX_VIOLATION:
        if histories:
            history_maxima(length, space, best)
        else:
            prefix_maxima(log_emit, rule, space, arcs, best)
        cut = most_violated(best[:length], reached[0])
        if cut < length:
            entered = follow(truth[:cut], log_emit, rule, address, weights, space, arcs, paths[0, ROWS], reached[0])
    labels = paths[1, LABELS, :cut]
    if histories:
        predict_history(cut, length, space, labels)
    else:
        viterbi_word(log_emit[:cut], arcs[SCORE], rule, np.bool_(True), space, labels)
    left = follow(labels, log_emit, rule, address, weights, space, arcs, paths[1, ROWS], reached[1])
    lead = reached[1, cut - 1] - reached[0, cut - 1]
    measures[LOG_LIKELIHOOD] = -lead if np.isfinite(lead) else np.nan
    same = True
    for i in range(cut):
        same &= labels[i] == truth[i]
    if same or not np.isfinite(lead):
        return
    difference = 0.0 if root_proposes else np.float64(entered - left)
    fired = arcs[FIRED], arcs[MANY]
    measures[NORM], _ = step(
        paths, cut, lead, difference, (entries, feature, value), fired, weights, rate, count, changes
    )


@kernel()
def perceptron_stretch(visit, data, weights, plan, rate, address, steps, measures):
    """Visit these examples, one step each; ``measures (·, 4)`` are what each was like before its step.

    ``steps (1,)`` counts the examples of the whole training. Stops early where a hashed table must grow first.
    """
    offset, begin, _, _, _ = data
    passes, _, (budget, _, _) = plan
    order, width, longest = address[POWERS].size - 1, weights[WINDOWS][WEIGHT].shape[1], np.int64(0)
    for w in visit:
        longest = max(longest, offset[w + 1] - offset[w])
    table, shorter = weights[WINDOWS][WEIGHT], longest if passes > 1 else 1
    work = (
        np.zeros((longest, width)),
        np.zeros((2, 2, longest), np.int64),
        np.zeros((2, longest)),
        np.zeros(longest),
        (workspace(longest, budget, width, table), workspace(shorter, budget, width, table)),
        (make_arcs(longest, budget, width, order), make_arcs(shorter, budget, width, order)),
        (make_touched(2 * longest * (order + 2)), make_touched(2 * most_entries(offset, begin))),
    )
    for j in range(visit.size):
        if is_short_of_rows(weights[STORE], 2 * longest * (order + 2)):
            return
        perceptron_example(visit[j], data, weights, plan, rate, address, steps[0] + 1, work, measures[j])
        steps[0] += 1
