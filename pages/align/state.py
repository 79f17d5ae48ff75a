"""One session's Align page: its question, in the widgets and in the link, and the trainings that it has started."""

from dataclasses import replace

import streamlit as st

from pages.align.link import AlignQuestion
from pages.align.runs import load_data
from pages.shared.linked_page import Page
from rcmviz.jobs.alignments import ALIGN_JOBS, warm_up
from rcmviz.jobs.host import this_host

PAGE = Page("align", AlignQuestion())
RUN, OWNED = PAGE.key("run"), PAGE.key("lesson")


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    named = st.query_params.get("run")
    question, opening, notices = PAGE.open()
    _find_run(named, question)
    if question.tab == "learning":
        notices = [*notices, *_settle_run(named, question)]
    return question, PAGE.opening_of(question, opening), notices


def current_run():
    """The run of this session, or None."""
    return this_host().find(st.session_state.get(RUN))


def started_question():
    """The question that the run of this session was started with, or None."""
    return st.session_state.get(OWNED)


def has_changed(question):
    """Whether the settings are other ones than those of the run."""
    owned = started_question()
    return owned is None or (owned.data, owned.trainings) != (question.data, question.trainings)


def start(question):
    """A new run of the question's strategies, paused, in place of the one before; ValueError says why not."""
    data, host = load_data(question), this_host()
    host.warm_up(warm_up)
    run = host.open(
        question.data, data.train, question.trainings, data.test, replaces=st.session_state.get(RUN),
        info={"data": question.data}, job_kind=ALIGN_JOBS,
    )  # fmt: skip
    st.session_state[RUN], st.session_state[OWNED] = run.name, replace(question, look=0)
    st.query_params["run"] = run.name
    return run


def _find_run(name, question):
    """A link may name a run that this tab has lost."""
    run = this_host().find(name)
    if run is None or run is current_run() or run.source != question.data:
        return
    settings = [job.settings for job in run.jobs]
    if settings == list(question.trainings):
        st.session_state[RUN], st.session_state[OWNED] = name, question


def _settle_run(name, question):
    """The run in the link: it is named after a while on another page too; what is said where it is no more."""
    run = current_run()
    if run is not None and not has_changed(question):
        st.query_params["run"] = run.name
    elif name and this_host().find(name) is None:
        st.query_params.pop("run", None)
        yield "the training of this link has ended, or is another server's: `Start` makes the same again"
