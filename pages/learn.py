"""Learn: train up to three methods and watch accuracy, confidence and contexts grow."""

import streamlit as st

from _common import learn_state, learn_widgets
from _common.learn_view import show_view
from _common.text import sentence

lesson, notices = learn_state.open_page()
learn_widgets.head()
if notices:
    st.warning("  \n".join(sentence(notice) for notice in notices), icon=":material/link_off:")
if learn_widgets.choose_data(lesson):
    learn_widgets.choose_settings(lesson)
    learn_widgets.choose_methods()
    show_view(lesson)
