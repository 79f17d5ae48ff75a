"""Many words at once: the five position kernels in one compiled loop, one workspace per thread.

A workspace is a plain tuple, so that nothing is allocated inside the loop over words:
``space = (contexts (T+1, FIELDS, C), count (T+1,), alpha (T+1, C), beta (T+1, C+1), best (T+1, C+1), target (T, C, Y),
mass (C, Y), key (C, Y), chosen (B+SLACK,), choice (T, C), slot (power of two,))``.

One more tuple, beside those of ``contexts.py``: ``choosing = (budget, deduplicate, rule)`` says which contexts there
are.
"""

import numpy as np

from rcmviz.kernels.chain.contexts import (
    FIELDS,
    LENGTH,
    POWERS,
    ROW,
    absorb,
    backward,
    expand,
    fold,
    grow,
    join_images,
    map_images,
    rank_by_posterior,
    spread,
    start,
)
from rcmviz.kernels.chain.masses import log_add, total_mass
from rcmviz.kernels.chain.selection import SLACK, select
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lengths import longest_word
from rcmviz.kernels.rows import copy_row, divide_row, largest

CONTEXTS, COUNT, ALPHA, BETA, BEST, TARGET, MASS, KEY, CHOSEN, CHOICE, SLOT = range(11)  # of a workspace
LOG_Z, LOG_SCORE, MEAN_LENGTH = 0, 1, 2  # of the scores of a word
LEAST_MASS = 1e-290  # of a position, linear; what underflows is below 1e-307, so it is negligible next to this


@kernel()
def workspace(positions, budget, labels, table):
    """Arrays for one thread; ``table`` only gives the floating-point type."""
    size = budget + 1
    slots = 4
    while slots < 4 * size:
        slots *= 2
    return (
        np.zeros((positions + 1, FIELDS, size), np.int64),
        np.zeros(positions + 1, np.int64),
        np.zeros((positions + 1, size), table.dtype),
        np.zeros((positions + 1, size + 1), table.dtype),
        np.zeros((positions + 1, size + 1), table.dtype),
        np.zeros((positions, size, labels), np.int32),
        np.zeros((size, labels), table.dtype),
        np.zeros((size, labels), table.dtype),
        np.zeros(budget + SLACK, np.int64),
        np.zeros((positions, size), np.int64),
        np.zeros(slots, np.int64),
    )


@kernel(inline="always")
def forward_position(i, emit, table, address, logs, choosing, space, previous, second):
    """Propose from the contexts of column i and, unless it is the last, select column i + 1; returns its log scale.

    ``emit (T, Y)`` are the word's; ``previous`` is the workspace of the pass before where ``second``, else not looked
    at. Leaves all candidates' masses in the workspace.
    """
    budget, deduplicate, rule = choosing
    _, root_proposes, _, _ = rule
    contexts, count, alpha, _, _, target, mass, key, chosen, _, slot = space
    here, size = contexts[i], count[i]
    expand(here, size, alpha[i], table, emit[i], logs, mass)
    if i == emit.shape[0] - 1:
        target[i, :size] = 0
        count[i + 1] = 1
        return 0.0
    if deduplicate:
        fold(here, size, address[POWERS], root_proposes, logs, mass, slot)
    ranked = mass
    if second:
        ranked = key
        if deduplicate:
            join_images(here, previous[CONTEXTS][i], previous[COUNT][i], address[POWERS], root_proposes, slot)
        rank_by_posterior(here, size, previous[TARGET][i], previous[BETA][i + 1], logs, mass, key)
    if i > 0 and not root_proposes:
        for k in range(size):
            copy_row(ranked[k], key[k])
        key[0] = -np.inf if logs else 0.0
        ranked = key
    kept = chosen[: select(ranked[:size].ravel(), budget, logs, chosen)]
    grown = grow(here, size, kept, i + 1, address, rule, contexts[i + 1], target[i])
    count[i + 1] = grown
    if second:
        map_images(here, contexts[i + 1], grown, previous[TARGET][i])
    return absorb(here, size, kept, rule, logs, mass, alpha[i + 1, :grown])


@kernel(inline="always")
def start_word(address, merging, logs, space):
    """Column 0: the empty history with all the mass."""
    start(address, merging, space[CONTEXTS][0])
    space[COUNT][0] = 1
    space[ALPHA][0, 0] = 0.0 if logs else 1.0


@kernel(inline="always")
def forward_word(emit, table, address, logs, choosing, space, previous, second):
    """Select contexts and sum forward masses of all positions; returns log Z up to the emissions' scale."""
    _, _, (merging, _, _, _) = choosing
    length = emit.shape[0]
    start_word(address, merging, logs, space)
    scale = 0.0
    for i in range(length):
        scale += forward_position(i, emit, table, address, logs, choosing, space, previous, second)
    return scale + total_mass(space[MASS], space[COUNT][length - 1], logs)


@kernel()
def end_message(message, logs):
    """The backward message of the end: one, and zero for the dropped."""
    message[:] = -np.inf if logs else 0.0
    message[0] = 0.0 if logs else 1.0


@kernel()
def look_ahead(i, positions, rule, logs, space, messages):
    """What lies ahead of the arcs of position i, into the workspace's ``mass``, from ``messages (T+1, C+1)``."""
    contexts, count, ahead = space[CONTEXTS], space[COUNT], space[MASS]
    ending = i == positions - 1
    spread(contexts[i], count[i], contexts[i + 1], count[i + 1], ending, rule, logs, messages[i + 1], ahead)
    return ahead


@kernel(inline="always")
def backward_word(emit, table, rule, logs, space):
    """Backward messages of all columns; the place after a column's last context answers for what was dropped."""
    contexts, count, beta = space[CONTEXTS], space[COUNT], space[BETA]
    length = emit.shape[0]
    end_message(beta[length], logs)
    for i in range(length - 1, -1, -1):
        ahead = look_ahead(i, length, rule, logs, space, beta)
        backward(contexts[i], count[i], table, emit[i], ahead, logs, beta[i])
        beta[i, -1] = -np.inf if logs else 0.0


@kernel(fastmath={"reassoc"})
def posterior_position(contexts, count, alpha, table, emit, ahead, beta, posterior):
    """Backward messages and label posteriors of one position in one sweep (linear masses).

    The forward masses are known by now, so each arc is read once for both sums; the mass is equal at every column, so
    dividing by the row's sum normalises. Returns that sum.
    """
    posterior[:] = 0
    highest = beta.dtype.type(0)
    for k in range(count):
        weight, message, forward = table[contexts[ROW, k]], ahead[k], alpha[k]
        total = beta.dtype.type(0)
        for y in range(emit.size):
            arc = weight[y] * emit[y] * message[y]
            total += arc
            posterior[y] += forward * arc
        beta[k] = total
        highest = max(highest, total)
    if highest > 0:
        for k in range(count):
            beta[k] /= highest
    total = posterior.sum()
    if total > 0:
        divide_row(posterior, total)
    return total


@kernel(inline="always")
def log_posterior_position(contexts, count, alpha, table, emit, ahead, posterior):
    """Label posteriors of one position from logs."""
    posterior[:] = -np.inf
    for k in range(count):
        weight, forward = table[contexts[ROW, k]], alpha[k]
        for y in range(emit.size):
            posterior[y] = log_add(posterior[y], forward + weight[y] + emit[y] + ahead[k, y])
    highest = largest(posterior)
    if highest > -np.inf:
        for y in range(posterior.size):
            posterior[y] = np.exp(posterior[y] - highest)
        divide_row(posterior, posterior.sum())
    else:
        posterior[:] = 0.0


@kernel(inline="always")
def posterior_word(emit, table, rule, logs, space, posterior):
    """Label posteriors ``P(y_i = v)`` (T, Y) of one word, and its backward messages.

    Returns False if linear masses are too small to be trusted.
    """
    contexts, count, alpha, beta = space[CONTEXTS], space[COUNT], space[ALPHA], space[BETA]
    length = emit.shape[0]
    is_trusted = True
    end_message(beta[length], logs)
    for i in range(length - 1, -1, -1):
        ahead = look_ahead(i, length, rule, logs, space, beta)
        if logs:
            log_posterior_position(contexts[i], count[i], alpha[i], table, emit[i], ahead, posterior[i])
            backward(contexts[i], count[i], table, emit[i], ahead, logs, beta[i])
        else:
            total = posterior_position(contexts[i], count[i], alpha[i], table, emit[i], ahead, beta[i], posterior[i])
            is_trusted = is_trusted and total > LEAST_MASS
        beta[i, -1] = -np.inf if logs else 0.0
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
    contexts, count, best, target, choice = space[CONTEXTS], space[COUNT], space[BEST], space[TARGET], space[CHOICE]
    alpha = space[ALPHA]
    length = emit.shape[0]
    end_message(best[length], logs)
    scale = 0.0
    for i in range(length - 1, -1, -1):
        ahead = look_ahead(i, length, rule, logs, space, best)
        highest = through = best[i, 0] * 0
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
        k = target[i, k, labels[i]]
        if k < 0:  # nothing has positive mass
            return -np.inf
    return best[0, 0] if logs else scale


@kernel(inline="always")
def mean_length(space, positions, logs):
    """Mass-weighted mean number of remembered labels over positions 1 … T−1."""
    contexts, count, alpha = space[CONTEXTS], space[COUNT], space[ALPHA]
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
def passes_word(emit, passes, table, address, logs, choosing, spaces):
    """All passes of one word; returns log Z and which of the two workspaces holds the last."""
    _, _, rule = choosing
    log_z, now = -np.inf, 1
    for turn in range(passes):
        if turn > 0:
            backward_word(emit, table, rule, logs, spaces[now])
        now = 1 - now
        log_z = forward_word(emit, table, address, logs, choosing, spaces[now], spaces[1 - now], turn > 0)
    return log_z, now


@kernel()
def infer_words(thread, threads, emit, offset, work, table, address, rule, outputs):
    """Every ``threads``-th word from ``thread`` on, in one workspace; word w is ``emit[offset[w]:offset[w+1]]``.

    ``work = (budget, passes, deduplicate, logs)``; ``outputs`` as in ``lane_state.py``, but the posterior (N, Y): best
    labels; log Z, log score of the best and mean context length (with two columns only the first two); label
    posteriors. ``labels`` and ``posterior`` are left alone where they have no rows. Log Z is NaN if linear masses are
    too small to be trusted.
    """
    budget, passes, deduplicate, logs = work
    choosing = budget, deduplicate, rule
    labels, scores, posterior = outputs.labels, outputs.scores, outputs.posterior
    longest = longest_word(offset)
    first = workspace(longest, budget, emit.shape[1], emit)
    second = workspace(longest if passes > 1 else 1, budget, emit.shape[1], emit)
    for w in range(thread, offset.size - 1, threads):
        span = emit[offset[w] : offset[w + 1]]
        log_z, now = passes_word(span, passes, table, address, logs, choosing, (first, second))
        space = first if now == 0 else second
        scores[w, LOG_Z] = log_z
        if labels.shape[0] > 0:
            scores[w, LOG_SCORE] = viterbi_word(span, table, rule, logs, space, labels[offset[w] : offset[w + 1]])
            if np.isnan(scores[w, LOG_SCORE]):
                scores[w, LOG_Z] = np.nan
        if scores.shape[1] > MEAN_LENGTH:
            scores[w, MEAN_LENGTH] = mean_length(space, span.shape[0], logs)
        if posterior.shape[0] > 0:
            shares = posterior[offset[w] : offset[w + 1]]
            if not posterior_word(span, table, rule, logs, space, shares):
                scores[w, LOG_Z] = np.nan
