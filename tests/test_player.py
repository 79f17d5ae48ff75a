"""The player: what is sent to it, and in a real browser what it does with it."""

import json
import math

import numpy as np
import pytest
from browser import chromium, page_of  # noqa: F401  (fixtures)

import rcmviz as rv
from rcmviz.player import Run, build_payload
from rcmviz.player.payload import sentence, spelled
from rcmviz.player.select import ranks

LABELS = "abcde"


def model_and_emissions(length=6, seed=0, labels=LABELS, order=3):
    rng = np.random.default_rng(seed)
    windows = {}
    for _ in range(60):
        known = [str(label) for label in rng.choice(list(labels), rng.integers(0, order + 1))]
        window = ("*",) * (order - len(known)) + tuple(known) + (str(rng.choice(list(labels))),)
        windows[window] = float(rng.normal(0, 1.5))
    model = rv.NgramModel.from_windows(tuple(labels), order, windows, mode="additive")
    return model, rng.normal(0, 1.5, (length, len(labels)))


def runs_of(methods=("rcms",), budget=4, **options):
    model, log_emit = model_and_emissions(**options)
    made = {
        "rcms": lambda: rv.rcms(model, log_emit, budget),
        "beam": lambda: rv.beam(model, log_emit, budget),
        "exact": lambda: rv.exact(model, log_emit),
    }
    return [Run(method, *made[method]()) for method in methods]


# --- payload


def test_columns_hold_the_masses_of_the_lattice():
    run = runs_of()[0]
    payload = build_payload("abcdea", [run])
    post = rv.posterior(run.lattice)
    for i, column in enumerate(payload["runs"][0]["columns"]):
        ids = range(*run.lattice.column(i).indices(run.lattice.C))
        names = {tuple(run.lattice.indices(c)): c for c in ids}
        assert len(column["labels"]) == len(names) == column["total"]
        for labels, posterior in zip(column["labels"], column["posterior"], strict=True):
            assert posterior == pytest.approx(post.context[names[tuple(labels)]], rel=1e-5)
        assert sum(column["forward"]) == pytest.approx(1, abs=1e-4)
        assert sum(column["posterior"]) == pytest.approx(1, abs=1e-4)
        if [] in column["labels"]:
            root = column["labels"].index([])
            assert column["forwardTree"][root] == pytest.approx(1, abs=1e-4)


def test_subtree_is_own_mass_and_that_of_all_contexts_that_end_in_it():
    payload = build_payload(None, runs_of(budget=12))
    column = payload["runs"][0]["columns"][4]
    for labels, tree in zip(column["labels"], column["forwardTree"], strict=True):
        ending = [
            m
            for other, m in zip(column["labels"], column["forward"], strict=True)
            if other[len(other) - len(labels) :] == labels
        ]
        assert tree == pytest.approx(sum(ending), rel=1e-4)


def test_rows_come_in_suffix_order():
    for column in build_payload(None, runs_of(budget=12))["runs"][0]["columns"]:
        assert column["labels"] == sorted(column["labels"], key=lambda labels: labels[::-1])


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_candidates_agree_with_the_trace(method):
    run = runs_of((method,))[0]
    payload = build_payload("abcdea", [run])
    for i in range(1, run.lattice.T):
        table = run.trace.table(i).sort_values("rank")
        sent = payload["runs"][0]["columns"][i]["candidates"]
        assert sent["total"] == len(table)
        assert sum(group[0] for group in sent["groups"]) == len(table)
        by_rank = {rank: k for k, rank in enumerate(sent["rank"])}
        for _, row in table.head(20).iterrows():
            k = by_rank[row["rank"]]
            assert tuple(LABELS[y] for y in sent["labels"][k]) == row["context"]
            assert sent["mass"][k] == pytest.approx(row["mass"], rel=1e-4)
            assert ("kept", "merged", "joined", "dropped")[sent["fate"][k]] == row["fate"]
            if row["into"] is not None:
                column = payload["runs"][0]["columns"][i]
                assert tuple(LABELS[y] for y in column["labels"][sent["into"][k]]) == row["into"]
            else:
                assert sent["into"][k] == -1


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_sentences_are_those_of_the_trace(method):
    trace = runs_of((method,))[0].trace
    for i in range(1, trace.lattice.T):
        rows = trace.candidates(i)
        for m in range(rows.start, min(rows.stop, rows.start + 30)):
            k = m - rows.start
            values = (int(trace.fate(i)[k]), int(trace.rank(i)[k]), float(trace.share(i)[k]), int(trace.into[m]))
            assert sentence(trace, i, spelled(trace.labels_of(m), i), *values) == trace.reason(m)


def test_ranks_of_many_candidates_are_those_of_few():
    key = np.round(np.random.default_rng(1).normal(size=12_000), 2)
    asked = np.array([0, 5, 11_999, 777])
    expected = np.empty(len(key), int)
    expected[np.argsort(-key, kind="stable")] = np.arange(1, len(key) + 1)
    assert ranks(key, asked).tolist() == expected[asked].tolist()


def test_gold_is_always_sent_and_its_loss_is_found():
    lost = []
    for seed in range(12):
        run = runs_of(("beam",), budget=2, seed=seed)[0]
        gold = "".join(np.random.default_rng(seed).choice(list(LABELS), 6))
        told = build_payload(gold, [run])["runs"][0]
        prefixes = [
            {run.lattice.context(c) for c in range(*run.lattice.column(i).indices(run.lattice.C))} for i in range(6)
        ]
        first = next((i for i in range(1, 6) if tuple(gold[:i]) not in prefixes[i]), None)
        if first is not None:
            assert told["gold"]["lost"] == first
            assert told["gold"]["p"] == 0
            sent = told["columns"][first]["candidates"]
            assert [LABELS[y] for y in sent["labels"][sent["gold"]]] == list(gold[:first])
            lost.append(first)
    assert lost


def test_gold_rank_and_probability():
    run = runs_of()[0]
    third = rv.kbest(run.lattice, 3)[2]
    told = build_payload(None, [run], gold=third.labels)["runs"][0]
    assert told["gold"]["rank"] == 3
    assert told["gold"]["p"] == pytest.approx(math.exp(third.log_prob), rel=1e-5)
    assert told["gold"]["lost"] is None


def test_a_big_lattice_is_cut_but_summed_up():
    run = runs_of(("exact",), labels="abcdefghij", length=6)[0]
    payload = build_payload(None, [run])
    column = payload["runs"][0]["columns"][4]
    assert column["total"] == 1000
    assert len(column["labels"]) < 130
    assert sum(column["forward"]) + column["more"][1] == pytest.approx(1, abs=1e-4)
    assert column["more"][0] == 1000 - len(column["labels"])
    assert len(json.dumps(payload)) < 1_000_000


def test_payload_is_plain_json_and_its_id_is_its_content():
    runs = runs_of(("rcms", "beam"))
    payload = build_payload("abcdea", runs, position=2)
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert build_payload("abcdea", runs, position=5, node="*a")["id"] == payload["id"]
    other = build_payload("abcdeb", runs)
    assert other["id"] != payload["id"]
    assert other["subject"] != payload["subject"]


def test_impossible_scores_become_null_or_nothing():
    model, log_emit = model_and_emissions()
    log_emit[2, 1:] = -np.inf
    run = Run("RCMS", *rv.rcms(model, log_emit, 3))
    text = json.dumps(build_payload(None, [run]), allow_nan=False)
    assert "NaN" not in text
    assert [entry[0] for entry in json.loads(text)["runs"][0]["label"][2]] == [0]


def test_baseline_is_sent_beside_the_posterior():
    run = runs_of()[0]
    was = np.full((6, len(LABELS)), 0.2)
    payload = build_payload(None, [run], baseline=[was])
    assert payload["changed"]
    assert all(entry[2] == 0.2 for row in payload["runs"][0]["label"] for entry in row)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position": 9}, "position 9"),
        ({"gold": "ab"}, "gold has 2"),
        ({"gold": "abcdez"}, "'z'"),
        ({"baseline": [np.zeros((2, 2))]}, "baseline"),
        ({"images": [[[0]]]}, "1 images"),
        ({"mode": "huge"}, "huge"),
    ],
)
def test_what_does_not_fit_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        build_payload(None, runs_of(), **options)


def test_runs_on_other_words_are_refused():
    with pytest.raises(ValueError, match="show one word"):
        build_payload(None, runs_of() + runs_of(length=5))
    with pytest.raises(ValueError, match="0 runs"):
        build_payload(None, [])


def test_exported_page_asks_for_nothing_and_ends_no_script_early(tmp_path):
    labels = ("</script><b>", "a", "<!--")
    model = rv.NgramModel.from_windows(labels, 1, {})
    lattice, trace = rv.rcms(model, np.zeros((3, 3)), 2)
    text = rv.export_html(trace, lattice, tmp_path / "run.html", title="<i>x</i>")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == text
    assert text.count("</script>") == 2
    assert "<i>x" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


# --- in the browser

VISIBLE_ROWS = """trees => trees.map(tree => [...tree.querySelectorAll(".rv-row")]
    .filter(row => row.style.display !== "none").map(row => row.dataset.name))"""
SMALL_TEXT = """[...document.querySelectorAll(".rv-player *")]
    .filter(node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
    .map(node => [node.textContent, parseFloat(getComputedStyle(node).fontSize)]).filter(([, size]) => size < 11)"""
PANEL_BOXES = """[...document.querySelectorAll(".rv-panel")].map(panel => {
    const box = panel.getBoundingClientRect();
    return [box.x, box.y, box.width, box.height].map(Math.round).join(" ");
})"""


@pytest.fixture
def opened(page_of, tmp_path):  # noqa: F811
    """Export runs and open the file: ``opened(runs, gold, query="")``; errors and requests are checked at the end."""
    pages = []

    def open_runs(runs, gold="abcdea", query="", width=1280, scheme="light", **options):
        file = tmp_path / "run.html"
        rv.export_html(runs, path=file, gold=gold, title="test word", **options)
        watched = page_of(file.as_uri() + query, width=width, scheme=scheme)
        watched.page.wait_for_selector(".rv-player[data-ready]")
        pages.append(watched)
        return watched.page

    yield open_runs
    for watched in pages:
        assert watched.errors == []
        assert watched.strangers("file://") == []


def state(page, name):
    return page.get_attribute(".rv-player", f"data-{name}")


def settled(page, name, value):
    page.wait_for_function("([n, v]) => document.querySelector('.rv-player').dataset[n] === v", arg=[name, str(value)])


def row(page, name, inside=".rv-tree"):
    return page.locator(f'{inside} .rv-row[data-name="{name}"]')


def test_twenty_fast_presses_land_on_twenty_one(opened):
    page = opened(runs_of(length=30), gold=None)
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    settled(page, "position", 21)
    assert page.locator(".rv-place").inner_text() == "position 21 of 30"
    assert page.locator(".rv-scrubber").input_value() == "21"


def test_keys_move_play_and_switch_the_mass(opened):
    page = opened(runs_of())
    page.keyboard.press("End")
    settled(page, "position", 6)
    page.keyboard.press("ArrowRight")
    settled(page, "position", 6)
    page.keyboard.press("Home")
    settled(page, "position", 1)
    page.keyboard.press("p")
    settled(page, "mass", "posterior")
    page.keyboard.press("f")
    settled(page, "mass", "forward")
    page.select_option(".rv-speed", "4")
    page.locator(".rv-speed").blur()
    page.keyboard.press(" ")
    settled(page, "position", 6)


def test_buttons_scrubber_and_strip_step(opened):
    page = opened(runs_of())
    page.click(".rv-next")
    settled(page, "position", 2)
    page.click(".rv-last")
    settled(page, "position", 6)
    page.click(".rv-prev")
    settled(page, "position", 5)
    page.locator('[data-cell="3"] .rv-letter').click()
    settled(page, "position", 3)
    page.focus(".rv-scrubber")
    page.keyboard.press("ArrowRight")
    settled(page, "position", 4)


def test_a_link_opens_at_its_step(opened):
    run = runs_of()[0]
    name = run.lattice.name(run.lattice.column(4).stop - 1)
    page = opened([run], query=f"?pos=4&node={name}")
    assert state(page, "position") == "4"
    assert state(page, "node") == name
    assert name in page.locator(".rv-detail-title").inner_text()


def test_hover_shows_where_the_mass_goes(opened):
    run = runs_of()[0]
    page = opened([run], query="?pos=3")
    merged = page.locator('.rv-candidate[data-fate="merged"]').first
    name = merged.get_attribute("data-name")
    table = run.trace.table(3)
    words = table["context"].map("".join)
    into = table[words == name.lstrip("*")].iloc[0]["into"]
    merged.hover()
    page.wait_for_selector(".rv-tree .rv-carrier")
    assert page.locator(".rv-tree .rv-carrier").get_attribute("data-name") == "*" * (len(into) < 3) + "".join(into)
    assert "joined" in page.locator(".rv-detail-text").inner_text()
    page.mouse.move(2, 2)
    page.wait_for_function("() => !document.querySelector('.rv-tree .rv-carrier')")


def test_click_holds_a_context_and_escape_lets_go(opened):
    page = opened(runs_of(), query="?pos=3")
    chosen = page.locator(".rv-tree .rv-row:visible").nth(2)
    chosen.click()
    settled(page, "node", chosen.get_attribute("data-name"))
    assert chosen.get_attribute("aria-selected") == "true"
    page.keyboard.press("Escape")
    settled(page, "node", "")


def test_a_cell_of_the_heat_map_is_a_door(opened):
    page = opened(runs_of())
    cell = page.locator(".rv-heat-cell").last
    name = cell.locator("title").text_content()
    cell.click()
    settled(page, "position", 5)
    assert state(page, "node") == name


def test_masses_on_the_page_are_those_of_the_lattice(opened):
    run = runs_of()[0]
    page = opened([run], query="?pos=3")
    post = rv.posterior(run.lattice)
    column = run.lattice.column(3)
    share = np.exp(post.forward[column] - np.logaddexp.reduce(post.forward[column]))
    for c, mass in zip(range(column.start, column.stop), share, strict=True):
        assert row(page, run.lattice.name(c)).locator(".rv-value").text_content() == shown(mass)
    page.keyboard.press("p")
    settled(page, "mass", "posterior")
    for c in range(column.start, column.stop):
        assert row(page, run.lattice.name(c)).locator(".rv-value").text_content() == shown(post.context[c])


def shown(mass):
    """A mass as the player writes it."""
    if mass >= 0.9995:
        return "1"
    if mass >= 0.001:
        return f"{mass:.3f}"[1:]
    mantissa, exponent = f"{mass:.0e}".split("e")
    return f"{mantissa}e−{abs(int(exponent))}"


def losing_runs():
    for seed in range(40):
        runs = runs_of(("rcms", "beam"), budget=2, seed=seed)
        gold = "".join(rv.kbest(runs[0].lattice, 2)[1].labels)
        if build_payload(gold, runs)["runs"][1]["gold"]["lost"]:
            return runs, gold
    raise AssertionError("no seed lets beam search lose the gold")


def test_compare_shows_where_beam_lost_the_gold(opened):
    runs, gold = losing_runs()
    lost = build_payload(gold, runs)["runs"][1]["gold"]["lost"]
    page = opened(runs, gold=gold)
    assert page.locator(".rv-tree").count() == 2
    assert page.locator(".rv-loss").get_attribute("data-lost") == str(lost)
    page.keyboard.press("End")
    settled(page, "position", 6)
    page.click(".rv-link-button")
    settled(page, "position", lost)
    assert state(page, "node") == gold[:lost]
    assert "dropped" in page.locator(".rv-detail-text").inner_text()


def test_compared_trees_have_the_same_rows(opened):
    page = opened(runs_of(("rcms", "beam"), budget=3), query="?pos=4")
    first, second = page.eval_on_selector_all(".rv-tree", VISIBLE_ROWS)
    assert first == second
    assert page.locator(".rv-tree .rv-absent:visible").count() > 0


def test_labels_never_become_elements(opened):
    labels = ("<b>x</b>", "<s>", "&amp;")
    model = rv.NgramModel.from_windows(labels, 1, {})
    run = Run("<u>RCMS</u>", *rv.rcms(model, np.log([[0.6, 0.3, 0.1]] * 4), 2))
    page = opened([run], gold=["<b>x</b>", "<s>", "&amp;", "<s>"], query="?pos=2")
    assert page.locator("b, s, u").count() == 0
    assert page.locator(".rv-gold").first.text_content() == "<b>x</b>"
    page.locator(".rv-tree .rv-row:visible").nth(1).hover()
    assert page.locator(".rv-detail b, .rv-detail s").count() == 0


def test_a_change_is_shown_with_its_size(opened):
    run = runs_of()[0]
    label = rv.posterior(run.lattice).label
    best = rv.viterbi(run.lattice).indices[0]
    was = np.array(label)
    was[0, best] -= 0.1
    page = opened([run], baseline=[was])
    assert page.locator(".rv-strip .rv-up").all_text_contents() == ["▲ .100"]
    assert page.locator(".rv-strip .rv-down").count() == 0


def test_mini_plays_by_itself_and_can_be_stopped(opened):
    page = opened(runs_of(), mode="mini")
    settled(page, "position", 2)
    page.click(".rv-play")
    page.wait_for_selector('.rv-play[aria-label^="play"]')
    page.keyboard.press("ArrowRight")
    assert state(page, "position") in ("2", "3")


@pytest.mark.parametrize("width", [390, 760, 1280])
@pytest.mark.parametrize("methods", [("rcms",), ("rcms", "beam", "exact")])
def test_nothing_overflows_the_page(opened, width, methods):
    page = opened(runs_of(methods, length=14), gold="abcdeabcdeabcd", width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALL_TEXT) == []


def test_panels_do_not_jump_between_positions(opened):
    page = opened(runs_of(length=8), gold=None)
    first = page.evaluate(PANEL_BOXES)
    for i in range(2, 8):
        page.keyboard.press("ArrowRight")
        settled(page, "position", i)
        assert page.evaluate(PANEL_BOXES) == first


def test_a_step_measures_itself(opened):
    page = opened(runs_of())
    page.evaluate("performance.clearMeasures('rv-step')")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("performance.getEntriesByName('rv-step').length > 0")
    assert page.evaluate("performance.getEntriesByName('rv-step')[0].duration") > 0


def test_view_can_be_saved_as_svg_png_and_json(opened):
    page = opened(runs_of(), query="?pos=3")
    for name, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("JSON", b"{")):
        with page.expect_download() as download:
            page.click(f".rv-tools button:text-is('{name}')")
        content = download.value.path().read_bytes()
        assert content.startswith(start)
        assert download.value.suggested_filename == f"rcmviz-test-word-position-3.{name.lower()}"
        if name == "SVG":
            assert b"color-mix" not in content
            assert b"class=" not in content


def test_help_and_code_open_and_close(opened):
    page = opened(runs_of(), code="import rcmviz as rv")
    page.keyboard.press("?")
    assert page.locator(".rv-help").is_visible()
    page.keyboard.press("?")
    assert not page.locator(".rv-help").is_visible()
    page.click("button:text-is('show code')")
    assert page.locator(".rv-code").inner_text() == "import rcmviz as rv"
