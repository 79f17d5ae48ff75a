"""The forward pass of a training: contexts are scored by weights that are still learnt.

Every selected context is scored by a row of its own, which ROW names: the sum of its windows' weights, or the
exponential, written once. So single and additive, dense and hashed tables meet the same inner loops as inference.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.chain.contexts import CODE, LENGTH, ROW
from rcmviz.kernels.chain.masses import total_mass
from rcmviz.kernels.chain.messages import backward_word
from rcmviz.kernels.chain.words import forward_position, start_word, workspace
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.learn.weights import FAR, Store, add_scores, exponentiate, window_addresses
from rcmviz.kernels.rows import ZERO

LEAST_MASS = np.exp(-FAR)  # of a kept context, and of a column
LOG_LIKELIHOOD, NORM, MEAN_LENGTH, LOST = 0, 1, 2, 3  # measures of an example


class Arcs(NamedTuple):
    """The rows that score contexts, budget + 1 per position, and after them one per position for labels that have
    fallen off.
    """

    score: np.ndarray  # (M, Y)
    gradient: np.ndarray  # (M, Y)
    windows: np.ndarray  # (M, n + 2): addresses of the windows that fire
    many: np.ndarray  # (M,): how many windows fire


class Windows(NamedTuple):
    """What scores contexts. The other weights stay out: the type of what they were summed in is the objective's own."""

    store: Store
    weight: np.ndarray


def make_arcs(positions, budget, labels, order):
    """Empty rows."""
    rows = positions * (budget + 2)
    return Arcs(
        np.zeros((rows, labels)),
        np.zeros((rows, labels)),
        np.zeros((rows, order + 2), np.int64),
        np.zeros(rows, np.int64),
    )


def make_pairs(longest, passes, budget, table, order):
    """Two workspaces and two sets of arcs for examples of up to ``longest`` positions."""
    labels, shorter = table.shape[1], longest if passes > 1 else 1
    spaces = workspace(longest, budget, labels, table), workspace(shorter, budget, labels, table)
    return spaces, (make_arcs(longest, budget, labels, order), make_arcs(shorter, budget, labels, order))


@kernel(inline="always")
def score_contexts(i, address, windows, logs, space, arcs):
    """Write the scores of the contexts of column i, and let ROW name them; False where masses could underflow."""
    contexts, count, alpha, score = space.contexts[i], space.count[i], space.alpha[i], arcs.score
    first = i * contexts.shape[1]
    for k in range(count):
        row = first + k
        arcs.many[row] = window_addresses(address, i, contexts[LENGTH, k], contexts[CODE, k], arcs.windows, row)
        contexts[ROW, k] = row
        if not logs and 0.0 < alpha[k] < LEAST_MASS:
            return False
    add_scores(first, count, arcs.windows, arcs.many, windows.store, windows.weight, score)
    return logs or exponentiate(score[first : first + count].ravel(), arcs.gradient[first : first + count].ravel())


@kernel(inline="always")
def forward_example(emit, until, pruning, address, windows, logs, space, previous, second, arcs):
    """As ``forward_word``, each context scored when its column is complete."""
    length = emit.shape[0]
    start_word(address, logs, space)
    scale, k = 0.0, ZERO
    for i in range(length):
        if not score_contexts(i, address, windows, logs, space, arcs):
            return np.nan
        scale += forward_position(i, emit, arcs.score, address, logs, pruning, space, previous, second)
        if i < until.size - 1:
            k = space.target[i, k, until[i]]
            if k < 0:
                return scale
    return scale + total_mass(space.mass, space.count[length - 1], logs)


@helper()
def passes_example(emit, until, passes, pruning, address, windows, logs, spaces, both_arcs):
    """All passes of one example; returns log Z up to the scale, and which workspace and arcs hold the last.

    A pass ends where the labels ``until`` have fallen off, and log Z is that of no output.
    """
    log_z, now = -np.inf, 1
    for turn in range(passes):
        if turn > 0:
            backward_word(emit, both_arcs[now].score, pruning.rule, logs, spaces[now])
        now = 1 - now
        log_z = forward_example(
            emit, until, pruning, address, windows, logs, spaces[now], spaces[1 - now], turn > 0, both_arcs[now]
        )
        if np.isnan(log_z):  # masses could underflow: what this pass has left behind is no basis for the next
            break
    return log_z, now


@helper(_nrt=False)
def follow_labels(labels, address, space, arcs, way):
    """The rows that score some labels, into ``way (T,)``: their contexts', and beyond a beam those of the full history.

    Returns the last position before they fell off, −1 if they never did.
    """
    powers, each = address.powers, space.contexts.shape[2]
    far, lost, k, code = first_lost_row(space, arcs), -1, ZERO, ZERO
    for i in range(labels.size):
        way[i] = i * each + k
        if k < 0:
            way[i] = far + i
            arcs.many[far + i] = window_addresses(address, i, i, code, arcs.windows, far + i)
        code = (code * powers[1] + labels[i]) % powers[powers.size - 1]
        if k >= 0 and i < labels.size - 1:
            k = space.target[i, k, labels[i]]
            lost = i if k < 0 else lost
    return lost


@kernel(inline="always")
def first_lost_row(space, arcs):
    """The first of the rows of labels that have fallen off."""
    each = space.contexts.shape[2]
    return arcs.score.shape[0] // (each + 1) * each


@helper(_nrt=False)
def root_entries(way, space):
    """How often a way leads into the root."""
    entries = 0
    for i in range(1, way.size):
        entries += way[i] == i * space.contexts.shape[2]
    return entries
