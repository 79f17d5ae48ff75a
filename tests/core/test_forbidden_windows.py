"""Windows of −inf: all builders and queries compared with enumeration; files; a left-to-right hidden Markov model."""

import json
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import build, ids, log_emit_of, machine_of, model_of, problems, problems_of, rules
from rcmviz.learn.discounting import END
from rcmviz.learn.em import EM
from rcmviz.learn.trainer import FitTrainer

pytestmark = pytest.mark.filterwarnings("error")  # −inf less −inf warns
CLOSE = {"rtol": 1e-9, "atol": 1e-9}
FORBIDDING = problems(zero_windows=True, max_length=5)
QUESTIONS = (
    rv.posterior,
    rv.viterbi,
    rv.entropy,
    lambda lattice: rv.kbest(lattice, 3),
    lambda lattice: rv.sample(lattice, 3),
    lambda lattice: rv.mass(lattice, "*"),
    lambda lattice: rv.log_prob(lattice, lattice.labels[:1] * lattice.T),
)


@st.composite
def cases(draw):
    """A problem with impossible windows, a rule and a number of passes."""
    problem, passes = draw(FORBIDDING), 1
    rule = draw(rules(problem, ("rcms", "rcms", "beam", "repaired", "exact")))
    if rule.method == "exact":
        rule = chain.Rule("exact", pin=tuple((i, what) for i, what in rule.pin if isinstance(what, str)))
    elif rule.method == "rcms" and not (rule.pin or rule.forbid or rule.deduplicate):
        passes = draw(st.integers(1, 3))
    return problem, rule, passes


@problems_of(80)
@given(cases())
def test_all_that_is_asked_of_a_lattice(case):
    """Sums, best outputs, draws and counts are those of the outputs that are possible; without any, words say so."""
    problem, rule, passes = case
    lattice, trace = build(problem, rule, passes=passes)
    machine, model = machine_of(problem, rule, lattice), model_of(problem)
    np.testing.assert_allclose(rv.log_z(lattice), chain.log(machine.z), **CLOSE)
    assert not any(np.isnan(table).any() for table in (lattice.score, trace.log_mass, trace.key, trace.log_z_so_far))
    assert rv.read_trace(trace.to_json())[1].to_json() == trace.to_json()
    check_choice(problem, rule, passes, machine)
    gold = tuple(problem.labels[i % len(problem.labels)] for i in range(problem.T))
    check_blame(problem, lattice, gold)
    if machine.z == 0:
        for ask in QUESTIONS:
            with pytest.raises(ValueError, match="positive probability.*-inf"):
                ask(lattice)
        return
    shares = {path.labels: chain.log(path.weight / machine.z) for path in machine.paths}
    found = rv.posterior(lattice)
    np.testing.assert_allclose(found.label, np.array(machine.label_mass(), dtype=float), **CLOSE)
    np.testing.assert_allclose(found.entropy, machine.entropy(), rtol=1e-9, atol=1e-8)
    best = rv.kbest(lattice, 6)
    np.testing.assert_allclose([p.log_score for p in best], [chain.log(w) for w in machine.ranked()[:6]], **CLOSE)
    np.testing.assert_allclose([p.log_prob for p in best], [shares[p.labels] for p in best], **CLOSE)
    np.testing.assert_allclose(rv.log_prob(lattice, gold), shares.get(gold, -np.inf), **CLOSE)
    drawn = rv.sample(lattice, 20, seed=1)
    names = [tuple(problem.labels[y] for y in row) for row in drawn.labels]
    np.testing.assert_allclose(drawn.log_prob, [shares[output] for output in names], **CLOSE)
    counts, expected = rv.expected_counts(lattice, model), machine.expected_counts()
    assert {window for window, count in counts.items() if count > 1e-12} <= set(expected)
    for window, count in expected.items():
        np.testing.assert_allclose(counts.get(window, 0.0), float(count), **CLOSE)
    assert "inf" not in lattice.to_fst_text() and "nan" not in lattice.to_fst_text("k2")


def check_choice(problem, rule, passes, machine):
    """The contexts with the largest keys are kept."""
    first = None
    if passes > 1:
        before, _ = build(problem, rule, passes=passes - 1)
        first = machine_of(problem, rule, before)
    if rule.method != "exact":
        assert not list(chain.violations(machine, rule, first))


def check_blame(problem, lattice, gold):
    full = {path.labels: chain.log(path.weight) for path in chain.every_history(problem).paths}
    found = rv.blame(model_of(problem), log_emit_of(problem), lattice, gold)
    np.testing.assert_allclose(found.gold_score, full.get(gold, -np.inf), **CLOSE)
    if found.output is not None:
        np.testing.assert_allclose(found.output_score, full.get(found.output, -np.inf), **CLOSE)
    assert not np.isnan([found.margin, found.own_margin, *found.difference]).any()
    json.dumps(found.to_dict(), allow_nan=False)


BUILDERS = {
    "astar": lambda *given: rv.astar(*given),
    "best_first": lambda *given: rv.best_first(*given, 3),
    "recombining": lambda *given: rv.recombining_beam(*given, 3),
    "greedy": lambda *given: rv.greedy(*given),
    "stochastic": lambda *given: rv.stochastic_beam(*given, 3),
    "importance": lambda *given: rv.importance_lattice(*given, 3),
    "smc": lambda *given: rv.smc_lattice(*given, 3),
}


@problems_of(150)
@given(FORBIDDING, st.sampled_from(sorted(BUILDERS)))
def test_searches_and_draws_write_what_is_possible(problem, name):
    """Searches that keep full histories score them as the model does, and never return an output of probability 0."""
    full = {path.labels: chain.log(path.weight) for path in chain.every_history(problem).paths}
    try:
        lattice, _ = BUILDERS[name](model_of(problem), log_emit_of(problem))
        best = rv.viterbi(lattice)
    except ValueError as error:
        assert "no output" in str(error) and not (name == "astar" and full)
        return
    assert best.labels in full
    if name == "astar":
        np.testing.assert_allclose(best.log_score, max(full.values()), **CLOSE)


@problems_of(100)
@given(FORBIDDING, st.sampled_from(["importance", "smc"]), st.sampled_from([0, 2, 300]))
def test_estimates_know_what_is_impossible(problem, name, bound):
    full = {path.labels: chain.log(path.weight) for path in chain.every_history(problem).paths}
    try:
        found = getattr(rv, name)(model_of(problem), log_emit_of(problem), 2, n=60, bound=bound)
    except ValueError as error:
        assert "no output" in str(error)
        return
    outputs = [tuple(problem.labels[y] for y in row) for row in found.labels]
    np.testing.assert_allclose(found.log_score, [full.get(output, -np.inf) for output in outputs], **CLOSE)
    numbers = found.log_z, found.ess, found.log_found, found.log_upper, *found.log_weight, *found.label.ravel()
    assert not np.isnan(numbers).any()
    assert found.log_z > -np.inf or found.interval is None
    log_z = chain.log(chain.every_history(problem).z)
    assert found.log_found <= log_z + 1e-9 and (not full or log_z - 1e-9 <= found.log_upper)


@problems_of(100)
@given(FORBIDDING, st.data())
def test_losses_and_their_gradients_are_finite_or_refused(problem, data):
    gold = data.draw(st.tuples(*[st.sampled_from(problem.labels)] * problem.T))
    method = data.draw(st.sampled_from(["rcms", "beam", "exact"]))
    lattice, _ = build(problem, chain.Rule(method, 2), record=False)
    possible = {path.labels for path in machine_of(problem, chain.Rule(method, 2), lattice).paths}
    try:
        found = rv.loss(log_emit_of(problem), gold, model_of(problem), 2, method=method, windows=True)
    except ValueError as error:
        assert not possible or gold not in possible
        assert "impossible under the model" in str(error) or "no output" in str(error)
        return
    assert all(np.isfinite(values).all() for values in (found.value, found.gradient, found.windows))


@problems_of(60)
@given(FORBIDDING)
def test_files_keep_what_is_forbidden(tmp_path_factory, problem):
    model, emit = model_of(problem), np.maximum(log_emit_of(problem), -1000.0)
    text = rv.Problem(model, emit).to_json()
    again = rv.read_problem(text)
    np.testing.assert_array_equal(again.model.log_table, model.log_table)
    assert again.to_json() == text and ('"version": 2' in text or model.is_positive)
    path = tmp_path_factory.mktemp("model") / "model.npz"
    for weights in (model.weights, model.weights.astype(np.float32)):
        kept = rv.NgramModel(model.labels, model.order, model.mode, model.keys, weights)
        kept.save(path)
        np.testing.assert_array_equal(rv.load_model(path).log_table, kept.log_table)


def test_a_short_forbidden_suffix_forbids_all_that_ends_so():
    weights = {("*", "*", "b"): -math.inf, ("a", "a", "b"): 5.0, ("*", "a", "b"): -math.inf, ("*", "a", "c"): 1.0}
    model = rv.NgramModel.from_windows("abc", 2, weights, mode="additive")
    for build_one in (rv.exact, lambda *given: rv.rcms(*given, 1), lambda *given: rv.beam(*given, 2)):
        lattice, _ = build_one(model, np.zeros((4, 3)))
        assert not rv.posterior(lattice).label[:, 1].any()
        assert rv.viterbi(lattice).labels == ("a", "c", "a", "c")


def test_the_range_of_scores_is_that_of_the_finite_ones():
    for mode in ("single", "additive"):
        model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): -math.inf, ("a", "a"): 3.0}, mode=mode)
        assert model.log_range == 3.0 and not model.is_positive
    assert rv.NgramModel.from_windows("ab", 1, {("a", "b"): -2.0, ("a", "a"): 3.0}).log_range == 5.0


def test_a_forbidden_window_is_no_reason_to_expect_a_larger_lattice():
    """The size of a lattice is known in advance only if every arc is possible."""
    model = rv.NgramModel.from_windows("ab", 1, {(before, "b"): -math.inf for before in "^*ab"})
    lattice, _ = rv.rcms(model, np.zeros((400, 2)), 100_000)
    assert lattice.C < 1_000 and rv.viterbi(lattice).log_prob == 0.0


@pytest.mark.parametrize("weight", [np.nan, np.inf])
def test_nothing_else_is_taken_for_a_weight(weight):
    with pytest.raises(ValueError, match="-inf"):
        rv.NgramModel.from_windows("ab", 1, {("a", "b"): weight})
    with pytest.raises(ValueError, match=r"weights\[0, 1\] is .*at most 1,000,000 .*-inf"):
        rv.NgramModel("ab", 1, "single", [0], [[0.0, weight]])
    with pytest.raises(ValueError, match="emission.* is -inf: .*1,000,000"):
        rv.NgramModel("ab", 1, "single", [0], [[0.0, 0.0]], [[-math.inf, 0.0]])


# A left-to-right hidden Markov model: C is never left, even after an outlier (hmmlearn#214, #317; dynamax#290).
START, MOVES = np.array([0.8, 0.1, 0.1]), np.array([[0.8, 0.1, 0.1], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0]])


def left_to_right():
    seen = np.array([1.0] * 4 + [0.5] * 4 + [0.9] + [0.5] * 3)
    return -0.5 * ((seen[:, None] - np.array([1.0, 0.0, 0.5])) / 0.03) ** 2


def log_z_of_numpy(steps, log_emit):
    forward = np.log(START) + log_emit[0]
    for row in log_emit[1:]:
        forward = np.logaddexp.reduce(forward[:, None] + steps, axis=0) + row
    return np.logaddexp.reduce(forward)


def steps_of(low):
    return np.where(MOVES > 0, np.log(np.where(MOVES > 0, MOVES, 1.0)), low)


def model_with(low):
    weights = {("^", label): value for label, value in zip("ABC", np.log(START), strict=True)}
    for before, row in zip("ABC", steps_of(low), strict=True):
        weights |= {(before, label): value for label, value in zip("ABC", row, strict=True)}
    return rv.NgramModel.from_windows("ABC", 1, weights)


def problem_files(tmp_path):
    """The model in each kind of problem file, as ``read_problem`` takes it."""
    steps, log_emit, nulls = steps_of(-np.inf), left_to_right(), lambda row: [v if v > -np.inf else None for v in row]
    parts = {"transitions": [nulls(row) for row in steps.tolist()], "start": np.log(START).tolist()}
    windows = [[list(w), *nulls([v])] for w, v in zip(*all_windows(), strict=True)]
    common = {"labels": list("ABC"), "log_emit": log_emit.tolist()}
    rows = ["before,A,B,C", "^," + ",".join(map(str, np.log(START)))]
    rows += [f"{before}," + ",".join(map(str, row)) for before, row in zip("ABC", steps.tolist(), strict=True)]
    (tmp_path / "steps.csv").write_text("\n".join(rows))
    (tmp_path / "emit.csv").write_text("A,B,C\n" + "\n".join(",".join(map(str, row)) for row in log_emit.tolist()))
    np.savez(
        tmp_path / "all.npz", logits=log_emit, labels=np.array(list("ABC")), transitions=steps, start=np.log(START)
    )
    np.save(tmp_path / "emit.npy", log_emit)
    return {
        "transitions": (json.dumps(common | parts), {}),
        "windows": (json.dumps(common | {"order": 1, "windows": windows}), {}),
        "csv": (tmp_path / "emit.csv", {"transitions": tmp_path / "steps.csv"}),
        "npz": (tmp_path / "all.npz", {}),
        "npy": (tmp_path / "emit.npy", {"transitions": tmp_path / "steps.csv", "labels": list("ABC")}),
    }


def all_windows():
    symbols = [("^", label) for label in "ABC"] + [(before, label) for before in "ABC" for label in "ABC"]
    return symbols, [*np.log(START).tolist(), *steps_of(-np.inf).ravel().tolist()]


def test_what_is_never_left_is_never_left(tmp_path):
    log_emit, expected = left_to_right(), log_z_of_numpy(steps_of(-np.inf), left_to_right())
    assert expected == pytest.approx(log_z_of_numpy(steps_of(-1e5), log_emit), abs=1e-9)
    models = [model_with(-np.inf), model_with(-1e5)]
    models += [rv.read_problem(given, **options).model for given, options in problem_files(tmp_path).values()]
    for model in models:
        for lattice in (
            rv.exact(model, log_emit)[0],
            rv.rcms(model, log_emit, 3)[0],
            rv.rcms(model, log_emit, 3, passes=2)[0],
            rv.recombining_beam(model, log_emit, 3)[0],
        ):
            assert "".join(rv.viterbi(lattice).labels) == "AAAACCCCCCCC"
            assert rv.log_z(lattice) == pytest.approx(expected, abs=1e-6)
        assert "".join(rv.viterbi(rv.astar(model, log_emit)[0]).labels) == "AAAACCCCCCCC"
        batch = rv.infer_batch(model, [log_emit], "exact", dtype="f8")
        assert batch.log_z[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_em_expects_nothing_of_what_is_forbidden(dtype):
    rng = np.random.default_rng(2)
    labels = ("a", "b", END)
    weights = {(before, label): float(rng.normal()) for before in "^ab*" for label in labels}
    model = rv.NgramModel.from_windows(labels, 1, weights | {("a", "a"): -math.inf, ("^", "b"): -math.inf})
    sequences = [[0, 1, 0], [1, 1], [0, 1, 1, 0]]
    em, expected = EM(model, sequences, "exact", dtype=dtype), np.zeros((2, 2))
    for sequence in sequences:
        lattice, _ = rv.exact(model, em.log_emit(sequence))
        np.add.at(expected, sequence, rv.posterior(lattice).label[:-1, :-1])
        assert not any(pair == ("a", "a") for pair in pairwise(rv.viterbi(lattice).labels))
    np.testing.assert_allclose(em.advance().counts, expected, rtol=1e-5)


def test_training_does_not_go_on_from_forbidden_windows():
    """A gradient cannot say what −inf should become."""
    data = rv.Sequences.from_arrays([[[1.0], [0.0]]], ["ab"], "ab")
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): -math.inf}, emission=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="start: .*-inf"):
        FitTrainer(data, rv.Training(order=1), start=model)


def test_a_zero_of_the_oracle_is_minus_infinity():
    problem = chain.Problem("ab", 1, "single", {("a", "b"): Fraction(0)}, ((Fraction(1),) * 2,) * 2)
    lattice, _ = build(problem, chain.Rule("exact"))
    assert len(ids(lattice, 1)) == 2 and model_of(problem).weights.min() == -np.inf
    assert {path.labels for path in rv.kbest(lattice, 9)} == {("a", "a"), ("b", "a"), ("b", "b")}
