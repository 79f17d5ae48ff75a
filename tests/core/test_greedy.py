"""Greedy search equals beam search with a budget of one, in the library, the commands and training."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import edits, log_emit_of, machine_of, model_of, problems, problems_of

COLUMNS = ("context", "label", "log_mass", "key", "kept", "into")


@st.composite
def edited_problems(draw):
    """Draw a problem with pinned and forbidden contexts."""
    problem = draw(problems())
    return problem, draw(st.one_of(st.just({}), edits(problem, full=True)))


@problems_of(200)
@given(edited_problems())
def test_greedy_is_beam_search_with_a_budget_of_one(case):
    problem, asked = case
    model, log_emit = model_of(problem), log_emit_of(problem)
    lattice, trace = rv.greedy(model, log_emit, **asked)
    other, other_trace = rv.beam(model, log_emit, 1, **asked)
    for name in ("offset", "length", "label", "target", "score"):
        np.testing.assert_array_equal(getattr(lattice, name), getattr(other, name))
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(trace, name), getattr(other_trace, name))
    assert trace.settings == other_trace.settings | {"method": "greedy"}


@problems_of(200)
@given(problems())
def test_it_keeps_the_heaviest_history(problem):
    lattice, _ = rv.greedy(model_of(problem), log_emit_of(problem))
    rule = chain.Rule("beam", 1)
    assert not list(chain.violations(machine_of(problem, rule, lattice), rule))


@problems_of(50)
@given(problems())
def test_in_bulk_a_budget_changes_nothing(problem):
    model, log_emit = model_of(problem), log_emit_of(problem)
    batch = rv.infer_batch(model, [log_emit], "greedy", 7, dtype="f8", threads=1)
    lattice, _ = rv.greedy(model, log_emit, record=False)
    np.testing.assert_allclose(batch.log_z[0], rv.log_z(lattice), rtol=1e-9, atol=1e-9)


def test_a_training_by_it_keeps_one_context():
    assert rv.Training(method="greedy", budget=10) == rv.Training(method="greedy", budget=1)
