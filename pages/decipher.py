"""Decipher: watch EM read a substitution cipher, pass by pass, and help it with what you know."""

import streamlit as st

from _common import decipher_state, decipher_widgets
from _common.decipher_run import numbered, subject_of, warm_up
from _common.decipher_texts import NothingYet
from _common.decipher_view import show_view
from _common.text import sentence
from rcmviz.learn.host import this_host

this_host().warm_up(warm_up)
puzzle, opening, notices = decipher_state.open_puzzle()
decipher_widgets.head()
if notices:
    st.warning("  \n".join(map(sentence, notices)), icon=":material/link_off:")
decipher_widgets.choose_cipher(puzzle)
try:
    numbered(subject_of(puzzle).board, dict(puzzle.pins))
except NothingYet as prompt:
    st.info(sentence(prompt), icon=":material/edit_note:")
except ValueError as error:
    st.error(sentence(error), icon=":material/error:")
    if puzzle.pins:
        st.button(
            "Free what is pinned", on_click=decipher_state.change, kwargs={"pins": ()}, icon=":material/lock_open:"
        )
else:
    show_view(puzzle, opening)
