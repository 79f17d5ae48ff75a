"""The clock of a page reruns Python only when this cannot interrupt the user; tests control the time."""

import pytest

from rcmviz.views.shared import assets
from support.browser import chromium, page_of  # noqa: F401

PAGE = """
<div data-testid="stApp" data-test-script-state="notRunning"></div>
<div id="place"></div>
"""
# Playwright's own clock would hold for all tabs of the browser.
TIME = """
let now = 0, number = 0;
const timers = new Map();
window.setTimeout = (act, rest) => { timers.set(++number, { act, at: now + rest }); return number; };
window.clearTimeout = (one) => timers.delete(one);
window.pass = (rest) => {
    const end = now + rest;
    const next = () => [...timers].filter(([, one]) => one.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
    for (let found = next(); found; found = next()) {
        timers.delete(found[0]);
        now = found[1].at;
        found[1].act();
    }
    now = end;
};
"""
MOUNT = """
window.ticks = 0;
window.answer = () => rcmvizClock({
    parentElement: document.querySelector("#place"), data: { seconds: 1 },
    setStateValue: () => {}, setTriggerValue: () => (window.ticks += 1),
});
window.end = window.answer();
"""


@pytest.fixture
def clock(page_of):  # noqa: F811
    """A page with a clock of one second, under the test's control of time."""
    page = page_of("about:blank").page
    page.set_content(PAGE)
    page.add_script_tag(content=TIME)
    page.add_script_tag(type="module", content=assets.script("clock") + MOUNT)
    page.wait_for_function("() => window.end", polling="raf")  # at every frame: its timers stand still
    return page


def ticks(page, seconds):
    """Return the number of ticks after ``seconds`` more seconds."""
    page.evaluate("rest => pass(rest)", 1_000 * seconds)
    return page.evaluate("window.ticks")


def test_it_asks_once_and_again_when_it_was_answered(clock):
    assert ticks(clock, 0.9) == 0
    assert ticks(clock, 0.2) == 1
    assert ticks(clock, 5) == 1
    clock.evaluate("void window.answer()")
    assert ticks(clock, 1.1) == 2


def test_lost_requests_are_repeated(clock):
    assert ticks(clock, 1.1) == 1
    assert ticks(clock, 26) == 2


@pytest.mark.parametrize(
    ("disturbed", "at_rest"),
    [
        ("app.dataset.testScriptState = 'running'", "app.dataset.testScriptState = 'notRunning'"),
        ("place.insertAdjacentHTML('afterend', '<p data-testid=stSkeleton></p>')", "place.nextSibling.remove()"),
    ],
    ids=["a script runs", "a widget is loaded"],
)
def test_it_waits_until_nothing_runs_or_loads(clock, disturbed, at_rest):
    names = "const [app, place] = ['[data-testid=stApp]', '#place'].map(one => document.querySelector(one));"
    clock.evaluate(f"() => {{ {names} {disturbed}; }}")
    assert ticks(clock, 10) == 0
    clock.evaluate(f"() => {{ {names} {at_rest}; }}")
    assert ticks(clock, 1.1) == 1


def test_it_stops_with_its_element(clock):
    clock.evaluate("window.end()")
    assert ticks(clock, 60) == 0
