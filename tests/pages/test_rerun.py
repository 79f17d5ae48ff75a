"""A click during a script run is kept, although the script reruns its page."""

from textwrap import dedent

import pytest
from streamlit.testing.v1 import AppTest

SCRIPT = """
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

    from pages.shell.rerun import rerun

    def press():
        context = get_script_run_ctx()
        asked = RerunData(query_string="pressed=Precision", page_script_hash=context.page_script_hash)
        context.script_requests.request_rerun(asked)

    def run_again():
        if "begun" not in st.session_state:
            st.session_state["begun"] = True
            if {is_pressed}:
                press()
            rerun()

    st.text(st.query_params.get("pressed", "Step"))
    {place}()
"""


@pytest.mark.parametrize("place", ["run_again", "st.fragment(run_again)"])
@pytest.mark.parametrize(("is_pressed", "shown"), [(True, "Precision"), (False, "Step")])
def test_a_press_that_waits_goes_before_the_page_that_is_left(place, is_pressed, shown):
    session = AppTest.from_string(dedent(SCRIPT).format(place=place, is_pressed=is_pressed), default_timeout=600).run()
    assert not session.exception
    assert [text.value for text in session.text] == [shown]
