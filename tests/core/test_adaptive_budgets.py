"""Adaptive budgets: they use exactly the total, and each way is what its definition says."""

import itertools

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from problems.chain import cases, log_emit_of, model_of, problems_of, seeded_problem
from rcmviz.core.builders.adaptive import WAYS, adaptive_budgets

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def draw(random):
    """Posteriors of one to six positions, some with ties, zeros or no output."""
    found = []
    for _ in range(random.integers(1, 7)):
        p = random.choice([0, 1, 1, 2, 5, 9], random.integers(1, 8)).astype(float)
        found.append(p / p.sum() if p.sum() else p)
    return found


def kept(posteriors, plan):
    """The summed posterior of the heaviest candidates within the budgets of a plan."""
    return sum(np.sort(p)[::-1][:budget].sum() for p, budget in zip(posteriors, plan, strict=True))


@pytest.mark.parametrize("by", WAYS)
def test_exactly_the_total_is_used(by):
    for seed in range(500):
        random = np.random.default_rng(seed)
        posteriors, budget = draw(random), int(random.integers(1, 12))
        found = adaptive_budgets(posteriors, budget, by)
        assert len(found) == len(posteriors) and sum(found) == budget * len(posteriors)
        assert min(found) >= -(-budget // 4)


def test_regret_keeps_the_most_posterior_of_all_ways_to_distribute():
    for seed in range(60):
        random = np.random.default_rng(seed)
        posteriors, budget = draw(random)[:3], int(random.integers(1, 5))
        least, total = -(-budget // 4), budget * len(posteriors)
        plans = itertools.product(range(least, total + 1), repeat=len(posteriors))
        best = max(kept(posteriors, plan) for plan in plans if sum(plan) == total)
        assert kept(posteriors, adaptive_budgets(posteriors, budget, "regret")) == pytest.approx(best)


def test_entropy_gives_in_proportion_to_the_effective_number_of_candidates():
    sure, two, four = np.array([1.0]), np.array([0.5, 0.5]), np.full(4, 0.25)
    assert adaptive_budgets([sure, two, four], 8, "entropy") == [2 + 3, 2 + 5, 2 + 10]  # of 18


@pytest.mark.parametrize("by", WAYS)
@problems_of(150)
@given(cases(plain=True, methods=("rcms",), pools=("generic",), zeros=False))
def test_budgets_follow_from_the_arcs_of_the_first_pass(by, case):
    problem, rule = case
    call = model_of(problem), log_emit_of(problem)
    budget = min(rule.budget, 8)
    _, trace = rv.rcms(*call, budget, adaptive=by)
    first = rv.rcms(*call, budget, record=False)[0]
    found, posteriors = rv.posterior(first), []
    for i in range(problem.T - 1):
        column = first.column(i)
        arcs = found.forward[column, None] + first.score[column] + found.backward[first.target[column]]
        posteriors.append(np.exp(arcs - found.log_z).ravel())
    plan = [trace.budget(i) for i in range(1, problem.T)]
    assert sum(plan) == budget * len(plan)
    if by == "regret":  # equal but for roundings
        assert kept(posteriors, plan) == pytest.approx(kept(posteriors, adaptive_budgets(posteriors, budget, by)))
    else:
        assert np.abs(np.subtract(plan, adaptive_budgets(posteriors, budget, by))).sum() <= 2
    assert trace.settings["passes"] == 2 and trace.settings["adaptive"] == by


@pytest.mark.parametrize("by", WAYS)
def test_with_room_for_all_it_is_exact(by):
    problem = seeded_problem(4)
    call = model_of(problem), log_emit_of(problem)
    budget = 4 * len(problem.labels) ** problem.T
    whole = rv.log_z(rv.exact(*call, record=False)[0])
    np.testing.assert_allclose(rv.log_z(rv.rcms(*call, budget, adaptive=by)[0]), whole, **CLOSE)


def test_the_word_adaptive_is_ten_contexts_by_entropy():
    problem = seeded_problem(1)
    _, trace = rv.rcms(model_of(problem), log_emit_of(problem), "adaptive")
    assert (trace.settings["budget"], trace.settings["adaptive"]) == (10, "entropy")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adaptive": "luck"}, "luck"),
        ({"budget": "much"}, "adaptive"),
        ({"adaptive": "entropy", "budgets": {1: 3}}, "leave budgets out"),
    ],
)
def test_invalid_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        rv.rcms(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0}), np.zeros((3, 2)), **options)
