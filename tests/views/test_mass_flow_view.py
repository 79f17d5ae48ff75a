"""The mass-flow picture in a browser: keys, the link, followed contexts, and no overlaps."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import random

import numpy as np
import pytest

import rcmviz as rv
from oracles.ctc import BLANK
from oracles.ctc import Problem as FrameProblem
from problems.ctc import machine_of, read, share_through
from rcmviz.core.inference.followed_mass import follow_beginning, follow_context
from rcmviz.views import Run
from rcmviz.views.mass_flow.ctc import build_ctc_flow
from rcmviz.views.mass_flow.payload import build_mass_flow
from rcmviz.views.mass_flow.word import build_word
from rcmviz.views.shared.export import page as page_text
from support.browser import chromium, faults, page_of, saved  # noqa: F401
from support.seen_texts import TEXTS
from support.toy_runs import model_and_emissions, runs_of

DRAWN = ".rv-flow[data-ready=true]"
LABELS = ".rv-flow-frame > svg .rv-flow-label[data-at]:visible"
SETTLED = "([n, v]) => document.querySelector('.rv-flow').dataset[n] === v"


def becomes(page, name, value):
    page.wait_for_function(SETTLED, arg=[name, str(value)])


@pytest.fixture
def picture(saved):
    """A function that opens runs as the picture alone: ``picture(runs, query="?pos=2&phase=cut", **options)``."""

    def open_runs(
        runs, query="", gold="abcdea", width=1280, height=800, scheme="light", motion="no-preference", **options
    ):
        payload = build_mass_flow(None, runs, gold=gold, **options)
        text = page_text(payload, "a word", "mass_flow")
        look = {"width": width, "height": height, "reduced_motion": motion}
        return saved(text, DRAWN, query=query, **look)

    return open_runs


def test_keys_step_phases_and_positions(picture):
    page = picture(runs_of(("beam", "rcms")))
    becomes(page, "phase", "grow")
    for phase in ("grow", "sort", "cut", "settle"):
        page.keyboard.press("ArrowRight")
        becomes(page, "phase", phase)
        page.keyboard.press("ArrowRight")  # skips to the end of the movement, and advances
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    becomes(page, "position", 6)
    page.keyboard.press("Shift+ArrowLeft")
    becomes(page, "position", 5)
    page.keyboard.press("2")
    becomes(page, "phase", "sort")
    page.keyboard.press("Home")
    becomes(page, "time", "0.000")
    page.keyboard.press(" ")
    page.wait_for_selector('[aria-label="pause (space)"]')
    page.keyboard.press(" ")
    page.wait_for_selector('[aria-label="play (space)"]')


def test_a_link_opens_at_its_phase_and_the_timeline_scrubs(picture):
    page = picture(runs_of(("beam", "rcms")), "?pos=3&phase=cut.40")
    assert page.get_attribute(".rv-flow", "data-time") == "10.400"
    slider = page.locator(".rv-flow-timeline")
    assert slider.get_attribute("aria-valuetext") == "position 3 of 6, Cut"
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2)
    becomes(page, "position", 6)
    assert "sure" in page.locator(".rv-flow-poster").inner_text()


def test_the_poster_and_the_sentences_say_what_happened(picture):
    runs = runs_of(("beam", "rcms"), budget=2)
    page = picture(runs, "?pos=6&phase=settle", exact=runs_of(("exact",))[0].lattice)
    poster = page.locator(".rv-flow-poster").inner_text()
    for run in runs:
        best = rv.viterbi(run.lattice)
        assert "".join(best.labels) in poster
        percent = 100 * np.exp(best.log_prob)
        assert f"{percent:.0f} % sure" in poster or f"{percent:.1f} % sure" in poster
    assert "none is lost" in poster and "With no budget at all" in poster
    page = picture(runs, "?pos=2&phase=settle")
    assert "drops what is below" in page.locator(".rv-flow-sentence").inner_text()


@pytest.mark.parametrize("method", ["beam", "rcms"])
def test_followed_contexts_have_the_share_that_python_computes(picture, method):
    (run,) = runs_of((method,), budget=4)
    page = picture([run], "?pos=2&phase=settle")
    left = build_mass_flow(None, [run], gold="abcdea")["runs"][0]["left"][-1]
    names = page.locator(".rv-flow-label[data-at='2']:visible")
    for k in range(names.count()):
        name = names.nth(k).get_attribute("aria-label").removeprefix("follow ")
        names.nth(k).click()
        followed = float(page.get_attribute(".rv-flow", "data-followed"))
        whole = len(name) == 2 and "*" not in name
        share = follow_beginning(run.lattice, name) if whole else follow_context(run.lattice, run.lattice.find(2, name))
        assert followed == pytest.approx(share[-1] * left, abs=1e-8)
        assert name in page.locator(".rv-flow-aside").inner_text()
        page.keyboard.press("Escape")
    assert page.get_attribute(".rv-flow", "data-followed") is None


@pytest.mark.parametrize("method", ["beam", "rcms"])
def test_followed_contexts_of_frames_have_the_share_of_the_enumeration(saved, method):
    rng = random.Random(5)
    emit = tuple({symbol: -rng.random() for symbol in ("a", "b", BLANK)} for _ in range(5))
    problem = FrameProblem(("a", "b"), emit)
    transcript = read(problem, method, 3)
    machine, payload = machine_of(problem, transcript), build_ctc_flow([transcript])
    page = saved(page_text(payload, "frames", "mass_flow"), DRAWN, query="?pos=2&phase=settle")
    names = page.locator(".rv-flow-label[data-at='2']:visible")
    assert names.count() >= 3
    for k in range(names.count()):
        name = names.nth(k).get_attribute("aria-label").removeprefix("follow ")
        names.nth(k).click()
        share = share_through(machine, 2, name) * payload["runs"][0]["left"][-1]
        assert float(page.get_attribute(".rv-flow", "data-followed")) == pytest.approx(share, abs=1e-8)
        assert name in page.locator(".rv-flow-aside").inner_text()
        page.keyboard.press("x")  # the same mass comes from it, however bars are drawn
        assert float(page.get_attribute(".rv-flow", "data-followed")) == pytest.approx(share, abs=1e-5)
        page.keyboard.press("x")
        page.keyboard.press("Escape")


def test_bars_become_shares_in_the_end(picture):
    runs = runs_of(("beam", "rcms"), budget=2)
    page = picture(runs, "?pos=3&phase=cut", exact=runs_of(("exact",))[0].lattice)
    assert page.get_attribute(".rv-flow", "data-shares") == "chosen"
    page.keyboard.press("n")
    page.keyboard.press("x")
    becomes(page, "shares", "end")
    assert page.get_by_role("button", name="share in the end").get_attribute("aria-pressed") == "true"
    assert "in the end" in page.locator(".rv-flow-sentence").inner_text()
    assert page.locator(".rv-flow-numbers th").nth(2).inner_text() == "share in the end"
    tables = page.locator(".rv-flow-numbers table")
    for r, run in enumerate(build_mass_flow(None, runs, gold="abcdea")["runs"]):
        parts = run["steps"][2]["parts"]
        shown = tables.nth(r).locator("tbody tr").evaluate_all("rows => rows.map(row => row.cells[2].textContent)")
        meant = [end * run["left"][-1] for end, m in zip(parts["end"], parts["candidate"], strict=True) if m >= 0]
        for text, share in zip(shown, meant, strict=False):
            assert text.endswith(" %") is False or float(text[:-2]) == pytest.approx(100 * share, abs=0.6)
    page.keyboard.press("x")
    becomes(page, "shares", "chosen")
    page = picture(runs, "?pos=3&phase=settle&share=end")
    assert page.get_attribute(".rv-flow", "data-shares") == "end"
    page.locator(".rv-flow-label[data-at='3']:visible").first.click()
    followed = page.get_attribute(".rv-flow", "data-followed")
    page.keyboard.press("x")
    becomes(page, "followed", followed)  # the same mass comes from it, however bars are drawn


def test_numbers_are_a_table_and_phases_are_heard(picture):
    page = picture(runs_of(("beam", "rcms")), "?pos=2&phase=cut")
    page.keyboard.press("n")
    rows = page.locator(".rv-flow-numbers tbody tr")
    assert rows.count() > 8 and "dropped" in page.locator(".rv-flow-numbers").inner_text()
    assert page.get_attribute(".rv-flow-sentence", "aria-live") == "polite"


def test_without_motion_phases_are_still_pictures(picture):
    page = picture(runs_of(("beam", "rcms")), "?pos=2&phase=cut.10", motion="reduce")
    line = page.locator(".rv-flow-budget").first
    assert float(line.evaluate("node => getComputedStyle(node).opacity")) == pytest.approx(1, abs=0.01)
    page.keyboard.press("ArrowRight")
    becomes(page, "phase", "settle")
    assert page.get_attribute(".rv-flow", "data-time") == "7.999"


@pytest.mark.parametrize(("width", "height", "share"), [(1280, 800, "&share=end"), (390, 844, "")])
def test_no_text_covers_another_or_is_small(picture, width, height, share):
    labels = tuple(f"tag{k}" for k in range(12))
    model, emit = model_and_emissions(length=8, labels=labels)
    runs = [Run("Beam search", *rv.beam(model, emit, 20)), Run("RCMS", *rv.rcms(model, emit, 20))]
    page = picture(runs, f"?pos=4&phase=grow{share}", gold=labels[:8], width=width, height=height)
    for key, time in {"1": "12.999", "2": "13.999", "3": "14.999", "4": "15.999", "End": "32.000"}.items():
        page.keyboard.press(key)
        becomes(page, "time", time)
        page.wait_for_function("() => !document.querySelector('.rv-flow-snapshot')")
        smallest, pairs = page.evaluate(TEXTS)
        assert pairs == [] and smallest >= 14


def test_anyone_can_use_it(picture):
    page = picture(runs_of(("beam", "rcms")), "?pos=3&phase=cut")
    assert faults(page) == []


def test_many_contexts_move_few_elements(picture):
    labels = "abcdefghijklmnopqrstuvwxyz"
    rng = np.random.default_rng(3)
    model = rv.NgramModel.from_windows(labels, 2, {("*", a, b): float(rng.normal()) for a in labels for b in labels})
    emit = rng.normal(0, 1.5, (8, 26))
    runs = [Run("Beam search", *rv.beam(model, emit, 50)), Run("RCMS", *rv.rcms(model, emit, 50))]
    page = picture(runs, "?pos=5&phase=cut", gold=None)
    assert 100 < page.locator(".rv-flow-moves").count() <= 300


def test_an_exported_word_has_the_player_as_details(saved):
    runs = runs_of(("beam", "rcms"))
    page = saved(rv.export_html(runs, gold="abcdea", title="test word"), DRAWN, query="?pos=3&phase=sort")
    becomes(page, "phase", "sort")
    assert page.locator(".rv-flow-details .rv-player").count() == 0
    page.keyboard.press("d")
    page.wait_for_selector(".rv-flow-details .rv-player[data-ready=true][data-position='3']")
    page.keyboard.press("Shift+ArrowRight")
    becomes(page, "phase", "settle")
    page.wait_for_selector(".rv-flow-details .rv-player[data-position='4']")
    page.click(".rv-flow-details .rv-cell[data-cell='5'] .rv-letter")
    becomes(page, "position", 5)


def test_on_a_page_the_picture_and_its_details_tell_python(saved):
    shown = build_word("abcdea", runs_of(("beam", "rcms")), position=2, phase="settle")
    text = page_text(shown, "a word", "word")
    hears = "(name, value) => (window.sent ??= []).push([name, value])"
    text = text.replace(
        "setStateValue: null, setTriggerValue: null", f"setStateValue: {hears}, setTriggerValue: {hears}"
    )
    page = saved(text, DRAWN)
    page.keyboard.press("d")
    page.wait_for_selector(".rv-flow-details .rv-player[data-position='2']")
    page.keyboard.press("ArrowRight")  # a phase of the picture, no position of the player
    becomes(page, "phase", "grow")
    page.wait_for_function("() => window.sent?.some(([name, value]) => name === 'position' && value === 3)")
    page.locator(".rv-flow-details .rv-candidate:visible").first.click()
    page.wait_for_function("() => window.sent.some(([name, value]) => name === 'node' && value)")


def test_a_name_offers_what_if_edits_where_python_takes_them(saved):
    runs = runs_of(("beam", "rcms"))
    hears = "(name, value) => (window.sent ??= []).push([name, value])"
    asked = "() => (window.sent ?? []).filter(([name]) => name === 'what_if').map(([, value]) => value)"
    for settings, is_offered in ({}, False), ({"editsOf": None, "edits": []}, True):
        shown = build_word("abcdea", runs, position=2, phase="settle", settings=settings)
        text = page_text(shown, "a word", "word").replace(
            "setStateValue: null, setTriggerValue: null", f"setStateValue: {hears}, setTriggerValue: {hears}"
        )
        page = saved(text, DRAWN, query="?pos=2&phase=settle")
        name = page.locator(".rv-flow-label[data-at='2']:visible").first
        name.focus()
        page.keyboard.press("Enter")
        assert page.locator(".rv-flow-menu").is_visible() == is_offered
    first = name.get_attribute("aria-label").removesuffix(": follow or change")
    assert page.evaluate(TEXTS)[0] >= 14
    page.keyboard.press("Escape")
    assert not page.locator(".rv-flow-menu").is_visible()
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')").startswith(first)
    assert faults(page) == []
    for press in ("pin", "forbid", "label =", "budget 3"):
        name.click()
        page.locator(".rv-flow-menu > button", has_text=press).first.click()
    name.click()
    page.locator(".rv-flow-menu .rv-segment").nth(2).click()
    page.locator(".rv-flow-menu > button", has_text="budget 5").click()
    what = list(first.lstrip("*"))
    assert page.evaluate(asked) == [
        {"position": 2, "op": "pin", "what": what},
        {"position": 2, "op": "forbid", "what": what},
        {"position": 2, "op": "pin", "what": what[-1]},
        {"position": 2, "op": "budget", "what": 3},
        {"position": 2, "op": "budget", "what": 5, "of": 2},
    ]
    page.locator(".rv-flow-panel:last-child .rv-flow-label[data-at='2']:visible").first.click()
    page.keyboard.press("Enter")  # "follow" comes first
    page.wait_for_selector(".rv-flow[data-followed]")


def test_b_makes_the_wall_black_and_escape_ends_one_thing_at_a_time(picture):
    page = picture(runs_of(("beam", "rcms")), "?pos=2&phase=settle&present=1", width=1920, height=1080)
    wall, shown = page.locator(".rv-black-wall"), page.locator(".rv-flow[data-presenting]")
    page.locator(".rv-flow-label[data-at='2']:visible").first.click()
    for key in ("b", "B", "."):
        page.keyboard.press(key)
        assert wall.bounding_box() == {"x": 0, "y": 0, "width": 1920, "height": 1080}
        at = wall.evaluate("node => document.elementFromPoint(9, 9) === node")
        page.keyboard.press("PageDown")  # wakes, and does nothing else
        assert at and wall.count() == 0 and page.get_attribute(".rv-flow", "data-position") == "2"
    page.keyboard.press("b")
    page.mouse.click(300, 300)
    assert wall.count() == 0
    page.keyboard.press("b")
    page.keyboard.press("Escape")
    assert wall.count() == 0 and shown.count() == 1
    page.keyboard.press("Escape")
    assert shown.count() == 0 and page.get_attribute(".rv-flow", "data-followed")
    page.keyboard.press("Escape")
    assert page.get_attribute(".rv-flow", "data-followed") is None
    page.keyboard.press("b")  # on a desk it means nothing
    assert wall.count() == 0


def test_a_saved_picture_shows_the_river_up_to_its_moment(picture, tmp_path):
    page = picture(runs_of(("beam", "rcms")), "?pos=2&phase=settle")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="SVG").click()
    waiting.value.save_as(tmp_path / "moment.svg")
    page.goto((tmp_path / "moment.svg").as_uri())
    boxes = page.locator("svg rect").evaluate_all(
        "all => all.slice(-4).map(box => box.getBoundingClientRect().toJSON())"
    )
    future, *tracks, head = boxes
    assert len(tracks) == 2 and head["width"] == 2
    assert future["left"] == pytest.approx(head["left"] + 1, abs=1.5) and future["width"] > 500
    assert all(track["left"] == future["left"] and track["width"] == future["width"] for track in tracks)


def test_a_long_run_shows_the_position_that_it_says(picture):
    page = picture(runs_of(("rcms",), length=6), gold=None)
    for position in (*range(1, 6), 2):  # more positions than a panel keeps, and back
        page.evaluate(
            "position => document.querySelector('.rv-flow').dispatchEvent("
            "new CustomEvent('rv-go', { detail: { position, phase: 'settle' } }))",
            position,
        )
        becomes(page, "time", f"{4 * position - 0.001:.3f}")
        ends = page.locator(LABELS).evaluate_all("nodes => nodes.map(n => +n.dataset.at)")
        assert max(ends) == position
