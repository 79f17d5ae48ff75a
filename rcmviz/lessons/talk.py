"""A talk: the steps of a lesson as views with notes, for the editor of the page Lessons."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from rcmviz.lessons.reader import parse_lesson

NO_NOTE = "No note."


def talk_of(text: str, file: str = "talk.md") -> dict[str, Any]:
    """Return a lesson as a talk: ``title``, ``minutes`` and ``steps``, each {"title", "link", "note"}.

    A note is the Markdown of its step, with a task as it is written; links are complete.

    Raises
    ------
    LessonError
        A syntax error, with file and line.

    Examples
    --------
    >>> text = "---\\ntitle: One\\nquestion: Why?\\nminutes: 1\\n---\\n\\n## Here\\nview: step?pos=2\\n\\nLook."
    >>> talk_of(text)["steps"]
    [{'title': 'Here', 'link': 'step?pos=2', 'note': 'Look.'}]
    """
    lesson = parse_lesson(text, file)
    lines = text.removeprefix("\ufeff").splitlines()
    ends = [*(step.line - 1 for step in lesson.steps[1:]), len(lines)]
    steps = [
        {"title": step.title, "link": _link(step.view), "note": _note(lines[step.line : end])}
        for step, end in zip(lesson.steps, ends, strict=True)
    ]
    return {"title": lesson.title, "minutes": lesson.minutes, "steps": steps}


def _link(view):
    return f"{view.page}?{urlencode(view.query)}" if view.query else view.page


def _note(lines):
    """The text of a step below its fields."""
    body = next((k for k, line in enumerate(lines) if not line.strip()), len(lines))
    note = "\n".join(lines[body:]).strip()
    return "" if note == NO_NOTE else note
