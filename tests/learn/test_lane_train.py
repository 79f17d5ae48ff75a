"""Training in single precision on vectors: gradients compared with enumeration, trainings with double precision."""

from dataclasses import replace
from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import learning as oracle
from problems.chain import problems_of
from problems.learning import cases, columns_of, flat, is_tied, step
from rcmviz.kernels import lanes
from rcmviz.kernels.learn import lane_train, lane_train_exact, train, train_dense
from rcmviz.learn import tables
from rcmviz.learn.trainer import FitTrainer, last_model
from support.toy_trainings import DATA, HELD_OUT, KINDS, WORDS, bits, finish, numbers, recorded, settings_of

CLOSE = {"rtol": 1e-4, "atol": 1e-5}
SINGLE = {"passes": 1, "deduplicate": False, "lost_gold": "numerator", "precision": "f4"}
pytestmark = pytest.mark.skipif(not lanes.SUPPORTED, reason="the kernels on vectors are not called here")
SINGLE_WINDOWS = [(method, "single", 1) for method in ("rcms", "beam", "greedy", "exact")]
ADDITIVE = [(method, "additive", 1) for method in ("rcms", "beam", "exact")]
PASSES = [("rcms", "single", 2), ("rcms", "single", 3), ("rcms", "additive", 2)]
each_kind = pytest.mark.parametrize(("method", "mode", "passes"), SINGLE_WINDOWS + ADDITIVE + PASSES)


def lane_rows(passes=1):
    """Watch the vector kernel of RCMS and beams."""
    return used(lane_train, "lane_stretch")


def lane_exact(mode="single"):
    """Watch the vector kernel of exact chains."""
    return used(lane_train_exact, "lane_exact_stretch")


def drawn(method, mode, **more):
    """Cases for single precision: exact chains are of order 1."""
    return cases(method, mode, orders=(1, 1) if method == "exact" else (1, 4), **SINGLE | more)


def double(method):
    """Watch the kernel in double precision."""
    kernels = (train_dense, "train_dense_stretch") if method == "exact" else (train, "train_stretch")
    return used(*kernels)


def used(kernel, name):
    """Return a context whose value records calls of a kernel."""
    return mock.patch.object(kernel, name, wraps=getattr(kernel, name))


@each_kind
def test_the_gradient_is_observed_minus_expected(method, mode, passes):
    """In every weight, less the penalty, by enumeration; log-likelihood and norm too; and nothing is left to others."""

    @problems_of(100)
    @given(drawn(method, mode, passes=passes))
    def check(case):
        assume(not is_tied(case, 1e-5))
        objective = case.objective
        with double(method) as other:
            state, gradient = step(case)
        assert not other.called
        expected = flat(case, objective.gradient(case.weights))
        np.testing.assert_allclose(gradient, expected, **CLOSE)
        assert state.gradient_norm == pytest.approx(np.linalg.norm(expected), rel=1e-4, abs=1e-5)
        assert state.log_likelihood == pytest.approx(objective.log_likelihood(case.weights), rel=1e-5, abs=1e-5)
        lost = oracle.fell_off(case.example, columns_of(case), False) is not None
        assert state.lost == lost

    check()


@each_kind
def test_ties_are_broken_as_in_the_stepwise_builder(method, mode, passes):
    """All weights zero; after two selections sums of ties are rounded in different ways."""

    @problems_of(50)
    @given(drawn(method, mode, passes=passes))
    def check(case):
        assume(len(case.example.gold) <= 3)
        case = replace(case, weights={})
        np.testing.assert_allclose(step(case)[1], flat(case, case.objective.gradient({})), **CLOSE)

    check()


@each_kind
def test_scores_that_are_far_apart_take_their_step_in_double_precision(method, mode, passes):
    """With scores hundreds apart the gradient is right and no weight is NaN. Exact chains never use logs."""

    @problems_of(40)
    @given(drawn(method, mode, passes=passes, scales=(30.0,) if method == "exact" else (30.0, 200.0)))
    def check(case):
        assume(not is_tied(case, 1e-4))
        gradient = step(case)[1]
        expected = flat(case, case.objective.gradient(case.weights))
        # a weight of 500 is rounded by 1.5e-5 where it is kept in single precision, its gradient read off a difference
        np.testing.assert_allclose(gradient, expected, rtol=1e-3, atol=1e-3)

    check()


def random_data(rng, labels, words, longest):
    """Words of random features and labels; the first has one letter.

    Each position has a feature: without one its labels tie, and rounding would decide which contexts are kept.
    """
    names = [f"y{y}" for y in range(labels)]
    lengths = [1, *rng.integers(1, longest + 1, size=words - 1)]
    features = [rng.normal(size=(n, 4)) * (rng.random((n, 4)) < [1, 0.5, 0.5, 0.5]) for n in lengths]
    return rv.Sequences.from_arrays(features, [list(rng.choice(names, size=n)) for n in lengths], names)


@problems_of(50)
@given(
    st.integers(0, 10**9),
    st.sampled_from([1, 2, 17, 33, 70]),
    st.sampled_from([1, 3, 40]),
    st.sampled_from([("rcms", 1), ("rcms", 2), ("beam", 1), ("exact", 1)]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.05]),
)
def test_the_course_is_that_of_double_precision(seed, labels, budget, method_and_passes, additive, average, l2):
    """Two epochs over rows of one to three vectors, longer words, averages and penalties."""
    data = random_data(np.random.default_rng(seed), labels, 6, 9)
    method, passes = method_and_passes
    order, mode = 1 if method == "exact" else 2, "additive" if additive else "single"
    more = {"passes": passes, "average": average, "l2": l2, "precision": "f4"}
    settings = rv.Training(method, budget, order, mode=mode, epochs=2, **more)
    single, double = (rv.Trainer(data, replace(settings, precision=one)) for one in ("f4", "f8"))
    for (one, weights), (other, right) in zip(finish(single, 4), finish(double, 4), strict=True):
        np.testing.assert_allclose(np.frombuffer(weights), np.frombuffer(right), rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(np.frombuffer(numbers(one)), np.frombuffer(numbers(other)), rtol=1e-3, atol=1e-4)


def test_a_training_does_not_depend_on_reports_and_resuming(tmp_path):
    """Results are equal bit for bit, also if some examples fall back to double precision."""
    far = replace(DATA, value=np.where(np.arange(len(DATA.value)) % 7 == 3, 1e4, 1.0) * DATA.value)
    runs = (
        ("rcms", "single", 1, 2, DATA, 0.5),
        ("rcms", "additive", 1, 2, DATA, 0.5),
        ("rcms", "additive", 2, 2, DATA, 0.5),
        ("beam", "single", 1, 2, DATA, 0.5),
        ("rcms", "single", 1, 6, far, 0.5),
        ("rcms", "single", 2, 6, far, 0.5),
        ("beam", "additive", 1, 6, far, 0.5),
        ("exact", "single", 1, 2, DATA, 0.5),
        ("exact", "single", 1, 2, DATA, 85),
        ("exact", "additive", 1, 2, DATA, 0.5),
        ("exact", "additive", 1, 2, DATA, 85),
    )
    for kind, mode, passes, budget, data, eta in runs:
        order, lanes_of = (1, partial(lane_exact, mode)) if kind == "exact" else (2, partial(lane_rows, passes))
        more = {"mode": mode, "passes": passes, "order": order, "budget": budget, "eta": eta}
        settings = settings_of(kind, precision="f4", average=True, l2=0.1, **more)
        with double(kind) as other, lanes_of() as single:
            alone = finish(rv.Trainer(data, settings, HELD_OUT), 1)
        assert single.called and other.called == (data is far or eta == 85)
        assert np.isfinite(np.frombuffer(alone[-1][1])).all()
        assert finish(rv.Trainer(data, settings))[-1][1] == alone[-1][1]
        for stop in (0, 3, WORDS, 2 * WORDS - 1):
            trainer = rv.Trainer(data, settings, HELD_OUT)
            while trainer.step < stop:
                trainer.advance(1)
            trainer.save(tmp_path / "run.npz")
            again = rv.Trainer.resume(tmp_path / "run.npz", data, HELD_OUT)
            assert again.settings == settings
            same = bits(again) == bits(trainer) and recorded(finish(again, 1)) == recorded(alone[stop:])
            assert same


@pytest.mark.parametrize("mode", ["single", "additive"])
@pytest.mark.parametrize("method", ["rcms", "beam"])
def test_windows_have_rows_once_they_are_met(method, mode):
    """There are no others, and a table that has to grow within a stretch changes nothing."""
    data = random_data(np.random.default_rng(2), 9, 12, 8)
    settings = rv.Training(method, 3, 3, mode=mode, epochs=2, average=True, precision="f4")
    course = recorded(finish(rv.Trainer(data, settings)))
    with mock.patch.multiple(tables, FIRST_ROWS=2, DENSE_LIMIT=2):
        trainer = rv.Trainer(data, settings)
        assert recorded(finish(trainer)) == course
    assert 0 < trainer.tables.used <= len(trainer.tables.windows[0]) < trainer.shape.size
    met = trainer.model().keys
    assert set(met) <= set(trainer.tables.addresses.tolist())


def weights_after_each_step(kind, data, settings):
    """All weights ``(steps, weights)`` in a training by this trainer."""
    trainer, found = kind(data, settings), []
    while not trainer.done:
        trainer.advance(1)
        found.append(np.frombuffer(bits(trainer)))
    return np.array(found)


@pytest.mark.parametrize(
    ("method", "mode"), [("rcms", "single"), ("beam", "single"), ("exact", "single"), ("exact", "additive")]
)
def test_a_fit_averages_over_all_steps(method, mode):
    """The weights equal those of a resumable training, also with steps in double precision."""
    order = 1 if method == "exact" else 2
    settings = rv.Training(method, 3, order, mode=mode, epochs=3, precision="f4", l2=0.01, lost_gold="numerator")
    data = random_data(np.random.default_rng(8), 5, 7, 6)
    far = replace(data, value=np.where(np.arange(len(data.value)) % 11 == 5, 1e4, 1.0) * data.value)
    for one in (data, far):
        saved, weights = (weights_after_each_step(kind, one, settings) for kind in (rv.Trainer, FitTrainer))
        np.testing.assert_array_equal(weights, saved)
        averaged = weights_after_each_step(FitTrainer, one, replace(settings, average=True))
        means = np.cumsum(weights, axis=0) / np.arange(1, len(weights) + 1)[:, None]
        np.testing.assert_allclose(averaged, means, rtol=1e-4, atol=1e-5 * np.abs(means).max())


@pytest.mark.parametrize("kind", [rv.Trainer, FitTrainer])
@pytest.mark.parametrize("average", [True, False])
def test_the_last_model_of_a_training_is_the_model_of_its_end(kind, average):
    """Though it has the place of the weights."""
    for method, order in (("rcms", 2), ("exact", 1)):
        settings = rv.Training(method, 3, order, epochs=2, average=average, precision="f4")
        whole, other = kind(DATA, settings), kind(DATA, settings)
        finish(whole)
        found = last_model(other, lambda trainer: None)
        for one, other in ((found, whole.model()), (found.emission, whole.model().emission)):
            np.testing.assert_array_equal(getattr(one, "weights", one), getattr(other, "weights", other))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("rcms", "beam")])
def test_other_trainings_are_what_they_are_in_double_precision(kind):
    with lane_rows() as called, lane_exact() as also, lane_exact("additive") as additive:
        single, double = (recorded(finish(rv.Trainer(DATA, settings_of(kind, precision=p)))) for p in ("f4", "f8"))
    assert not (called.called or also.called or additive.called) and single == double


def test_the_precision_is_kept_where_it_is_single():
    """Settings of a training in double precision do not name the precision."""
    assert "precision" not in rv.Training().to_dict()
    single = rv.Training(precision="f4")
    assert rv.Training.from_dict(single.to_dict()) == single != rv.Training()
    with pytest.raises(ValueError, match="precision 'f2'"):
        rv.Training(precision="f2")
    with pytest.raises(ValueError, match="precision 'f4'"):
        rv.Training(objective="perceptron", precision="f4")
