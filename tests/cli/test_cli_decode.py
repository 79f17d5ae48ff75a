"""The commands `decode`, `sample`, `tag` and `tagger`: what they print, as text and as JSON, and each mistake."""

import json
import math
import re
import shlex

import pytest

import rcmviz as rv
from rcmviz.core.models.shipped import model_folder
from rcmviz.tasks.sms.messages import read_digits, read_text
from rcmviz.tasks.tagging.shipped import load_tagger
from rcmviz.tasks.tagging.tagger import Tagger
from support.commands import run

KEYS = "3637 843 66639 39478 *"
FOUND = "does the money exist ."
CONLLU = "".join(
    "".join(f"{i}\t{w}\t_\t{t[0]}\t{t}\t_\t_\t_\t_\t_\n" for i, (w, t) in enumerate(pairs, start=1)) + "\n"
    for pairs in ([("The", "DT"), ("dog", "NN"), ("barks", "VBZ")], [("Cats", "NNS"), ("run", "VBP")])
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder with a treebank, a text and a small language model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.conllu").write_text(CONLLU)
    (tmp_path / "text.txt").write_text("The dog barks.\n\nCats can't run\n")
    rv.train_lm(["the dog barks", "a dog ran"], order=2).write_arpa(tmp_path / "small.arpa")
    return tmp_path


def test_keys_are_decoded_with_a_proof():
    text = run("decode", "--keypad", KEYS)
    assert f"keys   {KEYS}\nfound  {FOUND}   log p -" in text
    assert "proved optimal after " in text and "states, n-grams by order " in text and "log Z between -" in text
    document = json.loads(run("decode", "--keypad", KEYS, "--json"))
    lm = rv.load_lm("lm-english-words")
    message = read_digits(lm, KEYS)
    best, _ = rv.ars_decode(lm, message.candidates, message.log_obs)
    (answer,) = document["answers"]
    assert answer == {"words": FOUND.split(), "log_score": best.log_score, "gap": 0.0}
    assert document["rounds"] == best.iterations and document["ngrams"] == list(best.ngrams)
    assert document["keys"] == KEYS.split() and document["contexts"] == best.states


def test_every_method_can_be_asked():
    assert "nothing is proved: beam" in (beam := run("decode", "--keypad", KEYS, "--method", "beam", "--budget", 30))
    assert FOUND in beam and "log Z is at least -" in beam and "confidence in its own answer 0." in beam
    assert "belongs to another model" in run("decode", "--keypad", KEYS, "--method", "rcms")
    exact = run("decode", "--keypad", KEYS, "--method", "exact", "--candidates", 20, "--order", 2)
    assert "optimal: exact inference kept every context" in exact and "log Z -" in exact


def test_the_best_few_are_ranked():
    answers = json.loads(run("decode", "--keypad", KEYS, "--k", 4, "--json"))["answers"]
    assert [answer["gap"] for answer in answers] == [0.0] * 4
    text = run("decode", "--keypad", KEYS, "--k", 4)
    for rank, answer in enumerate(answers, start=1):
        ratio = math.exp(answer["log_score"] - answers[0]["log_score"])
        row = f"{rank}  {answer['log_score']:.3f}  {ratio:>18.4f}  {' '.join(answer['words'])}"
        assert row in text


def test_the_documentation_shows_what_is_printed():
    text = (model_folder().parent / "docs" / "ars.md").read_text(encoding="utf-8")
    command, *shown = re.search(r"^```text\n\$ (.*?)^```", text, re.M | re.S).group(1).splitlines()
    printed = [line.rstrip() for line in run(*shlex.split(command)[1:]).splitlines()]
    assert printed[: len(shown)] == shown


def test_budgets_are_kept_and_the_gap_named():
    assert "not proved (out of rounds after 2 rounds)" in run("decode", "--keypad", KEYS, "--iterations", 2)
    assert "not proved (out of time" in run("decode", "--keypad", KEYS, "--seconds", 0)
    document = json.loads(run("decode", "--keypad", KEYS, "--gap", 5, "--json"))
    assert document["stopped"] == "gap" and 0 < document["answers"][0]["gap"] <= 5


def test_a_text_is_typed_with_slips():
    text = run("decode", "--text", "The money, zzgl!", "--noise", 4)
    lm = rv.load_lm("lm-english-words")
    message = read_text(lm, "The money, zzgl!", seed=4)
    assert f"keys   {message.digits}\nmeant  the money , zzgl !\n" in text
    assert "note: the model does not know zzgl" in text


def test_draws_are_listed_with_their_probabilities():
    document = json.loads(run("sample", "--keypad", KEYS, "--n", 400, "--seed", 2, "--json"))
    assert document["drawn"] == 400 == sum(message["drawn"] for message in document["messages"])
    first, second = document["messages"][:2]
    text = run("sample", "--keypad", KEYS, "--n", 400, "--seed", 2, "--show", 2)
    assert f"{first['drawn']}  {first['drawn'] / 4:>4.1f} %" in text and FOUND in text
    assert f"{math.exp(second['log_score'] - first['log_score']):.4f}" in text
    assert f"400 drawn in {document['trials']:,} trials" in text and "more message" in text
    stopped = json.loads(run("sample", "--keypad", KEYS, "--trials", 1, "--json"))
    assert stopped["trials"] == 1 and stopped["stopped"] == "trials"
    assert "no trial was accepted" in run("sample", "--keypad", KEYS, "--trials", 1)
    assert json.loads(run("sample", "--keypad", KEYS, "--acceptance", 0.2, "--json"))["stopped"] == "acceptance"


def test_other_language_models_can_be_named():
    assert "found  the dog ran" in run("decode", "--keypad", "843 364 726", "--lm", "small.arpa")
    assert "found  a dog" in run("decode", "--keypad", "2 364", "--lm", "small.arpa", "--no-end", "--temperature", 2)


def test_a_sentence_is_tagged_with_shares():
    text = run("tag", "The dog runs", "--order", 3)
    rows = [line.split() for line in text.splitlines()]
    assert [row[:2] for row in rows[1:4]] == [["The", "DT"], ["dog", "NN"], ["runs", "VBZ"]]
    assert "proved to be the most probable tags, log p -" in text and "shares of 1,000 exact draws" in text
    document = json.loads(run("tag", "The dog runs", "--n", 50, "--json"))
    assert document["tags"] == ["DT", "NN", "VBZ"] and document["gap"] == 0.0
    assert all(sum(share for _, share in row) == pytest.approx(1) for row in document["shares"])
    text = run("tag", "The blorbs run", "--n", 0, "--method", "beam")
    assert "blorbs (new)" in text and "nothing is proved of these tags" in text and "draws" not in text


def test_a_file_is_tagged(folder):
    text = run("tag", "--file", "text.txt")
    assert text == run("tag", "--file", "text.txt", "--order", 3)
    assert [line.split("\t")[0] for line in text.split("\n")] == [
        "The",
        "dog",
        "barks",
        ".",
        "",
        "Cats",
        "ca",
        "n't",
        "run",
        "",
    ]
    assert "out.conll: 2 sentences" in run("tag", "--file", "text.txt", "--out", "out.conll")
    assert (folder / "out.conll").read_text() == text
    assert [one["known"][0] for one in json.loads(run("tag", "--file", "text.txt", "--json"))] == [True, True]


def test_a_tagger_is_learnt_and_tested(folder):
    output = run("tagger", "train", "small.conllu", "--out", "mine.npz", "--order", 2, "--tags", "upos")
    assert "mine.npz: 2 sentences, 5 different words, 3 tags, " in output
    tagger = load_tagger(folder / "mine.npz")
    assert isinstance(tagger, Tagger) and tagger.info == {"name": "mine", "source": "small.conllu", "tags": "upos"}
    test = ["tagger", "test", "small.conllu", "--model", "mine.npz", "--tags", "upos"]
    document = json.loads(run(*test, "--orders", "1,2", "--json"))
    assert document["2"]["words"] == 5 and document["2"]["all"] == 1.0 and document["1"]["unknown_words"] == 0
    assert document["1"]["unknown"] is None  # JSON has no NaN
    assert "2    1.0000       1.0000            nan" in run(*test, "--orders", "2")


MISTAKES = {
    "nothing": (["decode"], 'give either --keypad "3637 843" or --text'),
    "both": (["sample", "--keypad", "3", "--text", "a"], "give either --keypad"),
    "noise": (["decode", "--keypad", "3", "--noise", "1"], "--noise is for --text; keys are taken as they were typed"),
    "empty": (["decode", "--keypad", " "], "the message is empty"),
    "key": (["decode", "--keypad", "84a"], "word 1, '84a': 'a' in place 3"),
    "too long": (["decode", "--keypad", "843 " * 60], "the message has 60 words; at most 50"),
    "no candidate": (["decode", "--keypad", "8" * 30], "no word of the vocabulary takes 30 keys, the longest takes 2"),
    "lm": (["decode", "--keypad", "3", "--lm", "english"], "no shipped language model 'english': choose lm-english"),
    "no lm": (["decode", "--keypad", "3", "--lm", "english.arpa"], "english.arpa: no such file; choose lm-english"),
    "order": (["decode", "--keypad", "3", "--order", "4"], "order 4: the model has the orders 1 to 3"),
    "end": (["decode", "--keypad", "364", "--lm", "endless.arpa"], "has no </s> and cannot score where a message ends"),
    "budget": (
        ["decode", "--keypad", "3", "--method", "beam", "--budget", "0"],
        "budget 0",
    ),
    "beam's time": (["decode", "--keypad", "3", "--method", "beam", "--seconds", "1"], "beam has no option seconds"),
    "k and gap": (["decode", "--keypad", "3", "--k", "2", "--gap", "1"], "the 2 best are found without a gap"),
    "too exact": (["decode", "--keypad", KEYS, "--method", "exact"], "arcs, the limit is"),
    "slope": (["decode", "--keypad", "3", "--slope", "-1"], "the noise k is -1"),
    "no text": (["tag"], "give either a sentence"),
    "a file as a sentence": (["tag", "empty.txt"], "'empty.txt' is a file, no sentence; write --file empty.txt"),
    "standard input as a sentence": (["tag", "-"], "'-' is a file, no sentence; write --file -"),
    "blank text": (["tag", " "], "there are no words to tag"),
    "out": (["tag", "a", "--out", "x"], "--out is for --file"),
    "tagger": (["tag", "a", "--model", "lm-english-words"], "no shipped tagger 'lm-english-words': choose tagger-ewt"),
    "tag order": (["tag", "a", "--order", "10"], "order 10: the model has the orders 1 to 9"),
    "file": (["tag", "--file", "none.txt"], "none.txt: No such file or directory"),
    "empty file": (["tag", "--file", "empty.txt"], "empty.txt: no words in it"),
    "treebank": (["tagger", "train", "text.txt"], "text.txt: tagged sentences are read from CoNLL-U"),
    "tagger out": (["tagger", "train", "small.conllu", "--out", "x.bin"], "x.bin: a tagger is an .npz file"),
    "orders": (["tagger", "test", "small.conllu", "--orders", "3;5"], "--orders 3;5: write whole numbers with commas"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_ends_in_one_line(arguments, message, folder):
    (folder / "empty.txt").write_text("\n")
    rv.train_lm(["the dog"], order=1, end=False).write_arpa(folder / "endless.arpa")
    output = run(*arguments, code=2)
    assert message in output and "Traceback" not in output and len(output.splitlines()) == 1
