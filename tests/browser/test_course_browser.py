"""Lessons of the course beside the live page: every step's view stands where the lesson says."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)

from support.browser import chromium, page_of, show  # noqa: F401


def test_a_step_moves_the_same_view_to_another_place(show):
    page = show("lessons?lesson=ring&part=5")
    page.wait_for_selector('.rv-player[data-kind=lifting][data-fold="0.00"]')
    page.keyboard.press("n")
    page.wait_for_selector('.rv-player[data-kind=lifting][data-fold="1.00"]')  # the next step is about the folded ring
    page.goto(page.url.split("/field")[0] + "/lessons?lesson=cipher&part=4")
    page.wait_for_selector('.rv-decipher[data-pass="1"]')
    page.keyboard.press("n")
    page.wait_for_selector('.rv-decipher[data-pass="8"]')


def test_who_leads_on_by_a_click_steps_by_keys_and_is_judged(show):
    page = show("lessons?lesson=beam&part=4")
    page.locator(".rv-dock-next").click()  # and keeps the focus
    page.wait_for_selector('.rv-player[data-mode=full][data-position="1"]')
    for position in range(2, 6):
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f'.rv-player[data-position="{position}"]')
        task = "done" if position == 5 else "tried"
        page.wait_for_selector(f'.rv-lesson[data-part][data-task="{task}"]', state="attached")
