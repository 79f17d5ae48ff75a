"""The lesson next to the page: which one this session reads, and the requests of its dock.

``lesson`` and ``part`` are in the link of every page. The browser moves between steps by itself and requests the rest:
another view, the condition of a task, a verdict on a reader's view.
"""

import streamlit as st

from pages.shell import text_store
from pages.shell.fragment import fragment
from pages.shell.link import EVERYWHERE
from pages.shell.registry import nav_entries
from pages.shell.rerun import rerun
from pages.shell.text import as_sentence, escape_markdown, sentence
from rcmviz import lessons
from rcmviz.views.shared.component import lesson as dock

KEY, PLACE = "lesson.dock", "lesson-place"
OF_LESSON = ("lesson", "part")  # parameters of the link
# The component takes no room in the page: it is fixed to the window. While a page runs, Streamlit fades elements that
# may be old; a faded dock would lie below the page.
STYLE = (
    f"<style>.st-key-{PLACE}{{position:absolute;width:0;height:0;gap:0}}"
    f".st-key-{PLACE} [data-testid=stElementContainer]{{opacity:1!important;transition:none!important}}</style>"
)


def begin(name, part=1, presents=False):
    """Leave this page for the view of a lesson's step, in present mode if it ``presents``.

    ``name`` is the lesson in the link.
    """
    steps = find(name).steps
    view = steps[min(part, len(steps)) - 1].view
    st.session_state["lesson"] = name
    query = {"present": "1"} | view.query if presents else view.query
    _open_view(view.page, query, name, part)


def find(name):
    """Return the lesson that a link names; ValueError if it is missing."""
    if text_store.is_stored_name(name):
        return lessons.parse_lesson(text_store.expand(name), "your lesson")
    return lessons.lesson_named(name)


def show(here):
    """Draw the dock next to the page ``here`` if this session reads a lesson; returns that lesson, or None."""
    reads = st.session_state.get("lesson")
    name = st.query_params.get("lesson", reads)
    lesson = name and _find_or_refuse(name, here)
    _show_refusal(here)
    if not lesson:
        return None
    part = _current_part(lesson)
    st.session_state["lesson"], st.session_state["lesson.part"] = name, part
    if name != reads and not set(st.query_params) - set(EVERYWHERE):  # a link to the lesson, not to a view
        begin(name, part)
    _write_lesson_link(name, part)
    with st.container(key=PLACE):
        st.html(STYLE)
        _draw_dock(name, lesson, here)
    return lesson


def _find_or_refuse(name, here):
    try:
        return find(name)
    except ValueError as error:
        _end()
        st.session_state["lesson.refused"] = here, sentence(error)
        return None


def _show_refusal(here):
    """Show why a lesson or its view is missing, until another page is opened."""
    at, message = st.session_state.get("lesson.refused", (None, None))
    if at == here:
        st.warning(message, icon=":material/link_off:")


def _current_part(lesson):
    """Return the step in the link, else the last one that was read."""
    part = st.query_params.get("part", str(st.session_state.get("lesson.part", 1)))
    return min(max(1, int(part[:9])), len(lesson.steps)) if part.isdecimal() else 1


def _write_lesson_link(name, part):
    """Write the lesson to the link: links of the navigation have no parameters."""
    for key, value in {"lesson": name, "part": str(part)}.items():
        if st.query_params.get(key) != value:
            st.query_params[key] = value


@fragment  # requests of the dock run nothing else of the page
def _draw_dock(name, lesson, here):
    request = (st.session_state.get(KEY) or {}).get("asked") or {"number": 0, "part": None, "state": None}
    shown = dock(
        {
            "name": name,
            "lesson": _payload(lesson) | {"name": name, "next": _next(lesson)},
            "page": here or nav_entries()[0].name,
            "part": st.session_state["lesson.part"],
            "number": max(request["number"], st.session_state.get("lesson.opened", 0)),
            "opened": st.session_state.get("lesson.opened", 0),
            "conditions": {str(part): _condition(lesson, part) for part in _wanted_parts(lesson, request["part"])},
            "checked": _last_verdict(lesson, request),
        },
        key=KEY,
    )
    if shown.leave:
        _leave(shown.leave)
    if shown.open:
        _follow(shown.open, name)


def _payload(lesson):
    """Return the payload of a lesson; its figures import the pages that they are about, so they come late."""
    if not any(step.figure for step in lesson.steps):
        return lesson.payload()
    from pages.lessons.step_figures import with_figures

    return with_figures(lesson)


def _next(lesson):
    """Return the next lesson of the course, or None."""
    course = lessons.course()
    following = course[lesson.number : lesson.number + 1] if lesson.number else ()
    return {"name": following[0].name, "title": following[0].title} if following else None


def _wanted_parts(lesson, part):
    """Return the parts whose condition is wanted: a part and the next one."""
    parts = () if part is None else (part, part + 1)
    return [one for one in parts if one <= len(lesson.steps) and lesson.steps[one - 1].task]


def _condition(lesson, part):
    """Return the condition of a part's task; ``{"refused": why}`` if the engine cannot evaluate it."""
    try:
        return _tasks_module().condition_of(lesson, part)
    except ValueError as error:
        return {"refused": as_sentence(error)}


def _last_verdict(lesson, request):
    """Return the last verdict that was requested, ``{"number", "part", "done", "said"}``, or None."""
    if request["state"] is None:
        return None
    known = st.session_state.get("lesson.checked")
    if known is None or known["number"] != request["number"]:
        done, said = _tasks_module().check_task(lesson, request["part"], request["state"])
        known = {"number": request["number"], "part": request["part"], "done": done, "said": said}
        st.session_state["lesson.checked"] = known
    return known


def _follow(request, name):
    st.session_state["lesson.opened"] = request["number"]
    if "lesson" in request:
        begin(request["lesson"])
    _open_view(request["page"], request["query"], name, request["part"])


def _open_view(page, query, name, part):
    """Open a view, on whatever page, with a part of a lesson next to it."""
    if page not in st.session_state["pages"]:
        st.session_state["lesson.refused"] = (
            st.session_state["page"],
            f"There is no page {escape_markdown(page)} to open.",
        )
        rerun()
    st.session_state["page"] = None  # opens the page again even if it is the current one
    lesson_params = {"lesson": name, "part": str(part)}
    st.switch_page(st.session_state["pages"][page], query_params={**query, **lesson_params})


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


def _tasks_module():
    """Return the module that judges tasks; it imports all pages, so it is imported late."""
    from pages.lessons import tasks

    return tasks
