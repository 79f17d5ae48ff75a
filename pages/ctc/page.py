"""CTC: the frames of a classifier with a blank, read with a language model, frame by frame."""

import streamlit as st

from pages.ctc import runs, widgets
from pages.ctc.examples import STORIES
from pages.ctc.fitting import subject_of
from pages.ctc.state import PAGE, open_question
from pages.shared.folded import folded_on_phones
from pages.shared.footer import show_footer
from pages.shared.formula import show_formula
from pages.shared.head import show_notices
from pages.shared.stories import show_stories
from pages.shared.text import spoken
from pages.shared.uploads import NoTextYet
from rcmviz.views.shared.component import frames
from rcmviz.views.shared.export import page


def answer(question):
    """(Payload, notes); a payload with an error where the question has no answer."""
    try:
        with st.spinner("Reading (the very first time the kernels are compiled: a minute)", show_time=True):
            return dict(runs.payload_of(question)), subject_of(question)[2]
    except NoTextYet:
        return None, ()
    except ValueError as error:
        return {"id": f"error {error}", "error": spoken(error), "kind": "ctc"}, ()


def show_view(question, opening):
    """The frames; what cannot be read is said in their place."""
    payload, notes = answer(question)
    if payload is None:
        return
    widgets.show_notes(notes)
    frames(payload | opening, key=PAGE.key("view"))
    if "error" not in payload:
        show_formula("ctc")
        show_footer(
            PAGE,
            lambda: page(payload, f"{payload['title']} · {payload['name']}", "frames"),
            "ctc.html",
            "One file with this view; it plays in it, offline.",
        )


question, opening, notices = open_question()
widgets.head()
show_notices(notices)
if question.tab == "upload":
    widgets.choose_file(question)
with folded_on_phones(PAGE, widgets.summary(question), beside=True):
    widgets.choose(question)
if question.tab == "text":
    show_stories(PAGE, STORIES, question, (8, 5), "Readings to begin with.")
show_view(question, opening)
