"""The table of selection rules: its examples, and claims computed from its numbers."""

import numpy as np

from rcmviz.experiments import selection
from rcmviz.experiments.report import Plan


def result(task, fold, better):
    """A cell in which ``better`` rows read more outputs right."""
    row = {"off": 0.1, "labels": 0.9, "words": 0.5 + fold / 100, "recall": 0.2, "ms": 1.0}
    rows = {name: row | {"words": row["words"] + 0.1 * (name in better)} for name in (*selection.ROWS, "exact")}
    return {"task": task, "count": 3, "rows": {str(budget): rows for budget in selection.BUDGETS}}


def test_claims_follow_from_paired_differences():
    results = [result(task, fold, {"lookahead"}) for task in selection.TASKS for fold in range(3)]
    found = {text: true for text, _, true in selection.claims(results)}
    assert found["Tags: look-ahead beats forward mass"] is True
    assert found["Tags: the learned scorer beats look-ahead"] is False
    assert found["CTC frames: diversity beats forward mass"] == "tied"
    text = selection.report(Plan("pen:60", quick=True), results).text
    assert "| Handwriting: look-ahead beats forward mass | 5: +0.100 ± 0.000; 10: +0.100 ± 0.000;" in text
    assert "| forward | .100 ± .000 | .900 ± .000 | .510 ± .010 | .200 ± .000 | 1.00 |" in text


def test_frames_collapse_to_their_text():
    model = selection.frame_model()
    (one, *_) = selection._frames({"seed": 0, "part": 20})
    letters = "".join(model.labels[y] for y in selection.collapsed(one.gold))
    assert "_" in letters and "-" not in letters and one.log_emit.shape == (len(one.gold), len(model.labels))
    np.testing.assert_allclose(np.exp(one.log_emit).sum(axis=1), 1.0)
