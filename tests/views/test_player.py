"""The player in a real browser: an exported file, a page that records what it sends to Python, and Streamlit."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.views import Run, build_payload
from rcmviz.views.shared.assets import script, style
from support.browser import chromium, page_of, saved, tap  # noqa: F401
from support.exported import opened  # noqa: F401
from support.mounted import recording_page
from support.toy_runs import runs_of

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


def test_buttons_scrubber_and_what_is_read_step(opened):
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
    assert "merged into" in page.locator(".rv-detail-text").inner_text()
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


def test_a_cell_of_the_heat_map_is_a_link(opened):
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
    page.keyboard.press("End")
    settled(page, "position", 6)
    page.get_by_role("button", name=f"lost at {lost}").click()
    settled(page, "position", lost)
    assert state(page, "node") == gold[:lost]
    text = page.locator(".rv-detail-text").inner_text()
    assert "dropped" in text
    assert all(run.name in text for run in runs)
    fates = page.locator(f".rv-candidate[data-name='{gold[:lost]}']")
    assert sorted(row.get_attribute("data-fate") for row in fates.all()) == ["dropped", "merged"]


def test_each_method_has_its_ranks_and_its_tree(opened):
    runs = runs_of(("rcms", "beam"), budget=3)
    page = opened(runs, query="?pos=4&stage=trees")  # a link of an earlier version, in which one was chosen
    trees = page.eval_on_selector_all(".rv-tree", VISIBLE_ROWS)
    columns = [(run.lattice, run.lattice.column(4)) for run in runs]
    names = [[lattice.name(c) for c in range(column.start, column.stop)] for lattice, column in columns]
    assert [sorted(tree) for tree in trees] == [sorted(column) for column in names]
    assert page.locator(".rv-candidates:visible").count() == 2


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
    assert page.locator(".rv-cell .rv-up").all_text_contents() == [f"{shown(label[0, best])} ▲"]
    assert page.locator(".rv-cell .rv-down").count() == 0


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


def test_p_presents_the_player_and_a_clicker_steps_it(opened):
    page = opened(runs_of())
    page.keyboard.press("P")
    page.wait_for_selector(".rv-player[data-presenting]")
    assert not page.locator("h1").is_visible()
    page.keyboard.press("PageDown")
    settled(page, "position", 2)
    page.keyboard.press("Escape")
    page.wait_for_selector(".rv-player:not([data-presenting])")


def test_a_step_measures_itself(opened):
    page = opened(runs_of())
    page.evaluate("performance.clearMeasures('rv-step')")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => performance.getEntriesByName('rv-step').length > 0")
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
    assert page.locator(".rv-code").inner_text().splitlines()[0] == "import rcmviz as rv"


# --- messages to Python, without a server: a page that records the player's reports


@pytest.fixture
def recording_player(page_of):
    watched = page_of("about:blank")
    yield recording_page(watched, script("player"), "rcmvizPlayer")
    assert watched.errors == []


def draw(page, payload):
    page.evaluate("data => window.draw(data)", payload)
    page.wait_for_selector(".rv-player[data-ready]")


def messages(page, key):
    return [value for name, value in page.evaluate("window.messages") if name == key]


def test_many_steps_message_python_once(recording_player):
    draw(recording_player, build_payload(None, runs_of(length=20)))
    press = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
    recording_player.evaluate(f"for (let i = 0; i < 10; i++) document.activeElement.dispatchEvent({press})")
    recording_player.wait_for_function("() => window.messages.length > 0")
    assert messages(recording_player, "position") == [11]


def test_a_rerun_with_the_same_payload_changes_nothing(recording_player):
    payload = build_payload(None, runs_of(length=20), position=2)
    draw(recording_player, payload)
    recording_player.evaluate("document.querySelector('.rv-tree').dataset.mine = 'yes'")
    recording_player.keyboard.press("End")
    settled(recording_player, "position", 20)
    draw(recording_player, payload)
    recording_player.wait_for_timeout(100)
    assert state(recording_player, "position") == "20"
    assert recording_player.get_attribute(".rv-tree", "data-mine") == "yes"
    draw(recording_player, payload | {"position": 7})
    settled(recording_player, "position", 7)


def test_a_redrawn_player_keeps_its_position(recording_player):
    payload = build_payload(None, runs_of(length=20), position=2)
    rests = "Object.assign(document.body.dataset, { testid: 'stApp', testScriptState: 'notRunning' })"
    recording_player.evaluate(rests)  # Streamlit's page
    draw(recording_player, payload)
    recording_player.keyboard.press("End")
    settled(recording_player, "position", 20)
    recording_player.wait_for_function("() => window.messages.length > 0")
    for again, position in (payload, "20"), (payload | {"position": 7}, "7"), (payload | {"subject": "another"}, "2"):
        recording_player.evaluate("window.leave()")
        draw(recording_player, again)
        assert state(recording_player, "position") == position
    assert messages(recording_player, "position") == [20]


def test_the_end_of_a_call_that_was_overtaken_leaves_the_view(recording_player):
    payload = build_payload(None, runs_of(length=20))
    draw(recording_player, payload)
    recording_player.evaluate("window.first = window.leave")
    draw(recording_player, payload | {"position": 7})
    recording_player.evaluate("window.first()")
    assert recording_player.locator(".rv-player").count() == 1
    recording_player.keyboard.press("ArrowRight")
    settled(recording_player, "position", 8)
    recording_player.evaluate("window.leave()")
    assert recording_player.locator(".rv-player").count() == 0


def test_an_echo_of_an_old_step_is_not_obeyed(recording_player):
    payload = build_payload(None, runs_of(length=20))
    draw(recording_player, payload)
    recording_player.keyboard.press("ArrowRight")
    recording_player.wait_for_function("() => window.messages.length > 0")
    recording_player.keyboard.press("End")
    settled(recording_player, "position", 20)
    draw(recording_player, payload | {"position": 2})
    recording_player.wait_for_timeout(100)
    assert state(recording_player, "position") == "20"


def test_new_data_on_the_same_word_keep_the_step_and_another_word_does_not(recording_player):
    draw(recording_player, build_payload(None, runs_of(length=8), title="one"))
    recording_player.keyboard.press("End")
    settled(recording_player, "position", 8)
    draw(recording_player, build_payload(None, runs_of(length=8, budget=2), title="one"))
    recording_player.wait_for_timeout(100)
    assert state(recording_player, "position") == "8"
    draw(recording_player, build_payload(None, runs_of(length=8), title="two", position=3))
    settled(recording_player, "position", 3)


def test_what_if_edits_are_sent_with_their_subject(recording_player):
    payload = build_payload(None, runs_of(), position=3)
    draw(recording_player, payload)
    chosen = recording_player.locator(".rv-tree .rv-row:visible").nth(2)
    chosen.click()
    settled(recording_player, "node", chosen.get_attribute("data-name"))
    name = chosen.get_attribute("data-name").lstrip("*")
    recording_player.click('.rv-actions [data-op="pin"] >> nth=0')
    recording_player.click('.rv-actions [data-op="forbid"] >> nth=1')
    recording_player.click('.rv-actions [data-op="budget"] >> nth=1')
    assert messages(recording_player, "what_if") == [
        {"position": 3, "op": "pin", "what": list(name)},
        {"position": 3, "op": "forbid", "what": name[-1]},
        {"position": 3, "op": "budget", "what": 5},
    ]
    assert recording_player.locator('[data-op="undo"]').count() == 0


def test_leaving_takes_the_keys_away(recording_player):
    draw(recording_player, build_payload(None, runs_of()))
    recording_player.evaluate("window.leave()")
    recording_player.keyboard.press("ArrowRight")
    recording_player.wait_for_timeout(400)
    assert recording_player.locator(".rv-player").count() == 0
    assert messages(recording_player, "position") == []


def test_keys_typed_into_a_field_are_left_to_it(recording_player):
    draw(recording_player, build_payload(None, runs_of()))
    recording_player.evaluate("document.body.append(Object.assign(document.createElement('input'), {id: 'field'}))")
    recording_player.focus("#field")
    recording_player.keyboard.type("pf?")
    recording_player.keyboard.press("ArrowRight")
    assert recording_player.input_value("#field") == "pf?"
    assert state(recording_player, "position") == "1"
    assert state(recording_player, "mass") == "forward"


@pytest.fixture
def recording_pad(page_of):
    watched = page_of("about:blank")
    page = recording_page(watched, script("pad"), "rcmvizPad")
    page.add_style_tag(content=style("pad"))
    page.evaluate("window.draw({ letters: [], images: null })")
    yield page
    assert watched.errors == []


def stroke(page, cell, *points):
    box = page.locator(".rv-pad-cell").nth(cell).bounding_box()
    spots = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
    page.mouse.move(*spots[0])
    page.mouse.down()
    for spot in spots[1:]:
        page.mouse.move(*spot, steps=4)
    page.mouse.up()


def test_strokes_are_sent_in_unit_coordinates(recording_pad):
    stroke(recording_pad, 0, (0.25, 0.2), (0.75, 0.8))
    (letters,) = messages(recording_pad, "strokes")
    assert len(letters) == len(letters[0]) == 1
    assert letters[0][0][0] == pytest.approx([0.25, 0.2], abs=0.02)
    assert letters[0][0][-1] == pytest.approx([0.75, 0.8], abs=0.02)
    assert all(value == round(value, 3) for point in letters[0][0] for value in point)


def test_pad_adds_undoes_erases_and_clears(recording_pad):
    stroke(recording_pad, 0, (0.2, 0.2), (0.8, 0.8))
    recording_pad.click("text=add letter")
    stroke(recording_pad, 1, (0.2, 0.2), (0.2, 0.8))
    stroke(recording_pad, 1, (0.2, 0.5), (0.8, 0.5))
    assert [len(letter) for letter in messages(recording_pad, "strokes")[-1]] == [1, 2]
    recording_pad.click("text=undo stroke")
    assert [len(letter) for letter in messages(recording_pad, "strokes")[-1]] == [1, 1]
    recording_pad.click("text=erase letter")
    assert [len(letter) for letter in messages(recording_pad, "strokes")[-1]] == [1]
    recording_pad.click("text=clear")
    assert messages(recording_pad, "strokes")[-1] == []
    recording_pad.click("text=undo stroke")
    assert [len(letter) for letter in messages(recording_pad, "strokes")[-1]] == [1]


def test_pad_shows_the_raster_that_python_sends_back(recording_pad):
    stroke(recording_pad, 0, (0.2, 0.2), (0.8, 0.8))
    letters = messages(recording_pad, "strokes")[-1]
    recording_pad.evaluate("data => window.draw(data)", {"letters": letters, "images": [["10", "01"]]})
    assert recording_pad.locator(".rv-pad-raster path").get_attribute("d") == "M0 0h1v1h-1zM1 1h1v1h-1z"
    stroke(recording_pad, 0, (0.8, 0.2), (0.2, 0.8))
    assert recording_pad.locator(".rv-pad-raster path").count() == 0


def test_an_answer_during_a_stroke_does_not_cost_the_stroke(recording_pad):
    recording_pad.click("text=add letter")
    stroke(recording_pad, 0, (0.2, 0.2), (0.8, 0.8))
    letters = messages(recording_pad, "strokes")[-1]
    box = recording_pad.locator(".rv-pad-cell").nth(1).bounding_box()
    recording_pad.mouse.move(box["x"] + 20, box["y"] + 20)
    recording_pad.mouse.down()
    recording_pad.evaluate("data => window.draw(data)", {"letters": letters, "images": [["10", "01"]]})
    recording_pad.mouse.move(box["x"] + 60, box["y"] + 90, steps=4)
    recording_pad.mouse.up()
    assert [len(letter) for letter in messages(recording_pad, "strokes")[-1]] == [1, 1]


def test_a_finger_draws_too(page_of):
    watched = page_of("about:blank", width=390)
    page = recording_page(watched, script("pad"), "rcmvizPad")
    page.add_style_tag(content=style("pad"))
    page.evaluate("window.draw({ letters: [], images: null })")
    box = page.locator(".rv-pad-cell").bounding_box()
    tap(page, box["x"] + 42, box["y"] + 66)
    page.wait_for_function("() => window.messages.length > 0")
    assert messages(page, "strokes")[-1][0][0][0] == pytest.approx([0.5, 0.5], abs=0.03)
    assert watched.errors == []


# --- in Streamlit


def test_components_mount_in_streamlit():
    from streamlit.testing.v1 import AppTest

    def script():
        import numpy as np

        import rcmviz as rv
        from rcmviz.views import Run, build_payload
        from rcmviz.views.shared.component import pad, player

        model = rv.NgramModel.from_windows("ab", 1, {})
        payload = build_payload("aba", [Run("RCMS", *rv.rcms(model, np.zeros((3, 2)), 2))], position=2)
        import streamlit as st

        shown, drawn = player(payload, key="player"), pad(key="pad", images=[[[1, 0], [0, 1]]])
        st.write(f"{shown.position} {shown.node} {shown.what_if} {drawn.strokes}")

    app = AppTest.from_function(script, default_timeout=600).run()  # kernels may have to compile
    assert not app.exception
    assert app.markdown[0].value == "2 None None []"


@pytest.mark.parametrize(
    ("labels", "length", "call"),
    [
        (("a",), 1, lambda model, emit: rv.rcms(model, emit, 1)),
        (("a", "b"), 1, lambda model, emit: rv.exact(model, emit)),
        (("one", "two", "one two"), 4, lambda model, emit: rv.rcms(model, emit, 3, deduplicate=True, passes=2)),
        (("a", "b", "c"), 5, lambda model, emit: rv.rcms(model, emit, 2, root_weight=-1.0)),
        (("a", "b", "c"), 5, lambda model, emit: rv.exact(model, emit, record=False)),
        (tuple("abc"), 200, lambda model, emit: rv.beam(model, emit, 20)),
        (tuple(f"word{k}" for k in range(300)), 6, lambda model, emit: rv.rcms(model, emit, 30)),
    ],
    ids=["one letter", "nothing to select", "long labels", "repaired", "no trace", "200 letters", "300 labels"],
)
def test_unusual_runs_can_be_stepped_through(opened, labels, length, call):
    model = rv.NgramModel.from_windows(labels, 2, {("*", labels[0], labels[-1]): 1.0})
    log_emit = np.random.default_rng(0).normal(0, 1, (length, len(labels)))
    page = opened([Run("run", *call(model, log_emit))], gold=[labels[0]] * length, width=700)
    page.keyboard.press("End")
    settled(page, "position", length)
    page.keyboard.press("Home")
    settled(page, "position", 1)
    first = page.locator(".rv-tree .rv-row:visible").first
    first.hover()
    page.wait_for_selector(".rv-tree .rv-on")
    assert page.locator(".rv-detail-title").inner_text().startswith(first.get_attribute("data-name"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
