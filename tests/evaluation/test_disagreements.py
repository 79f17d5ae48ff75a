"""Tables of disagreements against running both methods on each example."""

import json

import numpy as np
import pytest

import rcmviz as rv
from problems.chain import log_emit_of, model_of, seeded_problem
from rcmviz.evaluation.disagreements import FILTERS, as_records
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import pen_words

METHODS = "beam:1", "rcms:1"
SIDES = {"first": rv.beam, "second": rv.rcms}


def gold_of(problem, seed):
    """The best output of the model, of every third problem one that is none."""
    lattice, _ = rv.exact(model_of(problem), log_emit_of(problem))
    return rv.viterbi(lattice).labels if seed % 3 else (problem.labels[-1],) * problem.T


@pytest.fixture(scope="module")
def problems():
    found = []
    for seed in range(24):
        problem = seeded_problem(seed)
        found.append(rv.Problem(model_of(problem), np.array(log_emit_of(problem)), gold=gold_of(problem, seed)))
    return found


@pytest.fixture(scope="module")
def everything(problems):
    return rv.disagreements(problems, methods=METHODS, show="all", regrets=1_000)


def test_rows_say_what_the_methods_answer(problems, everything):
    assert sorted(everything["number"]) == list(range(len(problems)))
    assert everything["gap"].is_monotonic_decreasing
    assert {"right", "model error", "search error"} == set(everything["first_verdict"])
    for row in as_records(everything):
        problem = problems[row["number"]]
        for side, build in SIDES.items():
            lattice, trace = build(problem.model, problem.log_emit, 1)
            best = rv.viterbi(lattice)
            blame = rv.blame(problem.model, problem.log_emit, lattice, problem.gold)
            assert row[side] == "".join(best.labels)
            assert row[side + "_right"] == (best.labels == problem.gold)
            assert (row[side + "_verdict"], row[side + "_cause"]) == (blame.verdict, blame.cause)
            assert blame.position == row[side + "_position"]
            np.testing.assert_allclose(row[side + "_confidence"], np.exp(best.log_prob))
            regret = rv.regret(problem.model, problem.log_emit, trace)
            np.testing.assert_allclose(row[side + "_regret"], regret.total, atol=1e-9)


def test_filters_list_what_their_sentences_say(problems, everything):
    first, second = (everything[side + "_right"].to_numpy(bool) for side in SIDES)
    expected = {
        "differ": everything["first"] != everything["second"],
        "sure": ~first & second & (everything["first_confidence"] >= 0.9),
        "saved": ~first & second,
        "harmed": first & ~second,
        "first-budget": everything["first_verdict"] == "search error",
        "second-budget": everything["second_verdict"] == "search error",
        "wrong": ~first | ~second,
        "all": first == first,
    }
    assert set(expected) == set(FILTERS)
    for show, rows in expected.items():
        table = rv.disagreements(problems, methods=METHODS, show=show, regrets=0)
        assert table["number"].tolist() == everything["number"][rows].tolist(), show
        assert table["first_regret"].isna().all()
        assert table.attrs["sentence"] == FILTERS[show].said("Beam 1", "RCMS 1")


def test_sequences_are_decoded_in_bulk_and_json_has_no_missing_values():
    model, data = rv.load_model("handwriting-pen"), word_sequences(pen_words(40, seed=3))
    table = rv.disagreements(data, model, ("beam:3", "exact"), regrets=1)
    assert len(table) > 1
    for row in as_records(table):
        lattice, _ = rv.beam(model, data.log_emits(model.emission)[row["number"]], 3)
        assert row["first"] == "".join(rv.viterbi(lattice).labels)
    assert table["first_regret"].notna().tolist() == [True] + [False] * (len(table) - 1)
    assert "NaN" not in json.dumps(as_records(table))


def test_wrong_arguments_are_refused(problems):
    without = [rv.Problem(problem.model, problem.log_emit) for problem in problems[:3]]
    calls = {
        "two": lambda: rv.disagreements(problems, methods=["rcms"]),
        "right labels": lambda: rv.disagreements(without, methods=METHODS, show="sure"),
        "show": lambda: rv.disagreements(problems, show="all of them"),
        "model": lambda: rv.disagreements(problems, problems[0].model),
        "data": lambda: rv.disagreements([1]),
        "methods": lambda: rv.disagreements(problems, methods=(1, 2)),
    }
    for message, call in calls.items():
        with pytest.raises(ValueError, match=message):
            call()
    assert rv.disagreements(without, methods=METHODS)["gold"].isna().all()
