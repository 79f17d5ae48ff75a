"""Precision: a threshold for the answers of several methods, and the words behind it."""

from typing import Any

import streamlit as st

from pages.precision import blame, facts
from pages.precision.answer import answer, load, step_query
from pages.precision.question import OPENS_WITH, Comparison, summary
from pages.shell.capability import Capability, Deferred
from rcmviz.views.precision import VIEW

INTRO = (
    "A reader may refuse words of which it is not sure. The slider sets how many of its answers must be right: "
    r"$\text{precision} = \text{right} \,/\, \text{answered}$. Which method still answers, and how many words?"
)


def open_in_step(question: Comparison, events: Any) -> None:
    """Open the clicked word in Step with its method."""
    clicked = events.word
    query = step_query(question, clicked["word"], question.arms[clicked["method"]], clicked.get("position", 1))
    st.switch_page(st.session_state["pages"]["step"], query_params=query)


PAGE: Capability[Comparison, Comparison] = Capability(
    name="precision",
    title="Precision: when to trust an answer",
    intro=lambda question: st.markdown(INTRO),
    question=Comparison,
    opens_with=OPENS_WITH,
    layout="popover",
    summary=summary,
    load=load,
    answer=answer,
    spinner="Reading the words (compiles kernels at first use: about a minute)",
    view=VIEW,
    view_state=lambda state: {"opening": state or None},
    on_event=open_in_step,
    deferred=Deferred(
        parts=lambda question: {"verdicts": blame.verdicts_of(question)},
        watch=lambda question, parts: blame.rerun_on_verdicts(question, parts["verdicts"]),
    ),
    heading=lambda payload: "When to trust an answer",
    facts=facts,
)
