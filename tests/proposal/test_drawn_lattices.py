"""Recombining and stochastic beam, importance sampling and SMC as lattices, compared with their definitions."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rcmviz as rv
from oracles import chain, proposal
from problems.chain import log_emit_of, machine_of, model_of, problems, problems_of, seeded_problem
from rcmviz.proposal.proposal import propose
from rcmviz.proposal.stochastic import draw_without_replacement

RULE = chain.Rule("rcms")
TRIES = 1_500
DRAWN = (rv.stochastic_beam, rv.importance_lattice, rv.smc_lattice)


def outputs_of(lattice):
    """{output: weight in the lattice}."""
    paths = rv.kbest(lattice, 5_000)
    return {path.labels: np.exp(path.log_score) for path in paths}


@cache
def small_case(seed):
    """``(Proposal, {output: probability in RCMS})`` with at most 4³ outputs, of budget 2."""
    problem = seeded_problem(seed, max_length=3, max_labels=2)
    found = propose(model_of(problem), log_emit_of(problem), 2)
    return problem, found, proposal.probabilities(machine_of(problem, RULE, found.lattice))


@pytest.mark.parametrize(("seed", "size"), [(1, 2), (2, 3), (9, 4)])
def test_the_stochastic_beam_samples_without_replacement(seed, size):
    problem, found, part = small_case(seed)
    expected = proposal.without_replacement(part, size)
    rng, seen = np.random.default_rng(seed), dict.fromkeys(expected, 0)
    for _ in range(TRIES):
        tree, noise = draw_without_replacement(found, size, rng)
        assert len(noise) == size
        seen[frozenset(tuple(problem.labels[y] for y in row) for row in tree.known.tolist())] += 1
    likely = [outputs for outputs, chance in expected.items() if chance * TRIES >= 5]
    observed = np.array([seen[outputs] for outputs in likely] + [TRIES - sum(seen[outputs] for outputs in likely)])
    chances = np.array([float(expected[outputs]) for outputs in likely])
    wanted = np.append(chances, max(1 - chances.sum(), 1e-12)) * TRIES
    if wanted[-1] < 5:
        observed, wanted = observed[:-1], wanted[:-1] * observed[:-1].sum() / wanted[:-1].sum()
    assert stats.chisquare(observed, wanted).pvalue > 1e-3


@pytest.mark.parametrize("seed", [7])
def test_its_first_draw_is_a_draw(seed):
    """The highest noise is that of one draw from RCMS."""
    problem, found, part = small_case(seed)
    rng, seen = np.random.default_rng(5), dict.fromkeys(part, 0)
    for _ in range(TRIES):
        tree, noise = draw_without_replacement(found, 3, rng)
        seen[tuple(problem.labels[y] for y in tree.known[noise.argmax()])] += 1
    chances = np.array([float(p) for p in part.values()])
    observed, common = np.array(list(seen.values())), chances * TRIES >= 5
    assert common.sum() > 1
    wanted = chances[common] * observed[common].sum() / chances[common].sum()
    assert stats.chisquare(observed[common], wanted).pvalue > 1e-3


@problems_of(100)
@given(problems(max_length=5), st.sampled_from([1, 2, 3, 7, 2000]), st.integers(0, 5))
def test_the_stochastic_beam_has_so_many_outputs_with_their_full_scores(problem, budget, seed):
    full = proposal.full_weights(problem)
    if not full:
        return
    lattice, trace = rv.stochastic_beam(model_of(problem), log_emit_of(problem), budget, seed=seed)
    found = {path.labels: path.log_score for path in rv.kbest(lattice, 5_000)}
    assert len(found) == min(budget, len(full))
    for labels, log_score in found.items():
        assert log_score == pytest.approx(chain.log(full[labels]), rel=1e-9, abs=1e-9)
    for i in range(1, problem.T):
        assert trace.kept[trace.candidates(i)].sum() <= budget


@problems_of(100)
@given(problems(max_length=5), st.sampled_from([1, 2, 6, 30]), st.integers(0, 5))
def test_weighted_draws_as_a_lattice_have_the_estimate_as_log_z(problem, budget, seed):
    if not proposal.full_weights(problem):
        return
    model, log_emit = model_of(problem), log_emit_of(problem)
    lattice, trace = rv.importance_lattice(model, log_emit, budget, seed=seed)
    estimate = rv.importance(model, log_emit, budget, budget, seed, bound=0)
    assert rv.log_z(lattice) == pytest.approx(estimate.log_z, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(rv.posterior(lattice).label, estimate.label, atol=1e-9)
    assert {path.labels for path in rv.kbest(lattice, 100)} == {
        tuple(problem.labels[y] for y in row) for row in estimate.labels
    }
    assert np.array_equal(trace.fate(1) == 0, trace.into[trace.candidates(1)] >= 0) if problem.T > 1 else True


@problems_of(60)
@given(problems(max_length=5), st.sampled_from([1, 3, 12]))
def test_a_filter_as_a_lattice_has_its_estimate_as_log_z(problem, budget):
    if not proposal.full_weights(problem):
        return
    model, log_emit = model_of(problem), log_emit_of(problem)
    lattice, _ = rv.smc_lattice(model, log_emit, budget, seed=3)
    from rcmviz.proposal.smc import run_filters

    run = run_filters(propose(model, log_emit, budget), 1, budget, np.random.default_rng(3))
    assert rv.log_z(lattice) == pytest.approx(run.log_z[0], rel=1e-9, abs=1e-9)


@problems_of(150)
@given(problems(), st.sampled_from([1, 2, 3, 8, 2000]))
def test_the_recombining_beam_is_a_beam_that_joins_equals(problem, budget):
    model, log_emit = model_of(problem), log_emit_of(problem)
    lattice, trace = rv.recombining_beam(model, log_emit, budget)
    other, other_trace = rv.beam(model, log_emit, budget, deduplicate=True)
    for name in ("offset", "length", "label", "target", "score"):
        np.testing.assert_array_equal(getattr(lattice, name), getattr(other, name))
    assert trace.settings == other_trace.settings | {"method": "recombining"}
    z = chain.every_history(problem).z
    assert rv.log_z(lattice) <= chain.log(z) + 1e-9 * (1 + abs(chain.log(z))) if z else True


def test_it_never_loses_to_a_larger_budget_where_all_is_joined():
    problem = seeded_problem(3)
    model, log_emit = model_of(problem), log_emit_of(problem)
    mass = [rv.log_z(rv.recombining_beam(model, log_emit, budget)[0]) for budget in (1, 2000)]
    assert mass[0] < mass[1] == pytest.approx(rv.log_z(rv.exact(model, log_emit)[0]), rel=1e-9)


@pytest.mark.parametrize("draw", DRAWN)
def test_draws_follow_their_seed_and_edits_of_labels(draw):
    problem = seeded_problem(4, max_length=5)
    model, log_emit = model_of(problem), log_emit_of(problem)
    same = [draw(model, log_emit, 3, seed=seed)[0].target.tolist() for seed in (0, 0, 1, 2, 3)]
    assert same[0] == same[1] and any(one != other for one, other in pairwise(same[1:]))
    lattice, trace = draw(model, log_emit, 3, pin=[(2, "a")], forbid=[(1, "b")])
    assert all(labels[1] == "a" and labels[0] != "b" for labels in outputs_of(lattice))
    assert "drawn: its share is" in trace.reason(0) and trace.settings["budget"] == 3
    with pytest.raises(ValueError, match="not contexts"):
        draw(model, log_emit, 3, pin=[(2, ("a", "a"))])
    with pytest.raises(ValueError, match="seed -1"):
        draw(model, log_emit, 3, seed=-1)
