"""Every declared page in a browser: it is drawn, accessible, fits a phone, and plays as a file."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import pytest

from pages.shell import registry
from pages.shell.answers import payload_of
from pages.shell.errors import NeedsInput
from pages.shell.view import saved_page
from support.browser import chromium, faults, page_of, saved, settled, show, wait_for_link  # noqa: F401

PAGES = registry.pages()
CHEAP = {"precision": "?words=50&runs=rcms:1"}
DRAWN = "[data-testid=stMain] .rv-player[data-ready=true]"
TABS = [(name, tab) for name, page in PAGES.items() for tab in page.openings()]


def shown(name, tab):
    """Return a tab's first content: an answer, a recorded run, or nothing to save."""
    question = PAGES[name].openings()[tab]
    page = PAGES[name].at(question)
    if page.training is not None:
        return page.training.recorded(question)
    try:
        return payload_of(PAGES[name], question) if page.can_answer else None
    except NeedsInput:
        return None


@pytest.mark.parametrize("name", PAGES)
def test_it_is_drawn_and_accessible(show, name):
    page = PAGES[name]
    browser = show(f"{name}{CHEAP.get(name, '')}", DRAWN, width=1280, height=800)
    assert browser.locator("h1").inner_text() == page.title
    assert faults(browser) == []  # light at 1280 px, dark at 390
    browser.set_viewport_size({"width": 1280, "height": 800})
    browser.locator("[data-testid=stCheckbox]", has_text="Details").click()
    wait_for_link(browser, details=None)
    settled(browser, f"{DRAWN}[data-details=false]")
    assert browser.locator(".st-key-formula, [data-testid=stDownloadButton], .rv-tools:visible").count() == 0


@pytest.mark.parametrize(("name", "tab"), TABS)
def test_it_plays_as_a_file(saved, name, tab):
    if name in CHEAP:
        pytest.skip("it opens with much to compute; its own tests save it")
    page, question, payload = PAGES[name], PAGES[name].openings()[tab], shown(name, tab)
    if payload is None:
        pytest.skip("nothing is drawn at first")
    saved(saved_page(page.at(question), question, payload), ".rv-player[data-ready=true]")
