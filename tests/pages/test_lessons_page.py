"""Lessons next to the pages: the list with its progress, links that keep the lesson."""

import re

import pytest

from pages.shell.text_store import TEXTS
from rcmviz.lessons import TEMPLATE
from rcmviz.lessons.points import POINTS
from rcmviz.views.shared.assets import FOLDER
from support.pages import link_of, opened, switch_page, texts

TEXT = TEMPLATE.read_text(encoding="utf-8")


@pytest.fixture
def name():
    """The template as a user's lesson."""
    return TEXTS.keep(TEXT)


def test_the_link_of_every_page_keeps_the_lesson(name):
    session = opened("step/page.py", lesson=name, part="2", word="act")
    assert not session.exception and not session.warning
    assert link_of(session).items() >= {"lesson": name, "part": "2", "word": "act"}.items()
    session.text_input(key="step.text.pen").set_value("cat").run()
    assert link_of(session).items() >= {"lesson": name, "part": "2", "word": "cat"}.items()
    session.query_params.clear()
    switch_page(session, "learn/page.py").run()  # as the navigation does, without parameters
    assert link_of(session).items() >= {"lesson": name, "part": "2"}.items()
    assert not session.exception and not session.warning


def test_a_link_to_a_lesson_opens_the_view_of_its_part(name):
    session = opened("home/page.py", lesson=name, part="2")
    assert link_of(session).items() >= {"lesson": name, "part": "2", "word": "consider", "pos": "1"}.items()


def test_a_lesson_that_is_not_there_costs_a_sentence():
    session = opened("step/page.py", lesson="levitation")
    assert "levitation" in texts(session.warning)
    assert "lesson" not in link_of(session)


def test_an_error_in_a_users_lesson_names_its_line():
    session = opened("lessons/page.py")
    session.text_area(key="lessons.text").set_value(TEXT.replace("task choose", "task sing"))
    session.button(key="lessons.open").click().run()
    line = TEXT[: TEXT.index("task choose")].count("\n") + 1
    assert f"your lesson:{line}:" in texts(session.error).replace("\\", "")
    assert not session.exception


def test_every_target_of_a_lesson_can_be_found():
    script = (FOLDER / "lesson/pointing.js").read_text(encoding="utf-8")
    table = script[script.index("const KINDS = {") : script.index("\n};")]
    assert set(re.findall(r"^  (\w+):", table, re.MULTILINE)) == set(POINTS)
