"""Home: where the mass goes in beam search and in RCMS; three ways in; prepared examples as links."""

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

ENTRIES = (
    ("lessons", "school", "Take the course", "Short lessons that ask before they tell."),
    ("your_example", "bug_report", "Debug my example", "See which decision went wrong, and try another one."),
    ("step", "explore", "Try everything", "Begin with a word, step by step; all pages stand below."),
)
URN = (
    "**The T9 urn.** The keys `3637 843 66639 39478 *` could mean 10¹³ messages. Adaptive rejection sampling proves "
    "the best one, or draws from all of them exactly, and remembers no more than its rejections ask for."
)
CIPHER = (
    "**Crack a cipher live.** `FGZ ETDZN VQYGFH GQH UOZA`: the key is not known. EM with reified context models finds "
    "it in a dozen passes; with beam search, which cannot go back, it does not. Pin a letter and continue."
)


def show() -> None:
    """Show the page."""
    st.title("See a model choose what to remember")
    with st.container(key="home-words"):
        st.markdown(STORY)
    with st.container(key="home-picture"):
        _draw_picture()
    for column, entry in zip(st.columns(3), ENTRIES, strict=True):
        with column:
            _draw_entry(*entry)
    st.subheader("All pages", anchor="all-pages")
    _draw_buttons()
    st.subheader("Three words to begin with")
    _draw_examples()
    _draw_line(URN, "ars", ArsQuestion().write())
    _draw_line(CIPHER, "decipher", DecipherQuestion().write())
    real = real_example()
    if real:
        _draw_line(f"**{real.title}.** {real.description}", real.page, real.query)
    else:
        st.caption("For real handwriting run “rcmviz data get ocr”; everything here works without it.")
    st.caption(
        "Reified context models: J. Steinhardt and P. Liang, ICML 2015. Adaptive rejection: S. Carter, M. Dymetman and "
        "G. Bouchard, EMNLP 2012. Problems of your own: the page *Your own example*, or “rcmviz step problem.json” in "
        "a shell."
    )


def _draw_picture() -> None:
    chosen = show_view(HERO, picture(), key="home.picture")
    if isinstance(chosen.closer, dict):  # of a browser: the page that is opened refuses what its link cannot say
        place = {name: str(chosen.closer[name]) for name in ("pos", "phase") if name in chosen.closer}
        st.switch_page(_page("compare"), query_params=COMPARED.write() | place)


def _draw_entry(page: str, icon: str, title: str, said: str) -> None:
    """A way in, and what one finds behind it."""
    with st.container(border=True, gap=None, height="stretch"):
        st.page_link(_page(page), label=f"**{title}**", icon=f":material/{icon}:", width="stretch")
        st.caption(said)


def _draw_buttons() -> None:
    """A button for each page that has one; row by row, for on a phone columns stand below each other."""
    offered = [entry for entry in nav_entries() if entry.card]
    for first in range(0, len(offered), 5):
        for column, entry in zip(st.columns(5), offered[first : first + 5], strict=False):
            if column.button(entry.card, icon=f":material/{entry.icon}:", width="stretch"):
                st.switch_page(_page(entry.name))


def _draw_examples() -> None:
    for column, example in zip(st.columns(3), EXAMPLES, strict=True):
        with column.container(border=True, height="stretch", vertical_alignment="distribute"):  # "Open" on one line
            with st.container():
                st.html(ink(runs.word_of(example.settings.subject).images, example.settings.subject.text))
                st.markdown(f"**{example.title}**")
                st.markdown(example.description)
            _link(example, "Open", "arrow_forward")


def _draw_line(text: str, page: str, query: dict[str, str]) -> None:
    """An example in a line, with a link to it."""
    with st.container(border=True):
        said, link = st.columns([6, 1], vertical_alignment="center")
        said.markdown(text)
        link.page_link(_page(page), label="Open", icon=":material/arrow_forward:", query_params=query)


def _link(card: ExampleCard, label: str, icon: str) -> None:
    st.page_link(_page(card.page), label=label, icon=f":material/{icon}:", query_params=card.query)


def _page(name: str) -> Any:
    return st.session_state["pages"][name]
