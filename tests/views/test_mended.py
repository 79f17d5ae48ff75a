"""Fixed faults of the player: numbers, their bars and pictures."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import struct
import xml.etree.ElementTree as ElementTree
from collections import Counter

from support.browser import chromium, page_of, saved  # noqa: F401
from support.exported import player_page
from support.toy_runs import runs_of

DRAWN = ".rv-player[data-ready=true]"
SVG = "{http://www.w3.org/2000/svg}"
ROWS = """() => [...document.querySelectorAll(".rv-tree .rv-row")]
    .filter(row => row.style.display !== "none")
    .map(row => {
        const [own, pale] = [".rv-own", ".rv-pale"].map(bar => row.querySelector(bar).getBoundingClientRect());
        const [value, subtree] = [".rv-value", ".rv-subtree"].map(name => row.querySelector(name));
        const number = node => node.textContent ? node.getBoundingClientRect() : null;
        return { own: own.right, pale: pale.right, value: number(value), subtree: number(subtree) };
    })"""
STILL = """() => document.getAnimations().every(animation => animation.playState === "finished")"""
FRAMES = """() => [...document.querySelectorAll(".rv-scroll, .rv-heat-frame")]
    .map(frame => [frame.scrollLeft, frame.scrollTop, frame.clientWidth, frame.clientHeight])"""


def test_numbers_stand_where_their_bars_end_and_a_legend_names_both(saved):
    page = saved(player_page(runs_of(budget=8), gold="abcdea", position=4), DRAWN)
    page.wait_for_function(STILL)
    rows = page.evaluate(ROWS)
    for row in rows:
        assert 0 < row["value"]["left"] - row["own"] < 9
        if row["subtree"]:
            assert row["subtree"]["left"] > max(row["pale"], row["value"]["right"])
            assert row["subtree"]["left"] - max(row["pale"], row["value"]["right"]) < 12
    assert any(row["subtree"] for row in rows)
    assert any(row["pale"] > row["value"]["right"] for row in rows)  # the own number within the pale bar
    legend = page.locator(".rv-tree .rv-panel-head").inner_text()
    assert "own mass" in legend and "subtree" in legend
    root = page.locator('[data-readout="root"] dd')
    assert root.inner_text() != "–"
    page.keyboard.press("End")
    page.wait_for_selector('.rv-player[data-position="6"]')
    assert root.inner_text() == "–"


def test_a_picture_includes_content_scrolled_out_of_view(saved, tmp_path):
    page = saved(player_page(runs_of(budget=40, length=40), position=35), DRAWN, width=700)
    page.evaluate("document.querySelector('.rv-candidates .rv-scroll').scrollTop = 50")
    before = page.evaluate(FRAMES)
    assert any(left for left, *_ in before)  # the heat map has moved on
    file = tmp_path / "whole.svg"
    for name in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.click(f".rv-tools button:text-is('{name}')")
        if name == "SVG":
            download.value.save_as(file)
    assert page.evaluate(FRAMES) == before
    picture = ElementTree.parse(file).getroot()
    width, height = (float(picture.get(side)) for side in ("width", "height"))
    drawings = [node for node in picture if node.tag == SVG + "svg"]
    for drawing in drawings:
        x, y, wide, high = (float(drawing.get(name)) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= width and 0 <= y <= y + high <= height + 1
    shown = [text.text for drawing in drawings for text in drawing.iter(SVG + "text")]
    for numbers in (".rv-candidates .rv-rank", ".rv-tree .rv-value"):  # of rows that were scrolled away too
        written = Counter(page.locator(numbers).locator("visible=true").all_text_contents())
        assert written.total() > 40 and written <= Counter(shown)
    assert max(float(drawing.get("width")) for drawing in drawings) > 700  # all columns of the heat map
    content = download.value.path().read_bytes()
    wide, high = struct.unpack(">II", content[16:24])
    assert max(wide, high) <= 16_000
    assert abs(wide / high - width / height) < 0.01
