"""Three words to begin with on Align, each with what it shows; tests/pages/test_align_page.py holds them to it."""

from dataclasses import dataclass

import streamlit as st

from pages.align.link import Question
from pages.align.state import PAGE


@dataclass(frozen=True)
class Story:
    """``name`` on its button · ``question`` that it asks · ``told``, what there is to see."""

    name: str
    question: Question
    told: str


STORIES = (
    Story(
        "bright", Question(),
        "The model has learnt from this word: RCMS and the beam agree. Go through it with → to see what each keeps.",
    ),
    Story(
        "language, 5 contexts", Question(word="language", keep=5),
        "Never seen by the model, and misread by both. The beam is sure of it and has lost the meant spelling; RCMS, "
        "which merged what it did not keep, is not sure and has lost none.",
    ),
    Story(
        "brother, after one epoch", Question(word="brother", step=124),
        "A young model. Ask for the *meant spelling* (key p): the beam has kept no alignment of it, so it could not "
        "learn from this word. RCMS has them all.",
    ),
)  # fmt: skip


def show_stories(question):
    """A button for each story, and beside them what is told of the one that is asked."""
    buttons, told = st.columns([5, 7], vertical_alignment="center")
    with buttons.container(horizontal=True, gap="small"):
        for number, story in enumerate(STORIES):
            st.button(
                story.name, key=PAGE.key(f"story.{number}"), disabled=story.question == question,
                on_click=PAGE.change, kwargs=vars(story.question),
            )  # fmt: skip
    told.caption(next((story.told for story in STORIES if story.question == question), "Three words to begin with."))
