"""The tables and sentences of a trace."""

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
    assert reasons["aa"] == "`aa` is 1st of 4 by mass, budget 1, so it keeps its own 0.46"
    assert reasons["ab"] == "`ab` is 2nd of 4 by mass, budget 1, so its 0.28 is merged into `*`"
    assert "is dropped" in sentences(rv.beam, budget=1)["ab"]
    assert sentences(rv.exact)["ab"] == "`ab` is 2nd of 4 by mass, so it keeps its own 0.28"


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
    assert "but yields to a pinned one, so its 0.46 is merged into `*`" in pinned["aa"]
    forbidden = sentences(rv.rcms, budget=1, forbid=[(2, ("a", "a"))])
    assert forbidden["aa"].startswith("`aa` is 1st of 4 by mass, budget 1, but forbidden, so its 0.46 is merged into")
    assert "but moves up for one that is forbidden, so it keeps" in forbidden["ab"]


def test_a_pin_gives_its_prefix_as_pinned_too():
    lattice, trace = rv.rcms(MODEL, EMIT, budget=1, pin=[(2, ("b", "b"))])
    assert "but pinned" in trace.reason(1), "b at position 1 is kept for b b at position 2"


@pytest.mark.parametrize("root_weight", [None, -0.5])
@pytest.mark.parametrize("passes", [1, 2, 3])
@pytest.mark.parametrize("deduplicate", [False, True])
def test_the_rank_follows_the_reported_key(passes, deduplicate, root_weight):
    """With several passes mass × the message of the pass before, the table's ``key`` and the sentences' (…)."""
    rng = np.random.default_rng(5)
    weights = {tuple(rng.choice(list("abc"), 3)): float(rng.normal(0, 2)) for _ in range(20)}
    model, log_emit = rv.NgramModel.from_windows("abc", 2, weights), rng.normal(0, 1, (6, 3))
    options = {"deduplicate": deduplicate, "root_weight": root_weight}
    _, trace = rv.rcms(model, log_emit, 3, passes=passes, **options)
    assert trace.ranked_by == ("mass" if passes == 1 else "pass")
    for i in range(1, trace.lattice.T):
        table, keys, shares = trace.table(i), trace.key_share(i), trace.share(i)
        by_rank = table.sort_values("rank")
        assert by_rank["key"].is_monotonic_decreasing and table["key"].sum() == pytest.approx(1.0)
        np.testing.assert_allclose(np.exp(table["log_key"]) / np.exp(table["log_key"]).sum(), table["key"])
        for k, m in enumerate(range(*trace.candidates(i).indices(len(trace.key)))):
            said = trace.reason(m)
            if "equals another" not in said and "impossible" not in said:
                assert (f" by estimated posterior ({keys[k]:.2g}), budget 3" in said) == (passes > 1)
            assert (f"mass of {shares[k]:.2g} " in said + " ") == (passes > 1)
        if passes > 1 and not deduplicate and root_weight is None:
            before, _ = rv.rcms(model, log_emit, 3, passes=passes - 1)
            some = table[table["mass"] > 0]
            message = [message_of(before, i, context) for context in some["context"]]
            assert np.ptp(some["log_key"] - some["log_mass"] - message) < 1e-9


def message_of(lattice, i, context):
    """The backward message of the longest suffix that a lattice has."""
    kept = {lattice.context(c): c for c in range(*lattice.column(i).indices(lattice.C))}
    suffixes = [context[start:] for start in range(len(context) + 1)]
    return rv.posterior(lattice).backward[kept[next(suffix for suffix in suffixes if suffix in kept)]]


def test_with_one_pass_the_key_is_the_mass():
    _, trace = rv.rcms(MODEL, EMIT, budget=1)
    np.testing.assert_allclose(trace.table(2)["key"], trace.table(2)["mass"])
    assert "estimated" not in " ".join(trace.reason(m) for m in range(len(trace.key)))
    assert rv.best_first(MODEL, EMIT, 2)[1].ranked_by == "queue"


def test_the_table_has_the_contract_s_columns_and_shares_add_up():
    _, trace = rv.rcms(MODEL, EMIT, budget=1)
    table = trace.table(2)
    assert {"context", "log_mass", "kept", "into"} <= set(table.columns)
    assert table["mass"].sum() == pytest.approx(1.0)
    assert table.loc[table["fate"] == "kept", "context"].tolist() == [("a", "a")]
    for position in (0, 3, 4):
        with pytest.raises(ValueError, match="positions 1 to 2"):
            trace.table(position)
