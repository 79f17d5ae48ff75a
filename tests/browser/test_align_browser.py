"""Align in a browser: picture and grid compared with the library, stepping, words, the five strategies, links."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import csv
import json
from itertools import product

import pytest

from pages.align.page import PAGE
from pages.align.question import STRATEGY_NAMES, AlignQuestion
from pages.shell.answers import payload_of
from rcmviz.views.align.payload import align_html
from support import tabs
from support.browser import (  # noqa: F401
    STILL,
    chromium,
    faults,
    go_to,
    page_of,
    query,
    saved,
    serious,
    settled,
    show,
    wait_for_link,
    wait_until_idle,
)

# Titles of charts and names of numbers without a tip.
UNNAMED = ":is(.rv-chart-title, .rv-readout dt):not(:has([data-tells], [data-explains]))"
VIEW = ".rv-align[data-ready=true]"
USUAL = AlignQuestion()
LEARNING = ".rv-learning[data-ready=true]"
QUICK = "epochs=2&order=2&budget=8"


@pytest.fixture
def offline(saved):
    """Open a question as a file, offline."""

    def open_question(question=USUAL, **options):
        payload = payload_of(PAGE, question)
        return saved(align_html(payload, "A <word>"), VIEW, **options), payload

    return open_question


def shown_by_view(page, name):
    return page.locator(VIEW).get_attribute(f"data-{name}")


def detail(page):
    """Return the cell's description on one line."""
    return " ".join(page.locator(".rv-detail").inner_text().split())


def at(page, **expected):
    """Wait until the view is drawn."""
    page.wait_for_selector(VIEW + "".join(f'[data-{name}="{value}"]' for name, value in expected.items()))


def test_the_keys_lead_along_the_best_alignment(offline):
    page, payload = offline()
    edges = payload["runs"][0]["best"]["edges"]
    for number, (a, i) in enumerate(edges, start=1):
        at(page, cell=f"{a + 1}.{i + 1}", position=number)
        assert f"phone {payload['phones'][a]} with letter {i + 1}" in detail(page)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("v")
    at(page, route="all", cell="{}.{}".format(*(x + 1 for x in edges[-1])))
    assert int(shown_by_view(page, "steps")) > len(edges)
    page.keyboard.press("Home")
    at(page, position=1)
    page.keyboard.press(" ")
    page.wait_for_selector(f'{VIEW}[data-position="3"]')
    page.keyboard.press(" ")


def test_the_drawing_agrees_with_the_payload(offline):
    page, payload = offline()
    for r, run in enumerate(payload["runs"]):
        picture = page.locator(".rv-align-picture").nth(r)
        letters = picture.locator("text.rv-letter").count()
        edges = {(a, i): p for a, row in enumerate(run["edges"]) for i, p in enumerate(row[:letters]) if p >= 0.01}
        assert picture.locator(".rv-align-edge.rv-best").count() == len(run["best"]["edges"])
        assert picture.locator(".rv-align-edge").count() == len({*edges, *map(tuple, run["best"]["edges"])})
        widths = picture.locator(".rv-align-mass").evaluate_all(
            "all => all.map(e => Number(e.getAttribute('stroke-width')))"
        )
        assert max(widths) == pytest.approx(1 + 9 * max(edges.values()), abs=0.06)
        reached = {(cell["a"], cell["i"]) for cell in run["cells"] if cell["a"]}
        grid = page.locator(".rv-align-grid-panel").nth(r)
        assert grid.locator(".rv-align-cell:not(.rv-unreached)").count() <= len(reached)
        assert grid.locator(".rv-align-route:not(.rv-gold-route)").count() == len(run["best"]["edges"])


def test_a_cell_of_the_grid_shows_its_contexts(offline):
    page, payload = offline()
    a, i = payload["runs"][0]["best"]["edges"][-1]
    picked = (a + 1, i + 1)
    columns = page.locator(".rv-align-grid-panel").first.locator(".rv-align-cell").count() // len(payload["phones"])
    page.locator(".rv-align-grid-panel").first.locator(".rv-align-cell").nth(a * columns + i).click()
    at(page, cell=f"{picked[0]}.{picked[1]}")
    for r, run in enumerate(payload["runs"]):
        cell = next(cell for cell in run["cells"] if (cell["a"], cell["i"]) == picked)
        table = page.locator(".rv-align-contexts").nth(r)
        kept = sorted(cell["contexts"], key=lambda context: -context[2])
        assert table.locator("[data-fate=kept] .rv-name").all_inner_texts() == [name for name, *_ in kept[:9]]
        fate = "dropped" if run["kind"] == "model" else "merged"
        assert table.locator(f"[data-fate={fate}]").count() == len(cell["others"])
        into = table.locator(f"[data-fate={fate}] .rv-into").all_inner_texts()
        assert into == ["" if at < 0 else "→ " + cell["contexts"][at][0] for *_, at in cell["others"]]
    page.get_by_role("button", name="lighter ones kept").first.click()
    page.locator(".rv-align-contexts").first.locator("[data-fate=kept]").nth(9).wait_for(state="attached")


def test_the_context_that_carries_a_merged_one_is_shown(offline):
    page, payload = offline()
    page.keyboard.press("End")
    a, i = payload["runs"][0]["best"]["edges"][-1]
    at(page, cell=f"{a + 1}.{i + 1}")
    cell = next(cell for cell in payload["runs"][0]["cells"] if (cell["a"], cell["i"]) == (a + 1, i + 1))
    for number in (0, len(cell["others"]) - 1):
        page.locator("button.rv-into").nth(number).click()
        carrier = page.locator(".rv-carrier")
        assert carrier.locator(".rv-name").inner_text() == cell["contexts"][cell["others"][number][3]][0]
        page.wait_for_selector(".rv-carrier:focus")
    page.keyboard.press("ArrowLeft")
    page.locator(".rv-carrier").wait_for(state="detached")


def test_a_long_example_is_moved_to_its_cell(offline):
    page, payload = offline(AlignQuestion(word="", phones="N OW " * 10, order=1, epochs=1, keep=3), width=390)
    page.keyboard.press("End")
    at(page, position=len(payload["runs"][0]["best"]["edges"]))
    for mark in (".rv-align-mark", ".rv-align-picture .rv-current + .rv-current"):
        page.wait_for_function(
            """mark => { const box = document.querySelector(mark).getBoundingClientRect();
                         return 0 <= box.left && box.right <= innerWidth; }""",
            arg=mark,
        )
    assert serious(page) == []


def test_the_meant_spelling_has_alignments_of_its_own(offline):
    page, payload = offline(AlignQuestion(word="phone"))
    run = payload["runs"][0]
    assert run["best"]["text"] != "phone"
    assert "★ phone" in page.locator(".rv-align-card").first.inner_text()
    page.keyboard.press("p")
    at(page, asked="gold")
    assert page.locator(".rv-align-picture").first.locator("text.rv-letter").all_text_contents() == list("phone")
    assert page.locator(".rv-align-picture").first.locator(".rv-best").count() == len(run["gold"]["edges"])
    page.keyboard.press("p")
    at(page, asked="model")
    for picture in page.locator(".rv-align-picture").all():
        assert picture.locator("text.rv-gold").all_text_contents() == list("phone")


def test_it_can_be_taken_along(offline):
    page, payload = offline()
    for kind in ("CSV", "JSON", "SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        content = download.value.path().read_bytes()
        if kind == "CSV":
            rows = list(csv.DictReader(content.decode().splitlines()))
            cells = [cell for run in payload["runs"] for cell in run["cells"] if cell["a"]]
            assert len(rows) == sum(len(cell["contexts"]) + len(cell["others"]) for cell in cells)
        if kind == "JSON":
            assert json.loads(content) == payload
        if kind == "SVG":
            assert b"RCMS 20" in content
            assert b"<text" in content
        if kind == "PNG":
            assert content.startswith(b"\x89PNG")


def test_the_page_is_accessible_and_fits_the_window(offline):
    page, _ = offline(AlignQuestion(word="phone"))
    page.keyboard.press("?")
    assert faults(page, product(("light", "dark"), (1280, 390))) == []


def test_stepping_sends_no_request_and_the_cell_is_in_the_link(show):
    page = show("align", width=1280, height=800)
    assert page.locator(UNNAMED).count() == 0
    card = page.locator(".rv-align > .rv-band .rv-detail").bounding_box()
    assert card["y"] + card["height"] <= 800  # the effect of a step and its sentence are both visible
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_for_link(page, cell="2.3", word="keep", keep="1")
    page.keyboard.press("v")
    wait_for_link(page, cell="2.3", route="all")
    tabs.again(page)
    settled(page, f'{VIEW}[data-cell="2.3"][data-route="all"]')
    assert serious(page) == []


def test_another_word_is_chosen_typed_or_written_in_phones(show):
    page = show(f"align?{QUICK}&word=night")
    assert "night" in page.locator(".rv-align-card").first.inner_text()
    field = page.get_by_role("combobox", name="Word")
    field.fill("light")
    field.press("Enter")
    wait_for_link(page, word="light")
    page.wait_for_function("() => document.querySelector('.rv-align-phone')?.textContent === 'L'")
    page.get_by_role("textbox", name="Phones").fill("K AO L")
    page.get_by_role("textbox", name="Phones").press("Enter")
    wait_for_link(page, word="", phones="K AO L")  # no one has entered a word for them
    page.wait_for_function("() => document.querySelector('.rv-align-phone')?.textContent === 'K'")


def test_impossible_alignments_show_an_error(show):
    page = show(f"align?word=xyzzyq&{QUICK}", drawn=".rv-refusal")
    assert "has no pronunciation" in page.locator(".rv-refusal").inner_text()
    for phones, said in [("F QQ N", "QQ"), ("F " * 50, "too many for a picture")]:
        page.get_by_role("textbox", name="Phones").fill(phones)
        page.get_by_role("textbox", name="Phones").press("Enter")
        page.wait_for_function("said => document.querySelector('.rv-refusal')?.innerText.includes(said)", arg=said)
        assert page.locator(".rv-refusal dfn").count() == 0  # among the phones that there are is Z
    page = show(f"align?word=na%C3%AFve&phones=N AY&{QUICK}", drawn=".rv-refusal")
    assert "Letter 'ï'" in page.locator(".rv-refusal").inner_text()


def explained_this_epoch(method, size=124):
    """(Examples for which an alignment was kept, examples) since the epoch of the last checkpoint began."""
    last, points = method["checkpoints"][-1]["step"], method["points"]
    first = (last - 1) // size * size
    rows = zip(points["step"], points["examples"], points["explained"], strict=True)
    return round(sum(examples * share for step, examples, share in rows if first < step <= last)), last - first


def test_five_strategies_open_on_a_recorded_run_that_moves(show):
    page = show("align?tab=learning", drawn=f"{LEARNING}[data-replays]")
    said = page.locator(LEARNING).inner_text()
    for name in ("Beam by model", "Beam by target", "Hybrid beam", "Forced"):  # by the names that they have above
        assert f"{name}: " in said
    page.wait_for_selector(f"{LEARNING}[data-step='620']:not([data-replays])")
    rows = page.locator(".rv-strategy-row .rv-strategy-text").all_inner_texts()
    assert rows == ["brother", "aaaaa", "eereeeerer", "breather", "brother"]
    assert page.locator(".rv-curtain").count() == 0 == page.locator(UNNAMED).count()
    page.locator("label").filter(has_text="held out").locator("select").select_option(label="1 · path")
    page.locator(".rv-strategy-head").get_by_text("★ path").wait_for()
    wait_for_link(page, tab="learning", run=None)


def test_strategies_are_trained_paused_and_looked_into(show):
    page = show("align?tab=learning&order=2&budget=8&epochs=40", drawn=STILL)
    page.get_by_role("button", name="Start").first.click()
    settled(page, LEARNING)
    page.wait_for_function(
        """() => { const items = [...document.querySelectorAll('.rv-legend-item')];
                   return items.length === 5 && items.every(item => / [1-9][\\d,]* examples/.test(item.innerText)); }"""
    )
    page.wait_for_function("() => document.querySelectorAll('.rv-curve').length >= 6")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    page.wait_for_function(
        """() => { const items = [...document.querySelectorAll('.rv-legend-item')];
                   return items.length === 5 && items.every((item) => /paused|done/.test(item.innerText)); }"""
    )
    names = [name[2:] for name in page.locator(".rv-legend-item .rv-method").all_inner_texts()]
    assert names == list(STRATEGY_NAMES.values())
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON", exact=True).click()
    methods = json.loads(download.value.path().read_bytes())["methods"]
    counts = [explained_this_epoch(method) for method in methods if method["checkpoints"]]
    assert page.locator(".rv-strategy-count").all_inner_texts() == [f"{found} of {seen}" for found, seen in counts]
    (rcms, of_rcms), (beam, of_beam), *_ = counts
    assert rcms == of_rcms
    assert beam < of_beam  # of how many it keeps an alignment grows while it learns
    assert page.get_by_text("124 to learn from, 42 held out").is_visible()
    name = query(page)["run"]
    go_to(page, "Home")
    settled(page, STILL)
    go_to(page, "Align")
    wait_for_link(page, tab="learning", run=name)
    tabs.again(page)
    settled(page, LEARNING)
    assert serious(page) == []
    assert query(page)["run"] == name
    page.get_by_role("button", name="see the alignment").first.click()
    settled(page, VIEW)
    assert int(query(page)["at"]) > 0
    drawn = page.locator(".rv-align-picture").first.locator(".rv-align-phone").all_text_contents()
    assert query(page)["phones"].split() == drawn
    wait_until_idle(page)
    page.get_by_text("Five strategies").click()
    settled(page, LEARNING)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Restart").wait_for()
