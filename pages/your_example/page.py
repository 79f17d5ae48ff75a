"""Your own example: a small problem, pasted or uploaded, with every view of the other pages."""

import streamlit as st

from pages.shell.folded import folded_on_phones
from pages.word import widgets
from pages.word.state import WordPage
from pages.word.view import show_view
from pages.your_example import problems

PAGE = WordPage("your_example", problems.usual_settings())
settings, notices = PAGE.open()

st.title("Your own example")
st.caption(
    "A problem is a row of positions, and at each of them some labels with scores. Each method keeps a few beginnings, "
    "its *contexts*; see what it drops or merges."
)
problems.choose_problem(PAGE, settings)
with folded_on_phones(PAGE, widgets.summary(settings), beside=True):
    methods, more = st.columns([9, 2], vertical_alignment="bottom")
    with methods:
        widgets.choose_methods(PAGE)
    with more:
        widgets.choose_options(PAGE, settings)
show_view(PAGE, notices)
