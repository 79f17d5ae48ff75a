"""Run the page again, unless a click on a link or Back is waiting.

Streamlit keeps the later of two requests, so ``st.rerun()`` would drop a click that waits for the end of a script.
"""

import streamlit as st


def rerun():
    """Run the whole page again; a click that waits goes first."""
    st.session_state.get("page")  # Streamlit acts on waiting requests when a script reads the session's state
    st.rerun()
