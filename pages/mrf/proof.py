"""A sentence with a blank, typed on a phone: adaptive rejection proves the best reading under the field."""

from functools import lru_cache

import streamlit as st

import rcmviz as rv
from pages.mrf.code import proof_code
from pages.mrf.models import model_of
from pages.mrf.question import MrfQuestion
from pages.mrf.state import PAGE
from pages.shell.capability import Payload
from pages.shell.text import sentence
from rcmviz.tasks.sms.mrf import read_with_field
from rcmviz.views.ars import VIEW as ARS
from rcmviz.views.ars.payload import build_ars
from rcmviz.views.shared.component import show

MOST_ROUNDS, SECONDS = 3_000, 20.0
HELP = (
    "Only the keys of each word are known, and nothing of the blank. Adaptive rejection lowers its bound on the best "
    "sentence under the field, round by round, until a sentence reaches it and is therefore the best."
)


def show_proof(question: MrfQuestion, payload: Payload) -> None:
    """Draw the sentence typed on a phone, and the proof of the best sentence under the field."""
    st.toggle("Type it on a phone and prove the best sentence", key=PAGE.key("prove"), help=HELP)
    if not question.prove:
        return
    try:
        with st.spinner("Proving", show_time=True):
            proof = proof_of(question.relevant())
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    show(ARS, proof, key=PAGE.key("proof"))


@lru_cache(maxsize=6)
def proof_of(question: MrfQuestion) -> Payload:
    """Return the payload of the ARS view: bounds until the best sentence is proved. ValueError says what to do."""
    message, hmm = read_with_field(model_of(question.model).field, question.sentence)
    best, trace = rv.ars_decode(hmm, max_iterations=MOST_ROUNDS, seconds=SECONDS)
    payload: Payload = build_ars(
        trace, best, title=question.sentence, inputs=message.keys, gold=message.meant, code=proof_code(question)
    )
    return payload | {"inside": True}
