"""Weighted draws compared with enumeration: weights, no bias over 10⁴ repetitions, valid intervals or errors."""

import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain, proposal
from problems import ars
from problems.chain import TIES, log_emit_of, machine_of, model_of, problems, problems_of, seeded_problem
from rcmviz.proposal.importance import estimate_by_importance
from rcmviz.proposal.maxima import MaximaModel
from rcmviz.proposal.proposal import propose
from rcmviz.proposal.smc import estimate_by_smc, run_filters

REPETITIONS = 10_000
RULE = chain.Rule("rcms")
HARD = [(2, 1, 2), (3, 2, 2), (5, 1, 3), (8, 2, 1), (13, 3, 2), (21, 2, 4)]  # seed, budget, bound


@cache
def case(seed, budget, bound):
    """``(problem, Proposal, [probabilities of each part], Z)`` of a seeded problem with at most 4⁵ outputs."""
    problem = seeded_problem(seed, "single" if seed % 2 else "additive", TIES, TIES, max_length=5)
    model, log_emit = model_of(problem), log_emit_of(problem)
    found = propose(model, log_emit, budget, bound)
    maxima = machine_of(proposal.maxima_of(problem), RULE, found.parts[1].lattice)
    parts = [proposal.probabilities(machine_of(problem, RULE, found.lattice)), proposal.probabilities(maxima)]
    return problem, found, parts, sum(proposal.full_weights(problem).values())


def weights_of(problem, parts):
    full = proposal.full_weights(problem)
    return {labels: full.get(labels, 0) / q for labels, q in proposal.mixture(*parts).items()}


@pytest.mark.parametrize("of", HARD)
def test_every_weight_is_that_of_the_enumeration(of):
    problem, found, parts, _ = case(*of)
    weights = weights_of(problem, parts)
    drawn = estimate_by_importance(found, 60, 0)
    expected = [chain.log(weights[tuple(problem.labels[y] for y in row)]) for row in drawn.labels]
    np.testing.assert_allclose(drawn.log_weight, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("of", HARD)
def test_importance_has_no_bias(of):
    problem, found, parts, z = case(*of)
    weights = weights_of(problem, parts)
    drawn = estimate_by_importance(found, 2 * REPETITIONS, 7)  # the k-th repetition is a draw of each part
    estimates = np.exp(drawn.log_weight).reshape(2, REPETITIONS).mean(axis=0)
    spread = math.sqrt(sum(float(proposal.variance(weights, part)) for part in parts) / 4)
    assert abs(estimates.mean() - float(z)) <= 4 * spread / math.sqrt(REPETITIONS) + 1e-9 * float(z)
    assert estimates.std() == pytest.approx(spread, rel=0.1, abs=1e-9 * float(z))


@pytest.mark.parametrize("of", HARD)
@pytest.mark.parametrize("size", [1, 4])
def test_a_particle_filter_has_no_bias(of, size):
    _, found, _, z = case(*of)
    run = run_filters(found, REPETITIONS, size, np.random.default_rng(11))
    estimates = np.exp(run.log_z)
    assert abs(estimates.mean() - float(z)) <= 4 * estimates.std() / math.sqrt(REPETITIONS) + 1e-9 * float(z)
    np.testing.assert_allclose(np.exp(run.log_weight).mean(), estimates.mean(), rtol=1e-9)


@pytest.mark.parametrize("of", HARD)
def test_posteriors_by_weights_are_those_of_the_full_model(of):
    problem, found, _, _ = case(*of)
    expected = np.array(chain.every_history(problem).label_mass(), dtype=float)
    for draws in (estimate_by_importance(found, 20_000, 1), estimate_by_smc(found, 20_000, 1)):
        assert np.abs(draws.label - expected).max() < 0.03


@pytest.mark.parametrize("draw", [estimate_by_importance, estimate_by_smc])
def test_intervals_that_are_given_hold(draw):
    given_, held = 0, 0
    for of in HARD:
        _, found, _, z = case(*of)
        for seed in range(100):
            estimate = draw(found, 400, seed)
            if estimate.interval is not None:
                given_ += 1
                held += estimate.interval[0] - 1e-9 <= chain.log(z) <= estimate.interval[1] + 1e-9
    assert given_ >= 300
    assert held >= 0.92 * given_


def test_no_interval_if_draws_may_miss_mass():
    """The output aaaa has nearly all mass, but RCMS of budget 1 hardly ever draws it: its ESS looks perfect."""
    windows = {("^", "^", "b"): 2.0, ("a", "a", "a"): 15.0}
    model, emit = rv.NgramModel.from_windows("ab", 2, windows), [[0.0, 6.0]] * 4
    truth = rv.log_z(rv.exact(model, emit)[0])
    for draw in (rv.importance, rv.smc):
        blind = draw(model, emit, 1, 400, bound=0)
        assert blind.interval is None and "ask for a bound" in blind.why and blind.least_ess == 0
        loose = draw(model, emit, 1, 400, bound=1)
        assert loose.interval is None and "raise bound" in loose.why and loose.log_upper > truth
        sure = draw(model, emit, 1, 400, 3, bound=20)
        assert sure.interval[0] < truth < sure.interval[1] and sure.why == ""
        assert "without an interval" in repr(blind) and f"{sure.interval[1]:.2f}" in repr(sure)
    blind = rv.importance(model, emit, 1, 400, bound=0)
    assert blind.ess > 0.9 * blind.n and blind.log_z < truth - 1  # which is why ESS alone does not decide


@problems_of(150)
@given(problems(), st.sampled_from([1, 2, 5]), st.sampled_from([1, 3, 1000]))
def test_the_sandwich_holds_on_every_problem(problem, budget, bound):
    z = chain.every_history(problem).z
    model, log_emit = model_of(problem), log_emit_of(problem)
    if z == 0:
        with pytest.raises(ValueError, match="positive probability"):
            rv.sandwich(model, log_emit, budget, 5, bound=bound)
        return
    found, truth = rv.sandwich(model, log_emit, budget, 50, bound=bound), chain.log(z)
    slack = 1e-9 * (1 + abs(truth))
    assert found.beam_log_z <= found.lower <= truth + slack and truth - slack <= found.upper
    assert found.lower <= found.estimate.log_z + 1e300 and found.estimate.log_found <= truth + slack
    assert np.all(found.estimate.log_weight <= found.upper + np.log(2) + 1e-9 * (1 + abs(found.upper)))
    if bound == 1000:
        assert found.upper == pytest.approx(truth, rel=1e-9, abs=1e-9)


@problems_of(40)
@given(st.integers(0, 10**9), st.sampled_from([1, 3, 1000]))
def test_the_sandwich_holds_for_words_of_a_language_model(seed, bound):
    problem = ars.random_problem(random.Random(seed))
    hmm = rv.HMM(ars.lm_of(problem.table), problem.candidates, problem.log_obs, end=problem.end)
    found, truth = rv.sandwich(hmm, budget=2, n=200, bound=bound), rv.log_z(rv.exact(hmm)[0])
    slack = 1e-5 * (1 + abs(truth))  # the model's numbers have single precision
    assert found.lower <= truth + slack and truth - slack <= found.upper
    assert np.all(found.estimate.log_weight <= found.upper + np.log(2) + slack)
    assert abs(found.estimate.log_z - truth) < 12 / np.sqrt(max(found.estimate.least_ess, 1e-3))


@problems_of(60)
@given(problems(pools=("ties", "generic"), max_length=5, max_labels=3), st.integers(1, 4))
def test_the_bound_is_the_model_of_maxima(problem, bound):
    if chain.every_history(problem).z == 0:
        return
    lattice, _ = rv.rcms(MaximaModel(model_of(problem)), log_emit_of(problem), bound)
    machine = machine_of(proposal.maxima_of(problem), RULE, lattice)
    assert not list(chain.violations(machine, chain.Rule("rcms", bound)))
    assert rv.log_z(lattice) == pytest.approx(chain.log(machine.z), rel=1e-9, abs=1e-9)


def test_labels_can_be_pinned_and_contexts_cannot():
    problem = seeded_problem(4, "single", TIES, TIES, max_length=4)
    model, log_emit = model_of(problem), log_emit_of(problem)
    pinned = chain.every_history(problem.edited(pin=[(2, "a")]))
    for draw in (rv.importance, rv.smc):
        found = draw(model, log_emit, 2, 400, pin=[(2, "a")])
        assert np.all(found.labels[:, 1] == 0)
        assert found.interval[0] < chain.log(pinned.z) < found.interval[1]
        with pytest.raises(ValueError, match="pin or forbid labels, not contexts"):
            draw(model, log_emit, 2, 400, forbid=[(2, ("a", "b"))])
        with pytest.raises(ValueError, match="how many"):
            draw(model, log_emit, 2, 0)
        with pytest.raises(ValueError, match="bound -1"):
            draw(model, log_emit, 2, 400, bound=-1)
