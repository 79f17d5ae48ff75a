"""The pages without a browser: links, invalid input, what-if edits, sessions; and the repository's metadata."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from pages.home.examples import EXAMPLES, real_example
from pages.shell.methods import MAX_BUDGET, parse_methods, parse_runs
from pages.word import runs, words
from pages.word.code import reproducing_code
from pages.word.edits import (
    Edit,
    add_edit,
    arguments,
    edits_of_method,
    read_edits,
    renumber_edits,
    write_edits,
)
from pages.word.question import Options, Subject, WordQuestion
from pages.your_example.gallery import SAMPLE
from pages.your_example.problems import packed_sample, sample_text
from rcmviz.core.methods import BUILDERS, MethodChoice
from rcmviz.data import registry
from rcmviz.tasks.handwriting.pen import encode_images, write_word
from support.pages import link_of, open_tab, opened, switch_page, texts

ROOT = Path(__file__).parents[2]
TITLES = {
    "home/page.py": "See a model choose what to remember",
    "lessons/page.py": "Lessons",
}  # of declared pages: tests/pages/test_capabilities.py


@pytest.mark.parametrize("page", TITLES)
def test_every_page_opens(page):
    session = opened(page)
    assert not session.exception
    assert not session.error
    assert not session.warning
    assert session.title[0].value == TITLES[page]


def test_a_link_opens_what_it_says():
    session = opened(
        "step/page.py", word="emotion", seed="3", budget="7", method="beam", pos="4", node="emot", edits="f2:=a"
    )
    assert not session.exception
    assert not session.warning
    shown = session.session_state["step.value"]
    assert shown == WordQuestion(
        Subject(text="emotion", seed=3),
        (MethodChoice("beam", 7),),
        edits=(Edit("forbid", 2, "a"),),
        position=4,
        node="emot",
    )
    assert session.session_state["step.opening"] == (4, "emot", "settle")
    assert session.number_input(key="step.budget.0").value == 7
    assert session.text_input(key="step.text.pen").value == "emotion"


def test_step_and_compare_offer_every_method():
    for kind, method in BUILDERS.items():
        session = opened("step/page.py", word="act", method=kind)
        assert not session.exception and not session.error and not session.warning
        box = session.selectbox(key="step.kind.0")
        assert (box.value, box.options) == (kind, [one.heading for one in BUILDERS.values()])
        assert len([widget for widget in session.number_input if widget.label == "Budget"]) == method.has_budget
        session = opened("compare/page.py", word="act", runs=f"exact,{MethodChoice(kind)}" if kind != "exact" else kind)
        assert not session.exception and not session.error and not session.warning


@pytest.mark.parametrize("budget", ["0", "-3", "nan", "1e3", "", "ten", str(MAX_BUDGET + 1), "9" * 400])
def test_invalid_budgets_are_refused(budget):
    session = opened("step/page.py", budget=budget)
    assert not session.exception
    assert "whole number from 1 to 5,000" in session.warning[0].value
    assert session.session_state["step.value"].methods == (MethodChoice("rcms", 10),)


@pytest.mark.parametrize(
    "edits",
    ["x1:a", "p:a", "p0:a", "p3:", "b2:0", "b2:many", "b2:00000000199999", "p99999999:a", ",".join(["p1:a"] * 50)],
)
def test_edits_that_cannot_be_read(edits):
    session = opened("step/page.py", edits=edits)
    assert not session.exception
    assert "edits" in session.warning[0].value
    assert session.session_state["step.value"].edits == ()


@pytest.mark.parametrize("edits", ["p2:=ä", "p30:=a", "p2:abc", "f9:ab", "b30:5"])
def test_edits_that_do_not_fit_the_word_can_be_undone(edits):
    session = opened("step/page.py", edits=edits)
    assert not session.exception
    assert len(session.error) == 1
    session.button(key="step.undo").click().run()
    assert not session.error
    assert "edits" not in link_of(session)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("naïve", "'ï'"),
        ("two words", "a to z"),
        ("x2", "'2'"),
        ("a" * 201, "the limit here is 200"),
        ("   ", "no word"),
    ],
)
def test_words_that_the_pen_cannot_write(word, said):
    session = opened("step/page.py")
    session.text_input(key="step.text.pen").set_value(word).run()
    assert not session.exception
    assert said in texts(session.error)
    session.text_input(key="step.text.pen").set_value("again").run()
    assert not session.error


def test_two_hundred_letters_work():
    session = opened("step/page.py", word="presentation" * 16 + "letterly", budget="3", pos="200")
    assert not session.exception
    assert not session.error
    assert session.session_state["step.opening"] == (200, None, "settle")


def test_exact_on_two_hundred_letters_says_the_limit():
    session = opened("step/page.py", word="a" * 200, method="exact")
    assert not session.exception
    assert "limit" in texts(session.error)
    assert "use rcms or beam" in texts(session.error)


def test_a_position_behind_the_end_is_the_last():
    session = opened("step/page.py", word="act", pos="77")
    assert not session.exception
    assert "last one" in texts(session.caption)


def test_a_link_keeps_its_phase_as_long_as_the_position_stays():
    session = opened("step/page.py", word="act", pos="2", phase="cut.35")
    assert not session.exception and not session.warning
    assert session.session_state["step.opening"] == (2, None, "cut.35")
    session.run()
    assert (link_of(session)["pos"], link_of(session)["phase"]) == ("2", "cut.35")
    session.session_state["step.value"] = session.session_state["step.value"].at(3)
    session.run()
    assert link_of(session)["pos"] == "3" and "phase" not in link_of(session)


def test_a_step_changes_nothing_that_the_player_is_sent():
    """Streamlit then sends a reference to the message, which the browser has."""
    session = opened("step/page.py", word="act", pos="1")
    before = session.get("bidi_component")[0].proto
    session.session_state["step.value"] = session.session_state["step.value"].at(3, "*ac")
    session.run()
    assert link_of(session)["pos"] == "3"
    after = session.get("bidi_component")[0].proto
    assert before.component_name == "rcmviz.word" and after == before


def test_widgets_move_the_link():
    session = opened("step/page.py", word="emotion")
    session.number_input(key="step.budget.0").set_value(12).run()
    session.selectbox(key="step.kind.0").set_value("repaired").run()
    assert link_of(session) == {
        "src": "pen",
        "word": "emotion",
        "seed": "14",
        "method": "repaired",
        "budget": "12",
        "pos": "1",
    }


def test_budget_sliders_are_linked_or_free():
    session = opened("compare/page.py", word="emotion", runs="beam:7,rcms:7")
    slider = session.select_slider(key="compare.budget.0")
    assert slider.value == 7, "a budget between two steps is a step of its own"
    slider.set_value(50).run()
    assert link_of(session)["runs"] == "beam:50,rcms:50"
    session.toggle(key="compare.linked").set_value(False).run()
    session.select_slider(key="compare.budget.1").set_value(200).run()
    assert link_of(session)["runs"] == "beam:50,rcms:200"
    assert not session.exception


def test_a_page_remembers_and_the_next_page_has_the_word():
    session = opened("step/page.py", word="emotion", seed="5", budget="12")
    session.query_params.clear()  # as the browser does on the way to another page
    switch_page(session, "compare/page.py").run()
    assert session.session_state["compare.value"].subject == Subject(text="emotion", seed=5)
    session.query_params.clear()
    switch_page(session, "step/page.py").run()
    assert session.session_state["step.value"].methods == (MethodChoice("rcms", 12),)
    assert session.number_input(key="step.budget.0").value == 12


def test_sessions_do_not_see_each_other():
    mine, yours = opened("step/page.py", word="mine"), opened("step/page.py", word="yours", edits="f1:=a")
    mine.number_input(key="step.budget.0").set_value(3).run()
    yours.run()
    assert mine.session_state["step.value"].edits == ()
    assert yours.session_state["step.value"].subject.text == "yours"
    assert yours.session_state["step.value"].methods == (MethodChoice("rcms", 10),)
    assert mine.session_state["step.value"].methods == (MethodChoice("rcms", 3),)


def test_what_if_moves_a_posterior_and_undo_restores_it():
    session = opened("step/page.py", word="exactly", seed="14")
    view = session.session_state["step.value"]
    before = runs.word_payload(view.subject, view.methods, view.options, view.edits)["player"]
    open_tab(session, "step", "What if")
    session.selectbox(key="step.edit.kind").set_value("forbid a label")
    session.number_input(key="step.edit.position").set_value(2)
    session.text_input(key="step.edit.what").set_value("x")
    session.button[[b.label for b in session.button].index("Try it")].click().run()
    assert link_of(session)["edits"] == "f2:=x"
    changed = session.session_state["step.value"]
    after = runs.word_payload(changed.subject, changed.methods, changed.options, changed.edits)["player"]
    x = after["labels"].index("x")
    now, was = next(entry[1:] for entry in after["runs"][0]["label"][1] if entry[0] == x)
    assert now == 0 < 0.5 < was
    assert after["runs"][0]["path"]["labels"][1] != x
    assert before["runs"][0]["path"]["labels"][1] == x
    session.button(key="step.undo").click().run()
    view = session.session_state["step.value"]
    assert runs.word_payload(view.subject, view.methods, view.options, view.edits)["player"] == before


def test_edits_that_a_method_cannot_follow_are_named():
    session = opened("compare/page.py", word="cat", runs="exact,beam:5,rcms:5", edits="p2:a", details="0")
    assert not session.exception
    assert not session.error
    (warning,) = [warning.value for warning in session.warning]
    assert warning.startswith("Exact and Beam 5 cannot follow")


def test_a_run_that_is_too_large_for_the_picture_is_named():
    session = opened("compare/page.py", word="incomprehensibilities", runs="exact,rcms:5", details="0")
    assert not session.exception
    (warning,) = [warning.value for warning in session.warning]
    assert warning.startswith("Exact has more than 500,000 arcs, too many for the picture")
    of_lesson_1 = opened("step/page.py", word="king", seed="35", method="exact", details="0")
    assert not of_lesson_1.exception and not of_lesson_1.warning


def test_what_the_ask_box_says():
    session = open_tab(opened("step/page.py", word="exactly", seed="14"), "step", "Ask")
    session.text_input(key="step.pattern").set_value("*ly").run()
    lattice = runs.finished_run(Subject(), MethodChoice(), Options(), ()).lattice
    assert session.metric[0].value == f"{rv.mass(lattice, '*ly'):.4g}"
    session.text_input(key="step.pattern").set_value("a%").run()
    assert "'%' is neither a label" in texts(session.warning)


def test_a_tab_that_is_not_open_shows_nothing_and_forgets_nothing():
    session = opened("step/page.py", word="exactly", seed="14")
    assert len(session.dataframe) == 1 and not session.code
    open_tab(session, "step", "Ask").text_input(key="step.pattern").set_value("*ly").run()
    open_tab(session, "step", "What if").text_input(key="step.edit.what").set_value("no label")
    session.button[[b.label for b in session.button].index("Try it")].click().run()
    assert len(open_tab(session, "step", "Save and share").code) == 1 and not session.dataframe
    assert open_tab(session, "step", "Ask").text_input(key="step.pattern").value == "*ly"
    assert open_tab(session, "step", "What if").text_input(key="step.edit.what").value == "no label"


def test_no_real_words_is_a_hint(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "cache_dir", lambda: tmp_path)
    monkeypatch.delenv("RCMVIZ_DATA", raising=False)
    words.kassel_words.cache_clear()
    session = opened("step/page.py", src="kassel", word="12")
    assert not session.exception
    assert "rcmviz data get ocr" in texts(session.info)


def test_drawings_in_links():
    images = encode_images(write_word("on", seed=1).images)
    session = opened("step/page.py", src="drawn", word=images)
    assert not session.exception
    assert not session.error
    assert "nothing is drawn yet" in texts(opened("step/page.py", src="drawn").info).lower()
    assert "cut short" in texts(opened("step/page.py", src="drawn", word=images[:-3]).error)
    assert "hexadecimal" in texts(opened("step/page.py", src="drawn", word="zz").error)


LETTERS = "abcdefghijklmnopqrstuvwxyz"
BAD_PROBLEMS = [("", "empty"), ("{", "line 1"), ('{"labels": ["a"]}', "emit"), ("a,b\n1,nan\n", "line 2")]


@pytest.mark.parametrize(("text", "said"), BAD_PROBLEMS)
def test_invalid_pasted_problems_are_refused(text, said):
    session = opened("your_example/page.py")
    session.text_area(key="your_example.pasted").set_value(text)
    session.button[[b.label for b in session.button].index("Use this")].click().run()
    assert not session.exception
    assert said in texts(session.error)


def test_a_pasted_problem_is_shown():
    session = opened("your_example/page.py")
    session.text_area(key="your_example.pasted").set_value(sample_text().replace("an echo of two", "mine"))
    session.button[[b.label for b in session.button].index("Use this")].click().run()
    assert not session.error
    shown = session.session_state["your_example.value"].subject
    assert runs.problem_of(shown).name == "mine"
    assert link_of(session)["problem"] == shown.text


@pytest.mark.parametrize(("text", "labels"), [("b,a,gold\n0,-1,b\n-inf,0,a\n", "ba"), (None, LETTERS)])
def test_a_csv_brings_its_labels_or_those_of_the_model(text, labels):
    text = text or ",".join(LETTERS) + "\n" + ",".join("0" * len(LETTERS)) + "\n"
    problem, _ = runs.compatible_problem(text.encode(), "pasted text", "handwriting-pen")
    assert "".join(problem.model.labels) == labels
    assert (problem.model_name == "handwriting-pen") == (labels == LETTERS)


@pytest.mark.parametrize("packed", ["", "x", "AAAA", packed_sample()[:-5], "ö"])
def test_damaged_problems_in_links(packed):
    session = opened("your_example/page.py", problem=packed)
    assert not session.exception


def test_the_sample_shows_what_it_is_for():
    subject = Subject("problem", packed_sample())
    gold = "".join(SAMPLE["gold"])
    found = {
        kind: rv.viterbi(runs.finished_run(subject, MethodChoice(kind, 2), Options(), ()).lattice)
        for kind in ("beam", "rcms")
    }
    assert "".join(found["rcms"].labels) == gold
    assert "".join(found["beam"].labels) != gold
    assert found["beam"].log_prob > np.log(0.5)


def test_the_examples_of_the_home_page_are_what_they_say():
    sure, memory, saved = (example.settings for example in EXAMPLES)
    for settings_, least in ((sure, 0.8), (saved, 0.95)):
        lattices = [runs.finished_run(settings_.subject, method, Options(), ()).lattice for method in settings_.methods]
        beam, rcms = map(rv.viterbi, lattices)
        assert "".join(rcms.labels) == settings_.subject.text
        assert "".join(beam.labels) != settings_.subject.text
        assert np.exp(beam.log_prob) > least
        exact = runs.finished_run(settings_.subject, MethodChoice("exact"), Options(), ()).lattice
        assert rv.viterbi(exact).labels == rcms.labels
    assert lattices[1].length[lattices[1].target[0, lattices[1].labels.index("k")]] == 0  # the root carries the gold
    lattice = runs.finished_run(memory.subject, memory.methods[0], Options(), ()).lattice
    remembered = rv.posterior(lattice).context @ lattice.length / (lattice.T - 1)
    assert remembered > 0.9 * np.mean(range(1, lattice.T))


@pytest.mark.skipif(registry.find("ocr") is None, reason="Kassel's words are not on this machine")
def test_the_real_example_is_what_it_says():
    example = real_example()
    beam, rcms = (
        rv.viterbi(runs.finished_run(example.settings.subject, method, Options(), ()).lattice)
        for method in example.settings.methods
    )
    written = runs.word_of(example.settings.subject).letters
    assert f"“{''.join(beam.labels)}”" in example.description
    assert np.exp(beam.log_prob) > 0.995
    assert "".join(rcms.labels) == written
    assert f"“{written}”" in example.description


@pytest.mark.parametrize(
    "view",
    [
        WordQuestion(),
        WordQuestion(Subject(text="emotion", seed=3), (MethodChoice("exact"),)),
        WordQuestion(Subject(text="act", seed=3), (MethodChoice("repaired", 5),), options=Options(2, True, -1.0)),
        WordQuestion(Subject("drawn", encode_images(write_word("on", seed=1).images)), (MethodChoice("beam", 5),)),
        WordQuestion(Subject(), (MethodChoice("rcms", 5),), edits=read_edits("p3:ac,f1:=a,b2:3")),
    ],
    ids=["rcms", "exact", "repaired", "drawn", "edits"],
)
def test_the_code_shown_gives_what_is_shown(view):
    code = reproducing_code(view.subject, view.methods, view.options, view.edits)
    namespace = {}
    exec(compile(code, "shown", "exec"), namespace)
    here = runs.finished_run(view.subject, view.methods[0], view.options, view.edits)
    assert rv.log_z(namespace["lattice"]) == rv.log_z(here.lattice)


LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3).filter(
    lambda label: label not in "*^"
)
CONTEXTS = st.lists(LABELS, min_size=1, max_size=4).map(tuple)
WHOM = st.sampled_from([None, None, 1, 2, 3])
EDITS = st.one_of(
    st.builds(Edit, st.sampled_from(["pin", "forbid"]), st.integers(1, 9_999), st.one_of(LABELS, CONTEXTS), WHOM),
    st.builds(Edit, st.just("budget"), st.integers(1, 9_999), st.integers(1, MAX_BUDGET), WHOM),
)


@given(st.lists(EDITS, max_size=5).map(tuple))
def test_edits_come_back_from_their_text(edits):
    assert read_edits(write_edits(edits)) == edits


VIEWS = st.builds(
    WordQuestion,
    subject=st.builds(
        Subject,
        st.just("pen"),
        st.text("abcxyz", min_size=1, max_size=8),
        st.integers(0, 999),
        st.sampled_from([0.0, 0.005, 0.125]),
        st.sampled_from(["handwriting-pen", "handwriting-kassel"]),
    ),
    methods=st.tuples(
        st.builds(MethodChoice, st.sampled_from(["rcms", "beam", "repaired"]), st.integers(1, MAX_BUDGET))
    ),
    options=st.builds(Options, st.integers(1, 10), st.booleans(), st.sampled_from([-2.0, 0.0, 1.5])),
    edits=st.lists(EDITS, max_size=3).map(tuple),
    position=st.integers(1, 2_000),
    node=st.one_of(st.none(), st.text("ab*", min_size=1, max_size=5)),
)


@given(VIEWS)
@settings(max_examples=200)
def test_views_come_back_from_their_links(view):
    assert WordQuestion.read(view.write()) == (view, None, [])
    compared = replace(view, methods=(view.methods[0], MethodChoice("exact")), compares=True)
    default = WordQuestion(methods=(MethodChoice(), MethodChoice("beam")), compares=True)
    assert WordQuestion.read(compared.write(), default) == (compared, None, [])


@pytest.mark.parametrize(
    "text", ["", "magic:3", "rcms", "rcms:0", "rcms:x", "rcms:2,rcms:2", "rcms:1,rcms:2,rcms:3,rcms:4"]
)
def test_lists_of_methods_that_cannot_be_read(text):
    with pytest.raises(ValueError, match="method|budget"):
        parse_methods(text)
    if text == "rcms:2,rcms:2":  # pages that compare show a method twice
        assert parse_runs(text) == (MethodChoice("rcms", 2),) * 2
    else:
        with pytest.raises(ValueError, match="method|budget"):
            parse_runs(text)


def test_an_edit_holds_for_all_methods_or_for_one():
    edits = read_edits("p3:ac,2f1:=a,3b2:3")
    assert [edit.of for edit in edits] == [None, 2, 3]
    assert write_edits(edits_of_method(edits, 2)) == "p3:ac,f1:=a"
    assert write_edits(edits_of_method(edits, 1)) == "p3:ac"
    assert write_edits(renumber_edits(edits, [1, 3])) == "p3:ac,2b2:3", "the second method was removed"
    assert add_edit(edits, Edit("budget", 2, 9)) == (*edits, Edit("budget", 2, 9)), "for all and for one"
    assert add_edit(edits, Edit("budget", 2, 9, 3))[-1] == Edit("budget", 2, 9, 3)
    assert len(add_edit(edits, Edit("budget", 2, 9, 3))) == 3
    for text in ("0p3:ac", "4p3:ac", "22p3:ac", "2"):
        with pytest.raises(ValueError, match="an edit"):
            read_edits(text)


def test_what_if_for_one_method_moves_that_one_alone():
    session = opened("compare/page.py", word="exactly", runs="rcms:5,rcms:5", edits="2f2:=x")
    assert not session.exception
    view = session.session_state["compare.value"]
    sent = runs.word_payload(view.subject, view.methods, view.options, view.edits)["player"]
    before, after = sent["runs"]
    assert [run["name"] for run in sent["runs"]] == ["RCMS 5", "RCMS 5 (2)"]
    assert [run["edits"] for run in sent["runs"]] == [[], ["forbid label “x” at position 2"]]
    x = sent["labels"].index("x")
    assert before["path"]["labels"][1] == x != after["path"]["labels"][1]
    assert all(now == was for row in before["label"] for _, now, was in row)
    assert any(now != was for row in after["label"] for _, now, was in row)
    code = reproducing_code(view.subject, view.methods, view.options, view.edits)
    first, second = (line for line in code.splitlines() if "rv.rcms(" in line)
    assert first.startswith("rcms_5, ")
    assert "forbid" not in first
    assert second.startswith("rcms_5_2, ")
    assert "forbid=[(2, 'x')]" in second
    session.selectbox(key="compare.kind.0").set_value("beam").run()
    assert link_of(session)["edits"] == "2f2:=x"
    session.selectbox(key="compare.kind.1").set_value("none").run()
    assert "edits" not in link_of(session)
    assert link_of(session)["runs"] == "beam:5"


def test_an_edit_of_the_same_thing_replaces_the_old_one():
    pinned, forbidden, budget = Edit("pin", 3, "a"), Edit("forbid", 3, "a"), Edit("budget", 3, 5)
    assert add_edit((pinned, budget), forbidden) == (budget, forbidden)
    assert add_edit((pinned, budget), Edit("budget", 3, 9)) == (pinned, Edit("budget", 3, 9))
    assert add_edit((pinned,), Edit("pin", 3, ("a",))) == (pinned, Edit("pin", 3, ("a",)))


def test_which_edits_a_method_follows():
    edits = read_edits("p3:ac,p2:ac,f1:=a,b2:3")
    assert arguments(edits, "rcms")[1] == []
    assert arguments(edits, "beam")[1] == [edits[0]]
    assert arguments(edits, "exact")[1] == [edits[0], edits[1], edits[3]]


def test_requirements_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")
    ]
    assert listed == sorted([*project["dependencies"], *project["optional-dependencies"]["app"]])
    assert project["version"] == rv.__version__
