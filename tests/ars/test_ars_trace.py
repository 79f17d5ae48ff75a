"""The trace of adaptive rejection: the automaton of every round, the numbers of every trial, queries on q."""

import math
import random

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from oracles.ars import all_q, bounds_below, log_sum, slack, violations
from oracles.ngrams import suffixes
from problems.ars import SEEDS, WAYS, best_of, columns_of, draws_of, problems, random_problem
from problems.chain import problems_of

FALLS = 1e-9  # q may rise by this through rounding
MOST_ROUNDS = 200  # no problem here takes a tenth of them


def traced(problem, seed, n=12):
    """Return (trace, options) of decoding or sampling with random options."""
    rng = random.Random(seed)
    options = rng.choice(WAYS)
    if rng.random() < 0.5:
        _, trace = best_of(problem, max_iterations=MOST_ROUNDS, **options)
        assert len(trace.accepted) < MOST_ROUNDS, "refining leads nowhere"
        return trace, options
    return draws_of(problem, n=n, seed=seed, batch=rng.choice([1, 4, 50]), **options)[1], options


@problems_of(120)
@given(problems(max_length=4), SEEDS)
def test_every_automaton_keeps_the_invariants(problem, seed):
    """I1–I5 after the refinements of every trial, and no edge below the truth."""
    trace, options = traced(problem, seed)
    for trials in range(len(trace.accepted) + 1):
        columns = columns_of(trace.lattice(trials))
        assert violations(columns, problem, options["look_ahead"]) == []
        assert bounds_below(columns, problem) == []


@problems_of(150)
@given(problems(max_length=4), SEEDS)
def test_q_is_above_p_and_falls_onto_it(problem, seed):
    """On every sequence and with every trial, as does its mass, the upper bound on log Z."""
    trace, _ = traced(problem, seed)
    before = None
    for trials in range(len(trace.accepted) + 1):
        q = all_q(columns_of(trace.lattice(trials)))
        assert all(q.get(words, -math.inf) >= score - slack(score) for words, score in problem.log_p.items())
        assert before is None or all(score <= before.get(words, -math.inf) + FALLS for words, score in q.items())
        before = q
    assert np.all(np.diff(trace.log_mass) <= FALLS)
    assert np.all(trace.log_mass >= problem.log_z - slack(problem.log_z))


def automaton_used(trace, trial):
    """Return the lattice that a trial was drawn from: q before its batch."""
    return trace.lattice(int(np.flatnonzero(trace.batch == trace.batch[trial])[0]))


@problems_of(100)
@given(problems(), SEEDS)
def test_the_numbers_of_a_trial(problem, seed):
    """Path, order, bound and truth of every edge, and their sums, as the automaton at the time had them."""
    trace, options = traced(problem, seed)
    for r in range(len(trace.accepted)):
        lattice = automaton_used(trace, r)
        words = tuple(lattice.name_of(i, y) for i, y in enumerate(trace.path[r]))
        q = all_q(columns_of(lattice))
        assert trace.words(r) == problem.spoken(words) and problem.written(trace.words(r)) == words
        assert trace.log_q[r] == pytest.approx(q[words], abs=slack(q[words]))
        assert trace.log_mass[r] == pytest.approx(log_sum(list(q.values())), abs=1e-6)
        log_p = problem.log_p.get(words, -math.inf)
        assert trace.log_p[r] == pytest.approx(log_p, abs=slack(log_p))
        log_obs = [problem.positions[i][word] for i, word in enumerate(words)]
        assert sum(log_obs) + trace.log_bound[r].sum() == pytest.approx(trace.log_q[r], rel=1e-9, abs=1e-9)
        for i in range(trace.T):
            check_edge(problem, trace, r, i, words, options["look_ahead"])


def check_edge(problem, trace, r, i, words, look_ahead):
    """One edge of a trial: the truth, the claim, and that the claim is that of its order.

    An order does not count ``<s>``, which comes with a history that is complete.
    """
    truth = problem.log_lm(words[i], words[:i])
    assert trace.log_prob[r, i] == pytest.approx(truth, abs=slack(truth))
    assert trace.log_prob[r, i] <= trace.log_bound[r, i] + 1e-9
    order, highest = int(trace.order[r, i]), min(problem.table.order, i + 1)
    assert 1 <= order <= highest
    claim = problem.bound(words[i], words[:i], order + (order == i + 1))
    if not look_ahead or order == highest:
        assert trace.log_bound[r, i] == pytest.approx(claim, abs=slack(claim))
    assert trace.log_bound[r, i] <= claim + slack(claim)
    if order == highest:
        assert claim == pytest.approx(truth, abs=slack(truth)), "nothing more could be known"


@problems_of(200)
@given(problems(), SEEDS)
def test_rounds_of_decoding(problem, seed):
    """Each round tries the best path of q, until none is above the best that was found: mostly the path just tried."""
    best, trace = best_of(problem, **random.Random(seed).choice(WAYS))
    rounds = len(trace.accepted)
    assert not np.any(trace.accepted[:-1])
    assert trace.batch.tolist() == list(range(rounds))
    assert np.all(np.diff(trace.log_q) <= FALLS)
    assert trace.log_q[-1] == pytest.approx(best.log_score)
    assert best.words in map(trace.words, np.flatnonzero(trace.log_p == trace.log_p.max()))
    assert not trace.accepted[-1] or trace.log_p[-1] == pytest.approx(trace.log_q[-1])
    for r in range(rounds):
        highest = max(all_q(columns_of(trace.lattice(r))).values())
        assert trace.log_q[r] == pytest.approx(highest, abs=slack(highest))


@problems_of(200)
@given(problems(), SEEDS)
def test_refinements_and_new_contexts_are_counted(problem, seed):
    """An accepted trial refines nothing; contexts are born by trials that refine; states and edges add up."""
    trace, _ = traced(problem, seed)
    trials = len(trace.accepted)
    assert not np.any(trace.refined & trace.accepted)
    assert set(trace.born.tolist()) <= {-1, *np.flatnonzero(trace.refined)}
    assert trace.ngrams.shape == (trials, problem.table.order)
    assert np.all(np.diff(trace.states) >= 0) and np.all(np.diff(trace.ngrams, axis=0) >= 0)
    before = columns_of(trace.lattice(0))
    for r in range(trials):
        after = columns_of(trace.lattice(r + 1))
        assert sum(map(len, after)) == np.sum(trace.born <= r) == trace.states[r]
        assert trace.refined[r] or after == before
        edges = sum(len(row) for column in after for row in column.values())
        assert lowered(after) <= trace.ngrams[r].sum() <= edges
        assert trace.ngrams[r, 0] == sum(map(len, problem.positions))
        before = after


def lowered(columns):
    """Count the edges whose weight differs from their suffix's: each is a separate n-gram."""
    return sum(
        not context or gain != column[context[1:]][word][1]
        for column in columns
        for context, edges in column.items()
        for word, (_, gain) in edges.items()
    )


@problems_of(150)
@given(problems(), SEEDS)
def test_the_contexts_are_those_of_the_last_lattice(problem, seed):
    trace, _ = traced(problem, seed)
    lattice = trace.lattice()
    assert columns_of(lattice) == columns_of(trace.lattice(len(trace.accepted)))
    for name in ("length", "label", "origin", "parent"):
        np.testing.assert_array_equal(getattr(trace, name), getattr(lattice, name))
    assert trace.column.tolist() == [lattice.column_of(c) for c in range(lattice.C)]
    for c in range(lattice.C):
        context = lattice.context(c)
        assert [lattice.context(above) for above in lattice.ancestors(c)] == list(suffixes(context))[1:]


@problems_of(150)
@given(problems(), SEEDS)
def test_running_numbers(problem, seed):
    """AR-100 and the lower bound on log Z, by their definitions."""
    trace, _ = traced(problem, seed, n=40)
    trials = len(trace.accepted)
    for last in (1, 7, 100):
        expected = [trace.accepted[max(0, r + 1 - last) : r + 1].mean() for r in range(trials)]
        np.testing.assert_allclose(trace.acceptance_running(last), expected)
    for r in range(trials):
        found = {trace.words(k): trace.log_p[k] for k in range(r + 1)}
        assert trace.log_found[r] == pytest.approx(log_sum(list(found.values())), abs=1e-9)
        assert trace.log_found[r] <= problem.log_z + slack(problem.log_z)
    with pytest.raises(ValueError, match="0"):
        trace.acceptance_running(0)


@problems_of(150)
@given(problems(), SEEDS)
def test_the_largest_slack_is_where_q_was_furthest_above_the_truth(problem, seed):
    trace, _ = traced(problem, seed)
    for r in range(len(trace.accepted)):
        excess = np.maximum(trace.log_bound[r] - trace.log_prob[r], 0)
        furthest = trace.worst(r)
        if furthest is None:
            assert np.all(excess < 1e-6)
        else:
            assert excess[furthest] == excess.max() > 0 and furthest == trace.T - 1 - np.argmax(excess[::-1])


@problems_of(250)
@given(problems(max_length=4), SEEDS)
def test_queries_of_q_equal_enumeration(problem, seed):
    """Mass, marginals, entropy, the best paths and pattern masses of q, by the queries that all lattices share."""
    trace, _ = traced(problem, seed)
    lattice = trace.lattice(random.Random(seed).randint(0, len(trace.accepted)))
    q = all_q(columns_of(lattice))
    log_z = log_sum(list(q.values()))
    shares = {words: math.exp(score - log_z) for words, score in q.items()}
    post = rv.posterior(lattice)
    assert rv.log_z(lattice) == pytest.approx(log_z, abs=1e-6)
    assert post.entropy == pytest.approx(-sum(p * math.log(p) for p in shares.values() if p > 0), abs=1e-6)
    for i, row in enumerate(problem.positions):
        marginals = [sum(p for words, p in shares.items() if words[i] == word) for word in row]
        np.testing.assert_allclose(post.label[i, : len(row)], marginals, atol=1e-9)
        assert not post.label[i, len(row) :].any()
    ranked = sorted(q.values(), reverse=True)
    assert rv.viterbi(lattice).log_score == pytest.approx(ranked[0], abs=1e-9)
    assert [path.log_score for path in rv.kbest(lattice, 5)] == pytest.approx(ranked[:5], abs=1e-9)
    first = random.Random(seed).choice(list(q))[0]
    expected = sum(p for words, p in shares.items() if words[0] == first)
    assert rv.mass(lattice, (first, "*")) == pytest.approx(expected, abs=1e-9)


def test_draws_of_a_frozen_q_are_draws_of_q():
    """``rv.sample`` on the lattice of the trace: shares as ``exp(log q)`` says."""
    problem = random_problem(random.Random(8), 60)
    lattice = best_of(problem)[1].lattice(0)
    q = all_q(columns_of(lattice))
    log_z = log_sum(list(q.values()))
    draws = rv.sample(lattice, n=20_000, seed=1)
    named = [tuple(lattice.name_of(i, y) for i, y in enumerate(row)) for row in draws.labels]
    for words, score in q.items():
        share = math.exp(score - log_z)
        assert abs(named.count(words) / 20_000 - share) < 4.5 * math.sqrt(share / 20_000) + 1e-3


def test_rounds_out_of_range_are_refused():
    _, trace = best_of(random_problem(random.Random(4), 20))
    for trials in (-1, len(trace.accepted) + 1):
        with pytest.raises(ValueError, match=str(trials)):
            trace.lattice(trials)


def test_settings_are_recorded():
    problem = random_problem(random.Random(4), 20)
    _, trace = best_of(problem, strategy="worst", look_ahead=False)
    expected = {"method": "ars", "mode": "decode", "strategy": "worst", "look_ahead": False}
    assert expected.items() <= trace.settings.items()
    _, trace = draws_of(problem, n=3, seed=5, batch=7)
    expected = {"method": "ars", "mode": "sample", "strategy": "sweep", "look_ahead": True, "batch": 7, "seed": 5}
    assert expected.items() <= trace.settings.items()
    assert trace.settings["temperature"] == problem.temperature


def test_nothing_of_a_trace_can_be_changed():
    _, trace = best_of(random_problem(random.Random(4), 20))
    arrays = [value for value in vars(trace).values() if isinstance(value, np.ndarray)]
    assert len(arrays) >= 15 and not any(array.flags.writeable for array in arrays)
