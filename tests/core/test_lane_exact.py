"""Exact inference of order 1 on vectors against double precision and against all outputs, written out."""

from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from core.test_lane_words import TWOS, assert_alike, random_model
from problems.chain import problems_of
from rcmviz.core.inference.batch import Batch
from rcmviz.core.models import vectors

pytestmark = pytest.mark.skipif(not vectors.SUPPORTED, reason="the kernels on vectors are not called here")


@st.composite
def tasks(draw, tied, widths):
    """A model of order 1 and words; ``tied``: many masses are equal; some are zero, sometimes of all labels."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    labels = draw(st.sampled_from(widths))
    values = (lambda n: rng.choice(TWOS, n)) if tied else (lambda n: rng.normal(size=n) * 2)
    model = random_model(rng, labels, 1, draw(st.sampled_from(["single", "additive"])), values)
    lengths = rng.integers(1, draw(st.sampled_from([2, 5])), size=rng.integers(1, 10))
    words = [values(length * labels).reshape(length, labels) for length in lengths]
    for word in words if draw(st.booleans()) else ():
        word[rng.random(word.shape) < 0.4] = -np.inf
        word[:, rng.integers(labels)] = -np.inf  # a label that is never reached
    return model, words


def on_vectors(model, words, **options):
    kernel = mock.patch.object(vectors.lane_exact, "infer_exact_lanes", wraps=vectors.lane_exact.infer_exact_lanes)
    with kernel as called:
        found = rv.infer_batch(model, words, "exact", posterior=True, **options)
    assert called.called and found.posterior[0].dtype == np.float32
    return found


def written_out(model, word):
    """log Z, the best output (the lowest of equals) and label posteriors, from all outputs."""
    masses, shares, best = 0.0, np.zeros(word.shape), (-np.inf, None)
    for labels in product(range(word.shape[1]), repeat=len(word)):
        log = sum(word[range(len(word)), labels])
        for i, y in enumerate(labels):
            log += model.log_table[model.rows(i, i, np.array([labels[i - 1] if i else 0]))[0], y]
        mass = np.exp(log)
        masses += mass
        shares[range(len(word)), labels] += mass
        if log > best[0] + 1e-9:
            best = log, labels
    with np.errstate(divide="ignore"):
        return np.log(masses), best, shares / masses if masses else shares


@problems_of(200)
@given(tasks(tied=True, widths=[1, 2, 3]))
def test_answers_are_sums_and_maxima_over_all_outputs(task):
    model, words = task
    found = on_vectors(model, words)
    for w, word in enumerate(words):
        log_z, (log_score, labels), shares = written_out(model, word)
        assert found.log_z[w] == pytest.approx(log_z, abs=1e-5)
        assert found.log_score[w] == pytest.approx(log_score, abs=1e-5)
        assert labels is None or tuple(found.labels[w]) == labels
        np.testing.assert_allclose(found.posterior[w], shares, atol=1e-6)


@problems_of(300)
@given(st.booleans().flatmap(lambda tied: tasks(tied, widths=[1, 5, 15, 16, 17, 33, 48])))
def test_answers_are_those_of_double_precision(task):
    model, words = task
    found, right = on_vectors(model, words), rv.infer_batch(model, words, "exact", posterior=True, dtype="f8")
    possible = right.log_z > -np.inf
    assert_alike(only(found, possible), only(right, possible))
    assert (found.log_z[~possible] == -np.inf).all()
    assert not any(share.any() for share, is_one in zip(found.posterior, possible, strict=True) if not is_one)


def only(batch, which):
    """Some words of a batch."""
    taken = np.flatnonzero(which)
    columns = {name: getattr(batch, name)[which] for name in ("log_z", "log_score", "log_prob", "mean_length")}
    labels, posterior = (tuple(many[w] for w in taken) for many in (batch.labels, batch.posterior))
    return Batch(labels=labels, posterior=posterior, **columns)


def test_words_and_threads_do_not_disturb_each_other():
    rng = np.random.default_rng(5)
    model = random_model(rng, 26, 1, "single", lambda n: rng.normal(size=n))
    words = [rng.normal(size=(length, 26)) * 2 for length in rng.integers(1, 12, size=30)]
    together = on_vectors(model, words, threads=2)
    for w, word in enumerate(words):
        alone = on_vectors(model, [word], threads=1)
        assert together.labels[w].tolist() == alone.labels[0].tolist()
        assert together.log_z[w] == alone.log_z[0]
        np.testing.assert_array_equal(together.posterior[w], alone.posterior[0])


def test_a_thousand_positions_neither_overflow_nor_vanish():
    rng = np.random.default_rng(6)
    model = random_model(rng, 4, 1, "single", lambda n: rng.normal(size=n) + 20)
    words = [rng.normal(size=(1_000, 4)) * 8]
    assert_close(on_vectors(model, words), rv.infer_batch(model, words, "exact", posterior=True, dtype="f8"))


def assert_close(found, right):
    np.testing.assert_allclose(found.log_z, right.log_z, rtol=1e-6)
    np.testing.assert_allclose(found.log_score, right.log_score, rtol=1e-6)
    for one, other in zip(found.posterior, right.posterior, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_others_do_what_vectors_cannot():
    model, word = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0}), np.zeros((3, 2))
    longer = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0}, mode="additive")
    with mock.patch.object(vectors.lane_exact, "infer_exact_lanes") as called:
        found = [rv.infer_batch(longer, [word], "exact")]
        for fault in (mock.patch.object(vectors, "SUPPORTED", False), mock.patch.object(vectors, "MOST_LANES", 100)):
            with fault:
                found.append(rv.infer_batch(model, [word], "exact"))
    assert not called.called
    right = on_vectors(model, [word])
    for batch in found:
        assert batch.labels[0].tolist() == right.labels[0].tolist()
        assert batch.log_z[0] == pytest.approx(right.log_z[0])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("width", [1, 15, 16, 17, 40])
def test_emissions_are_exponentials(width, dtype):
    rng = np.random.default_rng(width)
    logs = rng.normal(size=(6, width)) * 20 + np.array([0, 5, -1e4, 1e4, 0, 0])[:, None]
    logs[rng.random(logs.shape) < 0.2] = -np.inf
    logs[4] = -np.inf
    logs[5, 0], logs[5, 1:] = 0, -np.log(2) * rng.integers(0, 120, width - 1)
    found, scale, lowest = vectors.scaled_emissions(logs.astype(dtype))
    logs = logs.astype(dtype).astype("f8")
    finite = [row[row > -np.inf] for row in logs]
    assert lowest.tolist() == [min(row, default=0) for row in finite]
    top = np.where(np.isneginf(logs.max(axis=1)), 0, logs.max(axis=1))
    right = np.exp(logs - top[:, None])
    assert scale.tolist() == top.tolist()
    np.testing.assert_allclose(found, np.where(right > 1e-37, right, 0), rtol=2.5e-7)
    assert (found[5] == right[5].astype("f4")).all()


@pytest.mark.parametrize("width", [15, 16, 17, 26, 48])
@pytest.mark.parametrize("positions", [1, 3, 4, 5, 8, 11])
def test_features_are_summed_equally_in_both_precisions(positions, width):
    rng = np.random.default_rng(positions)
    names, emission = [f"y{y}" for y in range(width)], rng.normal(size=(8, width))
    model = rv.NgramModel.from_windows(names, 1, {}, emission=emission)
    features = rng.normal(size=(positions, 7))
    with mock.patch.object(vectors.lane_emissions, "weigh_lanes", wraps=vectors.lane_emissions.weigh_lanes) as called:
        single = model.log_emit(features, "f4")
        assert called.called == (positions >= 4 and width >= 16)
        np.testing.assert_allclose(single, features @ emission[:-1] + emission[-1], atol=1e-5)
        for fault in (np.nan, np.inf, -np.inf):
            features[rng.integers(positions), rng.integers(7)] = fault
            with pytest.raises(ValueError, match="finite"):
                model.log_emit(features, "f4")


def test_finite_weights_may_exceed_single_precision():
    model = rv.NgramModel.from_windows([f"y{y}" for y in range(16)], 1, {}, emission=np.full((2, 16), 1e6))
    with np.errstate(over="ignore"):
        assert (model.log_emit(np.full((4, 1), 1e35), "f4") == np.inf).all()


def test_single_precision_is_not_widened_where_all_words_have_it():
    rng = np.random.default_rng(8)
    emission = rng.normal(size=(4, 3))
    model = rv.NgramModel.from_windows("abc", 1, {("a", "b"): 2.0}, emission=emission)
    features = rng.normal(size=(5, 3))
    single, double = model.log_emit(features, "f4"), model.log_emit(features)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    np.testing.assert_allclose(single, double, atol=1e-6)
    with mock.patch.object(vectors, "scaled_emissions", wraps=vectors.scaled_emissions) as called:
        found = [rv.infer_batch(model, words, "exact") for words in ([single], [single, double], [double])]
    assert [call.args[0].dtype for call in called.call_args_list] == [np.float32, np.float64, np.float64]
    for batch in found:
        assert batch.log_z[0] == pytest.approx(found[2].log_z[0], abs=1e-5)
