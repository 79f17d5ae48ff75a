"""The command `search`: what it prints, as text and as JSON, and each mistake."""

import json
from pathlib import Path

import pytest

from rcmviz.search import engine
from support.commands import run

ROADS = '{"start": "a", "goals": ["c"], "steps": {"a": {"b": -1, "c": -4}, "b": {"c": -1}}, "rest": {"a": -2, "b": -1}}'


@pytest.fixture(autouse=True)
def roads(tmp_path, monkeypatch):
    """A folder with a user's search problem."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roads.json").write_text(ROADS)
    (tmp_path / "blank.txt").write_text("\n \n")
    (tmp_path / "odd.txt").write_text("word\nnaïve\n", encoding="utf-8")


def test_a_word_is_searched_and_proved():
    text = run("search", "--text", "creation", "--rows", 6)
    assert "found  creation" in text and "nothing was dropped" in text and "more" in text
    document = json.loads(run("search", "--text", "creation", "--bound-order", 3, "--json"))
    assert document["proved"] and document["pops"] == 9 and document["answers"][0]["steps"] == list("creation")
    assert len(document["trace"]["pops"]) == 9 and document["trace"]["settings"]["queue"] is None


def test_a_queue_of_one_is_greedy_and_says_what_it_lost():
    text = run("search", "--text", "exactly", "--queue", 1, "--bound-order", 0)
    assert "queue of 1" in text and "dropped from the full queue, and another answer may be better by at most" in text


def test_a_users_search_problem():
    assert "found  bc   score -2.000  proved" in run("search", "roads.json")
    text = run("search", "roads.json", "--method", "bestfirst", "--k", 2, "--recombine")
    assert "found  bc" in text and "found  c " in text


def test_keys_are_searched():
    text = run("search", "--keypad", "843 364", "--candidates", 30, "--rows", 0)
    assert "found  the dog </s>" in text and "proved after" in text


def test_an_endless_search_is_stopped():
    assert "stopped after 3 pops without a complete hypothesis" in run("search", "--text", "creation", "--pops", 3)


def test_many_are_searched_line_by_line():
    Path("words.txt").write_text("creation\n\nJustice\n843 364\n")
    text = run("search", "--file", "words.txt")
    assert "3 lines, 2 of 2 right, 3 proved" in text and "justice" in text
    document = json.loads(run("search", "--file", "words.txt", "--method", "bestfirst", "--queue", 3, "--json"))
    assert [one["line"] for one in document["searches"]] == [1, 3, 4]
    assert [one["right"] for one in document["searches"]] == [True, False, None]
    alone = json.loads(run("search", "--text", "justice", "--method", "bestfirst", "--queue", 3, "--json"))
    assert document["searches"][1]["answers"] == alone["answers"]


def test_ctrl_c_keeps_finished_searches(monkeypatch):
    Path("words.txt").write_text("creation\n" * 4)
    search_best, searched = engine.search_best, []

    def interrupted(*arguments, **options):
        searched.append(1)
        if len(searched) == 3:
            raise KeyboardInterrupt
        return search_best(*arguments, **options)

    monkeypatch.setattr(engine, "search_best", interrupted)
    document = json.loads(run("search", "--file", "words.txt", "--json"))
    assert document["of"] == 4 and [one["found"] for one in document["searches"]] == ["creation"] * 2


MISTAKES = {
    "queue": (["--text", "ha", "--queue", "0"], "queue 0: how many hypotheses may wait, 1 or more"),
    "bound": (["roads.json", "--bound-order", "1"], "a search of your own brings its bound as rest"),
    "both": (["roads.json", "--keypad", "3"], "--keypad and an example are two inputs"),
    "best-first": (["--text", "ha", "--method", "bestfirst", "--bound-order", "1"], "--bound-order is for astar"),
    "too much": (["--text", "ha", "--bound-order", "4"], "bound_order 4"),
    "no file": (["nowhere.json"], "nowhere.json"),
    "no lines": (["--file", "blank.txt"], "blank.txt: there is nothing to search; write a word"),
    "bad line": (["--file", "odd.txt"], "odd.txt, line 2: the pen writes the letters a to z only, not 'ï'"),
    "a file and a word": (["--file", "odd.txt", "--text", "ha"], "--file odd.txt and an example are two inputs"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    arguments, message = MISTAKES[name]
    assert message in run("search", *arguments, code=2)
