"""Decipher: watch EM read a substitution cipher, pass by pass, and help it with what you know."""

import streamlit as st

from pages.decipher import facts
from pages.decipher.inputs import load
from pages.decipher.question import DecipherQuestion, summary
from pages.decipher.shown import offline_payload
from pages.decipher.texts import subject_of
from pages.decipher.view import draw, take_pin
from pages.shell.capability import Capability, Payload
from pages.shell.formula import Formula
from rcmviz.views.decipher import VIEW

INTROS = {
    "letters": "Each letter has been replaced by another one, and the key is unknown. *EM* guesses a key, counts how "
    "well the text fits English, and guesses again. RCMS merges readings over the budget; a beam drops them.",
    "words": "Each word of these sentences has been replaced by a number. EM guesses the list, counts how "
    "well the text fits the language, and guesses again. RCMS merges readings over the budget; a beam drops them.",
}


def view_state(place: Payload) -> Payload:
    """Return the pass to show, None for the latest."""
    return {"step": place.get("at") or None}


PAGE: Capability[DecipherQuestion, DecipherQuestion] = Capability(
    name="decipher",
    title="Decipher without the key",
    title_widths=(5, 8),
    intro=lambda question: st.caption(INTROS[question.kind]),
    question=DecipherQuestion,
    summary=summary,
    layout="popover",
    load=load,
    draw=draw,
    on_change=take_pin,
    offline=offline_payload,
    view=VIEW,
    view_state=view_state,
    heading=lambda payload: "A cipher being read",
    formula=Formula(
        r"p(s \mid y) \leftarrow \frac{n(s, y)}{\sum_{s'} n(s', y)}",
        "*s*: a symbol. *y*: a letter or word. *p*: the probability that *y* is written *s*. *n*: the expected count "
        "of it in this pass, plus 0.01 so that nothing is ruled out.",
    ),
    caption=lambda question, payload: subject_of(question).description,
    facts=facts,
)
