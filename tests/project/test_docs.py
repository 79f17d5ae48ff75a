"""The examples of README and docs produce the output shown."""

import doctest
import json
import math
import re
import runpy
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rcmviz as rv
from rcmviz.cli import main
from rcmviz.core.problems.problem_file import ProblemError, parse_problem
from rcmviz.data.registry import find
from rcmviz.sequences.file import parse_sequences

ROOT = Path(__file__).parents[2]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF


def blocks(name, language):
    """The fenced blocks of a language in a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / name).read_text(encoding="utf-8"), re.M | re.S)


WITH_EXAMPLES = [
    "tutorial",
    "picture",
    "classifier",
    "language-models",
    "ars",
    "hidden-labels",
    "fields",
    "search",
    "diagnosis",
    "lessons",
    "ctc",
    "networks",
]


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{name}.md" for name in WITH_EXAMPLES)])
def test_python_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    source = "\n".join(blocks(name, "python"))
    test = doctest.DocTestParser().get_doctest(source, {}, name, name, 0)
    assert test.examples
    complaints = []
    doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=complaints.append)
    assert not complaints, "".join(complaints)


@pytest.mark.parametrize("language", ["json", "csv"])
def test_problem_examples_can_be_run(language):
    found = blocks("docs/data.md", language)
    assert found
    for text in found:
        lattice, _ = parse_problem(text).run("rcms", 3)
        assert len(json.loads(text)["log_emit"]) == lattice.T if language == "json" else lattice.T == 2


def test_the_example_of_the_readme_is_as_sure_as_it_says():
    (text,) = blocks("README.md", "json")
    problem, readme = parse_problem(text), (ROOT / "README.md").read_text(encoding="utf-8")
    for method, said in (
        ("beam", "beam search is {} sure of `rain rain rain`"),
        ("rcms", "RCMS {}"),
        ("exact", "exact inference {}"),
    ):
        best = rv.viterbi(problem.run(method, 1)[0])
        assert said.format(f"{100 * math.exp(best.log_prob):.0f} %") in readme and set(best.labels) == {"rain"}


def commands():
    plain = [block for block in blocks("docs/tutorial.md", "sh") if "<<" not in block]
    lines = [line for block in plain for line in block.splitlines()]
    return [line for line in lines if line.startswith("rcmviz ")]


def run(line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main.app, shlex.split(line)[1:], env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.stdout


@pytest.mark.parametrize("line", commands())
def test_shell_examples(line, tmp_path, monkeypatch):
    run(line, tmp_path, monkeypatch)


def test_the_shell_script_on_own_data(tmp_path, monkeypatch):
    """The shell writes the files and records its commands, which then run here."""
    (script,) = [block for block in blocks("docs/tutorial.md", "sh") if "<<" in block]
    noted = 'rcmviz() { echo "rcmviz $*" >> commands; }\n'
    done = subprocess.run(["sh", "-ec", noted + script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "commands").read_text().splitlines()
    assert len(lines) == 3
    printed = [run(line, tmp_path, monkeypatch) for line in lines]
    assert printed[-1].endswith("the DET\ndog NOUN\nsleeps VERB\n")


def test_the_clean_run_covers_the_tutorial():
    """The script runs the tutorial's Python, without optional packages, and the commands on a user's file."""
    script = runpy.run_path(str(ROOT / "scripts" / "clean_install.py"))
    python, commands = script["examples"]((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    left_out = set("\n".join(blocks("docs/tutorial.md", "python")).splitlines()) - set(python.splitlines())
    assert len(left_out) == 1 and "rv.show(" in left_out.pop()
    assert "".join(commands) in blocks("docs/tutorial.md", "sh")
    assert [command.split()[1] for command in commands[1:]] == ["train", "evaluate", "predict"]


def test_the_tutorial_prints_what_compare_prints(tmp_path, monkeypatch):
    (shown,) = blocks("docs/tutorial.md", "text")
    line = next(line for line in commands() if line.startswith("rcmviz compare"))
    printed = [row.rstrip() for row in run(line, tmp_path, monkeypatch).splitlines()]
    for row in shown.splitlines():
        assert row in printed


def test_the_contents_link_every_document():
    targets = re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs" / "contents.md").read_text(encoding="utf-8"))
    assert sorted(targets) == sorted({path.name for path in ROOT.glob("docs/*.md")} - {"contents.md"})


@pytest.mark.parametrize("name", ["README.md", *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))])
def test_links_lead_somewhere(name):
    document = ROOT / name
    text = re.sub(r"(`+).*?\1", "", document.read_text(encoding="utf-8"), flags=re.S)  # code shows links of others
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (document.parent / target).exists(), target


def test_error_examples_are_the_errors():
    text = '{"labels": ["a", "b"], "order": 2, "log_emit": [[0, 0]], "windows": [%s[["^", "c", "a"], 1]]}'
    others = "".join(f'[["^", "^", "{y}"], 1], ' for y in "ab") + '[["*", "a", "b"], 1], '
    shown = blocks("docs/data.md", "text")[0].splitlines()
    for source, problem, line in (
        ("problem.json", text % others, shown[0]),
        ("problem.json", '{\n\n\n"labels":  [1 2]}', shown[1]),
        ("emissions.csv", "a,b\n0,0\n0,\n", shown[2]),
    ):
        with pytest.raises(ProblemError) as caught:
            parse_problem(problem, source)
        assert re.sub(r"column \d+", "column N", str(caught.value)) == re.sub(r"column \d+", "column N", line)


def test_error_examples_of_sequence_files_are_the_errors():
    shown = blocks("docs/classifier.md", "text")[0].splitlines()
    for content, source, line in (
        (b"a B\nc D\ne\n", "tags.conll", shown[0]),
        (b"sequence,size,label\n1,2,B\n1,NaN,B\n", "tags.csv", shown[1]),
        (b"sequence,x,label\ns1,2,B\ns2,2,B\ns1,2,B\n", "tags.csv", shown[2]),
        (b"ab NN\ncaf\xe9 NN\n", "tags.conll", shown[3]),
    ):
        with pytest.raises(ValueError) as caught:
            parse_sequences(content, source)
        assert str(caught.value) == line


def test_sequence_files_of_the_documentation_can_be_read():
    (conll,), (table,) = blocks("docs/classifier.md", "conll"), blocks("docs/classifier.md", "csv")
    assert parse_sequences(conll.encode(), "a.conll").y == [["B-NP", "I-NP"], ["B-NP", "B-VP"]]
    file = parse_sequences(table.encode(), "a.csv")
    assert file.y == [["D", "N"], ["P", "V"]] and file.columns.numeric == ("length",)


def test_what_the_document_on_reliability_names_is_there():
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:4] for line in text.splitlines() if line.startswith("| ") and line.count("|") == 4]
    promises = [row for row in rows if row[0].strip() != "promise"]
    assert len(promises) > 30
    files = [path for folder in ("rcmviz", "pages", "tests", "fuzz") for path in map(str, (ROOT / folder).rglob("*"))]
    for promise, code, tests in promises:
        assert re.search(r"test_\w+\.py|`plot`|fuzz", tests), f"no test: {promise}"
        for name in re.findall(r"`([\w/]+(?:\.\w+)?)`", code + tests):
            assert any(path.endswith(f"/{name}") for path in files) or (ROOT / name).exists(), name


def card_rows(name):
    """The scores in a model card as printed, {method: [accuracy, its error, recall, its error, confidence]}."""
    text = (ROOT / "models" / f"{name}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:RCMS|beam|exact)[^|]*) \|(.*)\|$", text, re.M)
    return {method: [float(number) for number in re.findall(r"\.\d+", cells)] for method, cells in rows}


@pytest.mark.parametrize("name", ["pen", "kassel", "pen-beam", "kassel-beam"])
def test_the_cards_say_what_evaluate_says(name, tmp_path, monkeypatch):
    data = name.removesuffix("-beam")
    if data == "kassel" and find("ocr") is None:
        pytest.skip("Kassel's words are not on this machine: rcmviz data get ocr")
    command = f"rcmviz evaluate handwriting --data {data} --model handwriting-{name} --json"
    scores = json.loads(run(command, tmp_path, monkeypatch))["scores"]
    fields = ("accuracy", "accuracy_error", "recall_99", "recall_99_error", "mean_confidence")
    rows = card_rows(f"handwriting-{name}")
    assert list(rows) == [score["name"] for score in scores]
    for score in scores:
        assert rows[score["name"]] == pytest.approx([score[name] for name in fields], abs=0.0006), score["name"]
