"""Learn in a browser: three methods train, pause, resume and end; the time machine; to Step and back."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import re
from functools import partial

import pytest

from support.browser import STILL, chromium, faults, go_to, page_of, show, wait_for_link, wait_until_idle  # noqa: F401

VIEW = ".rv-learning[data-ready=true]"
QUICK = "learn?data=pen:60:0&runs=rcms:5,beam:5,exact&order=1&epochs=3"
LONG = "learn?data=pen:150:0&runs=rcms:300,beam:300,exact&epochs=200"  # minutes, on any machine


@pytest.fixture
def opened(show):
    """Open a link of Learn, which draws nothing before there is a run."""
    return partial(show, drawn=STILL)


def press(page, label):
    page.get_by_role("button", name=re.compile(f"^{label}")).click()


def status(page, text, count=3):
    """Wait until the legend shows this state for ``count`` methods."""
    page.wait_for_function(
        "([text, count]) => [...document.querySelectorAll('.rv-legend-item')]"
        ".filter(item => item.innerText.includes(text)).length === count",
        arg=[text, count],
    )


def examples(page):
    """Examples seen, one number per method."""
    legend = page.locator(".rv-legend-item").all_inner_texts()
    return [int(re.search(r"([\d,]+) examples", text)[1].replace(",", "")) for text in legend]


def test_three_methods_train_and_the_time_machine_goes_back(opened):
    page = opened(QUICK)
    press(page, "Start")
    status(page, "done")
    page.wait_for_selector(STILL)
    assert examples(page) == [180, 180, 180]
    assert page.locator(".rv-curve.rv-m-exact, .rv-curve-dot.rv-m-exact").count() == 6
    assert page.locator(".rv-weight canvas").count() == 26
    assert page.locator(".rv-heavy:visible").count() >= 8
    page.locator(".rv-scrubber").focus()
    page.keyboard.press("Home")
    page.wait_for_selector('.rv-learning[data-follows="false"]')
    first = page.locator(".rv-learning").get_attribute("data-step")
    assert int(first) < 60
    wait_for_link(page, at=first)
    page.click(".rv-next")
    page.wait_for_function("first => document.querySelector('.rv-learning').dataset.step > first", arg=int(first))
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f'.rv-learning[data-step="{first}"]')
    early = page.locator(".rv-machine").inner_text()
    page.get_by_role("button", name="latest").click()
    page.wait_for_selector('.rv-learning[data-follows="true"]')
    page.wait_for_function("(early) => document.querySelector('.rv-machine').innerText !== early", arg=early)
    page.locator("svg.rv-charts").click(position={"x": 90, "y": 90})
    page.wait_for_selector('.rv-learning[data-follows="false"]')
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    assert waiting.value.path().read_text().startswith("method,examples,log_likelihood")


def test_a_checkpoint_opens_in_step_and_learn_is_as_it_was(opened):
    page = opened(QUICK.replace("exact", "rcms:2"))
    press(page, "Start")
    status(page, "done")
    page.locator(".rv-machine select").select_option("3")
    wait_for_link(page, word=3)
    page.get_by_role("button", name="step through").nth(1).click()
    page.wait_for_url("**/step**")
    page.wait_for_selector(".rv-player[data-position]")
    assert "beam:5,step:180" in page.evaluate("new URLSearchParams(location.search).get('model')")
    assert page.locator(".rv-player").get_by_text("budget 5").count() >= 1
    slider = page.get_by_role("slider", name=re.compile("Training step"))
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_function("() => !new URLSearchParams(location.search).get('model').includes('step:180')")
    page.get_by_role("link", name="Back to Learn").click()
    page.wait_for_selector(VIEW)
    status(page, "done")
    assert page.locator(".rv-machine select").input_value() == "3"


def test_pause_resume_leave_come_back_and_cancel(opened):
    page = opened(LONG)
    press(page, "Start")
    status(page, "training")
    press(page, "Pause")
    status(page, "paused")
    wait_until_idle(page)  # the last states may still be on their way to the view
    held = examples(page)
    wait_until_idle(page)
    assert examples(page) == held
    press(page, "One epoch")
    page.wait_for_function(
        "before => document.querySelector('.rv-legend-item').innerText.includes('paused') && "
        "!document.querySelector('.rv-legend-item').innerText.includes(before)",
        arg=f" {held[0]:,} examples",
    )
    press(page, "Resume")
    status(page, "training")
    go_to(page, "Step")
    page.wait_for_url("**/step**")
    page.wait_for_selector(".rv-player[data-position]")
    page.get_by_text(re.compile("training RCMS 300: epoch")).wait_for()
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector('.rv-flow[data-position="2"]')
    page.get_by_role("link", name="Open Learn").click()
    page.wait_for_selector(VIEW)
    status(page, "training")
    page.reload()
    page.wait_for_selector(VIEW)
    status(page, "training")
    press(page, "Cancel")
    status(page, "cancelled")
    page.get_by_role("button", name="Restart").wait_for()


def test_axe_and_a_telephone(opened):
    page = opened(QUICK.replace("exact", "rcms:2"), reduced_motion="reduce")
    assert faults(page) == []
    press(page, "Start")
    status(page, "done")
    page.wait_for_selector(STILL)
    assert faults(page) == []
