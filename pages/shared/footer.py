"""The last line of a page: what is seen in a few words, and the view as a file."""

import streamlit as st

from pages.shared.text import plain


def show_footer(page, make_html, file, help, caption=None, widths=(7, 2)):
    """A button that saves what ``make_html()`` returns as ``file``; on the left of it, where there is one, the
    ``caption``. ``page`` gives the button its key, ``help`` says what the file can do.
    """
    place = st
    if caption is not None:
        text_column, place = st.columns(widths, vertical_alignment="center")
        text_column.caption(plain(caption))
    with place.container(horizontal_alignment="right"):
        st.download_button(
            "Save as HTML",
            make_html,
            file,
            "text/html",
            on_click="ignore",
            icon=":material/download:",
            key=page.key("html"),
            help=help,
        )
