"""The first line of a page: its title, and beside it what is chosen first."""

import streamlit as st


def page_head(title, label, names, widths=(5, 6), **widget):
    """The ``title``, and a choice among ``names`` {value: name}; ``label`` is read aloud, ``widget`` has the key."""
    left, right = st.columns(widths, vertical_alignment="center")
    left.title(title)
    with right.container(horizontal_alignment="right"):
        st.segmented_control(
            label, format_func=names.get, required=True, label_visibility="collapsed",
            **{"options": list(names)} | widget,
        )  # fmt: skip
