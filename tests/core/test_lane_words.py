"""The kernels on vectors against those that define what they do, in double precision, over random problems."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.models import model as model_module
from rcmviz.core.models import vectors
from rcmviz.core.models.model import NgramModel
from rcmviz.kernels import lanes
from rcmviz.kernels.chain.lane_selection import FIRST_GUESS, choose

TWOS = np.log([0.5, 1, 1, 2])  # no rounding in either precision, so that ties stay ties (np.exp(3 * np.log(2)) > 8)
pytestmark = pytest.mark.skipif(not lanes.SUPPORTED, reason="the kernels on vectors are not called here")


def random_model(rng, labels, order, mode, values, limit=model_module.DENSE_LIMIT):
    """Weights of some windows, drawn by ``values``; a table with more than ``limit`` weights is sparse."""
    names = [f"y{y}" for y in range(labels)]
    windows = {}
    for _ in range(rng.choice([0, 5, 80])):
        known = list(rng.choice(names, size=rng.integers(0, order + 1)))
        window = (*["*"] * (order - len(known)), *known, rng.choice(names))
        windows[window] = float(values(1)[0])
    with mock.patch.object(model_module, "DENSE_LIMIT", limit):
        model = rv.NgramModel.from_windows(names, order, windows, mode=mode)
        assert model.is_dense == (limit > 0)
    return model


@st.composite
def tasks(draw, tied):
    """A model, words of it, a method and a budget; ``tied``: many masses are equal, some zero."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    labels = draw(st.sampled_from([1, 2, 3, 5, 26, 33, 40, 70]))
    longest = 3 if tied else 9  # after two selections sums of ties are rounded in different ways
    values = (lambda n: rng.choice(TWOS, n)) if tied else (lambda n: rng.normal(size=n) * 2)
    mode = "single" if tied else draw(st.sampled_from(["single", "additive"]))
    order = draw(st.sampled_from([1, 2, 3] if labels < 30 else [1, 2]))
    model = random_model(rng, labels, order, mode, values, draw(st.sampled_from([0, model_module.DENSE_LIMIT])))
    lengths = rng.integers(1, longest + 1, size=rng.integers(1, 5))
    words = [values(length * labels).reshape(length, labels) for length in lengths]
    if draw(st.booleans()):
        for word in words:
            word[rng.random(word.shape) < 0.3] = -np.inf
    method = draw(st.sampled_from(["rcms", "beam", "greedy"]))
    return model, words, method, draw(st.sampled_from([1, 2, 3, 4, 7, 14, 15, 20, 70, 300]))


def both(model, words, method, budget, **options):
    """Return the vector kernels' results, in single precision, and those in double precision."""
    with mock.patch.object(vectors, "infer", wraps=vectors.infer) as called:
        found = rv.infer_batch(model, words, method, budget, posterior=True, **options)
    assert called.called and found.posterior[0].dtype == np.float32
    return found, rv.infer_batch(model, words, method, budget, posterior=True, dtype="f8")


def assert_alike(found, right):
    np.testing.assert_allclose(found.log_z, right.log_z, rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.log_score, right.log_score, rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.mean_length, right.mean_length, rtol=1e-5, atol=1e-5)
    for one, other in zip(found.posterior, right.posterior, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


@problems_of(400)
@given(tasks(tied=True))
def test_ties_zeros_and_the_smallest_problems_are_decided_equally(task):
    found, right = both(*task)
    assert_alike(found, right)
    for one, other, score in zip(found.labels, right.labels, right.log_score, strict=True):
        assert score == -np.inf or one.tolist() == other.tolist()


@problems_of(400)
@given(tasks(tied=False))
def test_answers_are_those_of_double_precision(task):
    """A best output that leads by less than rounding may differ; its score does not."""
    found, right = both(*task)
    assert_alike(found, right)


@pytest.mark.parametrize("method", ["rcms", "beam"])
def test_words_and_threads_do_not_disturb_each_other(method):
    rng = np.random.default_rng(3)
    model = random_model(rng, 5, 2, "single", lambda n: rng.normal(size=n))
    words = [rng.normal(size=(length, 5)) * 2 for length in rng.integers(1, 12, size=40)]
    together, _ = both(model, words, method, 4, threads=2)
    for w, word in enumerate(words):
        alone = rv.infer_batch(model, [word], method, 4, threads=1, posterior=True)
        assert together.labels[w].tolist() == alone.labels[0].tolist()
        np.testing.assert_allclose(together.posterior[w], alone.posterior[0], atol=1e-6)


@problems_of(400)
@given(st.integers(0, 10**9), st.sampled_from([1, 2, 5, 30, 100]), st.integers(1, 12), st.sampled_from([2, 6, 10**6]))
def test_the_largest_are_chosen_ties_to_the_lower_place(seed, budget, vectors, different):
    rng = np.random.default_rng(seed)
    size = 16 * vectors
    mass = np.concatenate([np.full(16, 9.0), rng.integers(0, different, size) / different, np.zeros(16)]).astype("f4")
    mass[16:-16] *= np.float32(10.0) ** rng.integers(-30, 4)
    values, places, chosen = (np.zeros(size + 32, "i4") for _ in range(3))
    found, guess = choose(mass.view("i4"), 16, 16 + size, budget, FIRST_GUESS, values, places, chosen)
    heaviest = sorted(np.flatnonzero(mass[16:-16]), key=lambda j: (-mass[16 + j], j))[:budget]
    assert chosen[:found].tolist() == [16 + j for j in sorted(heaviest)]
    again = choose(mass.view("i4"), 16, 16 + size, budget, guess, values, places, chosen)[0]
    assert chosen[:again].tolist() == [16 + j for j in sorted(heaviest)]


def test_histories_of_many_labels_are_distinguished():
    """Three of 1,700 labels do not fit into a code of 32 bits."""
    names, rng = [f"y{y}" for y in range(1_700)], np.random.default_rng(0)
    windows = {tuple(names[y] for y in rng.integers(1_660, 1_700, 3)): float(rng.normal() * 2) for _ in range(2_000)}
    words = [np.where(np.arange(1_700) < 1_660, -8.0, rng.normal(size=(6, 1_700))) for _ in range(3)]
    found, right = both(rv.NgramModel.from_windows(names, 2, windows), words, "rcms", 20)
    np.testing.assert_allclose(found.log_z, right.log_z, rtol=0, atol=1e-4)


@pytest.mark.parametrize("options", [{"passes": 2}, {"deduplicate": True}, {"method": "repaired"}, {"dtype": "f8"}])
def test_others_do_what_vectors_cannot(options):
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    with mock.patch.object(vectors, "infer") as called:
        found = rv.infer_batch(model, [np.zeros((3, 2))], posterior=True, **options)
    assert not called.called and found.posterior[0].dtype == np.float64


def test_far_scores_are_not_for_vectors():
    model = NgramModel.from_windows("ab", 1, {("a", "b"): 100.0})
    with mock.patch.object(vectors, "infer") as called:
        found = rv.infer_batch(model, [np.zeros((3, 2))], posterior=True)
    assert not called.called and found.labels[0].tolist() == [0, 0, 1]
