"""A formula below a view, where it says in the shortest way what the view shows."""

from dataclasses import dataclass

import streamlit as st

from pages.shell import details


@dataclass(frozen=True)
class Formula:
    """``latex`` as KaTeX reads it, and ``letters``: Markdown that says what each letter means, its names in italics."""

    latex: str
    letters: str


def draw_formula(formula: Formula) -> None:
    """Draw a formula in a line, with its letters next to it, on a phone below it; it belongs to the details."""
    if not details.are_shown():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="formula", gap="medium"):
        st.markdown(rf"$\displaystyle {formula.latex}$", width="content")
        st.caption(formula.letters)
