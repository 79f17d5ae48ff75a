"""AdaGrad over examples with exact inference: every context of the last n labels, dense tables, linear masses.

Arguments as in ``train.py``; ``rows`` and ``sizes`` are those of `States`.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare, fast_loops
from rcmviz.kernels.chain.dense import backward_dense, forward_dense, posterior_dense, states_space
from rcmviz.kernels.chain.state import StatesSpace
from rcmviz.kernels.kernel import helper, kernel, part
from rcmviz.kernels.learn.arcs import LOG_LIKELIHOOD, LOST, MEAN_LENGTH, NORM
from rcmviz.kernels.learn.train_features import ascend_features, emissions
from rcmviz.kernels.learn.weights import Queue, ascend, exponentiate, make_queue
from rcmviz.kernels.lengths import mean_history, most_entries, most_positions
from rcmviz.kernels.rows import add_rows, copy_row, fill, largest, multiply_row


class DenseWork(NamedTuple):
    """Arrays for one example: R rows of weights."""

    score: np.ndarray  # (R, Y)
    work: np.ndarray  # (R, Y)
    gradient: np.ndarray  # (R, Y)
    rows: np.ndarray  # (R,): 0, 1, …
    log_emits: np.ndarray  # (T, Y)
    emits: np.ndarray  # (T, Y)
    labels: np.ndarray  # (T, Y): gradients of emissions
    space: StatesSpace
    features: Queue


def make_dense_work(visit, data, weights, states):
    """`DenseWork` for these examples."""
    count, width = weights.windows.weight.shape
    longest = most_positions(visit, data.offset)
    return DenseWork(
        *np.zeros((3, count, width)),
        np.arange(count),
        *np.zeros((3, longest, width)),
        states_space(longest, states, width, np.float64),
        make_queue(weights.emission.weight.shape[0], most_entries(data.offset, data.begin), width),
    )


@helper()
def add_suffixes(address, weight, score):
    """``score (R, Y)``: the summed weights of a state's suffixes, the shortest first."""
    powers, base = address.powers, address.base
    order = powers.size - 1
    copy_row(weight.ravel(), score.ravel())
    for k in range(1, order + 1):
        for code in range(powers[k]):
            row = base[order, k] + code
            add_rows(score[base[order, k - 1] + code % powers[k - 1]], weight[row], score[row])
    for i in range(order):
        for code in range(powers[i]):
            row = base[i, i] + code
            add_rows(score[base[order, i] + code], weight[row], score[row])


@kernel(inline="always")
def score_states(address, weight, score, work):
    """``score (R, Y)``: exponentials of the weights, suffixes summed where additive, the shortest first.

    False where one is too large; ``work (R, Y)`` is used up.
    """
    if address.additive:
        add_suffixes(address, weight, score)
    else:
        copy_row(weight.ravel(), score.ravel())
    return exponentiate(score.ravel(), work.ravel())


@helper(error_model="numpy")
def subtract_expected(emit, score, states, space, gradient):
    """Subtract the expected counts of all states from ``gradient (R, Y)``; False where masses were lost."""
    fast_loops()
    positions, width = emit.shape
    rows, sizes, alpha, beta, scale, message = (
        states.rows,
        states.sizes,
        space.alpha,
        space.beta,
        space.work,
        space.message,
    )
    for i in range(positions):
        total = 0.0  # what the column's arcs carry together: beta is what lies ahead, divided by the scale
        for code in range(sizes[i]):
            total += alpha[i, code] * beta[i, code]
        total *= scale[i]
        if not (total > 0 and total < np.inf):
            return False
        suffixes = 1 if i == positions - 1 else sizes[i + 1] // width
        for suffix in range(suffixes):
            for y in range(width):
                message[y] = emit[i, y] * beta[i + 1, suffix * width + y] / total
            for code in range(suffix, sizes[i], suffixes):
                row, mass = rows[i] + code, alpha[i, code]
                for y in range(width):
                    gradient[row, y] -= mass * score[row, y] * message[y]
    return True


@part()
def fold_suffixes(address, gradient):
    """Additive: what a context's windows of all orders get is what the context gets."""
    powers, base = address.powers, address.base
    order = powers.size - 1
    for i in range(order):
        for code in range(powers[i]):
            row = gradient[base[order, i] + code]
            add_rows(row, gradient[base[i, i] + code], row)
    for k in range(order, 0, -1):
        for code in range(powers[k]):
            row = gradient[base[order, k - 1] + code % powers[k - 1]]
            add_rows(row, gradient[base[order, k] + code], row)


@part()
def ascend_states(address, positions, group, work, rate, step):
    """One step on every row that an example of ``positions`` positions can touch; empties the gradient."""
    powers, base, additive = address.powers, address.base, address.additive
    order = powers.size - 1
    norm = 0.0
    for i in range(min(order + 1, positions)):
        for k in range(0 if additive and i == order else i, i + 1):
            norm += ascend_block(base[i, k], powers[k], group, work, rate, step)
    if additive and positions <= order:  # the windows that do not know where they begin, as far as histories reach
        for k in range(positions):
            norm += ascend_block(base[order, k], powers[k], group, work, rate, step)
    return norm


@helper()
def ascend_block(first, size, group, work, rate, step):
    """One step on neighbouring rows."""
    gradient = work.gradient[first : first + size]
    norm = ascend(group, work.rows[first : first + size], gradient, rate, step)
    fill(gradient.ravel(), 0.0)
    return norm


@part()
def gold_windows(address, gold, weight, gradient):
    """Count the gold's own states in ``gradient``; returns the log score of its windows."""
    powers, base, additive = address.powers, address.base, address.additive
    order, code, score = powers.size - 1, 0, 0.0
    for i in range(gold.size):
        known = min(i, order)
        gradient[base[known, known] + code, gold[i]] += 1.0
        if additive:
            for k in range(known + 1):
                score += weight[base[order, k] + code % powers[k], gold[i]]
        if not additive or i < order:
            score += weight[base[known, known] + code, gold[i]]
        code = (code * powers[1] + gold[i]) % powers[order]
    return score


@kernel()
def train_dense_stretch(visit, data, weights, states, rate, address, steps, measures, work):
    """As ``train_stretch``, with exact inference."""
    visit, data, weights, states, address = bare((visit, data, weights, states, address))
    steps, measures, work = bare((steps, measures, work))
    windows, features, order = weights.windows, weights.emission, address.powers.size - 1
    rows, sizes, score, gradient = states.rows, states.sizes, work.score, work.gradient
    alpha, beta, scale, message = work.space.alpha, work.space.beta, work.space.work, work.space.message
    for j in range(visit.size):
        begin, end = data.offset[visit[j]], data.offset[visit[j] + 1]
        truth, length, entries = data.gold[begin:end], end - begin, data.begin[begin : end + 1]
        log_emit, emit, label = work.log_emits[:length], work.emits[:length], work.labels[:length]
        emissions(entries, data.feature, data.value, features.weight, log_emit, emit)
        in_range = score_states(address, windows.weight, score, work.work)
        log_z = forward_dense(emit, score, rows, sizes, alpha, message)
        backward_dense(emit, score, rows, sizes, beta, scale, message)
        likelihood = gold_windows(address, truth, windows.weight, gradient) - log_z
        for i in range(length):
            likelihood += log_emit[i, truth[i]] - largest(log_emit[i])
        measures[j, MEAN_LENGTH] = mean_history(length, order)
        measures[j, LOST], measures[j, NORM], measures[j, LOG_LIKELIHOOD] = 0.0, 0.0, likelihood
        sound = in_range and subtract_expected(emit, score, states, work.space, gradient)
        step = steps[0]
        steps[0] += 1
        if not (sound and np.isfinite(likelihood)):
            measures[j, LOG_LIKELIHOOD] = np.nan
            fill(gradient.ravel(), 0.0)
            continue
        posterior_dense(emit, score, rows, sizes, alpha, beta, label)
        for i in range(length):
            multiply_row(label[i], -1.0)
            label[i, truth[i]] += 1.0
        if address.additive:
            fold_suffixes(address, gradient)
        norm = ascend_states(address, length, windows, work, rate, step)
        norm += ascend_features(entries, data.feature, data.value, label, features, rate, step, work.features)
        measures[j, NORM] = np.sqrt(norm)
