"""The one module that uses what Streamlit does not document: which session runs, and which are connected.

Streamlit documents a resource of a session that is released when its connection drops (streamlit#8545). But a browser
that comes back after a dropped connection asks for no run, so whoever only looks at a page would count as gone and lose
what they uploaded or train. If a release of Streamlit has these parts elsewhere, that resource serves all the same.
"""

import secrets

import streamlit as st

try:  # Streamlit 1.67
    from streamlit.runtime import exists, get_instance
    from streamlit.runtime.scriptrunner import get_script_run_ctx
except ImportError:
    get_script_run_ctx = None

_CONNECTED = set()


def session_id():
    """The name of the session whose script runs in this thread; None outside of any session."""
    if get_script_run_ctx is None:
        return _registered_session()
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.session_id


def is_connected(session):
    """Whether somebody still has the session of this name open; may be asked in any thread."""
    if get_script_run_ctx is None:
        return session in _CONNECTED
    return exists() and get_instance().is_active_session(session)


def _registered_session():
    try:
        return _registration()
    except st.errors.StreamlitAPIException:  # no session runs here
        return None


@st.cache_resource(scope="session", on_release=_CONNECTED.discard, show_spinner=False)
def _registration():
    session = secrets.token_hex(16)
    _CONNECTED.add(session)
    return session
