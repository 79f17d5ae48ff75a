"""The form of a page, drawn from the controls that its question declares."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import streamlit as st

from pages.shell.capability import Capability
from pages.shell.fields import Control
from pages.shell.folded import folded, folded_on_phones
from pages.shell.head import page_head
from pages.shell.question import Question
from pages.shell.state import PageState

OF_THE_QUESTION = {"max_value", "placeholder", "help", "disabled"}  # arguments that may be functions of it
Drawn = Iterable[tuple[str, Control]]


def draw_header(page: Capability[Any, Any], question: Question) -> None:
    """Draw the title, the choice next to it, the introduction, and the form if it is in a popover."""
    page = page.at(question)
    if page.head is not None:
        page.head(page.state, question)
    else:
        _draw_title(page, question)
    if callable(page.intro):
        page.intro(question)
    elif page.intro:
        st.caption(page.intro)


def _draw_title(page: Capability[Any, Any], question: Question) -> None:
    place: Any = st
    header = _slot_controls(question, "header")
    if not header:
        st.title(page.title)
    for name, control in header[:1]:
        arguments, widget = dict(control.arguments), page.state.widget(name)
        label, format_value = arguments.pop("label"), arguments.pop("format_func", str)
        values = {value: format_value(value) for value in widget["options"]}
        place = page_head(page.title, label, values, page.title_widths, **widget, **arguments)
    if header[1:]:
        place = place.container(horizontal=True, vertical_alignment="center")
        for name, control in header[1:]:
            _draw(place, page.state, question, name, control)
    if page.layout == "popover" and page.form is None:
        with folded(page.state, place, _summary(page, question)):
            if row := _slot_controls(question, "row"):
                _draw_row(page.state, question, row)
            _draw_popover(page.state, question)


def draw_form(page: Capability[Any, Any], question: Question) -> None:
    """Draw the form above the view; on phones it is folded into a line."""
    page = page.at(question)
    if page.form is not None:
        page.form(page.state, question)
        return
    _draw_all(page.state, question, _slot_controls(question, "above"))
    row, more = _slot_controls(question, "row"), _slot_controls(question, "more") + _slot_controls(question, "rare")
    if page.layout == "popover" or not row:
        return
    with folded_on_phones(page.state, _summary(page, question), beside=page.labels == "beside"):
        rest = _draw_row(page.state, question, row, [2] if more else [])
        if more:
            with rest[0].popover(page.more_label, icon=":material/tune:", width="stretch"):
                _draw_popover(page.state, question)
        _draw_all(page.state, question, _slot_controls(question, "below"))


def draw_examples(page: Capability[Any, Any], question: Question) -> None:
    """Draw a button for each example of this tab, and the description of the chosen one."""
    examples = [example for example in page.examples if example.question.tab == question.tab]
    if not examples:
        return
    buttons, text = st.columns(page.examples_widths, vertical_alignment="center")
    with buttons.container(horizontal=True, gap="small"):
        for number, example in enumerate(examples):
            st.button(
                example.label,
                key=page.state.key(f"story.{number}"),
                disabled=example.question == question,
                on_click=page.state.change,
                kwargs=vars(example.question),
            )
    chosen = (example.description for example in examples if example.question == question)
    text.caption(next(chosen, page.examples_hint))


def _slot_controls(question: Question, slot: str) -> list[tuple[str, Control]]:
    """Return the controls of a slot that are shown now."""
    return [
        (name, control)
        for name, control in question.controls()
        if control.slot == slot
        and (control.shown is None or control.shown(question))
        and (control.disable or question.applies(name))
    ]


def _draw_row(state: PageState[Any], question: Question, controls: Drawn, more: list[int] | None = None) -> list[Any]:
    """Draw controls in columns; returns the unused columns."""
    controls = list(controls)
    places = st.columns([*(control.width for _, control in controls), *(more or [])], vertical_alignment="bottom")
    for place, (name, control) in zip(places, controls, strict=False):
        _draw(place, state, question, name, control)
    return places[len(controls) :]


def _draw_popover(state: PageState[Any], question: Question) -> None:
    _draw_all(state, question, _slot_controls(question, "more"))
    if rare := _slot_controls(question, "rare"):
        with st.expander("More"):
            _draw_all(state, question, rare)


def _draw_all(state: PageState[Any], question: Question, controls: Drawn) -> None:
    for line, together in groupby(controls, key=lambda drawn: drawn[1].line):
        if line:
            _draw_row(state, question, together)
            continue
        for name, control in together:
            _draw(st, state, question, name, control)


def _draw(place: Any, state: PageState[Any], question: Question, name: str, control: Control) -> None:
    if callable(control.widget):
        with place if place is not st else st.container():
            control.widget(state, question, name)
        return
    given = state.widget(name) | dict(control.arguments)
    if callable(given.get("options")):
        given["options"] = list(given["options"](getattr(question, name)))
    for argument in OF_THE_QUESTION & given.keys():
        if callable(given[argument]):
            given[argument] = given[argument](question)
    if control.disable:
        given["disabled"] = not question.applies(name)
    getattr(place, control.widget)(**given)


def _summary(page: Capability[Any, Any], question: Question) -> str:
    """Return the settings in a line; by default the values of the row."""
    if page.summary is not None:
        return page.summary(question)
    row = [(name, control) for name, control in _slot_controls(question, "row") if isinstance(control.widget, str)]
    return " · ".join(f"{control.arguments['label']} {getattr(question, name)}" for name, control in row)
