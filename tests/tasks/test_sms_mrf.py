"""Messages decoded with a Markov field: candidates, the proof compared with enumeration, errors."""

import itertools

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.mrf.field import make_field
from rcmviz.mrf.potentials import LowRank
from rcmviz.tasks.sms.keypad import codes, log_press, word_keys
from rcmviz.tasks.sms.mrf import read_with_field

WORDS = ("<S>", "<unk>", "cat", "act", "bat", "a", "i", "go")


@pytest.fixture
def field():
    """Random potentials over a few words that share keys."""
    rng = np.random.default_rng(5)
    parts = rng.normal(size=8), rng.normal(size=(8, 3)), rng.normal(size=(2, 8, 3))
    return make_field(WORDS, LowRank(*parts), counts=np.array([9, 2, 5, 4, 3, 8, 6, 1]))


@pytest.mark.parametrize("text", ["a _ act", "_ cat", "go i _", "bat a cat"])
def test_the_proof_is_the_best_of_all_sentences(field, text):
    message, hmm = read_with_field(field, text)
    assert message.keys == tuple("_" if word == "_" else word_keys(word) for word in text.split())
    best, trace = rv.ars_decode(hmm)
    scored = {}
    for words in itertools.product(*message.candidates):
        log_press_of = sum(
            0.0 if keys == "_" else log_press()[codes(keys), codes(word_keys(word))].sum()
            for keys, word in zip(message.keys, words, strict=True)
        )
        scored[words] = field.log_prob(words) + log_press_of
    assert best.gap == 0.0 and best.words == max(scored, key=scored.get)
    bounds = trace.log_q
    assert (np.diff(bounds) <= 1e-6).all()  # bounds never rise


def test_candidates_are_those_that_fit_best(field):
    message, _ = read_with_field(field, "a _ act", most=2)
    assert set(message.candidates[2]) == {"cat", "act"} or set(message.candidates[2]) == {"cat", "bat"}
    assert message.candidates[1] == tuple(w for w, _ in field.fill("a", "act", 4) if w != "<unk>")[:2]
    assert message.log_obs[1].tolist() == [0.0, 0.0] and message.meant == ("a", None, "act")
    assert read_with_field(field, "dog a")[0].unknown == ("dog",)


@pytest.mark.parametrize(("text", "said"), [("a _ b _", "2 blanks"), ("", "is empty"), ("zzzzzzz _", "takes 7 keys")])
def test_untypable_messages_are_refused(field, text, said):
    with pytest.raises(ValueError, match=said):
        read_with_field(field, text)
