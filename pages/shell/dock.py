"""The lesson beside the page: which one this session reads, and what its dock asks for.

``lesson`` and ``part`` stand in the link of every page. The browser moves from step to step by itself and asks for what
it cannot do: another view, what decides a task, a verdict on what a reader made.
"""

import streamlit as st

from pages.shell import kept
from pages.shell.fragment import fragment
from pages.shell.link import EVERYWHERE
from pages.shell.registry import nav_entries
from pages.shell.rerun import rerun
from pages.shell.text import plain, sentence, spoken
from rcmviz import lessons
from rcmviz.views.shared.component import lesson as dock

KEY, PLACE = "lesson.dock", "lesson-place"
OF_LESSON = ("lesson", "part")  # parameters of the link
# The component stands in the page without taking room there: what it shows is fixed to the window. While a page runs,
# Streamlit fades what may be old; the dock is not, and one that is faded would lie below the page.
STYLE = (
    f"<style>.st-key-{PLACE}{{position:absolute;width:0;height:0;gap:0}}"
    f".st-key-{PLACE} [data-testid=stElementContainer]{{opacity:1!important;transition:none!important}}</style>"
)


def begin(name, part=1):
    """Leave this page for the view of a lesson's step; ``name`` as the link has it."""
    steps = find(name).steps
    view = steps[min(part, len(steps)) - 1].view
    st.session_state["lesson"] = name
    _open(view.page, view.query, name, part)


def find(name):
    """The lesson that a link names; ValueError where there is none."""
    if kept.is_name(name):
        return lessons.parse_lesson(kept.found(name), "your lesson")
    return lessons.lesson_named(name)


def show(here):
    """The dock, where this session reads a lesson; ``here`` is the page that it stands beside. Returns that lesson."""
    reads = st.session_state.get("lesson")
    name = st.query_params.get("lesson", reads)
    lesson = name and _found(name, here)
    _show_refusal(here)
    if not lesson:
        return None
    part = _part(lesson)
    st.session_state["lesson"], st.session_state["lesson.part"] = name, part
    if name != reads and not set(st.query_params) - set(EVERYWHERE):  # a link to the lesson, not to a view
        begin(name, part)
    _say(name, part)
    with st.container(key=PLACE):
        st.html(STYLE)
        _dock(name, lesson, here)
    return lesson


def _found(name, here):
    try:
        return find(name)
    except ValueError as error:
        _end()
        st.session_state["lesson.refused"] = here, sentence(error)
        return None


def _show_refusal(here):
    """Why there is no such lesson, or view of it, until another page is opened: a page also runs again by itself."""
    at, said = st.session_state.get("lesson.refused", (None, None))
    if at == here:
        st.warning(said, icon=":material/link_off:")


def _part(lesson):
    """The step that the link says, else the one that was read last."""
    said = st.query_params.get("part", str(st.session_state.get("lesson.part", 1)))
    return min(max(1, int(said[:9])), len(lesson.steps)) if said.isdecimal() else 1


def _say(name, part):
    """The navigation leads to pages without parameters: the lesson goes along."""
    for key, value in {"lesson": name, "part": str(part)}.items():
        if st.query_params.get(key) != value:
            st.query_params[key] = value


@fragment  # what the dock asks for runs nothing of the page
def _dock(name, lesson, here):
    asked = (st.session_state.get(KEY) or {}).get("asked") or {"number": 0, "part": None, "state": None}
    shown = dock(
        {
            "name": name,
            "lesson": lesson.payload() | {"name": name, "next": _next(lesson)},
            "page": here or nav_entries()[0].name,
            "part": st.session_state["lesson.part"],
            "number": max(asked["number"], st.session_state.get("lesson.opened", 0)),
            "opened": st.session_state.get("lesson.opened", 0),
            "conditions": {str(part): _condition(lesson, part) for part in _asked_parts(lesson, asked["part"])},
            "checked": _checked(lesson, asked),
        },
        key=KEY,
    )
    if shown.leave:
        _leave(shown.leave)
    if shown.open:
        _follow(shown.open, name)


def _next(lesson):
    """The lesson after one of the course."""
    course = lessons.course()
    following = course[lesson.number : lesson.number + 1] if lesson.number else ()
    return {"name": following[0].name, "title": following[0].title} if following else None


def _asked_parts(lesson, part):
    """Where what decides a task is wanted: a part and the one after it."""
    parts = () if part is None else (part, part + 1)
    return [one for one in parts if one <= len(lesson.steps) and lesson.steps[one - 1].task]


def _condition(lesson, part):
    """What decides the task of a part; ``{"refused": why}`` where the engine cannot say it."""
    try:
        return _tasks().condition_of(lesson, part)
    except ValueError as error:
        return {"refused": spoken(error)}


def _checked(lesson, asked):
    """The verdict that was asked for last, ``{"number", "part", "done", "said"}``, or None."""
    if asked["state"] is None:
        return None
    known = st.session_state.get("lesson.checked")
    if known is None or known["number"] != asked["number"]:
        done, said = _tasks().check_task(lesson, asked["part"], asked["state"])
        known = {"number": asked["number"], "part": asked["part"], "done": done, "said": said}
        st.session_state["lesson.checked"] = known
    return known


def _follow(asked, name):
    st.session_state["lesson.opened"] = asked["number"]
    if "lesson" in asked:
        begin(asked["lesson"])
    _open(asked["page"], asked["query"], name, asked["part"])


def _open(page, query, name, part):
    """Show a view anew, on whatever page, with a part of a lesson beside it."""
    if page not in st.session_state["pages"]:
        st.session_state["lesson.refused"] = st.session_state["page"], f"There is no page {plain(page)} to open."
        rerun()
    st.session_state["page"] = None  # entered anew, also where it is the page that is left
    beside = {"lesson": name, "part": str(part)}
    st.switch_page(st.session_state["pages"][page], query_params={**query, **beside})


def _leave(to):
    _end()
    if to == "lessons":
        st.switch_page(st.session_state["pages"]["lessons"])
    rerun()


def _end():
    for name in ("lesson", "lesson.part", "lesson.checked"):
        st.session_state.pop(name, None)
    for name in OF_LESSON:
        st.query_params.pop(name, None)


def _tasks():
    """What judges tasks: it imports all pages, half of what a first view imported."""
    from pages.lessons import tasks

    return tasks
