"""Field in a browser: every tab opens by its link, stepping sends no requests, saved files play offline."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import json

import pytest

from pages.mrf.page import PAGE
from pages.mrf.question import TABS, MrfQuestion
from pages.mrf.training import recorded_payload
from pages.shell.answers import payload_of
from rcmviz.views.shared.export import page as html_page
from support import tabs
from support.browser import chromium, faults, page_of, saved, settled, show, wait_for_link  # noqa: F401
from support.explained import unexplained

VIEW = ".rv-mrf[data-ready=true]"


@pytest.fixture
def offline(saved):
    """Open a tab as a file, offline."""

    def open_question(question, **options):
        payload = recorded_payload(question) if question.tab == "learning" else payload_of(PAGE, question)
        return saved(html_page(payload, "A <field>", "mrf"), VIEW, **options), payload

    return open_question


def test_the_page_is_accessible_and_fits_the_window(offline):
    for tab in TABS:
        page, _ = offline(MrfQuestion(tab=tab))
        assert set(unexplained(page)) <= {"fold", "window"}  # the ring is folded; a word of the text
        page.keyboard.press("?")
        assert faults(page) == []


def test_the_bound_is_stepped_and_the_ring_folds_offline(offline):
    page, payload = offline(MrfQuestion())
    last = len(payload["steps"])
    page.wait_for_selector(f'{VIEW}[data-position="{last}"]')
    page.keyboard.press("Home")
    page.wait_for_selector(f'{VIEW}[data-position="1"]')
    assert "Before any message" in page.locator(".rv-detail").inner_text()
    assert f"{payload['steps'][0]['bound']:.3f}" in page.locator(".rv-chart-panel").text_content()
    page.keyboard.press("f")
    page.wait_for_selector(f'{VIEW}[data-fold="1.00"]')
    ends = page.locator("circle.rv-fold-leaf").evaluate_all(
        "all => new Set(all.map(e => e.getAttribute('cx') + ' ' + e.getAttribute('cy'))).size"
    )
    assert ends == payload["order"]  # all leaves of a distance lie on top of each other
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    assert json.loads(download.value.path().read_bytes()) == payload


def test_a_changed_neighbour_moves_one_edge_offline(offline):
    page, payload = offline(MrfQuestion(tab="blank"))
    variant = next(one for one in payload["variants"] if (one["side"], one["back"]) == ("right", 1))
    page.get_by_label("neighbour +1").select_option(variant["word"])
    page.wait_for_selector(f'{VIEW}[data-swap="a1.{variant["word"]}"]')
    best = payload["words"][max(range(len(variant["p"])), key=variant["p"].__getitem__)]
    assert page.locator(".rv-blank-word").first.inner_text() == best
    moved = page.locator(".rv-message-cell.rv-moved")
    assert 0 < moved.count() <= page.locator(".rv-blank-rows .rv-blank-row").count()
    page.keyboard.press("Escape")
    page.wait_for_selector(f'{VIEW}[data-swap=""]')


def test_a_word_is_searched_and_a_neighbour_followed_offline(offline):
    page, payload = offline(MrfQuestion(tab="neighbours"))
    page.get_by_role("searchbox").fill("monda")
    page.wait_for_selector(f'{VIEW}[data-word="monday"]')
    nearest = payload["words"][payload["maps"][0]["near"][payload["words"].index("monday")][0]]
    page.locator(".rv-follow-row button").first.click()
    page.wait_for_selector(f'{VIEW}[data-word="{nearest}"]')
    assert page.locator(".rv-map-name[data-kind=chosen]").all_text_contents() == [nearest] * len(payload["maps"])


def test_steps_stand_in_the_link_and_tabs_open_by_it(show):
    page = show("field")
    page.keyboard.press("Home")
    wait_for_link(page, step="1")
    tabs.again(page)
    settled(page, f'{VIEW}[data-position="1"]')
    page.get_by_role("radio", name="Fill the blank").click()
    settled(page, '.rv-mrf[data-kind="blank"]')
    page.get_by_role("textbox", name="Sentence").fill("two _ blanks _")
    page.keyboard.press("Enter")
    page.wait_for_selector('.rv-mrf[data-error*="2 blanks"]')


def test_the_word_that_is_looked_at_is_in_sight_on_a_phone(offline):
    page, _ = offline(MrfQuestion(tab="tagging"), width=390)
    for key in ("End", "Home"):
        page.keyboard.press(key)
        page.wait_for_function(
            """() => {
                const [line, word] = [".rv-tag-line", ".rv-tag-column.rv-on"].map(
                    (name) => document.querySelector(name).getBoundingClientRect());
                return word.left >= line.left - 1 && word.right <= line.right + 1;
            }"""
        )
