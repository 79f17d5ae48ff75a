"""Best-first search compared with its definition, Search(a, f), and with the best of all sequences."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain, search
from problems import ars
from problems.chain import log_emit_of, model_of, problems, problems_of
from problems.search import table_search
from rcmviz.kernels.ars.bounds import bound_of
from rcmviz.search.bounds import problem_of, rest_bounds
from rcmviz.search.trace import DROPPED, JOINED

SEEDS = st.integers(0, 10**9)
QUEUES = st.sampled_from([1, 2, 3, 5, 8, None])
CLOSE = {"rel": 1e-9, "abs": 1e-9}


def best_of(problem):
    """Return the log score of a chain problem's best output; −inf if none is possible."""
    machine = chain.Machine(problem, tuple(everything(problem)))
    return max((chain.log(path.weight) for path in machine.paths), default=-math.inf)


def everything(problem):
    """All histories, column by column."""
    columns = [frozenset({()})]
    for _ in range(problem.T - 1):
        columns.append(frozenset((*one, label) for one in columns[-1] for label in problem.labels))
    return columns


def searched(problem, bound_order=None, **options):
    """``(SequenceSearch, Search)`` of a chain problem."""
    asked = rv.SequenceSearch(model_of(problem), log_emit_of(problem), bound_order=bound_order)
    return asked, rv.search_best(asked, **options)


@problems_of(300)
@given(SEEDS, st.booleans(), QUEUES, st.integers(1, 3))
def test_it_pops_and_drops_what_the_notes_say(seed, fall, queue, k):
    problem = table_search(seed, fall)
    found = rv.search_best(problem, queue=queue, k=k)
    trace = found.trace
    names = [trace.hypotheses[n] for n in trace.pops]
    wanted, popped, lost = search.search(problem.steps, problem.score, problem.length, queue or math.inf, k)
    assert names == popped and [one.hypothesis for one in found.answers] == wanted
    dropped = [trace.hypotheses[n] for p in range(len(trace)) for n in trace.dropped(p)[::-1]]
    assert dropped == lost
    assert queue is None or trace.queue.max() <= queue


@problems_of(300)
@given(SEEDS, QUEUES)
def test_lost_hypotheses_are_reported(seed, queue):
    problem = table_search(seed, fall=True)
    found = rv.search_best(problem, queue=queue)
    best = search.best(problem.steps, problem.score, problem.length)
    answer = found.answers[0].score if found.answers else -math.inf
    lost = [found.trace.hypotheses[n] for n in range(len(found.trace.fate)) if found.trace.fate[n] == DROPPED]
    if answer < best:
        assert not found.proved
        beginnings = {
            whole[:size]
            for whole, score in problem.table.items()
            for size in range(1, len(whole) + 1)
            if len(whole) == problem.length and score == best
        }
        assert beginnings & set(lost)
        assert not found.answers or best <= answer + found.answers[0].gap
    else:
        assert queue is not None or found.proved == (best > -math.inf)


@problems_of(160)
@given(problems(max_length=4), st.integers(0, 4), st.booleans())
def test_astar_finds_the_best_and_proves_it(problem, bound_order, recombine):
    best = best_of(problem)
    _, found = searched(problem, min(bound_order, problem.order), recombine=recombine)
    if best == -math.inf:
        assert found.stopped == "empty" and not found.answers and not found.proved
        return
    assert found.best.score == pytest.approx(best, **CLOSE) and found.proved
    trace = found.trace
    assert (trace.rest[trace.pops] + trace.score[trace.pops] >= best - 1e-9 * (1 + abs(best))).all()


@problems_of(80)
@given(problems(zeros=False, max_length=5), st.integers(1, 4))
def test_the_k_best_fall_out_in_order(problem, k):
    _, found = searched(problem, 0, k=k)
    lattice, _ = rv.exact(model_of(problem), log_emit_of(problem))
    wanted = [path.log_score for path in rv.kbest(lattice, k)]
    assert [one.score for one in found.answers] == pytest.approx(wanted, **CLOSE)
    _, joined = searched(problem, 0, k=k, recombine=True)
    assert [one.score for one in joined.answers] == pytest.approx(wanted, **CLOSE)


@problems_of(200)
@given(problems())
def test_a_queue_of_one_is_greedy_search(problem):
    _, found = searched(problem, queue=1)
    lattice, _ = rv.greedy(model_of(problem), log_emit_of(problem))
    greedy = rv.log_z(lattice) > -math.inf and rv.viterbi(lattice).log_score
    assert (found.answers and found.best.score) == (pytest.approx(greedy, **CLOSE) if greedy is not False else ())


@problems_of(80)
@given(problems(zeros=False, max_length=5))
def test_the_whole_order_bounds_exactly(problem):
    asked, found = searched(problem, problem.order)
    assert asked.start().rest == pytest.approx(best_of(problem), **CLOSE)
    total = found.trace.total
    assert total[found.trace.pops] == pytest.approx([found.best.score] * len(found.trace), **CLOSE)


@problems_of(100)
@given(ars.problems(), st.integers(0, 3))
def test_an_hmm_is_searched_with_the_bounds_of_rejection(problem, bound_order):
    (lm, candidates, log_obs), options = ars.asked(problem)
    hmm = rv.HMM(lm, candidates, log_obs, **options)
    asked = rv.SequenceSearch(hmm, bound_order=min(bound_order, max(hmm.order - 1, 1)))
    found = rv.search_best(asked)
    assert found.best.score == pytest.approx(max(problem.log_p.values()), rel=1e-6, abs=1e-6) and found.proved
    if bound_order == 0:
        first, _ = rv.ars_decode(hmm, max_iterations=1)
        assert asked.start().rest >= first.log_bound - 1e-9
        assert asked.start().rest == pytest.approx(first_bound(problem), **CLOSE)


def first_bound(problem):
    """Return the sum over positions of the best candidate's score in ARS's first automaton, with look-ahead."""
    automaton = rv.ars_decode(*ars.asked(problem)[0], **ars.asked(problem)[1])[1].lattice(0)
    return rv.viterbi(automaton).log_score


@problems_of(60)
@given(ars.problems(), st.integers(1, 2))
def test_bounds_of_words_are_those_of_rejection_without_looking_at_all_words(problem, order):
    (lm, candidates, log_obs), options = ars.asked(problem)
    hmm = rv.HMM(lm, candidates, log_obs, **options)
    scores = hmm.scores(hmm.log_emit)
    found, widths = rest_bounds(scores, order), scores.widths.tolist()
    parts = problem_of(scores, True)
    for i in reversed(range(hmm.T)):
        known, ids = min(i, order), np.full(hmm.T + 1, lm.begin, np.int32)
        for c, context in enumerate(product(*(range(width) for width in widths[i - known : i]))):
            ids[i + 1 - known : i + 1] = [hmm.words[i - known + k, y] for k, y in enumerate(context)]
            ahead = found[i + 1][(c * widths[i] + np.arange(widths[i])) % len(found[i + 1])]
            arcs = [bound_of(parts, i, ids, known, word) for word in hmm.words[i, : widths[i]]]
            wanted = np.array(arcs) / hmm.temperature + scores.log_emit[i, : widths[i]] + ahead
            assert found[i][c] == pytest.approx(wanted.max(), rel=1e-12)


@problems_of(100)
@given(problems(zeros=False))
def test_equal_contexts_are_joined(problem):
    _, found = searched(problem, recombine=True)
    trace = found.trace
    for n in range(len(trace.fate)):
        if trace.fate[n] == JOINED:
            kept = trace.into[n]
            same = trace.hypotheses[n].labels[-problem.order :] == trace.hypotheses[kept].labels[-problem.order :]
            assert same and trace.depth[n] == trace.depth[kept] and trace.score[kept] >= trace.score[n]


class Endless:
    """Never complete: longer and longer."""

    never_rises = True
    start, extend = staticmethod(lambda: 0), staticmethod(lambda n: [n + 1])
    complete, score = staticmethod(lambda n: False), staticmethod(lambda n: -float(n))


def test_an_endless_search_is_stopped_with_its_progress():
    found = rv.search_best(Endless(), most=50)
    assert found.stopped == "pops" and len(found.trace) == 50
    with pytest.raises(ValueError, match="50 pops .* 50 steps"):
        _ = found.best


def test_extensions_without_end_are_stopped(monkeypatch):
    monkeypatch.setattr("rcmviz.search.engine.MOST_HYPOTHESES", 1000)
    endless = Endless()
    endless.extend = lambda n: iter(int, 1)
    found = rv.search_best(endless)
    assert found.stopped == "hypotheses" and "1,000 hypotheses" in found.why


def test_a_promise_that_is_broken_is_reported():
    problem = table_search(3, fall=False)
    problem.never_rises, problem.table = True, problem.table | {(0,): 5.0}
    found = rv.search_best(problem)
    assert not found.proved and "rose at '(0,)'" in found.why


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queue": 0}, "queue 0: how many hypotheses may wait, 1 or more"),
        ({"queue": 2.5}, "queue 2.5"),
        ({"k": 0}, "k 0: a whole number, 1 or more"),
        ({"most": 0}, "most 0: pops to stop after"),
        ({"recombine": 1}, "recombine 1: True or False"),
        ({"recombine": True}, "no method context"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rv.search_best(table_search(1, fall=True), **options)


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_invalid_scores_are_refused(score):
    problem = table_search(1, fall=True)
    problem.table[0,] = score
    with pytest.raises(ValueError, match=r"the score of '\(0,\)' is (nan|inf)"):
        rv.search_best(problem)


def test_a_problem_without_a_method_is_refused():
    with pytest.raises(ValueError, match="'start'"):
        rv.search_best(object())
    with pytest.raises(ValueError, match="bound_order 9: .*0 to 1"):
        rv.SequenceSearch(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]], bound_order=9)


@problems_of(60)
@given(problems(), QUEUES, st.sampled_from([1, 3, 99]))
def test_the_trace_as_json_is_whole(problem, queue, most_listed):
    _, found = searched(problem, 0, queue=queue)
    trace = found.trace
    document = json.loads(json.dumps(trace.to_dict(most_listed)))
    nodes, pops = document["nodes"], document["pops"]
    assert [pop["queue"] for pop in pops] == trace.queue.tolist()
    steps = [nodes["step"][pop["node"]] for pop in pops]
    assert steps == [trace.step(n) for n in trace.pops]
    for p, pop in enumerate(pops):
        assert all(nodes["parent"][one] == pop["node"] for one in pop["extensions"])
        assert len(pop["dropped"]) == min(pop["lost"], most_listed) == min(len(trace.dropped(p)), most_listed)
        assert all(nodes["fate"][one] == "dropped" and nodes["at"][one] == p for one in pop["dropped"])
    assert len(document["answers"]) == len(found.answers)
