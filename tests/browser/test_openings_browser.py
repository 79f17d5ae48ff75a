"""First views of Home, Learn and ARS show the point of the page on one screen."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import pytest

from pages.learn import recorded
from support.browser import chromium, faults, page_of, settled, show, wait_for_link  # noqa: F401
from support.seen_texts import TEXTS

# Titles of charts and names of numbers without a tip.
UNNAMED = ":is(.rv-chart-title, .rv-readout dt):not(:has([data-tells], [data-explains]))"
HERO = ".rv-flow-hero"
SCREEN = {"width": 1280, "height": 800}


def bottom_of(page, selector):
    box = page.locator(selector).first.bounding_box()
    return box["y"] + box["height"]


def test_home_plays_once_by_itself_and_its_link_opens_compare_at_the_same_moment(show):
    page = show("", drawn=HERO, reload=True, **SCREEN)
    page.wait_for_selector(f'{HERO}[data-position="2"]')  # it plays by itself
    height = page.locator(HERO).bounding_box()["height"]
    page.get_by_role("button", name="pause").click()
    page.locator(HERO).press("End")
    page.wait_for_selector(f'{HERO}[data-position="8"][data-time="32.000"]')
    assert page.locator(HERO).bounding_box()["height"] == height
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_selector(f'{HERO}[data-position="7"]')
    page.keyboard.press("3")
    page.wait_for_function("() => document.querySelector('.rv-flow-closer').href.includes('phase=cut')")
    page.get_by_role("link", name="Look closer").click()
    page.wait_for_url("**/compare?**")
    wait_for_link(page, word="consider", runs="beam:4,rcms:4", pos=7)


@pytest.mark.parametrize("width", [390, 1280])
def test_home_without_motion_shows_what_each_method_reads(show, width):
    page = show("", drawn=f'{HERO}[data-position="8"]', reduced_motion="reduce", width=width, height=844)
    poster = page.locator(".rv-flow-poster").inner_text()
    assert all(said in poster for said in ("careless", "89 % sure: wrong", "consider", "29 % sure: right"))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.get_by_role("link", name="Take the course").is_visible()
    assert page.get_by_role("link", name="Debug my example").is_visible()
    smallest, covered = page.evaluate(TEXTS)
    assert smallest >= 14 and covered == []
    if width == 1280:
        assert bottom_of(page, HERO) <= SCREEN["height"]
    assert not faults(page)


def test_learn_opens_on_a_recording_and_its_settings_are_folded(show):
    page = show("learn", drawn=".rv-learning[data-ready=true]", reduced_motion="reduce", **SCREEN)
    steps = recorded.read_recording()["methods"][0]["points"]["step"][-1]
    assert page.locator(".rv-learning").get_attribute("data-step") == str(steps)
    assert page.get_by_role("spinbutton", name="Learning rate η").count() == 0
    assert bottom_of(page, ".rv-machine .rv-letters") <= SCREEN["height"]
    assert page.locator(UNNAMED).count() == 0
    page.get_by_role("button", name="1,000 words").click()
    eta = page.get_by_role("spinbutton", name="Learning rate η")
    eta.fill("0.4")
    eta.press("Enter")
    page.wait_for_function("() => new URLSearchParams(location.search).get('eta') === '0.4'")
    page.get_by_text("trains the methods from zero").wait_for()  # the recording is of other settings


def test_ars_begins_at_its_first_round_with_all_of_the_graph_in_sight(show):
    page = show("ars", drawn='.rv-ars[data-ready=true][data-round="1"]', **SCREEN)
    card = page.locator(".rv-detail-text").inner_text()
    assert all(name in card for name in ("p is the exact weight", "q is a bound", "A state is"))
    assert bottom_of(page, ".rv-graph .rv-caption") <= SCREEN["height"]
    assert page.locator(UNNAMED).count() == 0
    meaning = page.get_by_role("tooltip").get_by_text("The bound minus the log p")
    for _ in range(300):  # each number has a tip; one drawn again below a mouse at rest does not notice
        page.mouse.move(0, 0)
        page.get_by_text("gap to the best").hover()
        page.wait_for_timeout(200)
        if meaning.is_visible():
            break
    assert meaning.is_visible()
    page.mouse.move(0, 0)  # Escape would put away the tooltip, not the help below it
    meaning.wait_for(state="hidden")
    page.keyboard.press("?")
    help_sheet = page.locator(".rv-help:popover-open")
    help_sheet.wait_for(state="visible")
    assert bottom_of(page, ".rv-help:popover-open") <= SCREEN["height"] and help_sheet.bounding_box()["y"] >= 0
    page.keyboard.press("Escape")
    help_sheet.wait_for(state="hidden")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector('.rv-ars[data-size="narrow"]')
    assert bottom_of(page, ".rv-graph") <= page.locator(".rv-keypad").bounding_box()["y"]


def test_a_finding_of_the_doctor_leads_to_its_lines(show):
    page = show("ars?tab=doctor", drawn=".rv-findings")
    row = page.locator(".rv-findings details", has_text="back-offs above 1")
    row.locator("summary").click()
    row.get_by_text("Above 1 it is allowed").wait_for()
    assert row.locator("li").inner_text() == "line 20: -0.2 two dogs 0.4"
    assert not faults(page)
