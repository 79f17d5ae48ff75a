"""Many words at once: the five position kernels in one compiled loop, one workspace per thread.

Nothing is allocated inside the loop over words. ``space`` is a `Workspace`, ``pruning`` a `Pruning` of ``state.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import as_in, bare
from rcmviz.kernels.chain.contexts import (
    FIELDS,
    LENGTH,
    ROW,
    absorb,
    expand,
    fold,
    grow,
    join_images,
    map_images,
    rank_by_posterior,
    start,
)
from rcmviz.kernels.chain.masses import total_mass
from rcmviz.kernels.chain.messages import backward_word, end_message, look_ahead, shares_of_column
from rcmviz.kernels.chain.selection import SLACK, select
from rcmviz.kernels.chain.state import Workspace
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.rows import copy_row, divide_row, fill, largest

LOG_Z, LOG_SCORE, MEAN_LENGTH = 0, 1, 2  # of the scores of a word
LEAST_MASS = 1e-290  # of a position, linear; what underflows is below 1e-307, so it is negligible next to this


def workspace(positions, budget, labels, table):
    """Arrays for one thread; ``table`` only gives the floating-point type."""
    size = budget + 1
    slots = 1 << int(4 * size - 1).bit_length()
    return Workspace(
        contexts=np.zeros((positions + 1, FIELDS, size), np.int64),
        count=np.zeros(positions + 1, np.int64),
        alpha=np.zeros((positions + 1, size), table.dtype),
        beta=np.zeros((positions + 1, size + 1), table.dtype),
        best=np.zeros((positions + 1, size + 1), table.dtype),
        target=np.zeros((positions, size, labels), np.int32),
        mass=np.zeros((size, labels), table.dtype),
        key=np.zeros((size, labels), table.dtype),
        chosen=np.zeros(budget + SLACK, np.int64),
        choice=np.zeros((positions, size), np.int64),
        slot=np.zeros(slots, np.int64),
    )


@kernel(inline="always")
def forward_position(i, emit, table, address, logs, pruning, space, previous, second):
    """Propose from the contexts of column i and, unless it is the last, select column i + 1; returns its log scale.

    ``emit (T, Y)`` are the word's; ``previous`` is the workspace of the pass before where ``second``, else not looked
    at. Leaves all candidates' masses in the workspace.
    """
    rule, count, mass, key = pruning.rule, space.count, space.mass, space.key
    here, there, target, size = space.contexts[i], space.contexts[i + 1], space.target[i], count[i]
    expand(here, size, space.alpha[i], table, emit[i], logs, mass)
    if i == emit.shape[0] - 1:
        fill(target[:size].ravel(), 0)
        count[i + 1] = 1
        return 0.0
    if pruning.deduplicate:
        fold(here, size, address.powers, rule.root_proposes, logs, mass, space.slot)
    ranked = mass
    if second:
        ranked = key
        before = previous.target[i]
        if pruning.deduplicate:
            join_images(here, previous.contexts[i], previous.count[i], address.powers, rule.root_proposes, space.slot)
        rank_by_posterior(here, size, before, previous.beta[i + 1], logs, mass, key)
    if i > 0 and not rule.root_proposes:
        for k in range(size):
            copy_row(ranked[k], key[k])
        fill(key[0], -np.inf if logs else 0.0)
        ranked = key
    kept = space.chosen[: select(ranked[:size].ravel(), pruning.budget, logs, space.chosen)]
    count[i + 1] = grow(here, size, kept, i + 1, address, rule, there, target)
    if second:
        map_images(here, there, count[i + 1], previous.target[i])
    return absorb(here, size, kept, rule, logs, mass, space.alpha[i + 1, : count[i + 1]])


@kernel(inline="always")
def start_word(address, logs, space):
    """Column 0: the empty history with all the mass."""
    start(address, space.contexts[0])
    space.count[0] = 1
    space.alpha[0, 0] = 0.0 if logs else 1.0


@kernel(inline="always")
def forward_word(emit, table, address, logs, pruning, space, previous, second):
    """Select contexts and sum forward masses of all positions; returns log Z up to the emissions' scale."""
    length = emit.shape[0]
    start_word(address, logs, space)
    scale = 0.0
    for i in range(length):
        scale += forward_position(i, emit, table, address, logs, pruning, space, previous, second)
    return scale + total_mass(space.mass, space.count[length - 1], logs)


@kernel(inline="always")
def posterior_word(emit, table, rule, logs, space, posterior):
    """Label posteriors ``P(y_i = v)`` (T, Y) of one word, and its backward messages.

    Returns False if linear masses are too small to be trusted.
    """
    length, share, is_trusted = emit.shape[0], space.key, True
    end_message(space.beta[length], logs)
    for i in range(length - 1, -1, -1):
        total = shares_of_column(i, emit, table, rule, logs, space, share, posterior[i])
        is_trusted = is_trusted and (logs or total > LEAST_MASS)
        if total > 0:
            divide_row(posterior[i], total)
    return is_trusted


@kernel(inline="always")
def best_label(weight, emit, message, logs):
    """The label of the best arc of a context and its score; ties to the lower label."""
    winner, highest = 0, -np.inf if logs else -1.0
    for y in range(emit.size):
        value = np.float64(weight[y] + emit[y] + message[y] if logs else weight[y] * emit[y] * message[y])
        if value > highest:
            winner, highest = y, value
    return winner, highest


@kernel(inline="always")
def viterbi_word(emit, table, rule, logs, space, labels):
    """The best labels into ``labels``; returns their log score up to the emissions' scale.

    ``choice (T, C)`` remembers every context's best label, so the way is read off from the start. NaN if linear masses
    are too small to be trusted.
    """
    contexts, count, alpha, best, choice = space.contexts, space.count, space.alpha, space.best, space.choice
    length = emit.shape[0]
    end_message(best[length], logs)
    scale = 0.0
    for i in range(length - 1, -1, -1):
        ahead = look_ahead(i, length, rule, logs, space, best)
        highest = through = as_in(best, 0)
        for k in range(count[i]):
            choice[i, k], best[i, k] = best_label(table[contexts[i, ROW, k]], emit[i], ahead[k], logs)
            highest = max(highest, best[i, k])
            through += alpha[i, k] * best[i, k]
        if not logs and not through > LEAST_MASS:
            return np.nan
        if not logs:
            divide_row(best[i, : count[i]], highest)
            scale += np.log(highest)
    k = 0
    for i in range(length):
        labels[i] = choice[i, k]
        k = space.target[i, k, labels[i]]
        if k < 0:  # nothing has positive mass
            return -np.inf
    return best[0, 0] if logs else scale


@kernel(inline="always")
def mean_length(space, positions, logs):
    """Mass-weighted mean number of remembered labels over positions 1 … T−1."""
    contexts, count, alpha = space.contexts, space.count, space.alpha
    total = 0.0
    for i in range(1, positions):
        highest = largest(alpha[i, : count[i]]) if logs and count[i] > 0 else 0.0
        mass, weighted = 0.0, 0.0
        for k in range(count[i]):
            share = np.exp(alpha[i, k] - highest) if logs else np.float64(alpha[i, k])
            mass += share
            weighted += share * contexts[i, LENGTH, k]
        if mass > 0:
            total += weighted / mass
    return total / max(positions - 1, 1)


@kernel(inline="always")
def passes_word(emit, passes, table, address, logs, pruning, spaces):
    """All passes of one word; returns log Z and which of the two workspaces holds the last."""
    log_z, now = -np.inf, 1
    for turn in range(passes):
        if turn > 0:
            backward_word(emit, table, pruning.rule, logs, spaces[now])
        now = 1 - now
        log_z = forward_word(emit, table, address, logs, pruning, spaces[now], spaces[1 - now], turn > 0)
    return log_z, now


@kernel()
def infer_words(thread, threads, emit, offset, pruning, passes, logs, table, address, outputs, spaces):
    """Every ``threads``-th word from ``thread`` on; word w is ``emit[offset[w]:offset[w+1]]``.

    ``spaces`` are two workspaces of the thread, of which the second is for several passes.

    ``outputs`` as in ``lane_state.py``, but the posterior (N, Y): best labels; log Z, log score of the best and mean
    context length (with two columns only the first two); label posteriors. ``labels`` and ``posterior`` are left alone
    where they have no rows. Log Z is NaN if linear masses are too small to be trusted.
    """
    emit, offset, table, address, outputs, spaces = bare((emit, offset, table, address, outputs, spaces))
    labels, scores, posterior, rule = outputs.labels, outputs.scores, outputs.posterior, pruning.rule
    for w in range(thread, offset.size - 1, threads):
        span = emit[offset[w] : offset[w + 1]]
        log_z, now = passes_word(span, passes, table, address, logs, pruning, spaces)
        space = spaces[now]
        scores[w, LOG_Z] = log_z
        if labels.size > 0:
            scores[w, LOG_SCORE] = viterbi_word(span, table, rule, logs, space, labels[offset[w] : offset[w + 1]])
            if np.isnan(scores[w, LOG_SCORE]):
                scores[w, LOG_Z] = np.nan
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean_length(space, span.shape[0], logs)
        if posterior.shape[0] > 0:
            shares = posterior[offset[w] : offset[w + 1]]
            if not posterior_word(span, table, rule, logs, space, shares):
                scores[w, LOG_Z] = np.nan
