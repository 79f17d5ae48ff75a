"""Lessons: the course, how far a reader is in it, and lessons of one's own."""

from typing import Any

import streamlit as st

from pages.shell import dock, text_store
from pages.shell.text import plain, sentence
from pages.shell.uploads import decoded, draw_uploader
from rcmviz import lessons
from rcmviz.lessons import Lesson
from rcmviz.views.shared.component import lessons as lesson_list

LONGEST = 200_000  # characters of a lesson


def _described(lesson: Lesson) -> dict[str, Any]:
    """A lesson as the list shows it."""
    return {
        "name": lesson.name,
        "number": lesson.number,
        "title": lesson.title,
        "question": lesson.question,
        "minutes": lesson.minutes,
        "steps": len(lesson.steps),
        "tasks": sum(1 for step in lesson.steps if step.task),
    }


def open_own(text: str, file: str) -> None:
    """Keep a lesson of one's own on this computer, and begin it."""
    if len(text) > LONGEST:
        raise ValueError(f"{file} has {len(text):,} characters; a lesson may have {LONGEST:,}: divide it into several")
    lessons.parse_lesson(text, file)
    dock.begin(text_store.TEXTS.keep(text))


def show() -> None:
    """Show the page."""
    st.title("Lessons")
    st.markdown(
        "Each lesson asks one question and answers it with the real pages of this application. It stands beside the "
        "page; you step, predict and try things yourself. Your browser remembers how far you are."
    )
    _draw_course()
    st.subheader("A lesson of your own")
    st.markdown(
        "A lesson is a text file: a title, a question, and steps. Each step names a view by its link and says "
        "something about it; some have a task. Begin with the template and change it."
    )
    _draw_own()


def _draw_course() -> None:
    shown = lesson_list({"lessons": [_described(lesson) for lesson in lessons.course()]}, key="lessons.list")
    if shown.open:
        try:
            dock.begin(shown.open["name"], shown.open["part"])
        except ValueError as error:
            st.error(sentence(error), icon=":material/error:")


def _draw_own() -> None:
    """The template, and the ways in for a lesson of one's own: a file, or a box to write in."""
    template, upload = st.columns([3, 7], vertical_alignment="center")
    template.download_button(
        "The template",
        lessons.TEMPLATE.read_text(encoding="utf-8"),
        "lesson.md",
        "text/markdown",
        on_click="ignore",
        icon=":material/download:",
        key="lessons.template",
        help="A short lesson that works, with one task of each kind.",
    )
    file = draw_uploader(upload, "A lesson (.md)", ["md", "txt"], 1, key="lessons.file")
    with st.expander("Or write it here"):
        text = st.text_area(
            "The text of a lesson", lessons.TEMPLATE.read_text(encoding="utf-8"), height=320, key="lessons.text"
        )
        asked = st.button("Open it", key="lessons.open", icon=":material/arrow_forward:")
    if file is not None or asked:
        name = file.name if file is not None and not asked else "your lesson"
        try:
            open_own(decoded(name, file.getvalue()) if name != "your lesson" else text, name)
        except ValueError as error:
            st.error(plain(str(error)), icon=":material/error:")
