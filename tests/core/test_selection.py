"""Selection of contexts: a valid choice of the heaviest under exact masses, recorded in the trace."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import NAMES, build, cases, ids, machine_of, problems, problems_of, rules, seeded_problem, solved
from rcmviz.kernels.chain import selection as kernel

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def assert_chosen(machine, rule, first=None):
    found = list(chain.violations(machine, rule, first))
    assert not found, "\n".join(found)


@problems_of(700)
@given(cases())
def test_kept_are_the_heaviest(case):
    _, _, machine = solved(case, record=False)
    assert_chosen(machine, case[1])


@problems_of(200)
@given(cases(methods=("rcms",), plain=True, pools=("far",)))
def test_kept_are_the_heaviest_in_the_log_domain(case):
    _, _, machine = solved(case, record=False)
    assert_chosen(machine, case[1])


@problems_of(250)
@given(problems(max_length=5).flatmap(lambda p: st.tuples(st.just(p), rules(p, ("rcms",), plain=True), st.booleans())))
def test_second_pass_ranks_by_the_first_pass_future(case):
    problem, rule, deduplicate = case
    rule = chain.Rule("rcms", rule.budget, deduplicate=deduplicate)
    first = machine_of(problem, rule, build(problem, rule, record=False)[0])
    second = machine_of(problem, rule, build(problem, rule, record=False, passes=2)[0])
    assert_chosen(second, rule, first)


@problems_of(300)
@given(cases())
def test_transition_is_the_longest_suffix(case):
    lattice, _, machine = solved(case, record=False)
    for i in range(lattice.T):
        for c in ids(lattice, i):
            for y, label in enumerate(lattice.labels):
                into, expected = int(lattice.target[c, y]), machine.follow(i, lattice.context(c), label)
                assert (None if into < 0 else lattice.context(into)) == expected
                assert into < 0 or lattice.column_of(into) == i + 1


@problems_of(200)
@given(cases())
def test_parent_is_the_least_proper_ancestor(case):
    lattice, _, machine = solved(case, record=False)
    for i in range(lattice.T):
        for c in ids(lattice, i):
            context, parent = lattice.context(c), int(lattice.parent[c])
            shorter = [tail for tail in chain.suffixes(context) if tail != context and tail in machine.columns[i]]
            assert (lattice.context(parent) if parent >= 0 else None) == (shorter[0] if shorter else None)


@problems_of(300)
@given(cases())
def test_trace_records_mass_and_fate_of_every_candidate(case):
    assert_trace_matches(case)


@problems_of(300)
@given(st.integers(0, 10**9), st.sampled_from(["single", "additive"]), st.integers(2, 8), st.booleans())
def test_merging_in_deep_hierarchies(seed, mode, budget, deduplicate):
    """Larger problems only: one in four has a context, its suffix and the root in one column, as merging needs."""
    assert_trace_matches((seeded_problem(seed, mode), chain.Rule("rcms", budget, deduplicate=deduplicate)))


def assert_trace_matches(case):
    problem, rule = case
    lattice, trace, machine = solved(case)
    assert_chosen(machine, rule)
    for i in range(1, problem.T):
        forward, rows = machine.forward(i - 1), trace.candidates(i)
        assert rows.stop - rows.start == len(ids(lattice, i - 1)) * len(lattice.labels)
        for m in range(rows.start, rows.stop):
            context, label = lattice.context(int(trace.context[m])), lattice.labels[trace.label[m]]
            mass = forward.get(context, 0) * machine.problem.arc(i - 1, context, label)
            np.testing.assert_allclose(trace.log_mass[m], chain.log(mass), **CLOSE)
            into = int(trace.into[m])
            assert (None if into < 0 else lattice.context(into)) == machine.follow(i - 1, context, label)
        kept = [trace.labels_of(m) for m in range(rows.start, rows.stop) if trace.kept[m]]
        assert sorted(kept) == sorted(machine.columns[i] - {()})


@problems_of(200)
@given(cases())
def test_trace_log_z_so_far_is_the_forward_mass(case):
    problem, rule = case
    _, trace, machine = solved(case)
    for i in range(1, problem.T + 1):
        arriving = sum(
            (
                mass * machine.problem.arc(i - 1, context, label)
                for context, mass in machine.forward(i - 1).items()
                for label in problem.labels
            ),
            Fraction(0),
        )
        np.testing.assert_allclose(trace.log_z_so_far[i], chain.log(arriving), **CLOSE)


@pytest.mark.parametrize("builder", [rv.rcms, rv.beam])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("budget", range(1, 9))
def test_ties_go_to_the_lower_context_then_the_lower_label(builder, width, budget):
    """All weights one: every comparison of masses of one context is an exact tie, in floats as well."""
    model = rv.NgramModel.from_windows(NAMES[:width], 2, {})
    lattice, trace = builder(model, np.zeros((5, width)), budget=budget)
    for i in range(1, 5):
        rows = trace.candidates(i)
        first = np.lexsort((trace.label[rows], trace.context[rows], -trace.key[rows].round(12)))
        alive = first[trace.key[rows][first] > -np.inf]
        np.testing.assert_array_equal(np.flatnonzero(trace.kept[rows]), np.sort(alive[:budget]))


@pytest.mark.parametrize("budget", [3, 20, 60])
def test_many_ties_at_the_threshold(budget):
    """Hundreds of equal candidates: the bisection must stop, and the first of the equals stay."""
    width = 26
    labels = [chr(97 + y) for y in range(width)]
    lattice, trace = rv.beam(rv.NgramModel.from_windows(labels, 1, {}), np.zeros((4, width)), budget=budget)
    for i in range(1, 4):
        kept = trace.kept[trace.candidates(i)]
        assert kept[: min(budget, len(kept))].all() and kept.sum() == min(budget, len(kept))


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("budget", [1, 5, 9, 40, 200, 700, 3000])
def test_select_is_a_stable_sort(budget, dtype, logs):
    """The kernel's bisection against numpy's stable sort, on sizes that enumeration cannot reach."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        key = rng.normal(size=2600) * rng.choice([0.01, 1.0, 30.0])
        key = key.round(1) if seed % 2 else key  # rounded: plenty of ties
        key = (key * 10 if logs else np.exp(key * 0.7)).astype(dtype)
        key[rng.random(key.size) < 0.1] = -np.inf if logs else 0.0
        if seed % 4 == 3:
            key[rng.random(key.size) < 0.9] = key.max()
        chosen = np.zeros(budget + kernel.SLACK, np.int64)
        kept = kernel.select(key, budget, logs, chosen)
        alive = np.argsort(-key, kind="stable")[: (key > (-np.inf if logs else 0)).sum()]
        np.testing.assert_array_equal(chosen[:kept], np.sort(alive[:budget]))


@pytest.mark.parametrize("spread", [3.0, 400.0])
@pytest.mark.parametrize("budget", [1, 9, 40, 700])
def test_thousands_of_candidates_keep_the_heaviest(budget, spread):
    """26 labels, six positions, in the linear and in the log domain: every kept key is at least every other."""
    labels = [chr(97 + y) for y in range(26)]
    log_emit = spread * np.random.default_rng(budget).normal(size=(6, 26))
    lattice, trace = rv.rcms(rv.NgramModel.from_windows(labels, 2, {}), log_emit, budget=budget)
    for i in range(1, 6):
        rows = trace.candidates(i)
        key, kept = trace.key[rows], trace.kept[rows]
        assert kept.sum() == min(budget, (key > -np.inf).sum())
        assert kept.all() or key[kept].min() >= key[~kept].max()
