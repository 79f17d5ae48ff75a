"""Learning alignments: one AdaGrad step per example, on what its observed letters expect minus what the model expects.

The gradient of log p(y | x) is E[φ | x, y] − E[φ | x], both under the contexts that were chosen (Steinhardt & Liang
2015, eq. 7). ``data = (phone, phone_start (N+1,), letter, letter_start (N+1,), most (N,), move, move_start (N+1,))``:
what is flat belongs to example w from ``start[w]`` to ``start[w + 1]``; without moves of its own any alignment counts.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.align.cells import BACKWARD, FORWARD, LENGTH
from rcmviz.kernels.align.features import ABSENT, ADDITIVE, LETTERS, NODES, C, P, gather_gradient
from rcmviz.kernels.align.grid import FITS, SHORT, backward, passes
from rcmviz.kernels.learn.weights import ascend, claim_row, is_short_of_rows

LOG_LIKELIHOOD, NORM, MEAN_LENGTH, EXPLAINED = 0, 1, 2, 3  # what is said of an example
DONE, GROW_SPACE, GROW_TABLE, OVERFLOW = 0, 1, 2, 3
LEAST_SLOPE = 1e-7  # a smaller one makes no new row: the step would be 2e-6


@njit(cache=True, nogil=True)
def doors_of(moves, phones, letters, most):
    """By which moves an observed alignment enters which cell, (phones + 1, most + 1); by any where none is observed."""
    doors = np.full((phones + 1, most + 1), 7 if moves.size == 0 else 0)
    a = i = 0
    for move in moves:
        a += np.int64(move != C)
        i += np.int64(move != P)
        doors[a, i] = 1 << move
    doors[:, letters + 1 :] = 0
    return doors


@njit(cache=True, nogil=True)
def mean_length(lattice, log_z):
    """The mean number of symbols remembered, every edge of the posterior counted once."""
    begin, count, scale, contexts, mass = lattice[0], lattice[1], lattice[2], lattice[5], lattice[6]
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


@njit(cache=True, nogil=True)
def claim_node(node, book, store):
    """Give a node a row of weights, its shorter features first."""
    _, parent, mark, row, _, _ = book
    while row[node] == ABSENT:
        top = node
        while parent[top] >= 0 and row[parent[top]] == ABSENT:
            top = parent[top]
        above = ABSENT if parent[top] < 0 else row[parent[top]]
        row[top] = claim_row((above + 1) << 24 | mark[top], store)


@njit(cache=True, nogil=True)
def step_nodes(shape, clock, weights, rate, step, paper, book):
    """One step on the weights of every node whose slope counts; returns the squared norm."""
    _, _, _, row, _, slope = book
    gather_gradient(shape[LETTERS], shape[ADDITIVE], clock, paper, book)
    rows, many = np.empty(clock[NODES], np.int64), 0
    for node in range(clock[NODES]):
        own, steepest = slope[node], 0.0
        for y in range(own.size):
            steepest = max(steepest, abs(own[y]))
        if steepest < LEAST_SLOPE:
            continue
        claim_node(node, book, weights[0])
        rows[many] = row[node]
        into = slope[many]
        for y in range(own.size):
            into[y] = own[y]
        many += 1
    return ascend(weights[1], rows[:many], slope, rate, step)


@njit(cache=True, nogil=True)
def train_stretch(visit, data, weights, shape, rule, many, rate, spaces, steps, said):
    """Visit these examples, ``many`` passes and one step each.

    ``steps (1,)`` counts the examples of the whole training, ``said (·, 4)`` says what each was like before its step.
    Returns why it stopped: all done, or what has to grow before it can go on, or a score that numbers cannot hold.
    """
    phone, phone_start, letter, letter_start, most, move, move_start = data
    clock, arrays, others, room, paper, book = spaces
    for j in range(visit.size):
        w = visit[j]
        x = phone[phone_start[w] : phone_start[w + 1]]
        gold = letter[letter_start[w] : letter_start[w + 1]]
        doors = doors_of(move[move_start[w] : move_start[w + 1]], x.size, gold.size, most[w])
        example, lattices = (x, gold, doors), (arrays + (most[w] + 1,), others + (most[w] + 1,))
        ended, log_z, gold_z, now = passes(example, shape, rule, many, clock, lattices, room, paper, book, weights)
        if ended != FITS:
            return GROW_SPACE if ended == SHORT else OVERFLOW
        if is_short_of_rows(weights[0], clock[NODES]):
            return GROW_TABLE
        said[j] = np.nan
        said[j, EXPLAINED] = np.float64(gold_z > -np.inf)
        if log_z > -np.inf:
            backward(example, shape, log_z, gold_z, lattices[now], room, paper)
            said[j, MEAN_LENGTH] = mean_length(lattices[now], log_z)
        if gold_z > -np.inf:  # else there is nothing to learn from: no alignment with these letters was kept
            said[j, LOG_LIKELIHOOD] = gold_z - log_z
            said[j, NORM] = np.sqrt(step_nodes(shape, clock, weights, rate, steps[0], paper, book))
        steps[0] += 1
    return DONE
