"""Learning alignments: one AdaGrad step per example, on what its observed letters expect minus what the model expects.

The gradient of log p(y | x) is E[φ | x, y] − E[φ | x], both under the contexts that were chosen (Steinhardt & Liang
2015, eq. 7). ``data = (phone, phone_start (N+1,), letter, letter_start (N+1,), most (N,), move, move_start (N+1,))``:
what is flat belongs to example w from ``start[w]`` to ``start[w + 1]``; without moves of its own any alignment counts.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.align.features import ABSENT, LETTERS, NODES, C, P, gather_gradient
from rcmviz.kernels.align.grid import FITS, SHORT, backward, passes
from rcmviz.kernels.align.groups import BACKWARD, FORWARD, LENGTH
from rcmviz.kernels.learn.weights import ascend, claim_row, is_short_of_rows

LOG_LIKELIHOOD, NORM, MEAN_LENGTH, EXPLAINED = 0, 1, 2, 3  # measures of an example
DONE, GROW_SPACE, GROW_TABLE, OVERFLOW = 0, 1, 2, 3
LEAST_SLOPE = 1e-7  # a smaller one makes no new row: the step would be 2e-6


@njit(cache=True, nogil=True)
def allowed_moves(moves, phones, letters, most):
    """By which moves an observed alignment enters which cell, (phones + 1, most + 1); by any where none is observed."""
    allowed = np.full((phones + 1, most + 1), 7 if moves.size == 0 else 0)
    a = i = 0
    for move in moves:
        a += np.int64(move != C)
        i += np.int64(move != P)
        allowed[a, i] = 1 << move
    allowed[:, letters + 1 :] = 0
    return allowed


@njit(cache=True, nogil=True)
def mean_length(lattice, log_z):
    """The mean number of symbols remembered, every edge of the posterior counted once."""
    begin, count, scale, _, _, contexts, mass, _, _, _ = lattice
    edges = symbols = 0.0
    for cell in range(1, begin.size):
        if count[cell] == 0:
            continue
        factor = np.exp(scale[FORWARD, cell] + scale[BACKWARD, cell] - log_z)
        for k in range(begin[cell], begin[cell] + count[cell]):
            here = mass[FORWARD, k] * mass[BACKWARD, k] * factor
            edges += here
            symbols += here * contexts[LENGTH, k]
    return symbols / edges


@njit(cache=True, nogil=True, inline="always")
def claim_node(node, trie, store):
    """Give a node a row of weights, its shorter features first."""
    _, parent, mark, row, _, _ = trie
    while row[node] == ABSENT:
        top = node
        while parent[top] >= 0 and row[parent[top]] == ABSENT:
            top = parent[top]
        above = ABSENT if parent[top] < 0 else row[parent[top]]
        row[top] = claim_row((above + 1) << 24 | mark[top], store)


@njit(cache=True, nogil=True)
def step_nodes(scorer, rate, step):
    """One step on the weights of every node whose slope counts; returns the squared norm."""
    _, counters, _, trie, (store, group) = scorer
    _, _, _, row, _, slope = trie
    gather_gradient(scorer)
    rows, many = np.empty(counters[NODES], np.int64), 0
    for node in range(counters[NODES]):
        own, steepest = slope[node], 0.0
        for y in range(own.size):
            steepest = max(steepest, abs(own[y]))
        if steepest < LEAST_SLOPE:
            continue
        claim_node(node, trie, store)
        rows[many] = row[node]
        into = slope[many]
        for y in range(own.size):
            into[y] = own[y]
        many += 1
    return ascend(group, rows[:many], slope, rate, step)


@njit(cache=True, nogil=True)
def example_of(w, data):
    """Example w as ``grid.py`` takes it."""
    phone, phone_start, letter, letter_start, most, move, move_start = data
    x = phone[phone_start[w] : phone_start[w + 1]]
    gold = letter[letter_start[w] : letter_start[w + 1]]
    return x, gold, allowed_moves(move[move_start[w] : move_start[w + 1]], x.size, gold.size, most[w])


@njit(cache=True, nogil=True)
def train_stretch(visit, data, choosing, rate, scorer, space, steps, measures):
    """Visit these examples, one step each; ``choosing = (rule, passes)``, ``space = (arrays, others, scratch)``.

    ``steps (1,)`` counts the examples of the whole training, ``measures (·, 4)`` what each was like before its step.
    Returns why it stopped: all done, or what has to grow before it can go on, or a score that numbers cannot hold.
    """
    _, _, _, _, most, _, _ = data
    (rule, many), (arrays, others, scratch) = choosing, space
    shape, counters, profiles, _, (store, _) = scorer
    _, _, _, _, ahead, _, _, _, _ = scratch
    for j in range(visit.size):
        w = visit[j]
        example = example_of(w, data)
        lattices = (arrays + (most[w] + 1,), others + (most[w] + 1,))
        ended, log_z, gold_z, now = passes(example, rule, many, lattices, scorer, scratch)
        if ended != FITS:
            return GROW_SPACE if ended == SHORT else OVERFLOW
        if is_short_of_rows(store, counters[NODES]):
            return GROW_TABLE
        measures[j] = np.nan
        measures[j, EXPLAINED] = np.float64(gold_z > -np.inf)
        if log_z > -np.inf:
            backward(example, shape[LETTERS], (log_z, gold_z), lattices[now], ahead, profiles)
            measures[j, MEAN_LENGTH] = mean_length(lattices[now], log_z)
        if gold_z > -np.inf:  # else there is nothing to learn from: no alignment with these letters was kept
            measures[j, LOG_LIKELIHOOD] = gold_z - log_z
            measures[j, NORM] = np.sqrt(step_nodes(scorer, rate, steps[0]))
        steps[0] += 1
    return DONE
