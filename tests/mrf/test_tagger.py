"""The tagger: bound and gradients compared with enumeration, decoding, files, errors."""

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import mrf as oracle
from problems.chain import problems_of
from rcmviz.core.shared.npz import write_npz
from rcmviz.mrf.tag_bound import tag_bound
from rcmviz.mrf.tag_features import FeatureTable
from rcmviz.mrf.tag_training import OFFSETS, TagObjective, count_tags

SEEDS = st.integers(0, 10**9)
X = [["the", "dog", "barks"], ["a", "cat", "sees", "the", "dog"], ["dogs", "bark"], ["the", "cats", "see", "a", "dog"]]
Y = [["D", "N", "V"], ["D", "N", "V", "D", "N"], ["N", "V"], ["D", "N", "V", "D", "N"]]


def random_tables(seed, window):
    random = np.random.default_rng(seed)
    tags, words = random.integers(2, 4), random.integers(2, 4)
    shapes = (tags, tags), (tags,), (words,), (window, tags, words), (window, tags), (window, words)
    scale = random.choice([0.3, 1.0, 2.0])
    return [random.normal(0, scale, shape) for shape in shapes]


@given(SEEDS, st.sampled_from([1, 1, 2, 3]), st.integers(2, 3))
@problems_of(40)
def test_the_bound_is_above_all_rings_and_exact_for_one_word(seed, window, tokens):
    pairs, tags, words, seen, delta, epsilon = random_tables(seed, window)
    tokens = max(tokens, 3 if window > 1 else 2)
    field = pairs.tolist(), tags.tolist(), words.tolist(), dict(zip(OFFSETS[window], seen.tolist(), strict=True))
    exact = oracle.tagged_log_z(field, tokens) / tokens
    bound = tag_bound(pairs, tags, words, seen, delta, epsilon, tokens).bound
    assert bound >= exact - 1e-10
    if window == 1:
        assert math.isclose(bound, exact, rel_tol=1e-9, abs_tol=1e-9)


@given(SEEDS, st.integers(1, 3))
@problems_of(12)
def test_the_objective_has_this_gradient(seed, window):
    random = np.random.default_rng(seed)
    sentences = list(zip(X, Y, strict=True))
    words = ["<S>", *dict.fromkeys(word for sentence in X for word in sentence)]
    numbers = {tag: t for t, tag in enumerate(("<S>", "D", "N", "V"))}, {word: w for w, word in enumerate(words)}
    moments = count_tags(sentences, *numbers, window)
    assert moments.tokens == sum(map(len, X)) + len(X) == moments.pairs.sum() == moments.words.sum()
    assert all(seen.sum() == moments.tokens for seen in moments.seen)
    features = FeatureTable.learn(words, ["the"]).rows(words)
    objective = TagObjective(moments, features, 0.8, np.float64)
    x = random.normal(size=len(objective.first()))
    _, gradient = objective(x)
    for k in random.integers(0, len(x), 15):
        step = np.zeros_like(x)
        step[k] = 1e-5
        assert abs((objective(x + step)[0] - objective(x - step)[0]) / 2e-5 - gradient[k]) < 1e-6


@pytest.mark.parametrize("window", [1, 2, 3])
@pytest.mark.parametrize("dictionary", [True, False])
def test_decoding_is_enumerated(window, dictionary):
    tagger = rv.FieldTagger(window, dictionary=dictionary, max_steps=25).fit(X, Y)
    for words in (["the", "bark"], ["cats", "see", "Zebra-7"]):
        scores, pairs = tagger.tag_scores(words), tagger.pairs_
        offered = [tagger.words_.get(word, tagger.classes_) if dictionary else tagger.classes_ for word in words]
        best, all_of_them = None, []
        for tags in product(*offered):
            numbers = [tagger.classes_.index(tag) for tag in tags]
            line = [0, *(t + 1 for t in numbers), 0]
            score = sum(scores[i, t] for i, t in enumerate(numbers))
            score += sum(pairs[a, b] for a, b in zip(line, line[1:], strict=False))
            all_of_them.append(score)
            best = max(best or (-math.inf,), (score, tags))
        assert tagger.predict([words]) == [list(best[1])]
        hmm = tagger.hmm(words)
        assert math.isclose(rv.log_z(rv.exact(hmm)[0]), oracle.log_sum(all_of_them), rel_tol=1e-5, abs_tol=1e-5)
        found, _ = rv.ars_decode(hmm)
        assert found.words == best[1] and found.gap == 0.0


def test_it_learns_and_says_why():
    seen = []
    tagger = rv.FieldTagger(max_steps=60, rare=0).fit(X, Y, progress=seen.append)
    assert tagger.score(X, Y) == 1.0 and len(tagger.history_) == len(seen) + 1
    objective = [state["objective"] for state in tagger.history_]
    assert all(later >= sooner - 1e-6 for sooner, later in zip(objective, objective[1:], strict=False))
    found = tagger.accuracy([["a", "dogs"], ["zebras"]], [["D", "V"], ["N"]])
    assert (found.words, found.unknown_words, found.known) == (3, 1, 0.5)
    reasons = tagger.reasons(["the", "dog"], 0, "D")
    assert reasons[0][2] > 0 and {"= the", "e$"} <= {name for _, name, _ in reasons}
    assert math.isnan(tagger.accuracy(X, Y).unknown)
    stopped = rv.FieldTagger().fit(X, Y, progress=lambda state: state["step"] < 3)
    assert len(stopped.history_) == 4


def test_a_file_gives_the_same_tagger_and_a_damaged_one_is_refused(tmp_path):
    tagger, path = rv.FieldTagger(2, max_steps=20, rare=1).fit(X, Y), tmp_path / "tagger.npz"
    tagger.save(path)
    again = rv.FieldTagger.load(path)
    assert again.get_params() == tagger.get_params() and again.predict(X) == tagger.predict(X)
    np.testing.assert_allclose(again.tag_scores(["zebra"]), tagger.tag_scores(["zebra"]), atol=1e-5)
    with np.load(path) as archive:
        arrays = dict(archive)
    head = json.loads(bytes(arrays["head"]))

    def packed(**changes):
        return {"head": np.frombuffer(json.dumps(head | changes).encode(), np.uint8)}

    for change, fault in (
        ({"weights": arrays["weights"] * np.float32(np.nan)}, "finite numbers"),
        ({"pairs": arrays["pairs"][1:]}, "pairs: expected"),
        (packed(version=2), "of version 2"),
        (packed(words={"the": ["Q"]}), "a word has an unknown tag"),
        (packed(settings={"window": 9}), "window 9"),
    ):
        write_npz(path, arrays | change)
        with pytest.raises(ValueError, match=fault) as refused:
            rv.FieldTagger.load(path)
        assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "words", "tags", "message"),
    [
        ({}, [], [], "there are no sentences"),
        ({}, [["a"]], [], "X has 1 sentences, y has 0"),
        ({}, [[]], [[]], "at least one and none of them empty"),
        ({}, [["a"], []], [["D"], []], r"sentence 2 is \[\]: give a sentence"),
        ({}, [["a", "b"]], [["D"]], "sentence 1 has 2 words, but its tags are"),
        ({}, [["<S>"]], [["D"]], "<S> stands between sentences by itself"),
        ({"window": 4}, X, Y, "window 4: choose 1, 2 or 3 words"),
        ({"l2": -1}, X, Y, "l2 -1"),
        ({"dictionary": 1}, X, Y, "dictionary 1: True or False"),
    ],
)
def test_what_cannot_be_learnt(settings, words, tags, message):
    with pytest.raises(ValueError, match=message):
        rv.FieldTagger(**settings).fit(words, tags)


def test_what_cannot_be_tagged():
    tagger = rv.FieldTagger(max_steps=2).fit(X, Y)
    for sentence in ("the dog", [], ["the", ""], 3, ["the", 3]):
        with pytest.raises(ValueError, match="list of words"):
            tagger.predict([sentence])
    with pytest.raises(ValueError, match="tag 'Q': .*D, N, V"):
        tagger.reasons(["the"], 0, "Q")
