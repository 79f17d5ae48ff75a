"""Sequences: construction, access, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of

NAN, INF = float("nan"), float("inf")
ROWS = [[1.0, 0.0, 2.0], [0.0, 0.0, -3.0]]


@st.composite
def raw(draw):
    """``(features, gold)``: 1–5 sequences of 1–6 positions, 0–4 features, many of them zero, labels a–c."""
    F = draw(st.integers(0, 4))
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    features = [rng.normal(size=(length, F)) * (rng.random((length, F)) < 0.5) for length in lengths]
    return features, ["".join(rng.choice(list("abc"), size=length)) for length in lengths]


def as_arrays(data):
    """Back to a list of dense (T, F) arrays, entry by entry."""
    dense = np.zeros((data.positions, data.F))
    for position in range(data.positions):
        for entry in range(data.start[position], data.start[position + 1]):
            dense[position, data.feature[entry]] += data.value[entry]
    return [dense[begin:end] for begin, end in zip(data.offset[:-1], data.offset[1:], strict=True)]


def assert_same(features, gold, data):
    for before, after in zip(features, as_arrays(data), strict=True):
        np.testing.assert_array_equal(before, after)
    assert ["".join(data.labels[y] for y in truth) for truth in data.golds()] == gold


@problems_of(100)
@given(raw())
def test_arrays_come_out_as_they_went_in(sequences):
    features, gold = sequences
    data = rv.Sequences.from_arrays(features, gold, "abc")
    assert len(data) == len(features) and data.positions == sum(map(len, features))
    assert_same(features, gold, data)
    assert not any(value.flags.writeable for value in vars(data).values() if isinstance(value, np.ndarray))


@problems_of(100)
@given(raw(), st.lists(st.integers(0, 100), max_size=8))
def test_take_gives_these_sequences_in_this_order(sequences, numbers):
    """Repeated numbers are repeated sequences; none are none."""
    features, gold = sequences
    which = [number % len(features) for number in numbers]
    data = rv.Sequences.from_arrays(features, gold, "abc").take(which)
    assert len(data) == len(which)
    if which:
        assert_same([features[k] for k in which], [gold[k] for k in which], data)


@pytest.mark.parametrize("numbers", [[3], [-1], [True, False, True], [0.5], [[0]], 0])
def test_take_refuses_invalid_indices(numbers):
    data = rv.Sequences.from_arrays([[[1.0]]] * 3, ["a"] * 3, "a")
    with pytest.raises(ValueError, match="numbers from 0 to 2"):
        data.take(numbers)


@problems_of(100)
@given(raw())
def test_log_emissions_are_features_times_weights_and_a_bias(sequences):
    features, gold = sequences
    data = rv.Sequences.from_arrays(features, gold, "abc")
    emission = np.random.default_rng(0).normal(size=(data.F + 1, 3))
    for rows, logs in zip(features, data.log_emits(emission), strict=True):
        np.testing.assert_allclose(logs, rows @ emission[:-1] + emission[-1], atol=1e-12)
    for shape in ((data.F, 3), (data.F + 2, 3), (data.F + 1, 4), (3,)):
        with pytest.raises(ValueError, match=rf"{data.F} features and 3 labels need"):
            data.log_emits(np.zeros(shape))


@pytest.mark.parametrize("weight", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused_where_they_are_used(weight):
    data = rv.Sequences.from_arrays([[[1.0]]], ["a"], "ab")
    for dtype in (np.float32, np.float64):
        with pytest.raises(ValueError, match="not finite"):
            data.stacked_log_emits(np.full((2, 2), weight, dtype))


@problems_of(50)
@given(raw())
def test_entries_of_a_sparse_matrix_are_the_same_sequences(sequences):
    """scipy's rows, with zeros stored explicitly: they count as nothing."""
    from scipy.sparse import csr_array

    features, gold = sequences
    matrix = csr_array(np.concatenate(features))
    data = rv.Sequences.from_entries(
        matrix.indptr, matrix.indices, matrix.data, [len(rows) for rows in features], gold, "abc", matrix.shape[1]
    )
    assert_same(features, gold, data)


def test_without_gold_the_labels_are_unknown():
    data = rv.Sequences.from_arrays([ROWS, ROWS[:1]], None, "ab", names=["x", "y", "z"])
    assert data.gold.tolist() == [-1, -1, -1] and data.names == ("x", "y", "z")
    assert [truth.tolist() for truth in data.golds()] == [[-1, -1], [-1]]


BAD_ARRAYS = {
    "no sequences": (([], []), "no sequences"),
    "empty sequence": (([ROWS, np.zeros((0, 3))], ["ab", ""]), "sequence 2 is empty"),
    "a flat array": (([[1.0, 2.0]], ["ab"]), "sequence 1: features of shape"),
    "ragged rows": (([ROWS, [[1.0], [1.0, 2.0]]], ["ab", "ab"]), "sequence 2: its features are not"),
    "words for numbers": (([[["x"]]], ["a"]), "sequence 1: its features are not"),
    "another number of features": (([ROWS, [[1.0]]], ["ab", "a"]), "sequence 2: 1 features .* sequence 1 has 3"),
    "nan": (([ROWS, [[0.0, NAN, 0.0]]], ["ab", "a"]), "sequence 2, position 1: feature 1 is nan"),
    "infinite": (([[[0.0], [INF]]], ["ab"]), "sequence 1, position 2: feature 0 is inf"),
    "fewer golds": (([ROWS, ROWS], ["ab"]), "2 feature arrays, 1 gold"),
    "shorter gold": (([ROWS, ROWS], ["ab", "a"]), "sequence 2: 2 positions of features, 1 labels"),
    "unknown label": (([ROWS, ROWS], ["ab", "az"]), "sequence 2: 'z'"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_arrays_that_do_not_fit_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        rv.Sequences.from_arrays(*arguments, "ab")


BAD_ENTRIES = {
    "a feature beyond F": (([0, 1, 2], [0, 3], [1.0, 1.0], [2]), "position 2.*feature 3"),
    "a negative feature": (([0, 1, 2], [0, -1], [1.0, 1.0], [2]), "position 2.*feature -1"),
    "nan": (([0, 1, 2], [0, 1], [1.0, NAN], [2]), "position 2.*nan"),
    "rows that do not end with the entries": (([0, 1, 3], [0, 1], [1.0, 1.0], [2]), "start.2. is 3: give whole"),
    "rows that go back": (([0, 2, 1, 2], [0, 1], [1.0, 1.0], [3]), "start.2. is 1, before start.1., 2"),
    "lengths that are not the rows": (([0, 1, 2], [0, 1], [1.0, 1.0], [3]), "give whole numbers from 1 to 2"),
    "lengths that are fewer": (([0, 1, 2], [0, 1], [1.0, 1.0], [1]), "1 positions, the entries 2"),
    "places that wrap around": (([0, -(2**63), 2**63 - 1, 2], [0, 1], [1.0, 1.0], [3]), "start.1. is -9"),
    "places of another sign": (
        (np.array([0, 2**64 - 1, 2], np.uint64), [0, 1], [1.0, 1.0], [2]),
        "start.1. is 18446744073709551615",
    ),
    "features between two": (([0, 1, 2], [0, 1.5], [1.0, 1.0], [2]), "feature: its values are float64"),
    "lengths whose sum wraps around": (([0, 1, 2], [0, 1], [1.0, 1.0], [2**63 - 1, 2**63 - 1, 4]), "lengths.0. is"),
    "an empty sequence": (([0, 1, 2], [0, 1], [1.0, 1.0], [2, 0]), "sequence 2"),
    "no sequences": (([0], [], [], []), "no sequences"),
}


@pytest.mark.parametrize(("entries", "message"), BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_entries_that_do_not_fit_are_named(entries, message):
    """The kernels do not check bounds, so these must not reach them."""
    with pytest.raises(ValueError, match=message):
        rv.Sequences.from_entries(*entries, gold=None, labels="ab", F=3)


@problems_of(20)
@given(raw())
def test_all_arrays_are_contiguous_so_that_kernels_are_compiled_once(sequences):
    data = rv.Sequences.from_arrays(*sequences, "abc")
    for one in (data, data.take([0])):
        assert all(array.flags.c_contiguous for array in (one.offset, one.start, one.feature, one.value, one.gold))
