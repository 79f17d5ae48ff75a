"""How long the words are that stand one after the other: word w is ``[offset[w], offset[w + 1])``.

Loops, as numpy's ``max`` and ``sum`` of what arrays make together take Numba two seconds in each kernel.
"""

import numpy as np

from rcmviz.kernels.kernel import helper, kernel


@kernel(_nrt=False)
def longest_word(offset):
    """How many positions a word has at most, 0 without words."""
    longest = 0
    for w in range(offset.size - 1):
        longest = max(longest, offset[w + 1] - offset[w])
    return longest


@helper(_nrt=False)
def longest_of(words, offset):
    """How many positions one of these words has at most, 0 without words."""
    longest = 0
    for j in range(words.size):
        longest = max(longest, offset[words[j] + 1] - offset[words[j]])
    return longest


def most_positions(words, offset):
    """As `longest_of`, for Python."""
    return int((offset[words + 1] - offset[words]).max(initial=0))


def most_entries(offset, begin):
    """How many entries a word has at most, a bias at each position too; position i has ``[begin[i], begin[i + 1])``."""
    return int(np.diff(begin[offset] + offset).max(initial=0))


@kernel(_nrt=False)
def mean_history(positions, order):
    """Mean number of labels that a chain of this order remembers over positions 1 … T−1; 0 if T is 1."""
    remembered = 0
    for i in range(1, positions):
        remembered += min(i, order)
    return remembered / max(positions - 1, 1)
