"""Training: the step is the gradient, the likelihood rises, seeds repeat."""

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.kernels import train, words
from rcmviz.learn.likelihood import train_rcms

LABELS = "abc"


def sequences(seed, count=6):
    rng = np.random.default_rng(seed)
    gold = ["".join(rng.choice(list(LABELS), size=rng.integers(1, 6))) for _ in range(count)]
    return [(rng.random((len(word), 4)) < 0.5).astype(float) for word in gold], gold


def random_weights(model, rng):
    table = rng.normal(size=(model.size, 3))
    return table, rng.normal(size=(5, 3))


@pytest.mark.parametrize("seed", range(5))
def test_gradient_is_the_finite_difference(seed):
    """At a budget that keeps every history, so that the contexts do not change with the weights."""
    rng = np.random.default_rng(seed)
    model = rv.NgramModel.from_windows(LABELS, 2, {})
    table, emission = random_weights(model, rng)
    features, gold = sequences(seed, 1)
    length = len(gold[0])
    truth = np.array([LABELS.index(label) for label in gold[0]])
    pixels, budget = features[0] != 0, 3**5
    rule = (True, True, 2**60, 0.0)

    def log_likelihood(table):
        emit = np.empty((length, 3))
        logs = train.emissions(pixels, emission, emit)
        space = words.workspace(length, budget, 3, table)
        log_z = words.forward_word(
            emit, budget, np.exp(table), model.address, rule, False, False, space, space, False
        )
        score = train.gold_score(logs, truth, table, space)
        return score - log_z - logs.max(axis=1).sum(), emit, space

    _, emit, space = log_likelihood(table)
    words.backward_word(emit, np.exp(table), rule, False, space)
    place, rows = np.full(model.size, -1), np.empty(length * (budget + 1), np.int64)
    window, label = np.empty((len(rows), 3)), np.empty((length, 3))
    touched = train.word_gradient(emit, truth, np.exp(table), space, place, rows, window, label)
    analytic = np.zeros_like(table)
    analytic[rows[:touched]] = window[:touched]
    numeric = np.zeros_like(table)
    for place_ in np.ndindex(*table.shape):
        for sign in (1, -1):
            moved = table.copy()
            moved[place_] += sign * 1e-5
            numeric[place_] += sign * log_likelihood(moved)[0] / 2e-5
    np.testing.assert_allclose(analytic, numeric, atol=1e-7)
    np.testing.assert_allclose(label.sum(axis=1), 0.0, atol=1e-12)


def test_log_likelihood_rises_and_seeds_repeat():
    features, gold = sequences(1, 40)
    runs = [list(train_rcms(features, gold, LABELS, order=2, budget=3, epochs=6, seed=7)) for _ in range(2)]
    values = [state.log_likelihood for state in runs[0]]
    assert values[-1] > values[0]
    for one, two in zip(*runs, strict=True):
        assert one.log_likelihood == two.log_likelihood
        np.testing.assert_array_equal(one.model.weights, two.model.weights)


def test_malformed_training_data_is_named():
    features, gold = sequences(2, 3)
    for broken, complaint in (
        ((features[:2], gold, LABELS), "as many of each"),
        (([], [], LABELS), "one or more"),
        ((features, [gold[0], gold[1] + "a", gold[2]], LABELS), "sequence 1"),
        ((features, gold, "ab"), "not one of the labels"),
    ):
        with pytest.raises(ValueError, match=complaint):
            next(train_rcms(*broken))
