"""The player in a notebook: messages between Python and the browser, and the fallback without widgets."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import json
import re
import subprocess
import sys
from html import escape
from types import SimpleNamespace

import numpy as np
import pytest
import traitlets

import rcmviz as rv
from rcmviz.align.model import AlignModel
from rcmviz.tasks.decipher.symbols import Decipherment
from rcmviz.tasks.decipher.words import grammar_cipher
from rcmviz.views import build_payload
from rcmviz.views.ctc.payload import build_ctc
from rcmviz.views.mass_flow.word import build_word
from rcmviz.views.shared import assets
from rcmviz.views.word.shown import runs_of
from support.browser import chromium, page_of, saved  # noqa: F401
from support.toy_ars import decoded
from support.toy_runs import model_and_emissions
from support.toy_runs import runs_of as toy_runs

WIDGET_TYPE, PLACES = "application/vnd.jupyter.widget-view+json", ("position", "node")
# A notebook's model of a widget: it reports changes and stores values saved for Python.
NOTEBOOK = """<!doctype html><meta charset="utf-8"><style>%s</style>
<input id="cell"><div id="one"></div><div id="two"></div>
<script type="module">%s
const acts = [], values = JSON.parse(%s);
window.model = {
  saved: [],
  get: name => values[name],
  set(name, value) { if (values[name] === value) return; values[name] = value; this.tell("change:" + name); },
  save_changes() { this.saved.push([values.position, values.node]); },
  on: (event, act) => acts.push([event, act]),
  off: (event, act) => acts.splice(acts.findIndex(([e, a]) => e === event && a === act), 1),
  tell: event => acts.filter(([e]) => e === event).forEach(([, act]) => act()),
};
const shown = ["one", "two"].map(id => rcmvizWidget(rcmvizPlayer).render({ model, el: document.getElementById(id) }));
window.close_all = () => { shown.forEach(end => end()); return acts.length; };
</script>"""


def notebook_page(payload, view="player", draw="rcmvizPlayer", **place):
    values = json.dumps(json.dumps({"payload": payload, **place}))
    parts = assets.widget_style(view), assets.widget(view), values.replace("<", "\\u003c")
    return (NOTEBOOK % parts).replace("rcmvizPlayer)", f"{draw})")


def at(page, player, position, node=""):
    """Wait until a player of the page is at this position."""
    page.wait_for_function(
        "([id, ...place]) => { const root = document.querySelector(`#${id} .rv-player`);"
        " return [root.dataset.position, root.dataset.node].join() === place.join(); }",
        arg=[player, str(position), node],
    )


def test_in_the_browser_position_and_node_are_those_of_the_model(saved):
    run = toy_runs()[0]
    name = run.lattice.name(run.lattice.column(4).stop - 1)
    payload = build_payload("abcdea", [run])
    page = saved(notebook_page(payload, position=payload["position"], node=None), "#two .rv-player[data-ready]")
    page.click("#one .rv-next")  # a person steps, and holds a context
    at(page, "one", 2)
    row = page.locator("#one .rv-tree .rv-row:visible").nth(1)
    row.click()
    held = row.get_attribute("data-name")
    page.wait_for_function("node => String(model.saved.at(-1)) === '2,' + node", arg=held)
    at(page, "two", 2, held)  # two outputs of one widget show the same
    page.evaluate("node => { model.set('position', 4); model.set('node', node); }", name)  # Python sets both
    at(page, "one", 4, name)
    page.evaluate("model.set('node', 'no such context')")
    at(page, "one", 4)
    page.evaluate("model.set('position', 2)")  # also where a person has just been
    at(page, "one", 2)
    page.focus("#cell")  # keys belong to the notebook …
    page.keyboard.press("ArrowRight")
    page.click("#two .rv-detail", position={"x": 1, "y": 1})  # … until the player has the focus
    page.keyboard.press("End")
    at(page, "two", 6)
    at(page, "one", 6)
    assert page.locator("text=copy link").count() == 0 and page.locator(".rv-actions button").count() == 0
    page.evaluate("payload => model.set('payload', payload)", build_payload("abcdea", toy_runs(("beam",))))
    page.wait_for_function("() => document.querySelector('#one .rv-player').textContent.includes('dropped')")
    at(page, "one", 6)
    assert page.evaluate("window.close_all()") == 0
    assert page.locator(".rv-player").count() == 0


def test_the_picture_and_its_details_stand_where_the_model_says(saved):
    run = toy_runs()[0]
    name = run.lattice.name(run.lattice.column(4).stop - 1)
    text = notebook_page(build_word("abcdea", [run]), "word", "rcmvizWord", position=1, node=None)
    page = saved(text, "#two .rv-flow[data-ready]")
    page.evaluate("node => { model.set('position', 4); model.set('node', node); }", name)
    page.wait_for_selector("#one .rv-flow[data-position='4']")
    page.wait_for_selector(f"#one .rv-flow-details .rv-player[data-position='4'][data-node='{name}']")
    page.focus("#cell")  # keys belong to the notebook …
    page.keyboard.press("Home")
    page.click("#two .rv-flow-start")  # … until the picture has the focus
    page.wait_for_function("() => model.get('position') === 1")
    page.wait_for_selector("#one .rv-flow[data-position='1']")
    page.evaluate("payload => model.set('payload', payload)", build_word("abcdea", toy_runs(("beam",))))
    page.wait_for_selector("#one .rv-flow-panel.rv-m-beam")
    assert page.evaluate("window.close_all()") == 0
    assert page.locator(".rv-player, .rv-flow-details").count() == 0


def test_a_proof_moves_with_its_model_and_says_where_it_stands(saved):
    best, trace = decoded(3, 4, 2)
    view = rv.show(best, trace, title="a toy")
    assert view.position is None and repr(view) == "<ArsView: a toy>"
    page = saved(notebook_page(view.payload, "ars", "rcmvizArs", position=None), "#two .rv-ars[data-ready]")
    last = view.payload["round"]
    page.click("#one .rv-first")
    page.wait_for_selector('#two .rv-ars[data-round="1"]')  # by way of the model
    page.evaluate("last => model.set('position', last)", last)
    page.wait_for_selector(f'#one .rv-ars[data-round="{last}"]')


def test_a_training_moves_to_its_checkpoints_with_its_model(saved):
    data = rv.Sequences.from_arrays([[[1.0], [0.0]], [[0.0], [1.0]]], ["ab", "ba"], "ab")
    trainer = rv.Trainer(data, rv.Training(order=1, budget=2, epochs=3), data)
    with pytest.raises(ValueError, match="learnt"):
        rv.show(trainer)
    states = [trainer.advance() for _ in range(3)]
    view = rv.show(trainer, states, example=1, tokens=["x", "y"])
    assert repr(view) == "<LearningView: RCMS 2>"
    (method,) = view.payload["methods"]
    assert [one["step"] for one in method["checkpoints"]] == method["points"]["step"] == [2, 4, 6]
    spelled = "".join("ab"[label] for label in method["checkpoints"][-1]["decoded"])
    lattice, _ = rv.rcms(states[-1].model, data.take([1]).log_emits(states[-1].model.emission)[0], budget=2)
    assert spelled == "".join(rv.viterbi(lattice).labels)
    assert [one["step"] for one in rv.show(trainer).payload["methods"][0]["checkpoints"]] == [6]
    with pytest.raises(ValueError, match="3 tokens.* 2 positions"):
        rv.show(trainer, states, tokens=["x", "y", "z"])
    page = saved(
        notebook_page(view.payload, "learning", "rcmvizLearning", position=None), "#two .rv-learning[data-ready]"
    )
    page.evaluate("model.set('position', 4)")
    page.wait_for_selector('#two .rv-learning[data-step="4"]')
    page.locator("#one .rv-scrubber").press("ArrowLeft")
    page.wait_for_function("model.get('position') === 2")
    page.wait_for_selector('#two .rv-learning[data-step="2"]')  # by way of the model


def test_a_decipherment_has_its_passes():
    work = Decipherment(grammar_cipher(lines=40), budget=4)
    with pytest.raises(ValueError, match="no pass to show"):
        rv.show(work)
    states = list(work.run(2))
    view = rv.show(work, states)
    (method,) = view.payload["methods"]
    assert repr(view) == "<DecipherView: RCMS 4>" and method["points"]["step"] == [1, 2]
    assert method["points"]["accuracy"][-1] == pytest.approx(states[-1].by_token, rel=1e-5)
    shown = [work.cipher.symbols.index(symbol) for symbol in view.payload["symbols"]]
    assert method["passes"][-1]["guess"] == states[-1].guess[shown].tolist()


def test_alignments_and_fields_have_views_too():
    aligned = rv.show(AlignModel("nait", ["N", "AY", "T"], order=1), "N AY T", text="nait")
    assert aligned.payload["phones"] == ["N", "AY", "T"] and aligned.payload["meant"] == "nait"
    field = rv.MarkovField(None, 1, 2, held_out=0.0, max_steps=2).fit(["the dog barks"] * 3)
    filled = rv.show(field, "the dog _", title="a world")
    assert filled.payload["left"] == ["the", "dog"] and repr(filled) == "<MrfView: a world>"
    with pytest.raises(ValueError, match="one _"):
        rv.show(field)


def test_frames_have_a_view_and_a_file_with_their_gold_and_their_place(tmp_path):
    read = rv.ctc(np.log([[0.6, 0.1, 0.3], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2]]), "ab")
    view = rv.show(read, gold="ba", position=2)
    assert view.payload == build_ctc(read, "ba", position=2) and repr(view) == "<CtcView: ab>"
    assert rv.show(read).payload["position"] is None and view.payload["gold"]["labels"] == ["b", "a"]
    path = rv.export_html(read, path=tmp_path / "read.html", gold="ba", position=2, code="rv.ctc(…)")
    data = re.search(r'id="rv-data"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"))[1]
    assert json.loads(data) == build_ctc(read, "ba", position=2, code="rv.ctc(…)")
    with pytest.raises(ValueError, match="'c'"):
        rv.export_html(read, gold="abc")


def test_a_player_has_the_payload_of_its_runs():
    model, log_emit = model_and_emissions()
    player = rv.show(*rv.rcms(model, log_emit, budget=4), gold="abcdea", position=3)
    assert player.payload == build_word(None, runs_of(rv.rcms(model, log_emit, budget=4)), gold="abcdea", position=3)
    assert (player.position, player.node) == (3, None)
    assert repr(player) == "<Player: RCMS 4, position 3 of 6>"
    player.position = 5
    player.show(rv.beam(model, log_emit, budget=2))  # the same word: the place and the gold stay
    assert player.position == 5 and player.payload["gold"] == [0, 1, 2, 3, 4, 0]
    assert player.payload["runs"][0]["name"] == "Beam 2"
    for position in (0, 7):
        with pytest.raises(ValueError, match=f"position {position}: .*1 to 6"):
            player.position = position
    shorter = model_and_emissions(length=4)
    player.show({"mine": rv.rcms(*shorter, budget=2), "theirs": rv.beam(*shorter, budget=2)}, gold=None)
    assert player.position == 1 and [run["name"] for run in player.payload["runs"]] == ["mine", "theirs"]


def test_it_is_a_widget_that_python_can_listen_to():
    heard = []
    player = rv.show(toy_runs()[0])
    player.observe(heard.append, PLACES)
    player.set_state({"position": 4, "node": "*ab"})  # as a frontend sends it
    assert [(change.name, change.new) for change in heard] == [("position", 4), ("node", "*ab")]
    assert isinstance(player, traitlets.HasTraits)


def test_where_no_widget_runs_a_tree_stands_in_its_place():
    run = toy_runs()[0]
    data, _ = rv.show(run)._repr_mimebundle_()
    assert data[WIDGET_TYPE]["model_id"] and data["text/html"] == run.lattice._repr_html_()


def test_views_that_cannot_be_shown_are_refused():
    with pytest.raises(ValueError, match="int: .*lattice .*trace"):
        rv.show(7)
    with pytest.raises(ValueError, match="2 labels"):
        rv.show(toy_runs()[0], gold="ab")


def test_without_anywidget_the_library_works_and_show_names_the_package():
    script = """
import sys
sys.modules["anywidget"] = None
import rcmviz as rv
model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
found = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
try:
    rv.show(found)
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "rv.show needs the package anywidget: pip install 'rcmviz[notebook]'\n"


def test_the_extension_shows_traces_as_the_player():
    class Formatter(dict):
        def for_type(self, kind, act):
            self[kind] = act

    shell = type("Shell", (), {})()
    shell.display_formatter = type("Display", (), {"mimebundle_formatter": Formatter()})
    rv.load_ipython_extension(shell)
    formatters = shell.display_formatter.mimebundle_formatter
    run = toy_runs()[0]
    for one in (run, run.trace):
        data, _ = formatters[type(one)](one, include=None, exclude=None)
        assert data[WIDGET_TYPE]["model_id"]
    assert formatters["rcmviz.learn.trainer.Trainer"](SimpleNamespace(history=[])) is None  # nothing to play yet
    heard, nothing = rv.ctc(np.zeros((2, 3)), "ab"), rv.ctc(np.full((2, 3), -np.inf), "ab")
    data, _ = formatters["rcmviz.ctc_decoding.transcript.Transcript"](heard)
    assert data[WIDGET_TYPE]["model_id"] and formatters["rcmviz.ctc_decoding.transcript.Transcript"](nothing) is None


def test_labels_are_escaped_where_they_are_html():
    model = rv.NgramModel.from_windows(("<s>", "b&c"), 1, {})
    lattice, trace = rv.rcms(model, [[2.0, 0.0]] * 2, budget=2)
    assert escape("<s>") in lattice._repr_html_() and "<s>" not in lattice._repr_html_()
    assert "<s>" in str(lattice) and repr(lattice) == "<Lattice: 2 positions, 2 labels, 5 contexts>"
    assert "RCMS 2" in repr(trace) and "<td" in trace._repr_html_()


def test_a_training_is_shown_as_its_curves():
    data = rv.Sequences.from_arrays([[[1.0], [0.0]], [[0.0], [1.0]]], ["ab", "ba"], "ab")
    trainer = rv.Trainer(data, rv.Training(order=1, budget=2, epochs=3), data)
    assert "No examples yet" in trainer._repr_html_()
    states = [trainer.advance() for _ in range(3)]
    assert [state["log_likelihood"] for state in trainer.history] == [state.log_likelihood for state in states]
    drawn = trainer._repr_html_()
    assert repr(trainer) == "<Trainer: RCMS 2, 6 of 6 examples>"
    first, last = states[0].log_likelihood, states[-1].log_likelihood
    assert f"log likelihood: from {first:.3g} to {last:.3g} after 6 examples" in drawn
    assert drawn.count("<polyline") == 3 and "golds lost" not in drawn  # nothing falls off, so nothing is drawn of it
