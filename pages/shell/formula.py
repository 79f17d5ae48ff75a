"""A formula below a view."""

from dataclasses import dataclass

import streamlit as st

from pages.shell import details


@dataclass(frozen=True)
class Formula:
    """``latex`` for KaTeX, and ``letters``: Markdown that explains each symbol, with the symbols in italics."""

    latex: str
    letters: str


def draw_formula(formula: Formula) -> None:
    """Draw a formula with its legend next to it, on a phone below it; hidden without details."""
    if not details.are_shown():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="formula", gap="medium"):
        st.markdown(rf"$\displaystyle {formula.latex}$", width="content")
        st.caption(formula.letters)
