"""Decipher: watch EM read a substitution cipher, pass by pass, and help it with what you know."""

import streamlit as st

from pages.decipher import widgets
from pages.decipher.run import numbered, subject_of, warm_up
from pages.decipher.state import PAGE, open_puzzle
from pages.decipher.view import show_view
from pages.shared.text import sentence
from pages.shell.errors import NeedsInput
from pages.shell.head import show_notices
from rcmviz.jobs.host import this_host

this_host().warm_up(warm_up)
puzzle, opening, notices = open_puzzle()
widgets.head(puzzle)
show_notices(notices)
widgets.give_text(puzzle)
try:
    numbered(subject_of(puzzle).layout, dict(puzzle.pins))
except NeedsInput as prompt:
    st.info(sentence(prompt), icon=":material/edit_note:")
except ValueError as error:
    st.error(sentence(error), icon=":material/error:")
    if puzzle.pins:
        st.button("Free what is pinned", on_click=PAGE.change, kwargs={"pins": ()}, icon=":material/lock_open:")
else:
    show_view(puzzle, opening)
