"""One session's Learn page: its lesson, in the widgets and in the link, and the run that it has started.

The link wins where it was changed from outside, else the widgets win, as on the other pages (state.py). The run lives
in the host of the process; the session and the link know its name, so a page that is left, or loaded again, finds it.
"""

from dataclasses import replace

import streamlit as st

from pages.learn.data import course_of
from pages.learn.settings import FIELDS, PARAMETERS, Lesson, Source, read_lesson, write_lesson
from pages.word.settings import MOST_RUNS, Method
from pages.word.state import NONE, key
from rcmviz.jobs.host import this_host
from rcmviz.learn.settings import Training

PAGE = "learn"
VIEW, RUN, OWNED = "learn.view", "learn.run", "learn.lesson"


def my_run():
    """The run of this session, or None."""
    return this_host().find(st.session_state.get(RUN))


def my_lesson():
    """The lesson that the run of this session was started with, or None."""
    return st.session_state.get(OWNED)


def open_page():
    """(Lesson, notices) of this run of the page."""
    old, incoming = st.session_state.get(VIEW), st.query_params.to_dict()
    entered, notices = st.session_state.pop("page_entered", True), []
    # "Back" from Step comes past that page's parameters behind this page's name (linked.py).
    foreign = old is not None and set(incoming) - PARAMETERS
    if old is None or (incoming and entered and not foreign):
        lesson, notices = read_lesson(incoming)
        _find_run(incoming.get("run"), lesson)
    elif entered:
        lesson = old[0]
    else:
        lesson = _from_widgets(old[0])
        if incoming != old[1] and lesson == old[0] and not foreign:
            (lesson, notices), entered = read_lesson(incoming), True
            _find_run(incoming.get("run"), lesson)
    for name, value in _widget_values(lesson).items():
        if entered or old is None:
            st.session_state[key(PAGE, name)] = value
        else:
            st.session_state.setdefault(key(PAGE, name), value)
    keep(lesson)
    return lesson, notices


def keep(lesson):
    """Keep the lesson and write it to the link."""
    run = st.session_state.get(RUN)
    query = write_lesson(lesson) | ({"run": run} if run else {})
    st.session_state[VIEW] = lesson, query
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def _find_run(name, lesson):
    """A link may name a run that this tab has lost."""
    run = this_host().find(name)
    same = run is not None and run.source == str(lesson.source)
    if same and [live.settings for live in run.lives] == list(lesson.trainings):
        st.session_state[RUN], st.session_state[OWNED] = name, lesson


def start(lesson):
    """A new run of the lesson, paused, in place of the one before; ValueError says why not."""
    course = course_of(lesson.source)
    run = this_host().open(
        str(lesson.source), course.train, lesson.trainings, course.held_out,
        replaces=st.session_state.get(RUN), info=course.info,
    )  # fmt: skip
    st.session_state[RUN], st.session_state[OWNED] = run.name, lesson
    keep(replace(lesson, step=None))
    return run


def has_changed(lesson):
    """Whether the settings are other ones than those of the run."""
    owned = my_lesson()
    return owned is None or (owned.source, owned.trainings) != (lesson.source, lesson.trainings)


def choose(**changes):
    """Another word or step to look at."""
    keep(replace(st.session_state[VIEW][0], **changes))


def _widget_values(lesson):
    source, shared = lesson.source, lesson.shared
    values = {"source": source.kind, "words": source.words, "pen": source.seed, "noise": source.noise}
    if source.kind == "upload":
        values["digest"] = source.upload
    values |= {field: getattr(shared, field) for field in FIELDS.values()}
    for number, method in enumerate([*lesson.methods, *[None] * MOST_RUNS][:MOST_RUNS]):
        values[f"kind.{number}"] = method.kind if method else NONE
        values[f"budget.{number}"] = method.budget if method else 10
    return values


def _from_widgets(lesson):
    """The lesson as the widgets show it now; what has no widget stays as it was."""

    before = _widget_values(lesson)  # of widgets that were not drawn: those of methods wait for a file

    def shown(name, otherwise):
        value = st.session_state.get(key(PAGE, name), otherwise)
        return otherwise if value is None else value

    old = lesson.source
    kind = shown("source", old.kind)
    upload = st.session_state.get(key(PAGE, "digest"), old.upload)
    pen = (shown("words", old.words), shown("pen", old.seed), shown("noise", old.noise)) if kind == "pen" else ()
    source = Source(kind, *pen) if kind != "upload" else Source(kind, upload=upload)
    shared = Training(**{field: shown(field, getattr(lesson.shared, field)) for field in FIELDS.values()})
    kinds = [shown(name, before[name]) for name in (f"kind.{number}" for number in range(MOST_RUNS))]
    methods = [
        Method(kind) if kind == "exact" else Method(kind, int(shown(f"budget.{number}", before[f"budget.{number}"])))
        for number, kind in enumerate(kinds)
        if kind != NONE
    ]
    word = lesson.word if source == old else 0
    return Lesson(source, tuple(dict.fromkeys(methods)), shared, word, lesson.step)
