"""Units of text: a text and its units as in training get equal scores."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import rcmviz as rv
from rcmviz.cli import main
from rcmviz.lm.text import UNITS, splitter
from rcmviz.tasks.sms import messages
from rcmviz.tasks.sms.mrf import read_with_field
from rcmviz.views.mrf.blank import build_blank

TEXTS = ["The Cat, sat on 10\u00a0km.", "the dog ran!", "  Don't  sit on the well-known mat ", "A cup of tea, please."]
ALL = sorted(UNITS)


@pytest.fixture(scope="module")
def lms():
    return {units: rv.train_lm(TEXTS, order=3, units=units, cutoffs=(0,)) for units in ALL}


@pytest.fixture(scope="module")
def fields():
    return {units: rv.MarkovField(rank=2, max_steps=3, units=units).fit(TEXTS) for units in ALL}


def split(units):
    return [splitter(units)(text) for text in TEXTS]


ASKED_OF_LM = {
    "score": lambda lm, texts: lm.score(texts).log_prob,
    "score without end": lambda lm, texts: lm.score(texts, end=False).log_prob,
    "unknown": lambda lm, texts: lm.score(texts).unknown,
    "perplexity": lambda lm, texts: lm.perplexity(texts),
    "ids": lambda lm, texts: np.concatenate([lm.ids(text) for text in texts]),
    "log_prob": lambda lm, texts: [lm.log_prob(word, text) for text in texts for word in lm.vocabulary],
    "max_log_prob": lambda lm, texts: [lm.max_log_prob(word, text) for text in texts for word in lm.vocabulary],
    "next_words": lambda lm, texts: [p for text in texts for _, p in lm.next_words(text, 5)],
}
ASKED_OF_FIELD = {
    "log_prob": lambda field, texts: [field.log_prob(text) for text in texts],
    "score": lambda field, texts: field.score(texts),
    "star": lambda field, texts: field.bound(texts),
    "chain": lambda field, texts: field.bound(texts, "chain"),
    "conditional": lambda field, texts: field.conditional(texts[0], texts[1]),
    "fill": lambda field, texts: [p for _, p in field.fill(texts[1], texts[3], 5)],
    "edge_scores": lambda field, texts: field.edge_scores(texts[3], texts[0]),
}


def test_a_predicted_word_is_split_as_its_history_is():
    lm = rv.train_lm(["The Cat, sat!"], order=2, units="words", cutoffs=(0,))
    assert lm.log_prob("Cat,", "The") == lm.log_prob("cat", ["the"]) > lm.log_prob("dog", ["the"])
    assert lm.max_log_prob("Cat") == lm.max_log_prob("cat")
    assert lm.log_prob("the cat", "") == lm.log_prob("<unk>", "")  # two words are no word
    assert lm.log_prob("</s>", "Sat!") == lm.log_prob("</s>", ["sat"])


@pytest.mark.parametrize("units", ALL)
@pytest.mark.parametrize("ask", ASKED_OF_LM.values(), ids=ASKED_OF_LM)
def test_a_language_model_splits_texts_as_in_training(lms, ask, units):
    texts = [text.strip() for text in TEXTS]
    np.testing.assert_array_equal(ask(lms[units], texts), ask(lms[units], split(units)))


@pytest.mark.parametrize("units", ALL)
@pytest.mark.parametrize("ask", ASKED_OF_FIELD.values(), ids=ASKED_OF_FIELD)
def test_a_field_splits_texts_as_in_training(fields, ask, units):
    np.testing.assert_allclose(ask(fields[units], TEXTS), ask(fields[units], split(units)), rtol=1e-12)


@pytest.mark.parametrize("units", ALL)
def test_no_word_of_the_training_text_is_unknown(lms, fields, units):
    assert not lms[units].score(TEXTS).unknown.any()
    assert all(word in fields[units].vocabulary_ for text in TEXTS for word in fields[units].split(text))


@pytest.mark.parametrize("units", ALL)
def test_files_and_shorter_models_keep_the_units(lms, fields, units, tmp_path):
    lm = lms[units]
    lm.save(tmp_path / "lm.npz"), lm.write_arpa(tmp_path / "lm.arpa"), lm.write_arpa(tmp_path / "max.arpa.gz", True)
    fields[units].save(tmp_path / "field.npz")
    for name in ("lm.npz", "lm.arpa", "max.arpa.gz"):
        again = rv.load_lm(tmp_path / name)
        assert again.units == units and again.split(TEXTS[0]) == lm.split(TEXTS[0])
        np.testing.assert_allclose(again.score(TEXTS).log_prob, lm.score(TEXTS).log_prob, rtol=1e-6)
    field = rv.load_field(tmp_path / "field.npz")
    assert field.units == units and field.split(TEXTS[0]) == fields[units].split(TEXTS[0])
    assert field.log_prob(TEXTS[1]) == pytest.approx(fields[units].log_prob(TEXTS[1]), rel=1e-5)


@pytest.mark.parametrize("units", ALL)
def test_the_terminal_splits_as_training_did(lms, fields, units, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lms[units].save("lm.npz"), fields[units].save("field.npz")
    (tmp_path / "text.txt").write_text("\n".join(TEXTS), encoding="utf-8")

    def asked(*arguments):
        result = CliRunner().invoke(main.app, [*arguments, "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    log_prob = lms[units].score(TEXTS).log_prob.sum()
    assert asked("lm", "score", "lm.npz", "text.txt")["log_prob"] == pytest.approx(log_prob)
    found = asked("lm", "next", "lm.npz", TEXTS[1], "-k", "1")["next"][0]
    assert (found["word"], found["log_prob"]) == pytest.approx(lms[units].next_words(TEXTS[1], 1)[0])
    field = rv.load_field("field.npz")
    found = asked("field", "score", "field.npz", "--text", TEXTS[3])
    assert found["log_prob"] == pytest.approx(field.log_prob(TEXTS[3]))
    found = asked("field", "blank", "field.npz", f"{TEXTS[1]} _ {TEXTS[3]}", "-k", "1")["words"][0]
    assert (found["word"], found["p"]) == pytest.approx(field.fill(f"{TEXTS[1]} ", f" {TEXTS[3]}", 1)[0])


@pytest.mark.parametrize("units", ALL)
def test_the_page_of_a_blank_splits_as_training_did(fields, units):
    payload = build_blank(fields[units], f"{TEXTS[1].strip()} _ {TEXTS[3]}")
    blank = ["_"] if units in ("characters", "letters") else []
    assert payload["left"] == split(units)[1] + blank and payload["right"] == blank + split(units)[3]
    words = [*payload["left"], "_", *payload["right"]]
    if words.count("_") == 1:
        assert build_blank(fields[units], words) == payload


def test_a_prefix_of_a_text_has_no_sentence_end():
    lm = rv.train_lm(["the cat", "the dog"], order=4, units="letters", cutoffs=(0,))
    assert lm.next_words("the ", 2) == lm.next_words(list("the_"), 2) != lm.next_words("the", 2)
    assert lm.next_words("<s> th", 1) == lm.next_words(["<s>", "t", "h"], 1)
    tokens = rv.train_lm(["the cat", "the dog"], order=3, cutoffs=(0,))
    assert tokens.next_words("<s> the ", 2) == tokens.next_words(["<s>", "the"], 2)


@pytest.mark.parametrize("units", ["tokens", "words", "english"])
def test_messages_are_typed_in_words_of_the_model(lms, fields, units):
    for model in (lms[units], fields[units]):
        text = "the dog ran!"
        message = messages.read_text(model, text) if model is lms[units] else read_with_field(model, text)[0]
        assert list(message.meant) == model.split(text) and not message.unknown


def test_a_model_of_tokens_types_what_it_lacks_as_english():
    lm = rv.train_lm(["the dog . I see"], order=2)
    assert messages.read_text(lm, "The dog.").meant == ("the", "dog", ".")


def test_shipped_models_split_as_their_text_was():
    text, words = "A cup of tea, please.", ["a", "cup", "of", "tea", ",", "please", "."]
    lm, letters = rv.load_lm("lm-english-words"), rv.load_lm("lm-english-characters")
    assert lm.perplexity([text]) == lm.perplexity([words]) and not lm.score([text]).unknown.any()
    assert letters.perplexity([text]) == letters.perplexity([list("a_cup_of_tea_please")])
    for name in ("mrf-english", "mrf-english-pseudo"):
        field = rv.load_field(name)
        assert field.split(text) == words
        assert field.fill("A cup of", ", please.") == field.fill(words[:3], words[4:])


def test_a_file_of_another_toolkit_is_split_at_ascii_blanks(tmp_path):
    path = tmp_path / "other.arpa"
    text = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1 <s>\n-1 </s>\n-0.5 10\u00a0km\n-0.5 weit\n\n\\end\\\n"
    path.write_text(text, encoding="utf-8")
    lm = rv.load_lm(path)
    assert lm.units == "tokens" and lm.split("10\u00a0km  weit") == ["10\u00a0km", "weit"]
    path.write_text(f"# units: syllables\n{text}", encoding="utf-8")
    assert rv.load_lm(path).units == "tokens"


def test_one_text_is_no_list_of_texts(lms, fields):
    lm, field = lms["tokens"], fields["tokens"]
    calls = (
        rv.train_lm,
        lm.score,
        lm.perplexity,
        field.score,
        field.bound,
        rv.MarkovField().fit,
        rv.MarkovField().trainer,
    )
    for call in calls:
        for text in ("the dog ran!", ""):
            with pytest.raises(ValueError, match=r"write \[text\] for one"):
                call(text)


def test_sentence_marks_are_refused_in_scored_text(lms):
    for sentence in ("<s> the dog", ["the", "</s>", "dog"]):
        with pytest.raises(ValueError, match="sentence 2: </?s>"):
            lms["tokens"].score(["the", sentence])


def test_units_are_checked():
    lm = rv.train_lm(TEXTS, order=2)
    for make in (
        lambda: rv.train_lm(TEXTS, units="syllables"),
        lambda: rv.MarkovField(units="syllables").fit(TEXTS),
        lambda: rv.LanguageModel(lm.vocabulary, lm.trie, lm.counts, {"units": "syllables"}),
    ):
        with pytest.raises(ValueError, match="units 'syllables': .*tokens, words, characters, letters, english"):
            make()
