"""Find a word where beam search and RCMS differ: a form over a prepared index of words that the pen writes."""

import json
import random
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages.shell.rerun import rerun
from pages.word.question import Subject
from rcmviz.core.methods import MethodChoice
from rcmviz.evaluation.disagreements import FILTERS

FILE = Path(__file__).with_name("differing_words.json")  # scripts/record_differing_words.py writes it
KINDS = ("sure", "saved", "harmed", "differ", "first-budget", "second-budget")
BUDGETS = (2, 3, 4, 5, 10)
MOST_ALIKE = 4  # words of one kind, budget and length
ANY = "any"


@lru_cache(maxsize=1)
def index():
    """``{(kind, budget): [(word, seed, position of the loss), …]}``, empty lists included."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {(row["kind"], row["budget"]): [tuple(word) for word in row["words"]] for row in rows}


def words_of(kind, budget, length=None):
    """The words of this kind and budget, of one length or of any."""
    return [word for word in index()[kind, budget] if length in (None, len(word[0]))]


def show_finder(page):
    """A button that opens the form; a dialog, since a keyboard does not reach into a popover."""
    if st.button(
        "Find",
        icon=":material/search:",
        width="stretch",
        help="Find a word where beam search and RCMS differ.",
        key=page.key("find"),
    ):
        _show_form(page)


@st.dialog("Find a word where they differ")
def _show_form(page):
    kind = st.selectbox("Disagreement", KINDS, format_func=_sentence, key=page.key("find.kind"))
    left, right = st.columns(2)
    budget = left.selectbox("Budget of both", BUDGETS, index=1, key=page.key("find.budget"))
    lengths = sorted({len(word) for word, *_ in words_of(kind, budget)})
    length = right.selectbox("Letters", [ANY, *lengths], key=page.key("find.length"))
    found = words_of(kind, budget, None if length == ANY else length)
    if st.button(
        "Open a word" if found else "No such word",
        key=page.key("find.open"),
        disabled=not found,
        type="primary",
        width="stretch",
        on_click=_open,
        args=(page, tuple(found), budget),
    ):
        rerun()
    st.caption(f"{len(found)} of {len(_written())} prepared words by the pen; the shipped model reads them.")


def _sentence(kind):
    return FILTERS[kind].said("beam search", "RCMS").removesuffix(".").capitalize().replace("rcms", "RCMS")


def _written():
    return {word[:2] for words in index().values() for word in words}


def _open(page, words, budget):
    """Ask for another word than the present one, if there is one, at the position where it was lost."""
    view = page.view
    others = [word for word in words if word[:2] != (view.subject.text, view.subject.seed)]
    text, seed, position = random.choice(others or words)
    methods = (MethodChoice(view.methods[0].kind, budget),)
    if view.compares:
        methods = (MethodChoice("beam", budget), MethodChoice("rcms", budget))
    page.open_next_run(
        replace(view, subject=Subject(text=text, seed=seed), methods=methods, edits=(), position=position)
    )
