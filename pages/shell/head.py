"""The head of a page: its title, beside it what is chosen first, and what its link asked for in vain."""

import streamlit as st

from pages.shell.text import sentence


def page_head(title, label, names, widths=(5, 6), **widget):
    """The ``title``, and a choice among ``names`` {value: name}; ``label`` is read aloud, ``widget`` has the key.

    Returns the place before that choice: settings that are folded stand there.
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
    """What the link asked for and could not be had, if anything."""
    if notices:
        st.warning("  \n".join(map(sentence, notices)), icon=":material/link_off:")
