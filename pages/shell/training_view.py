"""The part of a training page below its form: controls, the view of a run, downloads of models and code."""

from functools import partial
from typing import Any

import streamlit as st

from pages.shell.capability import Capability, Payload
from pages.shell.question import Question
from pages.shell.text import sentence
from pages.shell.training import PageRun, ShownRun, Training
from pages.shell.training_controls import show_models, show_trainings
from pages.shell.view import draw_view

RECORDED = "A recorded run; *Start* trains a new one."


def draw_training(page: Capability[Any, Any], training: Training[Any], question: Question) -> None:
    """Draw the controls and the run, or the preview before there is one."""
    page_run = PageRun(page.state, training)
    recorded = None
    if page_run.current_run() is None:
        with st.spinner(page.spinner, show_time=True):
            recorded = training.recorded(question)
    show_trainings(
        page_run,
        question,
        partial(_draw_before, page, page_run, recorded),
        partial(_draw_run, page, page_run, question),
        unit=training.unit,
        idle="" if recorded is None else RECORDED,
    )


def _draw_before(
    page: Capability[Any, Any], page_run: PageRun[Any], recorded: Payload | None, question: Question
) -> None:
    now = page.state.view or question
    if now != question:  # the view has changed it, and only this fragment ran
        question, recorded = now, page_run.training.recorded(now)
    page_run.training.before(question)
    if recorded is not None:
        _draw(page, page_run, page_run.shown(None, question), recorded)


def _draw_run(page: Capability[Any, Any], page_run: PageRun[Any], question: Question, run: Any) -> None:
    training, shown = page_run.training, page_run.shown(run, question)
    if training.message is not None:
        st.caption(sentence(training.message(shown)))
    _draw(page, page_run, shown, training.payload(shown))
    if training.models is None and training.code is None:
        return
    with st.expander("Download models and code", icon=":material/download:"):
        if training.models is not None:
            show_models(page_run.page, training.models(shown), training.models_help)
        if training.code is not None:
            st.caption("The same in a notebook")
            st.code(training.code(shown.started), language=None, wrap_lines=True)


def _draw(page: Capability[Any, Any], page_run: PageRun[Any], shown: ShownRun, payload: Payload) -> None:
    """Draw the view; the key of a recorded run differs, since a selection in one means nothing in the other."""
    key = page.state.key("view.recorded" if shown.run is None else "view.run")
    on_event = page_run.training.on_event
    draw_view(
        page,
        shown.started,
        payload,
        key=key,
        file=page.view.name,
        over=page.view_state(page.state.opening_of(shown.question, None)),
        on_event=partial(on_event, shown) if on_event else None,
    )
