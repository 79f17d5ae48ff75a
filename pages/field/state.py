"""One session's Field page: its question, in the widgets and in the link, and the training that it has started."""

from dataclasses import replace

import streamlit as st

from pages.field.link import FieldQuestion
from pages.field.texts import text_of
from pages.word.what_if import EditedPage
from rcmviz.jobs.fields import FIELD_JOBS, FieldPlan
from rcmviz.jobs.host import this_host

PAGE = EditedPage("field", FieldQuestion())
RUN, OWNED = PAGE.key("run"), PAGE.key("lesson")


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    question, opening, notices = PAGE.open()
    if question.tab == "learning" and question.words:
        question, unknown = _without_unknown(question)
        if unknown:
            said = ", ".join(f"`{word[:40]}`" for word in unknown)
            notices = [*notices, f"the map leaves out {said}: no such word in the text that is learnt from"]
    return question, PAGE.opening_of(question, opening), notices


def _without_unknown(question):
    """(the question with those words only that its text has, the others)."""
    try:
        vocabulary = text_of(question).vocabulary
    except ValueError:  # said where the text is asked for
        return question, []
    unknown = [word for word in question.words if word not in vocabulary.words]
    if unknown:
        question = replace(question, words=tuple(word for word in question.words if word not in unknown))
        PAGE.show(question, ("words",))
        PAGE.keep(question)
    return question, unknown


def plan_of(question):
    """The ``FieldPlan`` of a question."""
    rank = question.rank or None
    return FieldPlan(question.neighbours, rank, l2=question.l2, max_steps=question.steps, seed=question.seed)


def current_run():
    """The run of this session, or None."""
    return this_host().find(st.session_state.get(RUN))


def started_question():
    """The question that the run of this session was started with, or None."""
    return st.session_state.get(OWNED)


def settings_of(question):
    """What decides the training of a question: all but whose pairs are mapped."""
    return replace(question.only("learning"), words=())


def has_changed(question):
    """Whether the settings are other ones than those of the run."""
    owned = started_question()
    return owned is None or settings_of(owned) != settings_of(question)


def start(question):
    """A new run of the question, paused, in place of the one before; ValueError says why not."""
    text = text_of(question)
    run = this_host().open(
        f"field:{question.source}", text.data, (plan_of(question),), text.held_out,
        replaces=st.session_state.get(RUN), job_kind=FIELD_JOBS,
    )  # fmt: skip
    st.session_state[RUN], st.session_state[OWNED] = run.name, question
    return run
