"""The payload of the panel "Whose fault is it?": a run's verdict, scores and strip of budgets."""

import json

import pytest

import rcmviz as rv
from rcmviz.views import Run, build_payload
from rcmviz.views.word.blame import strip_part
from support.toy_runs import model_and_emissions


def judged_run(method, budget, gold, seed=0):
    model, log_emit = model_and_emissions(seed=seed)
    lattice, trace = getattr(rv, method)(model, log_emit, budget)
    return Run(f"{method} {budget}", lattice, trace, rv.blame(model, log_emit, lattice, gold))


@pytest.mark.parametrize("method", ["beam", "rcms"])
def test_the_payload_has_the_verdict_and_its_sum_is_the_margin(method):
    model, log_emit = model_and_emissions()
    for path in rv.kbest(rv.exact(model, log_emit)[0], 6):
        run = judged_run(method, 2, path.labels)
        found = build_payload(None, [run], gold=path.labels)["runs"][0]["blame"]
        assert (found["verdict"], found["position"]) == (run.blame.verdict, run.blame.position)
        assert found["scores"][0] == pytest.approx(path.log_score, rel=1e-5)
        assert sum(found["difference"]) == pytest.approx(found["scores"][0] - found["scores"][1], abs=1e-4)
        if found["ownMargin"] is not None:
            assert sum(found["own"]) == pytest.approx(found["ownMargin"], abs=1e-4)
        json.dumps(found, allow_nan=False)


def test_the_strip_is_no_part_of_what_names_a_payload():
    """A strip that is computed later changes no step, and nothing is drawn again."""
    model, log_emit = model_and_emissions()
    gold = rv.viterbi(rv.exact(model, log_emit)[0]).labels
    run = judged_run("beam", 2, gold)
    strip = strip_part(rv.budget_strip(model, log_emit, gold, "beam"), 2)
    with_it = build_payload(None, [run], gold=gold, strips=[strip])
    without = build_payload(None, [run], gold=gold)
    assert with_it["id"] == without["id"]
    assert without["strips"] is None
    assert with_it["strips"][0]["stretches"][0][0] == 1
    assert with_it["strips"][0]["now"] == 2
    json.dumps(with_it, allow_nan=False)


def test_an_unjudged_run_has_no_verdict():
    model, log_emit = model_and_emissions()
    assert build_payload(None, [Run("x", *rv.beam(model, log_emit, 2))], gold="abcdea")["runs"][0]["blame"] is None
