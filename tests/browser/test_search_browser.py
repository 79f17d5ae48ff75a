"""Search in a browser: every tab can be stepped offline, is accessible, and opens by its link."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import csv
import json

import pytest

from pages.search.page import PAGE
from pages.search.question import SearchQuestion
from pages.shell.answers import payload_of
from rcmviz.views.shared.export import page as html_page
from support.browser import chromium, faults, page_of, saved, settled, show, wait_for_link  # noqa: F401
from support.explained import unexplained

# On a small screen no label of the tree is cut at the left edge of its frame.
IS_UNCUT = """() => {
    const frame = document.querySelector('.rv-tree-frame').getBoundingClientRect();
    const pills = [...document.querySelectorAll('.rv-search-node:not([display=none]) .rv-pill')];
    const boxes = pills.map(pill => pill.getBoundingClientRect());
    return frame.width < 380 && boxes.every(box => box.right <= frame.left + 2 || box.left >= frame.left - 1);
}"""
# Titles of charts and names of numbers without a tip.
UNNAMED = ":is(.rv-chart-title, .rv-readout dt):not(:has([data-tells], [data-explains]))"
VIEW = ".rv-searching[data-ready=true]"


@pytest.fixture
def offline(saved):
    """Open a tab as a file, offline."""

    def open_tab(tab, **more):
        payload = payload_of(PAGE, SearchQuestion(tab=tab, **more))
        return saved(html_page(payload, "A <search>", "search"), VIEW), payload

    return open_tab


def taken(page, name):
    """Return the file that a button of the bar saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value.path().read_text(encoding="utf-8")


def test_a_search_is_stepped_up_to_its_proof(offline):
    page, payload = offline("search")
    astar, queue, *_ = payload["runs"]
    page.wait_for_selector(f'{VIEW}[data-position="{astar["proof"]}"][data-method="astar"]')
    assert "Proved best" in page.locator(".rv-detail").inner_text()
    assert set(unexplained(page)) <= {"Z"}  # a letter
    assert page.locator(UNNAMED).count() == 0
    page.locator(".rv-chart-name[data-tells]").first.focus()  # a title has a tip
    page.locator(".rv-tip", has_text="best answer so far: ").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.wait_for_selector(f'{VIEW}[data-position="1"][data-taken="the start"]')
    assert page.locator(".rv-search-node[data-fate=popped]").count() == 1
    waiting = min(12, astar["queue"][0])
    assert page.locator(".rv-queue-row:visible").count() == waiting + 1  # and the head
    assert faults(page) == []
    page.keyboard.press("m")
    page.wait_for_selector(f'{VIEW}[data-method="queue"]')
    lost = f"{queue['lost'][0]} fell off the full queue"
    assert page.locator(".rv-queue-line").inner_text() == lost
    rows = list(csv.reader(taken(page, "CSV").splitlines()))
    assert len(rows) == 1 + sum(len(run["pops"]) for run in payload["runs"])
    assert json.loads(taken(page, "JSON")) == payload
    assert "<svg" in taken(page, "SVG")
    page.keyboard.press("End")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(IS_UNCUT)


def test_an_update_is_cut_by_every_rule_and_warmed(offline):
    page, payload = offline("perceptron")
    update = payload["updates"][payload["opening"] - 1]
    for rule in ("standard", "early", "max-violation"):
        page.wait_for_selector(f'{VIEW}[data-rule="{rule}"][data-cut="{update["steps"][rule]["cut"]}"]')
        changes = update["steps"][rule]["changes"]
        assert page.locator(".rv-move-row").count() == min(8, len(changes))
        page.keyboard.press("r")
    assert faults(page) == []
    page.keyboard.press("t")
    page.wait_for_selector(f'{VIEW}[data-tau="{payload["taus"][1]}"][data-cut="{len(update["gold"])}"]')
    assert page.locator(".rv-expected").count() > 0
    assert "<svg" in taken(page, "SVG")


@pytest.mark.parametrize("material", ["word", "sentence"])
def test_another_action_shows_another_output(offline, material):
    page, payload = offline("searn", material=material)
    t, iteration = payload["opening"] - 1, payload["iterations"][payload["first"] - 1]
    row = payload["actions"].index(iteration["rollin"][t]["label"])
    by = 1 if row + 1 < len(payload["actions"]) else -1
    page.keyboard.press("ArrowDown" if by > 0 else "ArrowUp")
    action = payload["labels"][payload["actions"][row + by]]
    page.wait_for_selector(f'{VIEW}[data-action="{action}"]')
    end = [payload["labels"][label] for label in iteration["ends"][t][row + by]]
    assert page.locator(".rv-output-word code").all_inner_texts()[t:] == [action, *end]
    assert page.locator(".rv-output-word b").all_inner_texts() == payload["words"]
    assert faults(page) == []
    page.keyboard.press(",")
    page.wait_for_selector(f'{VIEW}[data-iteration="{payload["first"] - 1}"]')
    assert "<svg" in taken(page, "SVG")


def test_steps_stand_in_the_link_and_nonsense_is_answered(show):
    page = show("search?step=3&method=queue", VIEW)
    page.wait_for_selector(f'{VIEW}[data-position="3"][data-method="queue"]')
    page.keyboard.press("ArrowRight")
    wait_for_link(page, step="4", method="queue")
    page.get_by_role("radio", name="SEARN").click()
    settled(page, '.rv-searching[data-kind="searn"]')
    page.get_by_role("button", name="5", exact=True).click()
    wait_for_link(page, view="searn", iteration="5", method=None)
    page.go_back()
    settled(page, '.rv-searching[data-kind="search"]')
    page.get_by_role("textbox", name="Word").fill("naïve")
    page.keyboard.press("Enter")
    page.wait_for_selector('.rv-searching[data-error*="a to z"]')
    assert page.locator(".rv-refusal dfn").count() == 0  # its z is not the Z of the glossary
    page.get_by_role("textbox", name="Word").fill("cat")
    page.keyboard.press("Enter")
    settled(page, f"{VIEW}[data-method]:not([data-error])")  # a refused question leaves no error
    wait_for_link(page, word="cat")


def test_who_waits_while_another_computes_reads_the_place_in_line(page_of, server):
    """One browser computes one answer at a time; leaving a page ends its computation, and the next one starts."""
    long = f"{server.address}/search?word=considerations&queue=1000&seed="
    waiting, leaving = [page_of(long + seed, use="application").page for seed in "12"]
    line = "Number 1 in line: others are computing."
    while not waiting.get_by_text(line).count():
        waiting, leaving = leaving, waiting
        waiting.wait_for_timeout(50)
    leaving.goto("about:blank")
    waiting.get_by_text("Your computation has started.").wait_for()
    waiting.get_by_text(line).wait_for(state="hidden")
    waiting.goto("about:blank")
