"""Reproductions of Markov fields: draws and measurements compared with definitions, and the command."""

import json
import math

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.experiments import (
    figure_field_synthetic,
    figure_field_text,
    mrf_runs,
    picture,
    pos_runs,
    table_neighbours,
)
from rcmviz.experiments.log_bilinear import LogBilinear, predicted_places
from rcmviz.experiments.report import Plan
from rcmviz.mrf.vocabulary import NumberedText
from rcmviz.tasks.decipher import grammar
from rcmviz.tasks.tagging.tagger import Tagger
from support.commands import run

TAGGED = [(["the", "dog", "barks"], ["D", "N", "V"]), (["a", "cat", "sees", "the", "dog"], ["D", "N", "V", "D", "N"])]
CORPUS = NumberedText(np.array([1, 2, 2, 1, 1], np.int32), np.array([0, 3, 5]))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A short text of our grammar, a small tagger, and no picture."""

    def refuse(*_, **__):
        raise RuntimeError("no browser")

    sentences = grammar.sentences
    monkeypatch.setattr(grammar, "sentences", lambda number, seed=0: sentences(number // 20, seed))
    monkeypatch.setattr(pos_runs, "load_tagger", lambda name: Tagger.fit(20 * TAGGED, 9, cutoffs=(0,)))
    monkeypatch.setattr(picture, "png_of", refuse)
    pos_runs.tagger.cache_clear()
    yield
    pos_runs.tagger.cache_clear()


def test_tokens_are_counted_as_documented():
    assert mrf_runs.token_counts(CORPUS) == {"words": 5, "sentences": 2, "ring": 9, "one_end": 7}
    line, places = predicted_places(CORPUS, 2)
    assert line.tolist() == [0, 0, 1, 2, 2, 0, 0, 1, 1] and places.tolist() == [0, 2, 3, 4, 5, 7, 8]
    assert len(places) == mrf_runs.token_counts(CORPUS)["one_end"]


def test_the_cost_of_lengths_is_that_of_their_histogram():
    unseen = NumberedText(np.array([1, 1, 1], np.int32), np.array([0, 1, 3]))
    assert mrf_runs.length_cost(CORPUS, unseen) == pytest.approx(math.log(1 / 5) + math.log(2 / 5))


def test_the_log_bilinear_model_is_its_formula_and_its_gradient_that_of_the_loss():
    model = LogBilinear(CORPUS, 3, 2, 2, l2=0.0, seed=1)
    line, places = predicted_places(CORPUS, 2)
    total = 0.0
    for place in places:
        one, two = line[place - 1], line[place - 2]
        scores = [
            model.node[w] + model.left[one] @ model.right[w, :2] + model.left[two] @ model.right[w, 2:]
            for w in range(3)
        ]
        total += scores[line[place]] - math.log(sum(map(math.exp, scores)))
    assert model.log_prob(CORPUS) == pytest.approx(total, rel=1e-5)
    parts = [part.astype(np.float64) for part in model._parts()]
    model.node, model.left, model.right = parts
    model.squares, model.eta = [np.full_like(part, 1e12) for part in parts], 1e6 * 1e-3  # a step of 1e-3 · slope
    before = [part.copy() for part in parts]
    for part, other in zip(parts, before, strict=True):
        bumped = np.zeros_like(part)
        for k in range(part.size):
            values = []
            for shift in (1e-5, -1e-5):
                part.flat[k] = other.flat[k] + shift
                values.append(model.log_prob(CORPUS) / len(places))
            part.flat[k] = other.flat[k]
            bumped.flat[k] = (values[0] - values[1]) / 2e-5
        other += 1e-3 * bumped
    model._learn(places)
    for part, other in zip(model._parts(), before, strict=True):
        assert np.abs(part - other).max() < 1e-8


def test_a_field_is_measured_by_the_library():
    plan = Plan("grammar", quick=True)
    spec = figure_field_text.specs(plan)[0]
    found = mrf_runs.cell(spec)
    field = rv.MarkovField(100, 2, 30, l2=1.0, max_steps=20, patience=50).fit(mrf_runs.text("grammar", "train"))
    unseen = mrf_runs.text("grammar", "valid")
    assert found["star"] == pytest.approx(field.bound(unseen), abs=1e-6)
    assert found["star"] <= found["chain"] <= found["ring"] <= found["exact"] == pytest.approx(field.score(unseen))
    assert found["with_length"] < found["exact"] and found["curve"][-1]["step"] == found["steps"] == 20
    assert json.loads(json.dumps(found["spec"])) == spec


def test_larger_vocabularies_are_optional():
    plans = Plan("wikitext2"), Plan("wikitext2", large=True)
    sizes = [{one["size"] for one in figure_field_text.specs(plan)} for plan in plans]
    assert sizes == [{1_000}, {1_000, 10_000}]


def test_the_slice_chooses_and_the_validation_part_does_not():
    fields = [
        {
            "spec": {"rank": rank, "cut": cut, "size": 1_000, "l2": l2},
            "curve": [{"slice": -9.0}, {"slice": on_slice}],
            "star": star,
        }
        for rank, cut, l2, on_slice, star in [
            (30, "ends", 1.0, -3.3, -1.0),
            (30, "ends", 3.0, -3.2, -5.0),
            (60, "ends", 3.0, -3.1, -6.0),
            (30, "lines", 1.0, -2.0, -1.0),
            (None, "ends", 3.0, -1.0, -1.0),
        ]
    ]
    assert figure_field_text.chosen(fields) is fields[2]
    assert figure_field_text.chosen(fields, rank=30) is fields[1]
    assert figure_field_text.chosen(fields, "lines") is fields[3]
    bold = [figure_field_text._is_chosen(one, fields) for one in fields]
    assert bold == [False, True, True, True, False]


def test_a_line_ends_where_a_mark_is(tmp_path, monkeypatch):
    (tmp_path / "part").write_text("a . b ? c .\n\nd\n")
    monkeypatch.setattr(mrf_runs, "need", lambda *_: tmp_path / "part")
    assert mrf_runs.text("wikitext2", "valid", "stops") == [["a"], ["b", "?", "c", "."], ["d"]]
    assert len(mrf_runs.text("wikitext2", "valid", "lines")) == 2
    assert list(mrf_runs.pieces(["a", ".", "b", "?", "c"])) == [["a", "."], ["b", "?"], ["c"]]


def test_exact_values_of_the_tiny_text_are_enumerated():
    corpus = figure_field_synthetic.draw(3)
    found = figure_field_synthetic.cell({"seed": 3, "steps": 4})
    assert len(corpus.ids) + len(corpus) == figure_field_synthetic.TOKENS == 12
    bounds, rings, exact = zip(*found["lifted"], strict=True)
    assert all(bound <= ring <= of for bound, ring, of in zip(bounds, rings, exact, strict=True))
    assert list(bounds) == sorted(bounds) and found["exact"][-1] > found["exact"][0] == pytest.approx(exact[0])


def test_neighbours_share_tags():
    words = ("<S>", "<unk>", "the", "a", "dog", "cat")
    order = table_neighbours.nearest(np.array([[0, 0], [0, 0], [1, 0], [1, 0.1], [0, 1], [0.1, 1]]))
    assert order[:, 0].tolist()[2:] == [3, 2, 5, 4]
    share, judged = table_neighbours.same_tag(words, order[:, :1])
    assert (share, judged) == (1.0, 4)


@pytest.mark.parametrize(
    ("what", "data", "said"),
    [
        ("figure-field-synthetic", None, "the bound underestimates the exact log-likelihood"),
        ("figure-field-text", "grammar", "the bound is only slightly below the LBL"),
        ("table-neighbours", "grammar", "pseudo-likelihood, SGD"),
        ("table-field-tagging", "shipped", "much better on unknown words"),
    ],
)
def test_a_quick_reproduction(what, data, said, tmp_path):
    given = () if data is None else ("--data", data)
    printed = run("reproduce", what, *given, "--quick", "--jobs", 1, "--out", tmp_path)
    assert said in printed and (tmp_path / f"{what}.md").read_text(encoding="utf-8") == printed.rstrip("\n") + "\n"
    document = json.loads((tmp_path / f"{what}.json").read_text(encoding="utf-8"))
    assert document["plan"]["quick"] and document["runs"]


def test_data_of_another_task_is_refused(tmp_path, monkeypatch):
    out = ("--out", tmp_path)
    assert "draws its own data" in run("reproduce", "figure-field-synthetic", "--data", "grammar", *out, code=2)
    refused = run("reproduce", "table-neighbours", "--data", "kassel", *out, code=2)
    assert "choose --data wikitext2 or --data grammar" in refused
    monkeypatch.setattr(registry, "find", lambda *_: None)
    refused = run("reproduce", "figure-field-text", "--data", "wikitext2", "--jobs", 1, *out, code=2)
    assert "wikitext2 is not on this machine" in refused
