"""Queries of a lattice compared with enumeration of its outputs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import rcmviz as rv
from oracles import chain
from problems.chain import NAMES, build, cases, log_emit_of, model_of, problems, problems_of, solved

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
ANY = ("rcms", "rcms", "beam", "exact")
any_case = cases(plain=True, methods=ANY)
patterns = st.lists(st.sampled_from(NAMES + "??**"), max_size=6).map("".join)


@problems_of(350)
@given(any_case)
def test_viterbi_scores_the_maximum(case):
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    best, found = machine.best(), rv.viterbi(lattice)
    weight = {path.labels: path.weight for path in machine.paths}[found.labels]
    np.testing.assert_allclose(chain.log(weight), chain.log(best.weight), **CLOSE)
    np.testing.assert_allclose(found.log_score, chain.log(best.weight), **CLOSE)
    np.testing.assert_allclose(found.log_prob, chain.log(best.weight / machine.z), **CLOSE)
    assert tuple(lattice.labels[y] for y in found.indices) == found.labels


@problems_of(150)
@given(cases(plain=True, methods=ANY, pools=("ones",)))
def test_exact_ties_go_to_the_lexicographically_first(case):
    lattice, _, machine = solved(case, record=False)
    if machine.z > 0:
        assert rv.viterbi(lattice).labels == machine.best().labels


@problems_of(250)
@given(any_case, st.integers(1, 12))
def test_kbest_lists_the_heaviest(case, k):
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    found = rv.kbest(lattice, k)
    weight = {path.labels: path.weight for path in machine.paths}
    expected = [chain.log(share) for share in machine.ranked()[:k]]
    np.testing.assert_allclose([path.log_score for path in found], expected, **CLOSE)
    np.testing.assert_allclose([chain.log(weight[path.labels]) for path in found], expected, **CLOSE)
    assert len({path.labels for path in found}) == len(found)


@problems_of(250)
@given(any_case)
def test_entropy(case):
    lattice, _, machine = solved(case, record=False)
    if machine.z > 0:
        np.testing.assert_allclose(rv.entropy(lattice), machine.entropy(), rtol=1e-9, atol=1e-8)


@problems_of(350)
@given(any_case, st.lists(patterns, min_size=1, max_size=4))
def test_pattern_mass(case, asked):
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    for pattern in asked:
        if set(pattern) <= {*lattice.labels, "?", "*"}:
            np.testing.assert_allclose(rv.mass(lattice, pattern), float(machine.pattern_mass(pattern)), **CLOSE)
        else:
            with pytest.raises(ValueError, match="neither a label nor"):
                rv.mass(lattice, pattern)


@problems_of(250)
@given(any_case)
def test_log_prob_of_every_output(case):
    """Also of those that a beam has dropped."""
    problem, _ = case
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    weight = {path.labels: path.weight for path in machine.paths}
    for labels in list(product(problem.labels, repeat=problem.T))[::7]:
        expected = chain.log(weight.get(labels, 0) / machine.z)
        np.testing.assert_allclose(rv.log_prob(lattice, labels), expected, **CLOSE)


@problems_of(250)
@given(any_case)
def test_expected_counts(case):
    problem, _ = case
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    found, expected = rv.expected_counts(lattice, model_of(problem)), machine.expected_counts()
    assert {window for window, count in found.items() if count > 1e-12} <= set(expected)
    for window, count in expected.items():
        np.testing.assert_allclose(found.get(window, 0.0), float(count), **CLOSE)


@pytest.mark.parametrize("mode", ["single", "additive"])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_expected_counts_are_the_slope_of_log_z(mode, order):
    """Central differences of log Z in each of 30 window weights, on lengths that enumeration cannot reach."""
    rng = np.random.default_rng(order)
    symbols = [*"abc"]
    windows = {tuple(symbols[y] for y in row): float(rng.normal()) for row in rng.integers(0, 3, size=(25, order + 1))}
    windows |= {("^",) * order + (label,): float(rng.normal()) for label in symbols} if mode == "single" else {}
    windows |= {("*",) * order + (label,): float(rng.normal()) for label in symbols}
    log_emit, step = rng.normal(size=(9, 3)), 1e-5

    def log_z(changed):
        return rv.log_z(rv.exact(rv.NgramModel.from_windows(symbols, order, changed, mode=mode), log_emit)[0])

    model = rv.NgramModel.from_windows(symbols, order, windows, mode=mode)
    counts = rv.expected_counts(rv.exact(model, log_emit)[0], model)
    for window, weight in windows.items():
        slope = (log_z(windows | {window: weight + step}) - log_z(windows | {window: weight - step})) / (2 * step)
        assert counts.get(window, 0.0) == pytest.approx(slope, abs=1e-7)


def pooled(observed, expected, least=5.0):
    """Add up the cells that expect fewer than ``least`` draws."""
    small = expected < least
    if not small.any():
        return observed, expected
    return np.append(observed[~small], observed[small].sum()), np.append(expected[~small], expected[small].sum())


@problems_of(80)
@given(cases(plain=True, methods=ANY, pools=("ties", "generic"), max_length=4), st.integers(0, 10**6))
def test_samples_are_as_frequent_as_they_are_probable(case, seed):
    """Chi-square at 1e-6: about one false alarm in 10,000 runs of this test."""
    lattice, _, machine = solved(case, record=False)
    if machine.z == 0:
        return
    n = 2_000
    draws = rv.sample(lattice, n=n, seed=seed)
    share = {path.labels: path.weight / machine.z for path in machine.paths}
    drawn = [tuple(lattice.labels[y] for y in row) for row in draws.labels]
    assert set(drawn) <= set(share)
    np.testing.assert_allclose(draws.log_prob, [chain.log(share[labels]) for labels in drawn], **CLOSE)
    counts = {labels: drawn.count(labels) for labels in set(drawn)}
    observed = np.array([counts.get(labels, 0) for labels in share], dtype=float)
    observed, expected = pooled(observed, n * np.array([float(p) for p in share.values()]))
    if len(observed) > 1:
        assert chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > 1e-6


def test_the_same_seed_draws_the_same():
    lattice, _ = rv.exact(rv.NgramModel.from_windows("abc", 1, {}), np.zeros((5, 3)))
    first, same, other = (rv.sample(lattice, n=50, seed=seed).labels for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


QUESTIONS = {
    "posterior": rv.posterior,
    "viterbi": rv.viterbi,
    "kbest": lambda lattice: rv.kbest(lattice, 2),
    "sample": lambda lattice: rv.sample(lattice, 3, seed=0),
    "entropy": rv.entropy,
    "mass": lambda lattice: rv.mass(lattice, "*"),
    "log_prob": lambda lattice: rv.log_prob(lattice, lattice.labels[:1] * lattice.T),
}


@problems_of(120)
@given(problems(), st.data())
def test_impossible_problems_are_refused_in_words(problem, data):
    """One position with no possible label: log Z = −inf, and each question says why it has no answer."""
    blocked = data.draw(st.integers(0, problem.T - 1))
    emit = tuple(tuple(0 if i == blocked else value for value in row) for i, row in enumerate(problem.emit))
    problem = chain.Problem(problem.labels, problem.order, problem.mode, problem.windows, emit)
    rules = [chain.Rule(method, budget) for method in ("rcms", "beam") for budget in (1, 3, chain.HUGE)]
    for rule in [*rules, chain.Rule("rcms", 2, deduplicate=True), chain.Rule("exact")]:
        lattice, trace = build(problem, rule)
        assert rv.log_z(lattice) == -np.inf
        assert trace.log_z_so_far[-1] == -np.inf
        for ask in QUESTIONS.values():
            with pytest.raises(ValueError, match="positive probability"):
                ask(lattice)
        with pytest.raises(ValueError, match="positive probability"):
            rv.expected_counts(lattice, model_of(problem))


@problems_of(40)
@given(problems(pools=("far",)))
def test_counting_outputs(problem):
    """All weights one: Z counts outputs, whatever the emissions' scale in front."""
    log_emit = np.array(log_emit_of(problem))
    scale = np.where(np.isfinite(log_emit).any(axis=1), 700.0, 0.0)
    ones = np.where(np.isneginf(log_emit), -np.inf, 0.0)
    count = np.prod((ones == 0).sum(axis=1).astype(float))
    lattice, _ = rv.rcms(rv.NgramModel.from_windows(problem.labels, 2, {}), ones + scale[:, None], budget=2)
    expected = np.log(count) + scale.sum() if count else -np.inf
    np.testing.assert_allclose(rv.log_z(lattice), expected, **CLOSE)


def test_counts_need_the_model_that_built_the_lattice():
    lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]])
    with pytest.raises(ValueError, match="other labels"):
        rv.expected_counts(lattice, rv.NgramModel.from_windows("abc", 1, {}))


def test_a_pattern_of_longer_labels_is_a_list():
    lattice, _ = rv.exact(rv.NgramModel.from_windows(("DET", "NOUN"), 1, {}), [[0.0, 0.0]] * 2)
    np.testing.assert_allclose(rv.mass(lattice, ["DET", "*"]), 0.5)
    with pytest.raises(ValueError, match="'D' .*; .*per character"):
        rv.mass(lattice, "DET")


def test_the_pair_that_a_builder_returns_is_no_lattice_and_a_name_is_nearly_right():
    pair = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]])
    with pytest.raises(ValueError, match=r"^lattice is \(.*: give rcmviz.Lattice, .*first"):
        rv.viterbi(pair)
    with pytest.raises(ValueError, match=r"^lattice is 5: give rcmviz.Lattice$"):
        rv.viterbi(5)
    with pytest.raises(AttributeError, match="no attribute 'viterby'") as caught:
        _ = rv.viterby
    assert caught.value.name == "viterby" and caught.value.obj is rv  # by which Python finds the right one
