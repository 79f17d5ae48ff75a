"""One session's Align page: its question, in the widgets and in the link, and the trainings that it has started."""

from dataclasses import replace

import streamlit as st

from pages.align.link import OPENING, AlignQuestion
from pages.align.runs import load_data
from pages.shared.linked_run import LinkedRun
from pages.shared.visitors import visitor
from pages.shell.state import PageState
from rcmviz.jobs.alignments import ALIGN_JOBS, warm_up
from rcmviz.jobs.host import this_host

PAGE = PageState("align", AlignQuestion())
RUN = LinkedRun(PAGE, lambda question: (question.data, question.trainings))
current_run, started_question, has_changed = RUN.current, RUN.view, RUN.has_changed


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    named = st.query_params.get("run")
    question, opening, notices = PAGE.open(OPENING)
    RUN.find(named, question)
    if question.tab == "learning":
        notices = [*notices, *RUN.show_in_link(named, question)]
    return question, PAGE.opening_of(question, opening), notices


def start(question):
    """A new run of the question's strategies, paused, in place of the one before; ValueError says why not."""
    data, host = load_data(question), this_host()
    host.warm_up(warm_up)
    run = host.open(
        question.data,
        data.train,
        question.trainings,
        data.test,
        replaces=RUN.name,
        owner=visitor(),
        info={"data": question.data},
        job_kind=ALIGN_JOBS,
    )
    RUN.keep(run.name, replace(question, look=0))
    st.query_params["run"] = run.name
    return run
