"""The parts of ``benchmarks/scale.py``: what it measures runs, and what it says of sizes is so."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv

ROOT = Path(__file__).parents[2]
SMALL = {"positions": 4, "labels": 70, "budget": 3, "order": 2, "words": 5}


@pytest.fixture
def scale(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    module = importlib.import_module("scale")
    monkeypatch.setattr(module, "ENOUGH", 0.0)
    return module


def test_a_slope_is_that_of_the_upper_half_and_leaves_refusals_out(scale):
    sizes = [10, 20, 40, 80, 160, 320]
    costs = [(7.0, 1.0), (7.0, 1.0), *((size**1.5, 3.0 * size) for size in sizes[2:5]), "too large"]
    assert scale.slope(sizes, costs) == pytest.approx(1.5)
    assert scale.slope(sizes, costs, which=1) == pytest.approx(1.0)
    assert np.isnan(scale.slope(sizes[-3:], costs[-3:]))


def test_every_task_of_every_dimension_runs_or_says_why_not(scale, capsys):
    for dimension, (make, _, _) in scale.DIMENSIONS.items():
        found = scale.costs_of(make, [SMALL[dimension]], 1)
        assert all(milliseconds > 0 for ((milliseconds, _),) in found.values())
    too_large = scale.costs_of(scale.of_budget, [1_000_000], 1)
    scale.show("budget", "too large", [1_000_000], too_large)
    assert capsys.readouterr().out.count("refuses 1,000,000: ") == len(too_large)


def test_a_stream_in_chunks_is_answered_as_all_at_once(scale):
    model, words = scale.random_model(5, 2), [scale.noise(3, 5, seed) for seed in range(7)]
    batches = list(scale.in_chunks(model, (word for word in words), 3))
    assert [len(batch.labels) for batch in batches] == [3, 3, 1]
    whole = rv.infer_batch(model, words, "rcms", 10)
    np.testing.assert_allclose(np.concatenate([batch.log_z for batch in batches]), whole.log_z, rtol=1e-6)
    assert [y.tolist() for batch in batches for y in batch.labels] == [y.tolist() for y in whole.labels]
