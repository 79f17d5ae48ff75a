"""The order of a page: head, notices, form, examples, the view of the answer, what stands below it."""

from functools import partial
from importlib import import_module
from typing import Any

import streamlit as st

from pages.shared.fragment import fragment
from pages.shared.rerun import rerun
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
from rcmviz.views.shared.packed import Packed, whole

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
    elif shown.reruns == "view":
        _show_answer_alone(page)
    else:
        _show_answer(page, question, view_state)


@fragment
def _show_answer_alone(page: Capability[Any, Any]) -> None:
    """Show the answer where nothing above depends on what the view sends: only this runs again."""
    if page.state.asks_for_page():
        rerun()
    _show_answer(page, *page.state.current())


def _show_answer(declared: Capability[Any, Any], question: Question, view_state: Payload) -> None:
    page, tab = declared.at(question), question.tab if declared.tabs else ""
    key = page.state.key(f"view.{tab}" if tab else "view")
    if page.above:
        page.above(page.state, question)
    try:
        with st.spinner(page.spinner, show_time=True):
            payload, inputs = answer_of(declared, question)
    except ValueError as error:
        _show_refusal(page, error, tab or page.name, page.view_state(view_state), key)
        return
    for note in page.notes(inputs):
        st.caption(plain(note))
    for warning in page.warnings(inputs):
        st.warning(plain(warning), icon=":material/warning:")
    deferred = page.deferred.parts(question) if page.deferred else {}
    events = show(
        page.view,
        payload | page.view_state(view_state) | deferred | details.of_payload(),
        key=key,
        on_change=partial(_take_change, page, key) if page.on_change else None,
    )
    if page.on_event and any(getattr(events, event, None) for event in page.view.events):
        page.on_event(question, events)
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
    if page.deferred:
        page.deferred.watch(question, deferred)


def saved_page(page: Capability[Any, Any], question: Question, payload: Payload | Packed) -> str:
    """The view as an HTML file that plays offline, with its deferred parts."""
    shown, placed, deferred = whole(payload), question.placed(), page.deferred
    place = page.view_state(placed) if placed else {}
    parts = (deferred.all_parts or deferred.parts)(question) if deferred else {}
    return html_page(shown | place | parts, page.heading(shown), page.view.name)


def _take_change(page: Capability[Any, Any], key: str, name: str) -> None:
    """A callback: the view has sent an event or a state of that name; nothing if its page was left meanwhile."""
    sent, view = st.session_state.get(key), page.view
    if sent and page.on_change:
        events = {name} if name in view.events else set()
        page.on_change(page.state, {each: sent.get(each) for each in (*view.states, *events)})


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
        st.error(sentence(error), icon=":material/error:")
