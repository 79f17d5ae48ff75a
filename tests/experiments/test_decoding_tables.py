"""The table of extended hypotheses: its cells compared with the searches, and the sentence on equal answers."""

import numpy as np

import rcmviz as rv
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import decoding_tables, entry

PEN = Plan("pen:60", seeds=1, quick=True)


def test_a_cell_is_what_the_search_says():
    specs = {spec["row"]: spec for spec in decoding_tables.specs(PEN) if spec["task"] == "words"}
    found = {row: decoding_tables.cell(specs[row]) for row in ("A*, 2 labels", "beam 10", "RCMS 10", "exact")}
    for k, (model, log_emit, gold) in enumerate(decoding_tables._examples("words", PEN.data, 3)):
        best = rv.viterbi(rv.exact(model, log_emit)[0])
        search = rv.search_best(rv.SequenceSearch(model, log_emit, bound_order=2))
        assert np.isclose(found["A*, 2 labels"]["score"][k], best.log_score)
        assert found["A*, 2 labels"]["extended"][k] == search.expansions
        assert found["exact"]["right"][k] == (best.labels == gold)
        assert found["RCMS 10"]["score"][k] <= best.log_score + 1e-9  # the model's own, not that of RCMS
        assert found["beam 10"]["extended"][k] == rv.beam(model, log_emit, 10)[0].C - 1


def test_the_table_counts_outputs_that_are_not_the_best(monkeypatch):
    monkeypatch.setattr(entry, "PARTS", ("decoding_tables",))
    specs = entry.specs(PEN)
    assert {spec["part"] for spec in specs} == {"decoding_tables"} and all(entry.effort(spec) > 0 for spec in specs)
    results = [
        {
            "score": [-1.0, None if spec["row"] == "greedy" else -2.0 - (spec["row"] == "beam 5"), -3.0],
            "right": [True, False, True],
            "extended": [4, 5 + 3 * ("beam" in spec["row"]), 6],
            "seconds": [0.001, 0.002, 0.003],
        }
        for spec in specs
    ]
    text = entry.report(PEN, results).text
    assert "| beam 5 | .667 | 1 |  | 6 | 6 | 8 | 2.0 |" in text
    assert "| greedy | .667 | 0 | 1 | 5 | 5 | 6 | 2.0 |" in text
    assert "extends 5 contexts on average; the smallest beam here that never misses it is beam 10" in text
