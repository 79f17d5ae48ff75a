"""Scorers that are called in batches, compared with enumeration and with n-gram models."""

import math
import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles.scorer import BEFORE, Machine, full_score, last, log_sum
from problems.chain import problems_of
from problems.ngrams import lm_of, tables
from rcmviz.core.models import scorer_scores

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
TIES = [-1.0, 0.0, 0.0, 1.0, -math.inf]
ALL = 10**6
OPTIONS = {"beam": {}, "passes": {"passes": 2}, "deduplicate": {"deduplicate": True}, "repaired": {"root_weight": 1.0}}


class Table:
    """Log scores of all labels after every last N − 1 labels, drawn on request."""

    def __init__(self, seed, width, order, ties):
        self.seed, self.width, self.order, self.ties = seed, width, order, ties
        self.calls = []

    def after(self, history):
        rng = random.Random(f"{self.seed} {history}")
        return [rng.choice(TIES) if self.ties else rng.gauss(0, 1.5) for _ in range(self.width)]

    def score(self, contexts):
        self.calls.append(contexts.tolist())
        return np.array([self.after(tuple(context)) for context in contexts.tolist()])


@st.composite
def problems(draw, may_tie=True):
    """(A ``Table``, emissions): 1–3 labels, orders 1–4, 1–5 positions."""
    width, order, length = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    tied, seed = may_tie and draw(st.booleans()), draw(st.integers(0, 10**6))
    rng = random.Random(seed)
    emit = [[rng.choice(TIES) if tied else rng.gauss(0, 1) for _ in range(width)] for _ in range(length)]
    return Table(seed, width, order, tied), emit


def model_of(table, **options):
    return rv.ScorerModel(table, "abc"[: table.width], **options)


def log_prob(lattice, output):
    return rv.log_prob(lattice, [lattice.labels[y] for y in output])


def machine_of(lattice, table, emit, merging, root_weight=0.0):
    columns = [[lattice.indices(c) for c in range(*lattice.offset[i : i + 2])] for i in range(lattice.T)]
    return Machine(columns, emit, table.after, table.order, merging, root_weight)


def assert_of_machine(lattice, machine):
    """Arcs, log Z, the probability of every output and the posteriors are those of a machine."""
    for i, arcs in enumerate(machine.arcs):
        for c, wanted in enumerate(arcs):
            if wanted is not None:
                np.testing.assert_allclose(lattice.score[lattice.offset[i] + c], wanted, **CLOSE)
    np.testing.assert_allclose(rv.log_z(lattice), machine.log_z, **CLOSE)
    if machine.log_z == -math.inf:
        return
    label = np.zeros((lattice.T, lattice.width))
    for output, score in machine.outputs.items():
        np.testing.assert_allclose(log_prob(lattice, output), score - machine.log_z, **CLOSE)
        label[np.arange(lattice.T), output] += math.exp(score - machine.log_z)
    np.testing.assert_allclose(rv.posterior(lattice).label, label, **CLOSE)


@problems_of(400)
@given(problems(), st.sampled_from(["rcms", "rcms", *OPTIONS]), st.integers(1, 4))
def test_a_merged_context_is_scored_by_its_heaviest_history(problem, method, budget):
    table, emit = problem
    options = OPTIONS.get(method, {})
    lattice, _ = (rv.beam if method == "beam" else rv.rcms)(model_of(table), emit, budget, **options)
    machine = machine_of(lattice, table, emit, method != "beam", options.get("root_weight", 0.0))
    assert_of_machine(lattice, machine)


@problems_of(100)
@given(problems(), st.integers(1, 4))
def test_the_heaviest_candidates_are_kept(problem, budget):
    table, emit = problem
    lattice, _ = rv.rcms(model_of(table), emit, budget)
    machine = machine_of(lattice, table, emit, merging=True)
    for i in range(lattice.T - 1):
        mass = {(*known, y): log for (known, y), log in machine.mass_of_candidates(i).items() if log > -math.inf}
        kept = machine.columns[i + 1][1:]
        assert len(kept) == min(budget, len(mass))
        rest = [log for candidate, log in mass.items() if candidate not in kept]
        assert min((mass[context] for context in kept), default=0.0) >= max(rest, default=-math.inf) - 1e-9


@pytest.mark.parametrize(("root_weight", "first"), [(None, 0), (1.0, 1)])
def test_the_heaviest_history_is_one_history_not_the_sum_of_many(root_weight, first):
    """After one label a weighs 0.4 and the root, into which b and c were merged, 0.6.

    Each of b and c weighs less than a, unless the root has a weight.
    """
    seen = []

    def score(contexts):
        seen.append(contexts.tolist())
        return np.zeros((len(contexts), 3))

    emit = [np.log([0.4, 0.35, 0.25]), np.zeros(3), np.zeros(3)]
    nothing_kept = [(2, known + (y,)) for known in ((), ("a",)) for y in "abc"]
    rv.rcms(rv.ScorerModel(score, "abc", order=3), emit, 1, forbid=nothing_kept, root_weight=root_weight)
    assert seen == [[[BEFORE, BEFORE]], [[BEFORE, 1], [BEFORE, 0]], [[first, 0]]]


def never_forget(model, emit):
    yield rv.exact(model, emit)[0]
    yield rv.rcms(model, emit, ALL)[0]
    yield rv.rcms(model, emit, ALL, deduplicate=True)[0]
    yield rv.greedy(model, emit)[0]
    for budget in (1, 2, 5):
        yield rv.beam(model, emit, budget)[0]
        yield rv.recombining_beam(model, emit, budget)[0]


@problems_of(100)
@given(problems(may_tie=False))
def test_full_histories_score_outputs_as_the_scorer_does(problem):
    table, emit = problem
    full = {y: full_score(y, emit, table.after, table.order) for y in product(range(table.width), repeat=len(emit))}
    for k, lattice in enumerate(never_forget(model_of(table), emit)):
        found = rv.log_z(lattice) + np.array([log_prob(lattice, output) for output in full])
        wanted = np.array(list(full.values()))
        assert (k > 2) or np.isfinite(found).all()  # beams drop
        np.testing.assert_allclose(found[np.isfinite(found)], wanted[np.isfinite(found)], **CLOSE)
    proved = rv.viterbi(rv.astar(model_of(table), emit)[0])
    np.testing.assert_allclose(proved.log_score, max(full.values()), **CLOSE)
    found = rv.best_first(model_of(table), emit)[0]
    answer = rv.viterbi(found)
    np.testing.assert_allclose(answer.log_score, full[tuple(found.indices_of(answer.labels))], **CLOSE)


@problems_of(150)
@given(tables(ends=False), st.integers(1, 4), st.integers(0, 10**6))
def test_a_language_model_as_scorer_is_the_language_model(table, length, seed):
    """Results are equal bit for bit if contexts determine the n-gram model's scores."""
    lm = lm_of(table)
    words = [word for word in lm.vocabulary if word != "<s>"]
    emit = np.random.default_rng(seed).normal(0, 1, (length, len(words)))
    hmm = rv.HMM(lm, [words] * length, list(emit), end=False)
    for ours, wanted in zip(never_forget(rv.ScorerModel(lm, words), emit), never_forget(hmm, None), strict=True):
        np.testing.assert_array_equal(ours.target, wanted.target)
        known = (ours.length > 0) | (np.arange(ours.C) == 0)  # not the root, into which nothing was merged
        np.testing.assert_array_equal(ours.score[known], wanted.score[known])


NETWORK = np.random.default_rng(7)
EMBEDDED, HIDDEN, OUT = (NETWORK.normal(0, 1, shape) for shape in ((6, 4), (12, 8), (8, 5)))


class Network:
    """A small network of five labels that sees the last three; its last embedding stands before the first label."""

    order = 4

    def score(self, contexts):
        hidden = np.tanh(EMBEDDED[contexts].reshape(len(contexts), -1) @ HIDDEN)
        logits = hidden @ OUT
        return logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)


def test_a_network_is_called_once_per_position():
    seen = []

    def recorded(contexts):
        seen.append(contexts)
        return Network().score(contexts)

    emit = np.random.default_rng(1).normal(0, 1, (6, 5))
    ours, _ = rv.rcms(rv.ScorerModel(recorded, "abcde", order=4), emit, 8)
    assert [contexts.shape[1] for contexts in seen] == [3] * 6 and seen[0].tolist() == [[BEFORE] * 3]
    assert all(len(np.unique(contexts, axis=0)) == len(contexts) <= 9 for contexts in seen)
    for i, contexts in enumerate(seen):  # nothing is forgotten
        assert ((contexts == BEFORE).sum(axis=1) == max(0, 3 - i)).all()
    other, _ = rv.rcms(rv.ScorerModel(Network(), "abcde"), emit, 8)
    np.testing.assert_array_equal(ours.score, other.score)


def test_large_calls_are_made_in_parts():
    emit = np.random.default_rng(1).normal(0, 1, (5, 5))
    whole, _ = rv.exact(rv.ScorerModel(Network(), "abcde"), emit)
    sizes = []

    def counted(contexts):
        sizes.append(len(contexts))
        return Network().score(contexts)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(scorer_scores, "AT_ONCE", 50)
        parts, _ = rv.exact(rv.ScorerModel(counted, "abcde", order=4), emit)
    assert max(sizes) == 10 and sum(sizes) == 1 + 5 + 25 + 125 + 125
    np.testing.assert_allclose(parts.score, whole.score, rtol=1e-12)


@problems_of(60)
@given(problems(may_tie=False), st.integers(1, 3), st.integers(1, 4))
def test_candidates_are_what_the_other_labels_being_impossible_is(problem, k, budget):
    table, emit = problem
    cut = rv.top_candidates(emit, k=k)
    masked = np.full(np.shape(emit), -np.inf)
    np.put_along_axis(masked, cut.choices, cut.log_scores, axis=1)

    class Some(Table):
        def score_some(self, contexts, labels):
            return self.score(contexts)[:, labels]

    some = Some(table.seed, table.width, table.order, table.ties)
    for builder in (rv.rcms, rv.beam):
        wanted = rv.posterior(builder(model_of(table), masked, budget)[0])
        for each in (table, some):
            found = rv.posterior(builder(model_of(each, candidates=cut), budget=budget)[0])
            np.testing.assert_allclose(found.log_z, wanted.log_z, **CLOSE)
            at = np.take_along_axis(wanted.label, np.maximum(cut.choices, 0), axis=1)
            np.testing.assert_allclose(found.label, np.where(cut.choices >= 0, at, 0.0), **CLOSE)


def test_labels_are_those_that_are_a_candidate_somewhere():
    cut = rv.top_candidates([[0.0, 0.0, 9.0, 1.0], [9.0, 0.0, 8.0, 0.0]], k=2)
    model = rv.ScorerModel(lambda contexts: np.zeros((len(contexts), 4)), "wxyz", 1, cut)
    lattice, trace = rv.rcms(model, budget=2)
    assert model.labels == ("w", "y", "z") and rv.viterbi(lattice).labels == ("y", "w")
    again, _ = rv.read_trace(trace.to_json())
    assert rv.log_z(again) == rv.log_z(lattice)


@problems_of(60)
@given(problems(may_tie=False), st.integers(1, 2))
def test_importance_weights_lead_back_to_the_scorer(problem, budget):
    """A draw weighs by the scorer itself over RCMS: summed over all outputs that is Z, whatever was merged."""
    table, emit = problem
    lattice, _ = rv.rcms(model_of(table), emit, budget)
    found = rv.importance(model_of(table), emit, budget, n=20, bound=0)
    for output, log_weight in zip(found.labels.tolist(), found.log_weight, strict=True):
        wanted = full_score(output, emit, table.after, table.order) - log_prob(lattice, output)
        np.testing.assert_allclose(log_weight, wanted, **CLOSE)
    outputs = list(product(range(table.width), repeat=len(emit)))
    assert np.isfinite([log_prob(lattice, output) for output in outputs]).all()
    exact = log_sum(full_score(output, emit, table.after, table.order) for output in outputs)
    bounded = rv.importance(model_of(table), emit, budget, n=200)
    np.testing.assert_allclose(rv.log_z(rv.exact(model_of(table), emit)[0]), exact, **CLOSE)
    assert bounded.log_upper >= exact - 1e-9


def test_outputs_impossible_after_the_heaviest_history_are_lost():
    """A scorer with −inf can lose outputs when histories are merged (docs/networks.md)."""

    def score(contexts):  # after a no b
        return np.where((contexts == 0) & (np.arange(2) == 1), -np.inf, 0.0)

    model, emit = rv.ScorerModel(score, "ab", order=2), [[0.5, 0.0], [0.0, 0.0], [0.0, 0.0]]
    lattice, _ = rv.rcms(model, emit, 1, forbid=[(1, ("a",)), (1, ("b",))])
    assert [lattice.name(c) for c in range(lattice.offset[1], lattice.offset[2])] == ["*"]
    assert rv.log_prob(lattice, "bba") == -math.inf < rv.log_prob(rv.exact(model, emit)[0], "bba")


def zeros(*shape):
    return lambda contexts: np.zeros(shape or (len(contexts), 2))


@pytest.mark.parametrize(
    ("scorer", "options", "fault"),
    [
        (3, {"order": 2}, "give a function"),
        (Network, {"order": 2}, "give a function"),
        (zeros(), {}, "order None: the labels that a score depends on"),
        (zeros(), {"order": 0}, "order 0"),
        (zeros(), {"order": 2, "labels": "a*"}, "reserved"),
        (zeros(1, 3), {"order": 2}, r"score: its answer has the shape \(1, 3\), expected \(1, 2\)"),
        (lambda contexts: [["x", "y"]], {"order": 2}, "expected an array of log scores"),
        (
            lambda contexts: np.full((len(contexts), 2), np.nan),
            {"order": 2},
            r"'a' after the context \[-1\] scores nan",
        ),
        (lambda contexts: [[0.0, np.inf]], {"order": 1}, r"'b' after the context \[\] scores inf"),
    ],
)
def test_an_invalid_scorer_is_named(scorer, options, fault):
    labels = options.pop("labels", "ab")
    with pytest.raises(ValueError, match=fault):
        rv.beam(rv.ScorerModel(scorer, labels, **options), [[0.0, 0.0]])


def test_candidates_bring_their_own_scores():
    cut = rv.top_candidates([[0.0, 1.0, 2.0]], k=2)
    model = rv.ScorerModel(zeros(), "abc", 2, cut)
    with pytest.raises(ValueError, match="leave out log_emit"):
        rv.rcms(model, [[0.0, 0.0, 0.0]])
    with pytest.raises(ValueError, match="the candidates have"):
        model.scores(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="2 labels for 3 columns"):
        rv.ScorerModel(zeros(), "ab", 2, cut)
    with pytest.raises(ValueError, match="log_emit is missing"):
        rv.rcms(rv.ScorerModel(zeros(), "ab", 2))
    with pytest.raises(ValueError, match="problem file"):
        rv.Problem(rv.ScorerModel(zeros(), "ab", 2), np.zeros((2, 2))).to_json()
    assert repr(model) == "<ScorerModel: 3 labels, order 2, 1 positions with candidates>"


def test_words_that_a_language_model_lacks():
    lm = rv.train_lm(["the cat sat"], order=2)
    with pytest.warns(UserWarning, match="'dog'"):
        lm.scorer(["the", "dog"])
    with pytest.raises(ValueError, match="'d' .*<unk>"):
        rv.LanguageModel.from_weights("ab", {}).scorer("ad")


def test_the_example_of_a_history_of_all_labels():
    """An order beyond the length is the whole history: ``last`` fills it up."""
    asked = []

    def score(contexts):
        asked.extend(map(tuple, contexts.tolist()))
        return np.zeros((len(contexts), 2))

    rv.beam(rv.ScorerModel(score, "ab", order=6), np.zeros((3, 2)), 10)
    assert set(asked) == {last(history, 5) for i in range(3) for history in product(range(2), repeat=i)}
