"""Your own example: a small problem, pasted or uploaded, with every view of the other pages."""

import streamlit as st

from pages.word import widgets
from pages.word.state import WordPage
from pages.word.view import show_view
from pages.your_example import problems

PAGE = WordPage("your_example", problems.usual_settings())
settings, notices = PAGE.open()

st.title("Your own example")
problems.choose_problem(PAGE, settings)
methods, more = st.columns([9, 2], vertical_alignment="bottom")
with methods:
    widgets.choose_methods(PAGE)
with more:
    widgets.choose_options(PAGE, settings)
show_view(PAGE, notices)
