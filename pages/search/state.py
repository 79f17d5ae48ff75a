"""One session's Search page: its question, in the widgets and in the link."""

from pages.search.link import SearchQuestion
from pages.shell.state import PageState

PAGE = PageState("search", SearchQuestion())


def open_question():
    """(Question, opening, notices) of this run; the ``opening`` of a link goes for its question and for no other."""
    question, opening, notices = PAGE.open()
    return question, PAGE.opening_of(question, opening), notices
