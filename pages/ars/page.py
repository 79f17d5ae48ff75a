"""ARS: typing on a keypad with a proved best message or exact draws; tagging; comparison; check of ARPA files."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.ars import doctor, facts
from pages.ars.answer import answer, seconds
from pages.ars.code import reproducing_code
from pages.ars.compare import comparison
from pages.ars.inputs import ArsInputs, load
from pages.ars.open_message import offer_message
from pages.ars.question import COMPARED, COMPARED_STORY, LONGEST, ArsQuestion, summary
from pages.ars.state import ArsState
from pages.shell.capability import Capability, Tab
from pages.shell.formula import Formula
from pages.shell.state import PageState
from rcmviz.views.ars import RACE, VIEW

COMPILED = "(compiles kernels at first use: about a minute)"
INTRO = (
    "Adaptive rejection sampling (ARS): a bound q is never below the probability p. Its best sequence is tried, and q "
    "is corrected where it was too high, until that sequence is proved best."
)
FORMULAS = {
    "decode": Formula(
        r"p(x) \le q(x) \qquad q(\hat{x}) = \max_x q(x) = p(\hat{x}) \;\Rightarrow\; p(x) \le p(\hat{x})",
        "*x*: any sequence of words or tags. *p*: its probability. *q*: an upper bound that is easy to search. *x̂*: "
        "the best sequence under *q*; if *p* equals *q* there, no sequence is better.",
    ),
    "sample": Formula(
        r"x \sim q, \quad \text{accepted with probability}\ \frac{p(x)}{q(x)} \le 1",
        "*x*: a sequence drawn from *q*. *q*: an upper bound that is easy to draw from. *p*: the probability of *x*. "
        "Accepted sequences are exact draws from *p*.",
    ),
}


def take_message(state: PageState[ArsQuestion], sent: Mapping[str, Any]) -> None:
    """Take the message typed on the keypad."""
    if sent["message"] is not None:
        state.change(message=sent["message"][:LONGEST])


def explain_example(state: PageState[ArsQuestion], question: ArsQuestion) -> None:
    """Explain the opening example of the comparison."""
    if question.relevant() == COMPARED.relevant():
        st.markdown(COMPARED_STORY)


def rounds(**more: Any) -> Tab[ArsQuestion, ArsInputs]:
    """Return a tab with the rounds of one run."""
    return Tab(
        answer=answer,
        code=lambda question, inputs: reproducing_code(question),
        spinner=f"Refining the bound {COMPILED}",
        formula=lambda question: FORMULAS[question.asks],
        heading=lambda payload: "Adaptive rejection sampling",
        **more,
    )


PAGE: Capability[ArsQuestion, ArsInputs] = Capability(
    name="ars",
    title="ARS: exact by adaptive rejection",
    title_widths=(5, 8),
    question=ArsQuestion,
    state_class=ArsState,
    summary=summary,
    labels="above",
    load=load,
    seconds=seconds,
    notes=lambda inputs: inputs.subject.notes,
    view=VIEW,
    above=explain_example,
    below=offer_message,
    tabs={
        "keypad": rounds(layout="popover", on_change=take_message),
        "tagging": rounds(intro=INTRO),
        "compare": Tab(answer=comparison, view=RACE, spinner=f"Running every method {COMPILED}"),
        "doctor": Tab(
            load=lambda question: question, notes=lambda question: (), draw=lambda question, view_state: doctor.show()
        ),
    },
    facts=facts,
)
