"""The views of pages outside of the application: in exported lessons and in the documentation."""

from typing import NamedTuple

from pages.shell.answers import payload_of
from pages.shell.capability import Payload
from pages.shell.question import Question
from pages.shell.registry import page_named


class Drawing(NamedTuple):
    """The name of the ``view``, its ``payload``, and the ``place`` where it opens: fields laid over the payload."""

    view: str
    payload: Payload
    place: Payload


def drawing_of(name: str, question: Question, view_state: Payload) -> Drawing | None:
    """Return the drawing of a question on a page; None if its view needs the application."""
    whole = page_named(name)
    page = whole.at(question)
    if page.offline is not None:
        payload = page.offline(question)
    elif page.draw is not None or page.training is not None:
        payload = None
    else:
        payload = payload_of(whole, question)
        if page.deferred and page.deferred.all_parts:
            payload = payload | page.deferred.all_parts(question)
    place = page.view_state(question.placed() | view_state)
    return None if payload is None else Drawing(page.view.name, payload, place)
