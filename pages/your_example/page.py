"""Your own example: a small problem, pasted or uploaded, with every view of the other pages."""

import streamlit as st

from pages.word import problems, state, widgets
from pages.word.settings import Settings, Subject
from pages.word.view import show_view
from rcmviz.core.methods import MethodChoice

PAGE = "your_example"

start = Subject("problem", problems.packed_sample())
compared = MethodChoice("beam", 2), MethodChoice("rcms", 2)
settings, notices = state.open_page(PAGE, Settings(start, compared, compares=True))
state.restore_widgets(PAGE, settings)

st.title("Your own example")
problems.choose_problem(PAGE, settings)
methods, more = st.columns([9, 2], vertical_alignment="bottom")
with methods:
    widgets.choose_methods(PAGE)
with more:
    widgets.choose_options(PAGE, settings)
show_view(PAGE, notices)
