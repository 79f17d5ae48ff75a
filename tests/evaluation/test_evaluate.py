"""Evaluation: batches and single words, unknown gold labels, folds, and where the gold output is lost."""

import itertools

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.inference.verdict import contexts_along, judge, lost_at
from rcmviz.evaluation.evaluate import METHODS, Answers, Method, answer, evaluate_sequences, score
from rcmviz.learn.cross_validation import FoldScore, evaluate_folds, mean_and_sd
from rcmviz.sequences.table import UNKNOWN, Sequences
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.tasks.handwriting.problems import evaluate_handwriting, problem_from_word


def answers_of(decoded, gold, confidence, seconds=0.5):
    return Answers("x", tuple(map(np.array, decoded)), tuple(map(np.array, gold)), np.array(confidence), 2.0, seconds)


def test_a_score_counts_sequences_and_labels():
    gold = [[0, 1], [2], [0, 0, 0]]
    row = score(answers_of([[0, 1], [1], [0, 0, 1]], gold, [0.9, 0.2, 0.4]))
    assert (row.sequences, row.accuracy, row.label_accuracy) == (3, pytest.approx(1 / 3), pytest.approx(4 / 6))
    assert (row.recall_99, row.mean_confidence) == (pytest.approx(1 / 3), pytest.approx(0.5))
    assert row.sequences_per_second == 6.0
    assert row.to_dict()["name"] == "x"
    for name, (low, high) in row.intervals.items():
        assert low <= getattr(row, name) <= high, name
    with pytest.raises(ValueError, match="zip"):
        score(answers_of([[0, 1], [1]], gold, [1.0, 1.0, 1.0]))


def test_a_position_whose_gold_is_unknown_is_wrong():
    row = score(answers_of([[0, 1], [1, 1]], [[0, UNKNOWN], [1, 1]], [0.9, 0.8]))
    assert (row.accuracy, row.label_accuracy) == (0.5, 0.75)
    assert score(answers_of([[UNKNOWN]], [[UNKNOWN]], [0.9])).accuracy == 0.0


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
        Method("queue 4", "bestfirst", 4),
        Method("A*", "astar"),
    )
    rows = evaluate_handwriting(model, words, methods)
    assert [row.name for row in rows] == ["RCMS 4", "beam 4", "exact", "two", "queue 4", "A*"]
    for row, method in zip(rows, methods, strict=True):
        options = {"passes": 2} if method.passes == 2 else {}
        problems = [problem_from_word(model, word) for word in words]
        paths = [rv.viterbi(problem.run(method.method, method.budget, **options)[0]) for problem in problems]
        right = [path.labels == problem.gold for path, problem in zip(paths, problems, strict=True)]
        assert row.accuracy == pytest.approx(np.mean(right))
        assert row.mean_confidence == pytest.approx(np.mean([np.exp(path.log_prob) for path in paths]), abs=1e-4)
        assert row.sequences == len(words)
        assert row.sequences_per_second > 0
    halves = np.mean([len(word.letters) / 2 for word in words])  # a search keeps whole histories
    assert [row.mean_length for row in rows[4:]] == pytest.approx([halves, halves])


def coloured(number=60, seed=0):
    """Sequences that are no handwriting: two labels that tend to alternate, three noisy features."""
    random = np.random.default_rng(seed)
    gold = [(random.integers(2) + np.arange(random.integers(2, 6))) % 2 for _ in range(number)]
    features = [np.eye(3)[y + random.integers(2, size=len(y))] for y in gold]
    colours = [np.array(["red", "blue"])[y].tolist() for y in gold]
    return Sequences.from_arrays(features, colours, ("red", "blue"))


def test_any_sequences_are_evaluated_and_labels_must_be_the_models():
    data = coloured()
    trainer = rv.Trainer(data, rv.Training(order=1, budget=2, epochs=3))
    while not trainer.done:
        trainer.advance()
    model = trainer.model()
    (row,) = evaluate_sequences(model, data, [Method("RCMS 2", budget=2)])
    decoded = [rv.viterbi(rv.rcms(model, logs, 2)[0]).indices for logs in data.log_emits(model.emission)]
    right = [tuple(found) == tuple(gold) for found, gold in zip(decoded, data.golds(), strict=True)]
    assert 0.5 < row.accuracy == pytest.approx(np.mean(right))
    (answers,) = answer(model, data.take([3, 5]), [Method("RCMS 2", budget=2)])
    assert answers.lengths.tolist() == [len(data.golds()[3]), len(data.golds()[5])]
    swapped = rv.NgramModel.from_windows(("blue", "red"), 1, {}, emission=np.zeros((4, 2)))
    with pytest.raises(ValueError, match="labels=model.labels"):
        evaluate_sequences(swapped, data)
    with pytest.raises(ValueError, match="no emissions"):
        evaluate_sequences(rv.NgramModel.from_windows(("red", "blue"), 1, {}), data)


def test_the_methods_of_the_paper_are_the_default():
    assert [(one.method, one.budget) for one in METHODS[:3]] == [("rcms", 10), ("beam", 10), ("beam", 200)]
    assert METHODS[3].method == "exact"


def test_words_that_cannot_be_evaluated(model):
    with pytest.raises(ValueError, match="at least one"):
        evaluate_handwriting(model, [])
    abc = rv.NgramModel.from_windows("abc", 1, {}, emission=np.zeros((33, 3)), info={"grid": "8x4"})
    with pytest.raises(ValueError, match="does not know"):
        evaluate_handwriting(abc, pen_words(3, seed=0))
    with pytest.raises(ValueError, match="does not read handwriting"):
        evaluate_handwriting(rv.NgramModel.from_windows("abc", 1, {}), pen_words(3, seed=0))


def test_words_as_sequences_have_the_emissions_of_each_word(model, words):
    data = word_sequences(words)
    for word, logs, gold in zip(words, data.log_emits(model.emission), data.golds(), strict=True):
        np.testing.assert_allclose(logs, problem_from_word(model, word).log_emit, atol=1e-4)
        assert "".join(data.labels[y] for y in gold) == word.letters


SMALL = rv.Training(order=1, budget=2, epochs=1)


def test_every_fold_is_tested_by_a_model_that_never_saw_it():
    data, folds = coloured(30), np.arange(30) % 3 - 1
    rows = list(evaluate_folds(data, SMALL, [Method("RCMS 2", budget=2)], folds=folds))
    assert [row.fold for row in rows] == [0, 1], "-1 is only trained on"
    for row in rows:
        trainer = rv.Trainer(data.take(np.flatnonzero(folds != row.fold)), SMALL)
        trainer.advance()
        (by_hand,) = evaluate_sequences(
            trainer.model(), data.take(np.flatnonzero(folds == row.fold)), [Method("RCMS 2", budget=2)]
        )
        assert (row.score.accuracy, row.score.area, row.score.sequences) == (by_hand.accuracy, by_hand.area, 10)


def test_folds_are_drawn_by_a_seed_and_summed_up():
    methods = (Method("RCMS 2", budget=2), Method("beam 1", "beam", 1))
    rows = list(evaluate_folds(coloured(31), SMALL, methods, folds=4, seed=2))
    again = list(evaluate_folds(coloured(31), SMALL, methods, folds=4, seed=2))
    assert [row.score.accuracy for row in rows] == [row.score.accuracy for row in again]
    assert sorted(row.score.sequences for row in rows[::2]) == [7, 8, 8, 8]
    summary = mean_and_sd(rows)
    accuracies = [row.score.accuracy for row in rows if row.score.name == "beam 1"]
    assert summary["beam 1"]["accuracy"] == pytest.approx((np.mean(accuracies), np.std(accuracies, ddof=1)))
    assert "name" not in summary["RCMS 2"]
    assert np.isnan(mean_and_sd([FoldScore(0, rows[0].score)])["RCMS 2"]["area"][1])


@pytest.mark.parametrize(
    ("folds", "message"),
    [([0, 1], "2 fold numbers for 6 sequences"), ([3] * 6, "all sequences are in one fold"), (1, "n_splits=1")],
)
def test_folds_that_cannot_be(folds, message):
    with pytest.raises(ValueError, match=message):
        list(evaluate_folds(coloured(6), SMALL, folds=folds))


def random_lattices(method, budget, seed):
    random = np.random.default_rng(seed)
    windows = {(a, b, y): random.normal() for a, b, y in itertools.product("abc", repeat=3)}
    model = rv.NgramModel.from_windows("abc", 2, windows)
    return (
        rv.beam(model, random.normal(size=(4, 3)), budget)[0]
        if method == "beam"
        else rv.rcms(model, random.normal(size=(4, 3)), budget)[0]
    )


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


def test_a_selection_rule_is_evaluated_stepwise():
    model, words = rv.load_model("handwriting-pen"), pen_words(12, seed=3)
    data = word_sequences(words, "8x4", model.labels)
    rows = [Method("ahead", budget=3, select="lookahead"), Method("posterior", budget=3, select="posterior")]
    ahead, posterior = answer(model, data, rows)
    lattices = [rv.rcms(model, one, 3, select="lookahead")[0] for one in data.log_emits(model.emission)]
    np.testing.assert_allclose(ahead.confidence, [np.exp(rv.viterbi(one).log_prob) for one in lattices])
    two = answer(model, data, [Method("two", budget=3, passes=2)])[0]
    np.testing.assert_array_equal(posterior.confidence, two.confidence)
    with pytest.raises(ValueError, match="beam search cannot rank by it"):
        answer(model, data, [Method("beam", "beam", select="posterior")])
