"""Lessons of the course beside the live page: every step's view stands where the lesson says."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)
from playwright.sync_api import expect

from support.browser import chromium, page_of, show  # noqa: F401


def test_a_step_moves_the_same_view_to_another_place(show):
    page = show("lessons?lesson=ring&part=5")
    view = page.locator(".rv-player[data-kind=lifting]")
    expect(view).to_have_attribute("data-fold", "0.00")
    page.keyboard.press("n")
    expect(view).to_have_attribute("data-fold", "1.00")  # the next step is about the folded ring
    page.goto(page.url.split("/field")[0] + "/lessons?lesson=cipher&part=4")
    message = page.locator(".rv-decipher")
    expect(message).to_have_attribute("data-pass", "1")
    page.keyboard.press("n")
    expect(message).to_have_attribute("data-pass", "8")


def test_who_leads_on_by_a_click_steps_by_keys_and_is_judged(show):
    page = show("lessons?lesson=beam&part=4")
    dock = page.locator(".rv-lesson[data-part]")
    page.locator(".rv-dock-next").click()  # and keeps the focus
    expect(page.locator(".rv-player[data-mode=full]")).to_have_attribute("data-position", "1")
    for task in ("tried", "tried", "tried", "done"):
        page.keyboard.press("ArrowRight")
        expect(dock).to_have_attribute("data-task", task)
