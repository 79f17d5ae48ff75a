"""Adaptive rejection of many sentences in one compiled loop: what ``ars_decode`` does, where nothing is recorded.

``sentences = (words (ΣT, Y), emit (ΣT, Y), widths (ΣT,), offset (S+1,))``: their problems one after the other, padded
to the width of the widest; ``options = (scale, ahead, begin, strategy, gap)`` as in ``bounds.py`` and ``trials.py``.
"""

import numpy as np

from rcmviz.kernels.ars.automaton import FIELDS, start
from rcmviz.kernels.ars.passes import fill_linear, update_sums
from rcmviz.kernels.ars.trials import ENOUGH, FULL, LOG_P, NUMBER, decode
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lengths import longest_word
from rcmviz.kernels.rows import copy_row, largest

ROUNDS = 256  # of a sentence, kept until it is over: one that takes more is left to ``ars_decode``
FOUND, BOUND, LEAST, MOST = 0, 1, 2, 3  # of ``scores``: log p of the path, maximum of q, bounds on log Z
STATUS, MADE, SIZES = 0, 1, 2  # of ``numbers``: how it ended, its rounds; from SIZES on states and n-grams by order


@kernel()
def decode_many(thread, threads, trie, sentences, options, room, outputs):
    """Every ``threads``-th sentence from ``thread`` on, in an automaton with ``room`` for so many states.

    ``outputs = (paths (ΣT,), scores (S, 4), numbers (S, 3 + N))``; whoever finds no room is left FULL, ENOUGH means
    that more rounds are needed.
    """
    words, emit, widths, offset = sentences
    scale, ahead, begin, strategy, gap = options
    paths, scores, numbers = outputs
    level, _, _, _, _, _, _ = trie
    longest = longest_word(offset)
    space = working_arrays(longest, words.shape[1], level.size, room)
    fields, heads, counts, weight, order, target, beta, best, linear, shift, rival, sums, ids, record = space
    ids[:] = begin
    no_columns, no_sums = np.empty((room, 0)), np.empty((3, 0))
    for s in range(thread, offset.size - 1, threads):
        first, last = offset[s], offset[s + 1]
        positions = last - first
        log_emit, width = emit[first:last], widths[first:last]
        problem = trie, words[first:last], log_emit, scale, ahead, begin, width
        beta[: positions + 1], best[: positions + 1] = np.inf, 0  # inf: not the value of any edge yet
        rival[: positions + 1] = np.inf
        automaton = fields, heads, counts, weight, order, target, beta, best, no_columns, shift, rival
        start(automaton, problem, ids)
        rows = record_of(record, positions)
        chosen, _, _, _, totals, _, _ = rows
        scores[s, FOUND], scores[s, BOUND] = -np.inf, np.inf
        done, status = decode(
            automaton, problem, (strategy, gap), no_sums, paths[first:last], scores[s, : BOUND + 1], rows
        )
        numbers[s, STATUS], numbers[s, MADE] = status, done
        copy_row(counts, numbers[s, SIZES:])
        if status != ENOUGH and status != FULL:
            with_sums = fields, heads, counts, weight, order, target, beta, best, linear, shift, rival
            fill_linear(with_sums, log_emit, width)
            scores[s, LEAST] = log_mass_found(chosen, totals, done)
            scores[s, MOST] = max(scores[s, LEAST], update_sums(with_sums, log_emit, width, sums))


@kernel()
def working_arrays(longest, width, orders, room):
    """An automaton's arrays, what its sums need, ``ids``, and the flat columns of a record."""
    flags = np.zeros((ROUNDS, 4), np.int64)
    for trial in range(ROUNDS):
        flags[trial, NUMBER] = trial
    record = (
        np.empty(ROUNDS * longest, np.int32),
        np.empty(ROUNDS * longest, np.int8),
        np.empty(ROUNDS * longest),
        np.empty(ROUNDS * longest),
        np.empty((ROUNDS, 3)),
        np.empty((ROUNDS, orders), np.int64),
        flags,
    )
    return (
        np.empty((FIELDS, room), np.int32),
        np.empty(longest + 1, np.int32),
        np.zeros(orders, np.int64),
        np.empty((room, width)),
        np.empty((room, width), np.int8),
        np.empty((room, width), np.int32),
        np.empty(room),
        np.zeros(room, np.int32),
        np.empty((room, width)),
        np.empty(room),
        np.empty(room),
        np.empty((3, room)),
        np.empty(longest + 1, np.int32),
        record,
    )


@kernel(inline="always")
def record_of(record, positions):
    """The columns of a record for a sentence of so many positions, as in ``trials.py``."""
    paths, orders, bounds, truths, totals, sizes, flags = record
    size, shape = ROUNDS * positions, (ROUNDS, positions)
    return (
        paths[:size].reshape(shape),
        orders[:size].reshape(shape),
        bounds[:size].reshape(shape),
        truths[:size].reshape(shape),
        totals,
        sizes,
        flags,
    )


@kernel(_nrt=False)
def same(one, other):
    """Whether two paths are one and the same."""
    i = 0
    while i < one.size and one[i] == other[i]:
        i += 1
    return i == one.size


@kernel()
def log_mass_found(paths, totals, rounds):
    """Log of the summed probability of the distinct paths of these rounds: log Z is no less."""
    highest, mass = largest(totals[:rounds, LOG_P]), 0.0
    if highest == -np.inf:
        return highest
    for trial in range(rounds):
        is_new = True
        for other in range(trial):
            if totals[other, LOG_P] == totals[trial, LOG_P] and same(paths[other], paths[trial]):
                is_new = False
        if is_new:
            mass += np.exp(totals[trial, LOG_P] - highest)
    return highest + np.log(mass)
