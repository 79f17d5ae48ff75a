"""One pass of AdaGrad over words, each step the exact gradient under the contexts selected at the present weights.

``data = (features (N, F) of 0/1, gold (N,), offset (W+1,))``,
``weights = (log (R, Y), exponentials of it, squares, emission (F+1, Y), its squares)``, all updated in place.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.contexts import ROW
from rcmviz.kernels.words import backward_word, forward_word, workspace


@njit(cache=True, nogil=True)
def emissions(features, emission, emit):
    """Scaled emissions of one word into ``emit (T, Y)``, each row's maximum one; returns their log (T, Y)."""
    logs = np.empty(emit.shape)
    for i in range(features.shape[0]):
        logs[i] = emission[-1]
        for f in range(features.shape[1]):
            if features[i, f]:
                logs[i] += emission[f]
        emit[i] = np.exp(logs[i] - logs[i].max())
    return logs


@njit(cache=True, nogil=True)
def ascend(weight, square, gradient, eta, delta):
    """AdaGrad: ``θ += η g / sqrt(δ + Σ g²)``, the present gradient in the sum (Duchi et al. 2011)."""
    for y in range(gradient.size):
        if gradient[y] != 0.0:
            square[y] += gradient[y] * gradient[y]
            weight[y] += eta * gradient[y] / np.sqrt(delta + square[y])


@njit(cache=True, nogil=True)
def word_gradient(emit, gold, table, space, place, rows, window, label):
    """Observed minus expected counts of one word.

    ``window (K, Y)`` sums them by row of the model, ``rows (K,)`` are those rows, ``place (R,)`` the inverse or −1;
    ``label (T, Y)`` are gold minus posterior per position. Returns how many rows were touched.
    """
    contexts, count, alpha, beta, _, target, _, _, _, _, _ = space
    width, touched, on_gold = emit.shape[1], 0, 0
    share = np.empty(width)
    for i in range(emit.shape[0]):
        label[i] = 0.0
        # beta was rescaled per column: what one arc carries is normalised by what the whole column carries
        column = 0.0
        for k in range(count[i]):
            weight, into = table[contexts[i, ROW, k]], target[i, k]
            for y in range(width):
                column += alpha[i, k] * weight[y] * emit[i, y] * beta[i + 1, into[y]]
        for k in range(count[i]):
            row = contexts[i, ROW, k]
            if place[row] < 0:
                place[row] = touched
                rows[touched] = row
                window[touched] = 0.0
                touched += 1
            weight, into = table[row], target[i, k]
            for y in range(width):
                share[y] = alpha[i, k] * weight[y] * emit[i, y] * beta[i + 1, into[y]] / column
            window[place[row]] -= share
            label[i] -= share
            if k == on_gold:
                window[place[row], gold[i]] += 1.0
        label[i, gold[i]] += 1.0
        on_gold = target[i, on_gold, gold[i]]
    return touched


@njit(cache=True, nogil=True)
def gold_score(log_emit, gold, log_table, space):
    """Log score of the gold labels along their own context path."""
    contexts, target = space[0], space[5]
    score, k = 0.0, 0
    for i in range(gold.size):
        score += log_table[contexts[i, ROW, k], gold[i]] + log_emit[i, gold[i]]
        k = target[i, k, gold[i]]
    return score


@njit(cache=True, nogil=True)
def train_epoch(order, data, weights, budget, eta, delta, address, rule):
    """Visit the words in ``order``, one AdaGrad step each; returns the summed log-likelihood before each step."""
    features, gold, offset = data
    log_table, table, squares, emission, emission_squares = weights
    width, longest = log_table.shape[1], np.max(offset[1:] - offset[:-1])
    space = workspace(longest, budget, width, table)
    place = np.full(len(log_table), -1)
    rows = np.empty(longest * (budget + 1), np.int64)
    window = np.empty((longest * (budget + 1), width))
    emit, label = np.empty((longest, width)), np.empty((longest, width))
    pixel = np.empty(emission.shape)
    total = 0.0
    for w in order:
        span = slice(offset[w], offset[w + 1])
        pixels, truth, length = features[span], gold[span], offset[w + 1] - offset[w]
        logs = emissions(pixels, emission, emit[:length])
        log_z = forward_word(emit[:length], budget, table, address, rule, False, False, space, space, False)
        backward_word(emit[:length], table, rule, False, space)
        for i in range(length):
            log_z += logs[i].max()
        total += gold_score(logs, truth, log_table, space) - log_z
        touched = word_gradient(emit[:length], truth, table, space, place, rows, window, label)
        for t in range(touched):
            row = rows[t]
            ascend(log_table[row], squares[row], window[t], eta, delta)
            table[row] = np.exp(log_table[row])
            place[row] = -1
        pixel[:] = 0.0
        for i in range(length):
            pixel[-1] += label[i]
            for f in range(features.shape[1]):
                if pixels[i, f]:
                    pixel[f] += label[i]
        for f in range(pixel.shape[0]):
            ascend(emission[f], emission_squares[f], pixel[f], eta, delta)
    return total
