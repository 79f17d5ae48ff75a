"""`rv.infer_batch` in both precisions against the stepwise driver, over scores from 1e-3 to 1e4 nats."""

import numpy as np
import pytest

import rcmviz as rv
from problems.precision import PLAIN, Comparison, compare, draw
from rcmviz.learn.discounting import END
from rcmviz.learn.em import EM


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("method", PLAIN)
def test_all_ranges_of_scores_are_answered_as_by_the_stepwise_driver(method, dtype):
    rng, result = np.random.default_rng(1), Comparison()
    for _ in range(30):
        compare(draw(rng, method), dtype, result)
    assert not result.wrong and result.words - result.ties > 100


@pytest.mark.parametrize("budget", [8, 20], ids=["few contexts", "many contexts"])
def test_single_precision_never_calls_a_possible_output_impossible(budget):
    """Order 1, two labels, 8 positions, weights within ±20: masses of a position underflow in single precision."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        pairs = [(a, b) for a in ("*", "^", "a", "b") for b in "ab"]
        model = rv.NgramModel.from_windows("ab", 1, {pair: rng.uniform(-20, 20) for pair in pairs})
        words = [rng.uniform(-1, 1, size=(8, 2)) for _ in range(3)]
        found = rv.infer_batch(model, words, "rcms", budget, posterior=True)
        right = rv.infer_batch(model, words, "rcms", budget, posterior=True, dtype="f8")
        np.testing.assert_allclose(found.log_prob, right.log_prob, atol=1e-4)
        np.testing.assert_allclose(found.log_z, right.log_z, atol=1e-4)
        for one, other in zip(found.posterior, right.posterior, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)


def test_impossible_words_stay_impossible_among_others():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 3.0})
    words = [np.zeros((3, 2)), np.full((3, 2), -np.inf), np.array([[0.0, 1.0]] * 3)]
    found = rv.infer_batch(model, words, "rcms", 4, posterior=True)
    assert found.log_z[1] == found.log_prob[1] == -np.inf and not found.posterior[1].any()
    assert np.isfinite(found.log_prob[[0, 2]]).all()


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
@pytest.mark.parametrize("spread", [1.0, 25.0, 200.0])
def test_em_counts_the_same_in_both_precisions(method, spread):
    rng = np.random.default_rng(2)
    names = ("a", "b", "c", END)
    windows = {(one, other): rng.uniform(-spread, spread) for one in ("^", *names[:3]) for other in names}
    model = rv.NgramModel.from_windows(names, 1, windows)
    sequences = [rng.integers(4, size=length).tolist() for length in (1, 5, 30, 60)]
    start = rng.random((4, 3)) ** 8
    single, double = (
        EM(model, sequences, method, 6, emission=start, S=4, dtype=dtype).advance() for dtype in ("f4", "f8")
    )
    np.testing.assert_allclose(single.log_likelihood, double.log_likelihood, rtol=1e-5)
    np.testing.assert_allclose(single.counts, double.counts, atol=1e-3)


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
@pytest.mark.parametrize("spread, peak", [(1, 0), (10, 0), (1, 30), (1, 120)])
def test_long_and_peaked_words_are_those_of_double_precision(method, spread, peak):
    rng, labels = np.random.default_rng(6), "abcdefghi"
    windows = {(a, b): rng.normal() for a in labels for b in labels}
    model = rv.NgramModel.from_windows(labels, 1, windows)
    words = [spread * rng.normal(size=(length, 9)) for length in (3, 30, 600)]
    for word in words:
        word[np.arange(len(word)), rng.integers(9, size=len(word))] += peak
    found, right = (rv.infer_batch(model, words, method, 12, posterior=True, dtype=dtype) for dtype in ("f4", "f8"))
    np.testing.assert_allclose(found.log_z, right.log_z, rtol=1e-6)
    np.testing.assert_allclose(found.log_prob, right.log_prob, atol=1e-3)
    for one, other in zip(found.posterior, right.posterior, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
