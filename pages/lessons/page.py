"""Lessons: the course with the reader's progress, and the reader's own lessons."""

from typing import Any

import streamlit as st

from pages.shell import dock, text_store
from pages.shell.rerun import rerun
from pages.shell.text import escape_markdown, sentence
from pages.shell.uploads import draw_uploader, text_of_upload
from rcmviz import lessons
from rcmviz.lessons import Lesson
from rcmviz.lessons.talk import talk_of
from rcmviz.views.shared.component import lessons as lesson_list

LONGEST = 200_000  # characters of a lesson
TALK, EXPORTED = "lessons.talk.opened", "lessons.talk.file"  # in the session: a talk from a file, an exported talk


def _list_entry(lesson: Lesson) -> dict[str, Any]:
    """Return the entry of a lesson in the list."""
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
    """Store an own lesson on this computer, and begin it."""
    if len(text) > LONGEST:
        raise ValueError(f"{file} has {len(text):,} characters; at most {LONGEST:,} are allowed: divide it")
    lessons.parse_lesson(text, file)
    dock.begin(text_store.TEXTS.keep(text))


def show() -> None:
    """Show the page."""
    st.title("Lessons")
    st.markdown(
        "Each lesson asks one question and answers it with the pages of this application. It is shown next to the "
        "page; you step, predict and try things yourself. Your browser remembers your progress."
    )
    _draw_course()
    st.subheader("Your own lesson")
    st.markdown(
        "A lesson is a text file with a title, a question, and steps. Each step links to a view and explains something "
        "about it; some have a task. Begin with the template and change it."
    )
    _draw_own()


def _draw_course() -> None:
    listed = [_list_entry(lesson) for lesson in lessons.course()]
    shown = lesson_list({"lessons": listed, "talk": st.session_state.get(TALK)}, key="lessons.list")
    if shown.talk:
        try:
            _use_talk(shown.talk["what"], shown.talk["text"])
        except ValueError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
    if EXPORTED in st.session_state:
        st.download_button(
            "Download talk.html",
            st.session_state[EXPORTED],
            "talk.html",
            "text/html",
            on_click="ignore",
            icon=":material/download:",
            key="lessons.talk.download",
            help="One file that presents itself, without a server.",
        )
    if shown.open:
        try:
            dock.begin(shown.open["name"], shown.open["part"])
        except ValueError as error:
            st.error(sentence(error), icon=":material/error:")


def _use_talk(what: str, text: str) -> None:
    """Present, export or open a talk, the text of a lesson; ValueError names the fault."""
    if what == "open":
        number = st.session_state.get(TALK, {"number": 0})["number"] + 1
        st.session_state[TALK] = {"number": number} | talk_of(text, "the file")
        rerun()
    lesson = lessons.parse_lesson(text, "your talk")
    if what == "export":
        from pages.lessons.exporting import export_lesson  # imports all pages

        with st.spinner("Computing the views"):
            st.session_state[EXPORTED] = export_lesson(lesson, presents=True)
    else:
        dock.begin(text_store.TEXTS.keep(text), presents=True)


def _draw_own() -> None:
    """Draw the template, and the two inputs of an own lesson: a file, or a text box."""
    template, upload = st.columns([3, 7], vertical_alignment="center")
    template.download_button(
        "Template",
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
        opened = st.button("Open it", key="lessons.open", icon=":material/arrow_forward:")
    if file is not None or opened:
        name = file.name if file is not None and not opened else "your lesson"
        try:
            open_own(text_of_upload(name, file.getvalue()) if name != "your lesson" else text, name)
        except ValueError as error:
            st.error(escape_markdown(str(error)), icon=":material/error:")
