"""The view of a payload with everything below it: formula, caption, details switch and saved file."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.shell import details
from pages.shell.capability import Capability, Payload
from pages.shell.footer import show_footer
from pages.shell.formula import draw_formula
from pages.shell.question import Question
from rcmviz.views.shared.component import show
from rcmviz.views.shared.export import page as html_page
from rcmviz.views.shared.packed import Packed, plain_payload

FILE_HELP = "One HTML file that shows this view offline."


def draw_view(
    page: Capability[Any, Any],
    question: Question,
    payload: Payload | Packed,
    *,
    key: str,
    file: str,
    over: Payload,
    on_event: Callable[[Any], None] | None,
) -> None:
    """Draw the payload of a question with the fields ``over`` replaced; ``file`` is the name of the saved file.

    If the view has sent an event, ``on_event`` is called with all events and states as attributes.
    """
    sent = show_payload(page, payload | over | details.details_field(), key=key)
    if on_event is not None and any(getattr(sent, event, None) for event in page.view.events):
        on_event(sent)
    if page.formula:
        draw_formula(page.formula(question) if callable(page.formula) else page.formula)
    show_footer(
        page.state,
        partial(saved_page, page, question, payload),
        f"{file}.html",
        FILE_HELP,
        caption=page.caption(question, payload) if page.caption else None,
    )


def show_payload(page: Capability[Any, Any], payload: Payload | Packed, *, key: str) -> Any:
    """Show a payload or a refusal, and subscribe to the view; returns its events and states."""
    on_change = partial(_take_change, page, key) if page.on_change else None
    return show(page.view, payload, key=key, on_change=on_change)


def saved_page(page: Capability[Any, Any], question: Question, payload: Payload | Packed) -> str:
    """Return the view as an HTML file that plays offline, with its deferred parts."""
    shown, placed, deferred = plain_payload(payload), question.placed(), page.deferred
    place = page.view_state(placed) if placed else {}
    parts = (deferred.all_parts or deferred.parts)(question) if deferred else {}
    return html_page(shown | place | parts, page.heading(shown), page.view.name)


def _take_change(page: Capability[Any, Any], key: str, name: str) -> None:
    """Handle an event or a state that the view has sent; ignored if its page was left."""
    sent, view = st.session_state.get(key), page.view
    if sent and page.on_change:
        events = {name} if name in view.events else set()
        page.on_change(page.state, {each: sent.get(each) for each in (*view.states, *events)})
