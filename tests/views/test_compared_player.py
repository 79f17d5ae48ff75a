"""Several methods in a browser: ranks with the budget line, where they part, labels revealed by stepping."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

from rcmviz.views import build_payload
from support.browser import DRAWN, chromium, faults, page_of, saved  # noqa: F401
from support.exported import player_page
from support.toy_runs import LABELS, runs_of

IN_SIGHT = """() => [...document.querySelectorAll(".rv-ranks .rv-scroll")].map(frame => {
    const line = frame.querySelector(".rv-budget-line").getBoundingClientRect(), box = frame.getBoundingClientRect();
    return line.top > box.top && line.bottom < box.bottom;
})"""
CELLS = """() => [...document.querySelectorAll(".rv-heat-cell")]
    .filter(cell => cell.style.display !== "none").length"""

READOUTS = """() => new Set([...document.querySelectorAll(".rv-readout")].map(node => node.offsetHeight)).size"""


def at(page, position):
    page.wait_for_function("p => document.querySelector('.rv-player').dataset.position === p", arg=str(position))


def parting_runs():
    """Beam search and RCMS, twice, that keep other contexts at one position and read another label at another."""
    for seed in range(40):
        rcms, beam = runs_of(("rcms", "beam"), budget=3, seed=seed)
        found = build_payload(None, [beam, rcms])["differences"]
        if None not in found.values() and found["kept"] != found["output"]:
            return [beam, rcms, rcms], found
    raise AssertionError("no seed lets them part at two positions")


def test_ranks_are_side_by_side_and_the_button_leads_to_the_first_difference(saved):
    runs, found = parting_runs()
    page = saved(player_page(runs, gold="abcdea"), DRAWN, width=1280, height=800)
    heads = page.locator(".rv-ranks .rv-method").all_text_contents()
    assert [head[2:] for head in heads] == ["beam", "rcms", "rcms (2)"]
    assert len({head[0] for head in heads}) == 3, "each has a mark of its own"
    colours = page.locator(".rv-ranks .rv-method").evaluate_all("all => all.map(one => getComputedStyle(one).color)")
    assert len(set(colours)) == 3
    page.click(".rv-to-difference")
    at(page, found["kept"])
    assert page.evaluate(IN_SIGHT) == [True] * 3
    held = page.locator(".rv-ranks [aria-selected=true]:visible")
    fates = held.evaluate_all("rows => rows.map(row => row.dataset.fate)")
    assert held.count() >= 1
    assert "kept" in fates
    assert set(fates) != {"kept"} or len(fates) < 3
    assert page.locator(".rv-ranks .rv-parted:visible").count() >= 1
    page.keyboard.press("d")
    at(page, found["output"])
    assert page.locator(".rv-ranks .rv-scroll").first.evaluate("frame => frame.scrollTop") == 0
    assert faults(page) == []


def test_nothing_right_of_the_position_is_revealed(saved):
    beam, rcms = runs_of(("beam", "rcms"), budget=2)
    payload = build_payload(None, [beam, rcms], gold="abcdea")
    page = saved(player_page([beam, rcms], gold="abcdea", title="word", reveal=True), DRAWN)
    for position in range(1, 6):
        at(page, position)
        gold = page.locator(".rv-cell .rv-gold").all_text_contents()
        assert gold == [*"abcdea"[:position], *[""] * (6 - position)]
        labels = []
        for kept, more in payload["runs"][0]["soFar"]["path"][:position]:
            labels = labels[:kept] + more
        read = page.locator(".rv-cell .rv-letter").all_text_contents()
        assert read == [*(LABELS[y] for y in labels), *["·"] * (6 - position)]
        columns = payload["runs"][0]["columns"][1 : position + 1]
        assert page.evaluate(CELLS) == sum(len(column["labels"]) for column in columns)
        assert not page.locator("[data-readout=confidence]").is_visible()
        assert page.evaluate(READOUTS) == 1, "hidden numbers take no more room than the others"
        assert "posterior mass" not in page.locator(".rv-detail").inner_text()
        page.keyboard.press("p")
        page.keyboard.press("ArrowRight")
    at(page, 6)
    assert page.locator(".rv-unseen").count() == 0
    assert page.locator("[data-readout=confidence]").is_visible()
    assert page.get_attribute(".rv-player", "data-mass") == "forward"
    page.keyboard.press("v")
    page.keyboard.press("Home")
    at(page, 1)
    assert page.locator(".rv-unseen").count() == 0
