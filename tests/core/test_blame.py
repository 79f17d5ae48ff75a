"""Verdicts and smallest budgets against enumeration of all outputs and of all budgets."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import blame as oracle
from oracles import chain
from problems.chain import build, cases, log_emit_of, model_of, problems_of, seeded_problem, solved
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.methods import BUILDERS

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


@st.composite
def judged_cases(draw, **options):
    """A problem, a rule and a gold; half of the golds are the best output of the model, which a search can lose."""
    problem, rule = draw(cases(methods=("rcms", "beam", "beam", "repaired", "exact"), **options))
    if rule.method == "exact":
        rule = chain.Rule("exact")
    labels = st.tuples(*[st.sampled_from(problem.labels)] * problem.T)
    weights = oracle.full_weights(problem)
    best = max(weights, key=weights.get) if weights else draw(labels)
    return problem, rule, draw(st.just(best) | labels)


def without_ties(problem):
    """The problem with every emission changed a little, each by its own prime: no two prefixes weigh alike."""
    primes = iter((2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47))
    emit = tuple(tuple(value * (1 + Fraction(next(primes), 1009)) for value in row) for row in problem.emit)
    return replace(problem, emit=emit)


def blamed(problem, gold, lattice):
    return rv.blame(model_of(problem), log_emit_of(problem), lattice, gold)


@problems_of(700)
@given(judged_cases(max_length=5, max_labels=3))
def test_verdicts_equal_enumeration(case):
    """Ties, zeros and far weights among them; edits belong to the search."""
    problem, rule, gold = case
    lattice, _, machine = solved((problem, rule), record=False)
    found = blamed(problem, gold, lattice)
    weights = oracle.full_weights(problem)
    if found.output is None:
        assert not machine.paths
    else:
        reached = {path.labels: path.weight for path in machine.paths}[found.output]
        np.testing.assert_allclose(chain.log(reached), chain.log(machine.best().weight), **CLOSE)
    known = oracle.judged(machine, gold, weights, found.output)
    assert (found.verdict, found.position, found.cause) == (known.verdict, known.position, known.cause)
    assert found.is_tie == (known.tie and known.verdict == "model error")


@problems_of(150)
@given(judged_cases(max_length=5, max_labels=3))
def test_scores_are_those_of_the_full_model_and_of_the_lattice(case):
    problem, rule, gold = case
    lattice, _, machine = solved((problem, rule), record=False)
    found, weights = blamed(problem, gold, lattice), oracle.full_weights(problem)
    np.testing.assert_allclose(found.gold_score, chain.log(weights.get(gold, 0)), **CLOSE)
    own = {path.labels: path.weight for path in machine.paths}
    np.testing.assert_allclose(found.gold_own.sum(), chain.log(own.get(gold, 0)), **CLOSE)
    for i, label in enumerate(gold):
        np.testing.assert_allclose(found.gold_scores[i], chain.log(problem.arc(i, gold[:i], label)), **CLOSE)
    if found.output is not None:
        np.testing.assert_allclose(found.output_score, chain.log(weights[found.output]), **CLOSE)
        np.testing.assert_allclose(found.output_own.sum(), rv.viterbi(lattice).log_score, **CLOSE)
        np.testing.assert_allclose(found.difference.sum(), found.margin, **CLOSE)


@problems_of(100)
@given(judged_cases(max_length=5, max_labels=3, pools=("generic",)))
def test_a_search_that_loses_nothing_makes_no_search_errors(case):
    """The gold of a model error is therefore never the output of a large enough budget."""
    problem, _, gold = case
    problem = without_ties(problem)
    for rule in (chain.Rule("rcms"), chain.Rule("beam"), chain.Rule("rcms", deduplicate=True), chain.Rule("exact")):
        found = blamed(problem, gold, build(problem, rule, record=False)[0])
        assert found.verdict != "search error"
        assert (found.verdict == "right") == (found.gold == found.output)
        assert found.verdict == "right" or found.margin < 0 or found.gold_score == -np.inf


@problems_of(150)
@given(judged_cases(max_length=4, max_labels=3, pools=("generic",), zeros=False), st.integers(1, 4))
def test_every_search_error_has_a_position(case, budget):
    """Also of methods that draw, join or wait in a queue; exact search makes none."""
    problem, _, gold = case
    model, weights = model_of(problem), oracle.full_weights(problem)
    for kind, method in BUILDERS.items():
        lattice, _ = build_lattice(kind, model, log_emit_of(problem), budget, record=False)
        found = blamed(problem, gold, lattice)
        if found.output == gold:
            assert found.verdict == "right"
        else:
            assert found.verdict == ("search error" if weights[gold] > weights[found.output] else "model error")
        assert (found.position is None) == (found.cause is None) == (found.verdict != "search error")
        assert found.verdict != "search error" or 1 <= found.position <= problem.T
        assert found.verdict != "search error" or method.selects
        assert found.cause != "weighed" or method.draws


@st.composite
def strips(draw):
    """A problem without ties, a method, and the gold: the best output of the model or any."""
    problem, rule, gold = draw(judged_cases(plain=True, pools=("generic",), zeros=False, max_length=4, max_labels=3))
    return without_ties(problem), draw(st.sampled_from(["rcms", "beam"])), gold


@problems_of(400)
@given(strips())
def test_every_budget_of_a_strip_equals_enumeration(case):
    """Up to the budget that keeps all: verdict and position of each, the smallest that is right, that keeps."""
    problem, method, gold = case
    most = len(problem.labels) ** problem.T + 12
    strip = rv.budget_strip(model_of(problem), log_emit_of(problem), gold, method, most=most)
    weights = oracle.full_weights(problem)
    budgets = range(1, len(strip.verdicts) + 1)
    known = [oracle.judged(oracle.machine_by(problem, chain.Rule(method, b)), gold, weights) for b in budgets]
    assert strip.verdicts == tuple(one.verdict for one in known)
    assert strip.positions == tuple(one.position for one in known)
    assert strip.keeps == tuple(one.whole for one in known)
    right = [b for b, one in zip(budgets, known, strict=True) if one.verdict == "right"]
    assert strip.smallest == (right[0] if right else None)
    assert [b for first, last, *_ in strip.stretches() for b in range(first, last + 1)] == list(budgets)
    if strip.complete:
        everything = oracle.judged(chain.every_history(problem), gold, weights)
        assert (known[-1].verdict, known[-1].output) == (everything.verdict, everything.output)
    else:
        assert strip.smallest and len(budgets) == max(2 * strip.smallest, 12)


@pytest.mark.parametrize(("method", "seed"), [("beam", 187), ("rcms", 9)])
def test_a_larger_budget_can_lose_the_gold_again(method, seed):
    """With a larger budget more histories are extended, and theirs push the gold out; found by trying seeds."""
    problem = seeded_problem(seed, max_length=5)
    weights = oracle.full_weights(problem)
    strip = rv.budget_strip(model_of(problem), log_emit_of(problem), max(weights, key=weights.get), method)
    assert strip.smallest == 1
    assert not strip.is_monotone
    assert [verdict for *_, verdict, _ in strip.stretches()] == ["right", "search error", "right"]


def test_models_with_candidates_of_their_own():
    """An HMM scores its own words; a gold word that a position does not offer can never be written."""
    lm = rv.train_lm(["the cat sat", "the dog ran", "a cat ran"], order=3)
    hmm = rv.HMM(lm, [["the", "a"], ["cat", "dog"], ["sat", "ran"]], [[0.0, -0.2], [-1.0, -0.1], [-0.3, -0.2]])
    exact, _ = rv.exact(hmm)
    lattice, _ = rv.greedy(hmm)
    for path in rv.kbest(exact, 8):
        found = rv.blame(hmm, None, lattice, path.labels)
        assert found.gold_score == pytest.approx(path.log_score)
        assert rv.blame(hmm, None, exact, path.labels).verdict in ("right", "model error")
    never = rv.blame(hmm, None, lattice, ("dog", *rv.viterbi(exact).labels[1:]))
    assert (never.verdict, never.gold_score, never.to_dict()["gold_score"]) == ("model error", -np.inf, None)


def test_mismatched_input_is_refused():
    model = rv.NgramModel.from_windows("ab", 1, {})
    lattice, _ = rv.exact(model, [[0.0, 0.0]] * 2)
    with pytest.raises(ValueError, match="3 gold labels for 2 positions"):
        rv.blame(model, [[0.0, 0.0]] * 2, lattice, "aba")
    with pytest.raises(ValueError, match="2 positions.* 3"):
        rv.blame(model, [[0.0, 0.0]] * 3, lattice, "aba")
    with pytest.raises(ValueError, match="other labels"):
        rv.blame(rv.NgramModel.from_windows("abc", 1, {}), [[0.0] * 3] * 2, lattice, "ab")
    with pytest.raises(ValueError, match="'exact' .*rcms, beam"):
        rv.budget_strip(model, [[0.0, 0.0]] * 2, "ab", "exact")
