"""Step: one word, one method, position by position."""

import streamlit as st

from pages.shell.folded import folded_on_phones
from pages.word import widgets
from pages.word.link import Settings
from pages.word.state import WordPage
from pages.word.view import show_view

PAGE = WordPage("step", Settings())
settings, notices = PAGE.open()

widgets.head(PAGE, "Step through context selection")
with folded_on_phones(PAGE, widgets.summary(settings), beside=True):
    word, method, more = st.columns([12, 9, 4], vertical_alignment="bottom")
    with word:
        widgets.choose_word(PAGE, settings)
    with method:
        widgets.choose_method(PAGE, settings)
    with more:
        widgets.choose_options(PAGE, settings)
    widgets.choose_checkpoint(PAGE, settings)
if settings.subject.source == "drawn":
    widgets.draw_word(PAGE, settings)
show_view(PAGE, notices)
