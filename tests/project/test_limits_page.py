"""The limits in docs/data.md agree with the code; limits that no other test checks."""

import gzip
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv
from pages.shell.methods import parse_runs
from pages.word import tabs
from pages.word.edits import read_edits
from rcmviz.core.inference import batch, infer
from rcmviz.core.problems.problem_file import parse_content
from rcmviz.core.problems.problem_reader import MAX_LABELS, MAX_POSITIONS, MAX_WINDOWS, ProblemError
from rcmviz.core.shared import checks, npz
from rcmviz.lessons import expressions, points, reader
from rcmviz.lm import text

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| .* \| ([\d,]+)(?: \w+)? \| `([\w.]+)\.(\w+)` \|$", re.MULTILINE)
MODEL = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})


def test_the_table_is_what_the_code_has():
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    rows = ROW.findall(page)
    assert len(rows) == page.split("## Limits")[1].count("\n| ") - 1 >= 20
    for value, module, name in rows:
        assert getattr(import_module(module), name) == int(value.replace(",", "")), name


def problem(labels=("a", "b"), T=2, windows=(), order=1):
    """Return a problem of these sizes as text."""
    rows = ", ".join(["[" + ", ".join(["0"] * len(labels)) + "]"] * T)
    names, given = ", ".join(f'"{label}"' for label in labels), ", ".join(windows)
    return f'{{"labels": [{names}], "order": {order}, "windows": [{given}], "log_emit": [{rows}]}}'.encode()


NAMES = [f"l{k}" for k in range(160)]
MANY_CONTEXTS = {
    "labels": NAMES,
    "order": 2,
    "windows": [f'[["{first}", "{second}", "l0"], 0.5]' for first in NAMES for second in NAMES],
}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"T": MAX_POSITIONS + 1}, "401 positions; give between 1 and 400"),
        ({"labels": [f"l{k}" for k in range(MAX_LABELS + 1)], "T": 1}, "501 labels; give between 1 and 500"),
        ({"windows": ["0"] * (MAX_WINDOWS + 1)}, "200,001 windows; give at most 200,000"),
        (MANY_CONTEXTS, "a table of 4,096,000 weights, 160 labels after each context; the limit is 4,000,000"),
    ],
)
def test_problems(given, message):
    with pytest.raises(ProblemError, match=message):
        parse_content(problem(**given), "p.json")


def test_candidates_in_a_table(monkeypatch):
    trace = rv.exact(MODEL, np.zeros((4, 2)))[1]
    monkeypatch.setattr(tabs, "MOST_FILTERED", 2)
    assert tabs.candidate_columns(trace, 3)["rank"] == [1, 2]


def test_a_text_in_gzip(tmp_path, monkeypatch):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"a b c\n" * 1_000))
    assert sum(1 for _ in text.read_sentences(path)) == 1_000
    monkeypatch.setattr(text, "MAX_UNPACKED", 5_000)
    with pytest.raises(ValueError, match="text.gz: .*5,000 bytes"):
        list(text.read_sentences(path))
    path.write_bytes(gzip.compress(b"a" * 70_000))
    monkeypatch.setattr(text, "LONGEST", 60_000)
    monkeypatch.setattr(text, "MAX_UNPACKED", 10**9)
    with pytest.raises(ValueError, match="line 1: more than 0 MB"):
        list(text.read_sentences(path))


def test_arrays_of_a_file(tmp_path, monkeypatch):
    path = tmp_path / "x.npz"
    np.savez(path, a=1, b=2, c=3)
    monkeypatch.setattr(npz, "MAX_ARRAYS", 2)
    with pytest.raises(ValueError, match="3 arrays, the limit is 2"):
        npz.read_npz(path, "thing", "save it again")


@pytest.mark.parametrize("value", [1e7, 1e10, 1e16, 1e300, -1e7, -1e16, -1e300])
def test_logs_that_would_lose_their_digits(value):
    """Refused at every position; as the scores of some labels of a position low ones are as good as −inf."""
    emit = np.zeros((3, 2))
    emit[1] = value
    for build in (rv.rcms, rv.beam, rv.exact):
        with pytest.raises(ValueError, match="position 2, label 'a' is .*at most 1,000,000"):
            build(MODEL, emit)
    with pytest.raises(ValueError, match="at most 1,000,000"):
        rv.infer_batch(MODEL, [emit])
    with pytest.raises(ProblemError, match=r"log_emit\[0\]: .*1,000,000"):
        parse_content(problem().replace(b"[0, 0], [0, 0]", f"[{value}, {value}], [0, 0]".encode()), "p.json")
    with pytest.raises(ProblemError, match=r"windows\[0\]: .*1,000,000"):
        parse_content(problem(windows=[f'[["a", "b"], {value}]']), "p.json")
    with pytest.raises(ValueError, match="at most 1,000,000"):
        rv.NgramModel.from_windows("ab", 1, {("a", "b"): value})
    with pytest.raises(ValueError, match="root_weight .*at most 1,000,000"):
        rv.rcms(MODEL, np.zeros((3, 2)), root_weight=value)
    if value < 0:
        emit[1] = [0.0, value]
        masked = np.where(emit < -1, -np.inf, emit)
        for build in (rv.rcms, rv.beam, rv.exact):
            found, asked = (rv.posterior(build(MODEL, each)[0]) for each in (emit, masked))
            assert found.label == pytest.approx(asked.label) and found.entropy == pytest.approx(asked.entropy)


def test_a_lattice_of_a_file_that_would_lose_its_digits():
    lattice, _ = rv.exact(MODEL, np.zeros((3, 2)))
    document = lattice.to_json().replace("0.0,0.0", "1e16,1e16").replace("[0,0]", "[1e16,1e16]")
    assert "1e16" in document
    found = rv.read_lattice(document)
    with pytest.raises(ValueError, match="constant"):
        rv.posterior(found)


def test_potentials_of_a_field():
    for size in ({"rank": 10**12}, {"rank": 10**8, "order": 3}):
        with pytest.raises(ValueError, match="200,000,000: lower rank, order or size"):
            rv.MarkovField(size=None, **size).fit(["a b c d e f"] * 3)


def test_draws_and_patterns(monkeypatch):
    lattice, _ = rv.exact(MODEL, np.zeros((4, 2)))
    with pytest.raises(ValueError, match="5,000,000 outputs"):
        rv.sample(lattice, checks.MAX_DRAWN)
    hmm = rv.HMM(rv.train_lm(["a b", "b a"], order=2), [["a", "b"]] * 2, np.zeros((2, 2)))
    for ask, given in ((rv.ars_kbest, {"k": 10**40}), (rv.ars_sample, {"batch": 10**8})):
        with pytest.raises(ValueError, match="6,666,666 outputs"):
            ask(hmm, **given)
    with pytest.raises(ValueError, match="n 20000001: .*1 to 20,000,000"):
        rv.ars_sample(hmm, n=checks.MAX_DRAWN + 1)
    monkeypatch.setattr(infer, "MOST_WORK", 20)
    with pytest.raises(ValueError, match=r"pattern 'a \* b'"):
        rv.mass(lattice, "a*b")
    monkeypatch.setattr(infer, "MAX_STATES", 1)
    with pytest.raises(ValueError, match="use fewer"):
        rv.mass(lattice, "a*b")
    assert tabs.LONGEST_PATTERN < checks.MAX_POSITIONS


def test_links_and_lessons(tmp_path):
    with pytest.raises(ValueError, match="1 to 5,000"):
        parse_runs("rcms:5001")
    with pytest.raises(ValueError, match="41 edits, at most 40 fit"):
        read_edits(",".join(["b1:2"] * 41))
    with pytest.raises(ValueError, match="10,000 characters .*300"):
        expressions.parse_expression("(" * 10_000)
    assert expressions.parse_expression("(" * 30 + "1" + ")" * 30 + " + (2)").tree == ["+", 1, 2]
    with pytest.raises(ValueError, match="parentheses"):
        expressions.parse_expression("(" * 31 + "1" + ")" * 31)
    path = tmp_path / "lesson.md"
    assert points.parse_targets("budget" + "," * 294) == ("budget",)
    with pytest.raises(ValueError, match="'budget,.* 301 characters .*300"):
        points.parse_targets("budget" + "," * 295)
    with pytest.raises(ValueError, match="301 characters"):
        points.check_target("context " + "*" * 293)
    path.write_bytes(b"-" * (reader.MOST_BYTES + 1))
    with pytest.raises(ValueError, match="500,000 bytes"):
        reader.read_lesson(path)


def test_arcs_of_what_is_decoded_in_bulk(monkeypatch):
    monkeypatch.setattr(batch, "MOST_ARCS", 10)
    with pytest.raises(ValueError, match="budget 3 .*3 positions .*memory"):
        rv.infer_batch(MODEL, [np.zeros((3, 2))], budget=3)
    with pytest.raises(ValueError, match="order 1 over 6 positions .*use rcms or beam"):
        rv.infer_batch(MODEL, [np.zeros((6, 2))], "exact")
