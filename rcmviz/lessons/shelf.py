"""The lessons that come with rcmviz, in their order, and the template of a new one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rcmviz.lessons.lesson import Lesson
from rcmviz.lessons.reader import read_lesson

_HERE = Path(__file__).parent
COURSE = _HERE / "course"  # 01-….md, 02-….md
TEMPLATE = _HERE / "template.md"


@cache
def course() -> tuple[Lesson, ...]:
    """The lessons of the course, in their order."""
    lessons = map(read_lesson, COURSE.glob("*.md"))
    return tuple(sorted(lessons, key=lambda lesson: (lesson.number or 0, lesson.name)))


def lesson_named(name: str) -> Lesson:
    """A lesson of the course by the name that links have for it; ValueError lists those that there are."""
    for lesson in course():
        if lesson.name == name:
            return lesson
    raise ValueError(f"there is no lesson {name!r} in the course; there are {', '.join(one.name for one in course())}")
