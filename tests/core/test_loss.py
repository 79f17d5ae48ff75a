"""The loss of a gold output: its value against enumeration, its gradient against finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import build, generic_problems, log_emit_of, machine_of, model_of, problems_of

STEP = 1e-5
CASES = generic_problems(max_length=4, max_labels=3), st.sampled_from(["rcms", "beam", "exact"]), st.data()


def log_score(machine, gold):
    """Log of the summed weight of one output on the machine's own contexts; −inf where it was dropped."""
    return chain.log(sum(path.weight for path in machine.paths if path.labels == gold))


@problems_of(120)
@given(*CASES)
def test_the_value_is_log_z_less_the_gold_score(problem, method, data):
    gold = data.draw(st.tuples(*[st.sampled_from(problem.labels)] * problem.T))
    found = rv.loss(log_emit_of(problem), gold, model_of(problem), 2, method=method)
    rule = chain.Rule(method, budget=2)
    machine = machine_of(problem, rule, build(problem, rule, record=False)[0])
    score = log_score(machine, gold)
    assert found.lost == (score == -np.inf)
    if found.lost:
        score = log_score(chain.every_history(problem), gold)
    np.testing.assert_allclose(found.log_z, chain.log(machine.z), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.value, chain.log(machine.z) - score, rtol=1e-9, atol=1e-9)


@problems_of(60)
@given(*CASES)
def test_the_gradient_is_that_of_finite_differences_with_contexts_held_fixed(problem, method, data):
    gold = data.draw(st.tuples(*[st.sampled_from(problem.labels)] * problem.T))
    found = rv.loss(log_emit_of(problem), gold, model_of(problem), 2, method=method)
    lattice, _ = build(problem, chain.Rule(method, budget=2), record=False)
    indices = lattice.indices_of(gold)
    for i in range(lattice.T):
        for y in range(lattice.width):
            above, below = (rv.log_z(moved(lattice, i, y, step)) for step in (STEP, -STEP))
            slope = (above - below) / (2 * STEP) - (y == indices[i])
            assert found.gradient[i, y] == pytest.approx(slope, abs=1e-7)


def moved(lattice, i, y, step):
    """The lattice with another emission of one label: its contexts and arcs as they are."""
    score = lattice.score.copy()
    score[lattice.column(i), y] += step
    return replace(lattice, score=score)


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@problems_of(60)
@given(*CASES)
def test_the_gradient_in_the_windows_is_that_of_finite_differences_with_contexts_held_fixed(
    stored, problem, method, data
):
    gold = data.draw(st.tuples(*[st.sampled_from(problem.labels)] * problem.T))
    with pytest.MonkeyPatch.context() as patch:
        if stored == "sparse":
            patch.setattr("rcmviz.core.models.model.DENSE_LIMIT", 0)
        model = model_of(problem)
        found = rv.loss(log_emit_of(problem), gold, model, 2, method=method, windows=True)
        lattice, _ = build(problem, chain.Rule(method, budget=2), record=False)
        scored = rv.exact(model, log_emit_of(problem))[0] if found.lost else lattice  # a lost output forgets nothing
        assert found.windows.shape == model.weights.shape
        for place in np.ndindex(model.weights.shape):
            losses = []
            for step in (STEP, -STEP):
                changed = with_weight(model, place, step)
                held, along = (rescored(one, model, changed) for one in (lattice, scored))
                losses.append(rv.log_z(held) - rv.log_z(along) - rv.log_prob(along, gold))
            assert found.windows[place] == pytest.approx((losses[0] - losses[1]) / (2 * STEP), abs=1e-7)


def with_weight(model, place, step):
    """The model with one weight moved."""
    weights = model.weights.copy()
    weights[place] += step
    return replace(model, weights=weights)


def rescored(lattice, model, changed):
    """The lattice of a model with the weights of another: its contexts as they are."""
    return replace(lattice, score=lattice.score + (changed.log_table - model.log_table)[lattice.row])


def test_only_windows_have_a_gradient_of_their_own():
    with pytest.raises(ValueError, match="NgramModel"):
        rv.loss([[0.0, 0.0]] * 2, "ab", object(), windows=True)


def test_exact_gradients_need_no_contexts_held():
    model = rv.NgramModel.from_windows("ab", 2, {("^", "^", "a"): 1.0, ("*", "a", "b"): 2.0, ("a", "b", "b"): -1.5})
    log_emit = np.array([[0.3, -0.2], [0.0, 0.7], [-1.1, 0.4]])
    found = rv.loss(log_emit, "abb", model, method="exact")
    for place in np.ndindex(log_emit.shape):
        step = np.zeros_like(log_emit)
        step[place] = STEP
        values = [rv.loss(log_emit + sign * step, "abb", model, method="exact").value for sign in (1, -1)]
        assert found.gradient[place] == pytest.approx((values[0] - values[1]) / (2 * STEP), abs=1e-7)


def test_gold_labels_by_name_and_by_number():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    one, other = (rv.loss([[0.2, 0.0]] * 2, gold, model) for gold in ("ab", np.array([0, 1])))
    assert one.value == other.value and not one.lost


@pytest.mark.parametrize(
    "gold, fault",
    [
        ("a", "1 gold labels for 2 positions: give one for each"),
        ("ac", "gold: 'c'"),
        ([0, 2], "gold[1] is 2: give whole numbers from 0 to 1"),
        ([0, "b"], "gold: 0 is not one of the labels"),
        ("bb", "gold: this output is impossible under the model and its emissions"),
    ],
)
def test_gold_labels_that_cannot_be(gold, fault):
    model = rv.NgramModel.from_windows("ab", 1, {})
    with pytest.raises(ValueError) as caught:
        rv.loss([[0.0, -np.inf], [0.0, 0.0]], gold, model)
    assert str(caught.value).startswith(fault)
