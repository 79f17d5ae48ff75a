"""The command `ctc`: what it prints, the kinds of files, and each mistake."""

import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import rcmviz as rv
from rcmviz.cli.main import app
from rcmviz.ctc_decoding import file
from support.commands import run

LABELS = "abt_"
SHARES = np.full((7, 5), 0.05)
SHARES[range(7), [0, 4, 3, 1, 0, 2, 4]] = 0.8  # a - _ b a t -
COLUMNS = "a,b,t,_,<blank>\n"


def csv_of(shares, head=COLUMNS):
    return head + "".join(",".join(map(repr, row)) + "\n" for row in shares.tolist())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder with the same frames in every kind of file, and a model of words."""
    monkeypatch.chdir(tmp_path)
    np.savez("named.npz", log_probs=np.log(SHARES), labels=np.array([*LABELS, ""]))
    np.savez("bare.npz", probs=SHARES[:, [4, 0, 1, 2, 3]], labels=np.array(list(LABELS)), blank=0)
    np.save("frames.npy", np.log(SHARES).astype(np.float32) + 3)
    (tmp_path / "labels.txt").write_text("a\nb\nt\n_\n")
    (tmp_path / "frames.csv").write_text(csv_of(SHARES))
    (tmp_path / "tabs.tsv").write_text(csv_of(np.log(SHARES)).replace(",", "\t"))
    rv.train_lm(["a bat", "a tab"], order=2).write_arpa("words.arpa")
    return tmp_path


@pytest.mark.parametrize(
    "arguments", [["named.npz"], ["bare.npz"], ["frames.npy", "--labels", "labels.txt"], ["frames.csv"], ["tabs.tsv"]]
)
def test_every_file_format_is_read_equally(arguments):
    document = json.loads(run("ctc", *arguments, "--nbest", 2, "--gold", "a_bat", "--json"))
    read = rv.ctc(np.log(SHARES), LABELS)
    assert [one["text"] for one in document["outputs"]] == [one.text for one in read.nbest(2)]
    assert document["outputs"][0]["confidence"] == pytest.approx(read.confidence, rel=1e-5)
    assert document["labels"][2] == {"label": "b", "start": 3, "stop": 4}
    assert document["gold"]["log_prob"] == pytest.approx(read.log_prob("a_bat"), rel=1e-5)


def test_standard_input_may_be_any_of_them():
    for name in ("bare.npz", "frames.csv"):
        with open(name, "rb") as content:
            done = CliRunner().invoke(app, ["ctc", "-", "--json"], input=content.read())
        assert json.loads(done.stdout)["outputs"][0]["text"] == "a_bat"
        assert "note: standard input: its rows sum to 1, so they are taken as probabilities" in done.stderr


def test_words_of_a_model_are_read_and_printed():
    options = ["--lm", "words.arpa", "--separator", "_", "--budget", 50, "--alpha", 0.5, "--word-bonus", 1]
    text = run("ctc", "frames.csv", *options, "--gold", "a_tab")
    lm = rv.load_lm("words.arpa")
    read = rv.ctc(np.log(SHARES), LABELS, lm, 50, separator="_", lm_weight=0.5, word_bonus=1)
    assert text.splitlines()[1].split() == [f"{read.confidence:.4f}", f"{read.best.log_prob:.3f}", "a_bat"]
    assert f"probability of the gold: {np.exp(read.log_prob('a_tab')):.4f}" in text
    document = json.loads(run("ctc", "frames.csv", *options, "--json"))
    assert document["words"] == [{"word": "a", "start": 0, "stop": 1}, {"word": "bat", "start": 3, "stop": 6}]


def test_a_page_is_written_or_printed(folder):
    assert "page.html: 7 frames" in run("ctc", "frames.csv", "--export", "page.html", "--gold", "a_bat")
    assert run("ctc", "frames.csv", "--export", "-", "--gold", "a_bat") == (folder / "page.html").read_text()


def test_a_gold_that_a_beam_has_dropped():
    assert "probability of the gold: dropped, or impossible" in run(
        "ctc", "frames.csv", "--method", "beam", "--budget", 1, "--gold", "t_bat"
    )


def saved(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


MISTAKES = {
    "no labels": (b"1,2,3\n", [], "it names no labels"),
    "no number": ((COLUMNS + "1,2,3,4,5\n1,2,x,4,5\n").encode(), [], "line 3, column 3: 'x'"),
    "a short line": ((COLUMNS + "1,2\n").encode(), [], "line 2: 2 cells, 5 in the first line; give as many"),
    "nothing": (b"\n", [], "it is empty; give a line per frame"),
    "a head alone": (COLUMNS.encode(), [], "its shape is (0, 5); give a row per frame"),
    "no text": (b"a,b\n\xff", [], "byte 4 is no UTF-8; give an npz, an npy or a CSV"),
    "two blanks": (b"a,,\n1,2,3\n", [], "and 2 of them are called a blank; call one <blank>, or say its"),
    "too few labels": (b"1,2,3,4,5,6\n", ["--labels", "labels.txt"], "6 columns for 4 labels; name every column"),
    "a column too far": (COLUMNS.encode() + b"1,2,3,4,5\n", ["--blank", "7"], "blank 7: a whole number from -1 to 4"),
    "nan": (COLUMNS.encode() + b"1,2,nan,4,5\n", [], "log_probs at frame 0, 't' is nan"),
    "a cut archive": (saved(log_probs=np.zeros((2, 2)))[:-30], [], "not a readable npz file"),
    "objects": (saved(log_probs=np.array([{}])), [], "it holds pickled objects, which could run code"),
    "another array": (saved(log_probs=np.zeros((2, 2)), x=np.zeros(1)), [], "unknown array 'x'; the arrays are"),
    "two scores": (saved(log_probs=np.zeros((2, 2)), probs=np.zeros((2, 2))), [], "2 arrays of scores; give one of"),
    "texts": (saved(log_probs=np.array(["a"])), [], "log_probs: its values are <U1; give real numbers"),
    "gold": (csv_of(SHARES).encode(), ["--gold", "xyz"], "--gold: 'x'"),
    "words": (csv_of(SHARES).encode(), ["--separator", "_"], "lm None: words between separators are scored by"),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_end_in_one_line_that_says_what_to_do(mistake, folder):
    content, options, fault = mistake
    (folder / "bad.x").write_bytes(content)
    said = run("ctc", "bad.x", *options, code=2)
    assert fault in said and said.startswith("error: ") and said.count("\n") == 1
    assert "--gold" in options or "bad.x: " in said


def test_other_mistakes(folder, monkeypatch):
    assert "Missing argument 'FRAMES'" in run("ctc", code=2)
    assert "nowhere.npz: No such file" in run("ctc", "nowhere.npz", code=2)
    assert "no/page.html: there is no folder no" in run("ctc", "frames.csv", "--export", "no/page.html", code=2)
    (folder / "labels.txt").write_bytes(b"\xff")
    assert "labels.txt: byte 0 is no UTF-8" in run("ctc", "frames.npy", "--labels", "labels.txt", code=2)
    monkeypatch.setattr(file, "MAX_BYTES", 20)
    assert "frames.csv: 21 bytes, the limit is 20" in run("ctc", "frames.csv", code=2)


def test_labels_in_another_order_than_the_columns_are_refused():
    with pytest.raises(ValueError, match="f.csv: .*'a', 'b', 't', '_', .*order"):
        file.parse_frames(csv_of(SHARES).encode(), "f.csv", ("b", "a", "t", "_"))
    assert file.parse_frames(csv_of(SHARES).encode(), "f.csv", tuple(LABELS)).labels == tuple(LABELS)
