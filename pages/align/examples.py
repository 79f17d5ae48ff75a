"""Words to begin with on Align, each with what it shows; tests/pages/test_align_page.py holds them to it."""

from dataclasses import dataclass

import streamlit as st

from pages.align.link import OPENING, AlignQuestion
from pages.align.state import PAGE


@dataclass(frozen=True)
class PreparedExample:
    """``name`` on its button · ``question`` that it asks · ``description``, what there is to see."""

    name: str
    question: AlignQuestion
    description: str


STORIES = (
    PreparedExample(
        "keep, 1 context", OPENING,
        "With one context per cell the beam has dropped all alignments of “keep”, and is sure of “ce”. RCMS merged "
        "what it did not keep, and reads it. So does exact inference, which keeps all.",
    ),
    PreparedExample(
        "bright", AlignQuestion(),
        "The model has learnt from this word: RCMS and the beam agree. Go through it with → to see what each keeps.",
    ),
    PreparedExample(
        "language, 5 contexts", AlignQuestion(word="language", keep=5),
        "The model has never seen this word, and both methods misread it. The beam is sure of its answer and "
        "has dropped the right spelling. RCMS merged what it did not keep: it has dropped nothing and is less sure.",
    ),
    PreparedExample(
        "brother, after one epoch", AlignQuestion(word="brother", step=124),
        "A model early in training. Show the *meant spelling* (key p): the beam has kept no "
        "alignment of it, so it could not learn from this word. RCMS covers all of them.",
    ),
)  # fmt: skip


def show_stories(question):
    """A button for each story, and beside them what there is to see of the one that is asked."""
    buttons, text_column = st.columns([6, 6], vertical_alignment="center")
    with buttons.container(horizontal=True, gap="small"):
        for number, story in enumerate(STORIES):
            st.button(
                story.name, key=PAGE.key(f"story.{number}"), disabled=story.question == question,
                on_click=PAGE.change, kwargs=vars(story.question),
            )  # fmt: skip
    chosen = (story.description for story in STORIES if story.question == question)
    text_column.caption(next(chosen, "Words to begin with."))
