"""Present mode of all views: keys, the link, one figure that fills the window, type large enough for the last row."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import re

import pytest

from support import tabs
from support.browser import (  # noqa: F401
    STILL,
    chromium,
    faults,
    go_to,
    page_of,
    settled,
    show,
    wait_for_link,
    wait_until_idle,
)
from support.wall import READABLE, on_walls

COVERS = ".rv-player[data-presenting]"
LEARN = "learn?data=pen:60:0&runs=rcms:5&order=1&epochs=1"
# The smallest visible type in pixels of the window; scaled text counts with its scale.
SMALLEST = """() => {
    const root = document.querySelector(".rv-player[data-presenting]");
    const scale = root.getBoundingClientRect().width / root.offsetWidth;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const sizes = [];
    while (walker.nextNode()) {
        const owner = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || getComputedStyle(owner).visibility === "hidden") continue;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        const { width, height } = range.getBoundingClientRect();
        if (width >= 1 && height >= 1) sizes.push(parseFloat(getComputedStyle(owner).fontSize) * scale);
    }
    return Math.min(...sizes);
}"""
# The figure: its share of the window, and how often it is as high as what is shown of it; nothing else scrolls.
FIGURE = """() => {
    const [root, main] = [".rv-player[data-presenting]", "[data-shown=main]"].map(name => document.querySelector(name));
    const { width, height } = main.getBoundingClientRect();
    const scrolls = Math.max(root.scrollHeight / root.clientHeight, main.scrollHeight / main.clientHeight);
    return [(width * height) / (innerWidth * innerHeight), scrolls];
}"""
SECOND_VIEW = """() => {
    const talk = JSON.parse(localStorage.getItem("rv-talk"));
    talk.steps.push({ title: "A word", link: "align?tab=picture&word=bright&cell=1.1", note: "" });
    localStorage.setItem("rv-talk", JSON.stringify(talk));
}"""
BAR = "() => document.querySelector('.rv-player[data-presenting] .rv-scrubber').value"


def covered(page):
    """Press P, and check the page on both wall sizes."""
    page.keyboard.press("Shift+P")
    page.wait_for_selector(COVERS)
    wait_for_link(page, present=1)
    for part in ("[data-testid=stHeader]", "h1", ".rv-tools"):
        assert not page.locator(part).first.is_visible()
    for _, height in on_walls(page):
        assert page.evaluate(SMALLEST) > READABLE - 0.01
        share, scrolls = page.evaluate(FIGURE)
        assert share > 0.25 and scrolls < 1.1
        bar = page.locator(f"{COVERS} .rv-transport").bounding_box()
        assert bar["y"] >= 0 and bar["y"] + bar["height"] < height / 4  # seen without scrolling


def uncovered(page):
    """Press Esc, and wait for the page."""
    page.keyboard.press("Escape")
    page.locator(COVERS).wait_for(state="detached")
    wait_for_link(page, present=None)
    page.locator("h1").wait_for()


@pytest.mark.parametrize("link", ["ctc", "align"])
def test_a_view_covers_the_page_steps_by_clicker_and_opens_again_from_its_link(show, link):
    page = show(link, width=1280, height=720)
    covered(page)
    begun = page.evaluate(BAR)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"before => ({BAR})() !== before", arg=begun)
    page.keyboard.press("PageUp")
    page.wait_for_function(f"before => ({BAR})() === before", arg=begun)
    page.keyboard.press("?")
    page.locator(".rv-help:popover-open dd").first.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    page.wait_for_function("() => (({ value, max }) => value === max)(document.querySelector('.rv-scrubber'))")
    page.keyboard.press("PageDown")
    page.locator(f"{COVERS} .rv-result strong").first.wait_for()
    page.keyboard.press("PageUp")
    page.keyboard.press("g")
    wait_for_link(page, present=2)
    page.reload()
    settled(page, f"{COVERS}[data-figure='2']")
    uncovered(page)
    assert faults(page) == []


def test_a_talk_leads_by_clicker_from_view_to_view_and_back(show):
    page = show("ctc?pos=55&details=1")
    page.get_by_role("button", name="copy link").click()
    for choice in ("This computer only", "Start a class", "Save as a file"):
        page.get_by_role("button", name=choice).wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="to my talk").click()
    page.evaluate(SECOND_VIEW)
    go_to(page, "Lessons")
    page.get_by_label("Notes").first.fill("Say why.")
    assert faults(page, [("dark", 390)]) == []
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Present with notes").click()
    page.wait_for_selector(f"{COVERS}.rv-ctc[data-position='55']")
    opened.value.get_by_text("Say why.").wait_for()
    page.keyboard.press("PageDown")
    page.locator(f"{COVERS} .rv-result").wait_for()
    page.keyboard.press("PageDown")
    page.wait_for_selector(f"{COVERS}.rv-align[data-ready=true]")
    opened.value.get_by_text("view 2 of 2").wait_for()
    opened.value.close()
    page.keyboard.press("PageUp")
    page.wait_for_selector(f"{COVERS}.rv-ctc[data-ready=true]")
    uncovered(page)
    page.evaluate("localStorage.removeItem('rv-talk')")


def test_a_training_covers_the_page_and_opens_again_from_its_link(show):
    page = show(LEARN, drawn=STILL, width=1280, height=720)
    page.get_by_role("button", name=re.compile("^Start")).click()
    page.wait_for_selector(".rv-learning[data-ready=true]")
    page.wait_for_function("() => document.querySelector('.rv-legend-item')?.innerText.includes('done')")
    wait_until_idle(page)
    covered(page)
    wait_until_idle(page)
    wait_for_link(page, present=1)  # the page was run again below
    assert page.locator(COVERS).is_visible()
    tabs.again(page)
    settled(page, COVERS)
    uncovered(page)
