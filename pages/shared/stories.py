"""Questions to begin with on a page, each with what it shows."""

from dataclasses import dataclass

import streamlit as st

from pages.shell.link import Link
from pages.shell.state import PageState


@dataclass(frozen=True)
class Story:
    """``name`` on its button · ``question`` that it asks · ``description``, what there is to see."""

    name: str
    question: Link
    description: str


def show_stories(page: PageState, stories, question, widths, otherwise):
    """A button for each story, and beside them what there is to see of the one that is asked, or ``otherwise``."""
    buttons, text_column = st.columns(widths, vertical_alignment="center")
    with buttons.container(horizontal=True, gap="small"):
        for number, story in enumerate(stories):
            st.button(
                story.name,
                key=page.key(f"story.{number}"),
                disabled=story.question == question,
                on_click=page.change,
                kwargs=vars(story.question),
            )
    chosen = (story.description for story in stories if story.question == question)
    text_column.caption(next(chosen, otherwise))
