"""The navigation: one page per file beside this one. Streamlit runs it before every page."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:  # pages are imported by their full name, wherever the application was started
    sys.path.insert(0, str(HERE.parent))

from pages.shared import training_line  # noqa: E402

# The icon is a file of ours: Streamlit would fetch a ":material/…:" one from Google.
st.set_page_config(page_title="rcmviz", page_icon=HERE / "icon.svg", layout="wide")

# Streamlit leaves 68 pixels to a title and 75 above it; the trees should be seen without scrolling.
st.html(
    "<style>[data-testid=stMainBlockContainer]{padding-top:62px;padding-bottom:48px}"
    "[data-testid=stHeading] h1{padding:0 0 8px}</style>"
)

PAGES = {
    "home": st.Page(HERE / "home/page.py", title="Home", icon=":material/home:", default=True),
    "step": st.Page(HERE / "step/page.py", title="Step", icon=":material/step_over:", url_path="step"),
    "compare": st.Page(HERE / "compare/page.py", title="Compare", icon=":material/compare_arrows:", url_path="compare"),
    "learn": st.Page(HERE / "learn/page.py", title="Learn", icon=":material/model_training:", url_path="learn"),
    "precision": st.Page(
        HERE / "precision/page.py", title="Precision", icon=":material/query_stats:", url_path="precision"
    ),
    "ars": st.Page(HERE / "ars/page.py", title="ARS", icon=":material/verified:", url_path="ars"),
    "decipher": st.Page(HERE / "decipher/page.py", title="Decipher", icon=":material/key:", url_path="decipher"),
    "align": st.Page(HERE / "align/page.py", title="Align", icon=":material/graphic_eq:", url_path="align"),
    "your_example": st.Page(
        HERE / "your_example/page.py", title="Your own example", icon=":material/edit_note:", url_path="your_example"
    ),
}
page = st.navigation(list(PAGES.values()), position="top")
st.session_state["pages"] = PAGES
st.session_state["page_entered"] = st.session_state.get("page") != page.url_path
st.session_state["page"] = page.url_path
training_line.show(page.url_path)
page.run()
