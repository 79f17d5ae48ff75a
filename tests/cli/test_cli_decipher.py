"""`rcmviz decipher`, `rcmviz reproduce figure5` and `figure6-decipher`, as a person types them."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from rcmviz.cli import main
from rcmviz.experiments import decipherments, figure5, figure6_decipher, picture
from rcmviz.experiments.decipherments import PASSES, DecipherArm, spec_of
from rcmviz.experiments.report import Plan
from rcmviz.tasks.decipher import grammar
from rcmviz.tasks.decipher.letters import Solver, encipher_text
from rcmviz.tasks.decipher.symbols import Decipherment
from rcmviz.tasks.decipher.texts import TEXTS

PATIENT = "--letters", "--seconds", 1_000  # a key is found long before, however busy the machine is


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(main.app, [str(argument) for argument in ("decipher", *arguments)], **options)
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else " ".join(result.output.split())


@pytest.fixture
def texts(tmp_path):
    """A plain text, and a cipher text with its key."""
    plain, coded = tmp_path / "plain.txt", tmp_path / "coded.txt"
    lines = [" ".join(sentence) for sentence in grammar.sentences(300, seed=2)]
    plain.write_text("\n".join(lines[40:]) + "\n", encoding="utf-8")
    words = sorted({word for line in lines[40:] for word in line.split()})
    code = {word: f"x{number}" for number, word in enumerate(words)}
    known = [line for line in lines[:40] if set(line.split()) <= set(words)]
    coded.write_text("\n".join(" ".join(code[w] for w in line.split()) for line in known) + "\n", encoding="utf-8")
    return plain, coded


def test_a_cryptogram_from_its_text_a_file_and_standard_input(tmp_path):
    text = TEXTS["letter"]
    cipher = encipher_text(text, seed=9)
    file = tmp_path / "cryptogram.txt"
    file.write_text(cipher.text, encoding="utf-8")
    assert text in run(*PATIENT, cipher.text) and "found by 2 of" in run(*PATIENT, file)
    document = json.loads(run(*PATIENT, "-", "--json", input=cipher.text))
    assert document["text"] == text and document["solved"] and document["accuracy"] is None
    wanted = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[x]: chr(97 + cipher.key[x]) for x in np.flatnonzero(cipher.counts)}
    assert document["key"] == wanted
    assert "100.0% of the letters right" in run(*PATIENT, "--prepared", "dog", "--seed", 3)


def test_a_file_without_a_cryptogram_is_named(tmp_path):
    (tmp_path / "empty.txt").touch()
    assert "empty.txt: 0 letters" in run("--letters", tmp_path / "empty.txt", code=2)
    assert "standard input: 0 letters" in run("--letters", "-", input="", code=2)


def test_letters_that_run_together_are_spaced():
    text = "".join(c for c in TEXTS["garden"].lower() if c.isalpha())
    cipher = encipher_text(text, seed=2)
    pins = [part for x in range(8) for part in ("--pin", f"{chr(65 + x)}={chr(97 + cipher.key[x])}")]
    output = run(*PATIENT, cipher.text, *pins)
    assert "with blanks: if you want to grow good tomatoes" in output


def test_words_of_a_file_are_enciphered_and_read(texts):
    plain, _ = texts
    output = run(plain, "--em-passes", 3, "--budget", 10, "--seed", 4)
    assert "26 lines of" in output and "symbols right" in output and len(output.splitlines()) == 1 + 1 + 3 + 8 + 1
    document = json.loads(run(plain, "--em-passes", 3, "--budget", 10, "--seed", 4, "--json"))
    assert [one["number"] for one in document["passes"]] == [1, 2, 3]
    assert document["passes"][-1]["by_type"] == pytest.approx(float(output.splitlines()[4].split()[3]), abs=6e-4)


def test_a_cipher_of_unknown_key_with_a_pin(texts):
    plain, coded = texts
    symbol = coded.read_text().split()[0]
    document = json.loads(run(coded, "--plaintext", plain, "--em-passes", 2, "--pin", f"{symbol}=he", "--json"))
    assert document["passes"][0]["by_type"] is None and len(document["lines"]) == len(coded.read_text().splitlines())
    assert {"symbol": symbol, "word": "he", "confidence": 1.0} in document["mapping"]
    assert "symbols right" not in run(coded, "--plaintext", plain, "--em-passes", 2, "--method", "beam")
    refused = run(coded, "--plaintext", plain, "--pin", f"{symbol}=zebra", code=2)
    assert "the word 'zebra' is not in the vocabulary" in refused


REFUSED = {
    "short": (["--letters", "abc"], "3 letters: a cryptogram needs 10"),
    "one letter": (["--letters", "a"], "1 letter: a cryptogram needs 10"),
    "empty": (["--letters", ""], "0 letters: a cryptogram needs 10"),
    "accent": (["--letters", "le garçon est là"], "'ç', character 7"),
    "pin": (["--letters", "--pin", "Xe"], "--pin 'Xe': write SYMBOL=WORD"),
    "prepared": (["--letters", "--prepared", "moon"], "--prepared 'moon': choose one of bakery, lighthouse"),
    "both": (["--letters", "some text", "--prepared", "dog"], "leave TEXT out"),
    "plain": (["--letters", "--plaintext", "x.txt"], "--plaintext and --data are for words"),
    "alone": (["--plaintext", "x.txt"], "name the cipher's file as well"),
    "data": (["some.txt", "--data", "grammar"], "leave TEXT and --plaintext out"),
    "letters": (["--prepared", "dog"], "add --letters"),
    "missing": (["nothing.txt"], "nothing.txt: No such file"),
    "budget": (["--data", "grammar", "--budget", "0"], "budget 0"),
    "exact": (["--data", "grammar", "--method", "exact"], "exact inference of order 2 over"),
    "word": (["--data", "grammar", "--pin", "zebra=the"], "pin 'zebra': no such symbol in the cipher text"),
    "twice": (["--data", "grammar", "--pin", "1=a", "--pin", "1=the"], "'1' is pinned to 'a' and to 'the'"),
    "case": (["--letters", "--pin", "x=t", "--pin", "X=e"], "symbol 'X' is pinned to two letters"),
    "none": (["--letters", "--budget", "0"], "budget 0"),
    "ending": (["--letters", "no-such-cryptogram.txt"], "no-such-cryptogram.txt: no such file"),
    "slash": (["--letters", "nothing/in-there"], "nothing/in-there: no such file"),
    "folder": (["--letters", "."], ".: a folder"),
    "standard": (["-"], "standard input is for cryptograms"),
    "size": (["--data", "grammar", "--size", "1"], "greater than or equal to 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_answered_in_one_line(name):
    arguments, message = REFUSED[name]
    assert message in run(*arguments, code=2)


@pytest.mark.parametrize("given", [b"Xli gex wex \xe9rh xli hsk", b"\xff\xfe"])
def test_standard_input_that_is_no_text_is_refused(given):
    assert "standard input: not UTF-8" in run("--letters", "-", code=2, input=given)


def test_a_mark_at_the_start_of_a_file_is_no_part_of_the_text(tmp_path):
    file = tmp_path / "cryptogram.txt"
    file.write_bytes(b"\xef\xbb\xbf" + encipher_text(TEXTS["dog"], seed=1).text.encode())
    assert json.loads(run(*PATIENT, file, "--json"))["text"] == TEXTS["dog"]


@pytest.mark.parametrize(
    ("steps", "arguments"),
    [(Decipherment, ["--data", "grammar", "--em-passes", "20"]), (Solver, ["--letters", "--prepared", "dog"])],
)
def test_ctrl_c_keeps_the_reading_so_far(steps, arguments, monkeypatch):
    advance, made = steps.advance, []

    def interrupted(self, stop=None):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(advance(self, stop))
        return made[-1]

    monkeypatch.setattr(steps, "advance", interrupted)
    result = CliRunner().invoke(main.app, ["decipher", *arguments, "--budget", "5", "--json"])
    assert result.exit_code == 0 and "stopped after 2 steps" in result.stderr
    output = json.loads(result.stdout)
    assert len(output["passes"]) == 2 if steps is Decipherment else output["text"] == made[-1].best_text


def test_ctrl_c_before_anything_is_read_ends_the_command(monkeypatch):
    def interrupted(self, stop=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(Decipherment, "advance", interrupted)
    assert CliRunner().invoke(main.app, ["decipher", "--data", "grammar"]).exit_code == 130


def answers(level, arm, passes=PASSES):
    """Return an invented result whose accuracy rises to ``level``."""
    curve = np.linspace(0, level, passes).tolist()
    names = ("emission", "posterior", "assignment", "by_token", "mean_length", "log_likelihood")
    return dict.fromkeys(names, curve) | {"seconds": [1.0] * passes, "tokens": 60, "lines": 10, "symbols": 5}


LEVELS = {("rcms", 2): 0.8, ("beam", 2): 0.6, ("exact", 1): 0.5, ("rcms", 1): 0.4, ("beam", 1): 0.2}


def test_figure_5_says_which_claims_hold():
    plan = Plan("tatoeba", 2)
    results = [answers(LEVELS[spec["method"], spec["order"]], spec) for spec in figure5.specs(plan)]
    report = figure5.report(plan, results)
    claims = [line for line in report.text.splitlines() if line.endswith(("| yes |", "| **no** |"))]
    assert len(claims) == 6 and all(line.endswith("| yes |") for line in claims)
    assert "| RCMS 60, n = 2 | .08 ± .00 | .17 ± .00 | .38 ± .00 | .80 ± .00 |" in report.text
    assert "| 8 | .17 ± .00 | .38 ± .00 | .80 ± .00 | .13 ± .00 | .28 ± .00 | .60 ± .00 |" in report.text
    assert json.loads(json.dumps(report.document))["rows"][0]["name"] == "RCMS 60, n = 2"
    swapped = [answers(1 - LEVELS[spec["method"], spec["order"]], spec) for spec in figure5.specs(plan)]
    assert figure5.report(plan, swapped).text.count("**no**") == 6


def test_a_cell_is_a_decipherment_of_its_own():
    spec = spec_of(DecipherArm("beam", 2, 5), "grammar", 0, passes=2)
    found = decipherments.decipher(json.loads(json.dumps(spec)))
    assert [len(found[name]) for name in ("emission", "assignment", "by_token", "mean_length")] == [2] * 4
    assert found["mean_length"][0] == pytest.approx((found["tokens"] / found["lines"] + 1) / 2, abs=1.5)
    assert (found["lines"], len(decipherments.code_digest())) == (1000, 12)


def test_reproduced_quickly_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(figure5, "QUICK", (DecipherArm("rcms", 2, 10),))
    monkeypatch.setattr(figure6_decipher, "ARMS", (DecipherArm("rcms", 2, 10),) * 4)
    monkeypatch.setattr(picture, "png_of", lambda *_, **__: b"a picture")
    for name in ("figure5", "figure6-decipher"):
        arguments = ["reproduce", name, "--data", "grammar", "--quick", "--jobs", "1", "--out", str(tmp_path)]
        result = CliRunner().invoke(main.app, arguments)
        assert result.exit_code == 0, result.output
        assert (tmp_path / f"{name}.md").read_text().startswith("# Figure")
        assert json.loads((tmp_path / f"{name}.json").read_text())["plan"]["data"] == "grammar"
        assert (tmp_path / f"{name}.png").read_bytes() == b"a picture"
    assert "sentences of our own grammar" in (tmp_path / "figure5.md").read_text()
