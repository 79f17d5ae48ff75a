"""Field: a Markov field over a whole text, how its bound is lifted, and what it answers."""

import streamlit as st

from pages.field import learning, runs, widgets
from pages.field.state import PAGE, open_question
from pages.shared import training_line
from pages.shared.footer import show_footer
from pages.shared.head import show_notices
from pages.shared.text import plain, sentence
from rcmviz.views.field.payload import field_html
from rcmviz.views.shared.component import field, player

SETTINGS = {
    "lifting": widgets.choose_lifting,
    "learning": widgets.choose_learning,
    "neighbours": widgets.choose_neighbours,
    "blank": widgets.choose_blank,
    "tagging": widgets.choose_tagging,
}


def show_view(question, opening):
    """The view of the tab; what has no answer is said in its place."""
    payload = answer(question)
    field(payload | opening, key=PAGE.key(f"view.{question.tab}"))
    if "error" not in payload:
        save(question, payload)
        if question.tab == "tagging":
            show_lattice(question)


@st.fragment
def show_lattice(question):
    """The lattice of the tags, stepped through as on Step."""
    with st.expander("Step through the lattice", icon=":material/step_over:"):
        if st.toggle("Show every context of every word", key=PAGE.key("lattice")):
            player(runs.lattice_of(question.only("tagging")), key=PAGE.key("player"))


def answer(question):
    """The payload; one with an error where the question has no answer."""
    try:
        with st.spinner("Learning the field", show_time=True):
            return dict(runs.payload_of(question))
    except ValueError as error:
        return {"id": f"error {error}", "error": sentence(error).replace("\\", ""), "kind": question.tab}


def save(question, payload):
    """What is seen in a line, and the view as a file."""
    show_footer(
        PAGE, lambda: field_html(payload, "A field over a text"), "field.html",
        "One file with this view; it plays in it, offline.", caption=plain(widgets.caption(question, payload)),
    )  # fmt: skip


question, opening, notices = open_question()
widgets.head()
show_notices(notices)
SETTINGS[question.tab]()
if question.tab == "learning":
    learning.show(question, opening)
else:
    training_line.show_of("field")
    show_view(question, opening)
