"""Cryptograms: the letter model compared with its definition, keys and texts, all ten examples, invalid input."""

from functools import cache
from itertools import product

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.tasks.decipher.letter_model import ENDING, LETTERS, letter_model
from rcmviz.tasks.decipher.letters import (
    MOST_JUDGED,
    FullOrderModel,
    Solver,
    encipher_text,
    read_cryptogram,
    split_letters,
)
from rcmviz.tasks.decipher.texts import TEXTS

ASKED, ROUNDS = 0.95, 5


@cache
def lm():
    return rv.load_lm("lm-english-characters")


def row(model, text, begins=False):
    """Return the model's probabilities of the next letter."""
    width, n = len(model.labels), model.order
    code = sum(model.labels.index(c) * width**k for k, c in enumerate(reversed(text)))
    group = model.base[len(text), len(text)] if begins else model.base[n, len(text)]
    return np.exp(model.log_table[group + code])


@pytest.mark.parametrize("history", ["", "t", "_", "th", "q_", "xzq", "the"])
def test_a_row_is_the_language_model_without_what_cannot_follow(history):
    model = letter_model(lm(), 3)
    wanted = np.exp([lm().log_prob(label, tuple(history)) for label in model.labels])
    np.testing.assert_allclose(row(model, history), wanted / wanted.sum(), rtol=1e-9)
    if len(history) < 3:
        wanted = np.exp([lm().log_prob(label, ("<s>", *history)) for label in model.labels])
        np.testing.assert_allclose(row(model, history, begins=True), wanted / wanted.sum(), rtol=1e-9)


@pytest.mark.parametrize("history", ["", "e", "th"])
def test_without_blanks_all_ways_to_put_them_count(history):
    model, spaced = letter_model(lm(), 2, blanks=False), letter_model(lm(), 2)
    weight = dict.fromkeys(LETTERS, 0.0)
    for letter, gaps in product(LETTERS, product(("", "_"), repeat=len(history))):
        text = "".join(c + gap for c, gap in zip(history, gaps, strict=True)) + letter
        known = [row(spaced, text[max(0, k - 2) : k])[spaced.labels.index(text[k])] for k in range(len(text))]
        weight[letter] += np.prod(known)
    wanted = np.array(list(weight.values())) / sum(weight.values()) * (1 - ENDING)
    np.testing.assert_allclose(row(model, history)[:-1], wanted, rtol=1e-9)
    assert row(model, history).sum() == pytest.approx(1)


def test_a_key_changes_letters_and_nothing_else():
    text = "It's 9 o'clock: the Queen (of X) waits!"
    cipher = encipher_text(text, seed=3)
    assert cipher.text != text and cipher.decoded(cipher.key) == text
    assert [c for c in cipher.text if not c.isalpha()] == [c for c in text if not c.isalpha()]
    assert cipher.accuracy(cipher.key) == 1.0 and cipher.counts.sum() == sum(map(str.isalpha, text))
    assert len(cipher.numbers) == len("its oclock the queen of x waits")
    wrong = cipher.key.copy()
    symbol = int(cipher.counts.argmax())
    wrong[symbol] = (wrong[symbol] + 1) % 26
    assert cipher.accuracy(wrong) == 1 - cipher.counts[symbol] / cipher.counts.sum()
    assert read_cryptogram(cipher.text).accuracy(cipher.key) is None


def test_blanks_count_unless_they_only_make_groups():
    assert read_cryptogram("Ifmmp nz gsjfoet").has_blanks
    assert not read_cryptogram("IFMMP NZGSJ FOET").has_blanks
    assert not read_cryptogram("ifmmpnzgsjfoet").has_blanks
    assert read_cryptogram("IFMMP NZGSJ FOET", has_blanks=True).has_blanks
    assert 26 not in read_cryptogram("Ifmmp, nz gsjfoet!", has_blanks=False).numbers


def test_of_a_long_cryptogram_the_beginning_is_judged_and_all_is_read():
    cipher = encipher_text(" ".join(TEXTS.values()), seed=4)
    keys = np.array([np.random.default_rng(seed).permutation(26) for seed in range(3)])
    solver = Solver(cipher, lm())
    longer = Solver(encipher_text(" ".join([*TEXTS.values(), "zzz " * 99]), seed=4), lm())
    np.testing.assert_array_equal(longer.log_probs(keys), solver.log_probs(keys))
    assert len(solver.advance().text) == len(cipher.text) > MOST_JUDGED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" * 50_001, "50,001 letters: at most 50,000"),
        ("", "0 letters: a cryptogram needs 10"),
        ("12 34!", "0 letters"),
        ("abc def", "6 letters"),
        ("Ça va bien, merci", "'Ç', character 1: a cryptogram is written in the letters a to z"),
        ("hello wörld and more", "'ö', character 8"),
    ],
)
def test_invalid_cryptograms_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_cryptogram(text)


def test_at_least_eight_of_our_ten_are_solved_in_five_rounds():
    right = []
    for seed, text in enumerate(TEXTS.values()):
        cipher = encipher_text(text, seed)
        *_, last = Solver(read_cryptogram(cipher.text), lm()).run(rounds=ROUNDS)
        right.append(cipher.accuracy(last.best))
    assert sum(share >= ASKED for share in right) >= 8, right


def test_letters_in_groups_are_solved_and_spaced():
    text = "".join(c for c in TEXTS["garden"].lower() if c.isalpha())
    cipher = encipher_text(" ".join(text[k : k + 5] for k in range(0, len(text), 5)), seed=2)
    assert not cipher.has_blanks
    pins = {"A": LETTERS[cipher.key[0]], "B": LETTERS[cipher.key[1]]}
    *_, last = Solver(cipher, lm(), pins=pins).run(rounds=ROUNDS)
    assert cipher.accuracy(last.best) >= ASKED
    spaced = split_letters("ifyouwanttogrowgoodtomatoes", lm())
    assert spaced == "if you want to grow good tomatoes"


def short():
    return encipher_text(" ".join(TEXTS["chess"].split()[:20]), seed=1)


def test_every_step_is_a_key_and_a_round_ends_with_swaps():
    solver = Solver(short(), lm(), budget=10, passes=3)
    guesses = list(solver.run(rounds=2))
    assert [guess.stage for guess in guesses[:4]] == ["em", "em", "em", "swaps"]
    assert [guess.number for guess in guesses] == list(range(1, len(guesses) + 1))
    for guess in guesses:
        assert sorted(guess.key.tolist()) == list(range(26)) and guess.text == short().decoded(guess.key)
        assert guess.log_prob == pytest.approx(solver.log_probs(guess.key[None])[0])
        assert guess.best_text == short().decoded(guess.best)
        assert np.all((guess.confidence >= 0) & (guess.confidence <= 1 + 1e-6))


def test_the_log_probability_is_the_sum_over_the_text():
    solver = Solver(short(), lm())
    key = np.random.default_rng(0).permutation(26)
    text = [("_" if x == 26 else LETTERS[key[x]]) for x in short().numbers]
    judge = letter_model(lm(), 3)
    wanted = sum(np.log(row(judge, "".join(text[k - 3 : k]))[judge.labels.index(text[k])]) for k in range(3, len(text)))
    assert solver.log_probs(key[None])[0] == pytest.approx(wanted)


def test_no_swap_of_two_letters_makes_the_end_of_a_climb_more_probable():
    solver = Solver(short(), lm(), passes=2, pins={"Q": "e"})
    *_, guess = (solver.advance(), solver.advance())
    key, score = solver._hill_climb(guess.key)
    assert key[LETTERS.index("q")] == LETTERS.index("e") and score == pytest.approx(solver.log_probs(key[None])[0])
    for a, b in product(range(26), repeat=2):
        if a < b and LETTERS.index("q") not in (a, b):
            other = key.copy()
            other[[a, b]] = key[[b, a]]
            assert solver.log_probs(other[None])[0] <= score + 1e-6


def whole(text):
    """Log probability of a text by all orders of the language model."""
    return sum(lm().log_prob(c, ("<s>", *text[:k])) for k, c in enumerate(text))


def test_the_whole_model_scores_the_text_with_all_its_orders():
    spaced, together = read_cryptogram("the cat sat on it"), read_cryptogram("thecatsaton")
    same = np.arange(26)  # the key that changes nothing
    assert FullOrderModel(spaced, lm()).log_prob(same) == pytest.approx(whole("the_cat_sat_on_it"), rel=1e-6)
    gaps = product(("", "_"), repeat=10)
    best = max(whole("".join(map(str.__add__, "thecatsato", gap)) + "n") for gap in gaps)
    assert FullOrderModel(together, lm()).log_prob(same) == pytest.approx(best, rel=1e-6)


def test_pins_hold_from_the_next_step_on_and_can_be_wrong():
    solver = Solver(short(), lm(), passes=4)
    solver.advance()
    solver.pins = {"a": "z", "B": "y"}
    assert solver.pins == {"A": "z", "B": "y"}
    for guess in solver.run(rounds=2):
        assert guess.key[:2].tolist() == [25, 24]
    for pins, message in (({"a": "e", "b": "e"}, "two symbols are pinned to one letter"), ({"1": "e"}, "pin '1': 'e'")):
        with pytest.raises(ValueError, match=message):
            solver.pins = pins


@pytest.mark.parametrize(
    ("how", "message"),
    [({"seconds": 0}, "seconds 0"), ({"seconds": float("nan")}, "seconds nan"), ({"rounds": 0}, "rounds 0")],
)
def test_no_time_and_no_rounds_are_refused(how, message):
    with pytest.raises(ValueError, match=message):
        next(Solver(short(), lm()).run(**how))


def test_a_round_is_finished_even_without_time_left():
    guesses = list(Solver(short(), lm(), passes=2).run(seconds=1e-9))
    assert [(guess.stage, guess.round) for guess in guesses] == [("em", 1), ("em", 1), ("swaps", 1)]


def test_a_symbol_represents_one_letter_and_a_round_has_passes():
    with pytest.raises(ValueError, match="symbol 'X'"):
        Solver(short(), lm(), pins={"x": "a", "X": "b"})
    assert Solver(short(), lm(), pins={"x": "a", "X": "a"}).pins == {"X": "a"}
    with pytest.raises(ValueError, match="passes 0"):
        Solver(short(), lm(), passes=0)


def test_a_stopped_solver_resumes():
    solver = Solver(short(), lm(), passes=2)
    assert list(solver.run(stop=lambda: True)) == [] and solver.advance().number == 1


def test_letters_need_a_model_of_letters():
    words = rv.train_lm(["the cat sat", "the dog ran"], order=2)
    with pytest.raises(ValueError, match="does not know 'a'"):
        letter_model(words)
    with pytest.raises(ValueError, match="order 5: .*1 to 3"):
        letter_model(lm(), 5)
