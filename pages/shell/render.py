"""The order of a page: head, notices, form, examples, the view of the answer, what stands below it."""

from functools import partial
from importlib import import_module
from typing import Any

import streamlit as st

from pages.shared.text import plain, sentence, spoken
from pages.shell import details
from pages.shell.answers import answer_of
from pages.shell.capability import Capability, Payload
from pages.shell.errors import MissingData, NeedsInput
from pages.shell.footer import show_footer
from pages.shell.form import draw_examples, draw_form, draw_header
from pages.shell.formula import draw_formula
from pages.shell.head import show_notices
from pages.shell.question import Question
from pages.shell.registry import entry_named, page_named
from pages.shell.training import PageRun, draw_training
from rcmviz.views.shared.component import show
from rcmviz.views.shared.export import page as html_page

FILE_HELP = "One file with this view; it plays in it, offline."


def run_page(name: str) -> None:
    """Run the page of a name: its declaration, or its function ``show``."""
    entry = entry_named(name)
    if entry.kind == "function":
        import_module(f"pages.{entry.folder}.page").show()
    else:
        render(page_named(name))


def render(page: Capability[Any, Any]) -> None:
    """Run a page that is declared."""
    named = st.query_params.get("run")  # the state rewrites the link
    question, view_state, notices = page.state.open_question(page.opens_with)
    shown = page.at(question)
    if shown.training is not None:
        notices = [*notices, *PageRun(page.state, shown.training).notices(question, named)]
    draw_header(page, question)
    show_notices(notices)
    draw_form(page, question)
    draw_examples(page, question)
    if shown.draw is not None:
        shown.draw(question, view_state)
    elif shown.training is not None:
        draw_training(page.state, shown.training, question)
    else:
        _show_answer(page, question, view_state)


def _show_answer(whole: Capability[Any, Any], question: Question, view_state: Payload) -> None:
    page, tab = whole.at(question), question.tab if whole.tabs else ""
    key = page.state.key(f"view.{tab}" if tab else "view")
    try:
        with st.spinner(page.spinner, show_time=True):
            payload, inputs = answer_of(whole, question)
    except ValueError as error:
        _show_refusal(page, error, tab or page.name, page.view_state(view_state), key)
        return
    for note in page.notes(inputs):
        st.caption(plain(note))
    deferred = page.deferred.parts(question) if page.deferred else {}
    events = show(
        page.view,
        payload | page.view_state(view_state) | deferred | details.of_payload(),
        key=key,
        on_change=partial(_take_change, page, key) if page.on_change else None,
    )
    if page.formula:
        draw_formula(page.formula)
    show_footer(
        page.state,
        partial(saved_page, page, question, payload),
        f"{tab or page.name}.html",
        FILE_HELP,
        caption=page.caption(question, payload) if page.caption else None,
    )
    if page.below:
        page.below(question, payload)
    if page.on_event and any(getattr(events, event, None) for event in page.view.events):
        page.on_event(question, events)
    if page.deferred:
        page.deferred.watch(question, deferred)


def saved_page(page: Capability[Any, Any], question: Question, payload: Payload) -> str:
    """The view as an HTML file that plays offline, with the deferred parts that are known by then."""
    deferred = page.deferred.parts(question) if page.deferred else {}
    return html_page(payload | deferred, page.heading(payload), page.view.name)


def _take_change(page: Capability[Any, Any], key: str) -> None:
    """A callback: what the view has sent; nothing if its page was left meanwhile."""
    sent = st.session_state.get(key)
    if sent and page.on_change:
        page.on_change(page.state, {name: sent.get(name) for name in (*page.view.events, *page.view.states)})


def _show_refusal(page: Capability[Any, Any], error: ValueError, kind: str, view_state: Payload, key: str) -> None:
    """Say why there is no answer: in the view if it can, so that it keeps its place on the page."""
    if isinstance(error, NeedsInput):
        if error.icon:
            st.info(sentence(error), icon=f":material/{error.icon}:")
    elif isinstance(error, MissingData):
        st.info(sentence(error), icon=":material/download:")
    elif page.view.shows_errors:
        refusal = {"id": f"error {error}", "error": spoken(error), "kind": kind}
        show(page.view, refusal | view_state, key=key)
    else:
        st.error(sentence(error))
