"""One session's question: kept in the session, shown in the widgets, written to the link."""

from dataclasses import fields

import streamlit as st

from pages.ars.settings import PLACE, QUESTION, Question, read_question, write_question
from pages.shared.linked import Linked
from pages.word.state import key

PAGE = "ars"
VIEW = key(PAGE, "view.keypad")
WIDGETS = tuple(field.name for field in fields(Question) if field.name != "message")  # the keypad tells that itself
_QUESTION = Linked(PAGE, Question(), WIDGETS, read_question, write_question, QUESTION, PLACE)


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    question, opening, notices = _QUESTION.open()
    return question, _QUESTION.opening_of(question, opening), notices


def change(**changes):
    """A callback's change of the question."""
    _QUESTION.change(**changes)


def take_message():
    """What was typed on the keypad."""
    message = st.session_state[VIEW].get("message")
    if message is not None:
        change(message=message)
