"""Confidence: curves, reliability and bootstrap, compared with slow definitions and other libraries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.calibration import calibration_curve

from rcmviz.evaluation.bootstrap import bootstrap, ratio_error, standard_error
from rcmviz.evaluation.confidence import (
    area_under_precision,
    area_under_risk,
    calibration_error,
    precision_at,
    precision_curve,
    recall_at_precision,
    reliability,
    risk_coverage,
)

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


PROBABILITIES = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.55, 0.7, 0.95, 1.0]), st.booleans()), min_size=1)


def columns(answers):
    confidence, correct = zip(*answers, strict=True)
    return np.array(confidence), np.array(correct)


@settings(max_examples=200, deadline=None)
@given(ANSWERS)
def test_risk_is_what_precision_leaves(answers):
    confidence, correct = columns(answers)
    coverage, risk = risk_coverage(confidence, correct)
    for share, wrong in zip(coverage, risk, strict=True):
        threshold = np.sort(confidence)[::-1][round(share * len(answers)) - 1]
        given_ = [right for sure, right in answers if sure >= threshold]
        assert (len(given_) / len(answers), given_.count(False) / len(given_)) == pytest.approx((share, wrong))
    assert area_under_risk(confidence, correct) == pytest.approx(np.sum(np.diff(coverage, prepend=0) * risk))


@settings(max_examples=200, deadline=None)
@given(ANSWERS, st.floats(0.01, 1))
def test_precision_at_a_share_answers_no_more_than_it_must(answers, share):
    confidence, correct = columns(answers)
    enough = [t for t in set(confidence) if np.mean(confidence >= t) >= share]
    assert precision_at(confidence, correct, [share])[0] == pytest.approx(correct[confidence >= max(enough)].mean())


def test_a_share_of_the_curve_is_found_again():
    random = np.random.default_rng(0)
    confidence, correct = random.random(700), random.random(700) < 0.9
    answered, precision = precision_curve(confidence, correct)
    np.testing.assert_array_equal(precision_at(confidence, correct, answered), precision)


@settings(max_examples=200, deadline=None)
@given(PROBABILITIES, st.integers(1, 12))
def test_bins_of_equal_width_by_definition(answers, bins):
    confidence, correct = columns(answers)
    table = reliability(confidence, correct, bins, "width")
    expected = []
    for k in range(bins):
        low, high = k / bins, (k + 1) / bins
        inside = [(p, right) for p, right in answers if min(int(bins * p), bins - 1) == k]
        if inside:
            mean = np.mean(inside, axis=0)
            expected.append((low, high, len(inside), mean[0], mean[1]))
    found = zip(table.low, table.high, table.count, table.confidence, table.accuracy, strict=True)
    assert [pytest.approx(row) for row in found] == expected
    gap = sum(n * abs(accuracy - sure) for _, _, n, sure, accuracy in expected) / len(answers)
    assert calibration_error(confidence, correct, bins, "width") == pytest.approx(gap)


@settings(max_examples=200, deadline=None)
@given(PROBABILITIES, st.integers(1, 12), st.randoms(use_true_random=False))
def test_bins_of_equal_mass_keep_ties_together_in_any_order(answers, bins, random):
    table = reliability(*columns(answers), bins)
    shuffled = random.sample(answers, len(answers))
    again = reliability(*columns(shuffled), bins)
    np.testing.assert_allclose(again.accuracy, table.accuracy)
    assert table.count.sum() == len(answers)
    assert np.all(table.low[1:] > table.high[:-1])
    heaviest_tie = max(sum(p == q for p, _ in answers) for q, _ in answers)
    assert table.count.max() <= -(-len(answers) // bins) + heaviest_tie


def test_bins_of_equal_mass_are_equal_without_ties():
    random = np.random.default_rng(0)
    confidence, correct = random.random(105), random.random(105) < 0.5
    table = reliability(confidence, correct, 10)
    assert set(table.count) == {10, 11}
    order = np.argsort(confidence)
    first = order[: table.count[0]]
    assert (table.low[0], table.high[0]) == (confidence[first].min(), confidence[first].max())
    assert (table.confidence[0], table.accuracy[0]) == pytest.approx((confidence[first].mean(), correct[first].mean()))


def test_reliability_agrees_with_scikit_learn():
    random = np.random.default_rng(1)
    confidence = random.random(500) ** 0.3
    correct = random.random(500) < confidence
    for equal, strategy in (("width", "uniform"), ("mass", "quantile")):
        accuracy, mean = calibration_curve(correct, confidence, n_bins=10, strategy=strategy)
        table = reliability(confidence, correct, 10, equal)
        np.testing.assert_allclose(table.accuracy, accuracy)
        np.testing.assert_allclose(table.confidence, mean)


def test_calibrated_answers_have_a_small_error_and_boasting_ones_a_large():
    random = np.random.default_rng(2)
    confidence = random.random(20_000)
    correct = random.random(20_000) < confidence
    assert calibration_error(confidence, correct) < 0.02
    assert calibration_error(np.ones(20_000), correct) == pytest.approx(1 - correct.mean())


@pytest.mark.parametrize(
    ("confidence", "options", "message"),
    [
        ([1.2], {}, "from 1.2 to 1.2"),
        ([-0.1], {}, "give probabilities"),
        ([0.5], {"bins": 0}, "0 bins"),
        ([0.5], {"equal": "size"}, "equal 'size'"),
        ([np.nan], {}, "is NaN"),
    ],
)
def test_reliability_needs_probabilities_and_bins(confidence, options, message):
    with pytest.raises(ValueError, match=message):
        reliability(confidence, [True], **options)


def test_standard_errors():
    assert standard_error(np.array([1, 1, 1, 0])) == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    # words of one letter each: the ratio is a mean
    parts = np.array([1, 1, 1, 0])
    assert ratio_error(parts, np.ones(4)) == pytest.approx(standard_error(parts))
    # letters of a word stand or fall together: the error is that of the words, not of the letters
    assert ratio_error(5 * parts, np.full(4, 5)) == pytest.approx(standard_error(parts))


def test_the_bootstrap_agrees_with_scipy():
    values = np.random.default_rng(0).exponential(size=80)
    ours = bootstrap(np.median, values, draws=4000, level=0.9, seed=1)
    theirs = stats.bootstrap((values,), np.median, n_resamples=4000, confidence_level=0.9, method="percentile", rng=2)
    limits = theirs.confidence_interval
    assert (ours.low, ours.high) == (pytest.approx(limits.low, rel=0.05), pytest.approx(limits.high, rel=0.05))
    assert ours.error == pytest.approx(theirs.standard_error, rel=0.05)


def test_the_bootstrap_of_recall_is_seeded_and_near_the_truth():
    random = np.random.default_rng(0)

    def recall(confidence, correct):
        return recall_at_precision(confidence, correct, 0.9)

    confidence, correct = random.random(400), random.random(400) < 0.9
    first, again = (bootstrap(recall, confidence, correct, draws=200, seed=3) for _ in range(2))
    assert (first.low, first.high, first.error) == (again.low, again.high, again.error)
    assert bootstrap(recall, confidence, np.ones(400, dtype=bool), draws=20).error == 0.0
    truth = np.std([recall(random.random(400), random.random(400) < 0.9) for _ in range(200)])
    assert 0.5 < first.error / truth < 2


def test_an_interval_holds_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(5)
    draws = [bootstrap(np.mean, random.random(60) < 0.7, draws=200, level=0.9, seed=k) for k in range(200)]
    assert 0.82 < np.mean([one.low <= 0.7 <= one.high for one in draws]) < 0.96


def test_a_curve_is_a_statistic_too():
    random = np.random.default_rng(0)
    confidence, correct = random.random(50), random.random(50) < 0.8
    band = bootstrap(lambda *answers: precision_at(*answers, [0.2, 0.6, 1.0]), confidence, correct, draws=50)
    alone = bootstrap(lambda *answers: precision_at(*answers, [0.6]), confidence, correct, draws=50)
    assert band.low.shape == (3,)
    assert (band.low[1], band.high[1]) == (alone.low[0], alone.high[0])
    assert np.all(band.low <= band.high)


@pytest.mark.parametrize(
    ("columns_", "options", "message"),
    [
        (([1], [1, 2]), {}, "columns of"),
        (([],), {}, "not empty"),
        (([1],), {"draws": 1}, "at least 2 draws"),
        (([1],), {"level": 1.0}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_drawn(columns_, options, message):
    with pytest.raises(ValueError, match=message):
        bootstrap(np.mean, *columns_, **options)
