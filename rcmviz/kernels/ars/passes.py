"""Passes over a q-automaton: its best path and k best, the mass of what follows every state, draws.

``emit (T, Y)`` and ``widths (T,)`` are those of the ``Problem``. ``sums (3, S)`` are of what follows a state: their
logs, the sums relative to the column's largest, and each row's linear sum.
"""

import numpy as np

from rcmviz.kernels.ars.automaton import COLUMN, NEXT, PARENT
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import fill

LOG_SUM, SUM, ROW_SUM = 0, 1, 2  # of ``sums``
SMALL = 1e-200  # a row whose linear sum is below is added up in logs


@kernel(_nrt=False)
def update_maxima(automaton, emit, widths):
    """Viterbi's backward pass, lazily: ``beta`` the best completion of each state, ``best`` its label, ``rival`` what
    none of its other edges exceeds.

    Weights and messages only fall, so a state whose best edge still has its value needs no other look: the result is
    the same and a round 5 to 12 times as fast. Nor does one whose best edge has fallen and still exceeds what was the
    second best when all were compared: 2,157 comparisons of a message's 600 edges instead of 5,879. Returns the maximum
    of q.
    """
    weight, target, beta, rival = automaton.weight, automaton.target, automaton.beta, automaton.rival
    for i in range(emit.shape[0] - 1, -1, -1):
        state = automaton.heads[i]
        while state >= 0:
            y = automaton.best[state]
            highest = weight[state, y] + emit[i, y] + beta[target[state, y]]
            if highest != beta[state]:
                if not highest > rival[state]:
                    highest, second, y = -np.inf, -np.inf, 0
                    for other in range(widths[i]):
                        value = weight[state, other] + emit[i, other] + beta[target[state, other]]
                        if value > highest:
                            highest, second, y = value, highest, other
                        elif value > second:
                            second = value
                    automaton.best[state], rival[state] = y, second
                beta[state] = highest
            state = automaton.fields[NEXT, state]
    return beta[0]


@kernel(inline="always")
def follow_best(automaton, path):
    """The best path of q, once ``update_maxima`` is done."""
    state = 0
    for i in range(path.size):
        path[i] = automaton.best[state]
        state = automaton.target[state, path[i]]


@kernel(_nrt=False)
def fill_linear(automaton, emit, widths):
    """``linear[s, y] = exp(weight + emit − shift[s])`` with the maximum of the column's root as shift, for
    ``update_sums``: as states are made, so that most are those of the parent, which is older.
    """
    weight, linear, shift = automaton.weight, automaton.linear, automaton.shift
    for state in range(automaton.counts[0]):
        i, parent = automaton.fields[COLUMN, state], automaton.fields[PARENT, state]
        if i == emit.shape[0]:
            continue
        if parent < 0:
            highest = -np.inf
            for y in range(widths[i]):
                highest = max(highest, weight[state, y] + emit[i, y])
        shift[state] = shift[parent] if parent >= 0 else highest if highest > -np.inf else 0.0
        for y in range(widths[i]):
            if parent >= 0 and weight[state, y] == weight[parent, y]:
                linear[state, y] = linear[parent, y]
            else:
                linear[state, y] = np.exp(weight[state, y] + emit[i, y] - shift[state])


@kernel(_nrt=False)
def update_sums(automaton, emit, widths, sums):
    """Backward sums; ``sums (3, S)``: their logs, relative to the column's largest, and each row's linear sum.

    Linear, with a shift per state and per column; a row that nearly vanishes so is added up in logs. Returns log of the
    mass of q.
    """
    heads, fields, weight, target = automaton.heads, automaton.fields, automaton.weight, automaton.target
    end = heads[emit.shape[0]]
    sums[LOG_SUM, end], sums[SUM, end] = 0.0, 1.0
    above = 0.0
    for i in range(emit.shape[0] - 1, -1, -1):
        largest = -np.inf
        state = heads[i]
        while state >= 0:
            total = 0.0
            for y in range(widths[i]):
                total += automaton.linear[state, y] * sums[SUM, target[state, y]]
            sums[ROW_SUM, state] = total
            if total > SMALL:
                sums[LOG_SUM, state] = automaton.shift[state] + np.log(total) + above
            else:
                sums[LOG_SUM, state] = log_sum_of_row(weight[state], emit[i], widths[i], sums[LOG_SUM], target[state])
            largest = max(largest, sums[LOG_SUM, state])
            state = fields[NEXT, state]
        above = largest if largest > -np.inf else 0.0
        state = heads[i]
        while state >= 0:
            sums[SUM, state] = np.exp(sums[LOG_SUM, state] - above)
            state = fields[NEXT, state]
    return sums[LOG_SUM, 0]


@kernel(inline="always")
def log_sum_of_row(weight, emit, width, log_sums, target):
    """``log Σ_y exp(weight[y] + emit[y] + log_sums[target[y]])``."""
    highest = -np.inf
    for y in range(width):
        highest = max(highest, weight[y] + emit[y] + log_sums[target[y]])
    if highest == -np.inf:
        return highest
    total = 0.0
    for y in range(width):
        total += np.exp(weight[y] + emit[y] + log_sums[target[y]] - highest)
    return highest + np.log(total)


@kernel(inline="always")
def draw(automaton, emit, widths, sums, uniform, path):
    """One path from q: forward, each label in proportion to its edge and what follows."""
    weight, target, linear = automaton.weight, automaton.target, automaton.linear
    state = 0
    for i in range(path.size):
        careful = sums[ROW_SUM, state] <= SMALL
        bar = uniform[i] * (1.0 if careful else sums[ROW_SUM, state])
        chosen = -1
        reached = 0.0
        for y in range(widths[i]):
            if careful:
                log_part = weight[state, y] + emit[i, y] + sums[LOG_SUM, target[state, y]] - sums[LOG_SUM, state]
                part = np.exp(log_part)
            else:
                part = linear[state, y] * sums[SUM, target[state, y]]
            if part > 0.0:
                chosen = y
                reached += part
                if reached > bar:
                    break
        path[i] = chosen
        state = target[state, chosen]


@kernel(inline="always")
def best_paths(automaton, emit, widths, value, label, follower, paths):
    """The k best paths of q into ``paths (k, T)``; returns how many there are.

    Every state keeps its k best completions, ``(S, k)`` each: a value, a label, and which completion of the next state.
    """
    target, k = automaton.target, paths.shape[0]
    fill(value.ravel(), -np.inf)
    value[automaton.heads[emit.shape[0]], 0] = 0.0
    for i in range(emit.shape[0] - 1, -1, -1):
        state = automaton.heads[i]
        while state >= 0:
            for y in range(widths[i]):
                here, following = automaton.weight[state, y] + emit[i, y], value[target[state, y]]
                for rank in range(k):
                    if not here + following[rank] > value[state, k - 1]:
                        break
                    insert(here + following[rank], y, rank, value[state], label[state], follower[state])
            state = automaton.fields[NEXT, state]
    found = 0
    while found < k and value[0, found] > -np.inf:
        state, rank = 0, found
        for i in range(emit.shape[0]):
            y = label[state, rank]
            paths[found, i] = y
            state, rank = target[state, y], follower[state, rank]
        found += 1
    return found


@kernel(inline="always")
def insert(reached, y, rank, value, label, follower):
    """Put a completion in its place among a state's best, after those that are as good; the last falls out."""
    place = value.size - 1
    while place > 0 and value[place - 1] < reached:
        value[place] = value[place - 1]
        label[place], follower[place] = label[place - 1], follower[place - 1]
        place -= 1
    value[place], label[place], follower[place] = reached, y, rank
