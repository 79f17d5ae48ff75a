"""ARS: type as on a phone and watch the best message being proved, or drawn exactly; tag; compare; check ARPA files."""

import streamlit as st

from pages.ars import compare, doctor, runs, widgets
from pages.ars.state import PAGE, open_question, take_message
from pages.shared.formula import show_formula
from pages.shared.text import plain, sentence, spoken
from pages.shell.folded import folded_on_phones
from pages.shell.footer import show_footer
from pages.shell.head import show_notices
from rcmviz.views.ars.payload import ars_html
from rcmviz.views.shared.component import ars


def show(question, opening):
    """The rounds of one run; what cannot be run is said beside the keypad."""
    payload, notes = answer(question)
    if question.tab == "keypad":
        payload |= {"keypad": {"message": question.message, "keys": runs.KEYPAD}}
    if "error" in payload and question.tab == "tagging":
        st.error(sentence(payload["error"]), icon=":material/error:")
        return
    for note in notes:
        st.caption(plain(note))
    ars(payload | placed(payload, opening), key=PAGE.key(f"view.{question.tab}"), on_message=take_message)
    if "error" not in payload:
        show_formula(question.asks)
        save(question)


def answer(question):
    """(Payload, notes); a payload with an error where the question has no answer."""
    try:
        with widgets.waiting("Refining the bound"):
            return dict(runs.payload_of(question)), runs.subject_of(question).notes
    except ValueError as error:
        return {"id": f"error {error}", "error": spoken(error)}, ()


def placed(payload, opening):
    """Where the view begins, as the link says; a proof begins at its first round, draws show all of them."""
    if "error" in payload:
        return {}
    asked = opening.get("round") or (1 if payload["mode"] == "decode" else payload["round"])
    return {"round": min(asked, payload["round"]), "view": opening.get("view"), "held": opening.get("held")}


def save(question):
    """The view as a file."""
    show_footer(
        PAGE,
        lambda: ars_html(runs.payload_of(question), "Adaptive rejection sampling"),
        "ars.html",
        "One file with this view; it plays in it, offline.",
    )


question, opening, notices = open_question()
place = widgets.head()
show_notices(notices)
if question.tab == "keypad":
    widgets.choose_message(question, place)
    show(question, opening)
elif question.tab == "tagging":
    with folded_on_phones(PAGE, f"{question.sentence} · order {question.order}"):
        widgets.choose_sentence(question)
    show(question, opening)
elif question.tab == "compare":
    compare.show(question)
else:
    doctor.show()
