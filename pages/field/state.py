"""One session's Field page: its question, in the widgets and in the link, and the training that it has started."""

from dataclasses import replace

import streamlit as st

from pages.field.link import FieldQuestion
from pages.field.texts import text_of
from pages.shared.linked_run import LinkedRun
from pages.shared.visitors import visitor
from pages.word.what_if import EditedPage
from rcmviz.jobs.fields import FIELD_JOBS, FieldPlan
from rcmviz.jobs.host import this_host

PAGE = EditedPage("field", FieldQuestion())


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    named = st.query_params.get("run")
    question, opening, notices = PAGE.open()
    RUN.find(named, question)
    if question.tab == "learning":
        notices = [*notices, *RUN.show_in_link(named, question)]
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


def settings_of(question):
    """What decides the training of a question: all but whose pairs are mapped."""
    return replace(question.only("learning"), words=())


def _decided(question):
    """What decides a run: the text and all settings of the tab, and the plan."""
    return f"field:{settings_of(question)}", [plan_of(question)]


RUN = LinkedRun(PAGE, _decided)
current_run, started_question, has_changed = RUN.current, RUN.view, RUN.has_changed


def start(question):
    """A new run of the question, paused, in place of the one before; ValueError says why not."""
    text, (data, plans) = text_of(question), _decided(question)
    run = this_host().open(
        data, text.data, plans, text.held_out, replaces=RUN.name, owner=visitor(), job_kind=FIELD_JOBS
    )
    RUN.keep(run.name, question)
    st.query_params["run"] = run.name
    return run
