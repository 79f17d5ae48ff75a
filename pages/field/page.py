"""Field: a Markov field over a whole text, how its bound is lifted, and what it answers."""

import streamlit as st

from pages.field import learning, runs, widgets
from pages.field.proof import proof_of
from pages.field.state import PAGE, open_question
from pages.shared import training_line
from pages.shared.formula import show_formula
from pages.shared.fragment import fragment
from pages.shared.text import sentence, spoken
from pages.shell.folded import folded_on_phones
from pages.shell.footer import show_footer
from pages.shell.head import show_notices
from pages.word.what_if import show_edits, take_what_if
from rcmviz.views.ars import VIEW as ARS
from rcmviz.views.field.payload import field_html
from rcmviz.views.shared.component import field, player
from rcmviz.views.shared.component import show as show_payload

SETTINGS = {
    "lifting": widgets.choose_lifting,
    "learning": widgets.choose_learning,
    "neighbours": widgets.choose_neighbours,
    "blank": widgets.choose_blank,
    "tagging": widgets.choose_tagging,
}

FORMULAS = {"lifting": "field bound", "blank": "field blank"}
PROOF = (
    "Of each word only the keys are known, of the blank nothing. Adaptive rejection lowers its bound on the best "
    "sentence under the field, round by round, until a sentence reaches it: none of all the others is better."
)


def show_view(question, opening):
    """The view of the tab; what has no answer is said in its place."""
    payload = answer(question)
    field(payload | opening, key=PAGE.key(f"view.{question.tab}"))
    if "error" not in payload:
        if question.tab in FORMULAS:
            show_formula(FORMULAS[question.tab])
        save(question, payload)
        if question.tab == "tagging":
            show_lattice()
        elif question.tab == "blank":
            show_proof(question)


def show_proof(question):
    """The same sentence typed on a phone, and the proof of what is best under the field."""
    st.toggle("Type it on a phone, and prove what is best", key=PAGE.key("prove"), help=PROOF)
    if not question.prove:
        return
    try:
        with st.spinner("Proving", show_time=True):
            payload = proof_of(question.only("blank"))
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    show_payload(ARS, payload, key=PAGE.key("proof"))


@fragment
def show_lattice():
    """The lattice of the tags, stepped through and changed as on Step."""
    with st.expander("Step through the lattice", icon=":material/step_over:", expanded=bool(PAGE.view.edits)):
        shown = st.toggle("Show every context of every word", bool(PAGE.view.edits), key=PAGE.key("lattice"))
        if not shown:
            return
        try:
            payload = runs.lattice_of(PAGE.view.only("tagging"))
        except ValueError as error:
            st.error(sentence(error), icon=":material/error:")
            show_edits(PAGE)
            return
        show_edits(PAGE)
        player(payload, key=PAGE.key("player"), on_what_if=take_edit)


def take_edit():
    """The player's callback."""
    asked = (st.session_state.get(PAGE.key("player")) or {}).get("what_if")
    if asked:
        take_what_if(PAGE, asked)


def answer(question):
    """The payload; one with an error where the question has no answer."""
    try:
        with st.spinner("Learning the field", show_time=True):
            return dict(runs.payload_of(question))
    except ValueError as error:
        return {"id": f"error {error}", "error": spoken(error), "kind": question.tab}


def save(question, payload):
    """What is seen in a line, and the view as a file."""
    show_footer(
        PAGE,
        lambda: field_html(payload, "A field over a text"),
        "field.html",
        "One file with this view; it plays in it, offline.",
        caption=widgets.caption(question, payload),
    )


question, opening, notices = open_question()
widgets.head(question)
show_notices(notices)
with folded_on_phones(PAGE, widgets.summary(question)):
    SETTINGS[question.tab]()
if question.tab == "learning":
    learning.show(question, opening)
else:
    training_line.show_of("field")
    show_view(question, opening)
