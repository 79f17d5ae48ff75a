"""Your own example: a small problem, pasted or uploaded, with every view of the other pages."""

import streamlit as st

from pages.shell.folded import folded_on_phones
from pages.word import widgets
from pages.word.declaration import COVERAGE, word_page
from pages.your_example import problems
from pages.your_example.verdict import show_verdict


def draw_form(state, question):
    """Draw the problem, the verdict on it, the methods and rare options."""
    problems.choose_problem(state, question)
    show_verdict(state, question)
    with folded_on_phones(state, widgets.summary(question), beside=True):
        methods, more = st.columns([9, 2], vertical_alignment="bottom")
        with methods:
            widgets.choose_methods(state)
        with more:
            widgets.choose_options(state, question)


PAGE = word_page(
    "your_example",
    "Your own example",
    problems.usual_settings(),
    draw_form,
    intro="A problem is a row of positions with scores for labels at each of them. Each method keeps a few prefixes, "
    "its *contexts*; see what it drops or merges.",
    formula=COVERAGE,
)
