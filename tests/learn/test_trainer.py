"""The trainer: states, order and averages, hashed and dense weights, invalid input."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import rcmviz as rv
from problems.learning import flat_model, lattice_of
from rcmviz.kernels.learn.lane_state import Rate
from rcmviz.kernels.learn.weights import Group, ascend
from rcmviz.learn.trainer import last_model
from support.toy_trainings import (
    DATA,
    HELD_OUT,
    KINDS,
    LABELS,
    MEANS,
    MEASURES,
    NUMBERS,
    WORDS,
    F,
    each_kind,
    finish,
    numbers,
    recorded,
    settings_of,
)


@each_kind
def test_how_often_states_are_asked_for_changes_nothing(kind):
    """And a state of several examples says the mean of what each would say; none goes beyond its epoch."""
    settings = settings_of(kind)
    singles = finish(rv.Trainer(DATA, settings), 1)
    for every in (2, 3, WORDS, 100, None):
        before = 0
        for state, weights in finish(rv.Trainer(DATA, settings), every):
            same = weights == singles[state.step - 1][1]
            assert same
            for name in MEANS:
                mean = np.mean([getattr(single, name) for single, _ in singles[before : state.step]])
                assert getattr(state, name) == pytest.approx(mean, rel=1e-12), name
            assert state.epoch == state.step // WORDS and (before // WORDS) == (state.step - 1) // WORDS
            before = state.step
        assert before == 2 * WORDS


@each_kind
def test_a_training_that_makes_no_models_in_between_ends_with_the_same(kind):
    """Its history says the same, but for what was held out; no step can follow."""
    settings = settings_of(kind)
    watched, alone = rv.Trainer(DATA, settings), rv.Trainer(DATA, settings)
    *_, last = (watched.advance() for _ in range(settings.epochs))
    epochs = []
    model = last_model(alone, lambda trainer: epochs.append(trainer.epoch))
    assert epochs == [entry["epoch"] for entry in watched.history] and alone.tables is None
    for mine, theirs in zip(alone.history, watched.history, strict=True):
        assert mine.keys() == theirs.keys()
        np.testing.assert_array_equal([mine[name] for name in NUMBERS], [theirs[name] for name in NUMBERS])
    for name in ("keys", "weights", "emission"):
        np.testing.assert_array_equal(getattr(model, name), getattr(last.model, name))
    with pytest.raises(ValueError, match="epochs"):
        alone.advance()


PERCEPTRONS = [rv.Training(method, order=1, epochs=1, objective="perceptron") for method in ("beam", "exact")]


@pytest.mark.parametrize("settings", [*(settings_of(kind, epochs=1) for kind in KINDS), *PERCEPTRONS])
def test_values_that_are_all_one_are_one_in_memory(settings):
    """Bit for bit as in full, also of sequences that are taken."""
    full = replace(DATA, value=np.ones_like(DATA.value))
    short = replace(DATA, value=np.broadcast_to(1.0, len(DATA.value)))
    assert (full.amounts.size, short.amounts.size) == (len(DATA.value), 1)
    assert short.amounts.flags.c_contiguous and not short.amounts.flags.writeable
    taken = short.take([2, 0])
    assert taken.amounts.size == 1
    np.testing.assert_array_equal(taken.value, full.take([2, 0]).value)
    one, other = (rv.Trainer(data, settings).advance().model for data in (full, short))
    for name in ("keys", "weights", "emission"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(full.stacked_log_emits(one.emission), short.stacked_log_emits(one.emission))


HASHABLE = [kind for kind in KINDS if "exact" not in kind]


@pytest.mark.parametrize("kind", HASHABLE)
def test_hashed_weights_are_the_dense_ones(kind):
    """Bit for bit, states and all, also where the hashed table grows."""
    trainers = [rv.Trainer(DATA, settings_of(kind, table=table), HELD_OUT) for table in ("dense", "hashed")]
    dense, hashed = (recorded(finish(trainer, 3)) for trainer in trainers)
    same = hashed == dense  # compared inside assert, pytest would spell out megabytes where they differ
    assert same


def test_a_hashed_table_grows_as_it_fills():
    """It begins with a thousand rows, and makes room for all that four examples could fill: for a few thousand."""
    rng = np.random.default_rng(0)
    gold = ["".join(rng.choice(list("abcdefgh"), size=30)) for _ in range(6)]
    data = rv.Sequences.from_arrays([np.ones((30, 1))] * 6, gold, "abcdefgh")
    trainers = [rv.Trainer(data, rv.Training(order=4, epochs=2, table=table)) for table in ("dense", "hashed")]
    dense, hashed = (recorded(finish(trainer, 4)) for trainer in trainers)
    same = hashed == dense
    assert same


def test_a_table_too_large_to_be_dense_is_hashed():
    """Order 9 over 26 labels; a forced dense one is refused."""
    rng = np.random.default_rng(0)
    gold = ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), size=12)) for _ in range(5)]
    data = rv.Sequences.from_arrays([np.ones((12, 1))] * 5, gold, "abcdefghijklmnopqrstuvwxyz")
    first, *_, last = rv.train(data, rv.Training(order=9, epochs=8, eta=0.5))
    assert last.log_likelihood > first.log_likelihood
    for settings in ({"table": "dense"}, {"method": "exact"}):
        with pytest.raises(ValueError, match="order 9"):
            rv.Trainer(data, rv.Training(order=9, **settings))


@each_kind
def test_the_average_is_the_mean_of_the_weights_after_every_step(kind):
    """Averaging changes the model that is given out, not the course of the training."""
    plain = finish(rv.Trainer(DATA, settings_of(kind, average=False)), 1)
    averaged = finish(rv.Trainer(DATA, settings_of(kind, average=True)), 1)
    total = 0.0
    for (one, weights), (mean, average) in zip(plain, averaged, strict=True):
        total = total + np.frombuffer(weights)
        np.testing.assert_allclose(np.frombuffer(average), total / one.step, rtol=1e-6, atol=1e-7)  # sums in single
        assert numbers(one) == numbers(mean)


def test_sums_in_single_precision_move_the_average_by_a_hundred_thousandth():
    """30,000 steps with slopes of all sizes, as a bias meets them: AdaGrad's two sums, single or double."""
    rng = np.random.default_rng(0)
    slopes = rng.normal(size=(30_000, 4)) * 10.0 ** np.arange(-3, 1)
    interpreted = getattr(ascend, "py_func", ascend)  # not compiled for these types, and where nothing is
    averages = []
    for sums in ("f4", "f8"):
        group = Group(np.zeros((1, 4)), np.zeros((1, 4), sums), np.zeros((1, 4), sums))
        for step, slope in enumerate(slopes):
            interpreted(group, np.zeros(1, int), slope[None].copy(), Rate(0.2, 1e-4, 0.0, True), step)
        averages.append((group.weight * len(slopes) - group.drift) / len(slopes))
    single, double = averages
    assert (single != double).any()
    np.testing.assert_allclose(single, double, rtol=0, atol=1e-5)


def visits(settings):
    """The numbers of the sequences in the order in which they were visited; each has a feature of its own."""
    data = rv.Sequences.from_arrays(np.eye(6)[:, None, :], list("abcabc"), LABELS)
    trainer, before, order = rv.Trainer(data, settings), np.zeros((6, 3)), []
    while not trainer.done:
        after = trainer.advance(1).model.emission[:-1]
        order += np.flatnonzero((after != before).any(axis=1)).tolist()
        before = after
    return [order[k : k + 6] for k in range(0, len(order), 6)]


def test_each_epoch_visits_every_sequence_once_in_an_order_of_its_own():
    epochs = visits(rv.Training(epochs=4, seed=1))
    assert all(sorted(order) == list(range(6)) for order in epochs)
    assert len(set(map(tuple, epochs))) > 1
    assert visits(rv.Training(epochs=4, seed=1)) == epochs != visits(rv.Training(epochs=4, seed=2))
    assert visits(rv.Training(epochs=2, shuffle=False)) == [list(range(6))] * 2


@each_kind
def test_a_state_speaks_of_the_weights_before_its_step(kind):
    """Its log-likelihood, context length and lost gold are those of the stepwise lattice at the model before."""
    settings = settings_of(kind, average=False, shuffle=False)
    trainer = rv.Trainer(DATA, settings)
    for number in range(WORDS):
        before, state, one = trainer.model("f8"), trainer.advance(1), DATA.take([number])
        log_emit, truth = one.log_emits(before.emission)[0], [LABELS[y] for y in one.gold]
        lattice = lattice_of(before, log_emit, settings)
        log_prob = rv.log_prob(lattice, truth)
        assert state.lost == (log_prob == -np.inf)
        if not state.lost:
            assert state.log_likelihood == pytest.approx(log_prob, rel=1e-9, abs=1e-12)
        if not (state.lost and settings.lost_gold == "early"):
            batch = infer(before, [log_emit], settings)
            assert state.mean_length == pytest.approx(batch.mean_length[0], rel=1e-9, abs=1e-12)


def infer(model, log_emits, settings):
    return rv.infer_batch(
        model,
        log_emits,
        settings.method,
        settings.budget,
        passes=settings.passes,
        deduplicate=settings.deduplicate,
        dtype="f8",
    )


@each_kind
def test_held_out_numbers_are_those_of_the_states_model(kind):
    """Decoded in bulk by the method that is trained; recall at 99 % by its definition."""
    settings = settings_of(kind)
    for state, _ in finish(rv.Trainer(DATA, settings, HELD_OUT)):
        batch = infer(state.model, HELD_OUT.log_emits(state.model.emission), settings)
        right = np.array([np.array_equal(*pair) for pair in zip(batch.labels, HELD_OUT.golds(), strict=True)])
        confidence = np.exp(batch.log_prob)
        best_first = right[np.argsort(-confidence, kind="stable")]
        enough = [k for k in range(1, len(right) + 1) if best_first[:k].mean() >= 0.99]
        assert state.accuracy == right.mean()
        assert state.recall_99 == pytest.approx(max(enough, default=0) / len(right))
        assert state.confidence == pytest.approx(confidence.mean(), rel=1e-5)
    assert all(np.isnan(getattr(rv.Trainer(DATA, settings).advance(), name)) for name in MEASURES)


@each_kind
def test_the_likelihood_rises_and_every_state_stays_as_it_was(kind):
    """What ``skip`` leaves out may become less likely."""
    trainer = rv.Trainer(DATA, settings_of(kind, epochs=20, budget=6))
    first = trainer.advance()
    kept = numbers(first), flat_model(first.model).tobytes()
    last, _ = finish(trainer)[-1]
    assert last.log_likelihood > first.log_likelihood or "skip" in kind
    assert (numbers(first), flat_model(first.model).tobytes()) == kept and not first.model.weights.flags.writeable
    assert first.seconds < last.seconds
    with pytest.raises(FrozenInstanceError):
        first.step = 0
    with pytest.raises(ValueError, match="epochs"):
        trainer.advance()


def test_two_trainings_at_once_do_not_meet():
    """Kernels run without the interpreter's lock: nothing that one writes may be shared."""

    def run(kind):
        return recorded(finish(rv.Trainer(DATA, settings_of(kind, epochs=10), HELD_OUT), 1))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, KINDS)) == list(map(run, KINDS))


def test_a_model_of_a_training_can_be_saved_and_started_from(tmp_path):
    """Training starts from its weights with fresh AdaGrad squares; models of another shape are refused."""
    settings = settings_of("repaired, additive")
    trainer = rv.Trainer(DATA, settings)
    model = trainer.advance().model
    model.save(tmp_path / "model.npz")
    again = rv.NgramModel.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(flat_model(rv.Trainer(DATA, settings, start=again).model()), flat_model(model))
    other_labels = rv.Sequences.from_arrays([np.ones((1, F))], ["x"], "xyz")
    other_features = rv.Sequences.from_arrays([np.ones((1, 2))], ["a"], LABELS)
    for data, changed in ((DATA, {"order": 3}), (DATA, {"mode": "single"}), (other_labels, {}), (other_features, {})):
        with pytest.raises(ValueError, match="start: .*order or mode"):
            rv.Trainer(data, replace(settings, **changed), start=model)


BAD_SETTINGS = {
    "method": ({"method": "viterbi"}, "method 'viterbi': choose one of rcms, beam"),
    "mode": ({"mode": "all"}, "mode 'all'"),
    "lost gold": ({"lost_gold": "cry"}, "lost_gold 'cry'"),
    "table": ({"table": "sparse"}, "table 'sparse'"),
    "budget": ({"budget": 0}, "budget 0"),
    "order": ({"order": 0}, "order 0: a whole number from 1"),
    "order as text": ({"order": "3"}, "order '3'"),
    "passes": ({"passes": 11}, "passes 11"),
    "passes of a beam": ({"method": "beam", "passes": 2}, "only rcms"),
    "epochs": ({"epochs": 0}, "epochs 0"),
    "seed": ({"seed": -1}, "seed -1"),
    "eta": ({"eta": 0.0}, "eta 0.0: a positive number"),
    "eta not a number": ({"eta": float("nan")}, "eta nan"),
    "delta": ({"delta": -1e-4}, "delta -0.0001"),
    "l2": ({"l2": float("inf")}, "l2 inf: a non-negative number"),
    "average": ({"average": "yes"}, "average 'yes'"),
    "shuffle": ({"shuffle": None}, "shuffle None"),
    "deduplicate": ({"deduplicate": 2}, "deduplicate 2"),
}


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_settings_that_mean_nothing_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        rv.Training(**settings)


@each_kind
def test_settings_come_back_from_a_dict(kind):
    settings = settings_of(kind)
    assert rv.Training.from_dict(settings.to_dict()) == settings
    with pytest.raises(ValueError, match="'speed'"):
        rv.Training.from_dict({"speed": 9})


def with_labels(labels, T=1):
    return rv.Sequences.from_arrays([np.ones((T, 1))], [labels[:1] * T], labels)


BAD_DATA = {
    "unlabelled": (rv.Sequences.from_arrays([np.ones((1, 1))] * 2, None, "ab"), {}, "gold|label"),
    "one position unlabelled": (replace(DATA, gold=np.r_[DATA.gold[:-1], -1]), {}, "gold|label"),
    "none": (DATA.take([]), {}, "no sequences"),
    "a reserved label": (with_labels(["a", "*"]), {}, "reserved"),
    "a label twice": (with_labels(["a", "a"]), {}, "repeat"),
    "too many labels": (with_labels([f"w{k}" for k in range(100_000)]), {}, "100,000 labels.*join rare ones"),
    "too many contexts": (
        with_labels([f"w{k}" for k in range(3000)], 3),
        {"method": "exact", "order": 2},
        "exact.*(rcms|lower)",
    ),
    "too many arcs": (with_labels([f"w{k}" for k in range(3000)], 50), {"budget": 10**6, "order": 1}, "budget"),
    "too long": (with_labels(["a"], 2001), {}, "2001 positions"),
}


@pytest.mark.parametrize(("data", "settings", "message"), BAD_DATA.values(), ids=BAD_DATA)
def test_data_that_cannot_be_trained_on_are_named(data, settings, message):
    with pytest.raises(ValueError, match=message):
        rv.Trainer(data, rv.Training(**settings))


def test_held_out_data_of_another_kind_are_named():
    for held_out, message in (
        (DATA.take([]), "no sequences"),
        (replace(DATA, labels=tuple("xyz")), "labels"),
        (replace(DATA, F=F + 1), "features"),
    ):
        with pytest.raises(ValueError, match=message):
            rv.Trainer(DATA, rv.Training(), held_out)


@each_kind
def test_one_label_is_certain(kind):
    """V = 1: nothing to learn, nothing moves, every length from one position on."""
    data = rv.Sequences.from_arrays([np.ones((n, 2)) for n in (1, 2, 5)], ["a", "aa", "aaaaa"], "a")
    for state, weights in finish(rv.Trainer(data, settings_of(kind, l2=0.0), data)):
        assert state.log_likelihood == pytest.approx(0, abs=1e-12) and state.accuracy == 1
        np.testing.assert_allclose(np.frombuffer(weights), 0, atol=1e-12)


@each_kind
def test_without_features_the_labels_are_learned(kind):
    data = rv.Sequences.from_arrays([np.zeros((3, 0))] * 4, ["abc"] * 4, LABELS)
    state, _ = finish(rv.Trainer(data, settings_of(kind, epochs=30, budget=6), data))[-1]
    assert state.accuracy == 1 and state.log_likelihood > -0.5


def test_a_feature_named_twice_counts_twice():
    once = rv.Sequences.from_entries([0, 1, 3], [0, 0, 1], [3.0, 1.0, 1.0], [2], ["ab"], LABELS, 2)
    twice = rv.Sequences.from_entries([0, 2, 4], [0, 0, 0, 1], [1.0, 2.0, 1.0, 1.0], [2], ["ab"], LABELS, 2)
    for kind in KINDS:
        one, two = (finish(rv.Trainer(data, settings_of(kind)))[-1][1] for data in (once, twice))
        np.testing.assert_allclose(np.frombuffer(two), np.frombuffer(one), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("examples", [0, -1, 2.5, "x"])
def test_examples_at_once_are_counted(examples):
    trainer = rv.Trainer(DATA, settings_of("rcms"))
    with pytest.raises(ValueError, match="at once"):
        trainer.advance(examples)
    assert trainer.step == 0


def test_weights_beyond_single_precision_are_no_model():
    with pytest.raises(ValueError, match="lower eta"):
        list(rv.train(DATA, rv.Training(order=1, eta=1e300)))


@each_kind
def test_huge_features_and_steps_stay_finite(kind):
    """Scores of tens of thousands: far beyond what exponentials hold."""
    data = replace(DATA, value=DATA.value * 1e4)
    for state, weights in finish(rv.Trainer(data, settings_of(kind, eta=10.0, epochs=4), data)):
        assert np.isfinite(np.frombuffer(numbers(state))).all() and np.isfinite(np.frombuffer(weights)).all()
