"""Open the message or sentence of ARS in the player: beam search, RCMS and exact inference, position by position."""

from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from pages.ars.inputs import load
from pages.ars.question import ArsQuestion
from pages.ars.state import STATE
from pages.shell.text import sentence
from pages.word.open_line import EXACT, LABEL, open_line, write_line
from rcmviz.core.methods import MethodChoice
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_reader import MAX_TITLE
from rcmviz.tasks.chain import problem_of_hmm

BUDGET = 5


def offer_message(question: ArsQuestion, payload: Any) -> None:
    """Draw the button, or say why the line cannot be opened."""
    try:
        problem, most, has_exact = message_problem(question)
    except ValueError as error:
        st.caption(sentence(error))
        return
    methods = [MethodChoice("beam", BUDGET), MethodChoice("rcms", BUDGET), *([EXACT] if has_exact else [])]
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(LABEL, icon=":material/open_in_new:", key=STATE.key("open_line")):
            open_line(problem, methods)
        st.caption(_explain(most, has_exact), width="content")


def message_problem(question: ArsQuestion) -> tuple[Problem, int | None, bool]:
    """Return ``(problem, most, has_exact)`` of a question, as ``write_line``; ValueError says why it cannot be."""
    found: tuple[Problem, int | None, bool] = _problem_of(load(question).subject, question.temperature)
    return found


@lru_cache(maxsize=8)
def _problem_of(subject, temperature):
    hmm = replace(subject.hmm, temperature=temperature)
    about = {"gold": subject.gold, "tokens": subject.inputs, "title": subject.title[:MAX_TITLE]}
    return write_line(partial(problem_of_hmm, hmm, **about))


def _explain(most: int | None, has_exact: bool) -> str:
    """Say what is opened."""
    kept = "All candidates" if most is None else f"The {most} likeliest candidates of each position"
    return f"{kept}, under beam search{', RCMS and exact inference' if has_exact else ' and RCMS'}."
