"""Home: one column of a search twice, dropping and merging; three ways in; prepared examples as links."""

from functools import lru_cache
from typing import Any

import streamlit as st

from pages.ars.question import ArsQuestion
from pages.decipher.question import DecipherQuestion
from pages.home.examples import EXAMPLES, FIRST_MINUTE, ExampleCard, real_example
from pages.shell.registry import nav_entries
from pages.shell.text import ink, sentence
from pages.word import runs
from rcmviz.views.shared.component import show as show_view
from rcmviz.views.shared.packed import pack
from rcmviz.views.word import VIEW

# One below the other on a phone, in the order in which they are read; next to each other where there is room.
STYLE = (
    "<style>@media (min-width:641px){.st-key-home-top{display:grid;"
    "grid-template:'words picture' auto 'doors picture' 1fr/minmax(0,2fr) minmax(0,3fr);gap:0 2.5rem}"
    ".st-key-home-top>:nth-child(1){grid-area:words}"
    ".st-key-home-top>:nth-child(2){grid-area:picture}"
    ".st-key-home-top>:nth-child(3){grid-area:doors;margin-top:1rem}}</style>"
)
DOORS = (
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
    "it in a dozen passes; with beam search, which cannot go back, it does not. Pin a letter and go on."
)


def show() -> None:
    """Show the page."""
    st.html(STYLE)
    st.title("See a model choose what to remember")
    with st.container(key="home-top"):
        words, picture, doors = st.container(), st.container(), st.container(gap="small")
    with words:
        st.markdown(FIRST_MINUTE.story)
        _link(FIRST_MINUTE, "Look closer at this word", "zoom_in")
    with picture:
        _draw_miniature()
    with doors:
        for door in DOORS:
            _draw_door(*door)
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


@lru_cache(maxsize=1)
def _miniature() -> Any:
    settings = FIRST_MINUTE.settings
    payload = runs.payload_of(settings.subject, settings.methods, settings.options, settings.edits, "mini")
    return pack(payload | {"position": settings.position, "node": settings.node})


def _draw_miniature() -> None:
    try:
        show_view(VIEW, _miniature(), key="home.player")
    except ValueError as error:
        st.error(sentence(error))


def _draw_door(page: str, icon: str, title: str, said: str) -> None:
    """A way in, and what one finds behind it."""
    with st.container(border=True, gap=None):
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
