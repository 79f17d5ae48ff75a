"""AdaGrad over examples whose contexts are selected at the present weights; the exact chain is in ``train_dense.py``.

``data = (offset (W+1,), begin (N+1,), feature (K,), value (K,), gold (N,))`` as in ``sequences.py``,
``weights`` as in ``weights.py``, updated in place, ``address`` as in ``contexts.py``,
``plan = (passes, lost_gold, choosing)``, ``choosing`` as in ``words.py``, its root weight replaced by the present one,
``rate = (eta, delta, l2, averaging)``.

Every selected context is scored by a row of its own, which ROW names: the sum of its windows' weights, or the
exponential, written once. So single and additive, dense and hashed tables meet the same inner loops as inference.
``arcs = (score (M, Y), gradient (M, Y), windows (M, n+2), many (M,))`` holds these rows, budget + 1 per position, and
after them one row per position for a gold that has fallen off.

``way (T,)`` are the rows that score the gold, ``lost`` the last position before it was lost, −1 if it never was.
"""

import numpy as np

from rcmviz.kernels.chain.contexts import CODE, LENGTH, POWERS, ROW, backward
from rcmviz.kernels.chain.words import (
    ALPHA,
    BETA,
    CONTEXTS,
    COUNT,
    MASS,
    TARGET,
    backward_word,
    end_message,
    forward_position,
    look_ahead,
    mean_length,
    start_word,
    total_mass,
    workspace,
)
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.train_features import ascend_features, emissions
from rcmviz.kernels.learn.weights import (
    EMISSION,
    FAR,
    ROOT,
    STORE,
    WEIGHT,
    WINDOWS,
    add_scores,
    ascend,
    ascend_queue,
    claim_row,
    exponentiate,
    is_short_of_rows,
    make_queue,
    queue_windows,
    window_addresses,
)
from rcmviz.kernels.rows import ONE, ZERO, add_rows, divide_row, largest, multiply_row

LEAST_MASS = np.exp(-FAR)  # of a kept context, and of a column
NUMERATOR, BOTH, SKIP, EARLY = 0, 1, 2, 3  # what a gold that fell off the beam does
LOG_LIKELIHOOD, NORM, MEAN_LENGTH, LOST = 0, 1, 2, 3  # measures of an example
SCORE, GRADIENT, FIRED, MANY = 0, 1, 2, 3  # of ``arcs``: FIRED are the windows of a context, MANY of them


@kernel()
def make_arcs(positions, budget, labels, order):
    """The rows that score contexts, and those of a lost gold."""
    rows = positions * (budget + 2)
    return (
        np.zeros((rows, labels)),
        np.zeros((rows, labels)),
        np.zeros((rows, order + 2), np.int64),
        np.zeros(rows, np.int64),
    )


@kernel(inline="always")
def score_contexts(i, address, windows, logs, space, arcs):
    """Write the scores of the contexts of column i, and let ROW name them; False where masses could underflow.

    ``windows = (store, weight)``, not all weights: what they were summed in is a type of the objective's own.
    """
    contexts, count, alpha = space[CONTEXTS][i], space[COUNT][i], space[ALPHA][i]
    score, gradient, fired, many = arcs
    first = i * contexts.shape[1]
    for k in range(count):
        row = first + k
        many[row] = window_addresses(address, i, contexts[LENGTH, k], contexts[CODE, k], fired, row)
        contexts[ROW, k] = row
        if not logs and 0.0 < alpha[k] < LEAST_MASS:
            return False
    store, weight = windows
    add_scores(first, count, fired, many, store, weight, score)
    return logs or exponentiate(score[first : first + count].ravel(), gradient[first : first + count].ravel())


@kernel(inline="always")
def forward_example(emit, until, choosing, address, windows, logs, space, previous, second, arcs):
    """As ``forward_word``, each context scored when its column is complete."""
    _, _, (merging, _, _, _) = choosing
    length = emit.shape[0]
    start_word(address, merging, logs, space)
    scale, k = 0.0, ZERO
    for i in range(length):
        if not score_contexts(i, address, windows, logs, space, arcs):
            return np.nan
        scale += forward_position(i, emit, arcs[SCORE], address, logs, choosing, space, previous, second)
        if i < until.size - 1:
            k = space[TARGET][i, k, until[i]]
            if k < 0:
                return scale
    return scale + total_mass(space[MASS], space[COUNT][length - 1], logs)


@kernel()
def passes_example(emit, until, passes, choosing, address, windows, logs, spaces, both_arcs):
    """All passes of one example; returns log Z up to the scale, and which workspace and arcs hold the last.

    A pass ends where the labels ``until`` have fallen off, and log Z is that of no output; none where there are none.
    """
    _, _, rule = choosing
    log_z, now = -np.inf, 1
    for turn in range(passes):
        if turn > 0:
            backward_word(emit, both_arcs[now][SCORE], rule, logs, spaces[now])
        now = 1 - now
        log_z = forward_example(
            emit, until, choosing, address, windows, logs, spaces[now], spaces[1 - now], turn > 0, both_arcs[now]
        )
        if np.isnan(log_z):  # masses could underflow: what this pass has left behind is no basis for the next
            break
    return log_z, now


@kernel(inline="always")
def follow_gold(gold, address, weights, space, arcs, way):
    """The rows that score the gold, into ``way (T,)``: its contexts', and beyond a beam those of its full history.

    Returns (log score of its windows, last position before it was lost or −1, how often it entered the root).
    """
    store, weight, powers = weights[STORE], weights[WINDOWS][WEIGHT], address[POWERS]
    target, windows, many = space[TARGET], arcs[FIRED], arcs[MANY]
    positions, each = gold.size, space[CONTEXTS].shape[2]
    score, lost, entered, k, code = 0.0, -1, 0, 0, ZERO
    for i in range(positions):
        row = i * each + k
        if k < 0:
            row = positions * each + i
            many[row] = window_addresses(address, i, i, code, windows, row)
        way[i] = row
        for j in range(many[row]):
            score += weight[claim_row(windows[row, j], store), gold[i]]
        code = (code * powers[1] + gold[i]) % powers[-1]
        if k >= 0 and i < positions - 1:
            k = target[i, k, gold[i]]
            entered += k == 0
            lost = i if k < 0 else lost
    return score, lost, entered


@kernel(fastmath={"reassoc"})
def linear_shares(i, emit, ahead, space, arcs):
    """Minus what every arc of column i carries, into the gradient; backward messages; returns their sum."""
    contexts, count, alpha, beta = space[CONTEXTS][i], space[COUNT][i], space[ALPHA][i], space[BETA][i]
    total = highest = beta.dtype.type(0)
    for k in range(count):
        row = contexts[ROW, k]
        score, message, share, forward = arcs[SCORE][row], ahead[k], arcs[GRADIENT][row], alpha[k]
        beyond = beta.dtype.type(0)
        for y in range(emit.size):
            arc = score[y] * emit[y] * message[y]
            share[y] = -forward * arc
            beyond += arc
        beta[k] = beyond
        total += forward * beyond
        highest = max(highest, beyond)
    if highest > 0:
        for k in range(count):
            beta[k] /= highest
    return total


@kernel()
def log_shares(i, emit, ahead, space, arcs):
    """The same from logs."""
    contexts, count, alpha, beta = space[CONTEXTS][i], space[COUNT][i], space[ALPHA][i], space[BETA][i]
    highest, total = -np.inf, 0.0
    for k in range(count):
        score, share = arcs[SCORE][contexts[ROW, k]], arcs[GRADIENT][contexts[ROW, k]]
        for y in range(emit.size):
            share[y] = alpha[k] + score[y] + emit[y] + ahead[k, y]
            highest = max(highest, share[y])
    for k in range(count):
        share = arcs[GRADIENT][contexts[ROW, k]]
        for y in range(emit.size):
            share[y] = -np.exp(share[y] - highest)
            total -= share[y]
    backward(contexts, count, arcs[SCORE], emit, ahead, np.bool_(True), beta)
    return total


@kernel(error_model="numpy")
def expect(emit, rule, logs, space, arcs, label):
    """Minus the expected counts: by context and label into the arcs' gradient, by position into ``label (T, Y)``.

    The mass is equal at every column, so dividing by a column's own sum normalises. Returns the expected number of
    times that the root is entered, NaN where masses were lost to underflow.
    """
    count, beta, target, gradient = space[COUNT], space[BETA], space[TARGET], arcs[GRADIENT]
    _, root_proposes, _, _ = rule
    positions, each, entered = emit.shape[0], space[CONTEXTS].shape[2], 0.0
    end_message(beta[positions], logs)
    for i in range(positions - 1, -1, -1):
        ahead = look_ahead(i, positions, rule, logs, space, beta)
        total = log_shares(i, emit[i], ahead, space, arcs) if logs else linear_shares(i, emit[i], ahead, space, arcs)
        beta[i, -1] = -np.inf if logs else 0.0
        if not ((total > 0 if logs else total > LEAST_MASS) and total < np.inf):
            return np.nan
        label[i] = 0
        for k in range(count[i]):
            share = gradient[i * each + k]
            divide_row(share, total)
            add_rows(label[i], share, label[i])
            if not root_proposes and i < positions - 1:
                for y in range(share.size):
                    entered -= share[y] * np.float64(target[i, k, y] == 0)
    return entered


@kernel(inline="always")
def ascend_windows(way, lost, space, arcs, weights, rate, step, queue):
    """One step on the windows of all contexts, and of a gold that was lost; returns the squared norm."""
    _, gradient, windows, many = arcs
    count, each, size = space[COUNT], space[CONTEXTS].shape[2], ZERO
    for i in range(way.size):
        size = queue_windows(i * each, count[i], windows, many, weights[STORE], queue, size)
        if 0 <= lost < i:
            size = queue_windows(way[i], ONE, windows, many, weights[STORE], queue, size)
    return ascend_queue(weights[WINDOWS], queue, size, gradient, rate, step)


@kernel(inline="always")
def observe(gold, way, lost, discount, space, arcs, label):
    """Add the gold's counts to what was expected, all times ``discount``."""
    gradient, count, each = arcs[GRADIENT], space[COUNT], space[CONTEXTS].shape[2]
    for i in range(gold.size):
        if 0 <= lost < i:
            gradient[way[i]] = 0
        gradient[way[i], gold[i]] += 1.0
        label[i, gold[i]] += 1.0
        if discount != 1.0:
            for k in range(count[i]):
                multiply_row(gradient[i * each + k], discount)
            multiply_row(label[i], discount)
            if 0 <= lost < i:
                multiply_row(gradient[way[i]], discount)


@kernel(inline="always")
def plan_now(plan, weights):
    """The plan with the root weight as it is now."""
    passes, lost_gold, (budget, deduplicate, (merging, root_proposes, cap, _)) = plan
    rule = (merging, root_proposes, cap, weights[ROOT][WEIGHT][0, 0])
    return passes, lost_gold, (budget, deduplicate, rule)


@kernel(inline="always")
def infer_example(near, log_emit, emit, plan, address, weights, spaces, both_arcs, label):
    """Log Z and expected counts of one example, in the linear domain where nothing can underflow, else on logs.

    Returns (log Z, the expected number of times that the root is entered, which workspace, whether on logs).
    """
    passes, _, choosing = plan
    _, _, rule = choosing
    windows = weights[STORE], weights[WINDOWS][WEIGHT]
    entered, log_z, now, logs = np.nan, -np.inf, 0, False
    nothing = both_arcs[0][MANY][:0]
    for turn in range(0 if near else 1, 2):
        logs = turn == 1
        factors = log_emit if logs else emit
        log_z, now = passes_example(factors, nothing, passes, choosing, address, windows, logs, spaces, both_arcs)
        if np.isfinite(log_z):
            entered = expect(factors, rule, logs, spaces[now], both_arcs[now], label)
        if np.isfinite(log_z) and not np.isnan(entered):
            break
    if not logs:
        for i in range(emit.shape[0]):
            log_z += largest(log_emit[i])
    return log_z, entered, now, logs


@kernel(inline="always")
def train_example(w, cut, data, weights, plan, rate, address, step, work, measures):
    """One step on example w, on its first ``cut`` positions where that is positive; ``measures (4,)`` what it was like.

    Returns where an early update asks to cut the example, else 0.
    """
    offset, begin, feature, value, gold = data
    log_emits, emits, labels, ways, spaces, both_arcs, (queue, feature_queue) = work
    first = offset[w]
    length = cut if cut > 0 else offset[w + 1] - first
    log_emit, emit, label, way = log_emits[:length], emits[:length], labels[:length], ways[:length]
    entries, truth = begin[first : first + length + 1], gold[first : first + length]
    near = emissions(entries, feature, value, weights[EMISSION][WEIGHT], log_emit, emit)
    plan = plan_now(plan, weights)
    _, lost_gold, (_, _, (_, root_proposes, _, root_weight)) = plan
    log_z, expected_root, now, logs = infer_example(
        near, log_emit, emit, plan, address, weights, spaces, both_arcs, label
    )
    measures[NORM] = 0.0
    if np.isnan(expected_root):  # the weights have grown beyond what numbers hold: they stay as they are
        measures[LOG_LIKELIHOOD] = np.nan
        return 0
    space, arcs = spaces[now], both_arcs[now]
    score, lost, entered = follow_gold(truth, address, weights, space, arcs, way)
    score += entered * root_weight
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
    norm = ascend_windows(way, lost, space, arcs, weights, rate, step, queue)
    norm += ascend_features(entries, feature, value, label, weights[EMISSION], rate, step, feature_queue)
    if not root_proposes:
        slope = np.full((1, 1), (entered - expected_root) * discount)
        norm += ascend(weights[ROOT], np.zeros(1, np.int64), slope, rate, step)
    measures[NORM] = np.sqrt(norm)
    return 0


@kernel(inline="always")
def working_arrays(data, longest, plan, weights, order):
    """Everything that a stretch of examples works in, made once: ``(log_emits, emits, labels (T, Y), ways (T,), two
    workspaces, two arcs, queues of windows and of features)``.
    """
    offset, begin, _, _, _ = data
    passes, _, (budget, _, _) = plan
    most_entries = ZERO
    for w in range(offset.size - 1):
        most_entries = max(most_entries, begin[offset[w + 1]] - begin[offset[w]] + offset[w + 1] - offset[w])
    table, features = weights[WINDOWS][WEIGHT], weights[EMISSION][WEIGHT].shape[0]
    rows, width = table.shape
    shorter = longest if passes > 1 else 1
    return (
        np.zeros((longest, width)),
        np.zeros((longest, width)),
        np.zeros((longest, width)),
        np.zeros(longest, np.int64),
        (workspace(longest, budget, width, table), workspace(shorter, budget, width, table)),
        (make_arcs(longest, budget, width, order), make_arcs(shorter, budget, width, order)),
        (make_queue(rows, longest * (budget + 2) * (order + 2), width), make_queue(features, most_entries, width)),
    )


@kernel()
def train_stretch(visit, data, weights, plan, rate, address, steps, measures):
    """Visit these examples, one AdaGrad step each; ``measures (·, 4)`` are what each was like before its step.

    ``steps (1,)`` counts the examples of the whole training. Stops early where a hashed table must grow first.
    """
    offset, _, _, _, _ = data
    _, _, (budget, _, _) = plan
    order, longest = address[POWERS].size - 1, np.int64(0)  # a literal would be a type of its own
    for w in visit:
        longest = max(longest, offset[w + 1] - offset[w])
    work = working_arrays(data, longest, plan, weights, order)
    for j in range(visit.size):
        if is_short_of_rows(weights[STORE], longest * (budget + 2) * (order + 2)):
            return
        cut = np.int64(0)  # a literal 0 would be a type of its own, and all compiled twice
        for _ in range(2):  # one call, not two: the compiler takes it in, and half the time
            cut = train_example(visit[j], cut, data, weights, plan, rate, address, steps[0], work, measures[j])
            if cut == 0:
                break
        steps[0] += 1
