"""Viterbi on the full automaton of an n-gram model: a state for every history, every arc with its true score.

What adaptive rejection is compared with (Carter, Dymetman, Bouchard 2012, figure 4b). Column 0 holds `<s>`; a state of
column i is a choice for its last ``min(memory, i + 1)`` words, numbered in mixed radix over the ``widths`` of their
columns, the newest word first. The oldest runs fastest: states that differ in nothing else are neighbours, and all lead
to the same states.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.ars.bounds import longest_history
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.lm import ngrams


class FullProblem(NamedTuple):
    """Candidates with their log observations, `<s>` before the first; ``scale`` multiplies what the model says."""

    words: Any  # (T+1, Y)
    widths: Any  # (T+1,)
    emit: Any  # (T+1, Y)
    scale: float


class Levels(NamedTuple):
    """What was looked up for the history that is being extended, by the number of its words; see ``extend``."""

    rows: Any
    values: Any
    contexts: Any


@kernel()
def viterbi_full(trie, problem, offset, shared, back, path):
    """The best choice of every column, ``path (T+1,)``; returns its log score, −inf where no path is possible.

    States of column i are ``offset[i]:offset[i+1]`` of ``back``, the oldest word on the best way to each · ``shared``:
    histories with the same newer words share what was looked up for these; else every arc is looked up by itself.
    """
    words, widths = problem.words, problem.widths
    memory = max(1, longest_history(trie))
    levels = Levels(
        np.empty((memory + 1, words.shape[1]), np.int32),
        np.empty((memory + 1, words.shape[1])),
        np.empty(memory + 1, np.int32),
    )
    alpha = np.zeros(1)
    for i in range(1, len(words)):
        into = np.full(offset[i + 1] - offset[i], -np.inf)
        step(trie, problem, i, min(memory, i), shared, levels, alpha, into, back[offset[i] : offset[i + 1]])
        alpha = into
    code = np.argmax(alpha)
    log_score = alpha[code]
    path[0] = 0
    for i in range(len(words) - 1, 0, -1):
        newer = (offset[i + 1] - offset[i]) // widths[i]
        path[i] = code // newer
        forgotten = widths[i - memory] if i >= memory else 1
        code = code % newer * forgotten + back[offset[i] + code]
    return log_score


@kernel(inline="always")
def step(trie, problem, i, depth, shared, levels, alpha, into, back):
    """From the states of column i − 1, which remember ``depth`` words, to those of column i: ``alpha`` → ``into``."""
    words, widths, rows, values = problem.words, problem.widths, levels.rows, levels.values
    predicted = words[i, : widths[i]]
    for y in range(predicted.size):
        rows[0, y], values[0, y] = predicted[y], trie.log_prob[predicted[y]]
    chosen, history = np.zeros(depth + 1, np.int64), np.empty(depth, np.int32)
    newer = into.size // widths[i]
    forgotten = alpha.size // newer
    changed = 1
    for code in range(alpha.size):
        for known in range(changed, depth + 1):
            history[depth - known] = words[i - known, chosen[known]]
            if shared:
                extend(trie, history[depth - known], known, predicted.size, levels)
        if not shared:
            ngrams.fill_log_probs(trie, history, 0, depth, predicted, 1.0, values[depth])
        state, oldest = code // forgotten, code % forgotten
        for y in range(predicted.size):
            reached = alpha[code] + problem.scale * values[depth, y] + problem.emit[i, y]
            if reached > into[state]:
                into[state], back[state] = reached, oldest
            state += newer
        changed = depth
        chosen[changed] += 1
        while chosen[changed] == widths[i - changed] and changed > 1:
            chosen[changed] = 0
            changed -= 1
            chosen[changed] += 1


@kernel(inline="always")
def extend(trie, older, known, width, levels):
    """One more word of the history, ``known`` in all: the log probabilities of all words after it, eq. 7.

    ``rows[known, y]`` is the n-gram of word y after them, −1 where it is not listed; ``contexts[known]`` they alone.
    """
    rows, values, contexts, context = levels.rows, levels.values, levels.contexts, np.int64(older)
    if known > 1:
        context = np.int64(contexts[known - 1])
        context = ngrams.find_child(trie.word, trie.first, context, older) if context >= 0 else ngrams.NONE
    contexts[known] = context
    ahead = np.float64(trie.back_off[context]) if context >= 0 else 0.0
    for y in range(width):
        row = np.int64(rows[known - 1, y])
        row = ngrams.find_child(trie.word, trie.first, row, older) if row >= 0 else ngrams.NONE
        rows[known, y] = row
        values[known, y] = np.float64(trie.log_prob[row]) if row >= 0 else values[known - 1, y] + ahead
