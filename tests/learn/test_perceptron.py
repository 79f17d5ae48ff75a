"""The structured perceptron compared with its definition: prediction, updates, averages, steps, temperatures."""

import json
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import learning, perceptron
from problems.chain import problems_of
from problems.learning import Case, cases, columns_of, data_of, flat, flat_model, model_of, step
from problems.perceptron import SEARCHES, Course, courses, generic, tied_cases, update_of, updates_of
from rcmviz.core.methods import TRAINABLE
from rcmviz.learn import tables
from rcmviz.learn.trainer import FitTrainer
from support.toy_trainings import DATA, HELD_OUT, WORDS, bits, finish, numbers, recorded, sequences

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
SEARCHED = [(method, rule) for method in SEARCHES for rule in updates_of(method)]
OTHERS = [(method, mode) for method in ("rcms", "beam", "repaired") for mode in ("single", "additive")]
KINDS = {
    "exact": {"method": "exact"},
    "exact, additive, max-violation": {"method": "exact", "mode": "additive", "update": "max-violation"},
    "greedy, early": {"method": "greedy", "update": "early"},
    "beam": {"method": "beam"},
    "beam, early, additive": {"method": "beam", "update": "early", "mode": "additive"},
    "beam, max-violation, mira": {"method": "beam", "update": "max-violation", "mira": 0.1, "deduplicate": True},
    "rcms, two passes": {"passes": 2, "deduplicate": True},
    "rcms, max-violation, additive": {"update": "max-violation", "mode": "additive"},
    "repaired": {"method": "repaired"},
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def settings_of(kind, **more):
    return rv.Training(
        **{"order": 2, "budget": 2, "epochs": 2, "objective": "perceptron", "average": True} | KINDS[kind] | more
    )


def stepped(case):
    """The trainer's first step on a case: ``(state, weights)``."""
    trainer = rv.Trainer(data_of(case.example, F=case.F), case.settings, start=model_of(case))
    return trainer.advance(1), flat_model(trainer.model("f8"))


def check_step(case, columns, **close):
    """The trainer's step and its state equal the oracle's."""
    update, (state, weights) = update_of(case, columns), stepped(case)
    expected = {name: float(weight) for name, weight in update.applied(case.weights, case.settings.mira).items()}
    np.testing.assert_allclose(weights, flat(case, expected), **close)
    assert state.log_likelihood == pytest.approx(-float(update.lead), **{"abs": close["atol"], "rel": close["rtol"]})
    assert state.gradient_norm == pytest.approx(float(update.norm) ** 0.5, rel=1e-12)
    assert state.lost == (learning.fell_off(case.example, columns, case.root) is not None)


@pytest.mark.parametrize(("method", "rule"), SEARCHED, ids=map("-".join, SEARCHED))
def test_a_step_is_its_definition_also_where_outputs_tie(method, rule):
    """Contexts, prediction and cut by enumeration, in numbers that floats hold exactly."""

    @problems_of(30)
    @given(tied_cases(method, rule))
    def check(case):
        columns = Course((), case.F, case.settings).columns(case.example, case.weights)
        check_step(case, columns, rtol=1e-14 if case.settings.mira else 0, atol=1e-14 if case.settings.mira else 0)

    check()


@pytest.mark.parametrize(("method", "mode"), OTHERS, ids=map("-".join, OTHERS))
def test_a_step_follows_the_contexts_that_were_selected(method, mode):
    """The contexts are the stepwise builder's: several passes, joined contexts, a weighted root."""

    @problems_of(15)
    @given(cases(method, mode), st.sampled_from(updates_of(method)))
    def check(case, rule):
        case = generic(case, rule)
        check_step(case, columns_of(case), **CLOSE)

    check()


@pytest.mark.parametrize(("method", "rule"), SEARCHED, ids=map("-".join, SEARCHED))
def test_the_average_is_the_mean_of_all_weights_bit_for_bit(method, rule):
    """Over the n + 1 vectors from zero on, of three epochs; the weights of each step are the oracle's."""

    @problems_of(5)
    @given(courses(method, rule))
    def check(course):
        data = data_of(*course.examples, F=course.F)
        trainers = [rv.Trainer(data, replace(course.settings, average=average)) for average in (False, True)]
        vectors, case = [{}], Case(course.examples[0], course.F, {}, course.settings)
        while not trainers[0].done:
            example = course.examples[trainers[0].step % 3]
            columns = course.columns(example, vectors[-1])
            vectors.append(perceptron.update(rule, example, columns, vectors[-1]).applied(vectors[-1]))
            plain, averaged = (flat_model(trainer.advance(1) and trainer.model("f8")) for trainer in trainers)
            assert plain.tobytes() == positive(flat(case, floats(vectors[-1]))).tobytes()
            assert averaged.tobytes() == positive(flat(case, floats(perceptron.mean(vectors)))).tobytes()

    check()


def floats(weights):
    return {name: float(weight) for name, weight in weights.items()}


@pytest.mark.parametrize("mode", ["single", "additive"])
@pytest.mark.parametrize("farthest", [tables.MOST_DRIFT, 5.0])
def test_a_fit_counts_in_whole_numbers_with_the_same_results(mode, farthest):
    """Results are equal bit for bit, also if sums overflow into double precision; features may repeat."""
    rng = np.random.default_rng(4)
    lengths, positions = [1, 4, 3, 5], 13
    data = rv.Sequences.from_entries(
        np.arange(positions + 1) * 3,
        rng.integers(0, 6, 3 * positions),
        np.ones(3 * positions),
        lengths,
        [rng.choice(list("abc"), size=n) for n in lengths],
        "abc",
        6,
    )
    data = replace(data, value=np.broadcast_to(1.0, 3 * positions))
    settings = settings_of("exact", mode=mode, epochs=5, update="max-violation")
    with mock.patch.object(tables, "MOST_DRIFT", farthest):
        counting, whole = FitTrainer(data, settings), rv.Trainer(data, settings)
        assert (counting.tables.emission[0].dtype, counting.tables.windows[0].dtype) == (np.int32, np.float64)
        assert recorded(finish(counting)) == recorded(finish(whole))
        assert (counting.tables.emission[0].dtype == np.int32) == (farthest > 5)
    for other in (replace(data, value=np.full(3 * positions, 0.5)), data):
        kept = FitTrainer(other, replace(settings, mira=0.0 if other is not data else 0.1))
        assert kept.tables.emission[0].dtype == np.float64


def positive(values):
    """Without zeros that are negative."""
    return values + 0.0


def test_early_and_max_violation_cut_where_they_say_by_hand():
    """A beam of one after ``a``; the gold ``bab`` is lost at once, and falls behind most after two labels."""
    example = learning.Example(("a", "b"), 1, "single", ({}, {}, {}), ("b", "a", "b"))
    weights = {("window", ("^", "a")): 1, ("window", ("a", "b")): 2, ("window", ("b", "b")): -1}
    weights[("window", ("a", "a"))], weights[("window", ("b", "a"))] = -3, 1
    cuts = {}
    for rule in ("standard", "early", "max-violation"):
        settings = rv.Training("beam", budget=1, order=1, objective="perceptron", update=rule, epochs=1)
        case = Case(example, 0, weights, settings)
        update = update_of(case, perceptron.beam_columns(example, weights, 1))
        cuts[rule] = update.cut, "".join(update.predicted)
        check_step(case, perceptron.beam_columns(example, weights, 1), rtol=0, atol=0)
    assert cuts == {"standard": (3, "aba"), "early": (1, "a"), "max-violation": (2, "ab")}


def test_a_passive_aggressive_step_by_hand():
    """``aa`` leads the gold ``bb`` by 2, two labels are wrong, the squares sum to 12: a third, or the most allowed."""
    data = rv.Sequences.from_arrays([np.zeros((2, 0))], ["bb"], "ab")
    start = rv.NgramModel.from_windows("ab", 1, {("^", "a"): 2.0}, emission=np.zeros((1, 2)))
    for most, size in ((9.0, 4 / 12), (0.25, 0.25)):
        settings = rv.Training("exact", order=1, objective="perceptron", mira=most)
        trainer = rv.Trainer(data, settings, start=start)
        trainer.advance(1)
        model = trainer.model("f8")
        np.testing.assert_allclose(model.emission, [[-2 * size, 2 * size]])
        assert flat_model(model)[model.address_of_window(("^", "b"), {"a": 0, "b": 1})[0] * 2 + 1] == size


@each_kind
def test_hashed_weights_are_the_dense_ones(kind):
    if "exact" in kind:
        return
    dense, hashed = (
        recorded(finish(rv.Trainer(DATA, settings_of(kind, table=table), HELD_OUT), 3)) for table in ("dense", "hashed")
    )
    same = hashed == dense
    assert same


@each_kind
def test_a_resumed_training_is_the_uninterrupted_one(kind, tmp_path):
    """This includes weights that returned to zero: their averages are not zero."""
    settings = settings_of(kind)
    singles = finish(rv.Trainer(DATA, settings, HELD_OUT), 1)
    for stop in range(0, 2 * WORDS + 1, 3):
        trainer = rv.Trainer(DATA, settings, HELD_OUT)
        while trainer.step < stop:
            trainer.advance(1)
        trainer.save(tmp_path / "run.npz")
        again = rv.Trainer.resume(tmp_path / "run.npz", DATA, HELD_OUT)
        assert again.step == stop and again.settings == settings and bits(again) == bits(trainer)
        same = recorded(finish(again, 1)) == recorded(singles[stop:])
        assert same


@each_kind
def test_it_learns_separable_data(kind):
    """To the end: every sequence is right, so no step moves anything."""
    data = rv.Sequences.from_arrays([np.eye(3), np.eye(3)[::-1], np.eye(3)[[1, 0, 2]]], ["abc", "cba", "bac"], "abc")
    state, _ = finish(rv.Trainer(data, settings_of(kind, epochs=30), data))[-1]
    assert state.accuracy == 1 and state.gradient_norm == 0 and state.log_likelihood == 0


@each_kind
def test_decoding_is_what_it_is_trained_with(kind):
    """An example that ``infer_batch`` decodes rightly is left alone, any other is not (by a step over all of it)."""
    settings = settings_of(kind, update="standard", average=False)
    trainer = rv.Trainer(sequences(3, 20), settings)
    trainer.advance()
    model, data = trainer.model("f8"), trainer.data
    found = rv.infer_batch(
        model,
        data.log_emits(model.emission),
        settings.method,
        settings.budget,
        passes=settings.passes,
        deduplicate=settings.deduplicate,
        dtype="f8",
    )
    for number, (labels, gold) in enumerate(zip(found.labels, data.golds(), strict=True)):
        state = rv.Trainer(data.take([number]), settings, start=model).advance()
        assert (state.gradient_norm == 0) == np.array_equal(labels, gold)


@problems_of(20)
@given(cases("rcms", "additive", l2=0.0))
def test_at_temperature_1_the_step_is_the_gradient_of_the_likelihood(case):
    """The trainer's first AdaGrad step is the gradient itself (``problems.learning.GENTLE``)."""
    (tempered,) = explained(case, (1.0,)).tempered
    np.testing.assert_allclose(step(case)[1], flat(case, differences(tempered.changes)), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", list(TRAINABLE))
def test_expected_counts_at_a_temperature_are_those_of_all_outputs(method):
    @problems_of(6)
    @given(cases(method, "single"))
    def check(case):
        case = generic(case, "standard")
        for tempered in explained(case, (0.5, 1.0, 3.0)).tempered:
            expected = perceptron.expected(
                case.example, columns_of(case), case.weights, tempered.temperature, case.root
            )
            np.testing.assert_allclose(flat(case, differences(tempered.changes)), flat(case, expected), **CLOSE)

    check()


@pytest.mark.parametrize("method", ["exact", "beam", "rcms"])
def test_as_the_temperature_falls_the_step_becomes_the_perceptrons(method):
    """This holds if the best output is unique; at zero it is the definition."""

    @problems_of(8)
    @given(cases(method, "single"))
    def check(case):
        case = generic(case, "standard")
        ranked = sorted(
            float(perceptron.score(counts, case.weights))
            for _, counts in perceptron.outputs(case.example, columns_of(case), case.root)
        )
        gap = ranked[-1] - ranked[-2] if len(ranked) > 1 else 1.0
        assume(gap > 1e-6)
        cold, zero = explained(case, (gap / 60, 0.0)).tempered
        update = perceptron.update("standard", case.example, columns_of(case), case.weights, case.root)
        np.testing.assert_allclose(
            flat(case, differences(cold.changes)), flat(case, floats(update.difference)), **CLOSE
        )
        np.testing.assert_allclose(
            flat(case, differences(zero.changes)), flat(case, floats(update.difference)), **CLOSE
        )

    check()


def explained(case, temperatures=()):
    data = data_of(case.example, F=case.F)
    return rv.explain_update(model_of(case), data, case.settings, temperatures, shown=10**6)


def differences(changes):
    """{weight of the oracle: difference}."""
    names = {"window": lambda name: ("window", name), "root": lambda name: learning.ROOT, "feature": _of_feature}
    return {names[change.kind](change.name): change.difference for change in changes}


def _of_feature(name):
    feature, label = name
    return "emission", learning.BIAS if feature == "bias" else int(feature), label


@pytest.mark.parametrize("method", list(TRAINABLE))
def test_an_explained_update_is_the_trainers_next_step(method):
    @problems_of(6)
    @given(cases(method, "additive"), st.sampled_from(updates_of(method)))
    def check(case, rule):
        case = generic(case, rule)
        case = replace(case, settings=replace(case.settings, mira=0.3))
        found, (state, weights) = explained(case), stepped(case)
        own = next(iter(found.steps.values()))
        moved = {name: own.size * count for name, count in differences(own.changes).items()}
        after = {name: case.weights.get(name, 0.0) + moved.get(name, 0.0) for name in {*case.weights, *moved}}
        np.testing.assert_allclose(weights, flat(case, after), **CLOSE)
        assert own.update == rule and own.lead == pytest.approx(-state.log_likelihood, abs=1e-8)
        assert own.norm == pytest.approx(state.gradient_norm) and (found.lost_at is not None) == state.lost

    check()


@problems_of(20)
@given(tied_cases("beam", "early"))
def test_an_explanation_says_where_each_rule_cuts(case):
    """It compares gold and best prefixes at every position, in values that JSON can hold."""
    columns = perceptron.beam_columns(case.example, case.weights, case.settings.budget)
    assume(columns_of(case) == columns)
    found = explained(case, (0.0, 1.0))
    assert json.loads(json.dumps(found.to_dict()))["gold"] == list(case.example.gold)
    behind = list(perceptron.violations(case.example, columns, case.weights))
    assert [prefix.best - prefix.gold for prefix in found.prefixes] == pytest.approx(list(map(float, behind)), abs=1e-9)
    assert found.lost_at == learning.fell_off(case.example, columns)
    for rule, one in found.steps.items():
        assert one.cut == perceptron.cut_of(rule, case.example, columns, case.weights)
    kept = [sum(context.gold for context in column) for column in found.columns]
    assert kept == [int(found.lost_at is None or i < found.lost_at) for i in range(len(kept))]


def test_unexplainable_cases_are_refused():
    settings = settings_of("exact")
    model = rv.Trainer(DATA, settings).model()
    with pytest.raises(ValueError, match="7 sequences"):
        rv.explain_update(model, DATA, settings)
    with pytest.raises(ValueError, match="no gold label"):
        rv.explain_update(model, replace(DATA.take([0]), gold=DATA.take([0]).gold * 0 - 1), settings)
    with pytest.raises(ValueError, match="temperature -1"):
        rv.explain_update(model, DATA.take([0]), settings, [-1])


BAD_SETTINGS = {
    "objective": ({"objective": "hinge"}, "objective 'hinge': choose one of likelihood, perceptron"),
    "update": ({"objective": "perceptron", "update": "late"}, "update 'late': choose one of standard, early"),
    "mira": ({"objective": "perceptron", "mira": -1.0}, "mira -1.0: a non-negative number"),
    "update of a likelihood": ({"update": "early"}, "objective 'likelihood'"),
    "mira of a likelihood": ({"mira": 0.5}, "mira 0.5: objective 'likelihood'"),
    "eta of a perceptron": ({"objective": "perceptron", "eta": 0.5}, "eta 0.5: .* no such setting; leave it at 0.2"),
    "lost gold of a perceptron": ({"objective": "perceptron", "lost_gold": "early"}, "lost_gold 'early': objective"),
    "penalty of a perceptron": ({"objective": "perceptron", "l2": 0.1}, "l2 0.1: objective"),
    "early with rcms": ({"objective": "perceptron", "update": "early"}, "with rcms no gold falls off"),
    "early with exact": (
        {"objective": "perceptron", "update": "early", "method": "exact"},
        "with exact no gold falls off",
    ),
}


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_settings_that_do_not_go_together_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        rv.Training(**settings)


def test_features_beyond_what_numbers_hold_are_named():
    data = replace(DATA, value=DATA.value * 1e300)
    with pytest.raises(ValueError, match="scale the features down"):
        list(rv.train(data, settings_of("beam", epochs=5)))


def test_settings_of_a_likelihood_do_not_name_the_objective(tmp_path):
    """Settings in checkpoints, models and stored cells without an objective mean a likelihood."""
    usual = rv.Training()
    assert not {"objective", "update", "mira"} & set(usual.to_dict())
    assert rv.Training.from_dict(usual.to_dict()) == usual
    X, y = [[["the"], ["cat"]], [["a"], ["dog"]]], [["DET", "NOUN"]] * 2
    rv.SequenceClassifier(order=1, epochs=5).fit(X, y).save(tmp_path / "tagger.npz")
    again = rv.SequenceClassifier.load(tmp_path / "tagger.npz")
    assert "objective" not in again.model_.info["training"]
    assert again.objective == "likelihood" and again.predict(X) == y


def test_a_classifier_can_be_a_perceptron(tmp_path):
    X, y = [[["the"], ["cat"]], [["a"], ["dog"], ["ran"]]], [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
    how = {"method": "beam", "budget": 3, "order": 1, "objective": "perceptron", "update": "early", "average": True}
    fitted = rv.SequenceClassifier(**how, epochs=10).fit(X, y)
    assert fitted.predict(X) == y
    fitted.save(tmp_path / "tagger.npz")
    again = rv.SequenceClassifier.load(tmp_path / "tagger.npz")
    assert again.get_params() == fitted.get_params() and again.predict(X) == y
    with pytest.raises(ValueError, match="update 'early'"):
        fitted.set_params(method="exact").fit(X, y)


def test_states_do_not_depend_on_how_often_they_are_requested():
    singles = finish(rv.Trainer(DATA, settings_of("beam, early, additive"), HELD_OUT), 1)
    for state, weights in finish(rv.Trainer(DATA, settings_of("beam, early, additive"), HELD_OUT), 4):
        same = weights == singles[state.step - 1][1]
        assert same and numbers(state)[:16] == numbers(singles[state.step - 1][0])[:16]
