"""Compare: two or three methods on the same word, side by side."""

import streamlit as st

from pages.home.examples import COMPARED
from pages.shell.folded import folded_on_phones
from pages.word import widgets
from pages.word.state import WordPage
from pages.word.view import show_view

PAGE = WordPage("compare", COMPARED)
settings, notices = PAGE.open()

widgets.head(PAGE, "Compare methods on one word")
with folded_on_phones(PAGE, widgets.summary(settings), beside=True):
    word, more = st.columns([9, 2], vertical_alignment="bottom")
    with word:
        widgets.choose_word(PAGE, settings)
    with more:
        widgets.choose_options(PAGE, settings)
    widgets.choose_methods(PAGE)
if settings.subject.source == "drawn":
    widgets.draw_word(PAGE, settings)
show_view(PAGE, notices)
