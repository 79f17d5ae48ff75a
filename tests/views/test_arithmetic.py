"""Sums in the card of an exported file: terms, linked highlights, and lines of code."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import math

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.views import Run
from support.browser import chromium, faults, page_of, saved  # noqa: F401
from support.explained import unexplained
from support.exported import opened  # noqa: F401
from support.toy_runs import model_and_emissions, runs_of

CODE = "import rcmviz as rv\n"
# What the card adds up for each row of a list, one click after the other.
SUMS = """async ([rows, kind]) => {
    const painted = () => new Promise(requestAnimationFrame); // the effect of a click precedes it in the frame
    const found = [];
    for (const row of [...document.querySelectorAll(rows)].filter(row => row.style.display !== "none")) {
        row.dispatchEvent(new Event("click"));
        await painted();
        const named = name => [...document.querySelectorAll(".rv-sum-kinds button")].find(b => b.textContent === name);
        if (named(kind)) { named(kind).click(); await painted(); }
        const nodes = [...document.querySelectorAll(".rv-term")];
        const terms = nodes.map(node => [node.dataset.term, Number(node.dataset.log)]);
        found.push([row.dataset.name, Object.fromEntries(terms)]);
    }
    return found;
}"""


@pytest.mark.parametrize("method", ["exact", "repaired"])
def test_factors_multiply_to_the_mass_of_the_trace(opened, method):
    model, log_emit = model_and_emissions()
    made = {
        "repaired": lambda: Run("repaired", *rv.rcms(model, log_emit, 4, root_weight=-0.7)),
        "exact": lambda: runs_of(("exact",), order=2)[0],  # 125 candidates, where a third order has 625 to click
    }
    run = made[method]()
    i = 4
    table = run.trace.table(i)
    mass = sorted(table["mass"])
    page = opened([run], f"?pos={i}", code=CODE)
    found = page.evaluate(SUMS, [".rv-candidate", "mass"])
    assert len({terms["mass"] for _, terms in found}) >= 20
    for name, terms in found:
        product = terms["parent"] + terms["window"] + terms["emission"] - terms["growth"]
        assert math.isclose(math.exp(product), math.exp(terms["mass"]), rel_tol=1e-9)
        found_at = np.searchsorted(mass, math.exp(terms["mass"]) * (1 - 1e-9))
        assert math.isclose(math.exp(terms["mass"]), mass[found_at], rel_tol=1e-9), name
    post, whole = rv.posterior(run.lattice), run.trace.log_mass_of(i)
    took = 0
    for name, terms in page.evaluate(SUMS, [".rv-tree .rv-row", "mass"]):
        c = run.lattice.find(i, name)
        forward = terms.get("forward", terms.get("mass"))
        assert math.isclose(forward, post.forward[c] - whole, abs_tol=1e-9)
        if "taken" in terms:
            own = math.exp(terms["mass"]) if "mass" in terms else 0.0
            both = math.log(own + math.exp(terms["taken"])) + terms.get("root", 0.0)
            assert math.isclose(both, forward, abs_tol=1e-9)
            took += 1
    assert took
    for name, terms in page.evaluate(SUMS, [".rv-tree .rv-row", "posterior"]):
        product = terms["forward"] + terms["backward"] - terms["z"]
        assert math.isclose(math.exp(product), post.context[run.lattice.find(i, name)], rel_tol=1e-9)
        assert math.isclose(product, terms["posterior"], abs_tol=1e-9)


def run_name(context, i):
    return ("" if len(context) == i else "*") + "".join(context)


def test_term_picture_and_code_light_up_together(opened):
    (run,) = runs_of(("rcms",))
    page = opened([run], "?pos=4", code=CODE)
    table = run.trace.table(4)
    taken = [row for row in table.itertuples() if row.fate == "merged" and row.into]
    name = run_name(taken[0].into, 4)
    page.locator(f'.rv-tree .rv-row[data-name="{name}"]').click()
    page.click("text=show code")
    page.locator('[data-term="taken"]').first.hover()
    page.wait_for_selector(".rv-candidate.rv-lit")
    lit = set(page.eval_on_selector_all(".rv-candidate.rv-lit", "rows => rows.map(row => row.dataset.name)"))
    assert lit == {run_name(row.context, 4) for row in taken if row.into == taken[0].into}
    assert "log_mass" in page.locator(".rv-code-line.rv-lit").inner_text()
    assert page.locator(".rv-sum-code.rv-lit").inner_text() == page.locator(".rv-code-line.rv-lit").inner_text().strip()
    # from the picture: the card keeps the pinned context
    page.locator(f'.rv-candidate[data-name="{run_name(taken[0].context, 4)}"]').hover()
    page.wait_for_selector('.rv-term[data-term="taken"].rv-lit')
    assert page.locator(".rv-detail-title .rv-name").first.inner_text() == name
    # from the code, and by keyboard
    page.locator('.rv-code-line[data-term="emission"]').hover()
    page.wait_for_selector('.rv-term[data-term="emission"].rv-lit')
    assert page.locator(".rv-cell.rv-lit").count() == 1
    page.mouse.move(2, 2)
    page.locator('.rv-term[data-term="window"]').focus()
    page.wait_for_selector('.rv-code-line[data-term="window"].rv-lit')
    assert not faults(page)


@pytest.mark.parametrize("kind", ["mass", "posterior"])
def test_lines_of_code_give_the_numbers_of_the_terms(opened, kind):
    (run,) = runs_of(("rcms",))
    page = opened([run], "?pos=4", code=CODE)
    page.click("text=show code")
    took = [row for row in run.trace.table(4).itertuples() if row.fate == "merged" and row.into]
    page.locator(f'.rv-tree .rv-row[data-name="{run_name(took[0].into, 4)}"]').click()
    page.get_by_role("button", name=kind, exact=True).last.click()
    page.wait_for_selector(f'.rv-sum-kinds [aria-pressed="true"]:text-is("{kind}")')
    code = "".join(page.locator(".rv-code-line").all_text_contents())
    terms = page.eval_on_selector_all(".rv-term", "all => all.map(t => [t.dataset.term, Number(t.dataset.log)])")
    values = {"rv": rv, "lattice": run.lattice, "trace": run.trace}
    exec(code, values)  # our own lines, from our own page
    before, whole = run.trace.log_mass_of(3), run.trace.log_mass_of(4)
    shift = {"parent": before, "mass": whole, "forward": whole, "taken": whole, "z": whole}
    known = {"z": "log_z"}
    for key, log in terms:
        value = values[known.get(key, key)]
        value = math.log(value) if key == "posterior" else np.logaddexp.reduce(np.atleast_1d(value))
        assert value - shift.get(key, 0.0) == pytest.approx(log, abs=1e-9)
    assert len(terms) == {"mass": 7, "posterior": 4}[kind]


def test_with_several_passes_the_list_shows_what_it_ranks_by(opened):
    model, log_emit = model_and_emissions()
    run = Run("RCMS", *rv.rcms(model, log_emit, 4, passes=3))
    page = opened([run, *runs_of(("rcms",))], "?pos=4", code=CODE)
    lists, rows = page.locator(".rv-ranks .rv-candidates"), ".rv-candidate:not([style*='display: none'])"
    assert "by estimated posterior (≈)" in lists.first.inner_text() and "by rank" in lists.last.inner_text()
    keys = [text for text in lists.first.locator(f"{rows} .rv-key").all_text_contents() if text]
    table = run.trace.table(4).sort_values("rank")
    assert len(keys) == len(table) and all(key.startswith("≈") for key in keys)
    assert [float(key[1:].replace("−", "-")) for key in keys] == pytest.approx(table["key"].tolist(), rel=0.2, abs=6e-4)
    assert not "".join(lists.last.locator(".rv-key").all_text_contents())
    assert unexplained(page) == []
    first = lists.first.locator(rows).first
    assert "rank 1 by estimated posterior ." in first.get_attribute("aria-label")
    assert "Ranked by estimated posterior: mass × the message" in page.locator(".rv-detail-text").inner_text()
    first.click()
    page.wait_for_selector(".rv-sum-kinds button:text-is('rank')")
    page.locator(".rv-sum-kinds button:text-is('rank')").click()
    page.wait_for_selector('.rv-term[data-term="rank"]')
    assert float(page.locator('.rv-term[data-term="rank"]').get_attribute("data-log")) == pytest.approx(
        math.log(table["key"].iloc[0]), abs=1e-8
    )
    assert "1st of" in (said := page.locator(".rv-detail-text").inner_text()) and "by estimated posterior (." in said
    assert not faults(page)


def test_sums_of_a_position_and_of_each_method(opened):
    runs = runs_of(("rcms", "beam"))
    page = opened(runs, "?pos=4", code=CODE)
    assert unexplained(page) == []
    page.locator('[data-readout="logz"] button').last.click()
    page.wait_for_selector('.rv-term[data-term="left"]')  # of the beam: what it dropped is gone
    left = page.locator('.rv-term[data-term="left"]')
    assert float(left.get_attribute("data-log")) < 0
    assert left.locator(".rv-term-sign").inner_text() == "−" and "−" not in left.locator(".rv-term-value").inner_text()
    terms = dict(page.eval_on_selector_all(".rv-term", "all => all.map(t => [t.dataset.term, Number(t.dataset.log)])"))
    assert terms["before"] + terms["growth"] + terms["left"] == pytest.approx(terms["logz"], abs=1e-9)
    lattice = runs[1].lattice
    so_far = np.logaddexp.reduce(rv.posterior(lattice).forward[lattice.column(4)])
    assert terms["logz"] == pytest.approx(so_far, abs=1e-9)
    page.locator('[data-readout="entropy"] button').first.click()
    page.wait_for_selector('.rv-term[data-term="entropy"]')
    terms = dict(page.eval_on_selector_all(".rv-term", "all => all.map(t => [t.dataset.term, Number(t.dataset.log)])"))
    assert terms.pop("entropy") == pytest.approx(sum(terms.values()), abs=1e-5)
    page.locator('[data-readout="confidence"] button').first.click()
    page.wait_for_selector('.rv-term[data-term="confidence"]')
    page.keyboard.press("End")
    page.wait_for_selector(".rv-player[data-position='6']")
    page.locator('[data-readout="logz"] button').first.click()
    page.wait_for_selector('.rv-term[data-term="logz"]')
    last = page.locator('.rv-term[data-term="logz"]').get_attribute("data-log")
    assert float(last) == pytest.approx(rv.log_z(runs[0].lattice), abs=1e-9)
