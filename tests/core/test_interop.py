"""Lattices and traces in other tools' formats, read back by those tools if they are installed."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of


def openfst_paths(text):
    """Log weight of every accepted label sequence of OpenFst's text, label numbers as a tuple."""
    *arcs, final = [line.split("\t") for line in text.splitlines()]
    return _paths([(int(a), int(b), int(y), -float(w)) for a, b, y, _, w in arcs], int(final[0]))


def k2_paths(text):
    """The same of k2's text: arcs with −1 enter the last state."""
    *arcs, final = [line.split() for line in text.splitlines()]
    ways = _paths([(int(a), int(b), int(y), float(w)) for a, b, y, w in arcs], int(final[0]))
    assert all(path[-1] == -1 for path in ways)
    return {path[:-1]: score for path, score in ways.items()}


def _paths(arcs, final):
    assert [arc[0] for arc in arcs] == sorted(arc[0] for arc in arcs)
    found, front = {}, [(0, (), 0.0)]
    while front:
        state, path, score = front.pop()
        if state == final:
            found[path] = score
        front += [(b, (*path, y), score + w) for a, b, y, w in arcs if a == state]
    return found


@problems_of(20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["exact", "beam", "rcms"]), st.integers(1, 4))
def test_both_texts_hold_every_path_with_its_score(seed, method, T):
    rng = np.random.default_rng(seed)
    windows = {(a, b, y): float(rng.normal()) for a in "*ab" for b in "ab" for y in "ab"}
    log_emit = np.where(rng.random((T, 2)) < 0.1, -np.inf, rng.normal(size=(T, 2)))
    log_emit[:, 0] = rng.normal(size=T)
    lattice, _ = rv.Problem(rv.NgramModel.from_windows("ab", 2, windows), log_emit).run(method, 2)
    expected = {}
    for path in product((0, 1), repeat=T):
        score = rv.log_prob(lattice, ["ab"[y] for y in path]) + rv.log_z(lattice)
        if score > -math.inf:
            expected[tuple(y + 1 for y in path)] = pytest.approx(score, abs=1e-9)
    assert openfst_paths(lattice.to_fst_text()) == k2_paths(lattice.to_fst_text("k2")) == expected


def small_run(log_emit=((0.5, 0.0), (0.0, 0.2), (0.3, 0.0))):
    model = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0, ("a", "b", "a"): 0.7})
    return rv.rcms(model, log_emit, budget=2)


def test_candidates_of_their_own_keep_the_numbers_of_their_words():
    lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
    lattice, _ = rv.exact(rv.HMM(lm, [["the"], ["cat", "dog"]], [[0.0], [-1.0, -2.0]]))
    names = {int(number): name for name, number in (line.split("\t") for line in lattice.to_symbols().splitlines())}
    paths = openfst_paths(lattice.to_fst_text())
    assert {tuple(names[y] for y in path) for path in paths} == {("the", "cat", "</s>"), ("the", "dog", "</s>")}
    assert max(paths.values()) == pytest.approx(rv.viterbi(lattice).log_score)


def test_kaldifst_reads_the_text_and_finds_the_best_path():
    kaldifst = pytest.importorskip("kaldifst", reason="kaldifst is not installed (bench extra)")
    lattice, _ = small_run()
    fst = kaldifst.compile(lattice.to_fst_text(), acceptor=False)
    assert (fst.num_states, fst.start) == (lattice.C, 0)
    best = kaldifst.shortest_path(fst)
    _, labels, _, weight = kaldifst.get_linear_symbol_sequence(best)
    assert weight.value == pytest.approx(-rv.viterbi(lattice).log_score, abs=1e-5)
    assert ["*ab"[y] for y in labels] == list(rv.viterbi(lattice).labels)


def test_unsupported_conventions_and_labels_are_refused():
    lattice, _ = small_run()
    with pytest.raises(ValueError, match="convention: 'att' .*openfst, k2"):
        lattice.to_fst_text("att")
    spaced, _ = rv.exact(rv.NgramModel.from_windows(["New York", "b"], 1, {}), [[0.0, 0.0]])
    with pytest.raises(ValueError, match="label 'New York': .*blanks"):
        spaced.to_symbols()


def test_a_trace_as_arrow_and_parquet_is_the_tables_below_each_other(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="this pyarrow is built without Parquet")
    _, trace = small_run()
    table = trace.to_arrow()
    trace.to_parquet(tmp_path / "run.parquet")
    assert parquet.read_table(tmp_path / "run.parquet").equals(table)
    rows = [row for i in (1, 2) for row in trace.table(i).assign(position=i).to_dict("records")]
    for row, found in zip(rows, table.to_pylist(), strict=True):
        assert {k: list(v) if isinstance(v, tuple) else v for k, v in row.items()} == found
    _, single = small_run([[0.0, 1.0]])
    assert single.to_arrow().num_rows == 0 and isinstance(single.to_arrow(), pyarrow.Table)
