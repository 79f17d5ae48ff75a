"""Tables of learning to search: training data, cached parts, tables from results."""

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import chunks, data, entry, perceptron_tables, searn_tables
from rcmviz.learn.settings import Training
from rcmviz.searn.settings import SearchTraining

PEN = Plan("pen:60", seeds=2, quick=True)


@pytest.fixture(autouse=True)
def perceptron_only(monkeypatch):
    monkeypatch.setattr(entry, "PARTS", ("perceptron_tables",))


def test_every_spec_is_a_training_and_says_what_decides_it():
    for plan in (PEN, Plan("kassel")):
        specs = entry.specs(plan)
        settings = [Training.from_dict(spec["training"]) for spec in specs]
        assert all(one.to_dict() == spec["training"] for one, spec in zip(settings, specs, strict=True))
        assert {spec["part"] for spec in specs} == {"perceptron_tables"} and len({spec["code"] for spec in specs}) == 1
        assert all(entry.effort(spec) > 0 for spec in specs)
    folds = [spec["number"] for spec in specs if spec["task"] == "order 3" and spec["row"] == "likelihood, RCMS 10"]
    assert folds == list(range(perceptron_tables.FEWER))


@pytest.mark.parametrize(("task", "folds"), [("nine folds", 9), ("one fold", 1)])
def test_the_fold_that_is_tested_is_not_learnt_from(task, folds):
    words = data._words(PEN.data)
    spec = next(spec for spec in entry.specs(PEN) if spec["task"] == task and spec["number"] == 1)
    learning, test = perceptron_tables._data(spec)
    assert len(test) == sum(word.fold == 1 for word in words)
    assert len(learning) == sum(word.fold != 1 if folds == 9 else word.fold == 0 for word in words)


def test_a_cell_is_a_training_tested_with_its_own_search():
    spec = next(spec for spec in entry.specs(PEN) if spec["row"] == "beam 5, early" and spec["task"] == "one fold")
    learning, test = perceptron_tables._data(spec)
    settings = Training.from_dict(spec["training"])
    *_, state = rv.train(learning, settings)
    batch = rv.infer_batch(state.model, test.log_emits(state.model.emission), "beam", 5)
    found = entry.cell(spec)
    assert found["averaged"] == np.mean(np.concatenate(batch.labels) == test.gold)
    right = [np.array_equal(*pair) for pair in zip(batch.labels, test.golds(), strict=True)]
    assert found["averaged, whole"] == np.mean(right) and found["lost"] == state.lost


def test_the_tables_have_a_line_for_every_row():
    specs = entry.specs(PEN)
    results = [
        {
            "last": 0.5,
            "averaged": 0.25 + 0.5 * (k % 2),
            "last, whole": 0.1,
            "averaged, whole": 0.2,
            "seconds": 0.1,
            "lost": 0.0,
        }
        for k in range(len(specs))
    ]
    report = entry.report(PEN, results)
    for title in perceptron_tables.TITLES.values():
        assert f"### {title}\n" in report.text
    for row in {spec["row"] for spec in specs}:
        assert f"\n| {row} | " in report.text
    assert "| exact | .500 ± .000 | .500 ± .354 | .250 | .750 |" in report.text
    assert len(report.document["runs"]) == len(specs)


def test_tagging_has_a_treebank_or_sentences_of_our_own():
    learning, test = data.tags("shipped", 8)
    assert len(learning) > len(test) > 0 and learning.F == test.F and learning.labels == test.labels
    (row,) = data.token_features(["Dogs"])
    assert row["w"] == "dogs" and row["w:suffix3"] == "ogs" and row["w[-2]"] == row["w[+2]"] == "^"


def test_chunks_are_cut_where_a_noun_or_a_verb_phrase_begins():
    tags = ["PDT", "DT", "NN", "POS", "JJ", "NNS", "PRP", "TO", "VB", "RB", "RB", "VBN", "RB", "JJ", "TO", "CD"]
    labels = chunks.chunks_of_tags(tags)
    spans = ["B-NP", "I-NP", "I-NP", "B-NP", "I-NP", "I-NP", "B-NP", "B-VP", "I-VP", "I-VP", "I-VP", "I-VP"]
    assert labels == [*spans, "O", "O", "O", "B-NP"]


def test_searn_has_its_tables(monkeypatch):
    """Every row is a training on words and generated sentences; one is run, the others are invented."""
    monkeypatch.setattr(entry, "PARTS", ("searn_tables",))
    specs = entry.specs(PEN)
    settings = [SearchTraining.from_dict(spec["settings"]) for spec in specs]
    assert {one.algorithm for one in settings} == {"gold", "searn", "dagger", "lols"}
    found = entry.cell(next(spec for spec in specs if spec["task"] == "letters" and spec["row"] == "SEARN"))
    assert found["vote"] > 0.2 and found["steps"] > 0.5 and 0 < found["first"] < 1
    report = entry.report(PEN, [found] * len(specs))
    for title in searn_tables.TITLES.values():
        assert f"### {title}\n" in report.text
    for row in {spec["row"] for spec in specs}:
        assert f"\n| {row} | " in report.text
