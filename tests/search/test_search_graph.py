"""Search problems from a file: paths through places compared with all simple paths."""

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.search.graph import GraphSearch, read_graph

ROADS = {
    "start": "a",
    "goals": ["d"],
    "steps": {"a": {"b": -1, "c": -4}, "b": {"a": -1, "d": -5}, "c": {"d": -1}},
    "rest": {"a": -5, "b": -4, "c": -1},
}


def best_way(steps, place, goals, passed=()):
    """The highest total from a place to a goal, by all ways that pass no place twice; costs only."""
    if place in goals:
        return 0.0
    ways = [
        gain + best_way(steps, there, goals, (*passed, place))
        for there, gain in steps.get(place, {}).items()
        if there not in (*passed, place)
    ]
    return max(ways, default=-math.inf)


@problems_of(150)
@given(st.integers(0, 10**9), st.booleans(), st.booleans())
def test_the_best_way_is_found_and_proved(seed, bounded, recombine):
    rng = random.Random(seed)
    places = "abcdef"[: rng.randint(2, 6)]
    steps = {one: {two: -rng.randint(0, 4) for two in places if rng.random() < 0.5} for one in places}
    best = best_way(steps, "a", places[-1])
    if best == -math.inf:
        return
    truth = {place: best_way(steps, place, places[-1]) for place in places}
    slack = rng.random()  # a share of the remaining distance is a bound, and never rises
    rest = {place: value * slack for place, value in truth.items() if value > -math.inf} if bounded else None
    ahead = {one: {two: steps[one][two] for two in steps[one] if truth[two] > -math.inf} for one in places}
    found = rv.search_best(GraphSearch("a", [places[-1]], ahead, rest), recombine=recombine)
    assert found.best.score == pytest.approx(best) and found.proved


def test_a_file_is_read(tmp_path):
    file = tmp_path / "roads.json"
    file.write_text(json.dumps(ROADS))
    found = rv.search_best(read_graph(file))
    assert found.best.steps == ("c", "d") and found.proved and found.pops == 4
    file.write_text('{"labels": ["a"]}')
    assert read_graph(file) is None


def test_a_bound_that_rises_is_no_proof():
    found = rv.search_best(GraphSearch(**ROADS | {"rest": {"a": -9, "b": 0.0, "c": -1}}))
    assert not found.proved and "may rise" in found.why


def test_detours_that_pay_are_not_joined():
    problem = GraphSearch("a", ["d"], {"a": {"b": 1, "c": 2}, "b": {"c": 5}, "c": {"b": 1, "d": 0}})
    assert rv.search_best(problem, k=2).answers[-1].steps in (("c", "d"), ("b", "c", "d"))
    with pytest.raises(ValueError, match="recombine: .*context"):
        rv.search_best(problem, recombine=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goals": []}, "goals: name at least one place"),
        ({"start": 3}, "start: 3 is no place"),
        ({"steps": {"a": {"b": "far"}}}, "steps of 'a', 'b', 'far': a number; costs are written with a minus"),
        ({"steps": {"a": 3}}, "steps of 'a': 3 should be a dict"),
        ({"rest": {"d": -2}}, "rest of 'd', a goal, is -2.0"),
        ({"goal": "d"}, "has the unknown key 'goal'"),
        ({"goals": "d"}, "goals are a list of places"),
    ],
)
def test_files_that_cannot_be(tmp_path, change, message):
    file = tmp_path / "roads.json"
    file.write_text(json.dumps(ROADS | change))
    with pytest.raises(ValueError, match=message):
        read_graph(file)
