"""Printed lattices and traces: shares of all outputs by enumeration, the tree of names, merged contexts."""

import re

import numpy as np
import pytest
from hypothesis import given

import rcmviz as rv
from problems.chain import build, cases, machine_of, problems_of
from rcmviz.core.lattices.trace import FATES, star
from rcmviz.tasks.sms.messages import read_digits

ROW = re.compile(r"^  (?P<branch>[│├└─ ]*)(?P<name>[*a-d]+) +(?P<share><?0?[\d.]+)(?:  █+)?$", re.M)


@problems_of(40)
@given(cases(plain=True, methods=("rcms", "beam", "exact"), pools=("generic",)))
def test_a_lattice_prints_the_shares_of_one_column(case):
    problem, rule = case
    lattice, _ = build(problem, rule)
    machine, text = machine_of(problem, rule, lattice), str(lattice)
    if not machine.z:
        assert text.endswith("No output is possible.")
        return
    i, rows = int(re.search(r"after (\d+) label", text)[1]), list(ROW.finditer(text))
    share = {star(context, i): float(mass) for context, mass in machine.context_mass(i).items()}
    assert max(share, key=share.get) in [row["name"] for row in rows]
    assert "more," in text or len(rows) == lattice.column(i).stop - lattice.column(i).start
    for k, row in enumerate(rows):
        said, real = row["share"], share.get(row["name"], 0.0)
        assert real < 0.001 if said == "<0.001" else float(said) == pytest.approx(real, abs=0.00051)
        above = [other["name"] for other in rows[:k] if len(other["branch"]) < len(row["branch"])]
        assert not row["branch"] or row["name"].endswith(above[-1].lstrip("*"))


@problems_of(40)
@given(cases(plain=True, methods=("rcms", "beam", "exact"), pools=("generic",)))
def test_a_trace_prints_what_became_of_the_candidates(case):
    _, trace = build(*case)
    lines = str(trace).splitlines()[2:]
    assert len(lines) == trace.lattice.T - 1
    for i, line in enumerate(lines, start=1):
        fates = trace.table(i)["fate"].tolist()
        counts = [len(fates), *(fates.count(fate) for fate in FATES)]
        assert line.split()[:-1] == [str(number) for number in (i, *counts)]


def test_data_and_models_say_what_they_are_in_a_line(tmp_path):
    (tmp_path / "tiny.conll").write_text("the DET\ncat NOUN\n")
    lm = rv.train_lm(["the cat sat"] * 300, order=3)
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0}, emission=np.zeros((4, 2)))
    said = {
        model: "<NgramModel: 2 labels, order 1, single, 2 weights, 3 features>",
        rv.Problem(model, np.zeros((3, 2)), name="x"): "<Problem 'x': 3 positions, 2 labels, <NgramModel: 2 labels",
        rv.Sequences.from_arrays([np.zeros((9, 3))], None, "ab"): "<Sequences: 1 sequences, 9 positions, 3 features, 2",
        rv.infer_batch(model, [np.zeros((9, 2))] * 2): "<Batch: 2 words, 18 positions>",
        rv.read_sequences(tmp_path / "tiny.conll"): "tiny.conll': 1 sequences, columns 1, 2>",
        lm: "<LanguageModel: order 3, 6 words, 6 + ",
        rv.HMM(lm, [["the", "cat"], ["sat"]], [[0.0, 0.0], [0.0]]): "<HMM: 3 positions, 4 words, order 3>",
        rv.load_tagger("tagger-ewt"): "<Tagger: 4",
    }
    assert [(text, repr(one)) for one, text in said.items() if text not in repr(one) or len(repr(one)) > 200] == []


def test_bulk_decoding_says_what_to_do_with_an_hmm():
    hmm = rv.HMM(rv.train_lm(["the cat"], order=2), [["the", "cat"]], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="NgramModel, not .*<HMM: 2 positions.*rv.rcms"):
        rv.infer_batch(hmm, [[[0.0, 0.0]]])


def test_results_of_any_size_print_themselves_in_a_line():
    lm = rv.train_lm(["the cat sat", "the dog sat"] * 20, order=2)
    message = read_digits(lm, "843 228")
    lattice, _ = rv.rcms(rv.NgramModel.from_windows("abcdefgh", 1, {}), np.zeros((50, 8)), 5)
    draws, trace = rv.ars_sample(message.hmm(lm), n=500)
    said = [
        (rv.posterior(lattice), "<Posterior: 50 positions, 8 labels, log Z"),
        (rv.sample(lattice, 500), "<Draws: 500 outputs of 50 labels>"),
        (draws, "<ArsDraws: 500 sequences, of "),
        (trace, "<ArsTrace: "),
        (message, "<Message: '843 228', "),
    ]
    for thing, beginning in said:
        assert repr(thing).startswith(beginning) and len(repr(thing)) < 200
