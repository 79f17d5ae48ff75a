"""Lessons beside the pages: the dock walked through as a student would, the list that remembers, links that keep it."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)

import re

import pytest

from pages.shared.kept import KEPT
from rcmviz.lessons import TEMPLATE
from rcmviz.lessons.points import POINTS
from rcmviz.views.shared.assets import FOLDER
from support.browser import chromium, faults, page_of, query, serious, settled, show, wait_for_link  # noqa: F401
from support.pages import link_of, opened, texts

TEXT = TEMPLATE.read_text(encoding="utf-8")
LIST = "[data-testid=stExpander]"


@pytest.fixture
def name():
    """The template as a lesson of one's own."""
    return KEPT.keep(TEXT)


def at(page, **marks):
    """Wait until the dock says so."""
    wanted = "".join(f'[data-{mark}="{value}"]' for mark, value in marks.items())
    page.wait_for_selector(f".rv-lesson{wanted}", state="attached")


def test_a_lesson_written_from_the_template_is_walked_through(show):
    page = show("lessons", LIST)
    assert serious(page) == []
    page.get_by_text("Or write it here").click()
    page.get_by_role("button", name="Open it").click()
    at(page, part=1, task="none")
    settled(page)
    assert query(page)["word"] == "consider"
    page.wait_for_selector(".rv-ring")  # around what the step points at
    at(page, part=1)

    page.keyboard.press("PageDown")  # as a clicker does
    page.wait_for_selector('.rv-player[data-position="1"]')
    assert page.locator(".rv-task-verdict").inner_text() == ""
    at(page, part=2, task="open", judges="")
    page.keyboard.press("ArrowRight")
    at(page, part=2, task="tried")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    at(page, part=2, task="done")
    page.locator(".rv-dock-point").hover()
    page.wait_for_selector(".rv-ring")

    page.keyboard.press("n")
    at(page, part=3, judges="")
    for choice, becomes in ("1", "tried"), ("2", "done"):
        page.keyboard.press(choice)
        at(page, part=3, task=becomes)
    assert faults(page) == []

    page.set_viewport_size({"width": 1280, "height": 900})
    page.keyboard.press("n")
    at(page, part=4, judges="")
    page.get_by_label("Word", exact=True).fill("exactly")
    page.keyboard.press("Enter")
    at(page, part=4, task="tried")  # what the browser cannot know, the engine says
    page.get_by_role("button", name="Show me").click()
    at(page, part=4, task="done")
    wait_for_link(page, word="knowing", part=4)
    page.reload()
    settled(page)
    at(page, part=4, task="done")
    assert query(page)["word"] == "knowing"
    page.get_by_role("button", name="All lessons").first.click()
    page.wait_for_selector('.rv-course-card[data-state="read"]')
    assert page.locator(".rv-dock").count() == 0
    assert "lesson" not in query(page)


def test_the_link_of_every_page_keeps_the_lesson(name):
    session = opened("step/page.py", lesson=name, part="2", word="act")
    assert not session.exception and not session.warning
    assert link_of(session).items() >= {"lesson": name, "part": "2", "word": "act"}.items()
    session.text_input(key="step.text.pen").set_value("cat").run()
    assert link_of(session).items() >= {"lesson": name, "part": "2", "word": "cat"}.items()
    session.query_params.clear()
    session.switch_page("learn/page.py").run()  # as the navigation does, without parameters
    assert link_of(session).items() >= {"lesson": name, "part": "2"}.items()
    assert not session.exception and not session.warning


def test_a_link_to_a_lesson_opens_the_view_of_its_part(name):
    session = opened("home/page.py", lesson=name, part="2")
    assert link_of(session).items() >= {"lesson": name, "part": "2", "word": "consider", "pos": "1"}.items()


def test_a_lesson_that_is_not_there_costs_a_sentence():
    session = opened("step/page.py", lesson="levitation")
    assert "levitation" in texts(session.warning)
    assert "lesson" not in link_of(session)


def test_a_mistake_in_a_lesson_of_ones_own_is_said_with_its_line():
    session = opened("lessons/page.py")
    session.text_area(key="lessons.text").set_value(TEXT.replace("task choose", "task sing"))
    session.button(key="lessons.open").click().run()
    line = TEXT[: TEXT.index("task choose")].count("\n") + 1
    assert f"your lesson:{line}:" in texts(session.error).replace("\\", "")
    assert not session.exception


def test_what_a_lesson_may_point_at_is_what_the_dock_can_find():
    script = (FOLDER / "lesson/pointing.js").read_text(encoding="utf-8")
    table = script[script.index("const KINDS = {") : script.index("\n};")]
    assert set(re.findall(r"^  (\w+):", table, re.MULTILINE)) == set(POINTS)
