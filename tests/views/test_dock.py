"""The dock of a lesson outlives its element, which Streamlit may replace while a page runs."""

import pytest

from pages.lessons import tasks
from rcmviz import lessons
from rcmviz.views.shared.assets import script
from support.browser import chromium, page_of  # noqa: F401
from support.mounted import recording_page

TEXT = """---
title: Two words
question: Which?
minutes: 1
---
A choice.

## One
view: step?word=consider

```task choose
ask: Which of them?
options: this | that
answer: "that"
right: Yes.
wrong: No.
```
"""


@pytest.fixture
def payload():
    lesson = lessons.parse_lesson(TEXT, "a test")
    place = {"name": "two", "page": "step", "part": 1, "number": 0, "opened": 0, "checked": None}
    return place | {
        "lesson": lesson.payload() | {"name": "two", "next": None},
        "conditions": {"1": tasks.condition_of(lesson, 1)},
    }


@pytest.fixture
def page(page_of):  # noqa: F811
    watched = page_of("about:blank")
    yield recording_page(watched, script("lesson"), "rcmvizLesson")
    assert watched.errors == []


def state(page):
    return page.locator(".rv-lesson").get_attribute("data-task")


def test_a_replaced_element_keeps_what_the_reader_did(page, payload):
    page.evaluate("data => draw(data)", payload)
    page.locator(".rv-choice").first.click()
    assert state(page) == "tried"
    page.evaluate("data => { leave(); draw(data); }", payload)
    assert state(page) == "tried"
    page.get_by_role("button", name="leave the lesson").click()
    page.evaluate("data => { leave(); draw(data); }", payload)
    assert state(page) == "open"
