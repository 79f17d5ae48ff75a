"""AdaGrad over examples whose contexts are selected at the present weights; the exact chain is in ``train_dense.py``.

``data = (offset (W+1,), start (N+1,), feature (K,), value (K,), gold (N,))`` as in ``sequences.py``,
``weights = (store, windows, emission, root)``, the last three groups as in ``weights.py``, updated in place,
``plan = (budget, passes, deduplicate, merging, root_proposes, cap, lost_gold)``,
``rate = (eta, delta, l2, averaging)``.

Every selected context is scored by a row of its own, which ROW names: the sum of its windows' weights, or the
exponential, written once. So single and additive, dense and hashed tables meet the same inner loops as inference.
``sheet = (score (M, Y), gradient (M, Y), windows (M, n+2), many (M,))`` holds these rows, budget + 1 per position, and
after them one row per position for a gold that has fallen off.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.chain.contexts import CODE, LENGTH, ROW, backward
from rcmviz.kernels.chain.words import (
    backward_word,
    end_message,
    forward_position,
    look_ahead,
    mean_length,
    start_word,
    total_mass,
    workspace,
)
from rcmviz.kernels.learn.weights import (
    FAR,
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

LEAST_MASS = np.exp(-FAR)  # of a kept context, and of a column
NUMERATOR, BOTH, SKIP, EARLY = 0, 1, 2, 3  # what a gold that fell off the beam does
LOG_LIKELIHOOD, NORM, MEAN_LENGTH, LOST = 0, 1, 2, 3  # what is said of an example


@njit(cache=True, nogil=True)
def score_sheet(positions, budget, labels, order):
    """The rows that score contexts, and those of a lost gold."""
    rows = positions * (budget + 2)
    return (
        np.zeros((rows, labels)),
        np.zeros((rows, labels)),
        np.zeros((rows, order + 2), np.int64),
        np.zeros(rows, np.int64),
    )


@njit(cache=True, nogil=True)
def emissions(begin, feature, value, weight, logs, emit):
    """Log emissions into ``logs (T, Y)``, their exponentials, scaled to a maximum of one, into ``emit``.

    The entries are those from ``begin (T+1,)`` on. False where one is too small for linear masses.
    """
    near = True
    for i in range(logs.shape[0]):
        row = logs[i]
        row[:] = weight[-1]
        for entry in range(begin[i], begin[i + 1]):
            amount, column = value[entry], weight[feature[entry]]
            for y in range(row.size):
                row[y] += amount * column[y]
        highest = lowest = row[0]
        for y in range(1, row.size):
            highest, lowest = max(highest, row[y]), min(lowest, row[y])
        near &= highest - lowest < FAR
        for y in range(row.size):
            emit[i, y] = np.exp(row[y] - highest)
    return near


@njit(cache=True, nogil=True)
def score_contexts(i, address, weights, logs, space, sheet):
    """Write the scores of the contexts of column i, and let ROW name them; False where masses could underflow."""
    contexts, count, alpha = space[0][i], space[1][i], space[2][i]
    score, _, windows, many = sheet
    first = i * contexts.shape[1]
    for k in range(count):
        row = first + k
        many[row] = window_addresses(address, i, contexts[LENGTH, k], contexts[CODE, k], windows, row)
        contexts[ROW, k] = row
        if not logs and 0.0 < alpha[k] < LEAST_MASS:
            return False
    add_scores(first, count, windows, many, weights[0], weights[1][0], score)
    return logs or exponentiate(score[first : first + count].ravel(), sheet[1][first : first + count].ravel())


@njit(cache=True, nogil=True)
def forward_example(emit, plan, rule, address, weights, logs, space, previous, second, sheet):
    """As ``forward_word``, each context scored when its column is complete."""
    length = emit.shape[0]
    start_word(address, rule[0], logs, space)
    scale = 0.0
    for i in range(length):
        if not score_contexts(i, address, weights, logs, space, sheet):
            return np.nan
        scale += forward_position(
            i, i == length - 1, emit[i], plan[0], sheet[0], address, rule, plan[2], logs, space, previous, second
        )
    return scale + total_mass(space[6], space[1][length - 1], logs)


@njit(cache=True, nogil=True)
def passes_example(emit, plan, rule, address, weights, logs, spaces, sheets):
    """All passes of one example; returns log Z up to the scale, and which workspace and sheet hold the last."""
    log_z, now = -np.inf, 1
    for turn in range(plan[1]):
        if turn > 0:
            backward_word(emit, sheets[now][0], rule, logs, spaces[now])
        now = 1 - now
        log_z = forward_example(
            emit, plan, rule, address, weights, logs, spaces[now], spaces[1 - now], turn > 0, sheets[now]
        )
    return log_z, now


@njit(cache=True, nogil=True)
def follow_gold(gold, address, weights, space, sheet, way):
    """The rows that score the gold, into ``way (T,)``: its contexts', and beyond a beam those of its full history.

    Returns (log score of its windows, last position before it was lost or −1, how often it entered the root).
    """
    positions, each, powers = gold.size, space[0].shape[2], address[0]
    score, lost, entered, k, code = 0.0, -1, 0, 0, 0
    for i in range(positions):
        row = i * each + k
        if k < 0:
            row = positions * each + i
            sheet[3][row] = window_addresses(address, i, i, code, sheet[2], row)
        way[i] = row
        for j in range(sheet[3][row]):
            score += weights[1][0][claim_row(sheet[2][row, j], weights[0]), gold[i]]
        code = (code * powers[1] + gold[i]) % powers[-1]
        if k >= 0 and i < positions - 1:
            k = space[5][i, k, gold[i]]
            entered += k == 0
            lost = i if k < 0 else lost
    return score, lost, entered


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def linear_shares(i, emit, ahead, space, sheet):
    """Minus what every arc of column i carries, into the gradient; backward messages; returns their sum."""
    contexts, count, alpha, beta = space[0][i], space[1][i], space[2][i], space[3][i]
    total = highest = beta.dtype.type(0)
    for k in range(count):
        row = contexts[ROW, k]
        score, message, share, forward = sheet[0][row], ahead[k], sheet[1][row], alpha[k]
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


@njit(cache=True, nogil=True)
def log_shares(i, emit, ahead, space, sheet):
    """The same from logs."""
    contexts, count, alpha, beta = space[0][i], space[1][i], space[2][i], space[3][i]
    highest, total = -np.inf, 0.0
    for k in range(count):
        score, share = sheet[0][contexts[ROW, k]], sheet[1][contexts[ROW, k]]
        for y in range(emit.size):
            share[y] = alpha[k] + score[y] + emit[y] + ahead[k, y]
            highest = max(highest, share[y])
    for k in range(count):
        share = sheet[1][contexts[ROW, k]]
        for y in range(emit.size):
            share[y] = -np.exp(share[y] - highest)
            total -= share[y]
    backward(contexts, count, sheet[0], emit, ahead, True, beta)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def expect(emit, rule, logs, space, sheet, label):
    """Minus the expected counts: by context and label into the sheet's gradient, by position into ``label (T, Y)``.

    The mass is equal at every column, so dividing by a column's own sum normalises. Returns the expected number of
    times that the root is entered, NaN where masses were lost to underflow.
    """
    positions, (contexts, count, beta, target) = emit.shape[0], (space[0], space[1], space[3], space[5])
    each, entered = contexts.shape[2], 0.0
    end_message(beta[positions], logs)
    for i in range(positions - 1, -1, -1):
        ahead = look_ahead(i, positions, rule, logs, space, beta)
        total = log_shares(i, emit[i], ahead, space, sheet) if logs else linear_shares(i, emit[i], ahead, space, sheet)
        beta[i, -1] = -np.inf if logs else 0.0
        if not ((total > 0 if logs else total > LEAST_MASS) and total < np.inf):
            return np.nan
        label[i] = 0
        for k in range(count[i]):
            share = sheet[1][i * each + k]
            share /= total
            label[i] += share
            if not rule[1] and i < positions - 1:
                for y in range(share.size):
                    entered -= share[y] * np.float64(target[i, k, y] == 0)
    return entered


@njit(cache=True, nogil=True)
def ascend_windows(space, sheet, way, lost, weights, rate, step, queue):
    """One step on the windows of all contexts, and of a gold that was lost; returns the squared norm."""
    _, gradient, windows, many = sheet
    count, each, size = space[1], space[0].shape[2], 0
    for i in range(way.size):
        size = queue_windows(i * each, count[i], windows, many, weights[0], queue, size)
        if 0 <= lost < i:
            size = queue_windows(way[i], 1, windows, many, weights[0], queue, size)
    return ascend_queue(weights[1], queue, size, gradient, rate, step)


@njit(cache=True, nogil=True)
def ascend_features(begin, feature, value, label, group, rate, step, queue):
    """One step on the emissions: each entry's value times its position's labels, and the bias; the squared norm."""
    target, source, amount = queue[0], queue[1], queue[2]
    bias, size = group[0].shape[0] - 1, 0
    for i in range(label.shape[0]):
        for entry in range(begin[i], begin[i + 1]):
            target[size], source[size], amount[size] = feature[entry], i, value[entry]
            size += 1
        target[size], source[size], amount[size] = bias, i, 1.0
        size += 1
    return ascend_queue(group, queue, size, label, rate, step)


@njit(cache=True, nogil=True)
def observe(gold, way, lost, discount, space, sheet, label):
    """Add the gold's counts to what was expected, all times ``discount``."""
    _, gradient, _, _ = sheet
    count, each = space[1], space[0].shape[2]
    for i in range(gold.size):
        if 0 <= lost < i:
            gradient[way[i]] = 0
        gradient[way[i], gold[i]] += 1.0
        label[i, gold[i]] += 1.0
        if discount != 1.0:
            gradient[i * each : i * each + count[i]] *= discount
            label[i] *= discount
            if 0 <= lost < i:
                gradient[way[i]] *= discount


@njit(cache=True, nogil=True)
def infer_example(near, log_emit, emit, plan, rule, address, weights, spaces, sheets, label):
    """Log Z and expected counts of one example, in the linear domain where nothing can underflow, else on logs.

    Returns (log Z, the expected number of times that the root is entered, which workspace, whether on logs).
    """
    entered, log_z, now, logs = np.nan, -np.inf, 0, False
    for turn in range(0 if near else 1, 2):
        logs = turn == 1
        factors = log_emit if logs else emit
        log_z, now = passes_example(factors, plan, rule, address, weights, logs, spaces, sheets)
        if np.isfinite(log_z):
            entered = expect(factors, rule, logs, spaces[now], sheets[now], label)
        if np.isfinite(log_z) and not np.isnan(entered):
            break
    if not logs:
        for i in range(emit.shape[0]):
            log_z += log_emit[i].max()
    return log_z, entered, now, logs


@njit(cache=True, nogil=True)
def train_example(data, w, cut, weights, plan, rate, address, step, room, said):
    """One step on example w, on its first ``cut`` positions where that is positive; ``said (4,)`` what it was like.

    Returns where an early update asks to cut it, else 0.
    """
    offset, begin, feature, value, gold = data
    log_emits, emits, label, way, spaces, sheets, queues = room
    first = offset[w]
    length = cut if cut > 0 else offset[w + 1] - first
    log_emit, emit, label, way = log_emits[:length], emits[:length], label[:length], way[:length]
    begin, gold = begin[first : first + length + 1], gold[first : first + length]
    near = emissions(begin, feature, value, weights[2][0], log_emit, emit)
    rule = (plan[3], plan[4], plan[5], weights[3][0][0, 0])
    log_z, expected_root, now, logs = infer_example(
        near, log_emit, emit, plan, rule, address, weights, spaces, sheets, label
    )
    said[NORM] = 0.0
    if np.isnan(expected_root):  # the weights have grown beyond what numbers hold: they stay as they are
        said[LOG_LIKELIHOOD] = np.nan
        return 0
    space, sheet = spaces[now], sheets[now]
    score, lost, entered = follow_gold(gold, address, weights, space, sheet, way)
    score += entered * rule[3]
    if plan[6] == EARLY and lost >= 0:
        said[LOST] = 1.0
        return lost + 1
    for i in range(length):
        score += log_emit[i, gold[i]]
    discount = 1.0
    if plan[6] == BOTH and lost >= 0:  # the normaliser is Z + e^score
        discount = 1.0 / (1.0 + np.exp(score - log_z))
        log_z = max(log_z, score) + np.log1p(np.exp(-abs(log_z - score)))
    said[LOG_LIKELIHOOD] = score - log_z
    said[MEAN_LENGTH] = mean_length(space[0], space[1], space[2], length, logs)
    said[LOST] = max(said[LOST], 1.0 if lost >= 0 else 0.0)
    if plan[6] == SKIP and lost >= 0:
        return 0
    observe(gold, way, lost, discount, space, sheet, label)
    norm = ascend_windows(space, sheet, way, lost, weights, rate, step, queues[0])
    norm += ascend_features(begin, feature, value, label, weights[2], rate, step, queues[1])
    if not plan[4]:
        slope = np.full((1, 1), (entered - expected_root) * discount)
        norm += ascend(weights[3], np.zeros(1, np.int64), slope, rate, step)
    said[NORM] = np.sqrt(norm)
    return 0


@njit(cache=True, nogil=True)
def working_room(data, longest, plan, weights, order):
    """Everything that a stretch of examples works in, made once."""
    offset, begin = data[0], data[1]
    most_entries = 0
    for w in range(offset.size - 1):
        most_entries = max(most_entries, begin[offset[w + 1]] - begin[offset[w]] + offset[w + 1] - offset[w])
    rows, width = weights[1][0].shape
    shorter = longest if plan[1] > 1 else 1
    table = weights[1][0]
    return (
        np.zeros((longest, width)),
        np.zeros((longest, width)),
        np.zeros((longest, width)),
        np.zeros(longest, np.int64),
        (workspace(longest, plan[0], width, table), workspace(shorter, plan[0], width, table)),
        (score_sheet(longest, plan[0], width, order), score_sheet(shorter, plan[0], width, order)),
        (
            make_queue(rows, longest * (plan[0] + 2) * (order + 2), width),
            make_queue(weights[2][0].shape[0], most_entries, width),
        ),
    )


@njit(cache=True, nogil=True)
def train_stretch(visit, data, weights, plan, rate, address, steps, said):
    """Visit these examples, one AdaGrad step each; ``said (·, 4)`` says what each was like before its step.

    ``steps (1,)`` counts the examples of the whole training. Stops early where a hashed table must grow first.
    """
    offset, order = data[0], address[0].size - 1
    longest = 0
    for w in visit:
        longest = max(longest, offset[w + 1] - offset[w])
    room = working_room(data, longest, plan, weights, order)
    for j in range(visit.size):
        if is_short_of_rows(weights[0], longest * (plan[0] + 2) * (order + 2)):
            return
        cut = 0
        for _ in range(2):  # one call, not two: the compiler takes it in, and half the time
            cut = train_example(data, visit[j], cut, weights, plan, rate, address, steps[0], room, said[j])
            if cut == 0:
                break
        steps[0] += 1
