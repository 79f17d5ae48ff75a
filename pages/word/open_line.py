"""Open a line of another page as a problem in Your own example; the browser's Back returns."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.shell.text import escape_markdown, sentence
from pages.word.question import MAX_LETTERS, Subject, WordQuestion
from pages.word.runs import pack_problem
from rcmviz.core.methods import MethodChoice
from rcmviz.core.problems.problem import Problem
from rcmviz.tasks.chain import LineTooLarge, largest_problem
from rcmviz.views.mass_flow.word import MOST_ARCS

LABEL = "Open this line in the player"
CHOICES = (None, 20, 12, 8, 6, 4)  # candidates of each position
EXACT = MethodChoice("exact")
USUAL = MethodChoice("beam", 5), MethodChoice("rcms", 5)
Line = tuple[Problem, int | None, bool]  # as ``write_line`` returns it


def write_line(write: Callable[..., Problem]) -> Line:
    """Return ``(problem, most, has_exact)`` of ``write(most=…, max_arcs=…)``, as ``problem_of_hmm`` takes them.

    Exact inference, if its picture can be drawn, comes before more candidates. LineTooLarge if nothing fits.
    """
    try:
        problem, most = largest_problem(write, CHOICES, max_arcs=MOST_ARCS)
        has_exact = True
    except LineTooLarge:
        problem, most = largest_problem(write, CHOICES)
        has_exact = False
    if problem.T > MAX_LETTERS:
        raise LineTooLarge
    return problem, most, has_exact


def offer_line(key: str, make: Callable[[], Line]) -> None:
    """Draw the button that opens a line under beam search and RCMS, or say why it cannot be opened.

    ``key`` is that of the button; ``make()`` returns what ``write_line`` returns and is called at each run of the page.
    """
    try:
        problem, most, has_exact = make()
    except ValueError as error:
        st.caption(sentence(error))
        return
    kept = "All candidates" if most is None else f"The {most} likeliest candidates of each position"
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(LABEL, icon=":material/open_in_new:", key=key):
            open_line(problem, [*USUAL, *([EXACT] if has_exact else [])])
        methods = "beam search, RCMS and exact inference" if has_exact else "beam search and RCMS"
        st.caption(escape_markdown(f"{kept}, under {methods}."), width="content")


def opening_query(problem: Problem, methods: Sequence[MethodChoice]) -> dict[str, str]:
    """Return the link of Your own example to a problem under these methods."""
    subject = Subject("problem", pack_problem(problem.to_json()))
    query: dict[str, str] = WordQuestion(subject, tuple(methods), compares=True).write()
    return query


def open_line(problem: Problem, methods: Sequence[MethodChoice]) -> None:
    """Leave this page for Your own example with the problem."""
    st.switch_page(st.session_state["pages"]["your_example"], query_params=opening_query(problem, methods))
