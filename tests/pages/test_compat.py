"""Connected sessions, by Streamlit's internals, or by its documented interface without them."""

from textwrap import dedent

import pytest
from streamlit import runtime
from streamlit.runtime import caching
from streamlit.testing.v1 import AppTest

from pages import compat

SCRIPT = """
    import streamlit as st

    from pages.compat import is_connected, session_id

    st.text(session_id())
    st.text(is_connected(session_id()))
"""


def disconnect():
    """Do what Streamlit does after a session's connection is lost."""
    caching.clear_session_resource_cache("test session id")


@pytest.fixture(params=["as in Streamlit 1.67", "in a release that has these parts elsewhere"])
def is_documented(request, monkeypatch):
    documented = request.param.startswith("in")
    if documented:
        monkeypatch.setattr(compat, "get_script_run_ctx", None)
    yield documented
    disconnect()


def test_a_session_has_one_name_in_all_its_runs(is_documented):
    session = AppTest.from_string(dedent(SCRIPT), default_timeout=600).run()
    name, connected = (text.value for text in session.text)
    assert name != "None" and session.run().text[0].value == name
    assert not is_documented or connected == "True"  # else a test has no server that knows


def test_without_a_session_there_is_no_visitor(is_documented):
    assert compat.session_id() is None
    assert not runtime.exists() and not compat.is_connected("unknown")


def test_a_session_that_is_over_is_not_connected(is_documented):
    session = AppTest.from_string(dedent(SCRIPT), default_timeout=600).run()
    disconnect()
    assert not compat.is_connected(session.text[0].value)
