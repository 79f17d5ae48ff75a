"""One session's ARS page: its question, in the widgets and in the link."""

import streamlit as st

from pages.ars.link import ArsQuestion
from pages.shell.state import PageState

PAGE = PageState("ars", ArsQuestion())


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    question, opening, notices = PAGE.open()
    return question, PAGE.opening_of(question, opening), notices


def take_message():
    """What was typed on the keypad."""
    message = st.session_state[PAGE.key("view.keypad")].get("message")
    if message is not None:
        PAGE.change(message=message)
