"""Your own example without a browser: problems too large for a link, the gallery, budgets, formats."""

import json
import os
import re
import time

import numpy as np
import pytest

import rcmviz as rv
from pages.shell import text_store
from pages.shell.text_store import TextStore
from pages.word import runs
from pages.word.edits import Edit
from pages.word.question import Subject, WordQuestion
from pages.your_example import format_help
from pages.your_example.gallery import GALLERY
from pages.your_example.problems import suggested_budget
from rcmviz.core.inference.verdict import lost_at
from rcmviz.core.methods import MethodChoice
from rcmviz.core.problems.problem_file import parse_content, parse_problem
from support.pages import link_of, open_tab, opened, texts


@pytest.fixture
def keeper(tmp_path, monkeypatch):
    """The store of uploads, in a temporary folder."""
    fresh = TextStore(lambda: tmp_path / "kept")
    monkeypatch.setattr(text_store, "TEXTS", fresh)
    return fresh


def files(keeper):
    return sorted(path.name for path in keeper.folder().iterdir())


def large_problem():
    """Sixty positions and forty labels of forty characters."""
    rng = np.random.default_rng(1)
    labels = [f"label-{y:02d}-{'of a long name ' * 3}"[:40] for y in range(40)]
    return rv.Problem(rv.NgramModel.from_windows(labels, 1, {}), rng.normal(size=(60, 40)))


def test_long_problems_are_stored_under_a_secret_name(keeper):
    text = "x" * (text_store.LONGEST + 1)
    name = text_store.shorten(text)
    assert re.fullmatch(r"only-here\.[\w-]{32}", name)
    assert text_store.shorten(text) == name and text_store.expand(name) == text
    assert text_store.shorten("short") == text_store.expand("short") == "short"
    assert TextStore(keeper.folder).keep(text) != name  # the name does not follow from the text


def test_stored_problems_survive_a_restart_on_this_computer_only(keeper, tmp_path):
    name = keeper.keep("a long text, größer")
    assert TextStore(keeper.folder).find(name) == "a long text, größer"
    assert (keeper.folder() / name).stat().st_mode & 0o077 == 0
    with pytest.raises(ValueError, match="14 days"):
        TextStore(lambda: tmp_path / "elsewhere").find(name)


@pytest.mark.parametrize("name", ["only-here.", "only-here.../../../etc/passwd", "only-here." + "a" * 31 + "/", "x"])
def test_a_name_that_was_never_given_opens_no_file(keeper, name):
    (keeper.folder().parent / "x").write_text("secret")
    with pytest.raises(ValueError, match="computer"):
        keeper.find(name)


def test_the_store_is_bounded_in_number_size_and_age(tmp_path):
    few = TextStore(lambda: tmp_path / "few", most=2)
    names = [few.keep(text) for text in "abc"]
    assert len(files(few)) == 2 and names[2] in files(few)
    assert few.find(names[2]) == "c"
    small = TextStore(lambda: tmp_path / "small", most_bytes=10)
    first, second = small.keep("x" * 8), small.keep("y" * 8)
    assert files(small) == [second]
    with pytest.raises(ValueError):
        small.find(first)
    huge = small.keep("z" * 20)  # the current upload stays, however large
    assert small.find(huge) == "z" * 20 and files(small) == [huge]
    old = tmp_path / "small" / huge
    os.utime(old, (time.time() - 15 * 86_400,) * 2)
    with pytest.raises(ValueError):
        TextStore(small.folder).find(huge)


def test_a_file_that_is_read_is_young_again(keeper):
    name = keeper.keep("text")
    path = keeper.folder() / name
    os.utime(path, (time.time() - 13 * 86_400,) * 2)
    TextStore(keeper.folder).find(name)
    assert time.time() - path.stat().st_mtime < 86_400


def test_where_no_file_can_be_written_memory_has_to_do(tmp_path):
    (tmp_path / "file").write_text("in the way")
    keeper = TextStore(lambda: tmp_path / "file" / "kept")
    assert keeper.find(keeper.keep("text")) == "text"


def test_a_large_problem_is_never_in_the_link(keeper):
    subject = Subject("problem", runs.pack_problem(large_problem().to_json()))
    query = WordQuestion(subject, compares=True).write()
    assert text_store.is_stored_name(query["problem"]) and len(query["problem"]) < 50
    session = opened("your_example/page.py", **query)
    assert not session.exception and not session.error and not session.warning
    assert "only on this computer, for 14 days" in texts(session.caption)
    assert session.text_area(key="your_example.pasted").value == ""
    assert link_of(session)["problem"] == query["problem"]
    np.testing.assert_array_equal(runs.problem_of(subject).log_emit, large_problem().log_emit)


def test_a_text_typed_without_end_does_not_make_a_link_that_no_server_reads():
    assert len(WordQuestion(Subject(text="a" * 200_000)).write()["word"]) == text_store.LONGEST


def test_an_old_link_with_a_large_problem_becomes_a_short_one(keeper, monkeypatch):
    text = large_problem().to_json()
    with monkeypatch.context() as long_ago:
        long_ago.setattr(text_store, "LONGEST", 10**7)
        packed = runs.pack_problem(text)
    assert len(packed) > text_store.LONGEST
    settings, _, notices = WordQuestion.read({"problem": packed, "pos": "7"})
    assert notices == [] and settings.position == 7
    assert len(settings.write()["problem"]) < 50
    assert runs.problem_of(settings.subject).T == 60


def test_a_link_from_another_computer_says_what_to_ask_for(keeper):
    session = opened("your_example/page.py", problem="only-here." + "A" * 32)
    assert not session.exception
    assert "Save and share writes it" in texts(session.error)


def test_many_edits_with_long_names_are_kept_too(keeper):
    label = "a label of forty characters, more or less"
    edits = tuple(Edit("pin", 30, (label,) * (20 + k)) for k in range(10))
    settings = WordQuestion(Subject("problem", "x"), edits=edits, node=" ".join([label] * 30))
    query = settings.write()
    assert sum(map(len, query.values())) < 400 and "node" not in query
    assert WordQuestion.read(query)[0].edits == edits
    _, _, notices = WordQuestion.read({"edits": "only-here." + "A" * 32})
    assert len(notices) == 1 and "kept only on the computer" in notices[0]


@pytest.mark.parametrize("prepared", GALLERY, ids=lambda prepared: prepared.name)
def test_each_problem_of_the_gallery_shows_its_point(prepared):
    problem = parse_problem(prepared.text)
    found = {method: problem.run(method, prepared.budget)[0] for method in ("exact", "beam", "rcms")}
    best = {method: rv.viterbi(lattice) for method, lattice in found.items()}
    lost = lost_at(found["beam"], problem.gold)
    assert best["exact"].labels == problem.gold
    assert best["beam"].labels != problem.gold and best["beam"].log_prob > np.log(0.5)
    assert best["rcms"].labels == problem.gold or best["rcms"].log_prob < np.log(0.2)
    assert prepared.settings.position == lost
    assert len(prepared.settings.write()["problem"]) < 1_500  # its link is a link
    assert set(problem.notes) == set() or lost in problem.notes or problem.name == "a bearing"


def test_the_gallery_opens_at_its_point():
    session = opened("your_example/page.py")
    session.button(key="your_example.gallery.3").click().run()
    assert not session.exception and not session.error
    prepared = GALLERY[3]
    assert session.session_state["your_example.value"] == prepared.settings
    assert session.session_state["your_example.opening"][:2] == (prepared.position, None)
    assert session.text_area(key="your_example.pasted").value == prepared.text
    assert link_of(session)["pos"] == str(prepared.position)
    assert "Lincoln Park Bank" in texts(session.markdown)


def test_a_beam_that_lost_every_output_does_not_end_the_comparison():
    text = """{"labels": ["a", "b"], "transitions": [[null, null], [0, 0]], "start": [5, 0],
               "log_emit": [[0, 0], [0, 0]], "gold": ["b", "a"]}"""
    link = {"problem": runs.pack_problem(text), "runs": "beam:1,rcms:2,exact", "edits": "3p2:=b"}
    session = opened("your_example/page.py", **link)
    assert not session.exception and not session.error, texts(session.error)
    assert "Beam 1 lost every output" in texts(session.warning)
    payload = json.loads(session.get("bidi_component")[0].proto.bytes)
    assert [run["name"] for run in payload["runs"]] == ["RCMS 2", "Exact"]
    open_tab(session, "your_example", "What if")
    session.text_input(key="your_example.edit.what").set_value("a")
    session.selectbox(key="your_example.edit.of").set_value(2)
    session.button[[button.label for button in session.button].index("Try it")].click().run()
    assert [edit.of for edit in session.session_state["your_example.value"].edits][-1] == 3  # exact, of all


def test_another_alphabet_begins_with_the_suggested_budget_and_the_same_one_keeps_its_own():
    session = opened("your_example/page.py", runs="beam:7,rcms:7,exact")
    text = (
        '{"labels": ["p", "q", "r", "s"], "order": 1, "log_emit": [[0, 1, 2, 3], [0, 0, 0, 0]], "tokens": ["u", "v"]}'
    )
    use = [button.label for button in session.button].index("Use this")
    session.text_area(key="your_example.pasted").set_value(text)
    session.button[use].click().run()
    methods = session.session_state["your_example.value"].methods
    assert methods == (MethodChoice("beam", 4), MethodChoice("rcms", 4), MethodChoice("exact"))
    session.select_slider(key="your_example.budget.0").set_value(2).run()
    session.text_area(key="your_example.pasted").set_value(text.replace("[0, 1, 2, 3]", "[3, 1, 2, 3]"))
    session.button[use].click().run()
    assert session.session_state["your_example.value"].methods[0].budget == 2
    session.button(key="your_example.suggested").click().run()
    assert session.session_state["your_example.value"].methods[1] == MethodChoice("rcms", 4)
    assert link_of(session)["runs"] == "beam:4,rcms:4,exact"


@pytest.mark.parametrize(("count", "budget"), [(1, 2), (3, 3), (40, 40), (500, 100)])
def test_the_budget_that_labels_suggest(count, budget):
    labels = [str(y) for y in range(count)]
    problem = rv.Problem(rv.NgramModel.from_windows(labels, 1, {}), np.zeros((1, count)))
    assert suggested_budget(problem) == budget


def test_the_examples_of_the_format_help_can_be_read():
    assert parse_problem(format_help.JSON).tokens == ("1012", "1004", "987")
    problem = parse_content(format_help.CSV.encode(), "x.csv", transitions=("t.csv", format_help.TABLE.encode()))
    assert problem.tokens == ("1012", "1004") and problem.model.weights.any()


def test_a_notice_on_a_link_stays_until_the_view_changes():
    session = opened("step/page.py", seed="-1", word="act")
    assert "seed" in texts(session.warning)
    session.run()  # as background work does
    assert "seed" in texts(session.warning)
    session.number_input(key="step.budget.0").set_value(3).run()
    assert not session.warning
