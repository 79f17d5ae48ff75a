"""The command `search`: what it prints, as text and as JSON, and each mistake."""

import json

import pytest

from support.commands import run

ROADS = '{"start": "a", "goals": ["c"], "steps": {"a": {"b": -1, "c": -4}, "b": {"c": -1}}, "rest": {"a": -2, "b": -1}}'


@pytest.fixture(autouse=True)
def roads(tmp_path, monkeypatch):
    """A folder with a search of one's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roads.json").write_text(ROADS)


def test_a_word_is_searched_and_proved():
    text = run("search", "--text", "creation", "--rows", 6)
    assert "found  creation" in text and "nothing was dropped" in text and "more" in text
    document = json.loads(run("search", "--text", "creation", "--bound-order", 3, "--json"))
    assert document["proved"] and document["pops"] == 9 and document["answers"][0]["steps"] == list("creation")
    assert len(document["trace"]["pops"]) == 9 and document["trace"]["settings"]["queue"] is None


def test_a_queue_of_one_is_greedy_and_says_what_it_lost():
    text = run("search", "--text", "exactly", "--queue", 1, "--bound-order", 0)
    assert "queue of 1" in text and "dropped from the full queue, and another answer may be better by at most" in text


def test_a_search_of_ones_own():
    assert "found  bc   score -2.000  proved" in run("search", "roads.json")
    text = run("search", "roads.json", "--method", "bestfirst", "--k", 2, "--recombine")
    assert "found  bc" in text and "found  c " in text


def test_keys_are_searched():
    text = run("search", "--keypad", "843 364", "--candidates", 30, "--rows", 0)
    assert "found  the dog </s>" in text and "proved after" in text


def test_what_never_ends_is_stopped():
    assert "stopped after 3 pops without a complete hypothesis" in run("search", "--text", "creation", "--pops", 3)


MISTAKES = {
    "queue": (["--text", "ha", "--queue", "0"], "queue 0: how many hypotheses may wait, 1 or more"),
    "bound": (["roads.json", "--bound-order", "1"], "a search of your own brings its bound as rest"),
    "both": (["roads.json", "--keypad", "3"], "--keypad and an example are two inputs"),
    "best-first": (["--text", "ha", "--method", "bestfirst", "--bound-order", "1"], "--bound-order is for astar"),
    "too much": (["--text", "ha", "--bound-order", "4"], "bound_order 4: the labels that a bound can see, from 0 to 3"),
    "no file": (["nowhere.json"], "nowhere.json"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    arguments, message = MISTAKES[name]
    assert message in run("search", *arguments, code=2)
