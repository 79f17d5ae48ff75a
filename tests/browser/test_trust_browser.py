"""The panel "log Z between two proofs" in an offline file, and on Compare with sampling methods."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import rcmviz as rv
from rcmviz.views import Run
from rcmviz.views.word.trust import trust_part
from support.browser import chromium, faults, page_of, saved, show  # noqa: F401
from support.exported import player_page
from support.toy_runs import model_and_emissions

PANEL = ".rv-trust"


def places(page, kind):
    """Return the places of a kind's marks, in per cent of their lane."""
    marks = page.locator(f"{PANEL} .rv-trust-lane[data-kind={kind}] .rv-trust-mark")
    return [float(marks.nth(k).evaluate("node => node.style.left.slice(0, -1)")) for k in range(marks.count())]


def test_a_file_shows_log_z_between_its_bounds(saved):
    model, log_emit = model_and_emissions(length=8, seed=9)
    lattice, trace = rv.rcms(model, log_emit, 2)
    part = trust_part(model, log_emit, [("RCMS 2", lattice, "rcms")], 2)
    page = saved(player_page([Run("RCMS 2", lattice, trace)], trust=part), ".rv-player[data-ready=true]")
    (low,), (true,), (high,) = (places(page, kind) for kind in ("lower", "true", "upper"))
    assert low <= true <= high
    hatched = page.locator(f"{PANEL} .rv-trust-lane[data-kind=true] .rv-trust-out")
    left, right = (hatched.nth(k).bounding_box() for k in range(2))
    mark = page.locator(f"{PANEL} .rv-trust-lane[data-kind=true] .rv-trust-mark").bounding_box()
    assert left["x"] + left["width"] <= mark["x"] + 3 and mark["x"] <= right["x"]
    values = page.locator(f"{PANEL} .rv-trust-row[data-name] .rv-trust-value").all_text_contents()
    assert values[0].startswith("≤ ") and any(value.startswith("≥ ") for value in values)
    sentence = page.locator(f"{PANEL} .rv-trust-said").inner_text()
    assert "Proved: log Z is at least" in sentence and "half of them from RCMS 2" in sentence
    assert not page.get_by_text("A beam has a part of all outputs").is_visible()
    page.get_by_role("button", name="what is this?").click()
    assert page.get_by_text("A beam has a part of all outputs").is_visible()
    assert faults(page) == []


def test_compare_takes_methods_that_draw(show):
    page = show("compare?src=pen&word=consider&seed=15&runs=stochastic:20,importance:20,smc:20&draw=3&pos=2")
    page.keyboard.press("d")
    page.wait_for_selector(PANEL)
    names = [f"{PANEL} .rv-trust-row[data-name='{name}']" for name in ("Importance sampling 20", "SMC 20", "RCMS 20")]
    assert all(page.locator(name).count() == 1 for name in names)
    assert len(places(page, "estimate")) == 3 and len(places(page, "other")) == 1
    ranks = page.locator(".rv-ranks").text_content()
    assert "20 draws · drawn above, the others below" in ranks and "not drawn" in ranks and "dropped" not in ranks
    assert faults(page) == []
