"""Invalid input to the builders: every error names its remedy."""

import numpy as np
import pandas as pd
import pytest

import rcmviz as rv

MODEL = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0})
EMIT = np.zeros((4, 2))


@pytest.mark.parametrize("budget", [0, -1, np.nan, np.inf, 2.5, None, "10", True])
@pytest.mark.parametrize("build", [rv.rcms, rv.beam])
def test_budgets_are_whole_numbers_from_one(build, budget):
    with pytest.raises(ValueError, match="budget"):
        build(MODEL, EMIT, budget)
    with pytest.raises(ValueError, match="budget at position 2"):
        build(MODEL, EMIT, 3, budgets={2: budget})


def test_a_huge_budget_keeps_everything():
    for budget in (10**12, 10**30, 1e30):
        assert rv.log_z(rv.rcms(MODEL, EMIT, budget)[0]) == pytest.approx(rv.log_z(rv.exact(MODEL, EMIT)[0]))


def test_a_budget_beyond_memory_is_refused(monkeypatch):
    monkeypatch.setattr("rcmviz.core.builders.passes.MAX_ARCS", 100_000)
    with pytest.raises(ValueError, match="lower the budget"):
        rv.rcms(MODEL, np.zeros((40, 2)), 10**9)


@pytest.mark.parametrize("position", [0, 4, 5, -1, 2.5, "2", True])
def test_budgets_name_positions_that_select(position):
    with pytest.raises(ValueError, match="positions 1 to 3"):
        rv.rcms(MODEL, EMIT, 3, budgets={position: 2})


@pytest.mark.parametrize("budgets", [5, [1, 2, 3], "2:3"])
def test_budgets_are_a_mapping(budgets):
    with pytest.raises(ValueError, match=r"\{position: budget\}"):
        rv.rcms(MODEL, EMIT, 3, budgets=budgets)


@pytest.mark.parametrize(
    ("emit", "message"),
    [
        (np.zeros((0, 2)), "at least one position"),
        (np.zeros(4), "expected"),
        (np.zeros((4, 3)), "3 columns"),
        ([[0.0, np.nan]], "label 'b' is nan"),
        ([[0.0, np.inf]], "inf"),
        ([[0.0, 1e308]], "at most 1,000,000"),
        ([[0.0], [0.0, 1.0]], "one length"),
        ("ab", "rows of"),
        (np.zeros((2001, 2)), "limit is 2000"),
    ],
)
def test_emissions_are_checked(emit, message):
    with pytest.raises(ValueError, match=message):
        rv.rcms(MODEL, emit, 2)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ((0, "a"), "1 … 4"),
        ((5, "a"), "1 … 4"),
        ((1.5, "a"), "1 … 4"),
        ((2, "x"), "not one of the labels"),
        ((2, ("x",)), "not one of the labels"),
        ((2, ()), "always kept"),
        ((1, ("a", "b")), "at most 1"),
        ((4, ("a",)), "last position"),
        ("nonsense", "expected"),
        ((2, 5), "neither a label nor a tuple"),
        ((2, None), "neither a label nor a tuple"),
        ((2, [["a"]]), "not one of the labels"),
    ],
)
@pytest.mark.parametrize("kind", ["pin", "forbid"])
def test_edits_are_checked(kind, edit, message):
    with pytest.raises(ValueError, match=message):
        rv.rcms(MODEL, EMIT, 2, **{kind: [edit]})


def test_edits_come_as_a_list():
    with pytest.raises(ValueError, match="forbid 5: .*list"):
        rv.rcms(MODEL, EMIT, 2, forbid=5)


def test_edits_that_a_method_cannot_keep_say_so():
    with pytest.raises(ValueError, match="full histories"):
        rv.beam(MODEL, EMIT, 2, pin=[(3, ("a",))])
    with pytest.raises(ValueError, match="full histories"):
        rv.rcms(MODEL, EMIT, 2, root_weight=0.0, pin=[(3, ("a",))])
    with pytest.raises(ValueError, match="at most 2 labels"):
        rv.rcms(MODEL, EMIT, 2, deduplicate=True, pin=[(3, ("a", "a", "a"))])
    with pytest.raises(ValueError, match="pin or forbid labels"):
        rv.exact(MODEL, EMIT, pin=[(2, ("a",))])


@pytest.mark.parametrize("root_weight", [np.nan, np.inf, "heavy", 1j, [1]])
def test_root_weights_are_log_weights(root_weight):
    with pytest.raises(ValueError, match="root_weight"):
        rv.rcms(MODEL, EMIT, 2, root_weight=root_weight)


@pytest.mark.parametrize("passes", [0, 11, 1.5, True])
def test_passes_are_checked(passes):
    with pytest.raises(ValueError, match="passes"):
        rv.rcms(MODEL, EMIT, 2, passes=passes)
    with pytest.raises(ValueError, match="passes"):
        rv.infer_batch(MODEL, [EMIT], budget=2, passes=passes)


def test_exact_inference_is_refused_if_too_large():
    model = rv.NgramModel.from_windows([f"w{y}" for y in range(60)], 4, {})
    with pytest.raises(ValueError, match=r"arcs.*use rcms"):
        rv.exact(model, np.zeros((8, 60)))


def test_two_hundred_positions_work():
    lattice, trace = rv.rcms(MODEL, np.zeros((200, 2)), 5)
    assert lattice.T == 200 and len(trace.table(199)) == 12


def test_bulk_input_is_checked():
    for arguments in ({"method": "magic"}, {"dtype": "f2"}, {"budget": 0}):
        with pytest.raises(ValueError):
            rv.infer_batch(MODEL, [EMIT], **arguments)
    assert len(rv.infer_batch(MODEL, []).labels) == 0


def test_a_pinned_context_is_kept_and_moves_posteriors():
    emit = np.array([[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    plain, trace = rv.rcms(MODEL, emit, 1)
    pinned, pinned_trace = rv.rcms(MODEL, emit, 1, pin=[(3, ("b",))])
    assert ("b",) not in [plain.context(c) for c in range(plain.offset[3], plain.offset[4])]
    assert ("b",) in [pinned.context(c) for c in range(pinned.offset[3], pinned.offset[4])]
    labels = rv.posterior(rv.rcms(MODEL, emit, 1, pin=[(2, "b")])[0]).label
    np.testing.assert_allclose(labels[1], [0.0, 1.0])


TABLE = pd.DataFrame({"b": [5.0, 5.0], "a": [0.0, 0.0]})  # its columns in another order than the labels
BY_NAME = {
    "a builder": lambda table: rv.viterbi(rv.rcms(MODEL, table)[0]).labels,
    "exact": lambda table: rv.viterbi(rv.exact(MODEL, table)[0]).labels,
    "a search": lambda table: rv.viterbi(rv.astar(MODEL, table)[0]).labels,
    "many words": lambda table: ["ab"[y] for y in rv.infer_batch(MODEL, [EMIT, table]).labels[1]],
    "a loss": lambda table: "ba"[int(rv.loss(table, "bb", MODEL).value > 1)] * 2,
    "a problem": lambda table: "ab"[int(rv.Problem(MODEL, table).log_emit[0].argmax())] * 2,
    "weights of features": lambda table: (
        "ab"[rv.NgramModel.from_windows("ab", 1, {}, emission=table).emission[0].argmax()] * 2
    ),
    "a scorer": lambda table: (
        rv.viterbi(rv.exact(rv.ScorerModel(lambda seen: np.zeros((len(seen), 2)), "ab", 1), table)[0]).labels
    ),
    "candidates": lambda table: [row[0] for row in rv.top_candidates(table, k=1).named(list(table.columns))[0]],
}


@pytest.mark.parametrize("where", BY_NAME)
def test_the_columns_of_a_table_are_found_by_their_names(where):
    assert "".join(BY_NAME[where](TABLE)) == "bb"


def test_names_of_columns_that_are_no_labels_are_refused():
    for table in (
        TABLE.rename(columns={"a": "c"}),
        TABLE.assign(gold=0.0),
        TABLE[["b", "b"]],
        TABLE.set_axis([1, 2], axis=1),
    ):
        with pytest.raises(ValueError, match="log_emit: .*'a', 'b': "):
            rv.exact(MODEL, table)
    with pytest.raises(ValueError, match=r"log_emits\[1\]: "):
        rv.infer_batch(MODEL, [TABLE, TABLE.assign(gold=0.0)])
    with pytest.raises(ValueError, match=r"labels\[0\] is 'a', .*'b'"):
        rv.top_candidates(TABLE).named("ab")
    unnamed = TABLE.set_axis([0, 1], axis=1)
    assert "".join(rv.viterbi(rv.exact(MODEL, unnamed)[0]).labels) == "aa"
    assert "".join(rv.viterbi(rv.exact(MODEL, [row for _, row in TABLE.iterrows()])[0]).labels) == "bb"


def test_values_that_are_masked_are_refused():
    masked = np.ma.masked_array([[0.0, 9.0]], mask=[[False, True]])
    for call in (
        lambda: rv.exact(MODEL, masked),
        lambda: rv.exact(MODEL, [masked[0]]),
        lambda: rv.infer_batch(MODEL, [masked]),
        lambda: rv.loss(masked, "a", MODEL),
        lambda: rv.Problem(MODEL, masked),
        lambda: rv.top_candidates(masked),
        lambda: rv.ctc(np.ma.masked_array(np.zeros((1, 3)), mask=True), "ab"),
    ):
        with pytest.raises(ValueError, match="fill masked values"):
            call()
    assert rv.viterbi(rv.exact(MODEL, masked.filled(-np.inf))[0]).labels == ("a",)


def test_a_batch_names_the_word_that_cannot_be_used():
    with pytest.raises(ValueError, match=r"log_emits\[1\] .*\(0, 2\)"):
        rv.infer_batch(MODEL, [EMIT, np.zeros((0, 2)), EMIT])
    with pytest.raises(ValueError, match=r"log_emits\[2\] has 3 columns"):
        rv.infer_batch(MODEL, [EMIT, EMIT, np.zeros((1, 3))])
    with pytest.raises(ValueError, match="log_emits 3: .*list"):
        rv.infer_batch(MODEL, 3)
