"""The place in the queue is shown to every waiting user: in a page's run, a fragment's, or a callback."""

from textwrap import dedent

import pytest
from streamlit.testing.v1 import AppTest, app_test

from support.pages import FragmentRunner

SCRIPT = """
    from itertools import count

    import streamlit as st

    from pages.shell.computing import Wait

    def wait():
        waiting = Wait(clock=count(step={step}).__next__)
        for ahead in (0, 3, 2, 2, 0, 0):
            waiting(ahead)

    def buttons(where):
        st.button("callback", key=f"{{where}} callback", on_click=wait)
        if st.button("body", key=f"{{where}} body"):
            wait()

    buttons("page")
    st.fragment(buttons)("fragment")
"""
PLACES = [f"Number {place} in line: others are computing." for place in (3, 2, 2)]
TURN = "Your computation has started."


def pressed(monkeypatch, key, step):
    """Return a session after a click on a button."""
    session = AppTest.from_string(dedent(SCRIPT).format(step=step), default_timeout=600).run()
    if key.startswith("fragment"):
        monkeypatch.setattr(app_test, "LocalScriptRunner", FragmentRunner)
    return session.button(key=key).click().run()


@pytest.mark.parametrize("key", ["page body", "page callback", "fragment body", "fragment callback"])
def test_the_place_in_line_is_said_wherever_somebody_waits(monkeypatch, key):
    session = pressed(monkeypatch, key, step=10)
    assert not session.exception
    assert [toast.value for toast in session.toast] == [*PLACES, TURN]


def test_what_is_said_can_be_read_before_it_is_said_anew_and_goes_by_itself(monkeypatch):
    session = pressed(monkeypatch, "fragment body", step=3)
    assert [toast.value for toast in session.toast] == [PLACES[0], PLACES[1], TURN]
    assert all(0 < toast.proto.duration < 10 for toast in session.toast)
