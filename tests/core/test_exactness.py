"""Sums over a lattice against sums over all outputs, in exact rationals, for all builders and both feature modes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import (
    build,
    cases,
    edits,
    ids,
    log_emit_of,
    machine_of,
    model_of,
    names_of,
    problems,
    problems_of,
    solved,
)

ANY = ("rcms", "rcms", "beam", "repaired", "exact")
CLOSE = {"rtol": 1e-9, "atol": 1e-9}
FULL = [chain.Rule("exact"), chain.Rule("rcms"), chain.Rule("beam"), chain.Rule("rcms", deduplicate=True)]


def edited(case):
    """Exact inference takes no edits of contexts: turn the case into one that it accepts."""
    problem, rule = case
    if rule.method != "exact":
        return case
    labels = {kind: tuple(e for e in getattr(rule, kind) if isinstance(e[1], str)) for kind in ("pin", "forbid")}
    return problem, chain.Rule("exact", **labels)


any_case = cases(methods=ANY).map(edited)


@problems_of(500)
@given(any_case)
def test_log_z(case):
    lattice, _, machine = solved(case, record=False)
    np.testing.assert_allclose(rv.log_z(lattice), chain.log(machine.z), **CLOSE)


@problems_of(400)
@given(any_case)
def test_label_marginals(case):
    lattice, _, machine = solved(case, record=False)
    if machine.z > 0:
        found = rv.posterior(lattice).label
        np.testing.assert_allclose(found, np.array(machine.label_mass(), dtype=float), **CLOSE)


@problems_of(300)
@given(any_case)
def test_context_masses(case):
    """Forward, backward and posterior mass of every context; contexts that nothing reaches have none."""
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    post = rv.posterior(lattice)
    found, defined = [], []
    for i in range(lattice.T):
        forward, share = machine.forward(i), machine.context_mass(i)
        for context, c in names_of(lattice, i).items():
            found.append((post.forward[c], post.backward[c], post.context[c]))
            defined.append([chain.log(mass) for mass in (forward.get(context, 0), machine.backward(i, context))])
            defined[-1].append(float(share.get(context, 0)))
    np.testing.assert_allclose(found, defined, **CLOSE)


@problems_of(200)
@given(problems(max_length=5).flatmap(lambda p: st.tuples(st.just(p), edits(p))))
def test_all_builders_meet_the_model_at_full_budget(case):
    """With room for every context, each builder is the model itself, summed over full histories."""
    problem, asked = case
    labels = {kind: tuple(e for e in found if isinstance(e[1], str)) for kind, found in asked.items()}
    whole = chain.every_history(problem.edited(**labels))
    for rule in FULL:
        full = chain.Rule(rule.method, deduplicate=rule.deduplicate, **labels)
        lattice, _ = build(problem, full, record=False)
        np.testing.assert_allclose(rv.log_z(lattice), chain.log(whole.z), **CLOSE)
        if whole.z > 0:
            found = rv.posterior(lattice).label
            np.testing.assert_allclose(found, np.array(whole.label_mass(), dtype=float), **CLOSE)
            assert len(lattice.context(0)) == 0 and len(ids(lattice, lattice.T)) == 1


@problems_of(150)
@given(problems())
def test_beam_mass_is_at_most_the_model_mass(problem):
    whole = chain.log(chain.every_history(problem).z)
    for budget in (1, 2, 5):
        lattice, _ = rv.beam(model_of(problem), log_emit_of(problem), budget=budget)
        assert rv.log_z(lattice) == whole == -np.inf or rv.log_z(lattice) <= whole + 1e-9 * max(1, abs(whole))


@problems_of(150)
@given(problems())
def test_every_arc_has_the_score_of_its_window(problem):
    rule = chain.Rule("rcms", 3)
    lattice, _ = build(problem, rule, record=False)
    for i in range(lattice.T):
        for c in ids(lattice, i):
            exact = [chain.log(problem.arc(i, lattice.context(c), label)) for label in problem.labels]
            np.testing.assert_allclose(lattice.score[c], exact, **CLOSE)


@pytest.mark.parametrize("mode", ["single", "additive"])
@pytest.mark.parametrize("labels", [3, 30])
def test_order_and_length_beyond_enumeration(mode, labels):
    """RCMS at full budget on de-duplicated contexts equals the static chain; sparse tables equal dense ones."""
    rng = np.random.default_rng(labels)
    names = [chr(97 + y) for y in range(labels)]
    order = 2 if labels < 10 else 1
    symbols = rng.integers(0, labels, size=(200, order + 1))
    windows = {tuple(names[y] for y in row): float(rng.normal()) for row in symbols}
    model, log_emit = rv.NgramModel.from_windows(names, order, windows, mode=mode), rng.normal(size=(12, labels))
    exact, _ = rv.exact(model, log_emit)
    rcms, _ = rv.rcms(model, log_emit, budget=10**6, deduplicate=True)
    np.testing.assert_allclose(rv.posterior(rcms).label, rv.posterior(exact).label, **CLOSE)
    np.testing.assert_allclose(rv.log_z(rcms), rv.log_z(exact), **CLOSE)


@problems_of(150)
@given(cases())
def test_sparse_tables_score_like_dense_ones(case):
    """The same problem with its rows looked up by address instead of laid out."""
    problem, rule = case
    lattice, _, machine = solved(case, record=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rcmviz.core.models.model.DENSE_LIMIT", 0)
        sparse, _, again = solved(case, record=False)
    assert again.columns == machine.columns
    np.testing.assert_array_equal(sparse.target, lattice.target)
    np.testing.assert_allclose(sparse.score, lattice.score, **CLOSE)
    assert machine_of(problem, rule, sparse).z == machine.z
