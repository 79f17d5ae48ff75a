"""Home: the mass in beam search and in RCMS; three ways to begin; all pages; examples as links."""

from typing import Any

import streamlit as st

from pages.ars.question import ArsQuestion
from pages.decipher.question import DecipherQuestion
from pages.home.examples import COMPARED, EXAMPLES, STORY, ExampleCard, real_example
from pages.home.picture import picture
from pages.shell.registry import nav_entries
from pages.shell.text import ink
from pages.word import runs
from rcmviz.views.mass_flow import HERO
from rcmviz.views.shared.component import show as show_view

ENTRY_POINTS = (
    ("lessons", "school", "Take the course", "Short lessons with questions and tasks."),
    ("your_example", "bug_report", "Debug my example", "See which decision was wrong, and change it."),
    ("step", "explore", "Try everything", "Begin with one word; all pages are listed below."),
)
URN = (
    "**The T9 urn.** The keys `3637 843 66639 39478 *` could mean 10¹³ messages. Adaptive rejection sampling proves "
    "the best one, or draws from all of them exactly, with only as much memory as rejections require."
)
CIPHER = (
    "**Crack a cipher live.** `FGZ ETDZN VQYGFH GQH UOZA`: the key is unknown. EM with reified context models finds it "
    "in a dozen passes; with beam search, which cannot go back, it does not. Pin a letter to help it."
)


def show() -> None:
    """Show the page."""
    st.title("See a model choose what to remember")
    with st.container(key="home-words"):
        st.markdown(STORY)
    with st.container(key="home-picture"):
        _draw_picture()
    for column, entry_point in zip(st.columns(3), ENTRY_POINTS, strict=True):
        with column:
            _draw_entry_point(*entry_point)
    st.subheader("All pages", anchor="all-pages")
    _draw_buttons()
    st.subheader("Three example words")
    _draw_examples()
    _draw_line(URN, "ars", ArsQuestion().write())
    _draw_line(CIPHER, "decipher", DecipherQuestion().write())
    real = real_example()
    if real:
        _draw_line(f"**{real.title}.** {real.description}", real.page, real.query)
    else:
        st.caption("For real handwriting run “rcmviz data get ocr”; it is optional.")
    st.caption(
        "Reified context models: J. Steinhardt and P. Liang, ICML 2015. Adaptive rejection: S. Carter, M. Dymetman and "
        "G. Bouchard, EMNLP 2012. For your own problems use the page *Your own example*, or “rcmviz step problem.json” "
        "on the command line."
    )


def _draw_picture() -> None:
    chosen = show_view(HERO, picture(), key="home.picture")
    if isinstance(chosen.closer, dict):  # unchecked; the opened page refuses invalid values
        place = {name: str(chosen.closer[name]) for name in ("pos", "phase") if name in chosen.closer}
        st.switch_page(_page("compare"), query_params=COMPARED.write() | place)


def _draw_entry_point(page: str, icon: str, title: str, description: str) -> None:
    """Draw a link to a page with its description."""
    with st.container(border=True, gap=None, height="stretch"):
        st.page_link(_page(page), label=f"**{title}**", icon=f":material/{icon}:", width="stretch")
        st.caption(description)


def _draw_buttons() -> None:
    """Draw a button for each page that has one, row by row, so that phones keep the order."""
    offered = [entry for entry in nav_entries() if entry.card]
    for first in range(0, len(offered), 5):
        for column, entry in zip(st.columns(5), offered[first : first + 5], strict=False):
            if column.button(entry.card, icon=f":material/{entry.icon}:", width="stretch"):
                st.switch_page(_page(entry.name))


def _draw_examples() -> None:
    for column, example in zip(st.columns(3), EXAMPLES, strict=True):
        with column.container(border=True, height="stretch", vertical_alignment="distribute"):  # aligns "Open"
            with st.container():
                st.html(ink(runs.word_of(example.settings.subject).images, example.settings.subject.text))
                st.markdown(f"**{example.title}**")
                st.markdown(example.description)
            _link(example, "Open", "arrow_forward")


def _draw_line(text: str, page: str, query: dict[str, str]) -> None:
    """Draw an example in a line, with a link to it."""
    with st.container(border=True):
        body, link = st.columns([6, 1], vertical_alignment="center")
        body.markdown(text)
        link.page_link(_page(page), label="Open", icon=":material/arrow_forward:", query_params=query)


def _link(card: ExampleCard, label: str, icon: str) -> None:
    st.page_link(_page(card.page), label=label, icon=f":material/{icon}:", query_params=card.query)


def _page(name: str) -> Any:
    return st.session_state["pages"][name]
