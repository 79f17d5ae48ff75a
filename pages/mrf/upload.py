"""Hand-drawn controls of Learning live: a pasted text, and the words of the map of pairs."""

import streamlit as st

from pages.mrf import texts
from pages.shell.uploads import draw_take_button, draw_text_uploader, file_or_pasted

MOST_PASTED = 20_000  # characters shown in a field


def choose_text(state, question, field):
    """Draw the fields of a text, pasted or from a file."""
    st.session_state.setdefault(state.key("own.text"), texts.UPLOADS.get(question.upload, "")[:MOST_PASTED])
    pasted, file = st.columns([3, 2], vertical_alignment="bottom")
    pasted.text_area("One sentence per line", key=state.key("own.text"), height=120)
    draw_text_uploader(file, state, "Or a text file")
    draw_take_button(file, state, "Take this", _take_text)


def _take_text(state):
    state.change(upload=texts.keep_text(file_or_pasted(state, "own.text")))


def choose_words(state, question, field):
    """Draw the choice of mapped words, if there is a text."""
    try:
        known = texts.text_of(question).vocabulary.words
    except ValueError:
        return
    st.multiselect(
        "Words of the map of pairs",
        sorted(known),
        key=state.key(field),
        max_selections=texts.MOST_MAPPED,
        placeholder="the twelve commonest; type to add words",
    )
