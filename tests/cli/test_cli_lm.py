"""The commands `rcmviz lm`: what they print is what the library says, and each mistake ends in one line."""

import gzip
import json
import math
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rcmviz as rv
from rcmviz.cli import main
from rcmviz.cli.lm import Smoothing, Units
from rcmviz.lm.smoothing import SMOOTHINGS
from rcmviz.lm.text import LONGEST, UNITS, read_sentences

TEXT = "the cat sat\nthe cat ran\n\na dog sat\n"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}


def run(*arguments, code=0, stdin=None):
    given = [str(part) for part in arguments]
    result = CliRunner().invoke(main.app, ["lm", *given], env={"COLUMNS": "120", "NO_COLOR": "1"}, input=stdin)
    assert result.exit_code == code, result.output + str(result.exception)
    return result.stdout if code == 0 else result.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder with a text and a bigram model of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    rv.train_lm(TEXT.splitlines()[:2] + ["a dog sat"], 2).save("small.npz")
    return tmp_path


def test_the_choices_are_those_of_the_library():
    assert tuple(Smoothing) == SMOOTHINGS and tuple(Units) == tuple(UNITS)


# training


def same(lm, other):
    assert (lm.vocabulary, lm.counts) == (other.vocabulary, other.counts)
    for history in ([], ["<s>"], ["the"], ["<s>", "the"], ["cat", "sat"]):
        for word in (*other.vocabulary[2:], "unheard"):
            assert lm.log_prob(word, history) == pytest.approx(other.log_prob(word, history), abs=1e-6)


@pytest.mark.parametrize("out", ["lm.npz", "lm.arpa", "lm.arpa.gz"])
def test_the_trained_model_is_the_library_s(out):
    output = run("train", "text.txt", "--out", out, "--order", 3, "--smoothing", "absolute", "--cutoffs", "0,1")
    model = rv.train_lm(["the cat sat", "the cat ran", "a dog sat"], 3, "absolute", (0, 1))
    same(rv.load_lm(out), model)
    assert [line.split()[:2] for line in output.splitlines()[1:4]] == [
        [str(k), str(count)] for k, count in enumerate(model.counts, start=1)
    ]
    assert f"{out}: " in output and "3 sentences, 12 words, ends counted, 0 of them unknown" in output


def test_options_reach_the_training():
    options = ["--vocabulary", 2, "--no-end", "--units", "words", "--order", 2, "--cutoffs", 0]
    document = json.loads(run("train", "text.txt", *options, "--out", "lm.npz", "--json"))
    model = rv.train_lm(read_sentences("text.txt", "words"), 2, cutoffs=(0,), vocabulary=2, end=False)
    same(rv.load_lm("lm.npz"), model)
    assert document["counts"] == list(model.counts) and document["info"] == model.info | {"units": "words"}
    assert rv.load_lm("lm.npz").info == document["info"]
    options = ["--discount", 0.25, "--smoothing", "absolute", "--min-count", 2, "--order", 2]
    run("train", "text.txt", *options, "--out", "lm.npz")
    same(rv.load_lm("lm.npz"), rv.train_lm(read_sentences("text.txt"), 2, "absolute", discount=0.25, min_count=2))


def test_max_backoff_writes_the_bounds(folder):
    run("train", "text.txt", "--out", "lm.arpa", "--max-backoff", "--order", 2)
    expected = folder / "expected.arpa"
    rv.train_lm(read_sentences("text.txt"), 2).write_arpa(expected, max_backoff=True)
    assert (folder / "lm.arpa").read_text() == expected.read_text()


def test_characters():
    run("train", "text.txt", "--out", "lm.npz", "--characters", "--order", 3)
    lm = rv.load_lm("lm.npz")
    assert "_" in lm.vocabulary and all(len(word) == 1 for word in lm.vocabulary[3:])
    same(lm, rv.train_lm([list("the_cat_sat"), list("the_cat_ran"), list("a_dog_sat")], 3))
    row = json.loads(run("score", "lm.npz", "--text", "the cat", "--json"))
    assert row["words"] == 8 and row["sentences"][0]["text"] == "the_cat"
    best = json.loads(run("next", "lm.npz", "th", "--json"))
    assert best["history"] == ["t", "h"] and best["next"][0]["word"] == "e"


def test_standard_input_and_gzip(folder):
    (folder / "text.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    run("train", "text.txt.gz", "--out", "packed.npz", "--order", 2)
    run("train", "-", "--out", "piped.npz", "--order", 2, stdin=TEXT)
    for name in ("packed.npz", "piped.npz"):
        same(rv.load_lm(name), rv.load_lm("small.npz"))
    os.mkfifo("pipe")
    with subprocess.Popen(["sh", "-c", "cat text.txt.gz > pipe"]):
        assert list(read_sentences("pipe")) == list(read_sentences("text.txt"))


def test_progress_is_reported_in_bytes(folder):
    (folder / "long.txt").write_text(TEXT * 3_000)
    reported = []
    list(read_sentences("long.txt", progress=lambda done, total: reported.append((done, total))))
    size = (folder / "long.txt").stat().st_size
    assert reported[-1] == (size, size) and len(reported) > 5
    assert [done for done, _ in reported] == sorted(done for done, _ in reported)


# asking


def test_scores_are_the_library_s(folder):
    lm = rv.load_lm("small.npz")
    sentences = ["the cat sat", "a bird sat"]
    (folder / "new.txt").write_text("\n".join(sentences))
    document = json.loads(run("score", "small.npz", "new.txt", "--each-word", "--json"))
    for sentence, row in zip(sentences, document["sentences"], strict=True):
        words, history, total = [*sentence.split(), "</s>"], ["<s>"], 0.0
        for word, (shown, log_prob) in zip(words, row["by_word"], strict=True):
            assert (shown, log_prob) == (word, pytest.approx(lm.log_prob(word, history)))
            history.append(word)
            total += log_prob
        assert row["log_prob"] == pytest.approx(total) and row["words"] == 4
        assert row["perplexity"] == pytest.approx(math.exp(-total / 4))
    assert [row["unknown"] for row in document["sentences"]] == [0, 1]
    assert document["perplexity"] == pytest.approx(lm.perplexity(sentences))
    assert json.loads(run("score", "small.npz", "-", "--json", stdin="\n".join(sentences)))["words"] == 8
    unended = json.loads(run("score", "small.npz", "--text", "the", "--no-end", "--json"))
    assert unended["log_prob"] == pytest.approx(lm.log_prob("the", ["<s>"]))


def test_scores_in_the_terminal():
    lm = rv.load_lm("small.npz")
    lines = run("score", "small.npz", "--text", "the cat", "--each-word").splitlines()
    total = lm.score(["the cat"]).log_prob[0]
    assert lines[1].split() == [f"{total:.3f}", "3", "0", f"{lm.perplexity(['the cat']):.2f}", "the", "cat"]
    assert [line.split()[1] for line in lines[2:5]] == ["the", "cat", "</s>"]
    assert lines[5].split()[:2] == [f"{total:.3f}", "3"] and lines[5].endswith("  all")
    refused = CliRunner().invoke(main.app, ["lm", "score", "small.npz", "absent.txt"])
    assert refused.exit_code == 2 and "absent.txt: No such file" in refused.stderr and not refused.stdout


def test_unknown_words_without_unk_are_left_out():
    rv.train_lm(["a b"], 1, unknown=False).save("closed.npz")
    row = json.loads(run("score", "closed.npz", "--text", "a x", "--each-word", "--json"))
    assert row["unknown"] == 1 and row["sentences"][0]["by_word"][1] == ["x", None]
    known = rv.load_lm("closed.npz").log_prob("a") + rv.load_lm("closed.npz").log_prob("</s>")
    assert row["perplexity"] == pytest.approx(math.exp(-known / 2))
    alone = json.loads(run("score", "closed.npz", "--text", "x", "--no-end", "--json"))
    assert alone["perplexity"] is None and "–" in run("score", "closed.npz", "--text", "x", "--no-end")


def test_next_words_are_the_library_s():
    lm = rv.load_lm("small.npz")
    found = json.loads(run("next", "small.npz", "the", "-k", 3, "--json"))["next"]
    assert [(row["word"], row["log_prob"]) for row in found] == lm.next_words(["the"], 3)
    started = json.loads(run("next", "small.npz", "", "--start", "--json"))
    assert started["history"] == ["<s>"] and started["next"][0]["word"] == lm.next_words(["<s>"], 1)[0][0]
    lines = run("next", "small.npz", "the", "-k", 2).splitlines()
    assert lines[1].split()[2] == "cat" and lines[1].split()[1] == f"{lm.log_prob('cat', ['the']):.3f}"
    result = CliRunner().invoke(main.app, ["lm", "next", "small.npz", "the bird"])
    assert result.exit_code == 0 and "the model does not know bird" in result.stderr


def test_check_prints_what_the_doctor_says(folder):
    from rcmviz.lm.doctor import check_arpa

    run("train", "text.txt", "--out", "lm.arpa", "--order", 2)
    diagnosis = check_arpa("lm.arpa")
    document = json.loads(run("check", "lm.arpa", "--json"))
    assert diagnosis.sound and document == json.loads(json.dumps(diagnosis.to_dict()))
    assert "2" in run("check", "lm.arpa")


# mishaps


def test_ctrl_c_leaves_no_file(folder):
    """A real interrupt while the text is still coming."""
    command = [sys.executable, "-m", "rcmviz", "lm", "train", "-", "--out", "lm.npz"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a job in the background may be deaf to it
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=heard, **pipes) as training:
        training.stdin.write(TEXT.encode() * 10_000)  # more than a pipe holds, so some of it has been read
        training.send_signal(signal.SIGINT)
        _, output = training.communicate(timeout=600)
    assert training.returncode == 130 and b"stopped: nothing was written" in output
    assert sorted(path.name for path in folder.iterdir()) == ["small.npz", "text.txt"]


@pytest.mark.parametrize("out", ["lm.npz", "lm.arpa"])
def test_a_full_disk_leaves_the_old_file(out, folder, monkeypatch):
    (folder / out).write_text("old")
    (folder / "long.txt").write_text("".join(f"word{k} word{k + 1}\n" for k in range(20_000)))
    command = [sys.executable, "-m", "rcmviz", "lm", "train", "long.txt", "--out", out]
    limited = ["sh", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "sh", *command]
    done = subprocess.run(limited, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and f"error: {out}: File too large" in done.stderr and "Traceback" not in done.stderr
    assert (folder / out).read_text() == "old"
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_the_errors_of_the_documentation_are_the_errors(folder):
    text = (Path(__file__).parents[2] / "docs" / "language-models.md").read_text(encoding="utf-8")
    shown = text.split("```text\n")[1].split("```")[0].splitlines()
    for content, line in zip((b"a\ncaf\xe9", b"a\n<s> b", b"\n"), shown, strict=False):
        (folder / "text.txt").write_bytes(content)
        assert run("train", "text.txt", code=2).splitlines()[-1] == f"error: {line}"
    for sentences, settings, line in ((["a", ["two words"]], {}, shown[3]), (["a"], {"cutoffs": (0, 2, 1)}, shown[4])):
        with pytest.raises(ValueError) as caught:
            rv.train_lm(sentences, **settings)
        assert str(caught.value) == line


MISTAKES = {
    "no text": (["train", "none.txt"], "none.txt: No such file or directory"),
    "a folder": (["train", "folder"], "folder: Is a directory"),
    "empty": (["train", "empty.txt"], "empty.txt: no words in it; give a text with one sentence per line"),
    "no words": (["train", "stops.txt", "--units", "words"], "stops.txt: no words in it"),
    "binary": (["train", "small.npz"], "small.npz, line "),
    "latin 1": (["train", "latin.txt"], "latin.txt, line 2: byte 0xe9"),
    "zeros": (["train", "zeros.txt"], "zeros.txt, line 2: a zero byte"),
    "one line": (["train", "/dev/zero"], f"/dev/zero, line 1: more than {LONGEST // 10**6} MB"),
    "marks": (["train", "marks.txt"], "marks.txt, line 2: <s>"),
    "cut gzip": (["train", "cut.gz"], "cut.gz: a damaged gzip file"),
    "ending": (["train", "text.txt", "--out", "lm.bin"], "lm.bin: a model ends in .arpa, .arpa.gz, .npz"),
    "full": (["train", "text.txt", "--out", "/dev/full"], "/dev/full: a model ends in"),
    "no folder": (["train", "text.txt", "--out", "missing/lm.npz"], "missing/lm.npz: there is no folder missing"),
    "out is a folder": (["train", "text.txt", "--out", "folder.npz"], "folder.npz: a folder; give the path of a file"),
    "cut-offs": (["train", "text.txt", "--cutoffs", "0,x"], "--cutoffs 0,x: write whole numbers with commas"),
    "falling": (["train", "text.txt", "--cutoffs", "0,2,1"], "cutoffs (0, 2, 1) fall"),
    "order": (["train", "text.txt", "--order", 10], "order 10"),
    "discount": (["train", "text.txt", "--discount", 0.5], "kneser-ney has none to choose"),
    "two units": (["train", "text.txt", "--characters", "--units", "words"], "--characters and --units words exclude"),
    "bounds": (["train", "text.txt", "--max-backoff"], "lm.npz: --max-backoff is for ARPA files"),
    "no model": (["score", "none.arpa", "text.txt"], "none.arpa"),
    "no such model": (["next", "none"], "none"),
    "a text as model": (["next", "text.txt"], "text.txt"),
    "a folder as model": (["next", "folder.arpa"], "folder.arpa"),
    "nothing to score": (["score", "small.npz"], "give either a file of sentences"),
    "two to score": (["score", "small.npz", "text.txt", "--text", "a"], "give either a file of sentences"),
    "empty text": (["score", "small.npz", "--text", " "], "--text ' ': no tokens in it"),
    "k": (["next", "small.npz", "-k", 0], "k 0: ask for 1 word or more"),
    "no ARPA": (["check", "text.txt"], "text.txt"),
    "nothing to check": (["check", "none.arpa"], "none.arpa"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_ends_in_one_line(arguments, message, folder):
    for name in ("folder", "folder.npz", "folder.arpa"):
        (folder / name).mkdir()
    contents = {
        "empty.txt": b"",
        "stops.txt": b"...\n!\n",
        "latin.txt": b"cafe\ncaf\xe9\n",
        "zeros.txt": b"a\nb\0\n",
        "marks.txt": b"a\n<s> b\n",
        "cut.gz": gzip.compress(TEXT.encode() * 99)[:-12],
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    text = run(*arguments, code=2)
    assert message in text.strip().splitlines()[-1] and "Traceback" not in text
    assert not (folder / "lm.npz").exists()
