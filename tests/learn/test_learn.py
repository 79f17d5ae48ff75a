"""One training step: log-likelihood and gradient compared with enumeration and finite differences."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

import rcmviz as rv
from oracles import learning as oracle
from problems.chain import problems_of
from problems.learning import (
    GENTLE,
    Case,
    cases,
    columns_of,
    data_of,
    flat,
    flat_model,
    lattice_of,
    model_of,
    random_weights,
    step,
)
from rcmviz.core.methods import TRAINABLE
from rcmviz.learn.settings import LOST_GOLD

METHOD_MODE = [(method, mode) for method in TRAINABLE for mode in ("single", "additive")]
each_method_and_mode = pytest.mark.parametrize(("method", "mode"), METHOD_MODE, ids=map("-".join, METHOD_MODE))
CLOSE = {"rtol": 1e-8, "atol": 1e-8}


@each_method_and_mode
def test_the_gradient_is_observed_minus_expected(method, mode):
    """In every weight of the model: windows, emissions, bias and root, less the penalty; no other weight moves."""

    @problems_of(100)
    @given(cases(method, mode))
    def check(case):
        objective = case.objective
        expected = flat(case, objective.gradient(case.weights) if objective else {})
        state, gradient = step(case)
        np.testing.assert_allclose(gradient, expected, **CLOSE)
        assert state.gradient_norm == pytest.approx(np.linalg.norm(expected), rel=1e-8, abs=1e-8)

    check()


@each_method_and_mode
def test_the_gradient_is_the_finite_difference(method, mode):
    """Finite differences of the engine's log-likelihood, if the steps select the same contexts, and of the oracle's."""

    @problems_of(40)
    @given(cases(method, mode, l2=0.0))
    def check(case):
        objective = case.objective
        assume(objective is not None)
        direction = random_weights(random.Random(1), case.example, case.F, case.root)
        slope = step(case)[1] @ flat(case, direction)
        numeric = oracle.difference(objective.value, case.weights, direction)
        assert slope == pytest.approx(numeric, rel=1e-6, abs=1e-7)
        for sign in (1e-5, -1e-5):
            moved = {name: case.weights.get(name, 0) + sign * by for name, by in direction.items()}
            assume(columns_of(case, case.weights | moved) == columns_of(case))
        numeric = oracle.difference(lambda weights: step(case, weights)[0].log_likelihood, case.weights, direction)
        assert slope == pytest.approx(numeric, rel=1e-6, abs=1e-7)

    check()


@each_method_and_mode
def test_the_log_likelihood_is_that_of_the_gold(method, mode):
    """It is taken before the step, without the penalty; for RCMS it equals ``rv.log_prob``."""

    @problems_of(40)
    @given(cases(method, mode))
    def check(case):
        objective, state = case.objective, step(case)[0]
        if objective:
            assert state.log_likelihood == pytest.approx(objective.log_likelihood(case.weights), rel=1e-9, abs=1e-9)
        lost = oracle.fell_off(case.example, columns_of(case), case.root) is not None
        assert state.lost == lost
        if not lost:
            model = model_of(case)
            lattice = lattice_of(model, data_of(case.example, F=case.F).log_emits(model.emission)[0], case.settings)
            assert state.log_likelihood == pytest.approx(rv.log_prob(lattice, case.example.gold), rel=1e-9, abs=1e-9)

    check()


@each_method_and_mode
def test_the_gradient_where_scores_are_far_apart(method, mode):
    """Scores hundreds apart, which the kernels add as logs; exact training may refuse them."""

    @problems_of(20)
    @given(cases(method, mode, scales=(200.0,)))
    def check(case):
        objective = case.objective
        expected = flat(case, objective.gradient(case.weights) if objective else {})
        try:
            gradient = step(case)[1]
        except ValueError as error:
            assert method == "exact" and "lower eta" in str(error)
            return
        np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-7)

    check()


@each_method_and_mode
def test_ties_are_broken_as_in_the_stepwise_builder(method, mode):
    """With all weights zero every candidate ties, and the gradient shows which were kept."""

    @problems_of(20)
    @given(cases(method, mode))
    def check(case):
        case = replace(case, weights={})
        objective = case.objective
        expected = flat(case, objective.gradient({}) if objective else {})
        np.testing.assert_allclose(step(case)[1], expected, **CLOSE)

    check()


@problems_of(60)
@given(cases("rcms", "additive", l2=0.0))
def test_the_gradient_in_the_windows_is_the_gold_less_expected_counts(case):
    """The engine's own two roads: the trainer's step, and ``rv.expected_counts`` of the stepwise lattice."""
    model = model_of(case)
    lattice = lattice_of(model, data_of(case.example, F=case.F).log_emits(model.emission)[0], case.settings)
    contexts = next(
        path.contexts for path in case.example.machine(columns_of(case)).paths if path.labels == case.example.gold
    )
    counts = case.example.counts(case.example.gold, contexts)
    for window, count in rv.expected_counts(lattice, model).items():
        counts["window", window] -= count
    windows = {name: count for name, count in counts.items() if name[0] == "window"}
    places = model.size * len(model.labels)
    np.testing.assert_allclose(step(case)[1][:places], flat(case, windows)[:places], **CLOSE)


def lost_case(lost_gold):
    """Budget 1 keeps ``a`` after the first label; the gold is ``ba``."""
    example = oracle.Example(("a", "b"), 1, "single", ({}, {}), ("b", "a"))
    weights = {("window", ("^", "a")): 1.0, ("window", ("a", "b")): 0.5}
    return Case(example, 1, weights, rv.Training(method="beam", budget=1, order=1, lost_gold=lost_gold, **GENTLE))


@pytest.mark.parametrize("lost_gold", LOST_GOLD)
def test_a_lost_gold_by_hand(lost_gold):
    """The beam ends with ``aa`` and ``ab``, scores 1 and 1.5; the gold ``ba`` scores 0."""
    state, gradient = step(lost_case(lost_gold))
    log_z = math.log(math.exp(1) + math.exp(1.5))
    ab = math.exp(1.5 - log_z)
    with_gold = math.log(1 + math.exp(log_z))
    on, first = 1 - math.exp(-with_gold), math.e / (1 + math.e)
    expected = {
        "numerator": (-log_z, {"^a": -1, "^b": 1, "aa": ab - 1, "ab": -ab, "ba": 1}),
        "both": (-with_gold, {"^a": -on, "^b": on, "aa": on * (ab - 1), "ab": -on * ab, "ba": on}),
        "early": (-math.log(1 + math.e), {"^a": -first, "^b": first}),
    }
    assert state.lost == 1
    if lost_gold == "skip":
        assert not gradient.any()
        return
    log_likelihood, windows = expected[lost_gold]
    assert state.log_likelihood == pytest.approx(log_likelihood)
    found = {window: gradient[2 * row + y] for window, (row, y) in addresses(state.model).items()}
    assert {window: g for window, g in found.items() if abs(g) > 1e-9} == pytest.approx(windows)


def addresses(model):
    """{window of an order-1 model, as text: (row, label number)}."""
    index = {label: y for y, label in enumerate(model.labels)}
    windows = [prefix + label for prefix in ("^", "*", *model.labels) for label in model.labels]
    return {window: model.address_of_window(tuple(window), index) for window in windows}


def test_adagrad_divides_by_the_root_of_all_squares_so_far():
    """θ += η g / sqrt(δ + Σ g²), the present gradient in the sum: ten steps on one word, followed by hand."""
    rng = random.Random(3)
    example = oracle.Example(("a", "b", "c"), 2, "single", ({0: 1.0}, {1: -0.5}, {0: 2.0, 1: 0.3}), ("a", "c", "b"))
    settings = rv.Training(method="exact", order=2, eta=0.3, delta=0.01, l2=0.05, epochs=10, shuffle=False)
    weights = random_weights(rng, example, 2, root=False)
    case = Case(example, 2, weights, settings)
    trainer = rv.Trainer(data_of(example, F=2), settings, start=model_of(case))
    columns, squares = columns_of(case), {}
    for _ in range(10):
        gradient = oracle.objective(example, columns, l2=0.05).gradient(weights)
        squares = {name: squares.get(name, 0.0) + g * g for name, g in gradient.items()}
        weights = weights | {
            name: weights.get(name, 0.0) + 0.3 * g / math.sqrt(0.01 + squares[name]) for name, g in gradient.items()
        }
        trainer.advance(1)
        np.testing.assert_allclose(flat_model(trainer.model("f8")), flat(case, weights), **CLOSE)
