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
    "letters": "Each letter stands for another one, and nobody has the key. *EM* guesses it, counts what fits English, "
    "guesses again. Readings without room are merged by RCMS, dropped by a beam.",
    "words": "Each word of these sentences has become a number, and nobody has the list. EM guesses it, counts what "
    "fits the language, guesses again. Readings without room are merged by RCMS, dropped by a beam.",
}


def view_state(place: Payload) -> Payload:
    """The pass to show, None for the latest."""
    return {"step": place.get("at") or None}


PAGE: Capability[DecipherQuestion, DecipherQuestion] = Capability(
    name="decipher",
    title="Decipher without the key",
    title_widths=(5, 8),
    intro=lambda asked: st.caption(INTROS[asked.kind]),
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
        "*s*: a symbol. *y*: what it may stand for. *p*: how likely *y* is written *s*. *n*: how often it does, "
        "as this pass expects it, and a hundredth more so that nothing is ruled out.",
    ),
    caption=lambda asked, payload: subject_of(asked).description,
    facts=facts,
)
