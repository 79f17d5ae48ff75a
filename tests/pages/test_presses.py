"""Whoever presses a link or Back gets there, whatever the page that is left asks for."""

import pytest
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType

from pages.shared import presses


@pytest.fixture
def requests(monkeypatch):
    """What a session asks for."""
    monkeypatch.setattr(script_runner, "ScriptRequests", ScriptRequests)  # so that what follows is undone
    presses.keep_presses()
    return script_runner.ScriptRequests()


@pytest.mark.parametrize(
    ("running", "then", "shown"),
    [
        ("step", RerunData(page_script_hash="step"), "precision"),  # a script ends in st.rerun()
        ("step", RerunData(page_script_hash="step", fragment_id_queue=["strips"]), "precision"),  # a fragment does
        (None, RerunData(page_script_hash="step", fragment_id="strips"), "precision"),  # a clock of the page left
        (None, RerunData(page_script_hash="learn"), "learn"),  # another link is pressed
        ("precision", RerunData(page_script_hash="learn"), "learn"),  # a press here is answered by st.switch_page
    ],
)
def test_who_presses_a_link_or_back_gets_there_whatever_the_page_that_is_left_asks_for(
    requests, monkeypatch, running, then, shown
):
    requests.request_rerun(RerunData(page_script_hash="precision", query_string="words=60"))
    monkeypatch.setattr(presses, "running_page", lambda: running)
    assert requests.request_rerun(then)
    request = requests.on_scriptrunner_ready().rerun_data
    assert (request.page_script_hash, request.fragment_id_queue) == (shown, [])
    assert (request.query_string == "words=60") == (shown == "precision")


def test_a_fragment_of_the_page_that_is_left_does_not_run_after_another_page(requests):
    requests.request_rerun(RerunData(page_script_hash="precision"))
    assert requests.on_scriptrunner_ready().type == ScriptRequestType.RERUN
    assert requests.request_rerun(RerunData(page_script_hash="step", fragment_id="clock"))
    assert requests.request_rerun(RerunData(page_script_hash="precision", fragment_id="clock of this page"))
    assert requests.on_scriptrunner_ready().rerun_data.fragment_id_queue == ["clock of this page"]


def test_the_thread_that_hears_browsers_runs_no_page():
    assert presses.running_page() is None
