"""Precision: whom to believe when; a reject slider over the answers of several methods, and the words behind it."""

from typing import Any

import streamlit as st

from pages.precision import blame, facts
from pages.precision.answer import answer, load, step_query
from pages.precision.question import OPENS_WITH, Comparison, summary
from pages.shell.capability import Capability, Deferred
from rcmviz.views.precision import VIEW

INTRO = (
    "A reader may keep silent where it is not sure. The slider sets how many of its answers must be right: "
    r"$\text{precision} = \text{right} \,/\, \text{answered}$. Which method still answers, and how much?"
)


def open_in_step(question: Comparison, events: Any) -> None:
    """Open the word that was clicked, as its method reads it."""
    asked = events.word
    query = step_query(question, asked["word"], question.arms[asked["method"]], asked.get("position", 1))
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
    spinner="Reading the words (the very first time the kernels are compiled: about a minute)",
    view=VIEW,
    view_state=lambda state: {"opening": state or None},
    on_event=open_in_step,
    deferred=Deferred(
        parts=lambda question: {"verdicts": blame.verdicts_of(question)},
        watch=lambda question, parts: blame.look_again(question, parts["verdicts"]),
    ),
    heading=lambda payload: "When to trust an answer",
    facts=facts,
)
