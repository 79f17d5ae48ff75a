"""Invariants of all problems: conserved mass, equal drivers, lossless files, kernels without a compiler."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import (
    build,
    cases,
    generic_problems,
    ids,
    log_emit_of,
    machine_of,
    model_of,
    problems,
    problems_of,
    rules,
    solved,
)
from rcmviz.core.inference.batch import infer_stacked
from rcmviz.core.models.scores import SAFE_RANGE, scale_emissions, score_ranges
from rcmviz.kernels.chain import contexts as kernel
from rcmviz.kernels.chain import dense, lane_exact, lane_words, words
from rcmviz.kernels.chain.state import Pruning, Rule

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
HERE = Path(__file__).parent


@problems_of(250)
@given(cases())
def test_mass_is_conserved_at_every_column(case):
    """Posterior masses of a column sum to one; merging loses no forward mass, dropping may."""
    problem, rule = case
    lattice, trace, machine = solved(case)
    for i in range(1, problem.T):
        rows = trace.candidates(i)
        if trace.log_z_so_far[i] > -np.inf:
            total = np.exp(trace.log_mass[rows] - trace.log_z_so_far[i])[trace.into[rows] >= 0].sum()
            assert total <= 1 + 1e-9 and (not rule.has_root() or total == pytest.approx(1, abs=1e-9))
    if machine.z > 0:
        share = rv.posterior(lattice).context
        for i in range(lattice.T + 1):
            assert share[lattice.column(i)].sum() == pytest.approx(1, abs=1e-9)


@problems_of(150)
@given(problems(), st.data())
def test_merging_loses_no_output(problem, data):
    """RCMS gives positive mass to exactly the outputs that the model gives positive mass to."""
    rule = data.draw(rules(problem, ("rcms",), plain=True))
    machine = machine_of(problem, rule, build(problem, rule, record=False)[0])
    possible = {path.labels for path in chain.every_history(problem).paths}
    assert {path.labels for path in machine.paths} == possible


@problems_of(200)
@given(cases())
def test_lattice_is_well_formed(case):
    lattice, trace, _ = solved(case)
    assert lattice.offset[0] == 0 and lattice.offset[-1] == lattice.C == len(lattice.target) == len(lattice.score)
    assert [len(ids(lattice, 0)), len(ids(lattice, lattice.T))] == [1, 1]
    for i in range(lattice.T):
        column, following = lattice.column(i), lattice.column(i + 1)
        inside = (lattice.target[column] >= following.start) & (lattice.target[column] < following.stop)
        assert (inside | (lattice.target[column] == -1)).all()
        linked = lattice.parent[column]
        assert ((linked == -1) | ((linked >= column.start) & (linked < np.arange(column.start, column.stop)))).all()
        contexts = [lattice.context(c) for c in ids(lattice, i)]
        assert len(set(contexts)) == len(contexts)
    assert (lattice.target[-1] == -1).all()
    for table in (lattice, trace):
        arrays = [value for value in vars(table).values() if isinstance(value, np.ndarray)]
        assert arrays and not any(array.flags.writeable for array in arrays)


@problems_of(150)
@given(cases())
def test_json_round_trip_is_exact(case):
    lattice, trace, _ = solved(case)
    text = trace.to_json()
    assert "NaN" not in text and "Infinity" not in text
    lattice_again, trace_again = rv.read_trace(text)
    alone = rv.read_lattice(lattice.to_json())
    for before, after in [(lattice, lattice_again), (lattice, alone), (trace, trace_again)]:
        for name, value in vars(before).items():
            if isinstance(value, np.ndarray):
                found = getattr(after, name)
                assert found.shape == value.shape
                np.testing.assert_array_equal(found, value, err_msg=name)
    assert lattice_again.labels == lattice.labels
    assert trace_again.settings == json.loads(json.dumps(trace.settings))  # JSON turns tuples into lists
    assert trace_again.to_json() == text and lattice_again.to_json() == lattice.to_json()


@problems_of(100)
@given(cases())
def test_settings_are_enough_to_run_it_again(case):
    problem, rule = case
    lattice, trace, _ = solved(case)
    settings = trace.settings
    assert settings["method"] == ("repaired" if rule.root_weight is not None else rule.method)
    assert settings["order"] == problem.order and settings["deduplicate"] == rule.deduplicate
    for i in range(1, problem.T):
        assert trace.budget(i) == rule.allowance(i)
    for kind in ("pin", "forbid"):
        written = [(i, what if isinstance(what, str) else tuple(what)) for i, what in settings.get(kind, ())]
        assert tuple(written) == getattr(rule, kind)


def bulk_space(problem, rule, passes):
    """The workspace that the compiled loop leaves behind for one word, in double precision."""
    model, log_emit = model_of(problem), np.array(log_emit_of(problem))
    root_weight = 0.0 if rule.root_weight is None else chain.log(rule.root_weight)
    logs = bool(score_ranges(model, log_emit, root_weight).sum() >= SAFE_RANGE["f8"])
    emit, _ = scale_emissions(log_emit, logs)
    cap = problem.order if rule.deduplicate else np.iinfo(np.int64).max
    compiled = Rule(rule.method == "rcms", rule.root_weight is None, cap, root_weight)
    budget, table = min(rule.budget, len(problem.labels) ** (problem.T - 1)), model.table(logs)
    spaces = tuple(words.workspace(problem.T, budget, len(problem.labels), emit) for _ in range(2))
    pruning = Pruning(budget, rule.deduplicate, compiled)
    _, last = words.passes_word(emit, passes, table, model.address, logs, pruning, spaces)
    return spaces[last]


@st.composite
def bulk_cases(draw, **options):
    """A problem, a rule without edits, and a number of passes."""
    problem = draw(problems(**options))
    rule = draw(rules(problem, ("rcms", "beam", "repaired")))
    passes = draw(st.integers(1, 3)) if rule.method == "rcms" and rule.root_weight is None else 1
    return problem, chain.Rule(rule.method, rule.budget, {}, rule.deduplicate, root_weight=rule.root_weight), passes


@given(st.data())
def test_merged_mass_adds_up_in_the_least_ancestor(data):
    """In logs far apart, and in those that are so near each other that the kernel adds up what they are logs of."""
    count, width, merging = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3)), data.draw(st.booleans())
    low = data.draw(st.sampled_from([0.0, -30.0, -79.0, -81.0, -500.0, -3000.0]))
    level = data.draw(st.sampled_from([0.0, -2000.0, 2000.0]))
    logs = st.one_of(st.floats(low, 0.0), st.sampled_from([0.0, low, -np.inf]))
    mass = level + np.array(data.draw(st.lists(logs, min_size=count * width, max_size=count * width)))
    here = np.zeros((kernel.FIELDS, count), np.int64)
    here[kernel.PARENT] = [data.draw(st.integers(0, k - 1)) if merging and k else -1 for k in range(count)]
    chosen = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=mass.size, max_size=mass.size)))
    alpha = np.full(len(chosen) + merging, np.nan)
    rule = Rule(merging, True, 2, data.draw(st.sampled_from([0.0, -1.5])) if merging else 0.0)
    kernel.absorb(here, count, chosen, rule, True, mass.reshape(count, width).copy(), alpha)
    expected = np.full(len(alpha), -np.inf)
    for candidate, log in enumerate(mass.tolist()):
        k, y = divmod(candidate, width)
        while k >= 0 and k * width + y not in chosen:
            k = here[kernel.PARENT, k]
        into = merging + chosen.tolist().index(k * width + y) if k >= 0 else 0
        if k >= 0 or merging:
            expected[into] = np.logaddexp(expected[into], log)
    expected[:merging] += rule.root_weight
    np.testing.assert_allclose(alpha, expected, rtol=1e-12, atol=1e-12)


@problems_of(250)
@given(bulk_cases())
def test_bulk_selects_the_same_contexts_bit_for_bit(case):
    problem, rule, passes = case
    lattice, _ = build(problem, rule, record=False, passes=passes)
    space = bulk_space(problem, rule, passes)
    contexts, count, target = space.contexts, space.count, space.target
    for i in range(problem.T):
        column, before = lattice.column(i), lattice.column(i - 1).start if i else 0
        assert count[i] == column.stop - column.start
        found = contexts[i, :, : count[i]]
        for field, expected, base in [
            (kernel.LENGTH, lattice.length, None),
            (kernel.LABEL, lattice.label, None),
            (kernel.ROW, lattice.row, None),
            (kernel.PARENT, lattice.parent, column.start),
            (kernel.ORIGIN, lattice.origin, before),
        ]:
            local = expected[column] if base is None else np.where(expected[column] >= 0, expected[column] - base, -1)
            np.testing.assert_array_equal(found[field], local)
        into = lattice.target[column]
        np.testing.assert_array_equal(target[i, : count[i]], np.where(into >= 0, into - column.stop, -1))


def bulk(problems_, rule, passes=1, **options):
    """``infer_batch`` over the emissions of problems that share one model (that of the first)."""
    method = "repaired" if rule.root_weight is not None else rule.method
    root_weight = 0.0 if rule.root_weight is None else chain.log(rule.root_weight)
    emits = [np.array(log_emit_of(problem)) for problem in problems_]
    return rv.infer_batch(
        model_of(problems_[0]),
        emits,
        method,
        rule.budget,
        passes=passes,
        deduplicate=rule.deduplicate,
        root_weight=root_weight,
        posterior=True,
        **options,
    )


@pytest.mark.parametrize(
    ("method", "dtype", "kernel"),
    [
        ("rcms", "f4", lane_words.infer_lanes),
        ("exact", "f4", lane_exact.infer_exact_lanes),
        ("exact", "f8", dense.infer_dense),
    ],
)
def test_words_of_a_file_meet_the_kernels_of_any_words(method, dtype, kernel):
    """Their offsets may not be written, which is a type of its own: for it all would be compiled once more."""
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    stacked, offset = np.zeros((3, 2)), np.array([0, 1, 3])
    infer_stacked(model, stacked, offset, method, 2, dtype=dtype)
    compiled = set(kernel.signatures)
    offset.setflags(write=False)
    found = infer_stacked(model, stacked, offset, method, 2, dtype=dtype)
    assert compiled and set(kernel.signatures) == compiled
    assert [list(labels) for labels in found.labels] == [[0], [0, 1]]


@problems_of(250)
@given(bulk_cases())
def test_bulk_answers_are_the_stepwise_ones_in_double_precision(case):
    problem, rule, passes = case
    lattice, _ = build(problem, rule, record=False, passes=passes)
    found = bulk([problem], rule, passes, dtype="f8")
    assert_answers_alike(found, lattice)


def assert_answers_alike(found, lattice):
    """Word 0 of a batch against the lattice of the same word."""
    np.testing.assert_allclose(found.log_z[0], rv.log_z(lattice), **CLOSE)
    if rv.log_z(lattice) == -np.inf:
        assert found.log_score[0] == found.log_prob[0] == -np.inf
        return
    best = rv.viterbi(lattice)
    np.testing.assert_allclose(found.log_score[0], best.log_score, **CLOSE)
    np.testing.assert_allclose(found.log_prob[0], best.log_prob, **CLOSE)
    named = [lattice.labels[y] for y in found.labels[0]]
    np.testing.assert_allclose(rv.log_prob(lattice, named), best.log_prob, **CLOSE)
    np.testing.assert_allclose(found.posterior[0], rv.posterior(lattice).label, **CLOSE)


@problems_of(150)
@given(problems(pools=("ties", "generic"), zeros=False).filter(lambda problem: problem.T > 1), st.data())
def test_bulk_mean_length_is_the_mass_weighted_mean(problem, data):
    rule = data.draw(rules(problem, ("rcms", "beam"), plain=True))
    machine = machine_of(problem, rule, build(problem, rule, record=False)[0])
    means = []
    for i in range(1, problem.T):
        forward = machine.forward(i)
        means.append(sum(len(c) * mass for c, mass in forward.items()) / sum(forward.values()))
    found = bulk([problem], rule, dtype="f8").mean_length[0]
    np.testing.assert_allclose(found, float(sum(means) / len(means)), **CLOSE)


@problems_of(150)
@given(problems(), st.integers(1, 2))
def test_bulk_exact_is_the_static_chain(problem, threads):
    lattice, _ = rv.exact(model_of(problem), log_emit_of(problem), record=False)
    found = bulk([problem], chain.Rule("exact"), dtype="f8", threads=threads)
    assert_answers_alike(found, lattice)


@problems_of(150)
@given(generic_problems(), st.data())
def test_single_precision_decodes_equally(problem, data):
    """The best output is decoded if it leads by more than the rounding of single precision."""
    rule = data.draw(rules(problem, ("rcms", "beam", "exact"), plain=True))
    lattice, _ = build(problem, rule, record=False)
    best = rv.kbest(lattice, 2)
    if len(best) == 2 and best[0].log_score - best[1].log_score < 1e-3:
        return
    if rule.method != "exact" and nearly_tied(lattice, rule):
        return
    found = bulk([problem], rule, dtype="f4")
    assert tuple(problem.labels[y] for y in found.labels[0]) == best[0].labels
    np.testing.assert_allclose(found.log_z[0], rv.log_z(lattice), rtol=1e-4, atol=1e-4)


def nearly_tied(lattice, rule):
    """Whether some choice between kept and not kept hangs on less than single precision."""
    forward = rv.posterior(lattice).forward
    for i in range(1, lattice.T):
        column, before = lattice.column(i), lattice.column(i - 1)
        masses = np.sort((forward[before, None] + lattice.score[before]).ravel())[::-1]
        kept = column.stop - column.start - rule.has_root()
        if 0 < kept < len(masses) and masses[kept - 1] - masses[kept] < 1e-3:
            return True
    return False


@pytest.mark.parametrize("method", ["rcms", "exact"])
def test_single_precision_gives_way_where_a_far_path_catches_up(method):
    """Beginning with b costs 60 twice, beginning with a costs 60 twice later: e^-120 is nothing in single precision."""
    windows = {("^", "^", "^", "^", "b"): -60.0}
    for label, *rest in product("ab", repeat=4):
        windows[("^", "^", "^", "b", label)] = windows[("^", "^", "a", rest[0], label)] = -60.0
        windows[("^", "a", *rest[:2], label)] = -60.0
    model = rv.NgramModel.from_windows("ab", 4, windows)
    single, double = (rv.infer_batch(model, [np.zeros((6, 2))], method, 8, dtype=dtype) for dtype in ("f4", "f8"))
    np.testing.assert_allclose([single.log_z, single.log_score], [double.log_z, double.log_score], rtol=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_words_do_not_disturb_each_other(method, threads):
    """A batch of words of many lengths answers like each word alone, whatever ran in the workspace before."""
    rng = np.random.default_rng(7)
    names = [*"abcde"]
    windows = {tuple(names[y] for y in row): float(rng.normal()) for row in rng.integers(0, 5, size=(60, 3))}
    model = rv.NgramModel.from_windows(names, 2, windows)
    emits = [rng.normal(size=(length, 5)) * 2 for length in rng.integers(1, 12, size=60)]
    together = rv.infer_batch(model, emits, method, 4, threads=threads, dtype="f8", posterior=True)
    for w, emit in enumerate(emits):
        alone = rv.infer_batch(model, [emit], method, 4, threads=1, dtype="f8", posterior=True)
        np.testing.assert_array_equal(together.labels[w], alone.labels[0])
        assert together.log_z[w] == alone.log_z[0] and together.log_score[w] == alone.log_score[0]
        np.testing.assert_array_equal(together.posterior[w], alone.posterior[0])
