"""Align: which letters belong to which sound, when nobody has said so; and five strategies that try to learn it."""

import streamlit as st

from pages.align import runs, widgets
from pages.align.examples import STORIES
from pages.align.state import PAGE, open_question
from pages.align.view import show_learning
from pages.shared.formula import show_formula
from pages.shared.stories import show_stories
from pages.shared.text import spoken
from pages.shell.folded import folded_on_phones
from pages.shell.footer import show_footer
from pages.shell.head import show_notices
from rcmviz.views.align.payload import align_html
from rcmviz.views.shared.component import align


def show_picture(question, opening):
    """One word; what cannot be aligned is said in its place."""
    payload = answer(question)
    align(payload | opening, key=PAGE.key("view"))
    if "error" not in payload:
        show_formula("align")
        save(question)
    elif payload.get("longer"):
        widgets.offer_training(question)


def answer(question):
    """The payload; one with an error where the question has no answer."""
    try:
        with st.spinner("Training the model (the very first time its kernels are compiled: a minute)", show_time=True):
            return dict(runs.payload_of(question))
    except ValueError as error:
        longer = isinstance(error, runs.TooSlow)
        return {"id": f"error {error}", "error": spoken(error), "longer": longer}


def save(question):
    """The model in a line, and the view as a file."""
    show_footer(
        PAGE,
        lambda: align_html(runs.payload_of(question), "Sounds and letters"),
        "align.html",
        "One file with this view; it plays in it, offline.",
        caption=widgets.model_caption(question),
    )


question, opening, notices = open_question()
widgets.head(question)
show_notices(notices)
if question.tab == "picture":
    with folded_on_phones(PAGE, widgets.summary(question), beside=True):
        widgets.choose_word(question)
    show_stories(PAGE, STORIES, question, (6, 6), "Words to begin with.")
    show_picture(question, opening)
elif widgets.is_here(question):
    show_learning(question)
