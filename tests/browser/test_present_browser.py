"""Present mode in the application, and layout that stays fixed during clicks."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

from support import tabs
from support.browser import (  # noqa: F401
    chromium,
    page_of,
    query,
    serious,
    settled,
    show,
    too_wide,
    wait_for_link,
    wait_for_strips,
)
from support.wall import on_walls, unreadable

CUT = """() => [...document.querySelectorAll("[data-testid=stCheckbox] [data-testid=stMarkdownContainer]")]
    .filter(name => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight + 1)
    .map(name => name.textContent)"""


def test_a_link_opens_on_the_wall_and_escape_leads_back_to_the_page(show):
    page = show("compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=5&present=1")
    for width, height in on_walls(page):
        assert unreadable(page, width, height) == []
    for part in ("[data-testid=stHeader]", "h1", ".rv-tools", ".rv-flow-details"):
        assert not page.locator(part).first.is_visible()
    assert serious(page) == []
    wait_for_strips(page)
    page.keyboard.press("PageUp")
    page.wait_for_selector('.rv-player[data-phase="cut"]')
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_selector('.rv-player[data-position="4"]')
    wait_for_link(page, pos=4, present=1)  # the page was run again below
    assert page.locator(".rv-player[data-presenting]").is_visible()
    page.keyboard.press("Escape")
    wait_for_link(page, present=None, pos=4)
    page.locator("h1").wait_for()
    page.set_viewport_size({"width": 660, "height": 700})  # a window of 1320 at 200 %
    page.wait_for_selector(".rv-player[data-size=narrow]")
    assert page.evaluate(CUT) == [] == too_wide(page)
    page.get_by_role("button", name="present", exact=True).click()
    wait_for_link(page, present=1)
    tabs.again(page)
    settled(page)
    assert not page.locator("h1").is_visible()


def test_a_second_click_hits_the_same_button(show):
    page = show("step?word=exactly&seed=14&pos=3&node=exa")
    more = page.get_by_role("button", name="budget +")
    more.scroll_into_view_if_needed()
    box = more.bounding_box()
    more.click()
    wait_for_link(page, edits="b3:15")
    settled(page)
    page.locator("[class*=edits-bar]").get_by_text("budget 15 at position 3").wait_for()
    assert more.bounding_box() == box
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    wait_for_link(page, edits="b3:20")


def test_the_quiz_stays_in_the_link_and_takes_nothing_else_along(show):
    page = show("compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=4&quiz=kept")
    page.wait_for_selector(".rv-player[data-quiz=asking]")
    for key in ("1", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector(".rv-player[data-quiz=solved]")
    wait_for_link(page, quiz="kept", reveal=None, pos=5)  # the page was run again below
    page.click(".rv-quiz-me")
    wait_for_link(page, quiz=None, reveal=None)
