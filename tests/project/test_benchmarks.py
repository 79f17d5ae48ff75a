"""``benchmarks/``: the cases run, ratios are right, and the document names every case."""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv
from benchmarks import cliff, scale, worker
from benchmarks.case import Case
from benchmarks.cases import MODULES, load_case
from benchmarks.page import HEADING, STORED, render_figures
from benchmarks.random_models import random_emissions, random_model
from benchmarks.report import table_of
from benchmarks.runner import summarize

ROOT = Path(__file__).parents[2]
SMALL = {"positions": 4, "labels": 70, "budget": 3, "order": 2, "words": 5}


@pytest.fixture(autouse=True)
def _no_repeats(monkeypatch):
    monkeypatch.setattr(scale, "ENOUGH", 0.0)


def test_the_page_explains_every_case_and_rows_are_compared_with_rows_that_exist():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.M) == list(MODULES)
    for name in MODULES:
        case = load_case(name)
        assert case.compared.keys() | set(case.compared.values()) | case.peers <= case.rows.keys()
        assert case.compared or case.bounds or case.group, f"{name} has neither a peer nor a bound"
    figures = render_figures(json.loads(STORED.read_text(encoding="utf-8")))
    assert page[page.index(HEADING) :] == figures, "run python -m benchmarks report"


def test_ratios_to_a_peer_a_bound_and_another_checkout():
    case = Case("", dict.fromkeys(("ours", "theirs"), None), compared={"ours": "theirs"}, bounds={"MB": 10})
    here = {"ours": [{"ms": 4.0, "MB": 20.0}, {"ms": 2.0, "MB": 30.0}], "theirs": [{"ms": 8.0}, {"ms": 9.0}]}
    there = {"ours": [{"ms": 8.0, "MB": 20.0}, {"ms": 6.0, "MB": 20.0}], "theirs": []}
    first, second, third = summarize(case, {"here": here, "there": there}, ["here", "there"])
    assert first == {
        "row": "ours",
        "figure": "ms",
        "value": 2.0,
        "other": 6.0,
        "other / this": 3.0,
        "median of pairs": 2.5,
        "compared with": "theirs",
        "ratio": 0.25,
    }
    assert (second["value"], second["compared with"], second["ratio"]) == (20.0, "bound 10", 2.0)
    assert third == {"row": "theirs", "figure": "ms", "value": 8.0}
    assert len(table_of(case, [first, second, third]).rows) == 3


def test_a_grid_is_compared_with_the_least_figure_of_its_group():
    case = Case("", {}, group=lambda row: row[0])
    here = {"a 1": [{"x": 2.0, "y": 6.0}], "a 2": [{"x": 4.0, "y": 3.0}], "b 1": [{"x": 1.0, "y": 5.0}]}
    lines = summarize(case, {"here": here}, ["here"])
    assert [line["ratio"] for line in lines] == [1.0, 3.0, 2.0, 1.5, 1.0, 5.0]
    assert len(table_of(case, lines).rows) == 3


def test_failed_measurements_are_reported(monkeypatch):
    def fail(_):
        raise ImportError("no module")

    case = Case("", {"broken": fail, "sound": lambda _: lambda: {"ms": 1.0}})
    monkeypatch.setattr(worker, "load_case", lambda _: case)
    assert worker.answer("any", "broken", False, {}) == {"error": "ImportError: no module"}
    assert worker.answer("any", "sound", False, {}) == {"figures": {"ms": 1.0}}


def test_a_slope_is_that_of_the_upper_half_and_leaves_refusals_out():
    sizes = [10, 20, 40, 80, 160, 320]
    costs = [(7.0, 1.0), (7.0, 1.0), *((size**1.5, 3.0 * size) for size in sizes[2:5]), "too large"]
    assert scale.slope(sizes, costs) == pytest.approx(1.5)
    assert scale.slope(sizes, costs, which=1) == pytest.approx(1.0)
    assert np.isnan(scale.slope(sizes[-3:], costs[-3:]))
    assert scale.figures_of(sizes, costs)["refused from"] == 320


def test_every_task_of_every_dimension_runs_or_says_why_not():
    for dimension, (make, names, _) in scale.DIMENSIONS.items():
        tasks = make(SMALL[dimension])
        assert tuple(tasks) == names
        assert all(scale.cost(task)[0] > 0 for task in tasks.values())
    refusals = [scale.cost(task) for task in scale.vary_budget(1_000_000).values()]
    assert all(isinstance(one, str) for one in refusals)
    with pytest.raises(ValueError, match="every size is refused"):
        scale.figures_of([1_000_000], refusals[:1])


def test_a_stream_in_chunks_is_answered_as_all_at_once():
    model, words = random_model(5, 2), [random_emissions(3, 5, seed) for seed in range(7)]
    batches = list(scale.infer_in_chunks(model, iter(words), 3))
    assert [len(batch.labels) for batch in batches] == [3, 3, 1]
    whole = rv.infer_batch(model, words, "rcms", 10)
    np.testing.assert_allclose(np.concatenate([batch.log_z for batch in batches]), whole.log_z, rtol=1e-6)
    assert [y.tolist() for batch in batches for y in batch.labels] == [y.tolist() for y in whole.labels]


@pytest.mark.parametrize("method", cliff.METHODS.values(), ids=cliff.METHODS)
def test_arcs_are_those_of_the_lattice(method):
    kind, budget = method
    build = {"rcms": partial(rv.rcms, budget=budget), "beam": partial(rv.beam, budget=budget), "exact": rv.exact}[kind]
    model = random_model(17, 1 if kind == "exact" else 3)
    lattice, _ = build(model, random_emissions(6, 17), record=False)
    contexts = lattice.C - 1 - (5 if kind == "rcms" else 0)  # without the end and the roots that nothing must fall into
    assert cliff.arcs(kind, budget, 17, 6) == contexts * 17
