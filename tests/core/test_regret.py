"""Regret against enumeration of all outputs, all selections and all swaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import blame as judging
from oracles import chain
from oracles import regret as oracle
from problems.chain import build, cases, log_emit_of, model_of, problems_of, seeded_problem, solved

CLOSE = {"rtol": 1e-7, "atol": 1e-9}


def regret_of(problem, trace, gold=None, **options):
    return rv.regret(model_of(problem), log_emit_of(problem), trace, gold, **options)


@problems_of(200)
@given(cases(max_length=5, max_labels=3))
def test_shares_and_regrets_equal_enumeration(case):
    """Ties, zeros, far weights, one label, length 1, joined contexts and edits among them."""
    problem, rule = case
    weights = judging.full_weights(problem)
    _, trace, machine = solved(case)
    if not weights:
        with pytest.raises(ValueError, match="no output has positive probability"):
            regret_of(problem, trace)
        return
    found = regret_of(problem, trace)
    shares, covered = oracle.exact_shares(machine, weights, rule.deduplicate)
    np.testing.assert_allclose(found.covered, [float(share) for share in covered], **CLOSE)
    for i in range(1, problem.T):
        measured = {}
        for m in range(*trace.candidates(i).indices(len(trace.key))):
            name = trace.labels_of(m)
            measured[name] = measured.get(name, 0.0) + found.exact_share[m]
        expected = {name: float(share) for name, share in shares[i - 1].items()}
        np.testing.assert_allclose(
            [share for _, share in sorted(measured.items())],
            [expected.get(name, 0.0) for name in sorted(measured)],
            **CLOSE,
        )
        best = oracle.regret_at(machine, rule, i, shares[i - 1])
        np.testing.assert_allclose(found.by_position[i - 1], float(best), **CLOSE)
        swap = found.swaps[i - 1]
        assert (swap is None) == (found.by_position[i - 1] == 0)
        if swap is not None:
            assert swap.gain > 0
            np.testing.assert_allclose(swap.kept_share, expected.get(swap.kept, 0.0), **CLOSE)
            np.testing.assert_allclose(swap.discarded_share, expected[swap.discarded], **CLOSE)


@st.composite
def swap_cases(draw):
    """A problem without ties and a rule without edits; the gold is the best output of the model or another one."""
    problem, rule = draw(cases(plain=True, methods=("rcms", "beam"), pools=("generic",), zeros=False, max_length=5))
    weights = judging.full_weights(problem)
    best = max(weights, key=weights.get)
    return problem, rule, draw(st.just(best) | st.tuples(*[st.sampled_from(problem.labels)] * problem.T))


@problems_of(150)
@given(swap_cases())
def test_swaps_equal_running_the_method_with_them(case):
    problem, rule, gold = case
    _, trace = build(problem, rule)
    found = regret_of(problem, trace, gold)
    for swap in filter(None, found.swaps):
        machine = oracle.swapped(problem, rule, swap.position, swap.kept, swap.discarded)
        np.testing.assert_allclose(swap.log_z, chain.log(machine.z), **CLOSE)
        share = {path.labels: path.weight / machine.z for path in machine.paths}.get(gold, 0)
        np.testing.assert_allclose(swap.gold_probability, float(share), **CLOSE)
    known = oracle.repairs(problem, rule, gold)
    assert (found.repair is None) == (not known)
    if known:
        repair = found.repair
        gap, _ = known[repair.position, repair.kept, repair.discarded]
        np.testing.assert_allclose(repair.gap, float(min(gap for gap, _ in known.values())), **CLOSE)
        np.testing.assert_allclose(repair.gap, float(gap), **CLOSE)
        assert repair.output == gold


@pytest.mark.parametrize("method", ["rcms", "beam"])
def test_a_full_budget_has_no_regret(method):
    """Exact inference too; a beam then covers all outputs, and with less it covers exp(its log Z − log Z)."""
    problem = seeded_problem(3)
    model, emit = model_of(problem), log_emit_of(problem)
    _, trace = getattr(rv, method)(model, emit, len(problem.labels) ** problem.T)
    for whole in (trace, rv.exact(model, emit)[1]):
        found = rv.regret(model, emit, whole)
        assert found.total == 0
        assert found.swaps == (None,) * (problem.T - 1)
        np.testing.assert_allclose(found.covered, 1)
    found = rv.regret(model, emit, rv.beam(model, emit, 2)[1])
    np.testing.assert_allclose(found.covered[-1], np.exp(found.log_z - found.full_log_z))


def test_weighted_draws_estimate_the_shares_and_say_so():
    problem = seeded_problem(5)
    model, emit = model_of(problem), log_emit_of(problem)
    _, trace = rv.rcms(model, emit, 2)
    exact, found = (
        rv.regret(model, emit, trace, draws=draws) for draws in (None, rv.importance(model, emit, n=20_000))
    )
    np.testing.assert_allclose(found.exact_share, exact.exact_share, atol=0.03)
    assert (exact.is_estimate, found.is_estimate) == (False, True)
    assert "estimated" in found.sentence(1) and "exact" in exact.sentence(1)


def test_too_large_an_input_names_the_remedy(monkeypatch):
    problem = seeded_problem(5)
    model, emit = model_of(problem), log_emit_of(problem)
    _, trace = rv.rcms(model, emit, 2)
    monkeypatch.setattr("rcmviz.core.builders.passes.MAX_ARCS", 10)
    with pytest.raises(ValueError, match=r"draws=rv\.importance"):
        rv.regret(model, emit, trace)


def test_sentences_and_tables():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    emissions = [[0.0, 0.1], [0.1, 0.0]]
    _, trace = rv.beam(model, emissions, 1)
    found = rv.regret(model, emissions, trace, "ab")
    assert found.sentence(1) == (
        "Position 1: `a` should have been kept instead of `b`, 0.78 against 0.22 of the exact mass; "
        "the swap changes log Z by +1.3 nats and the gold's probability by +0.87."
    )
    assert found.table()["discarded"].tolist() == ["a"]
    assert found.to_dict()["repair"]["output"] == ("a", "b")
    assert found.worst == found.swaps[0]
    with pytest.raises(ValueError, match="positions 1 to 1"):
        found.sentence(2)
    with pytest.raises(ValueError, match="another model or input"):
        rv.regret(model, [[0.0, 0.0]], trace)
