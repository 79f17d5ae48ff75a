"""The commands `rcmviz field`: what they print is what the library says, and each mistake ends in one line."""

import json
import signal

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.cli import field_train, main
from rcmviz.core.shared.npz import read_npz, write_npz
from rcmviz.mrf.training import FieldTrainer
from rcmviz.tasks.decipher import grammar
from support.commands import run as run_command

TEXT = ["the cat sat on the mat", "the dog sat", "a dog ran", "the cat ran to a dog", "a cat sat on a dog"] * 3
BANK = "1\tthe\t_\tDET\tDT\n2\tdog\t_\tNOUN\tNN\n3\tbarks\t_\tVERB\tVBZ\n\n1\ta\t_\tDET\tDT\n2\tcat\t_\tNOUN\tNN\n\n"
FEW = ("--max-steps", 5, "--rank", 2)


def run(*arguments, code=0, stdin=None):
    return run_command("field", *arguments, code=code, stdin=stdin)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder with a text, a treebank, and a field of the text with and without <unk>."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("\n".join(TEXT) + "\n")
    rows = (f"{row}\t_\t_\t_\t_\t_" if row else "" for row in BANK.split("\n"))
    (tmp_path / "bank.conllu").write_text("\n".join(rows))
    rv.MarkovField(None, 2, 2, held_out=0.0, max_steps=5).fit(TEXT).save("all.npz")
    rv.MarkovField(6, 1, 2, held_out=0.0, max_steps=5).fit(TEXT).save("some.npz")
    return tmp_path


# train


def test_a_trained_field_is_the_library_s():
    found = json.loads(run("train", "text.txt", "--out", "field.npz", "--size", 6, "--order", 1, *FEW, "--json"))
    field, same = rv.load_field("field.npz"), rv.MarkovField(6, 1, 2, max_steps=5).fit(TEXT)
    assert field.words == same.words and np.abs(field.vectors - same.vectors).max() < 1e-5
    assert found["best"]["bound"] == pytest.approx(max(same.history_, key=lambda row: row["held_out"])["bound"])
    assert found["ended"] == "steps" and found["steps"] == 5 and found["tokens"] == field.tokens_
    assert "--rank 2" in field.info_["command"] and "stopped" not in field.info_


def test_standard_input_is_a_file_called_dash():
    small = ("--size", 6, *FEW, "--max-steps", 2)
    run("train", "-", "--out", "piped.npz", *small, stdin="\r".join(TEXT))
    run("train", "text.txt", "--out", "read.npz", *small)
    assert (rv.load_field("piped.npz").vectors == rv.load_field("read.npz").vectors).all()
    assert run("score", "piped.npz", "-", stdin="\r".join(TEXT)) == run("score", "piped.npz", "text.txt")


def test_without_a_text_it_learns_our_grammar():
    printed = run("train", "--out", "field.npz", "--max-steps", 2, "--rank", 2)
    words = {word for sentence in grammar.sentences(field_train.GRAMMAR_SENTENCES) for word in sentence}
    assert {*rv.load_field("field.npz").words} == words | {"<S>"} and f"{len(words) + 1} words" in printed


def test_english_is_split_and_scored_as_it_was_split(folder):
    (folder / "text.txt").write_text("The cat's here.\nThe cat sat.\nA cat, the cat!\n")
    run("train", "text.txt", "--english", "--held-out", 0, *FEW)
    assert {"the", "cat's", ".", ","} <= {*rv.load_field("field.npz").words}
    (folder / "other.txt").write_text("The CAT.\n")
    (row,) = json.loads(run("score", "field.npz", "other.txt", "--json"))["sentences"]
    assert row["text"] == "the cat ." and row["unknown"] == 0
    assert "cat" in run("blank", "field.npz", "The _, the cat!")


def test_ctrl_c_keeps_the_best_field_and_the_checkpoint_resumes(monkeypatch):
    advance = FieldTrainer.advance

    def pressed(trainer, *arguments):
        state = advance(trainer, *arguments)
        if state.step == 3:
            signal.raise_signal(signal.SIGINT)
        return state

    before = signal.getsignal(signal.SIGINT)
    whole = ("train", "text.txt", "--order", 1, "--rank", 2, "--max-steps", 8, "--held-out", 0)
    run(*whole, "--out", "whole.npz")
    monkeypatch.setattr(FieldTrainer, "advance", pressed)
    found = json.loads(run(*whole, "--out", "part.npz", "--checkpoint", "kept.npz", "--json"))
    assert found["ended"] == "stopped" and found["steps"] == 3 and rv.load_field("part.npz").info_["stopped"]
    run(*whole, "--out", "rest.npz", "--resume", "kept.npz")
    assert (rv.load_field("rest.npz").vectors == rv.load_field("whole.npz").vectors).all()
    assert signal.getsignal(signal.SIGINT) is before


def test_pseudo_likelihood_trains_for_the_given_seconds_and_resumes():
    whole = ("train", "text.txt", "--order", 1, "--rank", 2, "--max-steps", 6, "--held-out", 0, "--pseudo")
    assert "pseudo-likelihood -0." in run(*whole, "--out", "whole.npz")
    none = json.loads(run(*whole, "--seconds", 0, "--out", "none.npz", "--checkpoint", "kept.npz", "--json"))
    assert (none["ended"], none["steps"]) == ("seconds", 0) and "stopped" not in none["info"]
    run(*whole, "--out", "rest.npz", "--resume", "kept.npz")
    rest, same = (rv.load_field(name) for name in ("rest.npz", "whole.npz"))
    assert (rest.vectors == same.vectors).all() and (rest.delta_ == same.delta_).all()
    assert rest.objective == "pseudo-likelihood" and rest.info_["command"].endswith("--pseudo")


# ask


def test_scores_are_the_library_s():
    field = rv.load_field("all.npz")
    found = json.loads(run("score", "all.npz", "text.txt", "--bounds", "--json"))
    assert found["per_token"] == pytest.approx(field.score(TEXT), abs=1e-6)
    assert found["bounds"] == pytest.approx({kind: field.bound(TEXT, kind) for kind in ("star", "chain", "ring")})
    assert [row["log_prob"] for row in found["sentences"][:5]] == pytest.approx(list(map(field.log_prob, TEXT[:5])))
    assert f"{field.log_prob('a dog ran'):,.3f}" in run("score", "all.npz", "--text", "a dog ran")


def test_a_blank_says_what_each_neighbour_adds():
    field = rv.load_field("all.npz")
    found = json.loads(run("blank", "all.npz", "the _ sat on the mat", "-k", 3, "--json"))
    assert [(row["word"], row["p"]) for row in found["words"]] == [
        (word, pytest.approx(p)) for word, p in field.fill("the", "sat on the mat", 3)
    ]
    assert found["neighbours"] == ["<S>", "the", "sat", "on"]
    first, edges = found["words"][0], field.edge_scores("the", "sat on the mat")
    w = field.words.index(first["word"])
    assert first["edges"] == pytest.approx([edges[0, 1, w], edges[0, 0, w], edges[1, 0, w], edges[1, 1, w]])
    assert first["word"] in run("blank", "all.npz", "the _ sat on the mat", "-k", 1)


def test_neighbours_are_the_library_s():
    found = json.loads(run("neighbours", "all.npz", "dog", "-k", 2, "--json"))
    expected = rv.load_field("all.npz").neighbours("dog", 2)
    assert [(row["word"], row["cosine"]) for row in found["neighbours"]] == expected
    assert expected[0][0] in run("neighbours", "all.npz", "dog")


def test_a_tagger_is_learnt_and_says_which_features_decided():
    found = json.loads(run("train", "bank.conllu", "--tagger", "--out", "tagger.npz", "--json"))
    assert found["tags"] == 3 and found["words"] == 5
    rows = json.loads(run("tag", "tagger.npz", "the cat barks", "--json"))
    assert [row["tag"] for row in rows] == ["DT", "NN", "VBZ"] and all(row["known"] for row in rows)
    reasons = rv.FieldTagger.load("tagger.npz").reasons(["the", "cat", "barks"], 0, "DT")
    assert [(r["offset"], r["feature"], r["weight"]) for r in rows[0]["reasons"]] == reasons[:3]
    assert "dogs (new)" in run("tag", "tagger.npz", "the dogs")


# mistakes


def damaged(source, **changes):
    arrays = dict(read_npz(source, "field", ""))
    for name, place in changes.items():
        arrays[name] = np.array(arrays[name])
        arrays[name].flat[place] = np.nan
    write_npz("damaged.npz", arrays)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "empty.txt"), "empty.txt: no words in it; give a text"),
        (("train", "one.txt", "--held-out", 0), "one.txt: the text has 3 tokens with its separators: a field of order"),
        (("train", "text.txt", "--size", 50), "text.txt: size 50: the text has 9 different words"),
        (("train", "text.txt", "--order", 0), "order 0"),
        (("train", "text.txt", "--out", "field.txt"), "a field is an .npz file"),
        (("train", "missing.txt"), "missing.txt: No such file"),
        (("train", "--tagger"), "--tagger: name a treebank"),
        (("train", "text.txt", "--pseudo", "--rank", 0), "the pseudo-likelihood is learnt with low-rank potentials"),
        (("train", "text.txt", "--tagger", "--pseudo"), "--pseudo and --seconds are for fields"),
        (("train", "text.txt", "--resume", "all.npz"), "all.npz: the checkpoint cannot be used"),
        (("score", "all.npz"), "give either a file of sentences or one sentence"),
        (("score", "all.npz", "--text", " "), "--text: no words"),
        (("score", "all.npz", "--text", "zebra quux"), "the word 'zebra'"),
        (("score", "damaged.npz", "--text", "a"), "damaged.npz: not a field of rcmviz (U[0, 1] is nan"),
        (("score", "nope", "--text", "a"), "no shipped field 'nope': choose mrf-english"),
        (("blank", "all.npz", "the _ sat on _"), "'the _ sat on _' has 2 blanks: write one _"),
        (("blank", "all.npz", "the cat"), "'the cat' has 0 blanks"),
        (("neighbours", "all.npz", "zebra"), "the word 'zebra'"),
        (("neighbours", "all.npz", "dog", "-k", 0), "ask for 1 word or more"),
        (("tag", "all.npz", "the dog"), "all.npz: not a tagger of a field"),
        (("tag", "all.npz", " "), "there are no words to tag"),
    ],
)
def test_mistakes_end_in_one_line(arguments, message, folder):
    (folder / "empty.txt").write_text("\n\n")
    (folder / "one.txt").write_text("word\n")
    damaged("all.npz", U=1)
    printed = run(*arguments, code=2)
    assert message in printed and printed.startswith("error:")
    assert not (folder / "field.npz").exists()


def test_unknown_words_are_noted(capsys):
    main.app(["field", "score", "some.npz", "--text", "zebra quux"], standalone_mode=False)
    assert "knows none of these words" in capsys.readouterr().err
    main.app(["field", "blank", "some.npz", "zebra _"], standalone_mode=False)
    assert "does not know zebra: read as <unk>" in capsys.readouterr().err
