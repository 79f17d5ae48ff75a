"""What pictures say is true: one scale for what is compared, common baselines, breaks, looks of methods."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.views import Run
from support.browser import DRAWN, chromium, page_of, saved  # noqa: F401
from support.toy_runs import model_and_emissions, runs_of

# [mass as it is written, pixels of its bar] of all candidates and contexts that are seen, but the shortest bars
BARS = """() => [...document.querySelectorAll(".rv-candidate, .rv-tree .rv-row")]
    .filter(row => row.style.display !== "none" && row.getBoundingClientRect().width)
    .map(row => [row.querySelector(".rv-value").textContent, parseFloat(row.querySelector(".rv-own").style.width)])
    .filter(([text, width]) => /^[.1]\\d*$/.test(text) && width > 20)"""
LENGTHS = """selector => [...document.querySelectorAll(selector)].map(track => track.getBoundingClientRect())
    .map(({ left, width }) => [Math.round(left), Math.round(width)])"""
LOOKS = """() => Object.fromEntries([...document.querySelectorAll(".rv-ranks .rv-method")].map(node => {
    const [mark, ...name] = node.textContent.trim().split(" ");
    return [name.join(" "), [mark, getComputedStyle(node).color]];
}))"""


def pixels_per_mass(bars):
    return [width / float(mass) for mass, width in bars]


def assert_one_scale(page, least):
    bars = page.evaluate(BARS)
    assert len(bars) >= least
    scale = pixels_per_mass(bars)
    assert max(scale) - min(scale) <= 0.02 * max(scale)


def go(page, position):
    page.evaluate("p => document.querySelector('.rv-player').dispatchEvent("
                  "new CustomEvent('rv-go', { detail: { position: p } }))", position)  # fmt: skip
    page.wait_for_function("p => document.querySelector('.rv-player').dataset.position === p", arg=str(position))


def test_equal_masses_have_equal_bars_whatever_the_method_or_the_list(saved):
    page = saved(rv.export_html(runs_of(("beam", "rcms", "exact"), budget=3), gold="abcdea"), DRAWN)
    for position in (2, 4):
        go(page, position)
        assert_one_scale(page, 6)
    page.keyboard.press("t")
    page.locator(".rv-tree .rv-row").first.wait_for()
    assert_one_scale(page, 6)
    page = saved(rv.export_html(runs_of(budget=3)), DRAWN)
    go(page, 3)
    assert_one_scale(page, 4)


def test_tracks_of_outputs_and_labels_have_one_baseline(saved):
    page = saved(rv.export_html(runs_of(("beam", "rcms"), budget=3), gold="abcdea"), DRAWN)
    for panel in (".rv-words", ".rv-letter-panel"):
        found = page.evaluate(LENGTHS, f"{panel} .rv-bar-track")
        assert len({width for _, width in found}) == 1
        assert len({left for left, _ in found}) == 2  # a list of each method


def test_outputs_are_written_in_full(saved):
    labels = ("noun-common", "verb-modal", "determiner")
    model, log_emit = model_and_emissions(length=12, labels=labels)
    page = saved(rv.export_html([Run("rcms", *rv.rcms(model, log_emit, 4))]), DRAWN)
    best = page.locator(".rv-word code").all_text_contents()
    assert all(len(name.split(" ")) == 12 and set(name.split(" ")) <= set(labels) for name in best)
    assert page.locator(".rv-word").evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth + 1)")
    tracks = page.evaluate(LENGTHS, ".rv-words .rv-bar-track")
    assert len(set(map(tuple, tracks))) == 1
    assert "Underlined: not as in the first." in page.locator(".rv-words").inner_text()


def test_a_probability_stands_where_a_probability_stood_before_the_change(saved):
    run = runs_of()[0]
    label = rv.posterior(run.lattice).label
    best = rv.viterbi(run.lattice).indices[0]
    was = np.array(label)
    was[0, best] -= 0.1
    page = saved(rv.export_html([run], baseline=[was]), DRAWN)
    written = page.locator(".rv-strip .rv-decoded .rv-value").first.text_content()
    assert written == f"{label[0, best]:.3f}"[1:]
    assert page.locator(".rv-strip .rv-up").all_text_contents() == ["▲ .100"]
    assert page.locator(".rv-letter-panel .rv-bar-value").first.inner_text().split() == ["▲", ".100", written]


def test_lists_of_candidates_open_at_rank_1(saved):
    page = saved(rv.export_html(runs_of(("beam", "rcms"), budget=20, length=7)), DRAWN, width=1280, height=800)
    for position in (3, 5, 2):
        go(page, position)
        tops = page.locator(".rv-ranks .rv-scroll").evaluate_all("all => all.map(one => one.scrollTop)")
        assert tops == [0, 0]
        ranks = page.locator(".rv-ranks .rv-rank").all_text_contents()
        assert ranks.count("1") == 2


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_a_method_has_one_colour_and_mark_alone_and_compared(saved, method):
    colour = "node => getComputedStyle(node).fill"
    both = saved(rv.export_html(runs_of(("beam", "rcms", "exact"), budget=3)), DRAWN)
    mark, text = both.evaluate(LOOKS)[method]
    assert mark == {"rcms": "●", "beam": "▲", "exact": "■"}[method]
    assert both.locator(f".rv-strip .rv-m-{method} .rv-own").first.evaluate(colour) == text
    alone = saved(rv.export_html(runs_of((method,), budget=3)), DRAWN)
    for part in (".rv-strip .rv-own", ".rv-tree .rv-own", ".rv-heat-cell"):
        assert alone.locator(part).first.evaluate(colour) == text


def test_the_same_method_twice_keeps_its_hue_and_differs(saved):
    rcms, beam = runs_of(("rcms", "beam"))
    page = saved(rv.export_html([rcms, rcms, beam]), DRAWN)
    looks = page.evaluate(LOOKS)
    assert [mark for mark, _ in looks.values()] == ["●", "○", "▲"]
    assert len({colour for _, colour in looks.values()}) == 3
