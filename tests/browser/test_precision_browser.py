"""The precision view in a browser: the slider's counts, without requests, and the page around it."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from rcmviz.evaluation.confidence import recall_at_precision
from rcmviz.views.precision.payload import build_precision, precision_html
from support import tabs
from support.answers import random_answers
from support.browser import LOOKS, chromium, faults, page_of, query, saved, settled, show, wait_for_link  # noqa: F401

VIEW = ".rv-precision[data-ready=true]"
SMALL = "precision?words=60&runs=rcms:4,beam:4,exact"


def shown_by_view(page, name):
    """Return a number per method, as the view shows it."""
    return [int(number) for number in page.locator(VIEW).get_attribute(f"data-{name}").split(",")]


def slide(page, step):
    """Move the slider as a person does, and wait for the picture."""
    page.evaluate(
        """step => new Promise(done => {
        const range = document.querySelector('.rv-precision input[type=range]');
        range.value = step;
        range.dispatchEvent(new Event('input', { bubbles: true }));
        requestAnimationFrame(() => requestAnimationFrame(done));
    })""",
        step,
    )


def at(page):
    return float(page.locator(VIEW).get_attribute("data-at"))


@pytest.fixture
def exported(saved):
    """The view as a file, offline, with two methods; the answers are known."""
    both = [random_answers(5, N=80)[1], random_answers(5, N=80, ties=True)[1]]
    data = random_answers(5, N=80)[0]
    payload = build_precision(data, both, kinds=["rcms", "beam"], title="<b>words</b>")
    return saved(precision_html(payload, "A view"), VIEW), both


def test_the_slider_counts_as_the_definitions_do(exported):
    page, both = exported
    for rule in ("confidence at least", "the surest", "precision at least"):
        page.get_by_role("button", name=rule).click()
        last = int(page.locator(".rv-precision input[type=range]").get_attribute("max"))
        for step in np.linspace(0, last, 9).astype(int).tolist():
            slide(page, step)
            expected = [counted(rule, at(page), one.confidence, one.correct) for one in both]
            assert list(zip(shown_by_view(page, "answered"), shown_by_view(page, "wrong"), strict=True)) == expected, (
                rule,
                step,
            )


def counted(rule, value, confidence, correct):
    """(answered, wrong) at a value of the slider, threshold by threshold."""
    sets = [confidence >= t for t in sorted(set(confidence), reverse=True)]
    if rule == "confidence at least":
        chosen = confidence >= value
    elif rule == "the surest":
        chosen = next(s for s in sets if s.mean() >= value - 1e-9) if value > 0 else confidence > 1
    else:
        share = recall_at_precision(confidence, correct, value - 1e-9)
        chosen = next((s for s in sets if np.isclose(s.mean(), share)), confidence > 1)
    return int(chosen.sum()), int(np.sum(~correct[chosen]))


def test_the_name_of_a_ceiling_is_read_before_all_lines(saved):
    """It is drawn above all lines, so that none crosses it."""
    data, good = random_answers(5, N=80)
    wrong = tuple((truth + (k % 5 == 0)) % 3 for k, truth in enumerate(good.gold))
    payload = build_precision(
        data, [replace(good, decoded=good.gold), replace(good, decoded=wrong)], kinds=["rcms", "beam"]
    )
    page = saved(precision_html(payload, "A view"), VIEW)
    name = page.locator(".rv-chart svg text", has_text="never past")
    assert name.count() == 1
    assert name.evaluate("""name => [...document.querySelectorAll(".rv-chart svg :is(line, .rv-curve)")].every(
        line => line.compareDocumentPosition(name) & Node.DOCUMENT_POSITION_FOLLOWING)""")


def test_on_a_phone_the_table_fades_where_there_is_more(exported):
    page, _ = exported
    table, mask = (
        page.locator(".rv-numbers .rv-table"),
        "getComputedStyle(document.querySelector('.rv-numbers .rv-table'))",
    )
    assert table.evaluate("table => getComputedStyle(table).maskImage") == "none"  # here all of it is seen
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function(f"() => {mask}.maskImage !== 'none'")
    table.evaluate("table => table.scrollLeft = table.scrollWidth")
    page.wait_for_function(f"() => {mask}.maskImage === 'none'")


def test_the_walls_show_the_words_behind_the_counts(exported):
    page, both = exported
    page.get_by_role("button", name="the surest").click()
    slide(page, 40)
    for m, name in enumerate(["● x", "▲ x"]):
        page.get_by_role("button", name=name).click()
        page.wait_for_selector(f'{VIEW}[data-focus="{m}"]')
        answered, wrong = shown_by_view(page, "answered")[m], shown_by_view(page, "wrong")[m]
        walls = page.locator(".rv-wall")
        assert walls.nth(0).locator(".rv-tile").count() == wrong
        assert walls.nth(1).locator(".rv-tile").count() == both[m].correct.sum() - (answered - wrong)
        walls.nth(0).get_by_role("button", name="right:").click()
        assert walls.nth(0).locator(".rv-tile").count() == answered - wrong
        walls.nth(0).get_by_role("button", name="wrong:").click()


def test_exports(exported, tmp_path):
    page, both = exported
    saved = {}
    for name in ("words (CSV)", "curves (CSV)", "JSON", "SVG", "PNG"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=name, exact=True).click()
        saved[name] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(saved[name])
    rows = list(csv.reader(saved["words (CSV)"].open(encoding="utf-8")))
    assert [float(row[3]) for row in rows[1:]] == both[0].confidence.tolist()
    curves = list(csv.reader(saved["curves (CSV)"].open(encoding="utf-8")))
    assert len(curves) == 1 + sum(len(set(one.confidence)) for one in both)
    assert json.loads(saved["JSON"].read_text())["version"] == 1
    assert "&lt;b&gt;words" in saved["SVG"].read_text()
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")


def test_sliding_sends_no_request_and_is_in_the_link(show):
    frames = []
    page = show(SMALL, frames=frames, reload=True)
    page.wait_for_selector(".rv-mistakes[data-judged='3']")  # until then the page looks whether they are
    settled(page)
    page.get_by_role("button", name="confidence at least").click()
    page.locator(".rv-precision input[type=range]").focus()
    frames.clear()
    before = page.locator(VIEW).get_attribute("data-answered")
    page.keyboard.press("Home")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    box = page.locator(".rv-chart svg").bounding_box()
    page.wait_for_function(f"() => document.querySelector('{VIEW}').dataset.answered !== '{before}'")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # the chart is a slider too
    page.get_by_role("button", name="▲ Beam 4", exact=True).click()
    page.get_by_role("button", name="risk", exact=True).click()
    page.get_by_role("button", name="bootstrap band").click()
    wait_for_link(page, by="confidence", focus=1, curve="risk", band=1)
    assert frames == []
    answered, place = shown_by_view(page, "answered"), at(page)
    tabs.again(page)
    settled(page)
    assert (shown_by_view(page, "answered"), at(page)) == (answered, pytest.approx(place))
    assert page.get_by_role("button", name="risk", exact=True).get_attribute("aria-pressed") == "true"
    before = at(page)
    page.evaluate("history.replaceState = () => {}")  # reload before the link is written
    page.locator(".rv-precision input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"() => Number(document.querySelector('{VIEW}').dataset.at) !== {before}")
    moved = at(page)
    page.reload()
    settled(page)
    assert at(page) == pytest.approx(moved)


def test_a_word_opens_in_step_and_back_is_back(show):
    page = show(SMALL + "&by=share&at=1&focus=1")
    wrong = page.locator(".rv-wall").first.locator("a.rv-tile").first
    said = wrong.get_attribute("aria-label")
    wrong.click()
    page.wait_for_url("**/step?**")
    page.wait_for_selector(".rv-flow[data-ready=true]")
    assert (query(page)["method"], query(page)["budget"], query(page)["model"]) == ("beam", "4", "handwriting-pen-beam")
    assert query(page)["word"] in said
    page.keyboard.press("End")
    page.locator(".rv-flow").get_by_text(said.split("reads ")[1].split(",")[0], exact=True).first.wait_for()
    page.go_back()
    page.wait_for_url("**/precision?**")
    settled(page)
    wait_for_link(page, words=60)  # Streamlit runs this page with the parameters of Step first


def test_axe_finds_nothing_serious_and_nothing_is_too_wide(show):
    page = show(SMALL, reduced_motion="reduce")
    assert faults(page, [*LOOKS, ("dark", 1280)]) == []
