"""The bar below the view of every page: a caption, the details switch and the button that saves the view."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shell import details
from pages.shell.state import PageState
from pages.shell.text import escape_markdown


def show_footer(
    state: PageState[Any],
    make_html: Callable[[], str],
    file: str,
    help: str,
    caption: str | None = None,
    widths: tuple[int, int] = (7, 3),
) -> None:
    """Draw the bar; ``make_html()`` is saved as ``file``, ``help`` explains the file."""
    text, bar = st.columns(widths, vertical_alignment="center")
    if caption is not None and details.are_shown():
        text.caption(escape_markdown(caption))
    with bar.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", key="page-bar"):
        details.draw_switch(state.key("details"))
        if not details.are_shown():
            return
        st.download_button(
            "Save as HTML",
            make_html,
            file,
            "text/html",
            on_click="ignore",
            icon=":material/download:",
            key=state.key("html"),
            help=help,
        )
