"""Methods of the sequence classifier that users of CRFsuite and scikit-learn expect."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import rcmviz as rv
from rcmviz import SequenceClassifier

X = [[["the"], ["cat"]], [["a"], ["dog"], ["sat"]], [["the"], ["dog"]], [["a"], ["cat"], ["sat"]]] * 3
Y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]] * 6


def learner(**settings):
    return SequenceClassifier(**({"order": 1, "epochs": 3, "budget": 5} | settings))


@pytest.fixture(scope="module")
def fitted():
    return learner().fit(X, Y)


def test_empty_sequences_have_empty_answers(fitted):
    mixed = [[], X[0], [], X[1]]
    assert fitted.predict(mixed) == [[], *fitted.predict(X[:1]), [], *fitted.predict(X[1:2])]
    assert [rows.shape for rows in fitted.predict_proba(mixed)] == [(0, 3), (2, 3), (0, 3), (3, 3)]
    assert fitted.predict([[]]) == fitted.predict_marginals([[]]) == [[]]
    labels, sure = fitted.predict_with_confidence(mixed)
    assert labels == fitted.predict(mixed) and sure[[0, 2]].tolist() == [1, 1]
    np.testing.assert_array_equal(sure[[1, 3]], fitted.predict_with_confidence(X[:2])[1])
    np.testing.assert_array_equal(np.exp(fitted.predict_log_proba_sequence(mixed)), sure)
    nothing, certain = fitted.predict_with_confidence([[]])
    assert nothing == [[]] and certain.tolist() == [1] and fitted.predict_log_proba_sequence([[]]).tolist() == [0]


def holes(sequences, hole=()):
    """The sequences with empty ones among them."""
    return [list(hole), sequences[0], list(hole), *sequences[1:], list(hole)]


@pytest.mark.parametrize("settings", [{}, {"early_stopping": True, "epochs": 6}, {"forbidden": [("VERB", "DET")]}])
def test_empty_sequences_are_ignored_in_training(settings):
    weights = np.arange(1, 13) % 3
    for given, weighted in ((None, None), (weights, [5, weights[0], 0, *weights[1:], 1])):
        full = learner(**settings).fit(X, Y, held_out=(X[:3], Y[:3]), sample_weight=given)
        some = learner(**settings).fit(
            holes(X), iter(holes(Y)), held_out=(holes(X[:3]), holes(Y[:3])), sample_weight=weighted
        )
        np.testing.assert_array_equal(full.model_.emission, some.model_.emission)
        np.testing.assert_array_equal(full.model_.weights, some.model_.weights)
        assert [entry["accuracy"] for entry in full.history_] == [entry["accuracy"] for entry in some.history_]
    batch, batches = (learner().partial_fit(*pair).partial_fit(*pair) for pair in ((X, Y), (holes(X), holes(Y))))
    np.testing.assert_array_equal(batch.model_.emission, batches.model_.emission)
    rows = [np.eye(5)[[sum(map(ord, name)) % 5 for (name,) in x]] for x in X]
    models = [learner().fit(given, y).model_ for given, y in ((rows, Y), (holes(rows, np.zeros((0, 5))), holes(Y)))]
    np.testing.assert_array_equal(models[0].emission, models[1].emission)


def test_empty_sequences_are_left_out_of_scores(fitted):
    wrong = [Y[1], *Y[1:]]
    assert fitted.score(holes(X[1:2] + X[1:]), holes(wrong)) == fitted.score(X[1:2] + X[1:], wrong)
    pair, weights = (X[:2], [["NOUN", "NOUN"], Y[1]]), [3.0, 1.0]
    for score in (fitted.score, fitted.score_labels):
        assert 0 < score(*pair, sample_weight=weights) < 1
        some = score(*map(holes, pair), sample_weight=[9.0, 3.0, 9.0, 1.0, 0.0])
        assert some == score(*pair, sample_weight=weights)
        with pytest.raises(ValueError, match="all sequences are empty"):
            score([[]], [[]])
        with pytest.raises(ValueError, match=r"sample_weight .*\(2,\)"):
            score([[], X[0]], [[], Y[0]], sample_weight=[1.0, 0.0])


def test_a_message_counts_empty_sequences_and_from_one(fitted):
    odd = [[], [["the"]], [], [["a"], {"x": float("nan")}]]
    rows = [np.zeros((0, 2)), np.ones((1, 2)), np.array([[1, 0], [0, np.nan]])]
    with pytest.raises(ValueError, match="sequence 4, position 2: .*'x' is nan"):
        learner().fit(odd, [[], ["DET"], [], ["DET", "NOUN"]])
    with pytest.raises(ValueError, match="sequence 3, position 2: .*1 is nan"):
        learner().fit(rows, [[], ["DET"], ["DET", "NOUN"]])
    with pytest.raises(ValueError, match="sequence 3, position 1: .*dict"):
        fitted.predict([[], [["the"]], [7]])
    with pytest.raises(ValueError, match="sequence 3: 1 features .*sequence 2 has 2"):
        learner().fit([*rows[:2], np.ones((1, 1))], [[], ["DET"], ["DET"]])


def test_switches_and_pairs_are_no_texts_and_no_halves():
    for name in ("early_stopping", "warm_start"):
        with pytest.raises(ValueError, match=f"{name} 'no': True or False"):
            learner(**{name: "no"}).fit(X, Y)
    for held_out in ((X[:2],), X[:3], 5):  # the first would be compared with no labels
        with pytest.raises(ValueError, match="held_out: give a pair"):
            learner().fit(X, Y, held_out=held_out)


def test_a_feature_far_larger_than_others_is_named():
    timed = [[{"word": word, "time": -1.7e9 * (word == "sat")} for (word,) in x] for x in X]
    with pytest.warns(UserWarning, match="feature 'time' .*-1,700,000,000") as caught:
        learner().fit(timed, Y)
    assert caught[0].filename == __file__
    rows = [np.array([[0, 1000.0]] * len(x)) for x in X]
    with pytest.warns(UserWarning, match="feature 1 .*1,000"):
        learner().partial_fit(rows, Y)


def test_a_file_answers_as_the_classifier_was_set_when_it_was_saved(tmp_path):
    classifier = learner(budget=5).fit(X, Y).set_params(method="beam", budget=np.int64(1), deduplicate=True)
    classifier.save(tmp_path / "set.npz")
    again = SequenceClassifier.load(tmp_path / "set.npz")
    assert (again.method, again.budget, again.deduplicate) == ("beam", 1, True)
    np.testing.assert_array_equal(again.predict_log_proba_sequence(X), classifier.predict_log_proba_sequence(X))
    assert again.model_.info["training"]["budget"] == 5  # what it learnt with
    again.set_params(method="rcms", budget=5, passes=2, deduplicate=False).save(tmp_path / "set.npz")
    back = SequenceClassifier.load(tmp_path / "set.npz")
    assert (back.method, back.budget, back.passes, back.deduplicate) == ("rcms", 5, 2, False)


@pytest.mark.parametrize("objective", ["likelihood", "perceptron"])
def test_a_file_keeps_all_parameters(objective, tmp_path):
    options = {
        "n_jobs": np.int64(2),
        "verbose": 1,
        "warm_start": True,
        "early_stopping": True,
        "validation_fraction": 0.3,
        "n_iter_no_change": 2,
        "min_weight": np.float32(0.25),
        "test_budget": 3,
        "forbidden": (("VERB", "DET"),),
    }
    classifier = learner(objective=objective, **options).fit(X, Y)
    for _ in range(2):
        classifier.save(tmp_path / "kept.npz")
        again = SequenceClassifier.load(tmp_path / "kept.npz")
        assert again.get_params() == classifier.get_params()
        assert again.predict(X) == classifier.predict(X)
        classifier.set_params(epochs=np.int64(7), objective="likelihood", eta=0.5, random_state=3, n_jobs=None)
    assert again.fit(X, Y).get_params() == classifier.get_params()


@pytest.mark.parametrize("parameters", [{"n_jobs": "two"}, {"min_weight": []}, {"verbose": float("inf")}, 5])
def test_parameters_of_a_damaged_file_are_refused(parameters, fitted, tmp_path):
    model = replace(fitted.model_, info=fitted.model_.info | {"parameters": parameters})
    model.save(tmp_path / "spoilt.npz")
    with pytest.raises(ValueError, match="spoilt.npz: .*damaged"):
        SequenceClassifier.load(tmp_path / "spoilt.npz")


def test_a_file_of_before_has_the_usual_parameters(fitted, tmp_path):
    """Files of earlier versions lack ``parameters`` and later settings."""
    fitted.model_.save(tmp_path / "before.npz")
    assert SequenceClassifier.load(tmp_path / "before.npz").get_params() == fitted.get_params()


def test_an_encoder_is_one_line_however_many_features_it_has(fitted):
    assert repr(fitted.encoder_) == "<Encoder: 3 labels, 5 features>"


def test_marginals_by_name_are_the_probabilities(fitted):
    (rows,), (named,) = fitted.predict_proba(X[:1]), fitted.predict_marginals(X[:1])
    assert [list(one.values()) for one in named] == rows.tolist() and list(named[0]) == fitted.classes_.tolist()


def test_names_and_epochs_are_available(fitted):
    assert fitted.feature_names_in_.tolist() == ["a", "cat", "dog", "sat", "the"] and fitted.n_iter_ == 3
    rows = learner(epochs=1).fit([np.eye(2)], [["a", "b"]])
    assert not hasattr(rows, "feature_names_in_") and rows.n_iter_ == 1


def test_weights_are_visits():
    weights = [2, 0, 1, 3] * 3
    weighted = learner(shuffle=False).fit(X, Y, sample_weight=weights)
    repeated = learner(shuffle=False)
    kept = [n for n, weight in enumerate(weights) for _ in range(weight)]
    repeated.fit([X[n] for n in kept], [Y[n] for n in kept])
    np.testing.assert_allclose(weighted.predict_proba(X[:1])[0], repeated.predict_proba(X[:1])[0], rtol=1e-6)
    for wrong in ([1, 2], [0] * 12, [0.5] * 12, [-1] * 12, [np.nan] * 12):
        with pytest.raises(ValueError, match="sample_weight .*whole numbers"):
            learner().fit(X, Y, sample_weight=wrong)


def test_a_warm_start_and_a_partial_fit_continue_from_the_weights():
    once = learner(epochs=1).fit(X, Y)
    before = once.history_[-1]["log_likelihood"]
    further = clone(once).set_params(warm_start=True).fit(X, Y).fit(X, Y)
    assert further.history_[0]["log_likelihood"] > before
    batches = learner().partial_fit(X, Y)
    first = batches.history_[0]["log_likelihood"]
    assert batches.partial_fit(X, Y, classes=["DET", "NOUN", "VERB"]).history_[0]["log_likelihood"] > first
    with pytest.raises(ValueError, match="'ADJ'; fit a new classifier"):
        batches.partial_fit([[["red"]]], [["ADJ"]])
    with pytest.raises(ValueError, match="classes: .*'DET', 'NOUN', 'VERB'"):
        batches.partial_fit(X, Y, classes=["DET"])


def test_a_first_batch_may_lack_labels_that_are_named():
    classes = ["VERB", "ADJ", "NOUN", "DET"]
    batches = learner().partial_fit(X, Y, classes=classes)
    assert batches.classes_.tolist() == sorted(classes)
    batches.partial_fit(X, [["ADJ"] * len(labels) for labels in Y]).partial_fit(X, Y, classes=classes)
    assert np.shape(batches.predict_proba(X[:1])[0])[1] == 4
    with pytest.raises(ValueError, match="classes .*'DET', 'NOUN', .*all labels"):
        learner().partial_fit(X, Y, classes=["VERB", "ADJ"])
    with pytest.raises(ValueError, match="'X'; .*classes="):
        batches.partial_fit([[["the"]]], [["X"]])
    with pytest.raises(ValueError, match="classes 3"):
        learner().partial_fit(X, Y, classes=3)


def test_features_that_the_first_batch_had_not_are_named():
    new = [[{"the": 1.0, "colour": "red"}, ["cat", "small"]]]
    for again in (learner().partial_fit(X, Y).partial_fit, learner(warm_start=True).fit(X, Y).fit):
        with pytest.warns(UserWarning, match="2 features .*'colour=red', 'small'"):
            again(new, [["DET", "NOUN"]])


@pytest.mark.parametrize("label", ["*", "^"])
def test_labels_that_windows_reserve_are_learnt(label, tmp_path):
    y = [[label if name == "DET" else "\\*" if name == "VERB" else name for name in labels] for labels in Y]
    for kind, settings in (
        (rv.SequenceClassifier, {"order": 1, "epochs": 20}),
        (rv.SearchClassifier, {"iterations": 3}),
    ):
        fitted = kind(**settings).fit(X, y)
        fitted.save(tmp_path / "model.npz")
        assert fitted.predict(X) == kind.load(tmp_path / "model.npz").predict(X) == y
        assert fitted.classes_.tolist() == sorted({label, "NOUN", "\\*"})


def test_early_stopping_keeps_the_best_epoch():
    wrong = [[label[::-1] for label in labels] for labels in Y]  # no answer is ever right, so none is better
    stopped = learner(epochs=50, early_stopping=True, n_iter_no_change=2).fit(X, Y, held_out=(X, wrong))
    first = learner(epochs=1).fit(X, Y)
    assert stopped.n_iter_ == 3
    np.testing.assert_array_equal(stopped.model_.emission, first.model_.emission)
    split = learner(epochs=50, early_stopping=True, n_iter_no_change=2).fit(X, Y)
    assert split.n_iter_ < 50 and split.history_[-1]["accuracy"] == 1
    with pytest.raises(ValueError, match="early stopping"):
        learner(early_stopping=True).fit(X[:1], Y[:1])


def test_truth_values_are_labels_and_come_back():
    model = learner().fit(X, [[label == "NOUN" for label in labels] for labels in Y])
    assert model.predict(X[:1]) == [[False, True]] and model.classes_.dtype == bool


def test_features_within_features_are_named_as_crfsuite_does():
    nested = [[{"word": "a", "-1": {"word": "b", "short": True}}]]
    model = learner(epochs=1).fit([*nested, *nested], [["p"], ["q"]])
    assert model.feature_names_in_.tolist() == ["-1:short", "-1:word=b", "word=a"]


def test_an_explanation_is_the_difference_of_two_models(fitted):
    x = [["the", "short"], ["dog", "cat"], ["sat"]]
    found = dict(fitted.explain(x, 2, "NOUN"))
    for feature, other in (("dog", "cat"), ("cat", "dog")):
        rows = [fitted.problem(one).log_emit for one in (x, [x[0], [other], x[2]])]
        noun = fitted.classes_.tolist().index("NOUN")
        whole, less = (np.log(rv.posterior(rv.rcms(fitted.model_, row, 5)[0]).label[1, noun]) for row in rows)
        assert found[feature] == pytest.approx(whole - less, abs=1e-6)
    for wrong, message in (((x, 4), "position"), ((x, 1, "ADJ"), "label 'ADJ': training has seen no such label")):
        with pytest.raises(ValueError, match=message):
            fitted.explain(*wrong)


def test_the_heaviest_weights_are_listed_by_name(fitted):
    feature, label, weight = fitted.top_features(1)[0]
    place = fitted.encoder_.names.index(feature) if feature != "bias" else -1
    assert (
        fitted.model_.emission[place, fitted.classes_.tolist().index(label)] == weight == fitted.model_.emission.max()
    )
    assert fitted.top_transitions(1)[0][1] == fitted.model_.weights.max()


def test_small_weights_are_left_out_with_their_features(tmp_path):
    whole, few = learner(epochs=5).fit(X, Y), learner(epochs=5, min_weight=0.5).fit(X, Y)
    kept = np.where(np.abs(whole.model_.emission) < 0.5, 0, whole.model_.emission)
    stays = np.any(kept != 0, axis=1) | (np.arange(len(kept)) == len(kept) - 1)
    np.testing.assert_array_equal(few.model_.emission, kept[stays])
    assert few.feature_names_in_.tolist() == whole.feature_names_in_[stays[:-1]].tolist()
    few.save(tmp_path / "few.npz")
    assert SequenceClassifier.load(tmp_path / "few.npz").predict(X) == few.predict(X) == Y
    with pytest.raises(ValueError, match="min_weight"):
        learner(min_weight=-1).fit(X, Y)


def test_the_last_digits_of_a_fit_are_rounded_away():
    rounded, full = learner(epochs=5).fit(X, Y).model_, learner(epochs=5).partial_fit(X, Y).model_
    for weights, exact in ((rounded.weights, False), (rounded.emission, False), (full.emission, True)):
        largest = float(np.abs(weights).max())
        step = 2.0 ** (np.floor(np.log2(largest)) + 1 - 10)
        assert weights.dtype == np.float32 and largest / 1024 <= step <= largest / 512
        assert np.array_equal(weights / step, np.round(weights / step)) != exact


def test_a_sequence_of_any_length_is_decoded(fitted):
    long = X[0] * 1_500
    assert fitted.predict([long, X[0]]) == [Y[0] * 1_500, Y[0]]
    with pytest.raises(ValueError, match="3000 positions"):
        fitted.problem(long).run("rcms", 2)
