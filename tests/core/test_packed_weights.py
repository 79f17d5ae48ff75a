"""Weights that are multiples of a step, in a file: all come back, and parts that do not fit together are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.models.packed_weights import pack_weights, unpack_weights

SIZES = st.sampled_from([1, 2, 127, 128, 129, 1_000, 32_767])


@st.composite
def tables(draw):
    """Tables of few and of many numbers, runs of zeros of every length among them, and their step."""
    rows, width = draw(st.sampled_from([(1, 1), (3, 2), (7, 1), (300, 2), (520, 3), (2_000, 1)]))
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    sizes = draw(st.lists(SIZES, min_size=1, max_size=4))
    there = rng.random((rows, width)) < draw(st.sampled_from([0.001, 0.1, 0.5, 1.0]))
    number = rng.choice(sizes, size=(rows, width)) * rng.choice([-1, 1], size=(rows, width)) * there
    step = 2.0 ** draw(st.integers(-12, 3))
    return (number * step).astype(np.float32), step


@problems_of(100)
@given(tables())
def test_all_weights_come_back(case):
    table, step = case
    parts = pack_weights("t", table)
    assert ("t" in parts) == (not table.any())
    found = unpack_weights("t", {name: np.asarray(part) for name, part in parts.items()})
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, table)
    if table.any():
        assert parts["t_step"] >= step and len(parts["t_size"]) == np.count_nonzero(table)
        by_columns = np.flatnonzero(table.T.ravel())  # the definition: the number of zeros before each
        skip = parts["t_skip"].astype(int)
        before = np.split(skip, np.flatnonzero(skip < 255)[:-1] + 1)
        assert [sum(run) for run in before] == (np.diff(by_columns, prepend=-1) - 1).tolist()


@pytest.mark.parametrize(
    "table", [np.float32([[0.1, 3.0]]), np.float64([[0.5]]), np.float32([[2**20, 1]]), np.zeros((3, 2), np.float32)]
)
def test_weights_that_are_no_multiples_of_a_step_are_stored_unchanged(table):
    assert pack_weights("t", table)["t"] is table


DAMAGES = {
    "no step": {"t_step": None},
    "a step of zero": {"t_step": np.float64(0)},
    "a table beyond all memory": {"t_shape": np.array([10**6, 10**6])},
    "a smaller table": {"t_shape": np.array([2, 2])},
    "no table": {"t_shape": np.array([0, 2])},
    "a size too few": {"t_size": np.uint8([0])},
    "a larger one that is not there": {"t_size": np.uint8([0, 255, 255])},
    "other kinds": {"t_skip": np.float32([0, 0, 0])},
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_parts_that_do_not_fit_together_are_refused(damage):
    parts = {
        name: np.asarray(part) for name, part in pack_weights("t", np.float32([[1, 0], [0, 2], [0, -300]])).items()
    }
    damaged = {name: part for name, part in (parts | damage).items() if part is not None}
    with pytest.raises((ValueError, KeyError)):
        unpack_weights("t", damaged)


def test_a_model_of_either_version_opens(tmp_path):
    """Rounded ones are packed, all digits are kept as they are; what an older rcmviz wrote is of the first version."""
    rng = np.random.default_rng(3)
    numbers = [
        np.float32(rng.integers(-600, 600, shape) * (rng.random(shape) < 0.4)) / 64 for shape in ((7, 2), (50, 2))
    ]
    for scale, version in ((1, 2), (np.float32(1 / 3), 1)):
        weights, emission = (table * scale for table in numbers)
        model = rv.NgramModel(("a", "b"), 2, "single", np.arange(7), weights, emission, {"said": "über"}, 0.25)
        model.save(tmp_path / "m.npz")
        parts, again = np.load(tmp_path / "m.npz"), rv.load_model(tmp_path / "m.npz")
        assert int(parts["version"]) == version and (again.info, again.root_weight) == (model.info, 0.25)
        used = weights.any(axis=1)
        np.testing.assert_array_equal(again.keys, model.keys[used])
        np.testing.assert_array_equal(again.weights, weights[used])
        np.testing.assert_array_equal(again.emission, emission)
