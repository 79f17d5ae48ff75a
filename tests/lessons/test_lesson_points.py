"""Targets of lessons outside Step and Compare: names checked against the view, titles against its scripts."""

import re
from pathlib import Path

import pytest

import rcmviz.views
from pages.lessons.checking import check_lesson
from pages.lessons.tasks import judge
from pages.shell.facts import points_of
from pages.shell.registry import pages
from rcmviz.lessons import lesson_named, parse_lesson
from rcmviz.lessons.parts import FIGURES, PARTS
from rcmviz.lessons.points import parse_targets

VIEWS = Path(rcmviz.views.__file__).parent
STEP = "---\ntitle: One\nquestion: Why?\nminutes: 1\n---\n\n## Here\nview: {}\npoint: {}\n\nLook.\n"
RING = "field?view=lifting&text=tom slept / anna slept&order=1&fold=0&step=1"


@pytest.mark.parametrize(
    ("view", "target", "wrong"),
    [
        (RING, "curve log Z per token, slider state, slider ring, row slept, arc 4", []),
        (RING, "row dog", ["'row dog': the view shows no row 'dog'; there are <S>, anna, slept, tom"]),
        (RING, "line 1.2", ["'line 1.2': the page field has no line here; it has arc, curve, row, slider"]),
        (RING, "arc 1 of 2", ["'arc 1 of 2': arc belongs to no method: leave out of 2"]),
        ("step?word=ant&budget=3", "slider position", []),
        ("learn", "curve gold lost, slider checkpoint", []),
        (
            "learn",
            "curve gold",
            [
                "'curve gold': the view shows no curve 'gold'; there are gold lost, gradient norm, "
                "held-out accuracy, labels remembered, log-likelihood, recall at 99 % precision"
            ],
        ),
        ("decipher?text=bakery&runs=rcms:60,beam:60", "row F of 2, sign G, method 1", []),
        ("decipher?text=bakery&runs=rcms:60,beam:60", "row F of 3", ["'row F of 3': there is no method 3"]),
    ],
)
def test_targets_must_exist(view, target, wrong):
    lesson = parse_lesson(STEP.format(view, target))
    assert [remark.text for remark in check_lesson(lesson)] == wrong


def test_names_with_commas_stand_between_quotation_marks():
    assert parse_targets(' curve "a, b" , , widget "c",') == ('curve "a, b"', 'widget "c"')
    with pytest.raises(ValueError, match="a quotation mark is missing"):
        parse_targets('curve "a, b, budget')


def declared(kind):
    """Return the names of a kind that lessons may point at on declared pages, without those from the payload."""
    found = {}
    for name, page in pages().items():
        for tab, question in page.openings().items():
            ours = set().union(*points_of(name, question, {}).get(kind, []))
            found[f"{name} {tab}"] = ours - {arm.name for arm in getattr(question, "arms", ())}
    return found


@pytest.mark.parametrize("table", [declared("curve"), declared("slider")], ids=["curves", "sliders"])
def test_names_are_those_that_the_scripts_write(table):
    scripts = "".join(file.read_text() for file in sorted(VIEWS.rglob("*.js")))
    for noun in ("letter", "tag"):
        scripts += "".join(line for line in scripts.splitlines() if "noun}s" in line).replace(
            "${view.payload.noun}", noun
        )
    said = {name for names in table.values() for name in names}
    named = {"letter", "tag", "round", "trial", "letters remembered", "words remembered"}  # defined by the payload
    assert [name for name in sorted(said - named) if f'"{name}"' not in scripts and f"`{name}`" not in scripts] == []


def test_parts_of_pages_and_figures_are_those_that_the_scripts_know():
    parts = (VIEWS / "lesson" / "parts.js").read_text().split("const PARTS = {")[1].split("};")[0]
    assert tuple(re.findall(r"^  (\w+):", parts, re.MULTILINE)) == PARTS
    figures = (VIEWS / "lesson" / "step_figures.js").read_text().split("const FIGURES = { ")[1].split(" };")[0]
    assert [name.split(":")[0] for name in figures.split(", ")] == [*FIGURES]


def test_a_task_is_judged_in_a_link_that_its_page_would_write_otherwise():
    step = lesson_named("cipher").steps[6]
    asked = step.view.query | {"pins": "Z-e", "runs": "rcms:60,beam:60"}
    assert judge(step.task, step.view, {"page": "decipher", "query": asked}) == (True, "")
    assert judge(step.task, step.view, {"page": "decipher", "query": asked | {"pins": "Z-a"}})[0] is False
