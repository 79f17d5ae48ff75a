"""Vectors of sixteen lanes compared with NumPy, with all of the processor's features and with fewer."""

import os
import subprocess
import sys

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit
from numba.core.registry import cpu_target

from rcmviz.kernels import lanes
from rcmviz.kernels.lanes import (
    as_ints,
    compress,
    counted,
    first,
    highest,
    hits,
    inverse_root,
    larger,
    load,
    splat,
    spread,
    store,
    total,
    where,
)

NUMBERS = st.lists(st.integers(-4, 4), min_size=16, max_size=16)  # few, so that lanes are equal


@njit
def everything(a, b, found):
    """Each operation on 16 numbers; a row of ``found`` for each that has lanes, the rest are returned."""
    x, y = load(a, 3), load(b, 1)
    results = x + y, x - y, x * y, larger(x, y), where(x > y, x, y), where(x < y, x, y), where(x == y, x, y)
    at = 0
    for result in results:
        store(found, at, result)
        at += 16
    store(found, at, splat(a[3]))
    compress(found, at + 16, x, x > y)
    return total(x), highest(x), hits(x > y), first(x == y)


@njit
def orders_alone(a, places, bits):
    """Run the operations that have one type only."""
    store(bits, 0, as_ints(load(a, 3)))
    compress(places, 0, counted(), load(a, 3) > splat(np.float32(0)))


def check(numbers, others, dtype):
    a, b = np.array([9, 9, 9, *numbers], dtype), np.array([9, *others], dtype)
    found = np.full(9 * 16, 7, dtype)
    *numbers_found, ties = everything(a, b, found)
    x, y = a[3:], b[1:]
    rows = found.reshape(9, 16)
    expected = x + y, x - y, x * y, np.maximum(x, y), np.maximum(x, y), np.minimum(x, y), np.where(x == y, x, y)
    np.testing.assert_array_equal(rows[:7], expected)
    assert set(rows[7]) == {x[0]}
    assert rows[8][: np.sum(x > y)].tolist() == x[x > y].tolist()
    assert numbers_found == [x.sum(), x.max(), np.sum(x > y)]
    assert ties == next(iter(np.flatnonzero(x == y)), 16)


@settings(max_examples=50)
@given(NUMBERS, NUMBERS)
@example([*range(16)], [0] * 8 + [20] * 8)
@example([*range(16)], [20] * 8 + [0] * 8)
def test_every_operation_is_that_of_numpy(numbers, others):
    check(numbers, others, np.float32)
    check(numbers, others, np.int32)


@settings(max_examples=50)
@given(NUMBERS)
def test_order_of_bits_and_numbers_of_lanes(numbers):
    a = np.array([9, 9, 9, *numbers], np.float32) / np.float32(3)
    places, bits = np.zeros(16, np.int32), np.zeros(16, np.int32)
    orders_alone(a, places, bits)
    assert bits.tolist() == a[3:].view(np.int32).tolist()
    positive = np.flatnonzero(a[3:] > 0)
    assert places[: len(positive)].tolist() == positive.tolist()


@njit
def whole_numbers_alone(a, b, found):
    """Run the operations of whole numbers only."""
    x, y = load(a, 0), load(b, 0)
    low = y & splat(np.int32(15))
    at = 0
    for result in (x & y, x | y, x << low, x >> low, spread(a, 5)):
        store(found, at, result)
        at += 16


def check_whole_numbers(numbers, others):
    x, y, found = np.array(numbers, np.int32), np.array(others, np.int32), np.zeros(5 * 16, np.int32)
    whole_numbers_alone(x, y, found)
    low = y & 15
    np.testing.assert_array_equal(found.reshape(5, 16), [x & y, x | y, x << low, x >> low, [x[5]] * 16])


@settings(max_examples=50)
@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=16, max_size=16),
    st.lists(st.integers(0, 16), min_size=16, max_size=16),
)
@example([*range(16)], [0] * 8 + [16] * 8)
@example([*range(16)], [16] * 8 + [0] * 8)
def test_operations_of_whole_numbers_are_those_of_numpy(numbers, others):
    check_whole_numbers(numbers, others)


@njit
def roots(a):
    """Store the inverse root, an operation of floats only."""
    store(a, 0, inverse_root(load(a, 0)))


@settings(max_examples=50)
@given(st.lists(st.floats(1e-30, 1e30), min_size=16, max_size=16))
def test_the_inverse_of_a_root_is_right_but_for_its_last_places(numbers):
    found = np.array(numbers, np.float32)
    roots(found)
    np.testing.assert_allclose(found, np.array(numbers) ** -0.5, rtol=1e-6)


def test_lanes_are_there_where_the_tests_run():
    assert lanes.SUPPORTED


LESS = """
from core.test_lanes import check, check_whole_numbers, features

check([*range(16)], [*range(8), *range(16, 24)], "f4")
check_whole_numbers([*range(16)], [15, 3, 16, 0] * 4)
check([2, 1] * 8, [1] * 16, "i4")
print(*features())
"""


def features():
    """Return the processor features that Numba uses, as ``+avx2``."""
    return cpu_target.target_context.codegen().magic_tuple()[2].split(",")


def test_a_processor_that_has_less():
    """Run with AVX-512 disabled, or with the oldest instructions only if the processor lacks it."""
    without = [f"-{name[1:]}" if "avx512" in name else name for name in features()]
    less = {"NUMBA_CPU_FEATURES": ",".join(without)} if without != features() else {"NUMBA_CPU_NAME": "generic"}
    environment = {**os.environ, **less, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LESS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "+avx512f" not in done.stdout and set(done.stdout.split()) != set(features())


OUTSIDE = """
import numpy as np
from numba import njit
from rcmviz.kernels.lanes import load, store
copy = njit(lambda array, at: store(array, 0, load(array, at)))
for at in (0, 4, -1, 5):
    try:
        copy(np.zeros(20, "f4"), at)
    except IndexError:
        print(at)
"""


def test_lanes_outside_of_an_array_are_found_where_bounds_are_checked():
    done = subprocess.run(
        [sys.executable, "-c", OUTSIDE], env=os.environ | {"NUMBA_BOUNDSCHECK": "1"}, capture_output=True, text=True
    )
    assert done.stdout.split() == ["-1", "5"], done.stderr
