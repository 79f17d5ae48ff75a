"""The full automaton, to compare adaptive rejection with: its size, and exact Viterbi on it."""

from math import prod

import numpy as np

from rcmviz.kernels.ars.full import FullProblem, viterbi_full
from rcmviz.lm.hmm import HMM

MOST_STATES = 60_000_000  # of one sequence: with what leads to them about a gigabyte


def widths_of(hmm: HMM) -> list[int]:
    """Number of candidates per column, `<s>` before the first."""
    return [1, *(hmm.words >= 0).sum(axis=1).tolist()]


def count_arcs(hmm: HMM, order: int | None = None) -> int:
    """Arcs of the full automaton, one for every n-gram of candidates; ``order`` other than the model's where given.

    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["a b"], order=3, cutoffs=(0,))
    >>> count_arcs(rv.HMM(lm, [["a", "b"]] * 4, [[0.0, 0.0]] * 4, end=False))  # 2 + 4 + 8 + 8
    22
    """
    widths, order = widths_of(hmm), order or hmm.order
    return sum(prod(widths[max(0, i + 1 - order) : i + 1]) for i in range(1, len(widths)))


def full_viterbi(hmm: HMM, shared: bool = True) -> tuple[tuple, float]:
    """``(words, log_score)`` of the best sequence, `</s>` left out, by dynamic programming over all histories.

    ``shared`` look-ups: histories with the same newer words walk the model together; False looks every arc up by
    itself, as in a plain implementation. ValueError if there are too many states, or no sequence is possible.
    """
    widths, memory = widths_of(hmm), max(1, hmm.order - 1)
    sizes = [prod(widths[max(0, i + 1 - memory) : i + 1]) for i in range(len(widths))]
    if sum(sizes) > MOST_STATES:
        raise ValueError(f"the full automaton has {sum(sizes):,} states, more than {MOST_STATES:,}: use ARS")
    words, emit = np.full((len(widths), hmm.words.shape[1]), -1, np.int32), np.zeros((len(widths), hmm.words.shape[1]))
    words[0, 0], words[1:], emit[1:] = hmm.lm.begin, hmm.words, hmm.log_emit
    problem = FullProblem(words, np.array(widths), emit, 1.0 / hmm.temperature)
    back, path = np.zeros(sum(sizes), np.int32), np.zeros(len(widths), np.int64)
    log_score = viterbi_full(hmm.lm.trie.arrays, problem, np.cumsum([0, *sizes]), shared, back, path)
    if log_score == -np.inf:
        raise ValueError("no sequence has positive probability")
    return hmm.names(path[1:]), log_score
