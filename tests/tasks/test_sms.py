"""The keypad, messages typed on it, and decoding by every method, compared with slow definitions."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.methods import DECODERS
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.table import NgramTable
from rcmviz.tasks.decoding import decode, log_score
from rcmviz.tasks.sms import keypad
from rcmviz.tasks.sms.messages import MAX_WORDS, read_digits, read_text

PLACES = {
    key: (row, column) for row, line in enumerate(("123", "456", "789", "*0#")) for column, key in enumerate(line)
}
TEXT = ["the dog barks .", "the fog clears !", "a dog runs .", "I don't", "the cat runs", "2 dogs bark ."]


@pytest.fixture(scope="module")
def lm():
    return rv.train_lm(TEXT, order=3)


def press(pressed, meant, slope):
    """p(pressed | meant), from the definition."""
    weight = {key: 1 / (slope * math.dist(PLACES[key], PLACES[meant]) + 1) for key in PLACES}
    return weight[pressed] / sum(weight.values())


def log_keys(keys, word, slope):
    return sum(math.log(press(key, meant, slope)) for key, meant in zip(keys, keypad.word_keys(word), strict=True))


def small_model(words, ends=True):
    """A model of single words, as frequent as their place says."""
    names = [*(("<s>", "</s>") if ends else ("<s>",)), *words]
    return LanguageModel.from_tables(
        names, [NgramTable([[k] for k in range(len(names))], [-1.0 - k for k in range(len(names))])]
    )


@problems_of(80)
@given(st.floats(0.0, 1e6))
def test_the_noise_is_its_definition(slope):
    table = np.exp(keypad.log_press(slope))
    expected = [[press(pressed, meant, slope) for meant in keypad.KEYS] for pressed in keypad.KEYS]
    np.testing.assert_allclose(table, expected, rtol=1e-12)


@pytest.mark.parametrize("slope", [-1.0, math.nan, math.inf])
def test_a_noise_that_is_none_is_refused(slope):
    with pytest.raises(ValueError, match="finite number"):
        keypad.log_press(slope)


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("money", "66639"),
        ("Don't", "366*8"),
        ("café", "2233"),
        ("?", "*"),
        ("10.30", "10*30"),
        ("Straße", "7872773"),
        ("...", "***"),
        ("№5", "665"),
        ("мир", ""),
        ("a b", ""),
        ("٣", ""),
    ],
)
def test_words_are_spelt_with_keys(word, keys):
    assert keypad.word_keys(word) == keys


def test_fingers_slip_as_often_as_the_noise_says():
    drawn = Counter(keypad.slip("5" * 20_000, seed=1, slope=4.0))
    for key in keypad.KEYS:
        expected = 20_000 * press(key, "5", 4.0)
        assert abs(drawn[key] - expected) < 4.5 * math.sqrt(expected)
    assert keypad.slip("3637", seed=2) == keypad.slip("3637", seed=2)


vocabularies = st.lists(st.text("abcz.é'1", min_size=1, max_size=4), min_size=1, max_size=12, unique=True)


@problems_of(80)
@given(vocabularies, st.lists(st.text(keypad.KEYS, min_size=1, max_size=4), min_size=1, max_size=3), st.floats(0, 100))
def test_candidates_are_all_words_with_as_many_keys(words, typed, slope):
    model = small_model(words)
    lengths = {word: len(keypad.word_keys(word)) for word in words}
    if any(len(keys) not in lengths.values() for keys in typed):
        with pytest.raises(ValueError, match="no word"):
            read_digits(model, " ".join(typed), slope=slope)
        return
    message = read_digits(model, " ".join(typed), slope=slope)
    assert message.keys == tuple(typed) and message.digits == " ".join(typed)
    for keys, candidates, log_obs in zip(typed, message.candidates, message.log_obs, strict=True):
        assert set(candidates) == {word for word in words if lengths[word] == len(keys)}
        np.testing.assert_allclose(log_obs, [log_keys(keys, word, slope) for word in candidates], rtol=1e-9)


@problems_of(80)
@given(vocabularies, st.text(keypad.KEYS, min_size=1, max_size=4), st.integers(1, 12))
def test_limited_candidates_are_the_nearest_and_then_the_most_frequent(words, keys, most):
    if not any(len(keypad.word_keys(word)) == len(keys) for word in words):
        return
    model = small_model(words)
    (everything,) = read_digits(model, keys).candidates
    ranked = sorted(everything, key=lambda word: (-round(log_keys(keys, word, 64), 9), words.index(word)))
    (limited,) = read_digits(model, keys, most=most).candidates
    assert set(limited) == set(ranked[:most]) and len(limited) == min(most, len(everything))


def test_marks_of_a_model_are_never_meant(lm):
    found = itertools.chain(*read_digits(lm, "1 111 1111 11111 111111").candidates)
    assert sorted(found) == sorted(set(lm.vocabulary) - {"<s>", "</s>", "<unk>"})


def test_a_text_is_typed_for_you(lm):
    message = read_text(lm, "The dog? I don't")
    assert message.digits == "843 364 * 4 366*8"
    assert message.meant == ("the", "dog", "?", "I", "don't") and message.unknown == ("?",)
    slipped = read_text(lm, "The dog? I don't", seed=3, slope=1.0)
    assert slipped.meant == message.meant and slipped.keys != message.keys
    assert [len(keys) for keys in slipped.keys] == [len(keys) for keys in message.keys]


LONGER = " ".join(["843"] * (MAX_WORDS + 1))
MISTAKES = {
    "empty": (read_digits, "  ", {}, "the message is empty; type digits such as 3637 843"),
    "no words": (read_text, "", {}, "the message is empty; type a few words"),
    "key": (read_digits, "843 8x", {}, "word 2, '8x': 'x' in place 2"),
    "other digits": (read_digits, "٣", {}, "word 1, '٣': '٣' in place 1"),
    "length": (read_digits, "843 843843843", {}, "word 2, '843843843': no word of the vocabulary takes 9 keys"),
    "alphabet": (read_text, "the мир", {}, "word 2, 'мир': it has a character that is on no key"),
    "too long": (read_digits, LONGER, {}, f"the message has 51 words; at most {MAX_WORDS} are decoded at once"),
    "too long a text": (read_text, "the " * 60, {}, "the message has 60 words; at most 50"),
    "most": (read_digits, "843", {"most": 0}, "at most 0 candidates per word leave none"),
    "slope": (read_digits, "843", {"slope": -2.0}, "the noise k is -2"),
}


@pytest.mark.parametrize(("read", "typed", "options", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_untypable_messages_show_the_reason(read, typed, options, message, lm):
    with pytest.raises(ValueError) as caught:
        read(lm, typed, **options)
    assert message in str(caught.value)


def test_models_without_marks_or_words():
    assert read_digits(small_model(["dog"], ends=False), "364").candidates == (("dog",),)
    with pytest.raises(ValueError, match="no </s>"):
        read_digits(small_model(["dog"], ends=False), "364").hmm(small_model(["dog"], ends=False))
    with pytest.raises(ValueError, match="no word"):
        read_digits(small_model(["мир"]), "364")


def scores_of_all(message, lm):
    """Every message and its log p, words scored one by one."""
    for words in itertools.product(*message.candidates):
        history, total = ["<s>"], 0.0
        for word, keys in zip(words, message.keys, strict=True):
            total += lm.log_prob(word, history) + log_keys(keys, word, 64)
            history.append(word)
        yield words, total + lm.log_prob("</s>", history)


def test_every_method_finds_what_enumeration_finds(lm):
    message = read_digits(lm, "843 364 7867 *")
    hmm = message.hmm(lm)
    ranked = sorted(scores_of_all(message, lm), key=lambda pair: -pair[1])
    total = np.logaddexp.reduce([score for _, score in ranked])
    for method in DECODERS:
        found = decode(hmm, method, budget=1000, k=4)
        assert [one.words for one in found.answers] == [words for words, _ in ranked[:4]], method
        np.testing.assert_allclose([one.log_score for one in found.answers], [s for _, s in ranked[:4]], atol=1e-5)
        if found.log_z_bounds:
            lower, upper = found.log_z_bounds
            assert lower <= total + 1e-5 and upper >= total - 1e-5
    for words, score in ranked[::7]:
        assert log_score(hmm, words) == pytest.approx(score, abs=1e-5)


def test_what_is_proved_is_said(lm):
    hmm = read_digits(lm, "843 364 7867 *").hmm(lm)
    assert decode(hmm).certificate.startswith("proved optimal after ") and decode(hmm).best.gap == 0
    stopped = decode(hmm, max_iterations=1)
    assert stopped.certificate.startswith("not proved (out of rounds after 1 round): another may be better by at most")
    assert decode(hmm, seconds=0.0).stopped == "time"
    assert decode(hmm, gap=100.0).certificate.startswith("not proved (as asked after 1 round)")
    assert decode(hmm, "beam").certificate == "nothing is proved: beam sees a part of the sequences"
    assert decode(hmm, "astar").certificate.startswith("proved after ") and decode(hmm, "astar").best.gap == 0
    assert decode(hmm, "bestfirst", budget=1).certificate.startswith("not proved: ")
    assert "every context" in decode(hmm, "exact").certificate


def test_options_of_other_methods_are_refused(lm):
    hmm = read_digits(lm, "843 364").hmm(lm)
    for options, message in (
        ({"method": "viterbi"}, "'viterbi' is no method; choose ars, exact"),
        ({"method": "beam", "seconds": 1.0}, "beam has no option seconds"),
        ({"k": 2, "gap": 1.0}, "the 2 best are found without a gap"),
    ):
        with pytest.raises(ValueError, match=message):
            decode(hmm, **options)
    with pytest.raises(ValueError, match="position 2: 'cow'"):
        log_score(hmm, ["the", "cow"])


def test_the_shipped_model_finds_the_message_of_the_paper():
    lm = rv.load_lm("lm-english-words")
    message = read_digits(lm, "3637 843 66639 39478 *")
    best, _ = rv.ars_decode(lm, message.candidates, message.log_obs)
    assert best.words == ("does", "the", "money", "exist", ".") and best.gap == 0.0


def test_a_model_of_letters_reads_key_by_key():
    lm = rv.load_lm("lm-english-characters")
    message = read_digits(lm, "3637 843 66639 39478 *")
    assert message.left_out == "*" and message.keys[4] == " " and message.candidates[4] == ("_",)
    alone = read_digits(lm, "8").log_obs[0]
    assert alone == pytest.approx(
        [math.log(press("8", keypad.word_keys(letter), keypad.SLOPE)) for letter in letters()]
    )
    best, _ = rv.ars_decode(message.hmm(lm), record=False, seconds=60)
    assert "".join(best.words[:20]) == "does_the_money_exist"
    typed = read_text(lm, "Don't go!")
    assert ("".join(typed.meant), len(typed.keys)) == ("dont_go", 7)
    slipped = read_text(lm, "Don't go!", seed=3)
    assert len(slipped.meant) in (0, len(slipped.keys))
    with pytest.raises(ValueError, match="no letters"):
        read_digits(lm, "*")
    with pytest.raises(ValueError, match="at most 80"):
        read_digits(lm, "8" * 81)


def letters():
    return "abcdefghijklmnopqrstuvwxyz"
