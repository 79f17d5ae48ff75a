"""Log emissions of sparse features, compared with a plain sum."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv

ENTRY = st.tuples(st.integers(0, 4), st.floats(-9, 9))


@given(rows=st.lists(st.lists(ENTRY, max_size=4), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_log_emissions_are_the_sums_of_weights(rows, seed):
    weights = np.random.default_rng(seed).normal(size=(6, 2)).astype("f4")
    start = np.cumsum([0, *map(len, rows)])
    feature, value = [f for row in rows for f, _ in row], [v for row in rows for _, v in row]
    data = rv.Sequences.from_entries(start, feature, value, [len(rows)], None, "ab", 5)
    (found,) = data.log_emits(weights)
    for row, logs in zip(rows, found, strict=True):
        expected = [sum(v * float(weights[f, y]) for f, v in row) + float(weights[5, y]) for y in range(2)]
        np.testing.assert_allclose(logs, expected, rtol=1e-12, atol=1e-12)
