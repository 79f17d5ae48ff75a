"""The q-automaton of adaptive rejection (Carter, Dymetman, Bouchard 2012): an upper bound, refined where too high.

A state is a context: the last words of a history, in column i after i words. Each edge (state, candidate) has a weight,
the language model's share of the bound, and an **order** o: the weight is that of a word after the last o − 1 words of
the state, maximised over what may stand before them. States of a column are closed under suffixes and their prefixes
are states of the column before, so the parent of a state has one word less, and the longest suffix of any history is
reached.

A complete history (as many words as its column has) also knows that `<s>` stands before it.

``automaton = (fields (FIELDS, S), heads (T+1,), counts (N+1,), weight, order, target (S, Y), beta (S,), best (S,),
linear (S, Y), shift (S,), rival (S,))``: ``counts`` are states and n-grams by order; ``linear`` has no columns where no
sums are wanted. Row s is filled up to the width of its position. ``path (T,)`` are columns; ``problem`` and ``ids`` as
in ``bounds.py``.
"""

import numpy as np

from rcmviz.kernels.ars.bounds import TRIE, WIDTHS, WORDS, bound_of, fill_first_bounds, longest_history
from rcmviz.kernels.kernel import kernel

# Column · words remembered · last of them (its place among the candidates) · state of the column before that it extends
# · state with one word less · next state of the column · trial that made it
COLUMN, LENGTH, LABEL, ORIGIN, PARENT, NEXT, BORN, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7

STATES, HEADS, COUNTS, WEIGHT, ORDER, TARGET, BETA, BEST, LINEAR, SHIFT, RIVAL = range(11)  # of an automaton
SWEEP, WORST, JUMP = 0, 1, 2  # strategies


@kernel()
def start(automaton, problem, ids):
    """The roots of all columns and the end, states 0 … T; ``automaton`` has room for them."""
    fields, heads, counts, weight, order, target, beta, _, _, _, _ = automaton
    words = problem[WORDS]
    positions = len(words)
    counts[:] = 0
    fields[:, : positions + 1] = 0
    for i in range(positions + 1):
        fields[COLUMN, i] = i
        for name in (LABEL, ORIGIN, PARENT, NEXT, BORN):
            fields[name, i] = -1
        heads[i] = i
    counts[0] = positions + 1
    beta[positions], weight[positions], target[positions] = 0.0, -np.inf, -1
    order[: positions + 1] = 1
    for i in range(positions):
        target[i] = i + 1  # of padding too
        fill_first_bounds(problem, i, ids, weight[i])
        for y in range(words.shape[1]):
            counts[1] += words[i, y] >= 0


@kernel(_nrt=False)
def suffix_state(fields, state, length):
    """The state of the last ``length`` words of ``state``, which has them."""
    while fields[LENGTH, state] > length:
        state = fields[PARENT, state]
    return state


@kernel(_nrt=False)
def follow(automaton, path, reached):
    """``reached (T+1,)``: the states along a path."""
    target = automaton[TARGET]
    reached[0] = 0
    for i in range(path.size):
        reached[i + 1] = target[reached[i], path[i]]


@kernel(inline="always")
def add_state(automaton, path, column, width, reached, trial):
    """A state with one word more than ``reached[column]``: it behaves as that one did, and is reached instead."""
    fields, heads, counts, weight, order, target, beta, best, linear, shift, rival = automaton
    parent, label = reached[column], path[column - 1]
    length = fields[LENGTH, parent] + 1
    origin = suffix_state(fields, reached[column - 1], length - 1)
    new = counts[0]
    counts[0] += 1
    fields[COLUMN, new], fields[LENGTH, new], fields[LABEL, new] = column, length, label
    fields[ORIGIN, new], fields[PARENT, new], fields[BORN, new] = origin, parent, trial
    fields[NEXT, new] = heads[column]
    heads[column] = new
    for y in range(width):
        weight[new, y], order[new, y], target[new, y] = weight[parent, y], order[parent, y], target[parent, y]
    beta[new], best[new], rival[new], shift[new] = beta[parent], best[parent], rival[parent], shift[parent]
    for y in range(min(width, linear.shape[1])):
        linear[new, y] = linear[parent, y]
    state = heads[column - 1]
    while state >= 0:
        if fields[LENGTH, state] >= length - 1 and suffix_state(fields, state, length - 1) == origin:
            target[state, label] = new
        state = fields[NEXT, state]
    reached[column] = new


@kernel(inline="always")
def ensure(automaton, problem, path, i, known, reached, trial):
    """Make the last ``known`` words before position i a state, its prefixes and suffixes first."""
    fields, widths = automaton[STATES], problem[WIDTHS]
    for column in range(i - known + 1, i + 1):
        while fields[LENGTH, reached[column]] < known - (i - column):
            add_state(automaton, path, column, widths[column], reached, trial)


@kernel(inline="always")
def lower(automaton, problem, path, ids, i, known, reached):
    """Weigh position i's label by its last ``known`` words, in every state that has them."""
    fields, heads, counts, weight, order, _, _, _, linear, shift, _ = automaton
    _, words, emit, scale, _, _, _ = problem
    y = path[i]
    context = suffix_state(fields, reached[i], known)
    value = scale * bound_of(problem, i, ids, known, words[i, y])
    counts[known + 1] += 1
    state = heads[i]
    while state >= 0:
        if fields[LENGTH, state] >= known and suffix_state(fields, state, known) == context:
            weight[state, y] = value
            order[state, y] = known + 1
            if linear.shape[1] > 0:
                linear[state, y] = np.exp(value + emit[i, y] - shift[state])
        state = fields[NEXT, state]


@kernel(_nrt=False)
def refine(automaton, problem, path, ids, strategy, worst, reached, trial):
    """Lower the bound along a rejected path; ``worst`` is the position furthest above the truth.

    Left to right, one order up: all invariants hold after each sweep. Straight to the highest order needs two to three
    times as many rounds (science notes); a single position needs the chain of its prefixes.
    """
    fields, order = automaton[STATES], automaton[ORDER]
    highest = longest_history(problem[TRIE])
    follow(automaton, path, reached)
    for i in range(1, path.size):
        if strategy == WORST and i != worst:
            continue
        known = order[reached[i], path[i]]
        full = min(highest, i)
        if known > full:
            continue
        known = full if strategy == JUMP else known
        if fields[LENGTH, reached[i]] < known:
            ensure(automaton, problem, path, i, known, reached, trial)
        lower(automaton, problem, path, ids, i, known, reached)
