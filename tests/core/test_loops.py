"""The loops that kernels have in place of numpy's functions, held to these."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit

from rcmviz.kernels.chain.candidates import rank
from rcmviz.kernels.lengths import longest_word, mean_history, most_entries
from rcmviz.kernels.rows import largest
from rcmviz.kernels.search_sorted import find, place

SCORES = arrays(np.float64, st.integers(1, 20), elements=st.sampled_from([-np.inf, -1.5, 0.0, 2.0, 2.5]))
COUNTS = st.lists(st.integers(0, 5), max_size=8)

at = njit(lambda numbers, low, high, wanted: place(numbers, low, high, wanted))  # they are part of their callers
where = njit(lambda numbers, low, high, wanted: find(numbers, low, high, wanted))


@given(st.lists(st.integers(-3, 9), max_size=12).map(sorted), st.integers(-4, 10), st.data())
def test_a_number_is_looked_up(numbers, wanted, data):
    low = data.draw(st.integers(0, len(numbers)))
    high = data.draw(st.integers(low, len(numbers)))
    looked_up, seen = np.array(numbers, np.int64), numbers[low:high]
    here = low + np.searchsorted(seen, wanted)
    assert at(looked_up, low, high, wanted) == here
    assert where(looked_up, low, high, wanted) == (here if wanted in seen else -1)


@given(SCORES)
def test_labels_are_ranked_with_ties_by_the_lower(scores):
    labels = np.random.default_rng(len(scores)).permutation(len(scores))
    rank(scores, labels)
    assert labels.tolist() == np.argsort(-scores, kind="stable").tolist()
    assert largest(scores) == scores[labels[0]] == scores.max()


@given(COUNTS, st.data())
def test_words_are_measured(lengths, data):
    offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entries = data.draw(st.lists(st.integers(0, 4), min_size=sum(lengths), max_size=sum(lengths)))
    begin = np.concatenate([[0], np.cumsum(entries)]).astype(np.int64)
    assert longest_word(offset) == max(lengths, default=0)
    of_words = [sum(entries[a:b]) + b - a for a, b in zip(offset[:-1], offset[1:], strict=True)]
    assert most_entries(offset, begin) == max(of_words, default=0)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_a_chain_remembers_its_order_at_most(order):
    for positions in range(1, 7):
        histories = [min(i, order) for i in range(1, positions)]
        assert mean_history(positions, order) == (np.mean(histories) if histories else 0.0)
