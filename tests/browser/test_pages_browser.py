"""The application in a browser: deep links, stepping, what-if, drawing, saving, sessions, accessibility, width."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import pytest

from support import tabs
from support.browser import (  # noqa: F401
    DRAWN,
    chromium,
    faults,
    go_to,
    page_of,
    query,
    settled,
    show,
    wait_for_link,
    wait_for_strips,
    wait_until_idle,
)

PAGES = ["", "step?word=exactly&seed=14&pos=3", "compare?word=knowing&seed=9&runs=beam:4,rcms:4", "your_example"]
CROSSED = ("dark", 1280), ("light", 390)
PICTURE, DETAILS = ".rv-flow", ".rv-flow-details"
MENUS = "[data-testid=stTopNavSection]"
LONG = "considerationconsideration"
# Streamlit does not hear of the next click, the views of the page do.
UNHEARD = """() => document.addEventListener("click", event => {
    event.preventDefault();
    event.stopImmediatePropagation();
}, { capture: true, once: true })"""


def place(page):
    return page.locator(PICTURE).get_attribute("data-position")


def open_details(page):
    page.keyboard.press("d")
    page.wait_for_selector(f"{DETAILS} .rv-player[data-ready=true]")


def test_the_first_request_of_a_server_is_a_deep_link_and_steps_are_painted_while_it_sleeps(page_of, fresh_server):
    watched = page_of(f"{fresh_server.address}/step?word=emotion&seed=3&budget=7&pos=4")
    settled(watched.page)
    page = watched.page
    assert place(page) == "4"
    assert page.get_by_label("Word", exact=True).input_value() == "emotion"
    # Streamlit draws a number as its least one, and sets it then.
    page.wait_for_function("() => document.querySelector('input[aria-label=Budget]').value === '7'")
    assert page.locator(PICTURE).get_by_text("Letter 4 of 7").count() == 1
    assert page.locator(PICTURE).get_by_text("RCMS 7").count() >= 1
    assert page.locator(MENUS).all_inner_texts() == ["Begin", "Explore", "Applications", "Yours"]
    assert query(page)["pos"] == "4"
    assert watched.errors == []
    assert watched.foreign_requests(fresh_server.address, fresh_server.address.replace("http", "ws")) == []
    fresh_server.stop()
    page.locator(".rv-flow-timeline").focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_selector('.rv-player[data-position="1"]')


def test_twenty_fast_presses_land_on_twenty_without_asking_the_server(show):
    frames = []
    page = show(f"step?word={LONG}&seed=1&embed=true", frames=frames)
    assert page.locator(MENUS).count() == 0  # an iframe shows the view only
    wait_for_strips(page)
    page.locator(".rv-flow-timeline").focus()
    searched(page, frames)
    for _ in range(19):  # from position 1
        page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector('.rv-player[data-position="20"]')
    assert len(frames) <= 1  # where pressing took longer than the view's rest of 0.3 s
    wait_for_link(page, pos=20, phase="settle", embed="true")
    settled(page)
    assert place(page) == "20"
    assert frames


def searched(page, frames):
    """Wait until no background search runs; the page checks more than once a second."""
    frames.append(None)
    while frames:
        frames.clear()
        page.wait_for_timeout(2_500)


def test_hover_explains_and_a_click_holds_a_context_in_the_link(show):
    page = show("step?word=exactly&seed=14&pos=3", width=1280, height=800)
    open_details(page)
    rows = [row.bounding_box() for row in page.locator(".rv-tree .rv-row:visible").all()]
    assert sum(row["y"] + row["height"] <= 800 for row in rows) >= 6
    row = page.locator(f"{DETAILS} [aria-label^='exa, own mass']")
    row.hover()
    page.wait_for_function("() => /so (its|it keeps)/.test(document.querySelector('.rv-flow-details').innerText)")
    row.click()
    page.wait_for_selector('.rv-player[data-node="exa"]')
    wait_for_link(page, node="exa", pos=3)
    tabs.again(page)
    settled(page)
    page.wait_for_selector(f"{DETAILS} .rv-player[data-node=exa]")  # a link with a context opens the details


def test_compare_shows_where_beam_lost_the_gold(show):
    page = show("compare?word=knowing&seed=9&runs=beam:4,rcms:4&pos=3")
    picture = page.locator(PICTURE)
    assert picture.get_attribute("data-runs") == "2"
    open_details(page)
    player = page.locator(f"{DETAILS} .rv-player")
    player.get_by_role("button", name="lost at 1").click()
    page.wait_for_selector('.rv-flow[data-position="1"]')
    page.keyboard.press("End")
    page.locator(".rv-flow-poster").get_by_text("growing").wait_for()
    assert "dropped at letter 1" in picture.inner_text()


def test_what_if_in_the_player_moves_posteriors_and_undo_restores_them(show):
    page = show("step?word=exactly&seed=14&pos=2")
    open_details(page)
    before = confidence(page)
    page.get_by_role("button", name="letter ≠ x").click()
    wait_for_link(page, edits="f2:=x")
    settled(page)
    page.get_by_text("What if: forbid label “x” at position 2").wait_for()
    assert confidence(page) != before
    assert place(page) == "2"
    assert "▲" in page.locator(DETAILS).inner_text()
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_for_link(page, edits=None)
    settled(page)
    page.wait_for_function("() => !document.querySelector('.rv-flow-details').innerText.includes('▲')")
    assert confidence(page) == before


def confidence(page):
    """Return the player's sentence on the decoded word's probability."""
    return page.locator(f'{DETAILS} [data-readout="confidence"] dd').inner_text()


def test_a_widget_changes_the_view_and_the_back_button_takes_it_back(show):
    page = show("step?word=emotion&seed=3&budget=7")
    wait_for_strips(page)
    budget = page.get_by_label("Budget", exact=True)
    budget.fill("3")
    budget.press("Enter")
    wait_for_link(page, budget=3)
    page.locator(".rv-flow-panel-title", has_text="RCMS 3").wait_for()
    wait_for_strips(page)
    page.go_back()
    wait_for_link(page, budget=7)
    page.locator(".rv-flow-panel-title", has_text="RCMS 7").wait_for()
    assert budget.input_value() == "7"


def test_a_card_of_home_opens_its_example_and_one_step_back_leads_to_the_page_before(show):
    page = show("")
    page.locator(".rv-flow-hero").wait_for()
    page.get_by_role("link", name="Open").nth(2).click()
    page.wait_for_url("**/compare**")
    wait_for_link(page, word="knowing", runs="beam:4,rcms:4")
    settled(page)
    page.locator(f"{PICTURE}[data-runs='2']").wait_for()
    for name in ("step", "align"):
        wait_for_link(page, phase="grow")  # the picture writes its phase into the link
        before = page.url
        go_to(page, name.title())
        page.wait_for_url(f"**/{name}?**")
        settled(page, "[data-ready=true], .rv-player[data-position]")
        page.wait_for_timeout(700)  # the view reports its position
        page.go_back()
        page.wait_for_url(before)
        page.go_forward()
        page.wait_for_url(f"**/{name}?**")
        settled(page, "[data-ready=true], .rv-player[data-position]")


def test_a_page_that_is_left_never_has_the_parameters_of_the_next_behind_its_name(show):
    page = show("step?word=on&seed=1")
    wait_for_link(page, pos=1)
    wait_until_idle(page)
    before, entries = page.url, page.evaluate("history.length")
    page.locator(MENUS, has_text="Applications").click()
    page.evaluate(UNHEARD)
    page.get_by_role("menuitem", name="Align", exact=True).click()
    # The address that Streamlit sets between a click and React's next drawing; a reload then would open Step.
    page.evaluate("history.pushState({}, '', '?tab=learning')")
    assert (page.url, page.evaluate("history.length")) == (before, entries)
    page.wait_for_url("**/align?**")  # the view has pressed the link again
    settled(page, ".rv-align[data-ready=true]")
    page.go_back()
    page.wait_for_url(before)
    settled(page)


def test_letters_drawn_with_the_mouse_are_read(show):
    page = show_drawing(show)
    draw_l(page)
    page.wait_for_selector(DRAWN)
    page.wait_for_function("() => (new URLSearchParams(location.search).get('word') || '').length === 32")
    assert page.locator(PICTURE).get_by_text("Letter 1 of 1").count() == 1
    tabs.again(page)
    settled(page)
    page.wait_for_selector(".rv-pad[data-written='1']")
    assert page.locator(".rv-pad-stroke").count() == 1
    assert page.locator(".rv-pad-raster path").count() == 1
    gold = page.get_by_label("What it says", exact=True)
    gold.fill("l")
    gold.press("Enter")
    page.locator(".rv-flow-gold").first.wait_for()
    wait_for_link(page, gold="l")


def show_drawing(show):
    page = show("step?word=on&seed=1")
    page.get_by_role("radio", name="Draw it").or_(page.get_by_text("Draw it", exact=True)).first.click()
    page.get_by_text("Nothing is drawn yet").wait_for()
    page.wait_for_selector(".rv-pad-cell")
    return page


def draw_l(page):
    box = page.locator(".rv-pad-cell").first.bounding_box()
    x, top, bottom = box["x"] + box["width"] / 2, box["y"] + 10, box["y"] + box["height"] - 20
    page.mouse.move(x, top)
    page.mouse.down()
    page.mouse.move(x, (top + bottom) / 2, steps=4)
    page.mouse.move(x, bottom, steps=4)
    page.mouse.up()


def test_a_saved_file_opens_offline_and_plays(show, page_of, tmp_path):
    page = show("step?word=exactly&seed=14&pos=3")
    wait_until_idle(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as HTML").click()
    saved = tmp_path / "saved.html"
    waiting.value.save_as(saved)
    watched = page_of(saved.as_uri(), offline=True)
    watched.page.wait_for_selector(DRAWN)
    assert place(watched.page) == "3"
    watched.page.keyboard.press("Space")
    watched.page.wait_for_selector('.rv-player[data-position="5"]')
    assert watched.errors == []
    assert watched.foreign_requests("file:") == []


def test_two_people_do_not_see_each_other(show):
    mine, yours = show("step?word=mine&seed=1&pos=2"), show("step?word=yours&seed=2&pos=3")
    mine.locator(".rv-flow-timeline").focus()
    mine.keyboard.press("End")
    wait_for_link(mine, pos=4)
    tabs.again(yours)
    settled(yours)
    assert place(yours) == "3"
    assert yours.get_by_label("Word", exact=True).input_value() == "yours"
    assert place(mine) == "4"


def test_a_tab_that_is_handed_on_keeps_its_document_and_nothing_else(show, server):
    """Tests reuse a tab but have separate sessions."""
    page = show("lessons", "[data-testid=stExpander]")
    text, lines = page.get_by_label("The text of a lesson"), []
    begun = text.input_value()
    page.on("websocket", lambda line: lines.append(line))
    for _ in range(2):
        page.evaluate("() => { window.stays = true; sessionStorage.setItem('goes', 1); }")
        page.get_by_text("Or write it here").click()
        text.fill("something else")
        text.press("Control+Enter")
        settled(page, "[data-testid=stExpander]")
        assert tabs.empty(page)
        tabs.visit(page, f"{server.address}/lessons")
        settled(page, "[data-testid=stExpander]")
        assert text.input_value() == begun and not text.is_visible()
        assert page.evaluate("() => [window.stays, sessionStorage.length]") == [True, 0]
    assert len(lines) == 2


@pytest.mark.parametrize("link", PAGES)
def test_axe_finds_nothing_serious_and_nothing_is_too_wide(show, link):
    page = show(link, reduced_motion="reduce")
    assert faults(page) == []
    if link == "your_example":
        page.get_by_text("Your own: paste").click()
        page.get_by_role("button", name="Use this").wait_for()
        assert faults(page, CROSSED) == []


def test_axe_finds_nothing_serious_in_what_opens(show):
    page = show("step?word=exactly&seed=14&edits=f2:=x&bogus=1", reduced_motion="reduce")
    for tab in ("Ask", "What if", "Save and share"):
        page.get_by_role("tab", name=tab).click()
        page.get_by_role("tab", name=tab, selected=True).wait_for()
        assert faults(page, CROSSED) == []


FOCUSED = """() => [document.activeElement.dataset.testid, getComputedStyle(document.activeElement).outlineStyle]"""


def test_keyboard_focus_is_visible_and_skips_folded_content(show):
    page = show("lessons", drawn=".rv-course-card")
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == ["stTopNavSection", "solid"]
    page.set_viewport_size({"width": 390, "height": 900})
    page.locator("[data-testid=stSidebar][data-collapsed=true]").wait_for(state="attached")
    page.evaluate("document.activeElement.blur()")
    page.get_by_role("button", name="Expand sidebar").wait_for()
    seen = []
    for _ in range(4):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED)[0])
    assert "stSidebarNavLink" not in seen
    page.get_by_role("button", name="Expand sidebar").click()
    page.locator("[data-testid=stSidebarNavLink]", has_text="Align").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == ["stSidebarNavLink", "solid"]
    page.get_by_role("button", name="Collapse sidebar").click()  # Streamlit remembers it for all pages of the browser
    page.locator("[data-testid=stSidebar][data-collapsed=true]").wait_for(state="attached")
