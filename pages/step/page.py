"""Step: one word, one method, position by position."""

import streamlit as st

from pages.shell.folded import folded_on_phones
from pages.word import widgets
from pages.word.declaration import word_page
from pages.word.question import WordQuestion

TITLE = "Step through context selection"


def draw_form(state, question):
    """Draw the word, the method, rare options, and below them the drawing pad."""
    with folded_on_phones(state, widgets.summary(question), beside=True):
        word, method, more = st.columns([14.5, 10, 3.3], vertical_alignment="bottom")
        with word:
            widgets.choose_word(state, question)
        with method:
            widgets.choose_method(state, question)
        with more:
            widgets.choose_options(state, question)
        widgets.choose_checkpoint(state, question)
    widgets.draw_word(state, question)


PAGE = word_page("step", TITLE, WordQuestion(), draw_form, head=widgets.head(TITLE))
