"""Limits are checked before the computation, and refuse nothing that is feasible."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.builders import passes
from rcmviz.core.shared.packed import unpack_gzip

METHODS = {"beam": (rv.beam, {}), "rcms": (rv.rcms, {}), "repaired": (rv.rcms, {"root_weight": 0.0})}


@problems_of(40)
@given(st.integers(1, 3), st.integers(2, 6), st.integers(1, 12), st.sampled_from(sorted(METHODS)), st.data())
def test_a_budget_is_refused_before_the_work_where_it_would_be_in_the_middle(width, length, budget, method, data):
    """The estimated number of arcs is the actual one."""
    model = rv.NgramModel.from_windows("abc"[:width], 1, {("a", "a"): 1.0})
    impossible = data.draw(st.lists(st.booleans(), min_size=length * width, max_size=length * width))
    log_emit = np.where(np.reshape(impossible, (length, width)), -np.inf, 0.5)
    log_emit[:, 0] = 0.0
    build, options = METHODS[method]
    lattice, _ = build(model, log_emit, budget, **options)
    arcs = width * int(lattice.offset[-2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "MAX_ARCS", arcs)
        assert build(model, log_emit, budget, **options)[0].C == lattice.C
        patch.setattr(passes, "MAX_ARCS", arcs - 1)
        patch.setattr("rcmviz.core.builders.build.forward", None)  # no work is begun
        with pytest.raises(ValueError, match=f"{arcs:,} arcs .*{length}, .*{arcs - 1:,}; lower"):
            build(model, log_emit, budget, **options)


def test_a_gzip_file_unpacks_to_no_more_than_the_limit(tmp_path, monkeypatch):
    packed = gzip.compress(bytes(3_000_000))
    assert len(packed) < 5_000
    with pytest.raises(ValueError, match="x.gz: .*1,000,000 bytes"):
        unpack_gzip(packed, "x.gz", 1_000_000)
    assert unpack_gzip(packed, "x.gz") == bytes(3_000_000)
    with pytest.raises(EOFError):
        unpack_gzip(packed[:-9], "x.gz")


def test_a_pattern_is_no_longer_than_any_sequence():
    model = rv.NgramModel.from_windows("ab", 1, {})
    lattice, _ = rv.exact(model, [[0.0, 0.0]] * 3)
    with pytest.raises(ValueError, match="8,000 labels.*2,000"):
        rv.mass(lattice, "a" * 8_000)
    assert rv.mass(lattice, "a" * 2_000) == 0
