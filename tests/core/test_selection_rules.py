"""Selection rules: what a rule is given, by enumeration, and that the budget keeps the highest scores."""

import itertools
import math
import pickle
import random

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from oracles import chain
from problems.chain import build, cases, log_emit_of, model_of, problems_of, seeded_problem, solved
from rcmviz.core.builders.learned_selection import FEATURES, features, learn_scorer, shipped_weights
from rcmviz.core.builders.selection_rules import function_of
from rcmviz.core.rules import RULES

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
OF_POSITIONS = [name for name, rule in RULES.items() if rule.home]


class Spy:
    """A rule that notes what it is given, and scores by ``score(candidates)``."""

    def __init__(self, score):
        self.score, self.seen = score, []

    def __call__(self, candidates):
        scores = np.asarray(self.score(candidates), float)
        names = [candidates.suffix(k) for k in range(len(candidates))]
        self.seen.append((candidates, names, scores))
        return scores


def rest(problem, position, suffix):
    """Σ of what follows ``suffix`` after ``position`` labels: the mean over what comes before it, by its weight."""
    known = suffix[-problem.order :]
    whole = chain.Machine(problem, tuple(frozenset(histories(problem, i)) for i in range(problem.T)))
    if len(known) == min(problem.order, position):
        longest = [h for h in histories(problem, position) if h[len(h) - len(known) :] == known]
        return whole.backward(position, longest[0])
    forward = {h: mass for h, mass in whole.forward(position).items() if h[len(h) - len(known) :] == known}
    total = sum(forward.values())
    return sum(mass * whole.backward(position, h) for h, mass in forward.items()) / total if total else 0


def histories(problem, length):
    return itertools.product(problem.labels, repeat=length)


@problems_of(300)
@given(cases())
def test_the_arcs_that_would_leave_a_candidate(case):
    problem, rule = case
    spy = Spy(lambda candidates: (candidates.log_next, candidates.log_mass)[1])
    build(problem, rule, select=spy)
    edited = problem.edited(rule.pin, rule.forbid)
    for candidates, names, _ in spy.seen:
        i = candidates.position
        expected = [chain.log(sum(edited.arc(i, name, label) for label in problem.labels)) for name in names]
        np.testing.assert_allclose(candidates.log_next, expected, **CLOSE)


@problems_of(150)
@given(cases(plain=True, max_length=4, max_labels=3, pools=("ties", "generic")))
def test_all_that_can_follow_a_candidate(case):
    problem, rule = case
    spy = Spy(lambda candidates: (candidates.log_rest, candidates.log_mass)[1])
    build(problem, rule, select=spy)
    for candidates, names, _ in spy.seen:
        expected = [chain.log(rest(problem, candidates.position, name)) for name in names]
        np.testing.assert_allclose(candidates.log_rest, expected, **CLOSE)


def short_rest(problem, position, label):
    """Σ of what follows ``position`` labels of which the last alone is remembered."""
    if position == problem.T:
        return 1
    return sum(problem.arc(position, (label,), y) * short_rest(problem, position + 1, y) for y in problem.labels)


def best_rest(problem, position, history):
    """The largest product of what follows a complete history."""
    if position == problem.T:
        return 1
    return max(
        problem.arc(position, history, y) * best_rest(problem, position + 1, (*history, y)) for y in problem.labels
    )


@problems_of(200)
@given(cases(max_length=4, max_labels=3))
def test_what_follows_one_label_and_the_bound_on_the_best(case):
    problem, rule = case
    spy = Spy(lambda candidates: (candidates.log_rest_short, candidates.log_next_short, candidates.log_mass)[2])
    build(problem, rule, select=spy)
    edited = problem.edited(rule.pin, rule.forbid)
    for candidates, names, _ in spy.seen:
        i = candidates.position
        rests = [chain.log(short_rest(edited, i, name[-1])) for name in names]
        np.testing.assert_allclose(candidates.log_rest_short, rests, **CLOSE)
        steps = [[edited.arc(i, name, y) * short_rest(edited, i + 1, y) for y in edited.labels] for name in names]
        np.testing.assert_allclose(candidates.log_next_short, [chain.log(sum(step)) for step in steps], **CLOSE)
        for name, bound in zip(names, candidates.log_bound, strict=True):
            pasts = [past for past in histories(problem, i) if past[-1] == name[-1]]
            assert bound >= max(chain.log(best_rest(edited, i, past)) for past in pasts) - 1e-9


@problems_of(300)
@given(cases())
def test_a_function_that_ranks_by_mass_keeps_the_heaviest(case):
    _, _, machine = solved(case, record=False, select=lambda candidates: candidates.log_mass)
    found = list(chain.violations(machine, case[1]))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("method", ["rcms", "beam"])
def test_a_function_that_ranks_by_mass_is_the_default(seed, method):
    problem = seeded_problem(seed)
    model, log_emit = model_of(problem), log_emit_of(problem)
    default, trace = getattr(rv, method)(model, log_emit, 3)
    found, other = getattr(rv, method)(model, log_emit, 3, select=lambda candidates: candidates.log_mass)
    for name in ("offset", "target", "score", "parent", "origin"):
        np.testing.assert_array_equal(getattr(found, name), getattr(default, name))
    np.testing.assert_array_equal(other.kept, trace.kept)


@problems_of(300)
@given(cases(plain=True))
def test_the_highest_scores_are_kept_and_ties_go_to_the_first(case):
    problem, rule = case
    luck = random.Random(problem.T)
    spy = Spy(lambda candidates: [luck.choice((-np.inf, -1e300, -3.0, 0.0, 0.0, 7.0, 1e300)) for _ in candidates.label])
    _, trace = build(problem, rule, select=spy)
    for candidates, _, scores in spy.seen:
        order = sorted(np.flatnonzero(scores > -np.inf), key=lambda k: -scores[k])[: rule.budget]
        here = slice(*trace.offset[candidates.position : candidates.position + 2])
        column = trace.lattice.column(candidates.position - 1).start
        kept = {
            (int(trace.context[k]) - column, int(trace.label[k]))
            for k in np.arange(here.start, here.stop)[trace.kept[here]]
        }
        assert kept == {(int(candidates.context[k]), int(candidates.label[k])) for k in order}
        known = np.isin(trace.key[here], scores)
        assert known[trace.kept[here]].all()


@pytest.mark.parametrize("name", OF_POSITIONS)
@problems_of(100)
@given(cases(max_length=4, max_labels=3))
def test_shipped_rules_by_their_definitions(name, case):
    spy = Spy(function_of(name))
    build(*case, select=spy)
    for candidates, _, scores in spy.seen:
        mass, label = candidates.log_mass, candidates.label
        if name == "diversity":
            for y in set(label.tolist()):
                alike = sorted(np.flatnonzero(label == y), key=lambda k: -mass[k])
                assert (scores[alike[:2]] == mass[alike[:2]]).all() and (scores[alike[2:]] == -np.inf).all()
        elif name == "learned" and len(candidates):
            expected = mass + by_definition(candidates) @ shipped_weights()
            np.testing.assert_allclose(scores, np.where(candidates.log_next > -np.inf, expected, -np.inf), **CLOSE)
        elif name != "learned":
            more = {"forward": 0.0, "lookahead": "log_next", "expert": "log_rest", "bound": "log_bound"}[name]
            expected = mass + (getattr(candidates, more) if more else 0.0)
            np.testing.assert_array_equal(scores, expected)


def by_definition(candidates):
    """The features of the learned scorer, one candidate after the other."""
    row = candidates.log_emit[candidates.position]
    p = [math.exp(value - np.logaddexp.reduce(row)) for value in row if value > -np.inf]
    entropy = -sum(share * math.log(share) for share in p if share)
    columns = candidates.log_next, candidates.log_rest_short, candidates.log_next_short, candidates.log_mass
    behind = [[max(value - max(column), -30.0) if value > -np.inf else -30.0 for value in column] for column in columns]
    rows = zip(*behind[:3], candidates.length, behind[3], strict=True)
    return np.array([[*logs, min(length, 3), mass * entropy] for *logs, length, mass in rows])


@pytest.mark.parametrize("seed", range(5))
def test_the_posterior_of_a_further_pass_is_two_passes(seed):
    problem = seeded_problem(seed)
    call = model_of(problem), log_emit_of(problem), 3
    (found, trace), (two, other) = rv.rcms(*call, select="posterior"), rv.rcms(*call, passes=2)
    for name in ("offset", "target", "score", "parent", "origin"):
        np.testing.assert_array_equal(getattr(found, name), getattr(two, name))
    np.testing.assert_array_equal(trace.key, other.key)
    assert trace.settings == other.settings


def test_a_scorer_learns_from_the_exact_posterior():
    problem = seeded_problem(3)
    emissions = [np.array(log_emit_of(problem), float) + shift for shift in (0.0, 0.5)]
    weights = learn_scorer(model_of(problem), emissions, 2)
    assert weights.shape == (len(FEATURES),) and np.isfinite(weights).all()
    np.testing.assert_array_equal(weights, learn_scorer(model_of(problem), emissions, 2))


def test_features_are_finite_where_nothing_can_follow():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "a"): -np.inf, ("a", "b"): -np.inf})
    spy = Spy(lambda candidates: features(candidates).sum(axis=1))
    rv.rcms(model, np.zeros((3, 2)), 2, select=spy)
    assert all(np.isfinite(scores).all() for _, _, scores in spy.seen)
    lattice, _ = rv.rcms(model, np.zeros((3, 2)), 1, select="learned")
    assert lattice.name(lattice.column(1).stop - 1) == "b"


@problems_of(100)
@given(cases(plain=True, methods=("rcms",), pools=("ties", "generic")))
def test_with_room_for_all_every_rule_is_exact(case):
    problem, _ = case
    model, log_emit = model_of(problem), log_emit_of(problem)
    rule = chain.Rule("rcms", budget=chain.HUGE)
    whole = rv.log_z(rv.rcms(model, log_emit, rule.budget)[0])
    for name in ("lookahead", "bound", "learned", "expert"):
        np.testing.assert_allclose(rv.log_z(rv.rcms(model, log_emit, rule.budget, select=name)[0]), whole, **CLOSE)


MODEL = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})


@pytest.mark.parametrize(
    ("select", "words"),
    [
        ("best", ("'best'", "lookahead")),
        (7, ("7", "function")),
        (None, ("None", "function")),
        (lambda candidates: 0.0, ("position 1", "shape ()")),
        (lambda candidates: ["a"] * len(candidates), ("position 1", "one number per candidate")),
        (lambda candidates: np.full(len(candidates), np.nan), ("position 1", "nan")),
        (lambda candidates: np.full(len(candidates), np.inf), ("position 1", "inf")),
    ],
)
def test_invalid_rules_are_refused(select, words):
    with pytest.raises(ValueError) as caught:
        rv.rcms(MODEL, np.zeros((3, 2)), 1, select=select)
    assert all(word in str(caught.value) for word in words)


def test_beam_search_has_no_further_pass_to_rank():
    with pytest.raises(ValueError, match=r"beam search cannot rank by it; choose forward, lookahead"):
        rv.beam(MODEL, np.zeros((3, 2)), 1, select="posterior")


def test_errors_of_a_users_rule_are_passed_on():
    def broken(candidates):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rv.beam(MODEL, np.zeros((3, 2)), 1, select=broken)


def test_words_of_a_language_model_are_looked_ahead_at_too():
    lm = rv.train_lm(["the cat sat", "the dog sat", "a dog ran", "the cat ran"] * 3, order=3)
    words, observed = ["the", "cat", "dog"], np.log([[0.5, 0.3, 0.2]] * 4)
    hmm = rv.HMM(lm, [words] * 4, observed, end=False)
    spy = Spy(function_of("lookahead"))
    rv.beam(hmm, budget=2, select=spy)
    for candidates, names, _ in spy.seen:
        for name, found in zip(names, candidates.log_next, strict=True):
            arcs = [lm.log_prob(word, ("<s>", *name)) + log for word, log in zip(words, observed[0], strict=True)]
            assert found == pytest.approx(np.logaddexp.reduce(arcs), abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"select": "lookahead"}, {"adaptive": "regret"}, {"deduplicate": True}])
def test_every_pass_is_recorded_as_a_run_that_ends_there(options):
    problem = seeded_problem(11)
    call = model_of(problem), log_emit_of(problem), 2
    _, trace = rv.rcms(*call, passes=3, record="passes", **options)
    assert len(trace.passes) == 3 and trace.passes[-1] is trace and rv.rcms(*call)[1].passes[0].earlier is None
    for number, found in enumerate(trace.passes, start=1):
        if number == 1:
            options.pop("adaptive", None)  # the first pass has equal budgets
        lattice, alone = rv.rcms(*call, passes=number, **options)
        for name in ("key", "log_mass", "kept", "into"):
            np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
        np.testing.assert_array_equal(found.lattice.target, lattice.target)
        assert found.ranked_by == alone.ranked_by and found.settings["passes"] == number
        options = {"adaptive": "regret"} | options if "adaptive" in trace.settings else options
    assert "earlier" not in trace.to_json() and len(pickle.loads(pickle.dumps(trace)).passes) == 3


def test_the_expert_knows_the_posterior_under_a_language_model():
    lm = rv.train_lm(["the cat sat", "the dog sat", "a dog ran", "the cat ran", "a cat sat"] * 3, order=3)
    words = [["the", "a"], ["cat", "dog", "sat"], ["sat", "ran"], ["the", "a", "cat"]]
    hmm = rv.HMM(lm, words, [np.log(np.arange(1, len(some) + 1) / 9) for some in words])
    lattice, _ = rv.exact(hmm)
    found, spy = rv.posterior(lattice), Spy(function_of("expert"))
    rv.rcms(hmm, budget=1_000, select=spy)
    for candidates, names, scores in spy.seen:
        p = np.exp(scores - np.logaddexp.reduce(scores))
        exact = {
            lattice.context(c): found.context[c] for c in range(*lattice.column(candidates.position).indices(lattice.C))
        }
        for tail, mass in exact.items():
            mine = [share for name, share in zip(names, p, strict=True) if name[-len(tail) :] == tail]
            assert sum(mine) == pytest.approx(mass)
