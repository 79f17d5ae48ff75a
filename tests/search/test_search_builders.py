"""Lattices of the hypotheses that best-first search and A* pop."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems import ars
from problems.chain import contexts_of, log_emit_of, model_of, names_of, problems, problems_of
from rcmviz.search.builders import search_of, usual_bound_order

CLOSE = {"rel": 1e-9, "abs": 1e-9}
KINDS = st.sampled_from([("bestfirst", 1), ("bestfirst", 3), ("bestfirst", 50), ("astar", None)])


def run(kind, problem, **options):
    """``(lattice, trace)`` of a chain problem by a kind and its budget."""
    name, budget = kind
    function, how = (rv.best_first, {"budget": budget}) if name == "bestfirst" else (rv.astar, {})
    return function(model_of(problem), log_emit_of(problem), **how, **options)


@problems_of(150)
@given(problems(max_length=5), KINDS)
def test_the_lattice_has_what_was_popped_and_its_best_is_the_answer(problem, kind):
    lattice, trace = run(kind, problem)
    found = search_of(kind[0], model_of(problem), log_emit_of(problem), budget=kind[1] or 10)
    taken = [found.trace.hypotheses[n].labels for n in found.trace.pops]
    popped = {labels for labels in taken if len(labels) < problem.T}
    names = [set(names_of(lattice, i)) for i in range(problem.T)]
    assert set.union(*names) == {tuple(problem.labels[y] for y in one) for one in popped | {()}}
    weights = {path.labels: chain.log(path.weight) for path in everything(problem).paths}
    assert rv.log_z(lattice) <= chain.log(everything(problem).z) + 1e-9
    if not found.answers:
        assert rv.log_z(lattice) == -math.inf
        return
    assert rv.viterbi(lattice).log_score == pytest.approx(found.best.score, **CLOSE)
    assert trace.settings["proved"] == found.proved and trace.settings["pops"] == found.pops
    for path in rv.kbest(lattice, 10):
        assert path.log_score == pytest.approx(weights[path.labels], **CLOSE)


def everything(problem):
    """The machine that keeps every history."""
    columns = [frozenset({()})]
    for _ in range(problem.T - 1):
        columns.append(frozenset((*one, label) for one in columns[-1] for label in problem.labels))
    return chain.Machine(problem, tuple(columns))


@problems_of(80)
@given(problems(max_length=5, zeros=False), KINDS, st.data())
def test_pinned_histories_are_popped_and_forbidden_ones_are_not(problem, kind, data):
    if problem.T == 1:
        return
    pin, forbid = data.draw(contexts_of(problem, full=True)), data.draw(contexts_of(problem, full=True))
    if pin[1][: forbid[0]] == forbid[1]:
        return
    lattice, trace = run(kind, problem, pin=[pin], forbid=[forbid])
    assert pin[1] in names_of(lattice, pin[0]) and forbid[1] not in names_of(lattice, forbid[0])
    m = next(m for m in range(*trace.candidates(pin[0]).indices(len(trace.key))) if trace.labels_of(m) == pin[1])
    assert "was popped" in trace.reason(m)


@problems_of(60)
@given(ars.problems())
def test_an_hmm_by_astar(problem):
    (lm, candidates, log_obs), options = ars.asked(problem)
    hmm = rv.HMM(lm, candidates, log_obs, **options)
    lattice, _ = rv.astar(hmm)
    exact, _ = rv.exact(hmm)
    assert rv.viterbi(lattice).log_score == pytest.approx(rv.viterbi(exact).log_score, **CLOSE)


def test_limits_and_nonsense():
    model, log_emit = rv.NgramModel.from_windows("ab", 3, {}), np.zeros((9, 2))
    with pytest.raises(ValueError, match="3 pops .* 3 steps"):
        rv.astar(model, log_emit, most=3)
    with pytest.raises(ValueError, match="pin at position 2: .*pin all 2 labels"):
        rv.best_first(model, log_emit, pin=[(2, ("a",))])
    with pytest.raises(ValueError, match="budget 0"):
        rv.best_first(model, log_emit, 0)
    assert usual_bound_order(model.scores(model.check_emissions(log_emit))) == 2
