"""Alignments by best-first search, compared with enumeration of all alignments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles.align import text_of
from problems.align import oracle_of, some_model
from problems.chain import problems_of
from rcmviz.align.model import AlignLimits
from rcmviz.search.alignments import AlignSearch

CLOSE = {"rel": 1e-6, "abs": 1e-5}  # the weights have single precision
PHONES = st.sampled_from(["X", "XY", "YX", "YYX"])


@st.composite
def cases(draw):
    """A model, phones, its oracle and perhaps a text that can be aligned."""
    order, mode = draw(st.integers(1, 4)), draw(st.sampled_from(["additive", "single"]))
    limits = AlignLimits(draw(st.integers(1, 3)), draw(st.integers(1, 3)), 1.0, draw(st.integers(0, 1)))
    share = draw(st.sampled_from([0.3, 0.8]))
    model = some_model(draw(st.integers(0, 10**6)), order=order, mode=mode, limits=limits, share=share)
    phones = draw(PHONES)
    oracle = oracle_of(model, phones)
    texts = sorted({text_of(path) for path in oracle.paths})
    return model, phones, oracle, draw(st.one_of(st.none(), st.sampled_from(texts))) if texts else None


@problems_of(30)
@given(cases(), st.booleans())
def test_astar_finds_the_best_alignment(case, recombine):
    model, phones, oracle, text = case
    if not oracle.paths:
        return
    found = rv.search_best(AlignSearch(model, phones, text), recombine=recombine)
    assert found.best.score == pytest.approx(oracle.best(text=text), **CLOSE) and found.proved
    assert text is None or "".join(name[1:] for name in found.best.steps[:-1]) == text


@problems_of(12)
@given(cases())
def test_every_alignment_has_the_sum_of_its_weights(case):
    model, phones, oracle, _ = case
    everything = rv.search_best(AlignSearch(model, phones, bounded=False), k=10**6)
    scores = sorted(one.score for one in everything.answers)
    assert everything.stopped == "empty"
    assert scores == pytest.approx(sorted(map(oracle.log_score, oracle.paths)), **CLOSE)


def test_what_cannot_be_aligned_is_refused():
    model = some_model(0)
    with pytest.raises(ValueError, match="phone 'Z': not among"):
        AlignSearch(model, "XZ")
    with pytest.raises(ValueError, match="9 letters for 1 phone"):
        AlignSearch(model, "X", "a" * 9)
