"""Selection rules: what a rule is given, by enumeration, and that the budget keeps the highest scores."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from oracles import chain
from problems.chain import build, cases, log_emit_of, model_of, problems_of, seeded_problem, solved
from rcmviz.core.builders.selection_rules import RULES

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


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


@pytest.mark.parametrize("name", RULES)
def test_shipped_rules_by_their_definitions(name):
    for seed in range(8):
        problem = seeded_problem(seed, max_length=5)
        spy = Spy(RULES[name])
        rv.rcms(model_of(problem), log_emit_of(problem), 4, select=spy)
        for candidates, _, scores in spy.seen:
            mass, label = candidates.log_mass, candidates.label
            if name == "diversity":
                for y in set(label.tolist()):
                    alike = sorted(np.flatnonzero(label == y), key=lambda k: -mass[k])
                    assert (scores[alike[:2]] == mass[alike[:2]]).all() and (scores[alike[2:]] == -np.inf).all()
            else:
                more = {"forward": 0.0, "lookahead": candidates.log_next, "expert": candidates.log_rest}[name]
                np.testing.assert_array_equal(scores, mass + more)


@problems_of(100)
@given(cases(plain=True, methods=("rcms",), pools=("ties", "generic")))
def test_with_room_for_all_every_rule_is_exact(case):
    problem, _ = case
    model, log_emit = model_of(problem), log_emit_of(problem)
    rule = chain.Rule("rcms", budget=chain.HUGE)
    whole = rv.log_z(rv.rcms(model, log_emit, rule.budget)[0])
    for name in ("lookahead", "expert"):
        np.testing.assert_allclose(rv.log_z(rv.rcms(model, log_emit, rule.budget, select=name)[0]), whole, **CLOSE)


MODEL = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})


@pytest.mark.parametrize(
    ("select", "words"),
    [
        ("best", ("'best'", "lookahead")),
        (7, ("7", "function")),
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


def test_errors_of_a_users_rule_are_passed_on():
    def broken(candidates):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rv.beam(MODEL, np.zeros((3, 2)), 1, select=broken)


def test_words_of_a_language_model_are_looked_ahead_at_too():
    lm = rv.train_lm(["the cat sat", "the dog sat", "a dog ran", "the cat ran"] * 3, order=3)
    words, observed = ["the", "cat", "dog"], np.log([[0.5, 0.3, 0.2]] * 4)
    hmm = rv.HMM(lm, [words] * 4, observed, end=False)
    spy = Spy(RULES["lookahead"])
    rv.beam(hmm, budget=2, select=spy)
    for candidates, names, _ in spy.seen:
        for name, found in zip(names, candidates.log_next, strict=True):
            arcs = [lm.log_prob(word, ("<s>", *name)) + log for word, log in zip(words, observed[0], strict=True)]
            assert found == pytest.approx(np.logaddexp.reduce(arcs), abs=1e-6)
