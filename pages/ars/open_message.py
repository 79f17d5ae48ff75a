"""Open the message or sentence of ARS in the player: beam search, RCMS and exact inference, position by position."""

from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from pages.ars.inputs import load
from pages.ars.question import ArsQuestion
from pages.ars.state import STATE
from pages.word.open_line import Line, offer_line, write_line
from rcmviz.core.problems.problem_reader import MAX_TITLE
from rcmviz.tasks.chain import problem_of_hmm


def offer_message(question: ArsQuestion, payload: Any) -> None:
    """Draw the button, or say why the line cannot be opened."""
    offer_line(STATE.key("open_line"), partial(message_problem, question))


def message_problem(question: ArsQuestion) -> Line:
    """Return ``(problem, most, has_exact)`` of a question, as ``write_line``; ValueError says why it cannot be."""
    found: Line = _problem_of(load(question).subject, question.temperature)
    return found


@lru_cache(maxsize=8)
def _problem_of(subject, temperature):
    hmm = replace(subject.hmm, temperature=temperature)
    about = {"gold": subject.gold, "tokens": subject.inputs, "title": subject.title[:MAX_TITLE]}
    return write_line(partial(problem_of_hmm, hmm, **about))
