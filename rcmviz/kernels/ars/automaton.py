"""The q-automaton of adaptive rejection (Carter, Dymetman, Bouchard 2012): an upper bound, refined where too high.

A state is a context: the last words of a history, in column i after i words. Each edge (state, candidate) has a weight,
the language model's share of the bound, and an **order** o: the weight is that of a word after the last o − 1 words of
the state, maximised over what may stand before them. States of a column are closed under suffixes and their prefixes
are states of the column before, so the parent of a state has one word less, and the longest suffix of any history is
reached.

A complete history (as many words as its column has) also knows that `<s>` stands before it. A state's row is filled
up to the width of its position. ``path (T,)`` are columns.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.ars.bounds import bound_of, longest_history
from rcmviz.kernels.kernel import kernel, part

# Column · words remembered · last of them (its place among the candidates) · state of the column before that it extends
# · state with one word less · next state of the column · trial that made it
COLUMN, LENGTH, LABEL, ORIGIN, PARENT, NEXT, BORN, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7
SWEEP, WORST, JUMP = 0, 1, 2  # strategies


class Automaton(NamedTuple):
    """S states over T positions of at most Y candidates, and the path that is looked at."""

    heads: Any  # (T+1,) first state of each column
    counts: Any  # (N+1,) states, and n-grams by order
    fields: Any  # (FIELDS, S)
    weight: Any  # (S, Y)
    order: Any  # (S, Y)
    target: Any  # (S, Y)
    beta: Any  # (S,) see ``passes.py``
    best: Any  # (S,)
    rival: Any  # (S,)
    linear: Any  # (S, Y), no columns where no sums are wanted
    shift: Any  # (S,)
    ids: Any  # (T+1,) words of the path, `<s>` first
    reached: Any  # (T+1,) states along it


def start(q, problem):
    """The roots of all columns and the end, states 0 … T; their weights are those of ``fill_first_bounds``."""
    end, roots = len(problem.words), np.arange(len(problem.words) + 1)
    q.counts[:2], q.counts[2:] = (end + 1, problem.widths.sum()), 0
    q.fields[:, : end + 1] = -1
    q.fields[COLUMN, : end + 1], q.fields[LENGTH, : end + 1], q.heads[:] = roots, 0, roots
    q.order[: end + 1], q.target[:end], q.target[end] = 1, roots[1:, None], -1  # padding too
    q.weight[end], q.beta[end] = -np.inf, 0.0


@part(_nrt=False)
def suffix_state(fields, state, length):
    """The state of the last ``length`` words of ``state``, which has them."""
    while fields[LENGTH, state] > length:
        state = np.int64(fields[PARENT, state])
    return state


@part(_nrt=False)
def follow(automaton, problem, path):
    """The words and the states along a path, into ``ids`` and ``reached``."""
    ids, reached = automaton.ids, automaton.reached
    reached[0] = 0
    for i in range(path.size):
        ids[i + 1], reached[i + 1] = problem.words[i, path[i]], automaton.target[reached[i], path[i]]


@kernel(inline="always")
def add_state(automaton, path, column, width, trial):
    """A state with one word more than ``reached[column]``: it behaves as that one did, and is reached instead."""
    fields, reached, counts, target = automaton.fields, automaton.reached, automaton.counts, automaton.target
    weight, order, linear, heads = automaton.weight, automaton.order, automaton.linear, automaton.heads
    parent, label, new = reached[column], path[column - 1], counts[0]
    length = fields[LENGTH, parent] + 1
    origin = suffix_state(fields, reached[column - 1], length - 1)
    counts[0] += 1
    fields[COLUMN, new], fields[LENGTH, new], fields[LABEL, new] = column, length, label
    fields[ORIGIN, new], fields[PARENT, new], fields[BORN, new] = origin, parent, trial
    fields[NEXT, new] = heads[column]
    heads[column] = new
    for y in range(width):
        weight[new, y], order[new, y], target[new, y] = weight[parent, y], order[parent, y], target[parent, y]
    automaton.beta[new], automaton.best[new] = automaton.beta[parent], automaton.best[parent]
    automaton.rival[new], automaton.shift[new] = automaton.rival[parent], automaton.shift[parent]
    for y in range(min(width, linear.shape[1])):
        linear[new, y] = linear[parent, y]
    state = np.int64(heads[column - 1])
    while state >= 0:
        if fields[LENGTH, state] >= length - 1 and suffix_state(fields, state, length - 1) == origin:
            target[state, label] = new
        state = np.int64(fields[NEXT, state])
    reached[column] = new


@kernel(inline="always")
def lower(automaton, problem, path, i, known):
    """Weigh position i's label by its last ``known`` words, in every state that has them."""
    fields, linear, y = automaton.fields, automaton.linear, path[i]
    context = suffix_state(fields, automaton.reached[i], known)
    value = problem.scale * bound_of(problem, i, automaton.ids, known, problem.words[i, y])
    automaton.counts[known + 1] += 1
    state = np.int64(automaton.heads[i])
    while state >= 0:
        if fields[LENGTH, state] >= known and suffix_state(fields, state, known) == context:
            automaton.weight[state, y], automaton.order[state, y] = value, known + 1
            if linear.shape[1] > 0:
                linear[state, y] = np.exp(value + problem.emit[i, y] - automaton.shift[state])
        state = np.int64(fields[NEXT, state])


@part(_nrt=False)
def refine(automaton, problem, path, strategy, worst, trial):
    """Lower the bound along a rejected path; ``worst`` is the position furthest above the truth.

    Left to right, one order up: all invariants hold after each sweep. Straight to the highest order needs two to three
    times as many rounds (science notes); a single position needs the chain of its prefixes.
    """
    fields, reached = automaton.fields, automaton.reached
    highest = longest_history(problem.trie)
    follow(automaton, problem, path)
    for i in range(1, path.size):
        known, full = np.int64(automaton.order[reached[i], path[i]]), min(highest, i)
        if known > full or (strategy == WORST and i != worst):
            continue
        known = full if strategy == JUMP else known
        if fields[LENGTH, reached[i]] < known:  # its prefixes and suffixes first
            for column in range(i - known + 1, i + 1):
                while fields[LENGTH, reached[column]] < known - (i - column):
                    add_state(automaton, path, column, problem.widths[column], trial)
        lower(automaton, problem, path, i, known)
