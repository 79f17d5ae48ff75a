"""Sweeps: equal numbers on one process, two processes and a cluster; failures and interruptions lose one cell."""

import json
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster

import rcmviz as rv
from rcmviz.evaluation.evaluate import Method, evaluate_sequences
from rcmviz.experiments.cells import run_cells
from rcmviz.experiments.stream import AHEAD, infer_stream
from rcmviz.experiments.sweep import file_data, grid, handwriting_data, summary, training_cell
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import pen_words

FILE = "".join(f"w{k % 3} L{k % 3}\nw{k % 2} L{k % 2}\n\n" for k in range(30))


def echo(spec):
    """A cell; number 3 cannot be."""
    if spec["n"] == 3:
        raise ValueError("three is not allowed")
    return {"n": spec["n"], "square": spec["n"] ** 2}


def cells(count=5):
    return [{"n": n} for n in range(count)]


def small_sweep():
    data = handwriting_data("pen", words=50)
    return grid(data, ["rcms", "beam"], [2], orders=[1], seeds=2, epochs=1)


@pytest.fixture(scope="module")
def serial():
    return run_cells(training_cell, small_sweep())


def test_a_grid_holds_every_combination_once():
    specs = grid({}, ["rcms", "exact"], [5, 10], [2, 3], seeds=2, passes=2, mode="additive")
    trainings = [spec["training"] for spec in specs]
    found = {(t["method"], t["order"], t["budget"], t["seed"], t["passes"]) for t in trainings}
    rcms = {("rcms", n, B, seed, 2) for n in (2, 3) for B in (5, 10) for seed in (0, 1)}
    assert found == rcms | {("exact", n, 5, seed, 1) for n in (2, 3) for seed in (0, 1)}
    assert len(specs) == len(found) and all(t["mode"] == "additive" for t in trainings)
    with pytest.raises(ValueError, match="budget 0"):
        grid({}, ["rcms"], [0])


def test_a_cell_is_a_training_and_its_evaluation(serial):
    words = pen_words(50, seed=0)
    learning = word_sequences([word for word in words if word.fold not in (1, 5)])
    test = word_sequences([word for word in words if word.fold == 5])
    for spec, result in zip(small_sweep(), serial, strict=True):
        (state,) = rv.train(learning, rv.Training.from_dict(spec["training"]))
        (score,) = evaluate_sequences(state.model, test, [Method("", spec["training"]["method"], 2)])
        assert result["accuracy"] == score.accuracy and result["mean_confidence"] == score.mean_confidence
        assert result["log_likelihood"] == state.log_likelihood


def test_two_processes_find_the_same(serial):
    assert run_cells(training_cell, small_sweep(), jobs=2) == serial


def test_a_dask_cluster_finds_the_same(serial):
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert run_cells(training_cell, small_sweep(), backend="dask", scheduler=address) == serial
        failing = run_cells(abs, cells(2), backend="dask", scheduler=address)
        read, batches = [], []
        for batch in infer_stream(MODEL, stream_of(WORDS, read), "rcms", 3, size=2, scheduler=address, posterior=True):
            batches.append(batch)
            assert len(read) <= 2 * (len(batches) + AHEAD * 2), "no more is read than the workers are given"
        with pytest.raises(ValueError, match="budget 0"):
            next(infer_stream(MODEL, WORDS, "rcms", 0, scheduler=address))
    assert all("TypeError" in result["error"] for result in failing)
    the_same_as_all_at_once(batches, 2)


MODEL = rv.NgramModel.from_windows("abc", 1, {("a", "b"): 1.0, ("*", "c"): 0.5})
WORDS = [np.random.default_rng(length).normal(0, 1, (length % 5 + 1, 3)) for length in range(23)]


def stream_of(words, read):
    """Yield words on request; ``read`` collects those yielded."""
    for word in words:
        read.append(word)
        yield word


def the_same_as_all_at_once(batches, size):
    whole = rv.infer_batch(MODEL, WORDS, "rcms", 3, posterior=True)
    assert [len(batch.labels) for batch in batches] == [size] * (len(WORDS) // size) + [len(WORDS) % size]
    np.testing.assert_allclose(np.concatenate([batch.log_z for batch in batches]), whole.log_z, rtol=1e-6)
    for name in ("labels", "posterior"):
        found = [one for batch in batches for one in getattr(batch, name)]
        for one, expected in zip(found, getattr(whole, name), strict=True):
            np.testing.assert_allclose(one, expected, atol=1e-6)


def test_a_stream_is_decoded_chunk_by_chunk_as_it_is_read():
    read, batches = [], []
    for batch in infer_stream(MODEL, stream_of(WORDS, read), "rcms", 3, size=5, posterior=True):
        batches.append(batch)
        assert len(read) == min(5 * len(batches), len(WORDS))
    the_same_as_all_at_once(batches, 5)
    assert list(infer_stream(MODEL, [])) == []
    with pytest.raises(ValueError, match="size 0"):
        next(infer_stream(MODEL, WORDS, size=0))
    with pytest.raises(ValueError, match="nonsense://x"):
        next(infer_stream(MODEL, WORDS, scheduler="nonsense://x"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_costs_one_cell(jobs):
    results = run_cells(echo, cells(), jobs=jobs, backend="threading")
    assert [result.get("square") for result in results] == [0, 1, 4, None, 16]
    assert results[3] == {"error": "ValueError: three is not allowed"}


def test_stored_cells_are_not_run_again(tmp_path):
    store, calls = tmp_path / "cells.jsonl", []

    def counted(spec):
        calls.append(spec["n"])
        return echo(spec)

    first = run_cells(counted, cells(3), store=store)
    with store.open("a") as file:
        file.write('{"key": "cut o')  # as a crash leaves it
    reported = []
    assert run_cells(counted, cells(), store=store, done=lambda spec, result: reported.append(spec["n"]))[:3] == first
    assert calls == [0, 1, 2, 3, 4] and reported == [0, 1, 2, 3, 4]
    run_cells(counted, cells(), store=store)
    assert calls == [0, 1, 2, 3, 4, 3], "only what failed is run again"
    run_cells(counted, cells(1), store=store, version="next")
    assert calls[-1] == 0
    assert [json.loads(line)["spec"]["n"] for line in store.read_text().splitlines()] == [0, 1, 2, 4, 0]


def test_an_interruption_keeps_finished_cells(tmp_path):
    def interrupted(spec):
        if spec["n"] == 2:
            raise KeyboardInterrupt
        return echo(spec)

    with pytest.raises(KeyboardInterrupt):
        run_cells(interrupted, cells(), store=tmp_path / "cells.jsonl")
    assert len((tmp_path / "cells.jsonl").read_text().splitlines()) == 2


def test_an_invalid_store_is_refused(tmp_path):
    store = tmp_path / "notes.txt"
    for text in ("hello\n", "hello", '{"key": "x", "result": {}}\nhello'):
        store.write_text(text)
        with pytest.raises(ValueError, match="notes.txt, line [12]"):
            run_cells(echo, cells(), store=store)
        assert store.read_text() == text


def test_backends_that_are_not_there():
    for backend in ("nowhere", "ray", "multiprocessing"):
        with pytest.raises(ValueError, match=f"backend '{backend}': .*loky, threading, dask"):
            run_cells(echo, cells(), backend=backend)
    with pytest.raises(ValueError, match="scheduler.*tcp:"):
        run_cells(echo, cells(), backend="dask")
    with pytest.raises(ValueError, match="Dask"):
        run_cells(echo, cells(), scheduler="tcp://127.0.0.1:1")
    with pytest.raises(ValueError, match="nonsense://x"):
        run_cells(echo, cells(), backend="dask", scheduler="nonsense://x")


def test_files_are_swept_and_watched(tmp_path):
    path, further = tmp_path / "tags.conll", tmp_path / "more.conll"
    path.write_text(FILE)
    further.write_text("w0 L0\nw9 NEW\n")
    tenth, other = (grid(file_data(path, test), ["rcms"], [3], [1], seeds=1, epochs=3) for test in (None, further))
    assert run_cells(training_cell, tenth)[0]["accuracy"] == 1.0
    assert run_cells(training_cell, other)[0]["accuracy"] == 0.0
    specs = grid(file_data(path, further), ["rcms"], [2], [1], seeds=1, epochs=1)
    Path(path).write_text(FILE + "w0 L0\n")
    training_cell.__globals__["_split"].cache_clear()
    assert "has changed since the sweep was planned" in run_cells(training_cell, specs)[0]["error"]


def test_a_file_too_short_for_its_fold_is_named(tmp_path):
    path = tmp_path / "short.conll"
    path.write_text("w0 L0\n\nw1 L1\n")
    (result,) = run_cells(training_cell, grid(file_data(path, fold=5), ["rcms"], [2], [1], seeds=1, epochs=1))
    assert "short.conll: too few sequences (2)" in result["error"] and "--test" in result["error"]


def test_a_store_that_cannot_be_written_is_named_before_the_first_cell(tmp_path):
    ran = []
    with pytest.raises(OSError) as caught:
        run_cells(ran.append, cells(), store=tmp_path / "missing" / "cells.jsonl", backend="sequential")
    assert not ran and "missing" in caught.value.filename


def test_summary_is_mean_and_standard_deviation():
    specs = [
        {"training": {"method": method, "budget": 5, "order": 3, "seed": seed}}
        for method in ("rcms", "beam")
        for seed in range(3)
    ]
    results = [{"accuracy": value} for value in (0.5, 0.7, 0.9)] + [{"error": "A"}, {"error": "B"}, {"accuracy": 0.1}]
    rcms, beam = summary(specs, results)
    assert rcms["accuracy"] == pytest.approx([0.7, np.std([0.5, 0.7, 0.9], ddof=1)])
    assert (rcms["runs"], rcms["failed"], rcms["error"]) == (3, 0, None)
    assert beam["accuracy"] == [0.1, None]
    assert (beam["runs"], beam["failed"], beam["error"]) == (1, 2, "A")
