"""Search: best-first and A*, a perceptron that learns by its mistakes, SEARN that learns to search."""

import streamlit as st

from pages.search import runs, widgets
from pages.search.state import PAGE, open_question
from pages.shared.formula import show_formula
from pages.shared.text import spoken
from pages.shell.folded import folded_on_phones
from pages.shell.footer import show_footer
from pages.shell.head import show_notices
from rcmviz.views.search.payload import search_html
from rcmviz.views.shared.component import searching

SETTINGS = {"search": widgets.choose_search, "perceptron": widgets.choose_perceptron, "searn": widgets.choose_searn}


def answer(question):
    """The payload; one with an error where the question has no answer."""
    try:
        with st.spinner(widgets.WAITING[question.tab], show_time=True):
            return dict(runs.payload_of(question))
    except ValueError as error:
        return {"id": f"error {error}", "error": spoken(error), "kind": question.tab}


def show_view(question, opening):
    """The view of the tab; what has no answer is said in its place."""
    payload = answer(question)
    searching(payload | opening, key=PAGE.key(f"view.{question.tab}"))
    if "error" not in payload:
        show_formula(question.tab)
        show_footer(
            PAGE,
            lambda: search_html(payload, payload["title"]),
            f"{question.tab}.html",
            "One file with this view; it plays in it, offline.",
            caption=widgets.caption(question),
        )


question, opening, notices = open_question()
widgets.head(question)
show_notices(notices)
with folded_on_phones(PAGE, widgets.summary(question)):
    SETTINGS[question.tab](question)
show_view(question, opening)
