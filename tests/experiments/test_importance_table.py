"""`rcmviz reproduce importance`: all methods on the same words, errors compared with exact inference, equal time."""

import json

import pytest

from rcmviz.experiments import importance
from rcmviz.experiments.report import Plan

PLAN = Plan("pen:100", seeds=2, quick=True)


@pytest.fixture(scope="module")
def results():
    """Three words, the quick settings."""
    return [importance.cell(spec | {"words": 3}) for spec in importance.specs(PLAN)]


def test_every_way_is_measured_on_every_word(results):
    ways = {(one["spec"]["method"], bool(one["spec"].get("bound"))) for one in results}
    draws = {(name, bound) for name in ("importance", "SMC") for bound in (False, True)}
    assert ways == {("beam", False), ("recombining beam", False), ("RCMS", False)} | draws
    assert all(len(one["rows"]) == 3 and all(row["ms"] > 0 for row in one["rows"]) for one in results)
    for one in results:
        if one["spec"]["method"] in ("beam", "recombining beam"):
            assert all(row["log_z"] <= 1e-4 for row in one["rows"])  # a lower bound
        if one["spec"].get("bound") == 0:
            assert not any(row["given"] for row in one["rows"])
    best = [one for one in results if one["spec"]["method"] == "recombining beam"][-1]
    assert all(abs(row["log_z"]) < 0.05 and row["posterior"] < 0.05 for row in best["rows"])


def test_the_report_takes_the_dearest_setting_within_a_time(results):
    for k, one in enumerate(results):
        for row in one["rows"]:
            row["ms"] = 1.0 + k
    within = importance._best_within(results, 3.0)
    assert [one["spec"]["budget"] for one in within] == [3_000]
    report = importance.report(PLAN, results)
    assert report.text.count("## Within") == 3 and "All settings" in report.text
    json.dumps(report.document, allow_nan=False)
