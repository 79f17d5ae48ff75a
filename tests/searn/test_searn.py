"""Learning to search compared with its definitions: roll-outs, losses, pairs, mixtures, votes, errors."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators
from sklearn.utils.validation import has_fit_parameter

import rcmviz as rv
from oracles import searn as oracle
from problems.chain import problems_of
from problems.searn import NAMES, from_seed, linear, rolled
from rcmviz.kernels.searn import costs as kernel
from rcmviz.searn.explanation import explain
from rcmviz.searn.losses import OutputLoss, chunk_f1
from rcmviz.searn.policies import EstimatorPolicy, Mixture, States
from rcmviz.searn.prediction import predict
from rcmviz.searn.rollouts import roll

X = [[["the"], ["cat"], ["sat"]], [["a"], ["dog"], ["ran"], ["fast"]], [["fast"], ["cat"]]] * 2
Y = [["D", "N", "V"], ["D", "N", "V", "A"], ["A", "N"]] * 2


def data_of(X=X, Y=Y):
    return rv.SearchClassifier("gold").fit(X, Y).encoder_.encode(X, Y)


@given(rolled(), st.sampled_from(sorted(oracle.LOSSES)))
@example(from_seed(57343), "chunks")  # a rare case: equal to the path at one label only
@problems_of(700)
def test_shared_roll_outs_cost_what_full_ones_do(case, name):
    """The roll-in, and the loss of the completed output of every action at every position."""
    data, mixture, draws, states = case.engine
    inside, outside_at = case.acting
    labels, outputs = oracle.completed(inside, outside_at, case.gold, len(case.names))
    found = roll(data, mixture, draws, states, OutputLoss(case.names, name))
    T = len(case.gold)
    assert found.labels.tolist() == [*labels, *labels]
    for (i, a), output in outputs.items():
        expected = float(oracle.LOSSES[name](case.gold, output, case.names))
        assert found.cost[i, a] == found.cost[T + i, a] == pytest.approx(expected, abs=1e-6)


@given(rolled())
@problems_of(60)
def test_a_users_loss_receives_completed_outputs(case):
    data, mixture, draws, states = case.engine
    outputs = oracle.completed(*case.acting, case.gold, len(case.names))[1]
    weights = {label: number**2 + 1 for number, label in enumerate(case.names)}
    own = OutputLoss(case.names, own=lambda truth, output: sum(map(weights.__getitem__, output)) - len(truth))
    found = roll(data, mixture, draws, states, own)
    for (i, a), output in outputs.items():
        assert found.cost[i, a] == sum(y**2 + 1 for y in output) - len(output)


@given(rolled())
@problems_of(60)
def test_explained_roll_outs_are_the_full_ones(case):
    """The view of a sentence: roll-in, acting policies, roll-outs that join the shared path, costs of outputs."""
    data, mixture, _, states = case.engine
    settings = rv.SearchTraining(("searn", "dagger", "lols")[len(case.gold) % 3], order=case.order)
    shown = explain(data.take([0]), mixture, [(1.0,)], settings, OutputLoss(case.names), states, seed=3)
    T, width = len(case.gold), len(case.names)
    inside, outside = ([None, *case.policies], [None, *case.policies])
    acting = [inside[k] for k in shown.acted]
    outside_at = [[None] * T if coin else [outside[k] for k in shown.rolls_out] for coin in shown.begins_with_oracle]
    labels, outputs = oracle.completed(acting, outside_at, case.gold, width)
    assert tuple(shown.roll_in) == labels and tuple(shown.gold) == case.gold
    decisions = 0
    for (i, a), output in outputs.items():
        joined, way = shown.joined[i][a], shown.way[i][a]
        assert output == (*labels[:i], *way, *shown.rest[i][joined:]) and len(way) == joined - i
        assert shown.cost[i][a] == oracle.hamming(case.gold, output, case.names)
        decisions += joined - i - 1
    assert decisions <= shown.decisions <= decisions + T * T
    assert shown.decisions_without_sharing == width * T * (T - 1) / 2
    assert json.loads(json.dumps(shown.to_dict())) == shown.to_dict()


@given(st.integers(0, 2**32 - 1))
@problems_of(100)
def test_the_losses_are_those_of_their_definitions(seed):
    case, other = from_seed(seed), from_seed(seed + 1)
    truth = case.gold
    output = tuple(y % len(case.names) for y in (*other.gold, *case.learned, *truth)[: len(truth)])
    for name, loss in oracle.LOSSES.items():
        found = OutputLoss(case.names, name).of(np.array(truth), np.array(output))
        assert found == pytest.approx(float(loss(truth, output, case.names)))
    right, there = oracle.chunks(truth, case.names), oracle.chunks(output, case.names)
    f1 = 2 * len(right & there) / (len(right) + len(there)) if right or there else 1.0
    assert chunk_f1([np.array(truth)], [np.array(output)], case.names) == pytest.approx(f1)


def test_a_label_that_training_has_not_seen_is_a_chunk_like_no_other():
    loss = OutputLoss(NAMES[1], "chunks")
    assert loss.of(np.array([-1]), np.array([3])) == 1.0
    assert OutputLoss(("a",), own=lambda truth, output: float(truth != [None])).of([-1], [0]) == 0.0


@pytest.mark.parametrize(
    "costs, values",
    [((0, 1, 1), (0, 1, 1)), ((0, 1, 2), (0, 1, 1.5)), ((3, 3, 5), (0, 0, 1)), ((4, 1, 4, 1), (1.5, 0, 1.5, 0))],
)
def test_weighted_all_pairs_by_hand(costs, values):
    found = np.zeros((1, len(costs)), np.float32)
    kernel.pair_values(np.array([costs], np.float32), found)
    assert found[0].tolist() == list(values)
    assert [float(oracle.pair_value(costs, a)) for a in range(len(costs))] == list(values)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=7))
@problems_of(100)
def test_weighted_all_pairs_integrate_over_the_costs(costs):
    found = np.zeros((1, len(costs)))
    kernel.pair_values(np.array([costs], float), found)
    np.testing.assert_allclose(found[0], [float(oracle.pair_value(costs, a)) for a in range(len(costs))])


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-2, 2)), min_size=2, max_size=5), st.sampled_from(range(3)))
@problems_of(100)
def test_gradients_lead_downhill(pairs, reduction):
    """The gradient equals finite differences of the loss away from its kinks."""
    costs, scores = [pair[0] for pair in pairs], np.array([pair[1] for pair in pairs])
    name, found, step = ("margin", "regression", "all-pairs")[reduction], np.zeros(len(pairs)), 1e-6
    target = np.array(costs, float) - min(costs)
    if name == "margin":
        kernel.margin_gradient(scores, target, found)
    elif name == "regression":
        kernel.regression_gradient(scores, target, found)
    else:
        value = np.array([float(oracle.pair_value(costs, a)) for a in range(len(costs))])
        kernel.pair_gradient(scores, value, (False, 1.0, 0), 0, found)
    for a in range(len(costs)):
        up, down = (
            oracle.classification_loss(name, (scores + way * step * np.eye(len(costs))[a]).tolist(), costs)
            for way in (1, -1)
        )
        here = oracle.classification_loss(name, scores.tolist(), costs)
        if abs(up + down - 2 * here) < 1e-9:
            assert found[a] == pytest.approx((down - up) / (2 * step), abs=1e-4)


def test_costing_keeps_pairs_in_proportion_to_their_weight():
    value, scores, mean = np.array([0.0, 1.0, 1.5]), np.array([0.2, 0.1, 0.4]), np.zeros(3)
    for seed in range(2000):
        once = np.zeros(3)
        kernel.pair_gradient(scores, value, (True, 1.5, seed), 7, once)
        mean += once / 2000
    whole = np.zeros(3)
    kernel.pair_gradient(scores, value, (False, 1.5, 0), 7, whole)
    np.testing.assert_allclose(mean * 1.5, whole, atol=0.08)


@given(st.integers(1, 9), st.integers(1, 6))
@problems_of(30)
def test_the_mixture_has_the_weights_of_its_recursion(tenths, iterations):
    beta, mixture = tenths / 10, Mixture()
    for _ in range(iterations):
        mixture = mixture.joined_by(None, beta)
    expected = oracle.mixture(Fraction(tenths, 10), iterations)
    np.testing.assert_allclose(mixture.weights, [float(weight) for weight in expected])
    np.testing.assert_allclose(mixture.learned, [float(weight / sum(expected[1:])) for weight in expected[1:]])


def test_policies_are_drawn_as_often_as_they_weigh():
    mixture, count = Mixture((None,) * 3, (0.4, 0.1, 0.3, 0.2)), 20_000
    learned, oracles = mixture.draw(count, np.random.default_rng(0))
    shares = np.bincount(np.where(oracles, 0, learned + 1), minlength=4) / count
    np.testing.assert_allclose(shares, mixture.weights, atol=0.015)
    np.testing.assert_allclose(np.bincount(learned[oracles]) / oracles.sum(), mixture.learned, atol=0.02)


@given(st.integers(0, 2**32 - 1))
@problems_of(80)
def test_a_vote_is_the_weightiest_action_and_a_sample_follows_its_policies(seed):
    case = from_seed(seed)
    data, mixture, _, states = case.engine
    weights = [Fraction(1 + k, 4) for k in range(len(case.policies))]
    mixture = Mixture(mixture.policies, (0.5, *map(float, weights)))
    T = len(case.gold)
    expected = oracle.vote(case.policies, weights, T, len(case.names))
    assert predict(data, mixture, states).tolist() == [*expected, *expected]
    alone = Mixture(mixture.policies[:1], (0.5, 0.5))
    expected = oracle.run(case.policies[:1] * T, case.gold)
    assert predict(data, alone, states, "sample").tolist() == [*expected, *expected]


def test_samples_are_actions_in_the_shares_of_the_mixture():
    names = ("a", "b", "c")
    policies = [oracle.Policy(3, 1, (tuple(int(y == a) for y in range(3)),), {}) for a in range(3)]
    mixture = Mixture(tuple(linear(policy, names) for policy in policies), (0.5, 0.1, 0.15, 0.25))
    data = rv.Sequences.from_arrays([[[1.0]]] * 6000, None, names)
    found = predict(data, mixture, States(names, 1), "sample", seed=1)
    np.testing.assert_allclose(np.bincount(found) / 6000, [0.2, 0.3, 0.5], atol=0.02)


@pytest.mark.parametrize("algorithm", ["searn", "dagger", "lols", "gold"])
def test_every_algorithm_learns_and_can_be_kept(algorithm, tmp_path):
    many = 1 if algorithm == "gold" else 3
    classifier = rv.SearchClassifier(algorithm, iterations=many, order=2).fit(X, Y, held_out=(X[:1], Y[:1]))
    assert classifier.predict(X) == Y and classifier.score(X, Y) == classifier.score_labels(X, Y) == 1.0
    assert classifier.mean_loss(X, Y) == 0.0 and classifier.history_[-1].accuracy == 1.0
    assert len(classifier.history_) == many
    classifier.save(tmp_path / "c.npz")
    again = rv.SearchClassifier.load(tmp_path / "c.npz")
    assert again.get_params() == classifier.get_params() and again.predict(X) == Y
    assert again.explain(X[0], Y[0], 0).mixture == [1.0]


@pytest.mark.parametrize("algorithm", ["searn", "dagger"])
def test_a_resumed_training_is_the_uninterrupted_one(algorithm, tmp_path):
    data, settings = data_of(), rv.SearchTraining(algorithm, iterations=4, epochs=2, order=2)
    whole, first = rv.SearchTrainer(data, settings, data), rv.SearchTrainer(data, settings, data)
    states = [whole.iterate() for _ in range(4)]
    first.iterate(), first.iterate()
    first.save(tmp_path / "run.npz")
    again = rv.SearchTrainer.resume(tmp_path / "run.npz", data, data)
    states_again = [*again.history, again.iterate(), again.iterate()]
    numbers = [[{**s.to_dict(), "seconds": 0} for s in run] for run in (states, states_again)]
    assert numbers[0] == numbers[1] and again.done
    for one, other in zip(whole.mixture.policies, again.mixture.policies, strict=True):
        np.testing.assert_array_equal(one.table, other.table)
        np.testing.assert_array_equal(one.model.emission, other.model.emission)
    with pytest.raises(ValueError, match="other data"):
        rv.SearchTrainer.resume(tmp_path / "run.npz", data.take([0, 1]))


def test_an_iteration_that_is_stopped_leaves_no_trace():
    trainer = rv.SearchTrainer(data_of(), rv.SearchTraining(iterations=2))
    trainer.iterate()
    before, shares = trainer.mixture, []

    def stop(share):
        shares.append(share)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trainer.iterate(stop)
    assert trainer.iteration == 1 and trainer.mixture is before and shares == sorted(shares)
    trainer.iterate()
    with pytest.raises(ValueError, match="2 iterations"):
        trainer.iterate()


def test_adaptive_beta_is_the_best_of_those_tried_and_cubic_the_cube_of_the_length():
    cubic = rv.SearchClassifier(beta="cubic", iterations=1).fit(X, Y)
    assert cubic.history_[0].beta == pytest.approx(4**-3)
    adaptive = rv.SearchClassifier(beta="adaptive", iterations=2).fit(X, Y)
    assert adaptive.history_[0].beta == 0.1  # one classifier alone reads alike with any
    with pytest.raises(ValueError, match="two or more"):
        rv.SearchClassifier(beta="adaptive").fit(X[:1], Y[:1])


def test_an_estimator_of_scikit_learn_can_be_a_policy(tmp_path):
    classifier = rv.SearchClassifier(learner=LogisticRegression(C=100), iterations=2, order=2).fit(X, Y)
    assert classifier.predict(X) == Y and isinstance(classifier.mixture_.policies[0], EstimatorPolicy)
    shown = classifier.explain(X[1], Y[1])
    assert shown.actions[0] == shown.gold and np.isnan(classifier.history_[0].mistakes)
    with pytest.raises(ValueError, match="without pickle"):
        classifier.save(tmp_path / "c.npz")
    assert clone(classifier).learner.C == 100
    for learner, message in ((LogisticRegression, "give a classifier"), (KNeighborsClassifier(), "no sample_weight")):
        with pytest.raises(ValueError, match=message):
            rv.SearchClassifier(learner=learner).fit(X, Y)


CHUNKS = {  # truth, output, F1 by the chunks that both have
    "bio": ("B-a I-a O B-a B-b", "B-a I-a O B-a I-a", 2 * 1 / (3 + 2)),
    "iob1": ("I-a I-a B-a O I-b", "I-a I-a I-a O I-b", 2 * 1 / (3 + 2)),
    "bioes": ("B-a I-a E-a S-a S-b", "B-a I-a E-a B-a E-a", 2 * 1 / (3 + 2)),
    "bilou": ("B-a L-a U-a U-a O", "B-a L-a U-a O O", 2 * 2 / (3 + 2)),
    "no types": ("B I O B B", "B I O B I", 2 * 1 / (3 + 2)),
    "runs": ("a a b O b", "a a O O b", 2 * 2 / (3 + 2)),
}


@pytest.mark.parametrize("scheme", CHUNKS)
def test_chunks_are_those_of_the_scheme_of_the_labels(scheme):
    truth, output, f1 = CHUNKS[scheme]
    names = sorted({*truth.split(), *output.split()})
    numbers = [np.array([names.index(label) for label in labels.split()]) for labels in (truth, output)]
    assert chunk_f1([numbers[0]], [numbers[1]], names) == pytest.approx(f1)


def test_every_classifier_of_scikit_learn_that_takes_weights_is_a_learner():
    quick = {"n_estimators": 2, "max_iter": 50, "cv": 2, "Cs": 2, "min_categories": 2, "hidden_layer_sizes": 3}
    kinds = [kind for _, kind in all_estimators("classifier") if has_fit_parameter(kind, "sample_weight")]
    kinds.remove(MultiOutputClassifier)  # of several labels at once
    assert len(kinds) >= 20
    for kind in kinds:
        learner = kind(**{name: value for name, value in quick.items() if name in kind().get_params()})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those who have not converged
            answers = rv.SearchClassifier("gold", iterations=1, learner=learner).fit(X * 2, Y * 2).predict(X)
        assert list(map(len, answers)) == list(map(len, Y)), kind
        if kind in (LogisticRegression, DecisionTreeClassifier, LinearSVC, GaussianNB):
            assert answers == Y, kind


def test_a_learner_without_sparse_features_says_where_they_are_too_many(monkeypatch):
    monkeypatch.setattr("rcmviz.searn.policies.MOST_DENSE", 10)
    with pytest.raises(ValueError, match=r"GaussianNB\(\): "):
        rv.SearchClassifier(learner=GaussianNB()).fit(X, Y)


@pytest.mark.parametrize("reduction", ["margin", "regression", "all-pairs", "costing"])
def test_every_reduction_learns_the_cheapest_actions(reduction):
    classifier = rv.SearchClassifier("gold", reduction=reduction, epochs=60).fit(X, Y)
    assert classifier.predict(X) == Y


@given(st.integers(0, 2**32 - 1))
@problems_of(40)
def test_a_policy_is_a_model_read_by_a_beam_of_one(seed):
    case = from_seed(seed)
    data, mixture, _, states = case.engine
    (log_emit, _), model = data.log_emits(mixture.policies[0].model.emission), mixture.policies[0].model
    labels = predict(data, Mixture(mixture.policies[:1], (0.0, 1.0)), states)[: len(case.gold)]
    past, ties = [], False
    for i, y in enumerate(labels):
        scores = sorted(case.policies[0].score(i, past, a) for a in range(len(case.names)))
        ties, past = ties or scores[-1] == scores[-2], [*past, int(y)]
    if not ties:
        assert list(rv.viterbi(rv.greedy(model, log_emit)[0]).labels) == [case.names[y] for y in labels]


BAD = {
    "beta 0: a number above 0": {"beta": 0},
    "beta 1.5: a number above 0": {"beta": 1.5},
    "beta nan: a number above 0": {"beta": float("nan")},
    "beta 'often': a number above 0": {"beta": "often"},
    "algorithm 'searne': choose one of": {"algorithm": "searne"},
    "loss 'f1': choose one of": {"loss": "f1"},
    "order 0": {"order": 0},
    "iterations 0": {"iterations": 0},
    "reduction 'pairs'": {"reduction": "pairs"},
    "prediction 'best'": {"prediction": "best"},
    "has .* weights, the limit is": {"order": 20},
    "sequence 1: the loss of .* is nan; a loss is a finite number": {"loss": lambda truth, output: float("nan")},
    "the loss of .* is 'x'": {"loss": lambda truth, output: "x"},
}


@pytest.mark.parametrize("message", BAD)
def test_nonsense_is_answered(message):
    with pytest.raises(ValueError, match=message):
        rv.SearchClassifier(**BAD[message]).fit(X, Y)


def test_empty_sequences_are_left_out_and_answered():
    full = rv.SearchClassifier(iterations=2).fit(X, Y)
    holed = rv.SearchClassifier(iterations=2).fit([[], *X, []], [[], *Y, []])
    assert holed.predict([X[0], [], X[1]]) == [full.predict(X[:1])[0], [], full.predict(X[1:2])[0]]
    assert full.score_chunks([[], *X], [[], *Y]) == full.score_chunks(X, Y)
    assert full.mean_loss([[], *X], [[], *Y]) == full.mean_loss(X, Y)


def test_labels_never_seen():
    classifier = rv.SearchClassifier(iterations=1).fit(X, Y)
    with pytest.warns(UserWarning, match="'Q'"):
        assert classifier.score_labels([X[0]], [["Q", "N", "V"]]) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="labels"):
        classifier.explain(X[0], ["Q", "N", "V"])
    with pytest.raises(ValueError, match="oracle"):
        rv.SearchTrainer(rv.Sequences.from_arrays([[[1.0]]], None, "ab"))
    with pytest.raises(ValueError, match="choose 0 or 2"):
        rv.SearchClassifier("dagger", iterations=2).fit(X, Y).explain(X[0], Y[0], 1)


def test_errors_pile_up_by_how_many_came_before():
    classifier = rv.SearchClassifier("gold").fit(X, Y)
    found = classifier.compounding([X[0], X[1]], [["D", "D", "D"], Y[1]])
    assert (found.positions[:3], found.errors[:3], found.rate[0]) == ([6, 1, 0], [1, 1, 0], 1 / 6)


@pytest.mark.parametrize(
    ("part", "value"), [("codes_0", 10**9), ("codes_0", -1), ("codes_0", 1), ("labels_0", 99), ("cost_0", np.nan)]
)
def test_examples_of_a_file_stay_within_the_tables(part, value, tmp_path):
    """The kernels check no bounds: the first state remembers nothing, so even 1 would be another's row."""
    data = rv.Sequences.from_arrays([[[1, 0], [0, 1]]] * 2, ["ab", "ba"], "ab")
    path = tmp_path / "run.npz"
    trainer = rv.SearchTrainer(data, rv.SearchTraining("dagger", iterations=2, epochs=2, order=2))
    trainer.iterate()
    trainer.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays[part] = arrays[part].copy()
    arrays[part][0] = value
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"run\.npz: "):
        rv.SearchTrainer.resume(path, data)
