"""Training of language models: probabilities follow the formulas, distributions sum to one, errors."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.smoothing import BEGIN, END, UNKNOWN, Smoothed, most_frequent
from problems.chain import problems_of
from rcmviz.lm import smoothing as smooth
from rcmviz.lm.counts import count_ngrams, encode
from rcmviz.lm.train import NEVER, train_lm

LETTERS = "abcd"
CUTS = [(0,), (0, 0, 1), (0, 1), (0, 1, 2), (5, 0, 0, 3)]


@st.composite
def corpora(draw):
    """Sentences over 1 to 4 words, some empty: a handful, or enough for the discounts to be estimated."""
    alphabet = LETTERS[: draw(st.integers(1, 4))]
    if draw(st.booleans()):
        sentences = draw(st.lists(st.lists(st.sampled_from(alphabet), max_size=6), min_size=1, max_size=6))
        return sentences if any(sentences) else [*sentences, ["a"]]
    rng = random.Random(draw(st.integers(0, 10**6)))
    skewed = [4.0**-i for i in range(len(alphabet))]
    return [rng.choices(alphabet, skewed, k=rng.randrange(9)) for _ in range(rng.randrange(8, 40))] + [["a"]]


@st.composite
def trainings(draw):
    """(sentences, settings of ``train_lm``, the oracle of the same)."""
    sentences, order = draw(corpora()), draw(st.integers(1, 5))
    smoothing, end = draw(st.sampled_from(smooth.SMOOTHINGS)), draw(st.booleans())
    cutoffs = draw(st.sampled_from(CUTS))[:order]
    discount = draw(st.sampled_from([None, Fraction(1), Fraction(3, 4)])) if smoothing == "absolute" else None
    known, limits = draw(vocabularies(sentences))
    by_order = (0, *cutoffs[1:], *[cutoffs[-1]] * (order - len(cutoffs)))
    settings = {"order": order, "smoothing": smoothing, "cutoffs": cutoffs, "end": end, **limits}
    settings["discount"] = None if discount is None else float(discount)
    return sentences, settings, Smoothed(sentences, order, smoothing, by_order, known, end, discount)


@st.composite
def vocabularies(draw, sentences):
    """Draw (known words, options of ``train_lm``): all, the most frequent, the frequent enough, a list."""
    kind = draw(st.sampled_from(["all", "all", "number", "count", "list"]))
    if kind == "number":
        size = draw(st.integers(1, 3))
        return most_frequent(sentences, size), {"vocabulary": size}
    if kind == "count":
        return most_frequent(sentences, None, 3), {"min_count": 3}
    if kind == "list":
        words = draw(st.lists(st.sampled_from("abxyz"), unique=True, max_size=4))
        return tuple(words), {"vocabulary": [*words, "<s>", "<unk>"]}
    return most_frequent(sentences), {}


def histories(oracle):
    """Return histories of up to ``order`` words, with and without the sentence start: all, or every n-th."""
    words = (UNKNOWN, *oracle.vocabulary)
    full = [h for k in range(oracle.order) for h in itertools.product(words, repeat=k)]
    everything = full + [(BEGIN, *h) for h in full]
    return everything[:: 1 + len(everything) // 60]


@problems_of(200)
@given(trainings())
def test_every_probability_is_that_of_the_formulas(training):
    sentences, settings, oracle = training
    lm = train_lm(sentences, **settings)
    for history in histories(oracle):
        values = [lm.log_prob(word, history) for word in oracle.words]
        assert values == pytest.approx([oracle.log_p(word, history) for word in oracle.words], abs=1e-5), history


@problems_of(150)
@given(trainings())
def test_every_context_sums_to_one(training):
    sentences, settings, oracle = training
    lm = train_lm(sentences, **settings)
    for history in histories(oracle):
        total = sum(math.exp(lm.log_prob(word, history)) for word in lm.vocabulary if word != BEGIN)
        assert total == pytest.approx(1, abs=1e-5), history


@problems_of(150)
@given(trainings())
def test_listed_ngrams(training):
    sentences, settings, oracle = training
    lm = train_lm(sentences, **settings)
    listed = [sum(map(oracle.listed, grams)) for grams in by_order(oracle)]
    assert lm.counts == (len(lm.vocabulary), *listed[1:])
    assert not len(lm.trie.blanks)  # closed under suffixes
    assert lm.vocabulary == (UNKNOWN, BEGIN, *((END,) if oracle.end else ()), *oracle.vocabulary)
    assert lm.log_prob(BEGIN) == pytest.approx(NEVER) and lm.log_prob("never seen") > -20


def by_order(oracle):
    return [[gram for gram in oracle.counts if len(gram) == k] for k in range(1, oracle.order + 1)]


@problems_of(150)
@given(corpora(), st.integers(1, 9))
def test_counts(sentences, order):
    corpus = encode(sentences)
    oracle = Smoothed(sentences, order, "absolute", (0,) * order, most_frequent(sentences))
    assert corpus.vocabulary == (UNKNOWN, BEGIN, END, *oracle.vocabulary)
    below, spelt = {(): 0}, [()]
    for grams, ngrams in zip(by_order(oracle), count_ngrams(corpus, order), strict=True):
        spelt = [(*spelt[p], corpus.vocabulary[w]) for p, w in zip(ngrams.prefix, ngrams.word, strict=True)]
        counted = {gram: count for gram, count in zip(spelt, ngrams.count.tolist(), strict=True) if count}
        assert counted == {gram: oracle.counts[gram] for gram in grams}
        assert [below[gram[1:]] for gram in spelt] == ngrams.suffix.tolist()
        below = {gram: place for place, gram in enumerate(spelt)}


def test_the_discounts_of_a_large_corpus_are_estimated():
    rng = random.Random(3)
    sentences = [rng.choices("abcdefghij", [2.0**-i for i in range(10)], k=12) for _ in range(300)]
    for smoothing, width in (("kneser-ney", 3), ("absolute", 1)):
        lm = train_lm(sentences, 3, smoothing, (0,))
        oracle = Smoothed(sentences, 3, smoothing, (0,) * 3, most_frequent(sentences))
        found = [tuple(map(float, oracle.discounts(k)[:width])) for k in (1, 2, 3)]
        assert np.array(lm.info["discounts"]) == pytest.approx(np.array(found))
        assert found[2] != smooth.SMALL_DATA[:width]


def test_strings_lists_and_files_of_lists_are_the_same():
    lines = ["The cat's in", "the  cat\tsat ", ""]
    lists = train_lm([line.split() for line in lines], 2)
    assert train_lm(iter(lines), 2).counts == lists.counts
    assert train_lm(lines, 2, units="words").vocabulary == (UNKNOWN, BEGIN, END, "the", "cat", "cat's", "in", "sat")
    spelt = train_lm(lines, 2, units="characters")
    assert {"T", "'", "_"} < set(spelt.vocabulary) and spelt.info["units"] == "characters"


def test_a_no_break_space_is_part_of_its_word():
    lm = train_lm(["10\u00a0000 people"], 2)
    assert set(lm.vocabulary) == {UNKNOWN, BEGIN, END, "10\u00a0000", "people"}


def test_the_default_cut_offs_fit_every_order():
    sentences = ["a b c a b", "a b c"]
    for order in range(1, 10):
        cutoffs = (0, 0, 1, 1, 1, 1, 1, 1, 1)[:order]
        assert train_lm(sentences, order).counts == train_lm(sentences, order, cutoffs=cutoffs).counts
        assert train_lm(sentences, order).order == order


def test_progress_ends_at_its_total():
    reported = []
    train_lm(["a b"], 4, progress=lambda done, total: reported.append((done, total)))
    assert reported == [(k, 9) for k in range(1, 10)]


def test_info_is_what_was_done():
    info = train_lm(["a b", "a c c"], 2, "witten-bell", (0,), vocabulary=1).info
    assert info == {
        "smoothing": "witten-bell",
        "cutoffs": [0, 0],
        "discounts": [[], []],
        "units": "tokens",
        "sentences": 2,
        "words": 7,
        "unknown": 3,
    }


def test_unknown_words_can_be_impossible():
    lm = train_lm(["a b", "b"], 2, unknown=False)
    assert UNKNOWN not in lm.vocabulary and lm.log_prob("x") == -math.inf
    assert sum(math.exp(lm.log_prob(word, ["a"])) for word in ("a", "b", END)) == pytest.approx(1, abs=1e-6)


TEXT = ["a b", "b"]
MISTAKES = {
    "no sentences": (([],), {}, "0 sentences without a word; give some text"),
    "empty sentences": ((["", []],), {}, "2 sentences without a word"),
    "one text": (("a b",), {}, "sentences is one text; give a list of sentences"),
    "no list": (([["a"], 7],), {}, "sentence 2: give a list of words, or a string"),
    "lists of lists": (([[["a"]]],), {}, "sentence 1: give a list of words"),
    "numbers": (([["a"], ["b", 7]],), {}, "sentence 2, word 2: 7"),
    "bytes": (([b"ab"],), {}, "sentence 1, word 1: 97 is no text"),
    "begin": (([["a"], [], ["b", "<s>"]],), {}, "sentence 3, word 2: <s>"),
    "end": ((["a </s>"],), {}, "sentence 1, word 2: </s>"),
    "blank": (([["a b"]],), {}, "sentence 1, word 1: 'a b'"),
    "line": (([["a\n"]],), {}, r"'a\n' holds a blank; a word has at least one character and no blanks"),
    "empty word": (([["a", ""]],), {}, "sentence 1, word 2: '' is empty"),
    "surrogate": (([["\ud800"]],), {}, "cannot be written as UTF-8"),
    "order 0": ((TEXT, 0), {}, "order 0: give a whole number from 1 to 9"),
    "order 10": ((TEXT, 10), {}, "order 10"),
    "order true": ((TEXT, True), {}, "order True"),
    "order float": ((TEXT, 2.0), {}, "order 2.0"),
    "smoothing": ((TEXT, 2, "katz"), {}, "smoothing 'katz': choose kneser-ney, witten-bell, absolute"),
    "long cut-offs": ((TEXT, 2, "kneser-ney", (0, 0, 1)), {}, "3 of them for order 2"),
    "no cut-offs": ((TEXT, 2), {"cutoffs": ()}, "give one count per order"),
    "one cut-off": ((TEXT, 2), {"cutoffs": 1}, "give one count per order"),
    "negative cut-off": ((TEXT, 2), {"cutoffs": (0, -1)}, "give whole numbers from 0"),
    "half a cut-off": ((TEXT, 2), {"cutoffs": (0, 0.5)}, "give whole numbers from 0"),
    "falling cut-offs": ((TEXT, 3), {"cutoffs": (0, 2, 1)}, "an n-gram that is kept needs its parts"),
    "discount": ((TEXT,), {"discount": 0.5}, "kneser-ney has none to choose"),
    "large discount": ((TEXT, 2, "absolute"), {"discount": 1.5}, "give a number above 0, at most 1"),
    "no discount": ((TEXT, 2, "absolute"), {"discount": math.nan}, "discount nan"),
    "vocabulary 0": ((TEXT,), {"vocabulary": 0}, "vocabulary 0: give the number of words to keep, from 1"),
    "vocabulary half": ((TEXT,), {"vocabulary": 1.5}, "vocabulary 1.5"),
    "vocabulary text": ((TEXT,), {"vocabulary": "ab"}, "vocabulary 'ab'"),
    "vocabulary twice": ((TEXT,), {"vocabulary": ["a", "b", "a"]}, "vocabulary: 'a' is listed twice"),
    "vocabulary blank": ((TEXT,), {"vocabulary": ["a", "b c"]}, "vocabulary, word 2: 'b c'"),
    "min count": ((TEXT,), {"min_count": 0}, "min_count 0"),
    "two limits": ((TEXT,), {"min_count": 2, "vocabulary": ["a"]}, "min_count 2 with a list of words"),
    "left out": ((TEXT,), {"unknown": False, "vocabulary": 1}, "the word 'a'"),
    "units": ((TEXT,), {"units": "syllables"}, "units 'syllables': choose tokens, words, characters, letters"),
}


@pytest.mark.parametrize(("arguments", "settings", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_are_named(arguments, settings, message):
    with pytest.raises(ValueError) as caught:
        train_lm(*arguments, **settings)
    assert message in str(caught.value)
