"""One session's CTC page: its question, in the widgets and in the link."""

from pages.ctc.link import CtcQuestion
from pages.shared.linked_page import Page

PAGE = Page("ctc", CtcQuestion())


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    question, opening, notices = PAGE.open()
    return question, PAGE.opening_of(question, opening), notices
