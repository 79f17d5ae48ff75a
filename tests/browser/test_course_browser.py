"""Lessons next to the live page, worked through as a student would: every step shows the lesson's view."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

from support import tabs
from support.browser import chromium, faults, page_of, query, serious, settled, show, wait_for_link, wait_until_idle  # noqa: F401
from support.commands import run

LIST = "[data-testid=stExpander]"
# Classes of animated elements in views, the dock and around targets; a picture may fade.
MOVING = """() => [...document.querySelectorAll(".rv-player *:not(.rv-flow-snapshot), .rv-lesson *, .rv-ring")]
    .filter((node) => [null, "::before", "::after"].some((part) => {
        const { animationName, transitionDuration } = getComputedStyle(node, part);
        return animationName !== "none" || transitionDuration.split(",").some((time) => parseFloat(time) > 0);
    }))
    .map((node) => node.getAttribute("class") ?? node.tagName)"""


def at(page, **marks):
    """Wait until the dock is in this state."""
    wanted = "".join(f'[data-{mark}="{value}"]' for mark, value in marks.items())
    page.wait_for_selector(f".rv-lesson{wanted}", state="attached")


def test_a_lesson_from_an_uploaded_file_is_walked_through(show, tmp_path):
    file = tmp_path / "mine.md"
    run("lesson", "new", file)
    page = show("lessons", LIST)
    assert serious(page) == []
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(file)
    at(page, part=1, task="none")
    settled(page)
    assert query(page)["word"] == "consider"
    page.wait_for_selector(".rv-ring")  # around the step's target
    at(page, part=1)

    page.keyboard.press("PageDown")  # as a clicker does
    page.wait_for_selector('.rv-player[data-position="1"]')
    assert page.locator(".rv-task-verdict").inner_text() == ""
    at(page, part=2, task="open", judges="")
    for position, task in (2, "tried"), (3, "tried"), (4, "tried"), (5, "done"):
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_selector(f'.rv-player[data-position="{position}"]')
        at(page, part=2, task=task)
    page.locator(".rv-dock-point").hover()
    page.wait_for_selector(".rv-ring")

    page.keyboard.press("n")
    at(page, part=3, judges="")
    for choice, becomes in ("1", "tried"), ("2", "done"):
        page.keyboard.press(choice)
        at(page, part=3, task=becomes)
    assert faults(page) == []

    page.set_viewport_size({"width": 1280, "height": 900})
    page.keyboard.press("n")
    at(page, part=4, judges="")
    page.get_by_label("Word", exact=True).fill("exactly")
    page.keyboard.press("Enter")
    at(page, part=4, task="tried")  # the engine checks what the browser cannot
    page.get_by_role("button", name="Show me").click()
    at(page, part=4, task="done")
    wait_for_link(page, word="knowing", part=4)
    page.reload()
    settled(page)
    at(page, part=4, task="done")
    assert query(page)["word"] == "knowing"
    page.get_by_role("button", name="All lessons").first.click()
    page.wait_for_selector('.rv-course-card[data-state="read"]')
    assert page.locator(".rv-dock").count() == 0
    assert "lesson" not in query(page)


OFF_CENTRE = """() => [...document.querySelectorAll("[class*=-another] button")].map(button => {
    const [outer, word] = [button, button.querySelector("p")].map(node => node.getBoundingClientRect());
    const picture = button.querySelector("[data-testid=stIconMaterial]").getBoundingClientRect();
    return picture.width ? 0 : (outer.left + outer.right - word.left - word.right) / 2;
})"""


def test_a_step_moves_the_same_view_to_another_place(show):
    page = show("lessons?lesson=ring&part=5")
    page.wait_for_selector('.rv-player[data-kind=lifting][data-fold="0.00"]')
    page.locator(".rv-fold-slider .rv-scrubber").focus()
    page.keyboard.press("n")  # which the slider leaves to the dock, once
    page.wait_for_selector('.rv-player[data-kind=lifting][data-fold="1.00"]')  # the next step is about the folded ring
    page.wait_for_selector('.rv-lesson[data-part="6"]:not([data-moves])', state="attached")
    page.wait_for_selector(".rv-ring")  # around a curve
    tabs.again(page, page.url.split("/field")[0] + "/lessons?lesson=cipher&part=4")
    page.wait_for_selector('.rv-decipher[data-pass="1"]')
    page.keyboard.press("n")
    page.wait_for_selector('.rv-decipher[data-pass="8"]')


def test_back_leads_to_the_step_before(show):
    """One key press per step, also if a step pins a context, which makes Python rewrite the link."""
    page = show("lessons?lesson=sum&part=2", ".rv-figure", reload=True)
    for part in (3, 4):
        page.keyboard.press("n")
        page.wait_for_selector(f'.rv-lesson[data-part="{part}"]:not([data-moves])', state="attached")
        wait_until_idle(page)
    for part in (3, 2):
        page.go_back()
        wait_until_idle(page)
        assert page.locator(".rv-lesson").get_attribute("data-part") == str(part)


def test_a_clicked_task_can_be_stepped_by_keys_and_is_checked(show):
    page = show("lessons?lesson=beam&part=4", reduced_motion="reduce")
    for off in page.evaluate(OFF_CENTRE):  # next to a lesson a button has space for its label only
        assert abs(off) < 2
    page.locator(".rv-dock-next").click()  # and keeps the focus
    page.wait_for_selector('.rv-player[data-mode=full][data-position="1"]')
    for position in range(2, 6):
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_selector(f'.rv-player[data-position="{position}"]')
        task = "done" if position == 5 else "tried"
        page.wait_for_selector(f'.rv-lesson[data-part][data-task="{task}"]', state="attached")
    page.keyboard.press("n")  # from here on by keys alone, a task too, to the end and back
    page.wait_for_selector('.rv-lesson[data-part="6"][data-judges][data-task="open"]', state="attached")
    for option, task in (("2", "tried"), ("1", "done")):
        page.keyboard.press(option)
        page.wait_for_selector(f'.rv-lesson[data-part="6"][data-task="{task}"]', state="attached")
    for part, key in ((7, "n"), (8, "PageDown"), (9, "n"), (8, "b"), (9, "n")):
        page.keyboard.press(key)
        page.wait_for_selector(f'.rv-lesson[data-part="{part}"]:not([data-moves])', state="attached")
    page.evaluate("document.querySelector('.rv-flow').dispatchEvent(new CustomEvent('rv-details'))")
    page.wait_for_selector(".rv-flow-details .rv-player[data-ready=true]")
    page.keyboard.press("l")  # bars on another scale, which glide
    page.wait_for_selector(".rv-player[data-glides]")
    assert page.evaluate(MOVING) == []  # neither dock nor rings nor bars move with reduced motion
    page.emulate_media(reduced_motion="no-preference")
    assert {"rv-dock-title", "rv-own"} <= set(" ".join(page.evaluate(MOVING)).split())
