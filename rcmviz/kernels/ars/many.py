"""Adaptive rejection of many sentences in one compiled loop: what ``ars_decode`` does, where nothing is recorded."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.ars.automaton import FIELDS, Automaton, start
from rcmviz.kernels.ars.bounds import Problem, fill_first_bounds
from rcmviz.kernels.ars.passes import fill_linear, update_sums
from rcmviz.kernels.ars.trials import ENOUGH, FULL, LOG_P, NUMBER, Record, Rule, run_trials
from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lengths import longest_word
from rcmviz.kernels.rows import ZERO, copy_row, largest

ROUNDS = 256  # of a sentence, kept until it is over: one that takes more is left to ``ars_decode``
FOUND, BOUND, LEAST, MOST = 0, 1, 2, 3  # of ``scores``: log p of the path, maximum of q, bounds on log Z
STATUS, MADE, SIZES = 0, 1, 2  # of ``numbers``: how it ended, its rounds; from SIZES on states and n-grams by order


class Sentences(NamedTuple):
    """Their problems one after the other, padded to the width of the widest; see ``Problem``."""

    words: Any  # (ΣT, Y)
    emit: Any  # (ΣT, Y)
    widths: Any  # (ΣT,)
    offset: Any  # (S+1,)


class Options(NamedTuple):
    """How sentences are decoded; ``room`` for that many states each."""

    scale: float
    ahead: bool
    begin: int
    strategy: int
    gap: float
    room: int


class Outputs(NamedTuple):
    """Results of each sentence."""

    paths: Any  # (ΣT,)
    scores: Any  # (S, 4)
    numbers: Any  # (S, 3 + N)


@kernel()
def decode_many(thread, threads, trie, sentences, options, outputs):
    """Every ``threads``-th sentence from ``thread`` on.

    Whoever finds no room is left FULL, ENOUGH means that more rounds are needed.
    """
    offset, width, room = sentences.offset, sentences.words.shape[1], options.room
    longest, scores, numbers = longest_word(offset), outputs.scores, outputs.numbers
    space, columns = new_automaton(longest, width, trie.level.size, options), new_record(longest, trie.level.size)
    plain = with_linear(space, np.empty((room, 0)))
    rule = Rule(options.strategy, options.gap, np.bool_(True))
    sums, no_sums = np.empty((3, room)), np.empty((3, 0))
    for s in range(thread, offset.size - 1, threads):
        first, last = offset[s], offset[s + 1]
        emit, widths = sentences.emit[first:last], sentences.widths[first:last]
        problem = Problem(trie, sentences.words[first:last], emit, options.scale, options.ahead, widths)
        space.beta[: emit.shape[0] + 1], space.best[: emit.shape[0] + 1] = np.inf, 0  # inf: not the value of an edge
        space.rival[: emit.shape[0] + 1] = np.inf
        fill_first_bounds(problem, space.ids, space.weight)
        start(plain, problem)
        record, found = record_of(columns, emit.shape[0]), scores[s, : BOUND + 1]
        found[FOUND], found[BOUND] = -np.inf, np.inf
        rounds, status = run_trials(plain, problem, rule, no_sums, outputs.paths[first:last], found, record, ZERO)
        numbers[s, STATUS], numbers[s, MADE] = status, rounds
        copy_row(space.counts, numbers[s, SIZES:])
        if status != ENOUGH and status != FULL:
            whole = bare((space, emit, widths, sums))
            fill_linear(*whole[:3])
            scores[s, LEAST] = log_mass_found(record.paths, record.totals, rounds)
            scores[s, MOST] = max(scores[s, LEAST], update_sums(*whole))


@kernel(inline="always")
def new_automaton(longest, width, orders, options):
    """Room for the automaton of one sentence, with what sums need."""
    room = options.room
    ids = np.full(longest + 1, options.begin, np.int32)
    return Automaton(
        np.empty(longest + 1, np.int32),
        np.zeros(orders, np.int64),
        np.empty((FIELDS, room), np.int32),
        np.empty((room, width)),
        np.empty((room, width), np.int8),
        np.empty((room, width), np.int32),
        np.empty(room),
        np.zeros(room, np.int32),
        np.empty(room),
        np.empty((room, width)),
        np.empty(room),
        ids,
        np.empty(longest + 1, np.int64),
    )


@kernel(inline="always")
def with_linear(q, linear):
    """The same automaton with another array for linear sums."""
    return Automaton(
        q.heads,
        q.counts,
        q.fields,
        q.weight,
        q.order,
        q.target,
        q.beta,
        q.best,
        q.rival,
        linear,
        q.shift,
        q.ids,
        q.reached,
    )


@kernel(inline="always")
def new_record(longest, orders):
    """Room for the records of all rounds, (ROUNDS · T,) where it depends on the sentence."""
    flags = np.zeros((ROUNDS, 4), np.int64)
    for trial in range(ROUNDS):
        flags[trial, NUMBER] = trial
    size = ROUNDS * longest
    paths, orders_used = np.empty(size, np.int32), np.empty(size, np.int8)
    sizes = np.empty((ROUNDS, orders), np.int64)
    return Record(paths, orders_used, np.empty(size), np.empty(size), np.empty((ROUNDS, 3)), sizes, flags)


@kernel(inline="always")
def record_of(columns, positions):
    """The record for a sentence of n positions."""
    size, shape = ROUNDS * positions, (ROUNDS, positions)
    return Record(
        columns.paths[:size].reshape(shape),
        columns.orders[:size].reshape(shape),
        columns.bounds[:size].reshape(shape),
        columns.truths[:size].reshape(shape),
        columns.totals,
        columns.sizes,
        columns.flags,
    )


@kernel(inline="always")
def same(one, other):
    """Whether two paths are one and the same."""
    i = 0
    while i < one.size and one[i] == other[i]:
        i += 1
    return i == one.size


@kernel(inline="always")
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
