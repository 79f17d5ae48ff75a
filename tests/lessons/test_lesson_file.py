"""A lesson as one file: steps, questions and tasks offline, and notes on what needs the application."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import pytest

from pages.lessons.exporting import export_lesson
from rcmviz.lessons import TEMPLATE, LessonError, parse_lesson, read_lesson
from rcmviz.lessons.talk import talk_of
from support.browser import chromium, faults, page_of, saved  # noqa: F401

DRAWN = ".rv-dock"
OTHERS = """---
title: Other pages
question: What else can be drawn?
minutes: 1
---

## A search
view: search?view=search&step=2

Search opens at its second step.

```task until
ask: Go to the fourth step.
until: step == 4
solution: step=4
```

## A training
view: align?tab=learning

This one runs in the application.
"""


@pytest.fixture(scope="module")
def exported():
    return export_lesson(read_lesson(TEMPLATE))


def standing(page, **expected):
    """Wait until the lesson's dock is in a state, given as its data attributes."""
    state = "".join(f'[data-{name}="{value}"]' for name, value in expected.items())
    page.wait_for_selector(f".rv-lesson{state}", state="attached")


def test_a_lesson_from_the_template_is_learnt_offline_by_its_tasks_each_failed_once(exported, saved):
    page = saved(exported, DRAWN)
    assert page.locator("h1").first.inner_text() == "One step past the edge"
    standing(page, part=1, task="none")
    assert page.locator(".rv-player").get_attribute("data-position") == "4"
    page.keyboard.press("PageDown")
    standing(page, part=2, task="open")
    page.wait_for_selector(".rv-player[data-position='1']")
    for _ in range(2):  # to the end of this position, and of the next one
        page.keyboard.press("Shift+ArrowRight")
    standing(page, task="tried")
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    standing(page, task="done")
    page.keyboard.press("PageDown")
    standing(page, part=3, task="open")
    page.keyboard.press("1")
    standing(page, task="tried")
    page.keyboard.press("2")
    standing(page, task="done")
    page.keyboard.press("PageDown")
    standing(page, part=4, task="open")
    offered = page.locator(".rv-task-ways button")
    names = [offered.nth(k).inner_text() for k in range(offered.count())]
    assert names == ["word exactly, seed 14", "word knowing, seed 9", "word presentation, seed 3"]
    offered.nth(0).click()
    standing(page, task="tried")
    offered.nth(1).click()
    standing(page, task="done")
    assert faults(page) == []


def test_a_file_opens_at_the_step_that_its_address_asks_for(exported, saved):
    page = saved(exported, DRAWN, query="?part=2", reduced_motion="reduce")
    standing(page, part=2)
    page.wait_for_selector(".rv-player[data-position='1']")
    page.keyboard.press("PageUp")
    standing(page, part=1)
    page.wait_for_selector(".rv-player[data-position='4']")


def test_other_pages_are_drawn_and_what_needs_the_application_is_named(saved):
    page = saved(export_lesson(parse_lesson(OTHERS)), DRAWN, query="?part=1")
    page.wait_for_selector(".rv-lesson-stage .rv-player[data-ready=true]")
    standing(page, part=1, task="open")
    page.keyboard.press("ArrowRight")
    standing(page, task="tried")
    page.keyboard.press("ArrowRight")
    standing(page, task="done")
    page.keyboard.press("PageDown")
    standing(page, part=2, task="none")
    said = page.locator(".rv-lesson-missing").inner_text()
    assert "needs the application" in said and "align?tab=learning" in said


def test_a_lesson_opens_as_a_talk_with_whole_links_and_its_notes():
    talk = talk_of(TEMPLATE.read_text(encoding="utf-8"))
    assert talk["minutes"] == 5 and [step["title"] for step in talk["steps"]][:1] == ["The same word, read twice"]
    assert talk["steps"][1]["link"].startswith("compare?") and "pos=1" in talk["steps"][1]["link"]
    assert (
        talk["steps"][1]["note"].startswith("The word that was written") and "```task until" in talk["steps"][1]["note"]
    )
    with pytest.raises(LessonError, match="the file:1"):
        talk_of("no header", "the file")
