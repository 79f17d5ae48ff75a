"""The head of a page: its title, a first choice next to it, and notices about its link."""

import streamlit as st

from pages.shell.text import sentence


def page_head(title, label, names, widths=(5, 6), **widget):
    """Draw ``title`` and a choice among ``names`` {value: name}; ``label`` is for screen readers.

    ``widget`` has the key of the choice. Returns the place before the choice, for folded settings.
    """
    left, right = st.columns(widths, vertical_alignment="center")
    left.title(title)
    look = {"horizontal_alignment": "right", "vertical_alignment": "center"}
    with right.container(horizontal=True, key="page-head", **look):
        place = st.container(width="content", key="page-head-place")
        st.segmented_control(
            label,
            format_func=names.get,
            required=True,
            label_visibility="collapsed",
            **{"options": list(names)} | widget,
        )
    return place


def show_notices(notices):
    """Show notices about a link, if there are any."""
    if notices:
        st.warning("  \n".join(map(sentence, notices)), icon=":material/link_off:")
