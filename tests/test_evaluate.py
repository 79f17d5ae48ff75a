"""Evaluation: recall at a precision against its definition, standard errors, and bulk against one word at a time."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from rcmviz.evaluate import (
    METHODS,
    Method,
    area_under_precision,
    evaluate_handwriting,
    precision_curve,
    ratio_error,
    recall_at_precision,
    recall_error,
    score,
    standard_error,
)
from rcmviz.problem import problem_from_word
from rcmviz.tasks.pen import pen_words
from rcmviz.verdict import contexts_along, judge, lost_at

ANSWERS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=9)


def recall_by_definition(answers, precision):
    """Try every threshold: answer all at least as sure."""
    best = 0.0
    for threshold in {sure for sure, _ in answers}:
        given_ = [right for sure, right in answers if sure >= threshold]
        if sum(given_) >= precision * len(given_):
            best = max(best, len(given_) / len(answers))
    return best


@settings(max_examples=300, deadline=None)
@given(ANSWERS, st.sampled_from([0.5, 0.75, 0.95, 1.0]), st.randoms(use_true_random=False))
def test_recall_is_the_best_threshold_whatever_the_order_of_ties(answers, precision, random):
    random.shuffle(answers)
    confidence, correct = np.array(answers, dtype=float).T
    assert recall_at_precision(confidence, correct, precision) == pytest.approx(
        recall_by_definition(answers, precision)
    )


def test_recall_can_rise_again_after_a_mistake():
    correct = np.array([True, False] + [True] * 98)
    confidence = np.linspace(1, 0, 100)
    assert recall_at_precision(confidence, correct, 0.99) == 1.0
    assert recall_at_precision(confidence, correct, 0.995) == 0.01
    assert recall_at_precision(confidence, ~correct, 0.99) == 0.0


def test_a_tie_is_answered_as_a_whole():
    answered, precision = precision_curve(np.array([0.9, 0.5, 0.5, 0.5]), np.array([1, 1, 1, 0]))
    np.testing.assert_allclose(answered, [0.25, 1.0])
    np.testing.assert_allclose(precision, [1.0, 0.75])
    # the two right answers of the tie cannot be had without the wrong one
    assert recall_at_precision(np.array([0.9, 0.5, 0.5, 0.5]), np.array([1, 1, 1, 0]), 0.99) == 0.25


def test_area_is_the_mean_precision():
    assert area_under_precision(np.array([3.0, 2.0, 1.0]), np.array([1, 1, 1])) == pytest.approx(1.0)
    assert area_under_precision(np.array([3.0, 2.0, 1.0]), np.array([1, 0, 1])) == pytest.approx(
        (1 + 1 / 2 + 2 / 3) / 3
    )
    assert area_under_precision(np.ones(4), np.array([1, 0, 0, 0])) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("confidence", "correct", "message"),
    [([], [], "0 confidences for 0 answers"), ([1.0], [1, 0], "1 confidences for 2"), ([np.nan], [1], "is NaN")],
)
def test_a_curve_needs_a_confidence_for_each_answer(confidence, correct, message):
    with pytest.raises(ValueError, match=message):
        precision_curve(np.array(confidence), np.array(correct))


def test_standard_errors():
    assert standard_error(np.array([1, 1, 1, 0])) == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    # words of one letter each: the ratio is a mean
    parts = np.array([1, 1, 1, 0])
    assert ratio_error(parts, np.ones(4)) == pytest.approx(standard_error(parts))
    # letters of a word stand or fall together: the error is that of the words, not of the letters
    assert ratio_error(5 * parts, np.full(4, 5)) == pytest.approx(standard_error(parts))


def test_the_bootstrap_is_seeded_and_near_the_truth():
    random = np.random.default_rng(0)
    confidence, correct = random.random(400), random.random(400) < 0.9
    first = recall_error(confidence, correct, 0.9, seed=3)
    assert first == recall_error(confidence, correct, 0.9, seed=3)
    assert recall_error(confidence, np.ones(400, dtype=bool), 0.9) == 0.0
    draws = []
    for _ in range(200):
        draws.append(recall_at_precision(random.random(400), random.random(400) < 0.9, 0.9))
    assert 0.5 < first / np.std(draws) < 2


def test_a_score_counts_words_and_letters():
    golds = [np.array([0, 1]), np.array([2]), np.array([0, 0, 0])]
    decoded = [np.array([0, 1]), np.array([1]), np.array([0, 0, 1])]
    row = score("x", decoded, golds, np.array([0.9, 0.2, 0.4]), mean_length=2.0, seconds=0.5)
    assert (row.words, row.word_accuracy, row.letter_accuracy) == (3, pytest.approx(1 / 3), pytest.approx(4 / 6))
    assert (row.recall_99, row.mean_confidence, row.words_per_second) == (pytest.approx(1 / 3), pytest.approx(0.5), 6.0)
    assert row.to_dict()["name"] == "x"
    with pytest.raises(ValueError, match="zip"):
        score("x", decoded[:2], golds, np.ones(3), 0.0, 1.0)


@pytest.fixture(scope="module")
def model():
    return rv.load_model("handwriting-pen")


@pytest.fixture(scope="module")
def words():
    return pen_words(25, seed=11)


def test_the_table_agrees_with_one_word_at_a_time(model, words):
    methods = (
        Method("RCMS 4", "rcms", 4),
        Method("beam 4", "beam", 4),
        Method("exact", "exact"),
        Method("two", passes=2),
    )
    rows = evaluate_handwriting(model, words, methods)
    assert [row.name for row in rows] == ["RCMS 4", "beam 4", "exact", "two"]
    for row, method in zip(rows, methods, strict=True):
        options = {"passes": 2} if method.passes == 2 else {}
        problems = [problem_from_word(model, word) for word in words]
        paths = [rv.viterbi(problem.run(method.method, method.budget, **options)[0]) for problem in problems]
        right = [path.labels == problem.gold for path, problem in zip(paths, problems, strict=True)]
        assert row.word_accuracy == pytest.approx(np.mean(right))
        assert row.mean_confidence == pytest.approx(np.mean([np.exp(path.log_prob) for path in paths]), abs=1e-4)
        assert row.words == len(words)
        assert row.words_per_second > 0


def test_the_methods_of_the_paper_are_the_default():
    assert [(one.method, one.budget) for one in METHODS[:3]] == [("rcms", 10), ("beam", 10), ("beam", 200)]
    assert METHODS[3].method == "exact"


def test_words_that_cannot_be_evaluated(model):
    with pytest.raises(ValueError, match="no words to evaluate"):
        evaluate_handwriting(model, [])
    abc = rv.NgramModel.from_windows("abc", 1, {}, emission=np.zeros((33, 3)), info={"grid": "8x4"})
    with pytest.raises(ValueError, match="which the model does not know"):
        evaluate_handwriting(abc, pen_words(3, seed=0))


def random_lattices(method, budget, seed):
    random = np.random.default_rng(seed)
    windows = {(a, b, y): random.normal() for a, b, y in itertools.product("abc", repeat=3)}
    model = rv.NgramModel.from_windows("abc", 2, windows)
    return rv.beam(model, random.normal(size=(4, 3)), budget)[0] if method == "beam" else rv.rcms(
        model, random.normal(size=(4, 3)), budget
    )[0]  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_beam_search_loses_an_output_where_its_prefix_is_no_context(seed):
    lattice = random_lattices("beam", 2, seed)
    known = [{lattice.context(c) for c in range(*lattice.column(i).indices(lattice.C))} for i in range(4)]
    lost = []
    for labels in itertools.product("abc", repeat=4):
        fallen = (
            i for i in range(1, 5) if (labels[:i] not in known[i] if i < 4 else rv.log_prob(lattice, labels) == -np.inf)
        )
        lost.append(lost_at(lattice, labels))
        assert lost[-1] == next(fallen, None)
        carriers = contexts_along(lattice, labels)
        assert [c is None for c in carriers] == [lost[-1] is not None and i >= lost[-1] for i in range(5)]
    assert set(lost) == {1, 2, 3, None}, "the last label is never selected"


@pytest.mark.parametrize("seed", range(5))
def test_rcms_loses_nothing_and_carries_each_output_in_a_suffix_of_it(seed):
    lattice = random_lattices("rcms", 2, seed)
    for labels in itertools.product("abc", repeat=4):
        assert lost_at(lattice, labels) is None
        for i, c in enumerate(contexts_along(lattice, labels)[:4]):
            column = {lattice.context(k) for k in range(*lattice.column(i).indices(lattice.C))}
            assert lattice.context(c) == max((s for s in column if s == labels[i - len(s) : i]), key=len)


def test_an_impossible_emission_loses_an_output_for_every_method():
    model = rv.NgramModel.from_windows("ab", 1, {})
    lattice, _ = rv.rcms(model, [[0.0, 0.0], [0.0, -np.inf], [0.0, 0.0]], 9)
    assert [lost_at(lattice, labels) for labels in ("aaa", "aba", "bbb")] == [None, 2, 2]


def test_a_verdict_names_rank_probability_and_loss():
    lattice = random_lattices("beam", 1, seed=2)
    outputs = sorted(
        ((rv.log_prob(lattice, labels), labels) for labels in itertools.product("abc", repeat=4)), reverse=True
    )
    kept = [labels for log_prob, labels in outputs if log_prob > -np.inf]
    second = judge("beam 1", lattice, kept[1])
    assert (second.decoded, second.gold_rank, second.lost_at) == (kept[0], 2, None)
    assert second.gold_probability == pytest.approx(np.exp(outputs[1][0]))
    assert second.confidence == pytest.approx(np.exp(outputs[0][0]))
    assert [labels for labels, _ in second.top] == kept[:5]
    assert second.log_z == pytest.approx(rv.log_z(lattice))
    missed = judge("beam 1", lattice, outputs[-1][1])
    assert (missed.gold_probability, missed.gold_rank) == (0.0, None)
    assert missed.lost_at is not None
    bare = judge("beam 1", lattice, top=2)
    assert (bare.gold, bare.gold_rank, len(bare.top)) == (None, None, 2)
