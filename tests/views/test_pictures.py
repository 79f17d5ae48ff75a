"""Truthful pictures: one scale for compared parts, common baselines, breaks, looks of methods."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import os
import re

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.methods import METHODS
from rcmviz.plot import style
from rcmviz.views.shared.assets import FOLDER
from rcmviz.views.shared.bundle import bundle
from support.browser import DRAWN, chromium, page_of, saved  # noqa: F401
from support.exported import player_page
from support.toy_runs import runs_of

# [mass as it is written, pixels of its bar] of all candidates and contexts that are seen, but the shortest bars
BARS = """() => [...document.querySelectorAll(".rv-candidate, .rv-tree .rv-row")]
    .filter(row => row.style.display !== "none" && row.getBoundingClientRect().width)
    .map(row => [row.querySelector(".rv-value:not(.rv-key)"), row.querySelector(".rv-own")])
    .map(([value, bar]) => [value.textContent, parseFloat(bar.style.width)])
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
    page.evaluate(
        "p => document.querySelector('.rv-player').dispatchEvent("
        "new CustomEvent('rv-go', { detail: { position: p } }))",
        position,
    )
    page.wait_for_function("p => document.querySelector('.rv-player').dataset.position === p", arg=str(position))


def test_equal_masses_have_equal_bars_whatever_the_method_or_the_list(saved):
    page = saved(player_page(runs_of(("beam", "rcms", "exact"), budget=3), gold="abcdea"), DRAWN)
    for position in (2, 4):
        go(page, position)
        assert_one_scale(page, 6)
    page = saved(player_page(runs_of(budget=3)), DRAWN)
    go(page, 3)
    assert_one_scale(page, 4)


def test_tracks_of_labels_have_one_baseline(saved):
    page = saved(player_page(runs_of(("beam", "rcms"), budget=3), gold="abcdea"), DRAWN)
    found = page.evaluate(LENGTHS, ".rv-letter-panel .rv-bar-track")
    assert len({width for _, width in found}) == 1
    assert len({left for left, _ in found}) == 2  # a list of each method


def test_a_probability_stands_where_a_probability_stood_before_the_change(saved):
    run = runs_of()[0]
    label = rv.posterior(run.lattice).label
    best = rv.viterbi(run.lattice).indices[0]
    was = np.array(label)
    was[0, best] -= 0.1
    page = saved(player_page([run], baseline=[was]), DRAWN)
    written = f"{label[0, best]:.3f}"[1:]
    assert page.locator(".rv-cell .rv-value").first.text_content() == f"{written} ▲"
    assert page.locator(".rv-letter-panel .rv-bar-value").first.inner_text().split() == ["▲", ".100", written]


def test_lists_of_candidates_open_at_rank_1(saved):
    page = saved(player_page(runs_of(("beam", "rcms"), budget=20, length=7)), DRAWN, width=1280, height=800)
    for position in (3, 5, 2):
        go(page, position)
        tops = page.locator(".rv-ranks .rv-scroll").evaluate_all("all => all.map(one => one.scrollTop)")
        assert tops == [0, 0]
        ranks = page.locator(".rv-ranks .rv-rank").all_text_contents()
        assert ranks.count("1") == 2


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_a_method_has_one_colour_and_mark_alone_and_compared(saved, method):
    colour = "node => getComputedStyle(node).fill"
    both = saved(player_page(runs_of(("beam", "rcms", "exact"), budget=3)), DRAWN)
    mark, text = both.evaluate(LOOKS)[method]
    assert mark == {"rcms": "●", "beam": "▲", "exact": "■"}[method]
    kept = both.locator(f".rv-ranks .rv-m-{method} .rv-candidate[data-fate=kept] .rv-own")
    assert kept.first.evaluate(colour) == text
    alone = saved(player_page(runs_of((method,), budget=3)), DRAWN)
    for part in (".rv-tree .rv-own", ".rv-heat-cell"):
        assert alone.locator(part).first.evaluate(colour) == text


def test_the_same_method_twice_keeps_its_hue_and_differs(saved):
    rcms, beam = runs_of(("rcms", "beam"))
    page = saved(player_page([rcms, rcms, beam]), DRAWN)
    looks = page.evaluate(LOOKS)
    assert [mark for mark, _ in looks.values()] == ["●", "○", "▲"]
    assert len({colour for _, colour in looks.values()}) == 3


def test_figures_have_the_colours_of_the_views():
    sheet = (FOLDER / "shared" / "methods.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"--rv-([\w-]+): (#\w{6})", sheet.split("data-theme")[0]))
    own = re.search(r"--rv-own: (#\w{6})", (FOLDER / "word" / "player.css").read_text(encoding="utf-8"))[1]
    assert {kind: light.get(kind, own) for kind in METHODS} == style.COLOURS
    assert tuple(light[f"series-{k}"] for k in (1, 2, 3, 4)) == style.SERIES_COLOURS
    assert len({*style.COLOURS.values(), *style.SERIES_COLOURS}) == len(METHODS) + 4
    assert style.SYMBOLS.keys() == METHODS.keys()


def test_a_figure_draws_a_method_equally_in_every_place():
    runs = {run.name: run.lattice for run in runs_of(("beam", "rcms"))}
    for order in (("beam", "rcms"), ("rcms", "beam")):
        figure = rv.plot.label_posteriors({name: runs[name] for name in order}, "abcdea")
        assert {bar.name: bar.marker.color for bar in figure.data} == {name: style.COLOURS[name] for name in order}


ENTRY = """
import { frameOf, opensOnly } from "%(shared)s/links.js";
import { makeMultiples } from "%(shared)s/multiples.js";
import { dressMethods, lookOf } from "%(shared)s/methods.js";

const size = { height: 200, top: 32, bottom: 26, left: 46, right: 60, gap: 14, ticks: 4 };
window.kit = {
  opensOnly,
  height: (scrollHeight) => frameOf({ root: { scrollHeight }, payload: {}, host: {} }, "https://x.org/step"),
  looks: (kinds) => kinds.map((kind) => lookOf(kind)),
  dressed: (kinds) => {
    const methods = kinds.map((kind) => ({ kind }));
    dressMethods(methods);
    return methods.map(({ className, mark }) => className + mark);
  },
  breaks: (curves, low, least) => {
    const multiples = makeMultiples(size, "chart");
    const across = { domain: [0, 4], ticks: () => [0, 4], text: String };
    multiples.layout(400, 1, [{ title: "chart", unit: "", curves, low, least }], across);
    return [...multiples.drawing.querySelectorAll(".rv-break text")].map((node) => node.textContent);
  },
};
export default window.kit;
"""


@pytest.fixture
def kit(page_of, tmp_path):
    """A page with the shared functions of the views as ``window.kit``."""
    entry = tmp_path / "entry.js"
    entry.write_text(ENTRY % {"shared": os.path.relpath(FOLDER / "shared", tmp_path)}, encoding="utf-8")
    page = page_of("about:blank").page
    page.add_script_tag(type="module", content=bundle(entry, "kit"))
    page.wait_for_function("() => window.kit !== undefined")
    return page


def test_values_beyond_an_axis_are_drawn_with_a_break_and_their_number(kit):
    curves = [
        {"className": "rv-m-rcms", "points": [[0, -15.9], [1, -3.0], [4, 0.0]]},
        {"className": "rv-m-beam", "points": [[0, -4.0], [4, 0.0]]},
    ]
    assert kit.evaluate("curves => kit.breaks(curves, -6, 1)", curves) == ["↓ −15.90"]
    assert kit.evaluate("curves => kit.breaks(curves, -20, 1)", curves) == []
    many = [{"className": "a", "points": [[k / 10, value] for k, value in enumerate([-80.0, *[-1.0] * 39])]}]
    assert kit.evaluate("curves => kit.breaks(curves)", many) == ["↓ −80.00"]  # the first epochs of a training


def test_looks_of_methods_are_their_own(kit):
    looks = kit.evaluate("kinds => kit.looks(kinds)", list(METHODS))
    for part in (0, 1):
        assert len({look[part] for look in looks}) == len(METHODS)
    assert kit.evaluate("kit.dressed(['target', 'rcms'])")[0] == kit.evaluate("kit.dressed(['model', 'target'])")[1]
    assert not set(kit.evaluate("kit.dressed(['crf', 'early'])")) & {"".join(look[:2]) for look in looks}


LINKS = {
    "http://127.0.0.1:8501/step?pos=2": "on this computer only",
    "http://localhost:8501/step": "on this computer only",
    "http://[::1]:8501/step": "on this computer only",
    "file:///tmp/view.html?pos=2": "on this computer only: the address is a file",
    "http://192.168.0.7:8501/step": "in this network only",
    "http://laptop:8501/step": "in this network only",
    "https://rcmviz.example.org/your_example?problem=only-here.abc": "on this computer only",
    "https://rcmviz.example.org/step": None,
}


def test_local_links_are_detected(kit):
    assert {link: kit.evaluate("link => kit.opensOnly(link)", link) for link in LINKS} == LINKS


def test_an_iframe_is_no_higher_than_a_window(kit):
    assert 'height="800"' in kit.evaluate("kit.height(2121)")
    assert 'height="540"' in kit.evaluate("kit.height(300)")


def test_the_link_of_a_file_is_copied_with_a_warning(saved):
    page = saved(player_page(runs_of()), DRAWN)
    page.get_by_role("button", name="copy link").click()
    page.get_by_text("link copied: it opens on this computer only").wait_for()
