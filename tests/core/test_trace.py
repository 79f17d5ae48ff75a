"""The trace: tables and sentences say what happened."""

import numpy as np
import pytest

import rcmviz as rv

MODEL = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0})
EMIT = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 0.2]])


def sentences(build, **options):
    lattice, trace = build(MODEL, EMIT, **options)
    rows = trace.candidates(2)
    return {"".join(trace.labels_of(m)): trace.reason(m) for m in range(rows.start, rows.stop)}


def test_kept_merged_and_dropped_say_rank_budget_and_carrier():
    reasons = sentences(rv.rcms, budget=1)
    assert reasons["aa"] == "`aa` is 1st of 4, budget 1, so it keeps its own 0.46"
    assert reasons["ab"] == "`ab` is 2nd of 4, budget 1, so its 0.28 is merged into `*`"
    assert "is dropped" in sentences(rv.beam, budget=1)["ab"]
    assert sentences(rv.exact)["ab"] == "`ab` is 2nd of 4, so it keeps its own 0.28"


@pytest.mark.parametrize("build", [rv.rcms, rv.beam, rv.exact])
def test_a_table_of_the_highest_ranks_is_a_part_of_the_whole(build):
    trace = build(MODEL, EMIT)[1]
    for i in (1, 2):
        whole = trace.table(i)
        for most in range(1, len(whole) + 2):
            part = whole[whole["rank"] <= most].reset_index(drop=True)
            assert trace.table(i, most).to_dict("list") == part.to_dict("list")
    with pytest.raises(ValueError, match="most"):
        trace.table(1, 0)


def test_a_joined_candidate_names_its_twin():
    lattice, trace = rv.exact(MODEL, np.zeros((4, 2)))
    reasons = [trace.reason(m) for m in range(trace.offset[3], trace.offset[4])]
    assert reasons[4] == "`*aa` equals another candidate in its last 2 labels, so its 0.13 joined `*aa`"


def test_pins_and_forbidden_contexts_are_given_as_the_reason():
    pinned = sentences(rv.rcms, budget=1, pin=[(2, ("b",))])
    assert "budget 1, but pinned, so it keeps" in pinned["b"]
    assert "but gives way to one that is pinned, so its 0.46 is merged into `*`" in pinned["aa"]
    forbidden = sentences(rv.rcms, budget=1, forbid=[(2, ("a", "a"))])
    assert forbidden["aa"].startswith("`aa` is 1st of 4, budget 1, but forbidden, so its 0.46 is merged into")
    assert "but moves up for one that is forbidden, so it keeps" in forbidden["ab"]


def test_a_pin_gives_its_prefix_as_pinned_too():
    lattice, trace = rv.rcms(MODEL, EMIT, budget=1, pin=[(2, ("b", "b"))])
    assert "but pinned" in trace.reason(1), "b at position 1 is kept for b b at position 2"


def test_the_table_has_the_contract_s_columns_and_shares_add_up():
    _, trace = rv.rcms(MODEL, EMIT, budget=1)
    table = trace.table(2)
    assert {"context", "log_mass", "kept", "into"} <= set(table.columns)
    assert table["mass"].sum() == pytest.approx(1.0)
    assert table.loc[table["fate"] == "kept", "context"].tolist() == [("a", "a")]
    for position in (0, 3, 4):
        with pytest.raises(ValueError, match="positions 1 to 2"):
            trace.table(position)
