"""The command line: each command does what the library does, and each mistake ends in one line and exit code 2."""

import csv
import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from pickle import UnpicklingError
from zipfile import BadZipFile

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import rcmviz as rv
from rcmviz.cli import main, report
from rcmviz.cli.console import PlainErrors
from rcmviz.cli.files import print_text
from rcmviz.cli.options import parse_edit
from rcmviz.core.inference.tree_rows import build_tree
from rcmviz.tasks.handwriting.letter_data import load_words
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.tasks.handwriting.problems import problem_from_word

PROBLEM = {
    "labels": ["a", "b"],
    "order": 2,
    "windows": [[["^", "^", "a"], 0.5], [["*", "a", "b"], 1.5], [["^", "a", "b"], -1.0]],
    "log_emit": [[0.0, -1.0], [0.2, 0.0], [0.0, 0.3], [0.1, 0.0]],
    "gold": ["a", "b", "b", "a"],
}


@pytest.fixture
def problem_file(tmp_path):
    path = tmp_path / "coins.json"
    path.write_text(json.dumps(PROBLEM))
    return str(path)


def run(*arguments, code=0):
    result = CliRunner().invoke(
        main.app, [str(argument) for argument in arguments], env={"COLUMNS": "120", "NO_COLOR": "1"}
    )
    assert result.exit_code == code, result.output + str(result.exception)
    return result.stdout if code == 0 else result.stderr


def test_version_and_help():
    assert run("--version").strip() == f"rcmviz {rv.__version__}"
    text = run("--help")
    for command in ("app", "step", "compare", "train", "evaluate", "predict", "sweep", "data", "export"):
        assert command in text
    for command in ("step", "compare", "train", "evaluate", "predict", "sweep", "export", "app", "data", "ctc"):
        text = run(command, "--help")
        assert "--help" in text and "object at 0x" not in text
    assert all(name in run("step", "--help") for name in rv.shipped_models())


def test_help_loads_no_heavy_library():
    code = (
        "import sys, runpy; sys.argv = ['rcmviz', 'step', '--help']\n"
        "try: runpy.run_module('rcmviz', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'pandas', 'plotly', 'streamlit', 'numpy', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    root = Path(rv.__file__).parents[1]
    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("method", ["rcms", "beam", "exact", "repaired"])
def test_step_prints_each_position(problem_file, method):
    text = run("step", problem_file, "--method", method, "--budget", 2)
    for i in (1, 2, 3):
        assert f"position {i} of 4" in text
    problem = rv.read_problem(problem_file)
    lattice, trace = problem.run(method, 2)
    path = rv.viterbi(lattice)
    assert f"decoded {''.join(path.labels)} with confidence {report.percent(np.exp(path.log_prob))}" in text
    assert f"log Z so far {trace.log_z_so_far[2]:.3f}" in text
    for c in range(*lattice.column(3).indices(lattice.C)):
        assert lattice.name(c) in text


def test_step_at_one_position_of_a_pen_written_word():
    text = run("step", "--text", "creation", "--seed", 4, "--position", 3, "--budget", 5)
    assert "position 3 of 8" in text
    assert "position 4 of 8" not in text
    assert "budget 5 · " in text
    assert "█" in text.split("own candidate")[0], "the word is drawn"
    model = rv.load_model("handwriting-pen")
    lattice, _ = problem_from_word(model, write_word("creation", 4)).run("rcms", 5)
    assert f"decoded {''.join(rv.viterbi(lattice).labels)}" in text


def test_logits_a_table_and_labels(tmp_path):
    np.save(tmp_path / "logits.npy", np.array([[0.0, 1.0], [0.5, 0.0]]))
    (tmp_path / "table.csv").write_text("before,on,off\non,1,0\noff,0,2\n")
    (tmp_path / "labels.txt").write_text("on\noff\n")
    tables = ("--transitions", tmp_path / "table.csv", "--labels", tmp_path / "labels.txt")
    lattice, _ = rv.read_trace(run("step", tmp_path / "logits.npy", *tables, "--method", "exact", "--json"))
    assert lattice.labels == ("on", "off")
    assert rv.log_z(lattice) == pytest.approx(np.log(np.exp([1.5, 0.0, 1.5, 3.0]).sum()))
    assert "belong to a problem file" in run("step", "--text", "on", *tables, code=2)


def test_step_says_what_was_observed(tmp_path):
    path = tmp_path / "said.json"
    path.write_text(json.dumps(PROBLEM | {"title": "Coins", "tokens": list("wxyz"), "notes": {"2": "here it turns"}}))
    text = run("step", path, "--budget", 2)
    assert text.startswith("Coins · RCMS")
    assert "“w”\n" in text and "“x” · here it turns\n" in text


def test_step_as_json_is_the_trace(problem_file, tmp_path):
    text = run("step", problem_file, "--budget", 2, "--passes", 2, "--deduplicate", "--forbid", "2:=b", "--json")
    path = tmp_path / "trace.json"
    path.write_text(text)
    _, trace = rv.read_trace(path)
    problem = rv.read_problem(problem_file)
    _, expected = rv.rcms(problem.model, problem.log_emit, 2, passes=2, deduplicate=True, forbid=[(2, "b")])
    np.testing.assert_array_equal(trace.log_mass, expected.log_mass)
    np.testing.assert_array_equal(trace.into, expected.into)
    assert trace.settings["passes"] == 2


def test_step_says_where_beam_search_lost_the_gold(problem_file):
    text = run("step", problem_file, "--method", "beam", "--budget", 1, "--json")
    assert json.loads(text)["schema"] == "rcmviz/trace"
    problem = rv.read_problem(problem_file)
    lattice, _ = problem.run("beam", 1)
    lost = next(i for i in range(1, 4) if problem.gold[:i] not in [lattice.context(c) for c in range(lattice.C)])
    text = run("step", problem_file, "--method", "beam", "--budget", 1)
    assert f"gold `{''.join(problem.gold[:lost])}` was lost at position {lost}" in text
    assert f"gold    abba with probability 0.00 %, lost at position {lost}" in text


def test_budgets_and_edits_reach_the_builder(problem_file):
    text = run("step", problem_file, "--budget", 1, "--budget-at", "2:3", "--pin", "3:ab", "--forbid", "1:=b", "--json")
    settings = json.loads(text)["trace"]["settings"]
    assert settings["budgets"] == [[2, 3]]
    assert settings["pin"] == [[3, ["a", "b"]]]
    assert settings["forbid"] == [[1, "b"]]


def test_compare_puts_methods_side_by_side(problem_file):
    text = run("compare", problem_file, "--methods", "rcms:2,beam:1,exact,repaired:2")
    for name in ("RCMS 2", "beam 1", "exact", "repaired beam 2", "likeliest outputs", "lost at position"):
        assert name in text
    rows = {
        row["name"]: row
        for row in json.loads(run("compare", problem_file, "--methods", "exact,beam:1", "--json"))["methods"]
    }
    lattice, _ = rv.read_problem(problem_file).run("exact")
    assert rows["exact"]["confidence"] == pytest.approx(np.exp(rv.viterbi(lattice).log_prob))
    assert rows["exact"]["gold_probability"] == pytest.approx(np.exp(rv.log_prob(lattice, "abba")))
    assert rows["exact"]["lost_at"] is None
    assert rows["beam 1"]["gold_probability"] == 0
    assert rows["beam 1"]["lost_at"] in (1, 2, 3)


def test_compare_numbers_a_method_that_comes_twice(problem_file):
    methods = json.loads(run("compare", problem_file, "--methods", "rcms:2,rcms:2,beam:1", "--json"))["methods"]
    assert [method["name"] for method in methods] == ["RCMS 2", "RCMS 2 (2)", "beam 1"]


def test_compare_gives_each_method_only_what_it_understands(problem_file):
    run("compare", problem_file, "--methods", "rcms,beam,exact", "--passes", 2, "--deduplicate", "--budget-at", "2:1")


def test_what_is_forbidden_is_impossible_in_words(tmp_path):
    parts = {"labels": ["a", "b"], "transitions": [[0.0, None], [0.0, 0.0]], "log_emit": [[0, 0], [0, 0]]}
    (tmp_path / "p.json").write_text(json.dumps(parts | {"gold": ["a", "b"]}))
    said = run("compare", tmp_path / "p.json", "--methods", "exact")
    assert "exact: model error; under the full model the gold is impossible" in said and "inf" not in said
    (tmp_path / "p.json").write_text(json.dumps(parts | {"start": [None, None]}))
    assert "no output has positive probability" in run("step", tmp_path / "p.json", code=2)
    (tmp_path / "p.json").write_text(json.dumps(parts | {"transitions": [[None, None], [0, 0]], "start": [5, 0]}))
    said = run("compare", tmp_path / "p.json", "--methods", "beam:1", code=2)  # it keeps a dead end
    assert said.startswith("error: beam") and "raise the budget of a beam (--methods" in " ".join(said.split())
    said = " ".join(run("compare", tmp_path / "p.json", "--methods", "beam:1,exact").split())
    assert "beam 1 lost every output: " in said and "exact ba 50.0 %" in said
    methods = json.loads(run("compare", tmp_path / "p.json", "--methods", "beam:1,exact", "--json"))["methods"]
    assert "lost every output" in methods[0]["error"] and methods[0]["blame"] is None
    assert methods[1]["decoded"] == ["b", "a"]
    assert "-0.000" not in run("step", tmp_path / "p.json", "--method", "smc", "--budget", 1)


def test_the_ranking_of_several_passes_is_named_and_written(problem_file, tmp_path):
    said = run("step", problem_file, "--budget", 1, "--passes", 2)
    assert "candidates by estimated posterior: " in said and "by estimated posterior (0" in " ".join(said.split())
    assert "estimated" not in run("step", problem_file, "--budget", 1)
    run("export", problem_file, "--out", tmp_path / "run.csv", "--budget", 1, "--passes", 2)
    rows = list(csv.DictReader((tmp_path / "run.csv").open()))
    for position in {row["position"] for row in rows}:
        here = sorted((int(row["rank"]), float(row["key"])) for row in rows if row["position"] == position)
        assert [key for _, key in here] == sorted((key for _, key in here), reverse=True)


@pytest.mark.parametrize("name", ["run.html", "run.json", "run.csv"])
def test_export_by_ending(problem_file, tmp_path, name):
    path = tmp_path / name
    assert run("export", problem_file, "--out", path, "--budget", 2).strip() == str(path)
    _, trace = rv.read_problem(problem_file).run("rcms", 2)
    if name.endswith("json"):
        np.testing.assert_array_equal(rv.read_trace(path)[1].log_mass, trace.log_mass)
    elif name.endswith("csv"):
        rows = list(csv.DictReader(path.open()))
        assert len(rows) == len(trace.log_mass)
        assert [int(row["position"]) for row in rows] == sorted(int(row["position"]) for row in rows)
        np.testing.assert_allclose([float(row["log_mass"]) for row in rows], trace.log_mass)
        assert {row["context"] for row in rows if row["position"] == "2"} >= {"aa", "ab", "a", "b"}
    else:
        assert "<html" in path.read_text()[:200]


def test_export_of_a_problem_is_read_again(tmp_path):
    path = tmp_path / "word.json"
    run("export", "--text", "nation", "--seed", 2, "--format", "problem", "--out", path)
    problem = rv.read_problem(path)
    assert problem.gold == tuple("nation")
    assert "nation" in run("step", path, "--position", 2)


def test_a_problem_comes_and_goes_by_a_pipe(problem_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind in ("problem", "json", "csv", "html"):
        run("export", problem_file, "--format", kind, "--out", tmp_path / "file")
        assert run("export", problem_file, "--format", kind, "--out", "-") == (tmp_path / "file").read_text("utf-8")
    assert not Path("-").exists()
    for arguments in (["step", "-"], ["compare", "-", "--methods", "rcms:2,exact"], ["search", "-"]):
        piped = CliRunner().invoke(main.app, arguments, input=Path(problem_file).read_text())
        named = CliRunner().invoke(main.app, [problem_file if one == "-" else one for one in arguments])
        assert piped.exit_code == 0 and piped.stdout.splitlines()[2:] == named.stdout.splitlines()[2:]  # below the name
    empty = CliRunner().invoke(main.app, ["step", "-"], input="")
    assert empty.exit_code == 2 and "standard input: it is empty" in empty.stderr


def test_a_closed_standard_output_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(ValueError, match="--out"):
        print_text("a")


def test_ctrl_c_while_fetching_says_that_nothing_is_lost(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("rcmviz.data.download.get", interrupted)
    assert "part is kept" in run("data", "get", "ocr", code=130)


def test_the_tree_fits_eighty_columns():
    result = CliRunner().invoke(main.app, ["step", "--budget", "20"], env={"COLUMNS": "80", "NO_COLOR": "1"})
    numbers = [line for line in result.stdout.splitlines() if line.startswith("log Z so far")]
    assert len(numbers) == len("creation") - 1
    assert all(line.endswith("%") and "root mass" in line for line in numbers)


def test_data_is_listed_and_found(tmp_path, monkeypatch):
    folder = tmp_path / "ocr"
    folder.mkdir()
    file = folder / "letter.data.gz"
    file.write_bytes(b"")
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path))
    assert run("data", "path", "ocr").strip() == str(file)
    assert json.loads(run("data", "list", "--json"))[0]["path"] == str(file)
    assert "Kassel" in run("data", "list")


def test_data_get_names_a_server_that_has_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path))
    monkeypatch.setattr("rcmviz.data.registry.cache_dir", lambda: tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), NothingHere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        message = run("data", "get", "ocr", "--url", f"http://127.0.0.1:{server.server_port}/x.gz", code=2)
    finally:
        server.shutdown()
        server.server_close()
    assert "the server answers 404" in message


class NothingHere(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(404)

    def log_message(self, *_):
        pass


MISTAKES = {
    "no such file": (["step", "nothing.json"], "nothing.json: No such file or directory; give the path"),
    "two examples": (["step", "--text", "a", "--index", "3"], "--text and --index name different examples"),
    "letters": (["step", "--text", "née"], "letters a to z only, not 'é'"),
    "position": (
        ["step", "--position", "8"],
        "position 8 has no candidates: contexts are selected at positions 1 to 7",
    ),
    "budget 0": (["step", "--budget", "0"], "budget 0"),
    "budget nan": (["step", "--budget", "nan"], "--budget"),
    "budget-at": (["step", "--budget-at", "2"], "--budget-at 2: write position:budget"),
    "budget-at position": (["step", "--budget-at", "99:2"], "budgets: position 99 selects nothing"),
    "pin": (["step", "--pin", "ol"], "'ol' is no edit; write position:context, e.g. 4:ol"),
    "pin label": (["step", "--pin", "2:é"], "'2:é': 'é'"),
    "pin exact": (["step", "--method", "exact", "--pin", "2:o"], "pin or forbid labels, not contexts"),
    "passes of beam": (["step", "--method", "beam", "--passes", "2"], "beam has no option --passes; leave it out"),
    "method": (["step", "--method", "ars"], "ars"),
    "methods": (["compare", "--methods", "rcms,ars"], "'ars' is no method; write e.g. rcms:10,beam:200"),
    "methods budget": (["compare", "--methods", "rcms:x"], "'rcms:x' is no method"),
    "model": (["step", "--model", "nope"], "no shipped model 'nope': choose"),
    "model file": (["step", "--model", "nope.npz"], "nope.npz: no such file"),
    "export ending": (["export", "--out", "x.pdf"], "x.pdf: name the file .html, .json or .csv"),
    "export folder": (["export", "--out", "missing/x.json"], "missing/x.json: No such file or directory"),
    "no digits": (["compare", "--methods", "rcms:²"], "'rcms:²' is no method"),
    "no digits at": (["step", "--budget-at", "²:3"], "--budget-at ²:3: write position:budget"),
    "one position as csv": (["export", "--text", "a", "--out", "x.csv"], "one position has no candidates"),
    "pin in compare": (["compare", "--pin", "2:cr"], "exact: exact inference keeps every context"),
    "data": (["data", "path", "mnist"], "no data set 'mnist'"),
    "data to get": (["data", "get", "mnist"], "error: there is no data set 'mnist'"),
    "no data": (["step", "--index", "3"], "rcmviz data get ocr"),
    "no data at": (["data", "path", "ocr"], "run `rcmviz data get ocr`"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_ends_in_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path))
    monkeypatch.setattr("rcmviz.data.registry.cache_dir", lambda: tmp_path)
    text = run(*arguments, code=2)
    assert message in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    "error", [EOFError("Ran out of input"), zlib.error("-3"), BadZipFile("x"), UnpicklingError("y")]
)
def test_a_damaged_file_that_no_reader_names_ends_in_one_line_too(error):
    """Click would take EOFError for Ctrl-D, and print "Aborted."."""
    group, inner = typer.Typer(cls=PlainErrors), typer.Typer()
    group.add_typer(inner, name="inner")

    @inner.command()
    def fail():
        raise error

    inner.command()(lambda: None)
    result = CliRunner().invoke(group, ["inner", "fail"])
    assert result.exit_code == 2 and result.stderr.startswith("error: a file is damaged or cut off")
    assert str(error) in result.stderr and "rcmviz cache clear" in result.stderr and "Aborted" not in result.stderr


def test_a_problem_file_takes_no_model_when_it_has_one(problem_file):
    assert "run it without a model" in run("step", problem_file, "--model", "handwriting-pen", code=2)


def test_real_words_by_index_and_by_letters(tmp_path, monkeypatch):
    lines = []
    for number, (word, fold) in enumerate([("ab", 0), ("ba", 0), ("ba", 1)]):
        for position, letter in enumerate(word, start=1):
            follows = -1 if position == len(word) else len(lines) + 2
            pixels = "\t".join("1" if (k + len(lines)) % 3 else "0" for k in range(128))
            lines.append(f"{len(lines) + 1}\t{letter}\t{follows}\t{number + 1}\t{position}\t{fold}\t{pixels}\t\n")
    folder = tmp_path / "ocr"
    folder.mkdir()
    (folder / "letter.data.gz").write_bytes(gzip.compress("".join(lines).encode()))
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path))
    for chosen, images in ((["--word", "ba"], 2), (["--index", "1"], 1)):
        path = tmp_path / "out.json"
        run("export", *chosen, "--model", "handwriting-pen", "--format", "problem", "--out", path)
        expected = load_words()[images].images
        np.testing.assert_array_equal(rv.read_problem(path).images, expected)
    assert "the index is 0 to 2" in run("step", "--index", 3, code=2)
    assert "no real word is spelt 'bb'; near it are" in run("step", "--word", "bb", code=2)


def test_edits_are_read():
    assert parse_edit("4:ol", "lo") == (4, ("o", "l"))
    assert parse_edit("4:*ol", "lo") == (4, ("o", "l"))
    assert parse_edit("3:=a", "ab") == (3, "a")
    assert parse_edit("2:the cat", ("the", "cat")) == (2, ("the", "cat"))


def test_guides_lead_from_parent_to_child():
    column = {(): 0.1, ("a",): 0.2, ("b", "a"): 0.3, ("c", "b", "a"): 0.05, ("b",): 0.2, ("a", "b"): 0.15}
    tree = build_tree([column], 10)
    lines = [guide + "".join(context) for guide, context in zip(report.guides(tree), tree.contexts, strict=True)]
    assert lines == ["", "├─ a", "│  └─ ba", "│     └─ cba", "└─ b", "   └─ ab"]


def test_a_bar_adds_up():
    bar = report.bar(0.25, 0.5, 1.0).plain
    assert (bar.count(report.OWN), bar.count(report.MERGED), bar.count(report.BELOW)) == (7, 7, 14)
    assert report.bar(0.0, 0.0, 1e-6).plain == "▏"


def test_pictures_are_half_blocks():
    images = np.array([[[1, 0], [1, 1], [0, 1]], [[0, 0], [0, 0], [1, 1]]])
    assert report.images_text(images, 80).plain.split("\n") == ["█▄", " ▀  ▀▀"]
    assert report.images_text(images, 4).plain.split("\n") == ["█▄", " ▀", "", "▀▀"]


def test_compare_says_whose_fault_it_is():
    options = ["--text", "consider", "--seed", 15, "--budget", 4, "--methods", "beam,exact"]
    text = run("compare", *options)
    assert "beam 4: search error at position 5, dropped; the full model has the gold 4.174 ahead" in text
    assert "exact: right; the full model scores it -3.639" in text
    beam, exact = (row["blame"] for row in json.loads(run("compare", *options, "--json"))["methods"])
    assert (beam["verdict"], beam["position"], exact["verdict"]) == ("search error", 5, "right")
    assert beam["margin"] == pytest.approx(beam["gold_score"] - beam["output_score"])


def test_an_exported_page_has_the_verdict_and_the_strip(tmp_path):
    out = tmp_path / "run.html"
    run("export", "--text", "consider", "--seed", 15, "--budget", 4, "--method", "beam", "--out", out)
    text = out.read_text(encoding="utf-8")
    assert '"verdict":"search error","position":5' in text
    assert '"smallest":5' in text


@pytest.mark.parametrize(
    "variables", [{"PYTHONIOENCODING": name} for name in ("ascii", "latin-1", "cp1252")] + [{"COLUMNS": "0"}]
)
def test_every_terminal_shows_something(variables, problem_file, tmp_path):
    """One that lacks characters, and one that does not know its width."""
    document = PROBLEM | {"labels": ["ā", "字"], "windows": [], "gold": ["ā"] * 4, "name": "é—😀"}
    path = tmp_path / "characters.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    code = (
        "from rcmviz.cli.main import app\n"
        f"path = {str(path)!r}\n"
        "for arguments in (['--help'], ['step', path], ['compare', path, '--json'], ['step', '字']):\n"
        "    try: app(arguments)\n"
        "    except SystemExit as end: print('ended', end.code)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | variables
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    parts = re.split(rb"ended (\d)\r?\n", ran.stdout)
    assert parts[1::2] == [b"0", b"0", b"0", b"2"], ran.stderr
    assert b"usage" in parts[0].lower() and len(parts[2]) > 200
    assert "error" in ran.stderr.decode("ascii", "replace")
    encoding = variables.get("PYTHONIOENCODING", "utf-8").replace("ascii", "utf-8")  # Click takes it for a mistake
    assert json.loads(parts[4].decode(encoding))["name"] == "é—😀"
