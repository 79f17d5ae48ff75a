"""Run the page again, unless somebody has pressed a link to another page or Back in the meantime.

Streamlit keeps the later of two requests, so ``st.rerun()`` forgets a press that waits for the end of a script.
"""

import streamlit as st


def rerun():
    """Run the whole page again; a press that waits goes first."""
    st.session_state.get("page")  # Streamlit acts on what waits wherever a script reads the session's state
    st.rerun()
