"""AdaGrad over examples whose contexts are selected at the present weights; the exact chain is in ``train_dense.py``.

``data`` are `Examples`, ``weights`` `Weights` that are updated in place, ``address`` is a `RowAddress`, ``plan`` a
`Plan`, whose root weight is replaced by the present one, ``rate`` a `Rate` of ``lane_state.py``. ``way (T,)`` are the
rows of arcs that score the gold, ``lost`` the last position before it fell off, −1 if it never did.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain.messages import end_message, shares_of_column
from rcmviz.kernels.chain.state import Pruning, Rule, Workspace
from rcmviz.kernels.chain.words import mean_length
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.learn.arcs import (
    LEAST_MASS,
    LOG_LIKELIHOOD,
    LOST,
    MEAN_LENGTH,
    NORM,
    Arcs,
    Windows,
    follow_labels,
    make_pairs,
    passes_example,
    root_entries,
)
from rcmviz.kernels.learn.train_features import ascend_features, emissions
from rcmviz.kernels.learn.weights import (
    Queue,
    ascend,
    ascend_queue,
    claim_row,
    is_short_of_rows,
    make_queue,
    queue_windows,
)
from rcmviz.kernels.lengths import longest_of, most_entries, most_positions
from rcmviz.kernels.rows import ONE, ZERO, divide_row, fill, largest, multiply_row

NUMERATOR, BOTH, SKIP, EARLY = 0, 1, 2, 3  # what a gold that fell off the beam does


class Plan(NamedTuple):
    """How an example is visited."""

    passes: int
    lost_gold: int
    pruning: Pruning


class Work(NamedTuple):
    """Arrays for one example; of workspaces and arcs there are two, for passes."""

    log_emits: np.ndarray  # (T, Y)
    emits: np.ndarray  # (T, Y)
    labels: np.ndarray  # (T, Y): gradients of emissions
    ways: np.ndarray  # (T,)
    spaces: tuple[Workspace, Workspace]
    arcs: tuple[Arcs, Arcs]
    windows: Queue
    features: Queue
    slope: np.ndarray  # (1, 1): gradient of the root's weight, which is row 0
    zero: np.ndarray  # (1,)


@kernel(inline="always")
def score_of_windows(gold, way, weights, arcs):
    """Log score of the gold's windows, which all have rows from now on."""
    score = 0.0
    for i in range(gold.size):
        for j in range(arcs.many[way[i]]):
            score += weights.windows.weight[claim_row(arcs.windows[way[i], j], weights.store), gold[i]]
    return score


@helper(error_model="numpy")
def expect(emit, rule, logs, space, arcs, label):
    """Minus the expected counts: by context and label into the arcs' gradient, by position into ``label (T, Y)``.

    Returns the expected number of times that the root is entered, NaN where masses were lost to underflow.
    """
    count, target = space.count, space.target
    positions, each, entered = emit.shape[0], space.contexts.shape[2], 0.0
    end_message(space.beta[positions], logs)
    for i in range(positions - 1, -1, -1):
        gradient = arcs.gradient[i * each : (i + 1) * each]
        total = shares_of_column(i, emit, arcs.score, rule, logs, space, gradient, label[i])
        if not ((total > 0 if logs else total > LEAST_MASS) and total < np.inf):
            return np.nan
        divide_row(label[i], -total)
        for k in range(count[i]):
            share = gradient[k]
            divide_row(share, -total)
            if not rule.root_proposes and i < positions - 1:
                for y in range(share.size):
                    entered -= share[y] * np.float64(target[i, k, y] == 0)
    return entered


@kernel(inline="always")
def ascend_windows(way, lost, space, arcs, weights, rate, step, queue):
    """One step on the windows of all contexts, and of a gold that was lost; returns the squared norm."""
    each, size = space.contexts.shape[2], ZERO
    for i in range(way.size):
        size = queue_windows(i * each, space.count[i], arcs.windows, arcs.many, weights.store, queue, size)
        if 0 <= lost < i:
            size = queue_windows(way[i], ONE, arcs.windows, arcs.many, weights.store, queue, size)
    return ascend_queue(weights.windows, queue, size, arcs.gradient, rate, step)


@kernel(inline="always")
def observe(gold, way, lost, discount, space, arcs, label):
    """Add the gold's counts to what was expected, all times ``discount``."""
    gradient, each = arcs.gradient, space.contexts.shape[2]
    for i in range(gold.size):
        if 0 <= lost < i:
            fill(gradient[way[i]], 0.0)
        gradient[way[i], gold[i]] += 1.0
        label[i, gold[i]] += 1.0
        if discount != 1.0:
            for k in range(space.count[i]):
                multiply_row(gradient[i * each + k], discount)
            multiply_row(label[i], discount)
            if 0 <= lost < i:
                multiply_row(gradient[way[i]], discount)


@kernel(inline="always")
def pruning_now(pruning, weights):
    """The pruning with the root weight as it is now."""
    rule = pruning.rule
    now = Rule(rule.merging, rule.root_proposes, rule.cap, weights.root.weight[0, 0])
    return Pruning(pruning.budget, pruning.deduplicate, now)


@kernel(inline="always")
def infer_example(near, log_emit, emit, passes, pruning, address, weights, work, label):
    """Log Z and expected counts of one example, in the linear domain where nothing can underflow, else on logs.

    Returns ``((log Z, expected number of times that the root is entered), (which workspace, whether on logs))``.
    """
    windows, nothing = Windows(weights.store, weights.windows.weight), work.ways[:0]
    entered, log_z, now, logs = np.nan, -np.inf, 0, False
    for turn in range(0 if near else 1, 2):
        logs = turn == 1
        factors = log_emit if logs else emit
        log_z, now = passes_example(factors, nothing, passes, pruning, address, windows, logs, work.spaces, work.arcs)
        if np.isfinite(log_z):
            entered = expect(factors, pruning.rule, logs, work.spaces[now], work.arcs[now], label)
        if np.isfinite(log_z) and not np.isnan(entered):
            break
    if not logs:
        for i in range(emit.shape[0]):
            log_z += largest(log_emit[i])
    return (log_z, entered), (now, logs)


@kernel(inline="always")
def train_example(w, cut, data, weights, plan, rate, address, step, work, measures):
    """One step on example w, on its first ``cut`` positions where that is positive; ``measures (4,)`` what it was like.

    Returns where an early update asks to cut the example, else 0.
    """
    first, lost_gold = data.offset[w], plan.lost_gold
    length = cut if cut > 0 else data.offset[w + 1] - first
    log_emit, emit, label, way = work.log_emits[:length], work.emits[:length], work.labels[:length], work.ways[:length]
    entries, truth = data.begin[first : first + length + 1], data.gold[first : first + length]
    near = emissions(entries, data.feature, data.value, weights.emission.weight, log_emit, emit)
    pruning = pruning_now(plan.pruning, weights)
    (log_z, expected_root), (now, logs) = infer_example(
        near, log_emit, emit, plan.passes, pruning, address, weights, work, label
    )
    measures[NORM] = 0.0
    if np.isnan(expected_root):  # the weights have grown beyond what numbers hold: they stay as they are
        measures[LOG_LIKELIHOOD] = np.nan
        return 0
    space, arcs = work.spaces[now], work.arcs[now]
    lost = follow_labels(truth, address, space, arcs, way)
    entered = root_entries(way, space)
    score = score_of_windows(truth, way, weights, arcs) + entered * pruning.rule.root_weight
    if lost_gold == EARLY and lost >= 0:
        measures[LOST] = 1.0
        return lost + 1
    for i in range(length):
        score += log_emit[i, truth[i]]
    discount = 1.0
    if lost_gold == BOTH and lost >= 0:  # the normaliser is Z + e^score
        discount = 1.0 / (1.0 + np.exp(score - log_z))
        log_z = max(log_z, score) + np.log1p(np.exp(-abs(log_z - score)))
    measures[LOG_LIKELIHOOD] = score - log_z
    measures[MEAN_LENGTH] = mean_length(space, length, logs)
    measures[LOST] = max(measures[LOST], 1.0 if lost >= 0 else 0.0)
    if lost_gold == SKIP and lost >= 0:
        return 0
    observe(truth, way, lost, discount, space, arcs, label)
    norm = ascend_windows(way, lost, space, arcs, weights, rate, step, work.windows)
    norm += ascend_features(entries, data.feature, data.value, label, weights.emission, rate, step, work.features)
    if not pruning.rule.root_proposes:
        work.slope[0, 0] = (entered - expected_root) * discount
        norm += ascend(weights.root, work.zero, work.slope, rate, step)
    measures[NORM] = np.sqrt(norm)
    return 0


def make_work(visit, data, weights, plan, order):
    """`Work` for these examples."""
    longest = most_positions(visit, data.offset)
    table, features, budget = weights.windows.weight, weights.emission.weight.shape[0], plan.pruning.budget
    rows, width = table.shape
    spaces, arcs = make_pairs(longest, plan.passes, budget, table, order)
    return Work(
        np.zeros((longest, width)),
        np.zeros((longest, width)),
        np.zeros((longest, width)),
        np.zeros(longest, np.int64),
        spaces,
        arcs,
        make_queue(rows, longest * (budget + 2) * (order + 2), width),
        make_queue(features, most_entries(data.offset, data.begin), width),
        np.zeros((1, 1)),
        np.zeros(1, np.int64),
    )


@kernel()
def train_stretch(visit, data, weights, plan, rate, address, steps, measures, work):
    """Visit these examples, one AdaGrad step each; ``measures (·, 4)`` are what each was like before its step.

    ``steps (1,)`` counts the examples of the whole training. Stops early where a hashed table must grow first.
    """
    visit, data, weights, address = bare((visit, data, weights, address))
    steps, measures, work = bare((steps, measures, work))
    order, longest = address.powers.size - 1, longest_of(visit, data.offset)
    for j in range(visit.size):
        if is_short_of_rows(weights.store, longest * (plan.pruning.budget + 2) * (order + 2)):
            return
        cut = np.int64(0)  # a literal 0 would be a type of its own, and all compiled twice
        for _ in range(2):  # one call, not two: the compiler takes it in, and half the time
            cut = train_example(visit[j], cut, data, weights, plan, rate, address, steps[0], work, measures[j])
            if cut == 0:
                break
        steps[0] += 1
