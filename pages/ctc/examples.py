"""Readings to begin with on CTC, each with what it shows; tests/pages/test_ctc_page.py holds them to it."""

from dataclasses import dataclass

import streamlit as st

from pages.ctc.link import NO_MODEL, CtcQuestion
from pages.ctc.state import PAGE


@dataclass(frozen=True)
class PreparedReading:
    """``name`` on its button · ``question`` that it asks · ``description``, what there is to see."""

    name: str
    question: CtcQuestion
    description: str


STORIES = (
    PreparedReading(
        "RCMS, 5 contexts", CtcQuestion(),
        "RCMS merges what it has no room for. It finds “i know that he is here”, and says how little five contexts "
        "can know: it is 13 % sure.",
    ),
    PreparedReading(
        "A beam of 5", CtcQuestion(method="beam"),
        "With the same room a beam has dropped what is right, and is 96 % sure of “i know that he showere”. The star "
        "says at which frame it was lost.",
    ),
    PreparedReading(
        "20 contexts", CtcQuestion(budget=20),
        "With more room RCMS is 69 % sure of what is right; a beam of 20 finds it too, and is 89 % sure.",
    ),
    PreparedReading(
        "A model of words", CtcQuestion(lm="lm-english-words", budget=20),
        "A model of 10,000 words in place of one of letters: contexts are words and the beginning of one. It reads the "
        "same, 68 % sure.",
    ),
    PreparedReading(
        "The frames alone", CtcQuestion(lm=NO_MODEL, method="exact"),
        "Without a language model every letter that the noise suggests is written. Exact needs one context per letter "
        "then.",
    ),
)  # fmt: skip


def show_stories(question):
    """A button for each story, and beside them what there is to see of the one that is asked."""
    buttons, text_column = st.columns([8, 5], vertical_alignment="center")
    with buttons.container(horizontal=True, gap="small"):
        for number, story in enumerate(STORIES):
            st.button(
                story.name, key=PAGE.key(f"story.{number}"), disabled=story.question == question,
                on_click=PAGE.change, kwargs=vars(story.question),
            )  # fmt: skip
    chosen = (story.description for story in STORIES if story.question == question)
    text_column.caption(next(chosen, "Readings to begin with."))
