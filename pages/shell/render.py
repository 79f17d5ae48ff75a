"""The order of a page: head, notices, form, examples, the view of the answer, and everything below it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from importlib import import_module
from typing import Any

import streamlit as st

from pages.shell import details, training_line
from pages.shell.answers import answer_of, is_known
from pages.shell.capability import Capability, Payload
from pages.shell.errors import MissingData, NeedsInput
from pages.shell.form import draw_examples, draw_form, draw_header
from pages.shell.fragment import fragment
from pages.shell.head import show_notices
from pages.shell.question import Question
from pages.shell.registry import entry_named, page_named
from pages.shell.rerun import rerun
from pages.shell.text import as_sentence, escape_markdown, sentence
from pages.shell.training import PageRun
from pages.shell.training_view import draw_training
from pages.shell.view import draw_view, show_payload


def run_page(name: str) -> None:
    """Run a page by name: its declaration, or its function ``show``."""
    entry = entry_named(name)
    if entry.kind == "function":
        import_module(f"pages.{entry.folder}.page").show()
    else:
        render(page_named(name))


def render(page: Capability[Any, Any]) -> None:
    """Run a declared page."""
    named = st.query_params.get("run")  # before the state rewrites the link
    question, view_state, notices = page.state.open_question(page.opens_with)
    shown = page.at(question)
    if shown.training is not None:
        notices = [*notices, *PageRun(page.state, shown.training).notices(question, named)]
    draw_header(page, question)
    show_notices(notices)
    draw_form(page, question)
    draw_examples(page, question)
    if page.tabs and shown.training is None:
        training_line.show_of(page.name)
    if shown.draw is not None:
        _show_drawing(shown, partial(shown.draw, question, view_state), question)
    elif shown.training is not None:
        _show_drawing(shown, partial(draw_training, shown, shown.training, question), question)
    elif shown.reruns == "view":
        _show_answer_alone(page)
    else:
        _show_answer(page, question, view_state)


@fragment
def _show_answer_alone(page: Capability[Any, Any]) -> None:
    """Show the answer of a page on which nothing above depends on what the view sends: only this fragment reruns."""
    if page.state.asks_for_page():
        rerun()
    _show_answer(page, *page.state.current())


def _show_answer(declared: Capability[Any, Any], question: Question, view_state: Payload) -> None:
    page, tab = declared.at(question), question.tab if declared.tabs else ""
    key = page.state.key(f"view.{tab}" if tab else "view")
    if page.above:
        page.above(page.state, question)
    try:
        with _waiting_display(declared, question):
            payload, inputs = answer_of(declared, question)
    except ValueError as error:
        _show_refusal(page, error, tab or page.name, page.view_state(view_state), key)
        return
    _show_notes(page, inputs)
    deferred = page.deferred.parts(question) if page.deferred else {}
    draw_view(
        page,
        question,
        payload,
        key=key,
        file=tab or page.name,
        over=page.view_state(view_state) | deferred,
        on_event=partial(page.on_event, question) if page.on_event else None,
    )
    if page.below and details.are_shown():
        page.below(question, payload)
    if page.deferred:
        page.deferred.watch(question, deferred)


def _waiting_display(declared: Capability[Any, Any], question: Question) -> AbstractContextManager[Any]:
    """Return what is shown while an answer is computed: a spinner, or a placeholder if the answer is known."""
    if is_known(declared, question):
        return st.empty()  # takes the place of the spinner, so that the elements below keep theirs
    return st.spinner(declared.at(question).spinner, show_time=True)


def _show_drawing(page: Capability[Any, Any], draw: Callable[[], None], question: Question) -> None:
    """Show a training, or what a page draws by hand, unless ``load`` refuses."""
    try:
        inputs = page.load(question)
    except ValueError as error:
        _show_refusal(page, error, page.name, {}, page.state.key("view.run"))
        return
    _show_notes(page, inputs)
    draw()


def _show_notes(page: Capability[Any, Any], inputs: Any) -> None:
    for note in page.notes(inputs):
        st.caption(escape_markdown(note))
    for warning in page.warnings(inputs):
        st.warning(escape_markdown(warning), icon=":material/warning:")


def _show_refusal(page: Capability[Any, Any], error: ValueError, kind: str, view_state: Payload, key: str) -> None:
    """Show why there is no answer, in the view if it can, which then keeps its place on the page."""
    if isinstance(error, NeedsInput):
        if error.icon:
            st.info(sentence(error), icon=f":material/{error.icon}:")
    elif isinstance(error, MissingData):
        st.info(sentence(error), icon=":material/download:")
    elif page.view.shows_errors:
        refusal = {"id": f"error {error}", "error": as_sentence(error), "kind": kind}
        show_payload(page, refusal | view_state, key=key)
    else:
        st.error(sentence(error), icon=":material/error:")
