"""The sequence classifier: scikit-learn's conventions, the engine's numbers, and errors."""

import json
import warnings
from collections import OrderedDict

import numpy as np
import pytest
from pandas import DataFrame
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks, get_tags

import rcmviz as rv
from rcmviz import SequenceClassifier
from rcmviz.learn.settings import Training
from rcmviz.sequences.encoding import Encoder

WORDS = {"the": "D", "a": "D", "cat": "N", "dog": "N", "fish": "N", "sees": "V", "likes": "V"}
NUMBERS = {"D": 0, "N": 1, "V": 2}


def sentences(count=30, seed=0):
    """Texts of two to six words that one feature gives away."""
    rng = np.random.default_rng(seed)
    texts = [rng.choice(list(WORDS), rng.integers(2, 7)).tolist() for _ in range(count)]
    X = [[{"word": word, "length": len(word), "short": len(word) < 3} for word in text] for text in texts]
    return X, [[WORDS[word] for word in text] for text in texts]


def arrays(count=30, seed=0):
    """The same as indicator rows."""
    X, y = sentences(count, seed)
    rows = [np.array([[position["word"] == word for word in WORDS] for position in x], float) for x in X]
    return rows, y


@pytest.fixture(scope="module")
def fitted():
    return SequenceClassifier(order=2, budget=4, epochs=4).fit(*sentences())


def test_it_learns_what_a_feature_gives_away(fitted):
    X, y = sentences(20, seed=1)
    assert fitted.predict(X) == y
    assert fitted.score(X, y) == fitted.score_labels(X, y) == 1.0
    assert fitted.classes_.tolist() == ["D", "N", "V"]
    assert fitted.n_features_in_ == len(WORDS) + 2 == len(fitted.encoder_.names)


def test_answers_are_those_of_the_stepwise_engine(fitted):
    X, y = sentences(5, seed=2)
    labels, confidence = fitted.predict_with_confidence(X)
    for x, gold, found, sure, log_prob, shares in zip(
        X, y, labels, confidence, fitted.predict_log_proba_sequence(X), fitted.predict_proba(X), strict=True
    ):
        lattice, _ = fitted.problem(x, gold).run("rcms", 4)
        path = rv.viterbi(lattice)
        assert list(path.labels) == found
        assert log_prob == pytest.approx(path.log_prob, abs=1e-9) == pytest.approx(np.log(sure), abs=1e-9)
        np.testing.assert_allclose(shares, rv.posterior(lattice).label, atol=1e-9)


def test_values_stay_with_their_names_in_subclasses_of_dict():
    """An OrderedDict has its own order, which may differ from the underlying dict's."""
    moved = OrderedDict(a="p", b="q")
    moved.move_to_end("a")
    encoder, data = Encoder.learn([[moved, {1: "x", "1": "y"}]], [["p", "q"]])
    assert encoder.names == ("1=x", "1=y", "a=p", "b=q") and data.feature.tolist() == [2, 3, 0, 1]


def test_features_are_numbered_as_the_words_say():
    X = [[{"w": "a", "n": 2.5, "yes": True}, ["w=b", "yes"]], [({"w": ["a", "b"], "n": 0})]]
    encoder, data = Encoder.learn(X, [["p", "q"], ["q"]])
    assert encoder.names == ("n", "w=a", "w=b", "yes")
    table = np.zeros((3, 4))
    np.add.at(table, (np.repeat(np.arange(3), np.diff(data.start)), data.feature), data.value)
    np.testing.assert_array_equal(table, [[2.5, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]])
    assert data.gold.tolist() == [0, 1, 1] and data.labels == ("p", "q")
    further = encoder.encode([[{"w": "c", "other": 1, "n": 4}]], [["new"]])
    assert (further.feature.tolist(), further.value.tolist(), further.gold.tolist()) == ([0], [4.0], [-1])


def test_indicators_take_no_memory_for_their_values():
    X, y = [[{"w": "a", "yes": True}, ["w=b", "yes"]], [{"w": ["a", "b"]}]], [["p", "q"], ["q"]]
    encoder, data = Encoder.learn(X, y)
    assert data.value.tolist() == [1.0] * 6 and data.amounts.size == 1
    further = encoder.encode([[{"w": "c"}, {"w": "a"}]])
    assert further.value.tolist() == [1.0] and further.start.tolist() == [0, 0, 1]
    assert encoder.encode([[{"w": "c"}]]).amounts.size == 0


def test_dicts_names_and_arrays_are_the_same_features():
    X, y = sentences()
    dicts = [[{position["word"]: 1} for position in x] for x in X]
    names = [[[position["word"]] for position in x] for x in X]
    order = np.argsort(list(WORDS))
    rows = [row[:, order] for row in arrays()[0]]
    predicted = [SequenceClassifier(epochs=2).fit(given, y).predict_proba(given) for given in (dicts, names, rows)]
    for one, other, third in zip(*predicted, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, third)


@pytest.mark.parametrize("kind", ["text", "int", "numpy"])
def test_labels_come_back_as_what_they_were(kind):
    X, y = sentences()
    if kind != "text":
        y = [[NUMBERS[label] for label in labels] for labels in y]
    if kind == "numpy":
        y = [np.array(labels) for labels in y]
    classifier = SequenceClassifier(order=1, epochs=3).fit(X, y)
    predicted = classifier.predict(X)
    assert predicted == [list(labels) for labels in y]
    assert {type(label) for labels in predicted for label in labels} == {str if kind == "text" else int}
    assert classifier.classes_.dtype.kind == ("U" if kind == "text" else "i")


def test_a_string_is_a_sequence_of_labels():
    X, y = sentences()
    assert SequenceClassifier(order=1, epochs=3).fit(X, ["".join(labels) for labels in y]).predict(X) == y


# scikit-learn's conventions

CHECKS = (
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_set_params,
    estimator_checks.check_estimator_cloneable,
    estimator_checks.check_estimator_repr,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_checks_of_scikit_learn_that_need_no_data(check):
    check("SequenceClassifier", SequenceClassifier())


def test_defaults_are_those_of_a_training_but_for_fewer_averaged_epochs():
    parameters, usual = SequenceClassifier().get_params(), Training(epochs=5, average=True).to_dict()
    assert parameters.pop("random_state") == usual.pop("seed")
    assert {name: parameters[name] for name in usual} == usual


def test_fitting_leaves_parameters_and_data_alone_and_can_be_repeated():
    X, y = sentences()
    before = json.dumps([X, y])
    classifier = SequenceClassifier(order=1, epochs=2, random_state=3)
    parameters = classifier.get_params()
    assert classifier.fit(X, y) is classifier
    first = classifier.predict_proba(X)
    assert classifier.get_params() == parameters and json.dumps([X, y]) == before
    again, copied = classifier.fit(X, y).predict_proba(X), clone(classifier)
    assert not hasattr(copied, "model_")
    for one, two, three in zip(first, again, copied.fit(X, y).predict_proba(X), strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


def test_fitting_again_forgets_what_was_before():
    classifier = SequenceClassifier(order=1, epochs=1).fit(*sentences())
    classifier.fit([[{"x": 1}], [{"x": 0}]], [["p"], ["q"]])
    assert classifier.classes_.tolist() == ["p", "q"] and classifier.encoder_.names == ("x",)


def test_random_state_is_a_number_a_generator_or_none():
    X, y = sentences()
    drawn = [
        SequenceClassifier(order=1, epochs=1, random_state=np.random.RandomState(5)).fit(X, y).model_.emission
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*drawn)
    SequenceClassifier(order=1, epochs=1, random_state=None).fit(X, y)
    other = SequenceClassifier(order=1, epochs=1, random_state=1).fit(X, y)
    assert not np.array_equal(other.model_.emission, SequenceClassifier(order=1, epochs=1).fit(X, y).model_.emission)


def test_an_unfitted_classifier_is_refused():
    for call in ("predict", "predict_proba", "predict_log_proba_sequence", "predict_with_confidence"):
        with pytest.raises(NotFittedError):
            getattr(SequenceClassifier(), call)([[{"x": 1}]])
    with pytest.raises(NotFittedError):
        SequenceClassifier().save("never.npz")


def test_grid_search_cross_validation_and_pipelines():
    X, y = sentences(20)
    assert not is_classifier(SequenceClassifier())  # one label per sample is what scikit-learn means
    assert get_tags(SequenceClassifier()).target_tags.required
    base = SequenceClassifier(order=1, epochs=2)
    search = GridSearchCV(base, {"budget": [1, 3], "method": ["rcms", "beam"]}, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4 and search.predict(X) == y
    assert len(cross_val_score(base, X, y, cv=2, scoring=SequenceClassifier.score_labels)) == 2
    texts = [[position["word"] for position in x] for x in X]
    described = FunctionTransformer(lambda texts: [[{"word": word} for word in text] for text in texts])
    assert make_pipeline(described, base).fit(texts, y).score(texts, y) == 1.0


def test_scores_count_sequences_or_labels(fitted):
    X, y = sentences(4)
    wrong = [["V", *y[0][1:]] if y[0][0] != "V" else ["D", *y[0][1:]], *y[1:]]
    assert fitted.score(X, wrong) == 0.75
    assert fitted.score(X, wrong, sample_weight=[0, 1, 1, 1]) == 1.0
    assert fitted.score_labels(X, wrong) == pytest.approx(1 - 1 / sum(map(len, y)))


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0, 1.0], [0.0, 0.0], [1.0, -1.0], [1.0, float("nan")]])
def test_weights_of_sequences_are_checked(weights, fitted):
    X, y = sentences(2)
    for score in (fitted.score, fitted.score_labels):
        with pytest.raises(ValueError, match="sample_weight"):
            score(X, y, sample_weight=weights)


def test_a_score_needs_labels_of_the_same_lengths(fitted):
    X, y = sentences(3)
    with pytest.raises(ValueError, match="give y"):
        fitted.score(X, None)
    for call in (lambda: fitted.score(X, [y[0][:-1], *y[1:]]), lambda: fitted.problem(X[0], y[0][:-1])):
        with pytest.raises(ValueError, match=f"sequence 1: {len(y[0])} .*, {len(y[0]) - 1} labels"):
            call()


def test_history_has_an_entry_for_every_epoch(capsys):
    X, y = sentences()
    classifier = SequenceClassifier(order=1, epochs=3, verbose=1).fit(X, y, held_out=sentences(10, 4))
    assert [entry["epoch"] for entry in classifier.history_] == [1, 2, 3]
    assert classifier.history_[-1]["accuracy"] == classifier.score(*sentences(10, 4))
    assert "model" not in classifier.history_[0]
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_more_contexts_or_passes_at_test():
    X, y = sentences()
    classifier = SequenceClassifier(order=2, budget=1, epochs=1).fit(X, y)
    wide = clone(classifier).set_params(test_budget=5, test_passes=2)
    wide._set_result(classifier.encoder_, classifier.model_, ())
    log_emits = classifier.encoder_.encode(X).log_emits(classifier.model_.emission)
    batch = rv.infer_batch(classifier.model_, log_emits, "rcms", 5, passes=2, dtype="f8")
    np.testing.assert_array_equal(wide.predict_log_proba_sequence(X), batch.log_prob)
    assert not np.array_equal(classifier.predict_log_proba_sequence(X), batch.log_prob)


@pytest.mark.parametrize("method", ["beam", "repaired", "exact"])
def test_every_method_trains_and_answers(method):
    X, y = sentences()
    classifier = SequenceClassifier(method=method, order=1, epochs=3, mode="additive", average=True)
    assert classifier.fit(X, y).score(X, y) > 0.9


def test_threads_decode_equally(fitted):
    X, _ = sentences(20, seed=7)
    two = clone(fitted).set_params(n_jobs=2)
    two._set_result(fitted.encoder_, fitted.model_, ())
    np.testing.assert_array_equal(two.predict_log_proba_sequence(X), fitted.predict_log_proba_sequence(X))


# files


def test_a_saved_classifier_predicts_equally(tmp_path, fitted):
    path = tmp_path / "tags.npz"
    fitted.save(path)
    loaded = SequenceClassifier.load(path)
    assert loaded.get_params() == fitted.get_params()
    X, y = sentences(10, seed=5)
    np.testing.assert_array_equal(loaded.predict_log_proba_sequence(X), fitted.predict_log_proba_sequence(X))
    assert loaded.classes_.tolist() == fitted.classes_.tolist()
    assert rv.NgramModel.load(path).labels == ("D", "N", "V")
    assert not any(np.load(path, allow_pickle=False)[name].dtype.hasobject for name in np.load(path).files)


def test_a_grid_search_over_numpy_numbers_can_be_saved(tmp_path):
    grid = {"budget": np.arange(2, 4), "eta": np.array([0.2]), "test_budget": np.arange(5, 6), "average": [np.True_]}
    search = GridSearchCV(SequenceClassifier(order=1, epochs=1), grid, cv=2).fit(*sentences())
    search.best_estimator_.save(tmp_path / "best.npz")
    parameters = SequenceClassifier.load(tmp_path / "best.npz").get_params()
    assert {name: parameters[name] for name in grid} == search.best_params_


def test_numbered_labels_and_arrays_survive_a_file(tmp_path):
    X, y = arrays()
    classifier = SequenceClassifier(order=1, epochs=1, test_budget=7).fit(X, [[NUMBERS[a] for a in b] for b in y])
    classifier.save(tmp_path / "numbers.npz")
    loaded = SequenceClassifier.load(tmp_path / "numbers.npz")
    assert loaded.predict(X) == classifier.predict(X) and loaded.test_budget == 7


def test_other_files_are_refused(tmp_path, fitted):
    with pytest.raises(ValueError, match="without feature names"):
        SequenceClassifier.load("models/handwriting-pen.npz")
    with pytest.raises(ValueError, match="no such file"):
        SequenceClassifier.load(tmp_path / "none.npz")
    model = fitted.model_
    for spoil in ({"encoder": {"classes": ["D"]}}, {"encoder": model.info["encoder"] | {"F": 3}}, {"training": {}}):
        path = tmp_path / "spoilt.npz"
        rv.NgramModel(
            model.labels, model.order, model.mode, model.keys, model.weights, model.emission, model.info | spoil
        ).save(path)
        with pytest.raises(ValueError, match="spoilt.npz: .*damaged"):
            SequenceClassifier.load(path)


# what cannot be learnt from

ONE = [[{"x": 1.0}]]
MISTAKES = {
    "no sequences": ([], [], "no sequences: give at least one"),
    "one more y": (ONE, [["p"], ["q"]], "1 sequences of features, 2 of labels"),
    "other lengths": (ONE, [["p", "q"]], "sequence 1: 1 positions of features, 2 labels"),
    "empty sequences": ([[], []], [[], []], "all sequences are empty: give one with positions"),
    "labels of an empty sequence": ([*ONE, []], [["p"], ["p"]], "sequence 2: 0 positions of features, 1 labels"),
    "nan in a dict": (
        [*ONE, [{"x": 1.0}, {"x": float("nan")}]],
        ["p", "pq"],
        "sequence 2, position 2: feature 'x' is nan",
    ),
    "inf in an array": (
        [np.ones((1, 2)), np.array([[1, np.inf]])],
        ["p", "q"],
        "sequence 2, position 1: feature 1 is inf",
    ),
    "none": ([[{"x": None}]], ["p"], "sequence 1, position 1: feature 'x' is None; leave it out"),
    "bytes": ([[{"x": b"the"}]], ["p"], "sequence 1, position 1: feature 'x' is b'the'; make it a text"),
    "one sequence": (ONE[0], ["p"], "X[0] is {'x': 1.0}: X is a list of sequences"),
    "one text": ("the", "cat", "X[0] is 't': X is a list of sequences"),
    "a table": (DataFrame({"x": [1.0]}), [["p"]], "X is a table: give a list of sequences"),
    "tables": ([DataFrame({"x": [1.0]})], [["p"]], "X[0] is a table: give a list of sequences"),
    "labels of one level": ([[{}, {}]], ["noun"], "2 positions of features, 4 labels, the characters of 'noun'"),
    "strange value": ([*ONE, [{"x": {1: 2j}}]], ["p", "q"], "sequence 2, position 1:"),
    "strange position": ([[{"x": 1}, 7]], ["pq"], "sequence 1, position 2: a position is a dict of features"),
    "one row": ([[1.0, 2.0]], ["pq"], "sequence 1: features of shape"),
    "features differ": ([np.ones((1, 2)), np.ones((1, 3))], ["p", "q"], "sequence 2: 3 features per position"),
    "y of one level": (ONE, [3], "sequence 1: y is a list of label sequences"),
    "label of another kind": (ONE, [[2.5]], "sequence 1: label 2.5"),
    "mixed labels": ([*ONE, *ONE], [["1"], [1]], "some labels are texts and some are numbers"),
    "empty label": (ONE, [[""]], "labels are non-empty strings"),
    "X is a number": (5, [["p"]], "X is a list of sequences, not int"),
    "truth and number": (ONE * 2, [[True], [1]], "some labels are texts and some are numbers"),
    "name of a feature": ([[{("x", 1): 1.0}]], ["p"], "feature ('x', 1): its name"),
    "beyond all numbers": ([[{"x": 10**400}]], ["p"], "sequence 1, position 1: int too large"),
    "sparse rows": ([csr_array(np.eye(2))], ["pq"], "sequence 1"),
}


@pytest.mark.parametrize(("X", "y", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_invalid_training_data_is_named(X, y, message):
    with pytest.raises(ValueError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SequenceClassifier(order=1, epochs=1).fit(X, y)
    assert message in str(caught.value)


def test_a_bad_parameter_is_named_when_fitting():
    classifier = SequenceClassifier(budget=0)
    with pytest.raises(ValueError, match="budget 0"):
        classifier.fit(*sentences())
    with pytest.raises(ValueError, match="random_state|seed"):
        SequenceClassifier(random_state="x").fit(*sentences())


def test_a_hundred_thousand_labels_are_too_many():
    X, y = [[{"x": 1}] * 1000] * 100, [[f"w{1000 * k + i}" for i in range(1000)] for k in range(100)]
    with pytest.raises(ValueError, match="100,000 labels: .*5,000"):
        SequenceClassifier(order=1).fit(X, y)


def test_one_label_is_learnt_with_a_warning():
    with pytest.warns(UserWarning, match="one label.*'p'"):
        classifier = SequenceClassifier(epochs=1).fit([[{"x": 1}, {"x": 2}]], ["pp"])
    assert classifier.predict([[{"x": 3}]]) == [["p"]]
    assert classifier.predict_log_proba_sequence([[{"x": 3}]]) == pytest.approx([0.0])


def test_labels_that_training_has_not_seen_count_as_wrong(fitted):
    X, y = sentences(4, seed=6)
    strange = [["ADJ", *y[0][1:]], *y[1:]]
    with pytest.warns(UserWarning, match="'ADJ'"):
        assert fitted.score(X, strange) == 0.75


def test_other_features_than_in_training(fitted):
    assert fitted.predict([[{"never": "seen"}]])[0][0] in "DNV"
    with pytest.raises(ValueError, match="named features"):
        fitted.predict([np.ones((2, 3))])
    numeric = SequenceClassifier(order=1, epochs=1).fit(*arrays())
    with pytest.raises(ValueError, match="3 features .*7"):
        numeric.predict([np.ones((2, 3))])
    with pytest.raises(ValueError, match="arrays"):
        numeric.predict([[{"x": 1}]])
    with pytest.raises(ValueError, match="no sequences"):
        fitted.predict([])


def test_a_selection_rule_at_test(fitted, tmp_path):
    X, _ = sentences(12, seed=8)
    ahead = clone(fitted).set_params(test_select="lookahead", test_budget=1)
    ahead._set_result(fitted.encoder_, fitted.model_, ())
    read, sure = ahead.predict_with_confidence(X)
    lattices = [ahead.problem(x).run("rcms", 1, select="lookahead", record=False)[0] for x in X]
    best = [rv.viterbi(lattice) for lattice in lattices]
    assert read == [list(path.labels) for path in best]
    np.testing.assert_allclose(sure, np.exp([path.log_prob for path in best]))
    tables = zip(ahead.predict_proba(X), lattices, strict=True)
    assert all(np.allclose(table, rv.posterior(lattice).label) for table, lattice in tables)
    path = tmp_path / "ahead.npz"
    ahead.save(path)
    assert SequenceClassifier.load(path).test_select == "lookahead"
    with pytest.raises(ValueError, match="which a file cannot hold"):
        ahead.set_params(test_select=len).save(path)
    two = clone(ahead).set_params(test_select="posterior")
    two._set_result(fitted.encoder_, fitted.model_, ())
    np.testing.assert_array_equal(
        two.predict_log_proba_sequence(X),
        two.set_params(test_select="forward", test_passes=2).predict_log_proba_sequence(X),
    )
