"""Sums and maxima over a finished lattice, in logs, two passes per sum so that no range of scores can underflow.

``offset (T+2,)`` are the columns, ``target (C, Y)`` ids of the next column or −1, ``score (C, Y)`` log scores.
Targets are always in the next column: an ascending sweep is the forward pass, a descending one the backward pass.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import fill


def forward_sums(offset, target, score):
    """``forward[c]``: log of the summed mass of all ways from the start into c; shape (C,)."""
    forward, highest = np.full((2, len(score)), -np.inf)
    fill_forward(offset, target, score, forward, highest, np.empty(len(score)))
    return forward


@kernel(_nrt=False)
def fill_forward(offset, target, score, forward, highest, total):
    """`forward_sums`; ``highest`` and ``total (C,)`` are room."""
    offset, target, score = bare((offset, target, score))
    forward, highest, total = bare((forward, highest, total))
    width = score.shape[1]
    forward[0] = 0.0
    for i in range(offset.size - 2):
        for c in range(offset[i], offset[i + 1]):
            for y in range(width):
                into, value = target[c, y], forward[c] + score[c, y]
                if into >= 0 and value > highest[into]:
                    highest[into] = value
        fill(total[offset[i + 1] : offset[i + 2]], 0.0)
        for c in range(offset[i], offset[i + 1]):
            for y in range(width):
                into, value = target[c, y], forward[c] + score[c, y]
                if into >= 0 and value > -np.inf:
                    total[into] += np.exp(value - highest[into])
        for into in range(offset[i + 1], offset[i + 2]):
            forward[into] = highest[into] + np.log(total[into])


def backward_sums(offset, target, score):
    """``backward[c]``: log of the summed mass of all ways from c to the end; shape (C,)."""
    backward = np.full(len(score), -np.inf)
    fill_backward(offset, target, score, backward)
    return backward


@kernel(_nrt=False)
def fill_backward(offset, target, score, backward):
    """`backward_sums`."""
    offset, target, score, backward = bare((offset, target, score, backward))
    end, width = offset[offset.size - 2], score.shape[1]
    backward[end] = 0.0
    for c in range(end - 1, -1, -1):
        highest = -np.inf
        for y in range(width):
            if target[c, y] >= 0:
                highest = max(highest, score[c, y] + backward[target[c, y]])
        if highest == -np.inf:
            continue
        total = 0.0
        for y in range(width):
            if target[c, y] >= 0:
                total += np.exp(score[c, y] + backward[target[c, y]] - highest)
        backward[c] = highest + np.log(total)


def backward_maxima(offset, target, score):
    """``best[c]``: log score of the best way from c to the end; shape (C,)."""
    best = np.full(len(score), -np.inf)
    fill_maxima(offset, target, score, best)
    return best


@kernel(_nrt=False)
def fill_maxima(offset, target, score, best):
    """`backward_maxima`."""
    offset, target, score, best = bare((offset, target, score, best))
    end = offset[offset.size - 2]
    best[end] = 0.0
    for c in range(end - 1, -1, -1):
        for y in range(score.shape[1]):
            if target[c, y] >= 0:
                best[c] = max(best[c], score[c, y] + best[target[c, y]])


@kernel(_nrt=False)
def arc_posteriors(offset, target, score, forward, backward, label):
    """Adds P(y_i = v) into ``label (T, Y)``; returns the expected log score of an output (0 · −inf = 0)."""
    offset, target, score = bare((offset, target, score))
    forward, backward, label = bare((forward, backward, label))
    log_z, expected = backward[0], 0.0
    for i in range(offset.size - 2):
        for c in range(offset[i], offset[i + 1]):
            for y in range(score.shape[1]):
                if target[c, y] < 0 or score[c, y] == -np.inf:
                    continue
                share = np.exp(forward[c] + score[c, y] + backward[target[c, y]] - log_z)
                label[i, y] += share
                if share > 0.0:
                    expected += share * score[c, y]
    return expected


@kernel(_nrt=False)
def walk_draws(target, score, backward, uniform, labels):
    """Follow ``uniform (n, T)`` numbers in [0, 1) through the lattice: exact posterior draws into ``labels (n, T)``."""
    target, score, backward, uniform, labels = bare((target, score, backward, uniform, labels))
    draws, length = uniform.shape
    for d in range(draws):
        c = 0
        for i in range(length):
            left, chosen = uniform[d, i], -1
            for y in range(score.shape[1]):
                if target[c, y] < 0:
                    continue
                share = np.exp(score[c, y] + backward[target[c, y]] - backward[c])
                if share > 0.0:
                    chosen = y
                    left -= share
                    if left < 0.0:
                        break
            labels[d, i] = chosen
            c = target[c, chosen]


def automaton_mass(offset, target, score, choices, step, accepting):
    """Log mass of the outputs that the automaton ``step (S, labels)`` (−1 = refuses), from state 0, accepts.

    The sum runs over pairs (context, state); ``choices (T, Y)`` label of each column; ``accepting (S,)`` booleans.
    """
    ahead = np.full((len(score), len(step)), -np.inf)
    fill_accepted(offset, target, score, choices, step, accepting, ahead)
    return ahead[0, 0]


@kernel(_nrt=False)
def fill_accepted(offset, target, score, choices, step, accepting, ahead):
    """``ahead (C, S)``: log mass of what follows a context and a state and is accepted."""
    offset, target, score, choices = bare((offset, target, score, choices))
    step, accepting, ahead = bare((step, accepting, ahead))
    states = step.shape[0]
    for s in range(states):
        if accepting[s]:
            ahead[offset[offset.size - 2], s] = 0.0
    for i in range(offset.size - 3, -1, -1):
        for c in range(offset[i], offset[i + 1]):
            for s in range(states):
                ahead[c, s] = accepted_mass(target[c], score[c], choices[i], step[s], ahead)


@kernel(inline="always")
def accepted_mass(target, score, choices, step, ahead):
    """Log mass of one (context, state): its arcs ``target``, ``score``, ``choices (Y,)``, moves ``step (labels,)``."""
    highest = -np.inf
    for y in range(score.size):
        if target[y] >= 0 and step[choices[y]] >= 0:
            highest = max(highest, score[y] + ahead[target[y], step[choices[y]]])
    if highest == -np.inf:
        return -np.inf
    total = 0.0
    for y in range(score.size):
        if target[y] >= 0 and step[choices[y]] >= 0:
            total += np.exp(score[y] + ahead[target[y], step[choices[y]]] - highest)
    return highest + np.log(total)
