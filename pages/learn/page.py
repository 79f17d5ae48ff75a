"""Learn: train up to three methods and watch accuracy, confidence and contexts grow."""

import streamlit as st

from pages.learn import state, widgets
from pages.learn.view import show_view
from pages.shared.text import sentence

plan, _, notices = state.PAGE.open()
widgets.head()
if notices:
    st.warning("  \n".join(sentence(notice) for notice in notices), icon=":material/link_off:")
if widgets.choose_data(plan):
    widgets.choose_settings(plan)
    widgets.choose_methods()
    show_view(plan)
