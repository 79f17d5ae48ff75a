"""Rendered lessons contain no Markdown marks."""

import re

import pytest

from rcmviz import lessons

HEADER = "---\ntitle: A\nquestion: Why?\nminutes: 5\n---\n\n## Here\nview: step\n\n"
OF_TASK = ("ask", "hint", "done", "choices")
MARKS = re.compile(r"[`\\{}]|\*\*")
NAMED = re.compile(r"A\*|^\*\w*$")  # A*, and contexts such as *i


def seen(content, is_code=False):
    """(text, whether it is code) of all that blocks or spans show."""
    if isinstance(content, str):
        yield content, is_code
    elif content and isinstance(content[0], str) and len(content) > 1 and content[0] in KINDS:
        yield from seen(content[1], is_code or content[0] in ("code", "value"))
    else:
        for part in content or ():
            yield from seen(part, is_code)


KINDS = {"p", "list", "steps", "quote", "math", "b", "i", "sub", "sup", "code", "value", "link", "point", "view"}


def texts_of(lesson):
    shown = lesson.payload()
    yield from ((shown[name], False) for name in ("title", "question"))
    yield from seen(shown.get("about"))
    for step in shown["steps"]:
        yield step["title"], False
        yield from seen(step["text"])
        for name in OF_TASK:
            yield from seen((step["task"] or {}).get(name))


@pytest.mark.parametrize("lesson", [*lessons.course(), lessons.read_lesson(lessons.TEMPLATE)], ids=lambda one: one.name)
def test_no_lesson_shows_stray_marks(lesson):
    texts = list(texts_of(lesson))
    assert len(texts) > 20
    for text, is_code in texts:
        assert not MARKS.search(text), text
        assert is_code or "*" not in NAMED.sub("", text), text


@pytest.mark.parametrize(
    "written, spans",
    [
        ("is **q**, that is **p**.", ["is ", ["b", ["q"]], ", that is ", ["b", ["p"]], "."]),
        (r"is **A\***. One is **it**.", ["is ", ["b", ["A*"]], ". One is ", ["b", ["it"]], "."]),
        (r"*A\** and *b*", [["i", ["A*"]], " and ", ["i", ["b"]]]),
        ("**a *b* c**", [["b", ["a ", ["i", ["b"]], " c"]]]),
        ("[`F`](point: row F)", [["point", [["code", "F"]], "row F"]]),
        ("[the `g`](point: row g)", [["point", ["the ", ["code", "g"]], "row g"]]),
        ("2 * 3 and a*b", ["2 * 3 and a*b"]),
    ],
)
def test_marks_become_spans(written, spans):
    lesson = lessons.parse_lesson(HEADER + written + "\n")
    assert lesson.steps[0].text.blocks == [["p", spans]]
