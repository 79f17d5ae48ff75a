"""Decoding with a field by all builders, compared with enumeration of all sentences of candidates."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import mrf as oracle
from problems.chain import problems_of
from problems.mrf import random_field, tables
from rcmviz.lm.language_model import LanguageModel
from rcmviz.mrf import decoding
from rcmviz.mrf.field import make_field
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.reach import chains_of

SEEDS = st.integers(0, 10**9)


def drawn(seed):
    """(field, candidates as numbers, log observations) of 1 to 4 positions."""
    random = np.random.default_rng(seed)
    potentials, _ = random_field(seed, most=4)
    words = ("<S>", *"abcdefgh"[: potentials.size - 1])
    field = make_field(words, potentials, counts=np.arange(1.0, potentials.size + 1))
    columns = [
        random.permutation(np.arange(1, potentials.size))[: random.integers(1, potentials.size)].tolist()
        for _ in range(random.integers(1, 5))
    ]
    return field, columns, [random.normal(size=len(column)) for column in columns]


def weights(field, columns, log_obs):
    """Log weight of every sentence of candidates."""
    of_field = tables(field.potentials_)
    return {
        tuple(field.words[columns[i][y]] for i, y in enumerate(path)): oracle.sentence_score(
            of_field, [columns[i][y] for i, y in enumerate(path)]
        )
        + sum(log_obs[i][y] for i, y in enumerate(path))
        for path in product(*(range(len(column)) for column in columns))
    }


def names(field, columns):
    return [[field.words[w] for w in column] for column in columns]


@given(SEEDS)
@problems_of(40)
def test_every_builder_agrees_with_enumeration(seed):
    field, columns, log_obs = drawn(seed)
    all_of_them = weights(field, columns, log_obs)
    log_z = oracle.log_sum(all_of_them.values())
    best = max(all_of_them, key=all_of_them.get)
    hmm = field.hmm(names(field, columns), log_obs)
    lattices = [rv.exact(hmm)[0]]
    lattices += [build(hmm, budget=10**4)[0] for build in (rv.beam, rv.rcms)]
    for lattice in lattices:
        assert math.isclose(rv.log_z(lattice), log_z, rel_tol=1e-5, abs_tol=1e-4)
        labels = rv.viterbi(lattice).labels[: len(columns)]
        assert all_of_them[tuple(labels)] >= all_of_them[best] - 1e-4
    found, _ = rv.ars_decode(hmm)
    assert found.gap == 0.0 and math.isclose(found.log_score, all_of_them[best], rel_tol=1e-5, abs_tol=1e-4)
    assert rv.log_z(rv.beam(hmm, budget=1)[0]) <= log_z + 1e-4 and found.log_z_bounds[1] >= log_z - 1e-4


@given(SEEDS)
@example(99999)
@problems_of(30)
def test_a_forgotten_word_weighs_what_it_does_on_average(seed):
    field, columns, _ = drawn(seed)
    node, edges = tables(field.potentials_)
    hmm = field.hmm(names(field, columns))
    counts = field.counts_[1:]
    for known in range(min(len(columns), len(edges) + 1)):
        for path in product(*columns[-1 - known :]):
            *history, word = path
            wanted = node[word] + sum(edges[back][history[-1 - back]][word] for back in range(known))
            wanted += sum(
                math.log(sum(p * math.exp(edges[back][u][word]) for u, p in enumerate(counts, start=1)) / sum(counts))
                for back in range(known, len(edges))
            )
            known_words = [field.words[w] for w in history]
            if len(history) == len(columns) - 1 and known < len(edges):
                complete = node[word] + sum(
                    edges[back][history[-1 - back] if back < known else 0][word] for back in range(len(edges))
                )
                assert math.isclose(
                    hmm.lm.log_prob(field.words[word], ["<s>", *known_words]), complete, rel_tol=1e-5, abs_tol=1e-5
                )
            found = hmm.lm.log_prob(field.words[word], known_words)
            assert math.isclose(found, wanted, rel_tol=1e-5, abs_tol=1e-5)
            # Only for complete histories: the bound for a forgotten word may exceed that of every candidate.
            most = hmm.lm.max_log_prob(field.words[word], known_words)
            for before in product(*columns[: len(columns) - 1 - known]):
                longer = [*(field.words[w] for w in before), *known_words]
                assert most >= hmm.lm.log_prob(field.words[word], ["<s>", *longer]) - 1e-6


def test_sentences_have_the_weight_of_log_prob():
    field, columns, _ = drawn(7)
    hmm = field.hmm(names(field, columns))
    lattice, _ = rv.exact(hmm)
    path = rv.viterbi(lattice)
    words = path.labels[: len(columns)]
    ids = field.vocabulary_.ids(words)
    assert math.isclose(path.log_score - field._exact().log_z(len(words)), field._exact().log_prob(ids), rel_tol=1e-5)


def test_unknown_candidates_and_too_many():
    field = rv.MarkovField(size=5, order=2, rank=2, held_out=0.0, max_steps=5)
    field.fit(["the cat sat on the mat", "the dog sat", "a dog ran", "the cat ran"])
    hmm = field.hmm([["the", "zebra", "lion"], ["sat", "dog"]], end=False)
    assert hmm.T == 2 and rv.ars_decode(hmm)[0].gap == 0.0
    known = make_field(("<S>", "a", "b"), FullRank(np.zeros(3), np.zeros((2, 3, 3))))
    with pytest.raises(ValueError, match="'zebra'"):
        known.hmm([["a", "zebra"]])
    wide = make_field(("<S>", *(f"w{k}" for k in range(200))), FullRank(np.zeros(201), np.zeros((2, 201, 201))))
    hmm = wide.hmm([wide.words[1:]] * 3)
    with pytest.raises(ValueError, match=r"8e\+06 n-grams .* best_only=True"):
        rv.ars_decode(hmm)


def test_too_many_candidates_are_refused_with_the_limit(monkeypatch):
    monkeypatch.setattr(decoding, "MOST_NGRAMS", 30)
    potentials = FullRank(np.zeros(7), np.zeros((2, 7, 7)))
    field = make_field(("<S>", *"abcdef"), potentials)
    columns = [list(letters) for letters in ("ab", "abcdef", "abcde", "c")]
    with pytest.raises(ValueError, match=r"at most 30: .* at most 2 .* \(position 2 has 6\)"):
        rv.ars_decode(field.hmm(columns))
    assert rv.ars_decode(field.hmm([column[:2] for column in columns]))[0].gap == 0.0
    with pytest.raises(ValueError, match="at most 2"):
        rv.ars_decode(field.hmm([column[:3] for column in columns]))
    hmm = field.hmm(columns)
    assert rv.exact(hmm)[0].T == 5  # which asks for its own contexts only
    assert repr(hmm.lm) == "<FieldScores: order 3, 8 words>"


@given(SEEDS)
@problems_of(40)
def test_rows_are_those_of_the_table(seed):
    field, columns, log_obs = drawn(seed)
    scores, random = field.hmm(names(field, columns), log_obs).lm, np.random.default_rng(seed)
    words = np.append(scores.ids(names(field, columns)[-1]), -1).astype(np.int32)
    histories = []  # as contexts store them: forgotten words, the start, then words
    for known in range(min(len(columns) - 1, scores.order - 1) + 1):
        last = [random.choice(scores.ids(column)) for column in names(field, columns)[len(columns) - 1 - known : -1]]
        begun = known == len(columns) - 1 and known < scores.order - 1 and random.random() < 0.5
        history = [scores.begin] * begun + last
        histories.append([-1] * (scores.order - 1 - len(history)) + history)
    histories = np.array(histories, np.int32)
    of_table = LanguageModel(scores.vocabulary, scores.trie, scores.counts)
    np.testing.assert_allclose(
        scores.log_rows(histories, words, 0.5), of_table.log_rows(histories, words, 0.5), rtol=1e-6, atol=1e-6
    )
    ends = [scores.begin, *(scores.ids(column)[0] for column in names(field, columns)), scores.end]
    np.testing.assert_allclose(
        scores.score_words(ends, [0, len(ends)]), of_table.score_words(ends, [0, len(ends)]), rtol=1e-6, atol=1e-6
    )


@given(SEEDS, st.booleans(), st.sampled_from([0.5, 1.0, 2.3]))
@problems_of(60)
def test_no_candidate_of_the_best_sentence_is_left_out(seed, end, temperature):
    field, columns, log_obs = drawn(seed)
    log_obs[0][1:] = np.where(np.random.default_rng(seed).random(len(log_obs[0]) - 1) < 0.3, -np.inf, log_obs[0][1:])
    options = {"end": end, "temperature": temperature}
    hmm = field.hmm(names(field, columns), log_obs, **options)
    fewer = field.hmm(names(field, columns), log_obs, best_only=True, **options)
    assert all(set(some) <= set(every) for some, every in zip(fewer.candidates, hmm.candidates, strict=True))
    best, found = (rv.viterbi(rv.exact(one)[0]).log_score for one in (hmm, fewer))
    assert math.isclose(best, found, abs_tol=1e-4) and rv.ars_decode(fewer)[0].gap == 0.0


@given(SEEDS)
@problems_of(60)
def test_bounds_of_candidates_hold_and_fall(seed):
    field, columns, log_obs = drawn(seed)
    scores = field.hmm(names(field, columns)).lm.scores
    chains = chains_of(scores, [np.array(column) for column in columns], log_obs)
    every = weights(field, columns, log_obs)
    most = [
        [max(value for words, value in every.items() if words[i] == word) for word in column]
        for i, column in enumerate(names(field, columns))
    ]
    before = np.inf
    for _ in range(4):
        bounds, highest = chains.bounds()
        for bound, truth in zip(bounds, most, strict=True):
            assert np.all(bound >= np.array(truth) - 1e-9)
        assert max(every.values()) - 1e-9 <= highest <= before + 1e-9
        before = highest
        chains.tighten()


def test_hundreds_of_candidates_are_decoded_and_proved():
    random, size, shape = np.random.default_rng(3), 400, (400, 4)
    potentials = LowRank(random.normal(size=size), *(random.normal(0, 0.5, one) for one in (shape, (2, *shape))))
    field = make_field(("<S>", *(f"w{k}" for k in range(1, size))), potentials, counts=random.integers(1, 9, size))
    columns = [[f"w{w}" for w in 1 + random.permutation(size - 1)[:300]] for _ in range(6)]
    hmm = field.hmm(columns)
    beam = rv.viterbi(rv.beam(hmm, budget=20, record=False)[0])
    rcms = rv.viterbi(rv.rcms(hmm, budget=20, record=False)[0])
    ids = field.vocabulary_.ids(beam.labels[:6]).tolist()
    assert math.isclose(beam.log_score, oracle.sentence_score(tables(potentials), ids), rel_tol=1e-5)
    best, _ = rv.ars_decode(field.hmm(columns, best_only=True))
    assert best.gap == 0.0 and best.log_score >= max(beam.log_score, rcms.log_score) - 1e-4
