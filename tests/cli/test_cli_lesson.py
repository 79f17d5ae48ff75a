"""`rcmviz lesson`: begun from the template, checked against the engine, opened in the application."""

import json
import re
from pathlib import Path

import pytest

from pages.shell.text_store import TEXTS
from rcmviz.cli import lesson as commands
from rcmviz.lessons import TEMPLATE
from support.commands import run

WRONG = """---
title: Wrong
question: What if a lesson is wrong?
minutes: 1
---

## One
view: compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=1&pace=3

A link that has too much.

## Two
view: compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=1
point: candidate zz, candidate c of 2

Beam search is {88 %: beam.confidence} sure of {careless: beam.output}. See [it](step?pos=x).
It is lost at {4: beam.lost_at}, says {1: greedy.log_z}.

```task until
ask: Stay.
until: beam.lost_at == 5
solution: pos=2
```

## Three
view: &pos=2

One of two.

```task choose
ask: Which?
options: careless | conifers
answer: view.gold
```

## Four

```task until
ask: Go.
until: pos == beam.lost_at
solution: pos=4
```
"""


def test_a_lesson_begins_with_the_template_which_the_engine_agrees_with(tmp_path):
    mine = tmp_path / "mine.md"
    assert run("lesson", "new", mine).strip() == str(mine) and mine.read_text() == TEMPLATE.read_text()
    assert "exists already" in run("lesson", "new", mine, code=2)
    assert run("lesson", "check", mine).endswith("4 steps, 3 tasks, 2 values: the engine agrees\n")


def test_what_a_lesson_says_wrongly_is_named_by_file_and_line(tmp_path):
    file = tmp_path / "wrong.md"
    file.write_text(WRONG)
    *remarks, summary = run("lesson", "check", file, code=1).splitlines()
    said = [
        (8, "The link has 'pace', which this page"),
        (14, "the view shows no candidate 'zz'"),
        (16, "`pos=x` in the link is not a whole number"),
        (16, "says 88 %, the engine 0.886"),
        (17, "says 4, the engine 5"),
        (17, "no method 'greedy' is shown here: there is beam:4, rcms:4"),
        (21, "done when the step opens"),
        (32, "0 options are right"),
        (41, "this does not solve the task"),
    ]
    assert summary == f"Wrong: 4 steps, 3 tasks, 4 values: {len(said)} to mend"
    for remark, (line, text) in zip(remarks, said, strict=True):
        assert remark.startswith(f"{file}:{line}: ") and text in remark


def test_the_lesson_of_the_documentation_is_one_and_fails_as_it_says(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text(encoding="utf-8")
    lesson = re.search(r"^````markdown\n(.*?)^````", text, re.M | re.S)[1]
    mine = tmp_path / "mine.md"
    mine.write_text(lesson)
    assert "the engine agrees" in run("lesson", "check", mine)
    mine.write_text(lesson.replace("89 %", "88 %").replace("candidate cons\n", "candidate zz\n"))
    shown = re.search(r"lesson check mine.md\n(.*?)```", text, re.S)[1]
    assert run("lesson", "check", mine, code=1).replace(f"{tmp_path}/", "") == shown


def test_facts_are_listed_by_page():
    known = json.loads(run("lesson", "facts", "compare", "--json"))
    assert "candidate, [position]" in next(name for name in known if name.startswith("method.mass("))
    assert "has no facts" in run("lesson", "facts", "home", code=2)


@pytest.mark.parametrize("runs_already", [True, False])
def test_a_lesson_opens_where_the_application_runs_or_in_a_new_one(monkeypatch, tmp_path, runs_already):
    started, opened = [], []
    monkeypatch.setattr(TEXTS, "folder", lambda: tmp_path)
    monkeypatch.setattr(commands, "_answers", lambda address: runs_already or bool(started))
    monkeypatch.setattr(commands, "open_app", lambda **options: started.append(options))
    monkeypatch.setattr(commands.webbrowser, "open", opened.append)
    link = run("lesson", "open", TEMPLATE, "--port", 8777, *([] if runs_already else ["--no-browser"])).strip()
    assert link.startswith("http://127.0.0.1:8777/compare?word=consider") and "&lesson=only-here." in link
    assert (opened, started) == (([link], []) if runs_already else ([], [{"port": 8777, "browser": False}]))
