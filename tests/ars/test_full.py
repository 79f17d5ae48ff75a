"""Viterbi on the full automaton: the best sequence with and without shared look-ups, and the automaton's size."""

import math
from itertools import product

import pytest
from hypothesis import given, settings

import rcmviz as rv
from problems.ars import asked, best_of, problems
from rcmviz.experiments import full
from rcmviz.experiments.full import count_arcs, full_viterbi


def hmm_of(problem):
    """A random problem as the engine's HMM."""
    arguments, options = asked(problem)
    return rv.HMM(*arguments, **options)


@pytest.mark.parametrize("shared", [True, False])
@given(problem=problems())
@settings(max_examples=150, deadline=None)
def test_it_finds_the_best_of_all_sequences(shared, problem):
    words, log_score = full_viterbi(hmm_of(problem), shared)
    tolerance = 1e-5 * max(1.0, abs(problem.best))  # the engine keeps logs in single precision
    assert log_score == pytest.approx(problem.best, abs=tolerance)
    assert problem.log_p[problem.written(words)] == pytest.approx(problem.best, abs=tolerance)


@given(problem=problems())
@settings(max_examples=100, deadline=None)
def test_adaptive_rejection_finds_no_other_score(problem):
    best, _ = best_of(problem)
    assert full_viterbi(hmm_of(problem))[1] == pytest.approx(best.log_score, abs=1e-9)


@given(problem=problems())
@settings(max_examples=100, deadline=None)
def test_shared_look_ups_are_look_ups(problem):
    hmm = hmm_of(problem)
    assert full_viterbi(hmm, True) == full_viterbi(hmm, False)


@given(problem=problems())
@settings(max_examples=50, deadline=None)
def test_an_arc_is_an_ngram_of_candidates(problem):
    hmm = hmm_of(problem)
    columns = [[0], *(range(int((words >= 0).sum())) for words in hmm.words)]
    for order in range(1, 5):
        ngrams = [set(product(*columns[max(0, i + 1 - order) : i + 1])) for i in range(1, len(columns))]
        assert count_arcs(hmm, order) == sum(map(len, ngrams))


def small(length=3):
    lm = rv.train_lm(["a b c", "b a", "c c a"], order=3, cutoffs=(0,))
    return rv.HMM(lm, [["a", "b", "c"]] * length, [[0.0, 0.0, 0.0]] * length)


def test_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(full, "MOST_STATES", 10)
    with pytest.raises(ValueError, match="25 states, .*10: use ARS"):
        full_viterbi(small())  # <s>; 3 first words; 9 and 9 pairs; 3 words before </s>


def test_a_sequence_that_cannot_be_is_refused():
    hmm = small()
    nothing = rv.HMM(hmm.lm, hmm.candidates, [[-math.inf] * 3] * 3)
    with pytest.raises(ValueError, match="positive probability"):
        full_viterbi(nothing)
