"""What lies ahead: backward messages of all columns of a word, and the shares of its arcs.

Arguments as in ``words.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import as_in, fast_loops
from rcmviz.kernels.chain.contexts import ROW, backward, spread
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.rows import fill


@helper(_nrt=False)
def end_message(message, logs):
    """The backward message of the end: one, and zero for the dropped."""
    fill(message, -np.inf if logs else 0.0)
    message[0] = 0.0 if logs else 1.0


@helper()
def look_ahead(i, positions, rule, logs, space, messages):
    """What lies ahead of the arcs of position i, into the workspace's ``mass``, from ``messages (T+1, C+1)``."""
    contexts, count, ahead = space.contexts, space.count, space.mass
    ending = i == positions - 1
    spread(contexts[i], count[i], contexts[i + 1], count[i + 1], ending, rule, logs, messages[i + 1], ahead)
    return ahead


@kernel(inline="always")
def backward_word(emit, table, rule, logs, space):
    """Backward messages of all columns; the place after a column's last context answers for what was dropped."""
    beta, length = space.beta, emit.shape[0]
    end_message(beta[length], logs)
    for i in range(length - 1, -1, -1):
        ahead = look_ahead(i, length, rule, logs, space, beta)
        backward(space.contexts[i], space.count[i], table, emit[i], ahead, logs, beta[i])
        beta[i, beta.shape[1] - 1] = -np.inf if logs else 0.0


@helper(fastmath={"reassoc"}, _nrt=False)
def linear_shares(contexts, count, alpha, table, emit, ahead, beta, share, label):
    """The mass that every arc of a column carries, into ``share (C, Y)``, its sums into ``label (Y,)``; backward
    messages; returns the sum of shares.

    The forward masses are known by now, so each arc is read once for all.
    """
    fast_loops()
    total = highest = as_in(beta, 0)
    fill(label, 0.0)
    for k in range(count):
        weight, message, forward, into = table[contexts[ROW, k]], ahead[k], alpha[k], share[k]
        beyond = as_in(beta, 0)
        for y in range(emit.size):
            arc = weight[y] * emit[y] * message[y]
            into[y] = forward * arc
            label[y] += into[y]
            beyond += arc
        beta[k] = beyond
        total += forward * beyond
        highest = max(highest, beyond)
    if highest > 0:
        for k in range(count):
            beta[k] /= highest
    return total


@helper(_nrt=False)
def log_shares(contexts, count, alpha, table, emit, ahead, beta, share, label):
    """The same from logs; shares are masses up to a scale."""
    highest, total = -np.inf, 0.0
    fill(label, 0.0)
    for k in range(count):
        weight, into = table[contexts[ROW, k]], share[k]
        for y in range(emit.size):
            into[y] = alpha[k] + weight[y] + emit[y] + ahead[k, y]
            highest = max(highest, into[y])
    for k in range(count):
        into = share[k]
        for y in range(emit.size):
            into[y] = np.exp(into[y] - highest) if highest > -np.inf else 0.0
            label[y] += into[y]
            total += into[y]
    backward(contexts, count, table, emit, ahead, np.bool_(True), beta)
    return total


@kernel(inline="always")
def shares_of_column(i, emit, table, rule, logs, space, share, label):
    """Shares of the arcs of column i, and of its labels, and its backward messages; returns the sum of shares.

    The mass is equal at every column, so dividing by that sum normalises.
    """
    contexts, count, alpha, beta = space.contexts[i], space.count[i], space.alpha[i], space.beta[i]
    ahead = look_ahead(i, emit.shape[0], rule, logs, space, space.beta)
    if logs:
        total = log_shares(contexts, count, alpha, table, emit[i], ahead, beta, share, label)
    else:
        total = linear_shares(contexts, count, alpha, table, emit[i], ahead, beta, share, label)
    beta[beta.size - 1] = -np.inf if logs else 0.0
    return total
