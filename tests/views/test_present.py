"""Present mode in an exported file: one screen, type for the last row, a clicker's keys, and the way back."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)

import pytest

from support.browser import chromium, page_of, saved  # noqa: F401
from support.exported import opened  # noqa: F401
from support.toy_runs import runs_of
from support.wall import on_walls, unreadable

PRESENTED = "?present=1"


def at(page, position):
    page.wait_for_selector(f'.rv-player[data-position="{position}"]')


def test_one_method_fits_a_wall_with_the_strip_the_tree_and_the_candidates(opened):
    page = opened(runs_of(budget=12, length=20), PRESENTED, gold="abcde" * 4, position=9)
    for width, height in on_walls(page):
        assert unreadable(page, width, height) == []
        for part in (".rv-transport", ".rv-strip", ".rv-tree", ".rv-candidates", ".rv-caption"):
            assert page.locator(part).is_visible()
        for part in ("h1", ".rv-band", ".rv-heat", ".rv-tools", ".rv-side"):
            assert not page.locator(part).first.is_visible()
        rows = page.locator(".rv-candidates .rv-row:visible")
        fates = [row.get_attribute("data-fate") for row in rows.all()]
        assert "kept" in fates and "merged" in fates and fates == sorted(fates)  # both sides of the budget line
        assert page.locator(".rv-tree .rv-row:visible").count() >= (8 if height == 720 else 13)
        assert page.locator('.rv-tree [data-name="*"]').is_visible()
        hidden = page.locator(".rv-candidates .rv-rule-text:visible").all_text_contents()
        counts = [int(text.split()[1]) for text in hidden if text.startswith("…")]
        assert rows.count() + sum(counts) == int(page.locator(".rv-candidates h2").inner_text().split()[0])


@pytest.mark.parametrize("methods", [("rcms", "beam"), ("rcms", "beam", "exact")], ids=len)
def test_several_methods_fit_a_wall(opened, methods):
    page = opened(runs_of(methods, budget=12, length=12), PRESENTED, gold="abcdeabcdeab", position=5)
    for width, height in on_walls(page):
        assert unreadable(page, width, height) == []
        assert page.locator(".rv-panel-head:visible").count() == len(methods)
        assert page.locator(".rv-row:visible").count() >= 4 * len(methods)


def test_a_phone_shows_all_of_it_and_the_way_back(opened):
    page = opened(runs_of(("rcms", "beam"), length=9), PRESENTED, gold="abcdeabcd", position=4)
    for width, _ in on_walls(page, [(390, 780)]):
        places = [page.locator(part).last.bounding_box() for part in (".rv-present", ".rv-row:visible", ".rv-caption")]
        assert all(place["x"] + place["width"] <= width and place["y"] + place["height"] <= 780 for place in places)
    page.click(".rv-present")
    page.wait_for_selector(".rv-player:not([data-presenting])")


def test_keys_of_a_clicker_step_blank_and_lead_back(opened):
    page = opened(runs_of(), height=720)
    assert page.locator("h1").is_visible()
    rows = page.locator(".rv-tree .rv-row:visible").count()
    page.keyboard.press("p")
    page.wait_for_selector('.rv-player[data-mass="posterior"]')
    page.keyboard.press("P")
    page.wait_for_selector(".rv-player[data-presenting]")
    assert not page.locator("h1").is_visible()
    page.focus(".rv-scrubber")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    at(page, 3)
    page.keyboard.press("PageUp")
    at(page, 2)
    equation, shown = page.locator(".rv-equation"), page.locator(".rv-tree .rv-row:visible").count()
    assert not equation.is_visible()
    page.keyboard.press("e")  # the sum of the step, as large as the room needs it
    equation.locator(".rv-equation-term").first.wait_for()
    numbers = "terms => terms.map(term => term.textContent.replaceAll(' ', ''))"
    card = page.locator(".rv-sum .rv-term-head").evaluate_all(numbers)
    assert equation.locator("b").evaluate_all(numbers) == card != []
    assert equation.bounding_box()["y"] + equation.bounding_box()["height"] <= 720
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('.rv-equation b')).fontSize)") >= 26
    page.keyboard.press("e")
    equation.wait_for(state="hidden")
    assert page.locator(".rv-tree .rv-row:visible").count() == shown
    blank = page.locator(".rv-blank")
    assert not blank.is_visible()
    page.keyboard.press("b")
    assert blank.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
    page.keyboard.press("PageDown")  # whatever is pressed, the wall comes back first
    assert not blank.is_visible()
    page.keyboard.press(".")
    page.keyboard.press("Escape")
    page.wait_for_selector(".rv-player:not([data-presenting])")
    assert not blank.is_visible() and page.locator("h1").is_visible()
    assert page.get_attribute(".rv-player", "data-position") == "2"
    page.keyboard.press("Home")
    at(page, 1)
    page.click(".rv-present")
    page.wait_for_selector(".rv-player[data-presenting]")
    page.keyboard.press(" ")  # it plays: what it passes may be gone before anybody looks
    page.wait_for_selector(".rv-player:not([data-position='1'], [data-position='2'])")
    page.click(".rv-present:text-is('leave')")
    page.wait_for_selector(".rv-player:not([data-presenting])")
    page.wait_for_selector('.rv-play[aria-label^="play"]')  # it has come to its end
    page.keyboard.press("Home")
    at(page, 1)
    assert page.locator(".rv-tree .rv-row:visible").count() == rows
