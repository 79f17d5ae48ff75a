"""The lattice of the tags of a sentence, with steps and edits as on Step."""

from functools import lru_cache, partial

import streamlit as st

from pages.mrf.question import MrfQuestion
from pages.mrf.state import PAGE
from pages.mrf.taggers import taggers
from pages.shell.capability import Payload
from pages.shell.fragment import fragment
from pages.shell.text import sentence
from pages.word.edits import Edit, arguments
from pages.word.open_line import Line, offer_line, write_line
from pages.word.what_if import show_edits, take_what_if
from rcmviz.core.problems.problem_reader import MAX_TITLE
from rcmviz.tasks.chain import problem_of_hmm
from rcmviz.views.mrf.tagging import build_lattice
from rcmviz.views.shared.component import player


def show_lattice(question: MrfQuestion, payload: Payload) -> None:
    """Draw the lattice of the tagged sentence on demand, and the button that opens the sentence in the player."""
    _show()
    offer_line(PAGE.key("open_line"), partial(sentence_problem, question.tagged))


@fragment
def _show() -> None:
    question = PAGE.view or PAGE.usual
    with st.expander("Step through the lattice", icon=":material/step_over:", expanded=bool(question.edits)):
        shown = st.toggle("Show every context of every word", bool(question.edits), key=PAGE.key("lattice"))
        if not shown:
            return
        try:
            payload = lattice_of(question.tagged, question.edits)
        except ValueError as error:
            st.error(sentence(error), icon=":material/error:")
            show_edits(PAGE)
            return
        show_edits(PAGE)
        player(payload, key=PAGE.key("player"), on_what_if=_take_edit)


def _take_edit() -> None:
    """Handle an edit from the player."""
    request = (st.session_state.get(PAGE.key("player")) or {}).get("what_if")
    if request:
        take_what_if(PAGE, request)


@lru_cache(maxsize=6)
def sentence_problem(tagged: str) -> Line:
    """Return the tags of a sentence as a problem; ValueError says why it cannot be one."""
    field = taggers().field
    words = field.split(tagged)
    about = {"tokens": words, "title": " ".join(words)[:MAX_TITLE]}
    return write_line(partial(problem_of_hmm, field.hmm(words), **about))


@lru_cache(maxsize=6)
def lattice_of(tagged: str, edits: tuple[Edit, ...] = ()) -> Payload:
    """Return the payload of the player: the lattice of a sentence, with what-if edits."""
    call, _ = arguments(edits, "exact")
    payload: Payload = build_lattice(taggers().field, taggers().field.split(tagged), **call)
    return payload
