"""Tuples of arrays as one argument of a kernel."""

import numpy as np
import pytest

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.lane_state import Index, Rate
from rcmviz.kernels.packed import pack


@kernel(cache=False)
def read(index, others):
    """A number that depends on all that is packed."""
    index, others = bare((index, others))
    rate, table, nothing = others
    total = index.used[0] + index.row[2] * 10 + rate.eta + table[1, 2]
    return total + (1000 if rate.averaging else 0) + (0 if nothing is None else 10_000)


def test_a_kernel_reads_what_was_packed():
    index = Index(np.arange(5, dtype=np.int32), np.zeros(3, np.int64), np.array([7]))
    others = Rate(0.25, 0.0, 0.0, True), 100.0 * np.arange(12).reshape(3, 4), None
    assert read(pack(index), pack(others)) == 7 + 20 + 0.25 + 600 + 1000


def test_an_array_that_is_not_contiguous_is_refused():
    with pytest.raises(ValueError, match="strides"):
        pack((np.zeros((3, 4))[:, :2],))
