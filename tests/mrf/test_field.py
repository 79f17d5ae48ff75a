"""The public interface of fields: moments, training, exact references, blanks, draws, files, errors."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import rcmviz as rv
from oracles import mrf as oracle
from problems.chain import problems_of
from problems.mrf import random_field, tables
from rcmviz.core.shared.npz import write_npz
from rcmviz.mrf.field import make_field
from rcmviz.mrf.lbfgs import LBFGS
from rcmviz.mrf.moments import count_moments, moments_of
from rcmviz.mrf.potentials import FullRank
from rcmviz.mrf.reference import SentenceModel, ring_log_z, sentence_score
from rcmviz.mrf.training import FieldTrainer, FieldTraining, Objective
from rcmviz.mrf.vocabulary import Vocabulary, encode, read_corpus

SEEDS = st.integers(0, 10**9)
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-9}
TEXT = ["the cat sat on the mat", "the dog sat", "a dog ran", "the cat ran to a dog", "a cat sat on a dog"]
TEXTS = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), min_size=2, max_size=6)


def words_of(size):
    return ("<S>", *"abcdefgh"[: size - 1])


def small(**settings):
    options = {"size": None, "order": 1, "rank": 2, "held_out": 0.0, "max_steps": 60, "dtype": "float64"}
    return rv.MarkovField(**options | settings)


# Moments


@given(TEXTS, st.integers(1, 3), st.integers(1, 3))
@problems_of(60)
def test_moments_are_counts_of_the_ring(sentences, order, piece):
    vocabulary = Vocabulary(words_of(5))
    ids = [vocabulary.ids(sentence).tolist() for sentence in sentences]
    if len(oracle.sentences_ring(ids, order)) <= 2 * order:
        return
    pieces = [encode(sentences[i : i + piece], vocabulary) for i in range(0, len(sentences), piece)]
    moments = count_moments(pieces, order, 5)
    words, pairs = oracle.moments(ids, order, 5)
    assert moments.words.tolist() == words and moments.tokens == sum(words)
    assert [pair.toarray().tolist() for pair in moments.pairs] == pairs
    assert all(pair.sum() == moments.tokens for pair in moments.pairs)


def test_a_text_is_a_file_a_list_or_an_iterator(tmp_path):
    path = tmp_path / "text"
    path.write_text("\n".join([TEXT[0], "", *TEXT[1:]]), encoding="utf-8")
    vocabulary, corpus = read_corpus(TEXT)
    for source in (path, iter(TEXT), [line.split() for line in TEXT], [" ", *TEXT]):
        names, found = read_corpus(source)
        assert names.words == vocabulary.words and found.ids.tolist() == corpus.ids.tolist()
        assert found.offset.tolist() == corpus.offset.tolist()
    names, found = read_corpus(path, 5)
    counts = Counter(" ".join(TEXT).split())
    assert names.words == ("<S>", "<unk>", "dog", "the", "a") or names.words[:2] == ("<S>", "<unk>")
    assert sorted(counts[word] for word in names.words[2:]) == sorted(counts.values())[-3:]
    assert np.bincount(found.ids)[1] == sum(counts.values()) - sum(counts[word] for word in names.words[2:])
    streamed = moments_of(path, names, 2)
    assert streamed.words.tolist() == count_moments([found], 2, 5).words.tolist()


# Exact references


@given(SEEDS, TEXTS)
@problems_of(60)
def test_sentences_are_enumerated(seed, sentences):
    potentials, _ = random_field(seed)
    exact, field = SentenceModel(potentials), tables(potentials)
    random = np.random.default_rng(seed)
    for sentence in sentences[:3]:
        ids = random.integers(1, potentials.size, min(len(sentence), 4))
        assert math.isclose(sentence_score(potentials, ids), oracle.sentence_score(field, ids.tolist()), **CLOSE)
        assert math.isclose(exact.log_z(len(ids)), oracle.sentence_log_z(field, len(ids)), **CLOSE)


@given(SEEDS, SEEDS)
@problems_of(40)
def test_lemma_1(seed, another):
    """Given the places of the separators, the ring is the product of its sentences."""
    potentials, _ = random_field(seed, most=3)
    field, order = tables(potentials), potentials.order
    random = np.random.default_rng(another)
    lengths = random.integers(1, 3, random.integers(1, 3)).tolist()
    if sum(lengths) + order * len(lengths) <= 2 * order:
        lengths = [order + 1]

    def rings(lengths):
        if not lengths:
            yield []
            return
        for first in np.ndindex(*[potentials.size - 1] * lengths[0]):
            for others in rings(lengths[1:]):
                yield [0] * order + [word + 1 for word in first] + others

    whole = oracle.log_sum(oracle.ring_score(field, line) for line in rings(lengths))
    sentences = [random.integers(1, potentials.size, length) for length in lengths]
    ring = oracle.sentences_ring([ids.tolist() for ids in sentences], order)
    exact = SentenceModel(potentials)
    wanted = oracle.ring_score(field, ring) - whole
    assert math.isclose(sum(map(exact.log_prob, sentences)), wanted, rel_tol=1e-9, abs_tol=1e-9)


def test_single_precision_and_power_iteration_come_close():
    potentials, _ = random_field(5, low_rank=True)
    single, double = SentenceModel(potentials, np.float32), SentenceModel(potentials, np.float64)
    assert math.isclose(single.log_z(40), double.log_z(40), rel_tol=1e-5)
    random = np.random.default_rng(3)
    wide = FullRank(random.normal(size=70), random.normal(size=(2, 70, 70)))
    limit, is_exact = ring_log_z(wide, 10**6)
    assert not is_exact
    state = np.full((70, 70), 1.0)
    for _ in range(60):
        state = np.exp(wide.node + wide.theta[0]) * (state.T @ np.exp(wide.theta[1]))
        value = state.sum()
        state /= value
    assert math.isclose(limit, math.log(value), rel_tol=1e-9)


@given(SEEDS)
@problems_of(60)
def test_blanks_are_enumerated(seed):
    potentials, _ = random_field(seed)
    field, random = make_field(words_of(potentials.size), potentials), np.random.default_rng(seed)
    left, right = (random.integers(1, potentials.size, random.integers(0, 4)) for _ in range(2))
    found = field.conditional(*([field.words[w] for w in side] for side in (left, right)))
    np.testing.assert_allclose(found, oracle.blank(tables(potentials), left.tolist(), right.tolist()), atol=1e-9)
    best = field.fill([field.words[w] for w in left], [field.words[w] for w in right], k=2)
    assert best[0][1] == found.max() and len(best) == min(2, potentials.size - 1)


@given(SEEDS, st.integers(1, 4))
@problems_of(80)
def test_draws_are_of_the_field(seed, length):
    potentials, _ = random_field(seed, spread=0.4, most=3)
    field = make_field(words_of(potentials.size), potentials)
    exact = {}
    for words in np.ndindex(*[potentials.size - 1] * length):
        ids = np.array(words) + 1
        exact[tuple(field.words[w] for w in ids)] = math.exp(SentenceModel(potentials).log_prob(ids))
    assert math.isclose(sum(exact.values()), 1.0, **CLOSE)
    for method, n in (("exact", 4000), ("gibbs", 700)):
        counts = Counter(field.sample(n, length, seed=seed, method=method))
        assert set(counts) <= set(exact)
        for sentence, p in exact.items():
            assert abs(counts[sentence] / n - p) < 6 * math.sqrt(p / n) + 1e-3


# Learning


@given(TEXTS, st.integers(1, 2), st.sampled_from([None, 1, 3]), SEEDS)
@problems_of(25)
def test_the_objective_has_this_gradient(sentences, order, rank, seed):
    vocabulary = Vocabulary(words_of(5))
    moments = moments_of([*sentences, ["a", "b", "c", "d"]], vocabulary, order)
    random = np.random.default_rng(seed)
    trainer = FieldTrainer(moments, settings=FieldTraining(order, rank, l2=0.7, dtype="float64"))
    objective = Objective(moments, trainer.first.potentials, 0.7, "float64")
    x = random.normal(size=len(trainer.optimiser.x))
    _, gradient = objective(x)
    for k in random.integers(0, len(x), 12):
        step = np.zeros_like(x)
        step[k] = 1e-5
        assert abs((objective(x + step)[0] - objective(x - step)[0]) / 2e-5 - gradient[k]) < 1e-6


def test_training_ends_where_the_optimiser_of_scipy_does():
    moments = moments_of(TEXT, read_corpus(TEXT)[0], 2)
    settings = FieldTraining(2, None, l2=0.5, max_steps=3000, tolerance=0.0, dtype="float64")
    trainer = FieldTrainer(moments, settings=settings)
    first = trainer.optimiser.x
    *_, last = trainer.run()
    options = {"maxiter": 3000, "ftol": 0.0, "gtol": 1e-9, "maxfun": 10**5}
    best = minimize(trainer.objective, first, jac=True, method="L-BFGS-B", options=options)
    assert math.isclose(last.objective, -best.fun, rel_tol=1e-7) and last.gradient_norm < 1e-4
    assert trainer.done and last.seconds_left >= 0.0


def test_a_bound_is_never_above_what_it_bounds():
    field = small(order=2, rank=None, l2=0.1).fit(TEXT)
    star, chain, ring = (field.bound(TEXT, kind) for kind in ("star", "chain", "ring"))
    assert star <= chain <= ring <= field.score(TEXT) < 0
    assert [state["step"] for state in field.history_] == list(range(len(field.history_)))
    gains = np.diff([state["objective"] for state in field.history_])
    assert (gains > -1e-9).all() and field.history_[-1]["bound"] == pytest.approx(star, abs=1e-9)


def test_early_stopping_keeps_the_best():
    text = [*TEXT * 2, "the mat sat", "a mat ran on the dog"]
    seen = []
    field = small(held_out=0.2, l2=0.0, patience=5, max_steps=500).fit(text, progress=seen.append)
    best = max(seen, key=lambda state: state.held_out)
    assert seen[-1].step == best.step + 5 < 500
    np.testing.assert_array_equal(field.potentials_.U, best.potentials.U)
    _, corpus = read_corpus(text)
    _, unseen = corpus.cut(0.2)
    lines = [[field.words[w] for w in ids] for ids in unseen.sentences()]
    assert math.isclose(field.bound(lines), best.held_out, rel_tol=1e-9)


def test_it_can_be_cancelled_and_stepped():
    stopped = small().fit(TEXT, progress=lambda state: state.step < 7)
    assert len(stopped.history_) == 8
    field = small()
    trainer = field.trainer(TEXT)
    trainer.advance(7)
    assert math.isclose(field.take(trainer.best).bound(TEXT), stopped.bound(TEXT), **CLOSE)


def test_a_checkpoint_continues_bit_for_bit(tmp_path):
    field, path = small(held_out=0.2), tmp_path / "training"
    whole = field.trainer(TEXT)
    whole.advance(20)
    half = small(held_out=0.2).trainer(TEXT)
    half.advance(8)
    half.save(path)
    again = field.trainer(TEXT, resume=path)
    assert again.step == 8 and again.best.step == half.best.step
    again.advance(12)
    np.testing.assert_array_equal(again.optimiser.x, whole.optimiser.x)
    np.testing.assert_array_equal(again.best.potentials.U, whole.best.potentials.U)
    with pytest.raises(ValueError, match="another text"):
        field.trainer(TEXT[1:], resume=path)
    with np.load(path) as archive:
        arrays = dict(archive)
    for damage, fault in (
        (("x", arrays["x"][1:]), "x does not fit"),
        (("head", np.array("{")), "cannot be used"),
        (("best", arrays["best"] * np.nan), "not finite"),
    ):
        write_npz(path, arrays | dict([damage]))
        with pytest.raises(ValueError, match=fault):
            field.trainer(TEXT, resume=path)


def test_lbfgs_reports_a_failed_step():
    """A gradient that points uphill: nothing lower is to be had along it."""
    optimiser = LBFGS(lambda x: (float(x @ x), -2 * x), np.array([1.0, 1.0]))
    assert not optimiser.step() and optimiser.x.tolist() == [1.0, 1.0]


# Words and files


def test_vectors_and_neighbours():
    text = [f"{a} {b} here" for a in ("the", "a") for b in ("dog", "cat", "cow")] * 3 + ["run now"]
    field = small(order=2, rank=3, l2=0.1).fit(text)
    assert field.vectors.shape == (len(field.words), 3)
    assert {word for word, _ in field.neighbours("dog", 2)} == {"cat", "cow"}
    assert field.edge_scores("the", "here").shape == (2, 2, len(field.words))
    with pytest.raises(ValueError, match="full rank"):
        small(rank=None).fit(text).neighbours("dog")
    with pytest.raises(ValueError, match="'pig'"):
        field.neighbours("pig")


@pytest.mark.parametrize("rank", [None, 2])
def test_a_file_gives_the_same_field(tmp_path, rank):
    field, path = small(order=2, rank=rank, size=6).fit(TEXT), tmp_path / "field.npz"
    field.save(path, {"text": "ours"})
    again = rv.MarkovField.load(path)
    assert again.get_params() == field.get_params() and again.words == field.words
    assert again.info_ == {"text": "ours"} and again.tokens_ == field.tokens_
    assert math.isclose(again.log_prob("the dog sat"), field.log_prob("the dog sat"), rel_tol=1e-5)
    assert math.isclose(again.bound(TEXT), field.bound(TEXT), rel_tol=1e-5)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "field.npz"
    small().fit(TEXT).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    head = json.loads(bytes(arrays["head"]))

    def packed(text):
        return np.frombuffer(text.encode(), np.uint8)

    nan = arrays["U"].copy()
    nan[1, 0] = np.nan
    cases = [
        ({"U": nan}, r"U\[1, 0\] is nan"),
        ({"U": arrays["U"].astype(np.float64)}, "U is of type float64"),
        ({"W": arrays["W"][:, 1:]}, "W has the shape"),
        ({"delta": arrays["delta"][:, 1:]}, "do not fit each other"),
        ({"counts": -arrays["counts"]}, "numbers that cannot be"),
        ({"words": packed("<S>\nthe")}, "a vocabulary of 2"),
        ({"words": packed("the\n<S>")}, "begins with <S>"),
        ({"head": packed(json.dumps(head | {"version": 9}))}, "of version 9"),
        ({"head": packed(json.dumps(head | {"info": 3}))}, "head is damaged"),
        ({"head": packed("{")}, "not a field of rcmviz"),
    ]
    for change, fault in cases:
        write_npz(path, arrays | change)
        with pytest.raises(ValueError, match=fault) as refused:
            rv.MarkovField.load(path)
        assert str(path) in str(refused.value)
    write_npz(path, {name: array for name, array in arrays.items() if name != "node"})
    with pytest.raises(ValueError, match="it has no 'node'"):
        rv.MarkovField.load(path)


# With the defaults


@pytest.mark.parametrize("number", [1, 2, 3, 10])
def test_the_defaults_learn_from_a_few_sentences(number):
    text = ["the cat sat", "the dog ran", "a dog sat", *(f"the cat {word} a dog" for word in "abcdefg")][:number]
    field = rv.MarkovField(max_steps=20).fit(text)
    assert set(field.words) == {"<S>", *" ".join(text).split()} and field.size == "auto"
    assert all(np.isfinite(field.log_prob(sentence)) for sentence in text)
    share = len(text[-1].split()) / len(" ".join(text).split())
    assert np.isnan(field.history_[-1]["held_out"]) == (number == 1 or share > 0.1), (
        "a sentence is too much to hold out"
    )


def test_the_defaults_learn_from_one_sentence_again_and_again():
    field = rv.MarkovField(max_steps=20).fit(["the cat sat"] * 5)
    assert field.fill("the", "sat", 1)[0][0] == "cat"


def test_the_usual_size_is_cut_to_a_thousand_words():
    vocabulary, _ = read_corpus([[f"w{k}"] * (1 + (k < 5)) for k in range(1_200)], "auto")
    assert len(vocabulary) == 1_000 and vocabulary.words[:3] == ("<S>", "<unk>", "w0")


# Errors


@pytest.mark.parametrize(
    ("settings", "text", "message"),
    [
        ({}, [], "the text has no words"),
        ({}, ["", "  "], "the text has no words"),
        ({}, "the cat", "expected a list of sentences"),
        ({}, ["a b", ["c", 3]], r"sentence 2: \['c', 3\] are no words"),
        ({}, ["a <S> b"], "<S> is put between sentences anyway"),
        ({"order": 3}, ["one"], "the text has 4 tokens with its separators: a field of order 3 needs more than 6"),
        ({"size": 100}, TEXT, "size 100: the text has 9 different words, with <S> at most 10"),
        ({"size": 2}, TEXT, "size 2: a whole number of words, 3 or more"),
        ({"order": 0}, TEXT, "order 0"),
        ({"rank": 0}, TEXT, "rank 0"),
        ({"l2": -1.0}, TEXT, "l2 -1.0"),
        ({"dtype": "float16"}, TEXT, "dtype 'float16': choose one of float32, float64"),
        ({"held_out": 1.0}, TEXT, "held_out 1.0: a share from 0 to 0.9"),
        ({"patience": 0}, TEXT, "patience 0"),
        ({"max_steps": 0}, TEXT, "max_steps 0"),
    ],
)
def test_texts_and_settings_that_cannot_be_learnt(settings, text, message):
    with pytest.raises(ValueError, match=message):
        small(**settings).fit(text)


def test_questions_that_have_no_answer():
    field = small().fit(TEXT)
    for sentence, message in (
        ("", "no words"),
        ("zebra lion", "'zebra' is not among the 9 words"),
        ("the <S>", "is put between sentences anyway"),
    ):
        with pytest.raises(ValueError, match=message):
            field.log_prob(sentence)
    assert small(size=5).fit(TEXT).log_prob("zebra lion") < 0  # with <unk> they have a probability
    with pytest.raises(ValueError, match="leave it out"):
        field.conditional("<S>", "cat")
    with pytest.raises(ValueError, match="kind 'exact': .*star, chain, ring"):
        field.bound(TEXT, "exact")
    with pytest.raises(ValueError, match="order 1 has 3 tokens or more"):
        field.log_z(2)
    with pytest.raises(ValueError, match="auto, exact, gibbs"):
        field.sample(method="magic")
    with pytest.raises(ValueError, match="do not fit in memory"):
        make_field(words_of(9), FullRank(np.zeros(9), np.zeros((8, 9, 9)))).sample(method="exact")
    with pytest.raises(ValueError, match="4e\\+07 states"):
        make_field(words_of(9), FullRank(np.zeros(9), np.zeros((8, 9, 9)))).log_prob("a")
