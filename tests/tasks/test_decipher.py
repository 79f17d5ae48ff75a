"""Decipherment compared with its definitions: language model, E-step, M-step, pins, readings, invalid input."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.chain import Machine, Rule, every_history, violations
from oracles.decipher import END, Discounted, Enciphered, expected, whole_mass
from problems.chain import problems_of
from rcmviz.core.builders import build
from rcmviz.learn.discounting import discounted_model
from rcmviz.learn.em import EM, SMOOTHING
from rcmviz.tasks.decipher import grammar
from rcmviz.tasks.decipher import words as cipher_words
from rcmviz.tasks.decipher.symbols import READINGS, Decipherment, accuracy, read
from rcmviz.tasks.decipher.words import Cipher, encipher, given_cipher, grammar_cipher, text_cipher

WORDS = "abc"
BUILDERS = {"rcms": build.rcms, "beam": build.beam}


@st.composite
def languages(draw, order=None):
    """A vocabulary of 1 to 3 words, a few plain sentences, an order."""
    vocabulary = WORDS[: draw(st.integers(1, 3))]
    sentence = st.lists(st.sampled_from(vocabulary), min_size=0, max_size=4).map(tuple)
    plain = draw(st.lists(sentence, min_size=1, max_size=5).map(tuple))
    return Discounted(plain, tuple(vocabulary), order or draw(st.integers(1, 3)))


@st.composite
def ciphers(draw):
    """A language, lines of symbols, emissions p(symbol | word) as exact rationals."""
    language = draw(languages())
    size = draw(st.integers(1, 3))
    lines = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=1, max_size=3), min_size=1, max_size=3))
    weight = {(x, word): Fraction(draw(st.integers(1, 9))) for x in range(size) for word in language.vocabulary}
    totals = {word: sum(weight[x, word] for x in range(size)) for word in language.vocabulary}
    return language, lines, size, {(x, word): value / totals[word] for (x, word), value in weight.items()}


def model_of(language):
    index = {word: k for k, word in enumerate(language.vocabulary)}
    return discounted_model([[index[w] for w in s] for s in language.sentences], language.vocabulary, language.order)


def em_of(cipher, method, budget):
    language, lines, size, emission = cipher
    start = [[float(emission[x, word]) for word in language.vocabulary] for x in range(size)]
    return EM(model_of(language), lines, method, budget, emission=start, S=size, dtype="f8")


def machine_of(cipher, line, lattice):
    """Return the engine's contexts for a line as the oracle's machine."""
    language, _, _, emission = cipher
    names = [lattice.context(c) for c in range(lattice.C)]
    columns = tuple(set(names[lattice.column(i)]) for i in range(lattice.T))
    return Machine(Enciphered(language, tuple(line), emission), columns)


@problems_of(40)
@given(languages())
def test_the_rows_are_the_formula(language):
    model = model_of(language)
    for length in range(3):
        lattice, _ = build.exact(model, np.zeros((length + 1, len(model.labels))), record=False)
        for c in range(*lattice.offset[length : length + 2]):
            context = lattice.context(c)
            if END in context:
                continue
            wanted = [float(language.after(length, context, label)) for label in language.labels]
            assert np.exp(lattice.score[c]) == pytest.approx(wanted, rel=1e-9)
            assert sum(wanted) == pytest.approx(1)


@problems_of(40)
@given(ciphers(), st.sampled_from(["rcms", "beam"]), st.integers(1, 4))
def test_an_e_step_is_the_sum_over_all_outputs(cipher, method, budget):
    em = em_of(cipher, method, budget)
    lattices = [BUILDERS[method](em.model, em.log_emit(line), budget, record=False)[0] for line in cipher[1]]
    machines = [machine_of(cipher, *pair) for pair in zip(cipher[1], lattices, strict=True)]
    for machine in machines:
        assert not list(violations(machine, Rule(method, budget)))
    agree(cipher, em.advance(), expected(machines))


@problems_of(30)
@given(ciphers(), st.sampled_from(["rcms", "exact"]))
def test_with_room_for_every_history_it_is_the_model_itself(cipher, method):
    language, lines, _, emission = cipher
    machines = [every_history(Enciphered(language, tuple(line), emission)) for line in lines]
    agree(cipher, em_of(cipher, method, 10_000).advance(), expected(machines))


def agree(cipher, found, wanted):
    language, _, size, _ = cipher
    counts, log_likelihood = wanted
    assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-9)
    table = [[float(counts.get((x, word), 0)) for word in language.vocabulary] for x in range(size)]
    np.testing.assert_allclose(found.counts, table, rtol=1e-7, atol=1e-12)
    smooth = np.array(table) + SMOOTHING
    np.testing.assert_allclose(found.emission, smooth / smooth.sum(axis=0), rtol=1e-7)


@problems_of(30)
@given(ciphers(), st.integers(1, 4))
def test_each_context_set_is_a_distribution_over_all_outputs(cipher, budget):
    em = em_of(cipher, "rcms", budget)
    for line in cipher[1]:
        lattice, _ = build.rcms(em.model, em.log_emit(line), budget, record=False)
        assert whole_mass(cipher[0], machine_of(cipher, line, lattice).columns) == 1


@problems_of(20)
@given(ciphers())
def test_exact_em_never_lowers_what_it_maximises(cipher):
    """The log-likelihood and SMOOTHING times the sum of all log emissions, as pseudo-counts have it."""
    em, objectives = em_of(cipher, "exact", 1), []
    for _ in range(5):
        before = em.emission
        objectives.append(em.advance().log_likelihood + SMOOTHING * np.log(before).sum())
    assert np.all(np.diff(objectives) >= -1e-9)


def small(**changes):
    return encipher(grammar.sentences(400, seed=3), **{"lines": 60, "seed": 1} | changes)


def test_single_precision_counts_as_double_does():
    cipher = small()
    one, two = (EM(cipher.model(2), cipher.lines, "rcms", 20, dtype=dtype).advance() for dtype in ("f4", "f8"))
    np.testing.assert_allclose(one.counts, two.counts, atol=0.02)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, rel=1e-5)


def test_a_pin_is_kept_and_spreads():
    cipher = small()
    symbol, word = cipher.symbols[4], cipher.vocabulary[cipher.key[4]]
    work = Decipherment(cipher, "rcms", 10, pins={symbol: word})
    state = list(work.run(2))[-1]
    assert state.guess[4] == cipher.key[4] and work.pins == {symbol: word}
    row, column = state.emission[4], state.emission[:, cipher.key[4]]
    assert (row.sum(), column.sum(), row[cipher.key[4]]) == (1, 1, 1)
    np.testing.assert_allclose(state.emission.sum(axis=0), 1)
    work.pins = {}
    assert work.advance().emission[4].sum() > 1


def test_a_pinned_symbol_and_its_word_are_for_each_other_only():
    language = Discounted((("a", "b"), ("c",), ("b", "a")), tuple("abc"), 1)
    em = EM(model_of(language), [[0, 1], [2]], "rcms", 3, pins={1: 2})
    np.testing.assert_allclose(em.emission, [[0.5, 0.5, 0], [0, 0, 1], [0.5, 0.5, 0]])
    found = em.advance()
    assert found.counts[1].tolist() == pytest.approx([0, 0, 1]) and not found.counts[[0, 2], 2].any()
    em.pins = {}
    assert em.emission[1, 0] > 0 and em.emission[0, 2] > 0


@pytest.mark.parametrize(
    ("pins", "message"),
    [
        ({"nothing": "the"}, "'nothing': no such symbol"),
        ({"SYMBOL": "zebra"}, "'zebra' is not in the vocabulary"),
        ({"SYMBOL": "the", "OTHER": "the"}, "two symbols are pinned to one label"),
    ],
)
def test_pins_that_do_not_fit_are_refused(pins, message):
    cipher = small()
    names = {"SYMBOL": cipher.symbols[0], "OTHER": cipher.symbols[1]}
    with pytest.raises(ValueError, match=message):
        Decipherment(cipher, pins={names.get(name, name): word for name, word in pins.items()})


def test_a_pass_that_is_stopped_changes_nothing():
    work = Decipherment(small(), "rcms", 10)
    before = work.em.emission
    assert work.advance(stop=lambda: True) is None and list(work.run(3, stop=lambda: True)) == []
    assert work.em.passes == 0 and np.array_equal(work.em.emission, before)
    assert work.advance().number == 1


def test_the_readings_are_their_definitions():
    random = np.random.default_rng(0)
    counts, emission = random.random((4, 4)), random.random((4, 4))
    assert read(counts, emission).tolist() == [max(range(4), key=lambda y: emission[x, y]) for x in range(4)]
    assert read(counts, emission, "posterior").tolist() == [max(range(4), key=lambda y: counts[x, y]) for x in range(4)]
    best = max(permutations(range(4)), key=lambda way: sum(counts[x, y] for x, y in enumerate(way)))
    assert read(counts, emission, "assignment").tolist() == list(best)
    with pytest.raises(ValueError, match="reading 'guess': .*emission, posterior, assignment"):
        read(counts, emission, "guess")
    assert READINGS == ("emission", "posterior", "assignment")


def test_accuracy_by_type_and_by_token():
    lines, key = (np.array([0, 0, 1]), np.array([0])), np.array([2, 1])
    cipher = Cipher(("x", "y", "z"), (np.array([0]),), ("1", "2"), lines, key, "")
    assert accuracy(cipher, np.array([2, 0])) == (0.5, 0.75)


def test_enciphering_changes_words_into_symbols_one_to_one_and_nothing_else():
    sentences = [tuple(s) for s in grammar.sentences(300, seed=5)]
    cipher = encipher(sentences, lines=50, size=80, seed=2)
    counts = {word: sum(s.count(word) for s in sentences) for s in sentences for word in s}
    common = sorted(counts, key=lambda word: (-counts[word], word))[:80]
    assert cipher.vocabulary == tuple(common)
    read_back = [cipher.words(line) for line in cipher.lines]
    plain = [tuple(cipher.vocabulary[y] for y in sentence) for sentence in cipher.plain]
    kept = {s for s in sentences if set(s) <= set(common)}
    assert len(read_back) == 50 and len(plain) + 50 == len(kept) and {*read_back, *plain} == kept
    assert len(set(cipher.key.tolist())) == len(cipher.symbols)
    other = encipher(sentences, lines=50, size=80, seed=3)
    assert [cipher.words(line) for line in other.lines] != read_back
    joined = encipher(sentences, lines=10, size=80, seed=2, joined=5)
    assert [cipher.words(line) for line in cipher.lines][:5] == _cut(joined, 0, read_back)


def _cut(joined, k, parts):
    """The first five sentences again out of the first joined one."""
    words, found = joined.words(joined.lines[k]), []
    for part in parts[:5]:
        found.append(words[: len(part)])
        words = words[len(part) :]
    assert not words
    return found


def test_a_new_line_is_read_with_the_symbols_that_are_known():
    cipher = small()
    line = " ".join(cipher.symbols[x] for x in cipher.lines[0])
    assert cipher.numbers(line).tolist() == cipher.lines[0].tolist()
    lattice, trace = Decipherment(cipher, "rcms", 5).lattice(cipher.numbers(line))
    assert len(cipher.lines[0]) + 1 == lattice.T and trace is not None
    with pytest.raises(ValueError, match="'9999'"):
        cipher.numbers("9999")
    with pytest.raises(ValueError, match="an empty line"):
        cipher.numbers("  ")


def test_texts_of_the_user(tmp_path):
    plain, coded = tmp_path / "plain.txt", tmp_path / "coded.txt"
    plain.write_text("The cat sat.\n\nThe dog sat!\nA cat ran\nA dog ran\n")
    coded.write_text("17 4 9\n\n17 5 9\n")
    cipher = given_cipher(plain, coded)
    assert cipher.vocabulary[:4] == ("a", "cat", "dog", "ran")
    assert cipher.symbols == ("17", "4", "5", "9") and len(cipher.plain) == 4
    state = Decipherment(cipher, "exact", order=1).advance()
    assert state.by_type is None and state.guess.shape == (4,)
    own = text_cipher(plain, seed=0, lines=2)
    assert len(own.lines) == 2 and len(own.plain) == 2 and own.key is not None


def test_invalid_cipher_texts_are_refused(tmp_path):
    with pytest.raises(ValueError, match="one word"):
        encipher([("a",), ("a", "a"), ("a", "a", "a")], lines=1)
    with pytest.raises(ValueError, match="2 distinct sentences"):
        encipher([("a",), ("b",), ("b",)], lines=2)
    with pytest.raises(ValueError, match="vocabulary of 0"):
        encipher([("a",), ("b",)], lines=1, size=0)
    plain, coded = tmp_path / "plain.txt", tmp_path / "coded.txt"
    plain.write_text("a b\nb a\n")
    coded.write_text("1 2 3\n")
    with pytest.raises(ValueError, match="3 different symbols for 2 words"):
        given_cipher(plain, coded)
    with pytest.raises(ValueError, match="vocabulary of -3 .*2 to 5,000"):
        given_cipher(plain, coded, size=-3)
    plain.write_text("a b c\na b d\n")
    coded.write_text("1 2\n" + "1 2 " * 1000)
    with pytest.raises(ValueError, match=r"plain\.txt: no sentence"):
        given_cipher(plain, coded, size=2)
    with pytest.raises(ValueError, match=r"coded\.txt: line 2 .*2,000 .*1,999"):
        given_cipher(plain, coded)
    coded.write_text("\n \n")
    with pytest.raises(ValueError, match=r"coded\.txt: no words"):
        given_cipher(plain, coded)


def test_em_says_what_does_not_fit():
    model = discounted_model([[0, 1]], "ab", 1)
    with pytest.raises(ValueError, match="none may be empty"):
        EM(model, [[0], []])
    with pytest.raises(ValueError, match="symbol 3: .*2"):
        EM(model, [[0, 3]], S=2)
    with pytest.raises(ValueError, match="symbols .*from 0"):
        EM(model, [[0, -1]])
    with pytest.raises(ValueError, match=r"\(1, 2\): 2 symbols and 2 labels"):
        EM(model, [[0, 1]], emission=[[1.0, 1.0]])
    with pytest.raises(ValueError, match="method 'viterbi': .*rcms, beam, exact"):
        EM(model, [[0, 1]], "viterbi").advance()
    with pytest.raises(ValueError, match="the limit is 1,999"):
        EM(model, [[0] * 2_000])
    with pytest.raises(ValueError, match="at least one"):
        discounted_model([], "ab", 1)
    for how, message in (({"discount": 1.0}, "discount 1.0"), ({"smoothing": np.inf}, "smoothing inf")):
        with pytest.raises(ValueError, match=message):
            discounted_model([[0]], "ab", 1, **how)
    for strange in (-1, 2, 3):
        with pytest.raises(ValueError, match="words .*0 to 1"):
            discounted_model([[0], [strange]], "ab", 1)
    for emission in (np.full((2, 2), np.nan), np.zeros((2, 2)), [[1, 1], [-1, 1]]):
        with pytest.raises(ValueError, match="emission: .*from 0"):
            EM(model, [[0, 1]], emission=emission)
    with pytest.raises(ValueError, match="smoothing inf"):
        EM(model, [[0, 1]], smoothing=np.inf)
    for pins in ({0: 0.5}, {"a": 0}, {0: 2}):
        with pytest.raises(ValueError, match="symbols .*0 to 1, labels .*0 to 1"):
            EM(model, [[0, 1]], pins=pins)


def test_an_unknown_reading_is_refused_before_the_work():
    work = Decipherment(small())
    for refused in (lambda: setattr(work, "reading", "guess"), lambda: Decipherment(small(), reading="guess")):
        with pytest.raises(ValueError, match="reading 'guess': choose one of emission"):
            refused()
    assert work.reading == "emission"


def test_the_grammar_is_seeded_and_can_be_deciphered():
    assert grammar.sentences(20, seed=4) == grammar.sentences(20, seed=4)
    assert grammar.sentences(20, seed=4) != grammar.sentences(20, seed=5)
    cipher = grammar_cipher(0, most=3_000, lines=300)
    found = {method: list(Decipherment(cipher, method, 10).run(4))[-1] for method in ("rcms", "beam")}
    assert found["rcms"].by_token > 0.5 > found["beam"].by_token
    assert cipher.counts.sum() == sum(map(len, cipher.lines)) and cipher_words.VOCABULARY == 500
