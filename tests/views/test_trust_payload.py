"""The bounds of the panel "log Z between two proofs" hold on every problem, also with what-if edits of labels."""

import json

from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import chain
from problems.chain import log_emit_of, model_of, problems, problems_of
from rcmviz.core.methods import BUILDERS, ESTIMATED, LOWER_BOUND, OF_ANOTHER_MODEL, TRUE_LOG_Z
from rcmviz.views.word.trust import trust_part

KINDS = {LOWER_BOUND: "lower", TRUE_LOG_Z: "true", ESTIMATED: "estimate", OF_ANOTHER_MODEL: "other"}


def near(value):
    return 1e-5 * (1 + abs(value))  # six digits are sent


@problems_of(60)
@given(problems(max_length=5), st.sampled_from([1, 2, 10]), st.sampled_from(sorted(BUILDERS)))
def test_bounds_hold_and_every_run_is_at_its_log_z(problem, budget, kind):
    asked = {"pin": [(1, problem.labels[0])], "forbid": [(problem.T, problem.labels[-1])]}
    z = chain.every_history(problem.edited(**asked)).z
    model, log_emit = model_of(problem), log_emit_of(problem)
    if z == 0:
        assert trust_part(model, log_emit, [], budget, **asked) is None
        return
    lattice, _ = rv.Problem(model, log_emit).run(kind, budget, **asked)
    part, truth = trust_part(model, log_emit, [("run", lattice, kind)], budget, **asked), chain.log(z)
    json.dumps(part, allow_nan=False)
    assert part["lower"] <= truth + near(truth) and part["upper"] >= truth - near(truth)
    (own,) = [row for row in part["rows"] if row["run"] == 0]
    assert own["kind"] == KINDS[BUILDERS[kind].log_z]
    log_z = rv.log_z(lattice)
    assert own["at"] is None if log_z == -float("inf") else abs(own["at"] - log_z) <= near(log_z)
    for row in part["rows"]:
        if row["kind"] == "true":
            assert abs(row["at"] - truth) <= near(truth)
        if row["kind"] == "lower" and row["at"] is not None:
            assert row["at"] <= truth + near(truth)
    assert [row["kind"] for row in part["rows"]].count("true") == 1
    (drawn,) = [row for row in part["rows"] if row["name"] == "1,000 weighted draws"]
    assert (drawn["interval"] is None) == bool(part["why"])


def test_a_shown_method_is_not_compared_with_itself():
    model, emit = rv.NgramModel.from_windows("ab", 2, {("a", "b", "b"): 1.0}), [[0.1, 0.0]] * 5
    shown = [("Beam 3", rv.beam(model, emit, 3)[0], "beam"), ("RCMS 3", rv.rcms(model, emit, 3)[0], "rcms")]
    part = trust_part(model, emit, shown, 3)
    names = [row["name"] for row in part["rows"]]
    assert names == ["Bound of 300 contexts", "1,000 weighted draws", "Exact", "Beam 3", "RCMS 3"]
    other = [row["name"] for row in trust_part(model, emit, shown[:1], 4)["rows"]]
    assert other[3:] == ["Beam 3", "Beam 4", "RCMS 4"]
