"""The controls of Learning live that are drawn by hand: a text of one's own, the words whose pairs are mapped."""

import streamlit as st

from pages.field import texts
from pages.shell.text import sentence
from pages.shell.uploads import file_or_pasted

MOST_PASTED = 20_000  # characters shown in a field


def choose_text(state, question, field):
    """A text of one's own, pasted or from a file."""
    st.session_state.setdefault(state.key("own.text"), texts.UPLOADS.get(question.upload, "")[:MOST_PASTED])
    pasted, file = st.columns([3, 2], vertical_alignment="bottom")
    pasted.text_area("A sentence a line", key=state.key("own.text"), height=120)
    file.file_uploader(
        "Or a text file",
        "txt",
        key=state.key("own.file"),
        max_upload_size=1,
        help="It is read on this machine, and taken instead of what stands beside it.",
    )
    file.button("Take this", on_click=_take_text, args=(state,), key=state.key("own.take"), icon=":material/check:")
    refused = st.session_state.pop(state.key("own.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take_text(state):
    try:
        state.change(upload=texts.keep_text(file_or_pasted(state, "own.text")))
    except ValueError as error:
        st.session_state[state.key("own.refused")] = str(error)


def choose_words(state, question, field):
    """Whose pairs are mapped; nothing to choose if there is no text."""
    try:
        known = texts.text_of(question).vocabulary.words
    except ValueError:
        return
    st.multiselect(
        "Words of the map of pairs",
        sorted(known),
        key=state.key(field),
        max_selections=texts.MOST_MAPPED,
        placeholder="the twelve commonest; type a word to choose others",
    )
