"""Compare: two or three methods on the same word, side by side."""

import streamlit as st

from pages.home.examples import COMPARED
from pages.shell.folded import folded_on_phones
from pages.word import widgets
from pages.word.declaration import COVERAGE, word_page

TITLE = "Compare methods on one word"


def draw_form(state, question):
    """Draw the word, the methods, rare options, and below them the drawing pad."""
    with folded_on_phones(state, widgets.summary(question), beside=True):
        word, more = st.columns([9, 2], vertical_alignment="bottom")
        with word:
            widgets.choose_word(state, question)
        with more:
            widgets.choose_options(state, question)
        widgets.choose_methods(state)
    widgets.draw_word(state, question)


PAGE = word_page("compare", TITLE, COMPARED, draw_form, head=widgets.head(TITLE), formula=COVERAGE)
