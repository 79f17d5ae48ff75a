"""Language models compared with their equations: probabilities, bounds over longer histories, next words, files.

The tables have holes, weights above 1, logs of zero and ties; the oracle knows nothing of how the engine stores them.
"""

import math
import random

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from oracles.ngrams import BEGIN, END, UNKNOWN, Table, max_back_off
from problems.chain import problems_of
from problems.ngrams import LOGS, NAMES, SEEDS, histories_of, lm_of, random_table, tables
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.table import NgramTable

SINGLE = {"rel": 1e-6, "abs": 1e-6}  # what single precision leaves of sums of a few logs


def near(value, **tolerance):
    """Equal but for rounding; infinities are equal to themselves."""
    return pytest.approx(value, **(tolerance or SINGLE))


def asked(table, seed, count=6):
    """Yield (word, history) for every possible next word and some histories."""
    histories = histories_of(table, random.Random(seed), count)
    return [(word, history) for history in histories for word in table.vocabulary if word != BEGIN]


@problems_of(300)
@given(tables(max_order=4), SEEDS)
def test_eq_8_is_exact_on_a_repaired_table(table, seed):
    """Two definitions of the bound hold each other, before either holds the engine."""
    repaired = table.repaired()
    bound = max_back_off(repaired)
    for word, history in asked(table, seed):
        assert repaired.log_prob(word, history) == near(table.log_prob(word, history), rel=1e-12)
        assert bound(word, history) == near(table.max_log_prob(word, history), rel=1e-12)


@problems_of(1000)
@given(tables(), SEEDS)
def test_eq_7_of_the_table_as_given_and_its_largest_over_all_longer_histories(table, seed):
    """Repair adds n-grams and changes no probability; the bound is exact."""
    lm = lm_of(table)
    for word, history in asked(table, seed):
        assert lm.log_prob(word, history) == near(table.log_prob(word, history)), (word, history)
        assert lm.max_log_prob(word, history) == near(table.max_log_prob(word, history)), (word, history)


@problems_of(300)
@given(tables(max_order=4), SEEDS)
def test_no_longer_history_gets_above_the_bound_by_rounding(table, seed):
    """The bound also holds for the single-precision numbers in use."""
    lm = lm_of(table)
    for word, history in asked(table, seed, 4):
        bound = lm.max_log_prob(word, history)
        for longer in table.complete_histories(table.visible(history)):
            if longer[:1] != (BEGIN,) or lm.begin >= 0:
                assert lm.log_prob(word, longer) <= bound + 1e-9, (word, longer)


def test_without_repair_eq_8_is_no_bound():
    """A hole: ``a b c`` is listed, its suffix ``b c`` is not, so nothing tells ``b`` how likely ``c`` can become."""
    holed = Table(
        3,
        ("a", "b", "c"),
        {
            ("a",): (-1.0, -0.5),
            ("b",): (-1.0, -2.0),
            ("c",): (-3.0, 0.0),
            ("a", "b"): (-1.0, 0.0),
            ("a", "b", "c"): (-0.1, 0.0),
        },
    )
    largest = holed.max_log_prob("c", ["b"])
    assert largest == -0.1
    assert max_back_off(holed)("c", ["b"]) < largest - 3
    assert max_back_off(holed.repaired())("c", ["b"]) == largest
    assert lm_of(holed).max_log_prob("c", ["b"]) == near(largest)
    assert lm_of(holed).log_prob("c", ["b"]) == near(-5.0)


def test_a_weight_above_one_lifts_the_bound_above_all_listed_n_grams():
    """``x`` is likelier after ``a`` than any listed n-gram says: the other trap, for files with cut-offs."""
    table = Table(2, ("a", "x"), {("a",): (-1.0, 0.7), ("x",): (-1.0, 0.0), ("a", "a"): (-2.0, 0.0)})
    assert lm_of(table).max_log_prob("x") == near(-0.3)
    assert max(f for f, _ in table.listed.values()) < -0.3


def test_a_prefix_that_is_not_listed_counts_as_listed():
    """After every known word ``c`` is known too; its unigram is then never used."""
    listed = {("c",): (-0.1, 0.0), ("b", "c"): (-2.0, 0.0), (BEGIN, "c"): (-3.0, 0.0), ("c", "c"): (-4.0, 0.0)}
    assert lm_of(Table(2, (BEGIN, "b", "c"), listed)).max_log_prob("c") == near(-2.0)


@problems_of(300)
@given(tables(), SEEDS)
def test_next_words_are_all_words_sorted(table, seed):
    lm = lm_of(table)
    for history in histories_of(table, random.Random(seed), 4):
        expected = dict(table.next_words(history))
        found = lm.next_words(history, len(table.vocabulary) + 3)
        assert {word: p for word, p in found if p > -math.inf} == near(expected)
        assert [p for _, p in found] == sorted((p for _, p in found), reverse=True)
        assert BEGIN not in dict(found) and len(dict(found)) == len(found)
        assert lm.next_words(history, 2) == found[:2]
        ranks = [(-p, table.vocabulary.index(word)) for word, p in found]
        assert ranks == sorted(ranks), "ties in order of the vocabulary"


def test_next_words_asks_for_at_least_one():
    lm = lm_of(random_table(random.Random(1)))
    for k in (0, -3):
        with pytest.raises(ValueError, match=str(k)):
            lm.next_words((), k)


@problems_of(200)
@given(tables(), SEEDS)
def test_bulk_scores_are_single_scores(table, seed):
    rng = random.Random(seed)
    lm = lm_of(table)
    words = [word for word in table.vocabulary if word not in (BEGIN, END)]
    start = [BEGIN] * (BEGIN in table.vocabulary)
    texts = [start + rng.choices(words, k=rng.randint(1 - len(start), 7)) for _ in range(3)]
    ids = [lm.ids(text) for text in texts]
    offset = np.cumsum([0, *map(len, texts)])
    found = lm.score_words(np.concatenate(ids), offset)
    singles = [lm.log_prob(text[i], text[:i]) if i else None for text in texts for i in range(len(text))]
    for value, single in zip(found, singles, strict=True):
        assert single is None or value == single
    for k in range(1, table.order + 1):
        grams = [rng.choices(words, k=k) for _ in range(4)]
        rows = np.array([lm.ids(gram) for gram in grams])
        assert lm.score_ngrams(rows).tolist() == [lm.log_prob(gram[-1], gram[:-1]) for gram in grams]


def perplexity(table, sentences):
    """exp of the mean of −log p over words and ends; a word that is no ``<unk>`` either is left out."""
    scores = []
    for sentence in sentences:
        known = [word if word in table.vocabulary else UNKNOWN for word in sentence]
        text = [BEGIN, *known, *[END] * (END in table.vocabulary)]
        scores += [table.log_prob(text[i], text[:i]) for i in range(1, len(text)) if text[i] in table.vocabulary]
    return math.exp(-sum(scores) / len(scores))


@problems_of(200)
@given(tables(ends=True), SEEDS)
def test_perplexity(table, seed):
    rng = random.Random(seed)
    unigrams = {(word,): (rng.choice(LOGS[0]), -0.5) for word in table.vocabulary}
    finite = {gram: pair for gram, pair in table.listed.items() if min(pair) > -math.inf}
    table = Table(table.order, table.vocabulary, unigrams | finite)
    sentences = [rng.choices([*NAMES, "strange"], k=rng.randint(0, 5)) for _ in range(4)]
    assert lm_of(table).perplexity(sentences) == pytest.approx(perplexity(table, sentences), rel=1e-5)
    assert lm_of(table).perplexity([" ".join(words) for words in sentences]) == lm_of(table).perplexity(sentences)


@problems_of(100)
@given(tables(), SEEDS)
def test_the_order_of_rows_and_words_does_not_matter(table, seed):
    rng = random.Random(seed)
    gram_order, vocabulary = list(table.listed), list(table.vocabulary)
    rng.shuffle(gram_order)
    rng.shuffle(vocabulary)
    other = lm_of(Table(table.order, tuple(vocabulary), {gram: table.listed[gram] for gram in gram_order}))
    lm = lm_of(table)
    for word, history in asked(table, seed):
        assert other.log_prob(word, history) == lm.log_prob(word, history)
        assert other.max_log_prob(word, history) == lm.max_log_prob(word, history)


@problems_of(40)
@given(tables(), SEEDS)
def test_a_saved_model_answers_the_same(tmp_path_factory, table, seed):
    lm = lm_of(table)
    path = tmp_path_factory.mktemp("lm") / "model.npz"
    lm.save(path)
    loaded = rv.load_lm(path)
    assert (loaded.order, loaded.vocabulary, loaded.counts) == (lm.order, lm.vocabulary, lm.counts)
    for word, history in asked(table, seed):
        assert loaded.log_prob(word, history) == lm.log_prob(word, history)
        assert loaded.max_log_prob(word, history) == lm.max_log_prob(word, history)


@problems_of(100)
@given(tables())
def test_counts_are_of_what_was_listed(table):
    lm = lm_of(table)
    assert lm.order == table.order
    assert lm.vocabulary == table.vocabulary
    assert list(lm.counts) == [sum(len(gram) == k for gram in table.listed) for k in range(1, table.order + 1)]


@problems_of(100)
@given(tables(), SEEDS)
def test_words_that_the_vocabulary_lacks(table, seed):
    """They are ``<unk>`` if the model has it; otherwise they have no probability and are no context."""
    lm = lm_of(table)
    for word, history in asked(table, seed, 3):
        if UNKNOWN in table.vocabulary:
            assert lm.log_prob("strange", history) == lm.log_prob(UNKNOWN, history)
            assert lm.log_prob(word, ("strange", *history)) == lm.log_prob(word, (UNKNOWN, *history))
        else:
            assert lm.log_prob("strange", history) == -math.inf
            assert lm.log_prob(word, ("strange", *history)) == near(table.log_prob(word, ("strange", *history)))


def test_histories_of_any_length_and_kind():
    lm = lm_of(Table(3, ("a", "b"), {("a",): (-1.0, -0.5), ("b",): (-2.0, 0.0), ("a", "b"): (-0.2, -0.3)}))
    assert lm.log_prob("b", ["b", "b", "b", "a"]) == lm.log_prob("b", ("a",)) == near(-0.2)
    assert lm.log_prob("b") == lm.log_prob("b", []) == near(-2.0)
    assert lm.log_prob("a", np.array(["a", "b"])) == near(-1.3)


def one(words, log_prob=None, back_off=None):
    """A table of n-grams with plain numbers."""
    size = len(words)
    return NgramTable(
        np.array(words, np.int32),
        np.full(size, -1.0) if log_prob is None else log_prob,
        np.zeros(size) if back_off is None else back_off,
    )


UNIGRAMS = [[0], [1]]
MISTAKES = {
    "a word twice": (("a", "a"), [one(UNIGRAMS)], "'a'"),
    "an order left out": (("a", "b"), [one(UNIGRAMS), one([[0, 1, 0]])], "order"),
    "orders swapped": (("a", "b"), [one([[0, 1]]), one(UNIGRAMS)], "order"),
    "an id beyond": (("a", "b"), [one([[0], [2]])], "2"),
    "a negative id": (("a", "b"), [one([[0], [-1]])], "-1"),
    "an n-gram twice": (("a", "b"), [one(UNIGRAMS), one([[0, 1], [0, 1]])], "a b"),
    "not a number": (("a", "b"), [one(UNIGRAMS, [-1.0, math.nan])], "nan"),
    "infinite": (("a", "b"), [one(UNIGRAMS, [-1.0, math.inf])], "inf"),
    "an infinite weight": (("a", "b"), [one(UNIGRAMS, None, [0.0, math.inf])], "inf"),
    "no tables": (("a", "b"), [], "order|table"),
    "no words": ((), [one(np.zeros((0, 1)))], "word|vocabulary"),
}


@pytest.mark.parametrize(("vocabulary", "given_tables", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_invalid_tables_are_refused(vocabulary, given_tables, message):
    with pytest.raises(ValueError, match=message):
        LanguageModel.from_tables(vocabulary, given_tables)


def test_columns_of_other_lengths():
    with pytest.raises(ValueError, match="2.*3|3.*2"):
        NgramTable(np.zeros((2, 1), np.int32), np.zeros(3), np.zeros(2))


@pytest.mark.parametrize("content", [b"", b"not a model", b"PK\x03\x04"])
def test_files_that_hold_no_model(tmp_path, content):
    path = tmp_path / "broken.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="broken.npz"):
        rv.load_lm(path)


def test_a_truncated_model(tmp_path):
    path = tmp_path / "short.npz"
    lm_of(random_table(random.Random(3))).save(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match="short.npz"):
        rv.load_lm(path)


def test_arrays_cannot_be_changed():
    trie = lm_of(random_table(random.Random(3))).trie
    arrays = [value for value in vars(trie).values() if isinstance(value, np.ndarray)]
    assert arrays and not any(array.flags.writeable for array in arrays)
