"""Forward mass as a share of all mass proposed at the position, by enumeration, with and without a trace."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from problems.chain import build, cases, log_emit_of, machine_of, model_of, names_of, problems_of, seeded_problem
from rcmviz.core.inference.shares import forward_shares
from rcmviz.core.methods import BUILDERS


def proposed(machine, i):
    """Return the total mass that contexts after i − 1 labels propose for position i."""
    problem = machine.problem
    arcs = (
        mass * problem.arc(i - 1, context, label)
        for context, mass in machine.forward(i - 1).items()
        for label in problem.labels
    )
    return sum(arcs, Fraction(0))


@problems_of(150)
@given(cases())
def test_a_share_is_of_all_that_was_proposed(case):
    problem, rule = case
    try:
        lattice, trace = build(problem, rule)
        found = forward_shares(lattice, trace)
    except ValueError:
        return  # no output is possible
    machine = machine_of(problem, rule, lattice)
    for i in range(1, problem.T):
        total, forward = proposed(machine, i), machine.forward(i)
        for context, c in names_of(lattice, i).items():
            expected = forward.get(context, Fraction(0)) / total
            assert found[c] == pytest.approx(float(expected), rel=1e-9, abs=1e-300)
    if rule.root_weight is None:
        np.testing.assert_allclose(forward_shares(lattice), found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", BUILDERS)
def test_kept_absorbed_and_dropped_mass_is_all_mass(kind):
    problem = seeded_problem(5, max_length=6, max_labels=4)
    budget = {"budget": 3} if BUILDERS[kind].has_budget else {}
    lattice, trace = getattr(rv, BUILDERS[kind].builder)(model_of(problem), log_emit_of(problem), **budget)
    shares = forward_shares(lattice, trace)
    for i in range(1, lattice.T):
        proposals, into = trace.share(i), trace.into[trace.candidates(i)]
        assert proposals.sum() == pytest.approx(1)
        for c in range(*lattice.column(i).indices(lattice.C)):
            assert shares[c] == pytest.approx(proposals[into == c].sum(), abs=1e-12)
