"""Background trainings of a page: pause, step, sleep, cancel, memory, limits, restored checkpoints."""

import gc
import itertools
import math
import threading
import time
import weakref
from dataclasses import replace

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.jobs import host as hosts
from rcmviz.jobs import job as job_module
from rcmviz.jobs import memory
from rcmviz.jobs.host import Host, HostLimits
from rcmviz.jobs.job import Job, merge_points, thin_points
from rcmviz.jobs.memory import BytesLimitedCache
from rcmviz.jobs.replay import read, retrained
from rcmviz.jobs.sequences import MEANS, SEQUENCE_JOBS, CurvePoint, bytes_needed, seconds_needed, weights_needed
from rcmviz.jobs.training_task import bytes_held
from rcmviz.jobs.turns import Turns
from rcmviz.jobs.workers import LocalWorker
from rcmviz.learn.heaviest import heaviest_features, heaviest_windows
from rcmviz.learn.trainer import evaluate_held_out
from support.jobs import LABELS, Held, awake, sequences, wait_for  # noqa: F401

SETTINGS = rv.Training(order=2, budget=3, epochs=4)


@pytest.fixture
def turns():
    return Turns([LocalWorker()], seats=20)


def status(job):
    return job.snapshot().status


# --- one training


def test_it_runs_to_its_end_and_learns_what_the_trainer_learns(turns):
    data, held_out = sequences(), sequences(10, seed=1)
    job = Job(data, SETTINGS, turns.executor(), held_out)
    job.run()
    wait_for(lambda: status(job) == "done")
    snapshot = job.snapshot()
    assert (snapshot.step, snapshot.steps) == (120, 120)
    *_, last = rv.train(data, SETTINGS)
    np.testing.assert_array_equal(snapshot.checkpoints[-1].model.weights, last.model.weights)
    np.testing.assert_array_equal(snapshot.checkpoints[-1].model.emission, last.model.emission)
    point = snapshot.points[-1]
    assert (point.accuracy, point.recall_99, point.confidence) == evaluate_held_out(last.model, held_out, SETTINGS)
    assert sum(point.examples for point in snapshot.points) == 120


def test_no_stretch_is_a_stump_whose_numbers_would_be_noise():
    held = Held()
    job = Job(sequences(), SETTINGS, held, clock=lambda: 0.0)  # stretches double: 8, 16, and what would leave 6
    job.run()
    held.work(50)
    assert [point.examples for point in job.snapshot().points][:3] == [8, 11, 11]


def test_time_left_is_shown_once_it_can_be_known(monkeypatch):
    monkeypatch.setattr(job_module, "SLEEP_SECONDS", math.inf)
    held, clock = Held(), itertools.count(0, 0.25)
    job = Job(sequences(), SETTINGS, held, clock=lambda: next(clock))
    job.run()
    held.work()
    assert job.snapshot().left is None
    while (snapshot := job.snapshot()).left is None:
        held.work()
    assert snapshot.step < snapshot.steps
    held.work(200)
    assert job.snapshot().left == 0


def test_the_first_evaluation_does_not_count_for_the_time_left(monkeypatch):
    """It is long for the few examples before it; a stretch takes a second here, an evaluation a thousand."""
    now = [0.0]

    class Slow(SEQUENCE_JOBS.evaluation):
        def evaluate_next(self, most):
            now[0] += 1_000
            return super().evaluate_next(100)

    class Steady(SEQUENCE_JOBS.trainer):
        def advance(self, examples=None):
            now[0] += 1
            return super().advance(examples)

    monkeypatch.setattr(job_module, "SLEEP_SECONDS", math.inf)
    held, job_kind = Held(), replace(SEQUENCE_JOBS, evaluation=Slow, trainer=Steady)
    job = Job(sequences(), replace(SETTINGS, epochs=400), held, sequences(5), clock=lambda: now[0], job_kind=job_kind)
    job.run()
    held.work(6)
    snapshot = job.snapshot()
    assert now[0] == 1_005
    assert snapshot.left < snapshot.steps


def test_an_evaluation_that_takes_long_is_mentioned(monkeypatch):
    now = [0.0]

    class Slow(SEQUENCE_JOBS.evaluation):
        def evaluate_next(self, most):
            now[0] += 1
            return super().evaluate_next(1)

    monkeypatch.setattr(job_module, "SLEEP_SECONDS", math.inf)
    held, shown = Held(), []
    job = Job(
        sequences(),
        SETTINGS,
        held,
        sequences(5),
        clock=lambda: now[0],
        job_kind=replace(SEQUENCE_JOBS, evaluation=Slow),
    )
    job.run()
    for _ in range(7):
        held.work()
        shown.append(job.snapshot().evaluating)
    assert shown == [False, False, True, True, True, False, False]


def test_one_example_one_epoch_then_it_waits():
    held = Held()
    job = Job(sequences(), SETTINGS, held)
    job.run(1)
    held.work(5)
    assert (status(job), job.snapshot().step) == ("paused", 1)
    job.run_epoch()
    held.work(50)
    assert (status(job), job.snapshot().step) == ("paused", 30)
    job.run_epoch()
    held.work(50)
    assert job.snapshot().step == 60
    job.run()
    held.work(100)
    assert (status(job), job.snapshot().step) == ("done", 120)
    job.run()
    assert not held.queue


def test_a_pause_ends_after_the_present_stretch():
    held = Held()
    job = Job(sequences(), SETTINGS, held)
    job.run()
    held.work()
    step = job.snapshot().step
    job.pause()
    held.work(5)
    assert (status(job), job.snapshot().step) == ("paused", step)
    job.run()
    job.run()
    assert len(held.queue) == 1


def test_it_sleeps_where_nobody_looks_and_wakes_but_a_pause_stays():
    held, now = Held(), [0.0]
    job = Job(sequences(), SETTINGS, held, clock=lambda: now[0])
    job.run()
    held.work()
    now[0] += job_module.SLEEP_SECONDS + 1
    held.work()
    assert status(job) == "asleep"
    step = job.snapshot().step
    job.keep_awake()
    held.work()
    assert status(job) == "running"
    assert job.snapshot().step > step
    job.pause()
    held.work()
    now[0] += job_module.SLEEP_SECONDS + 1
    job.keep_awake()
    assert status(job) == "paused"
    assert not held.queue


def test_cancel_gives_the_memory_back_and_keeps_the_curves(turns):
    job = Job(sequences(200), replace(SETTINGS, epochs=2_000), turns.executor())
    job.run()
    wait_for(lambda: job.snapshot().checkpoints)
    gone = weakref.ref(job._task.trainer), weakref.ref(job.snapshot().checkpoints[0].model)
    job.cancel()
    wait_for(lambda: not job._busy)
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    assert status(job) == "cancelled"
    assert job.snapshot().points
    assert not job.snapshot().checkpoints
    job.run()
    assert status(job) == "cancelled"


def test_an_error_is_reported_and_ends_one_training_only(turns, monkeypatch):
    one, other = (Job(sequences(), SETTINGS, turns.executor()) for _ in range(2))
    monkeypatch.setattr(one, "_job_kind", replace(SEQUENCE_JOBS, guidance=lambda *_: 1 / 0))
    one.run()
    other.run()
    wait_for(lambda: status(other) == "done")
    assert (status(one), one.snapshot().message) == ("failed", "division by zero")


def test_snapshots_are_of_one_moment_while_it_runs(turns):
    job = Job(sequences(100), replace(SETTINGS, epochs=60), turns.executor())
    job.run()
    seen = []
    while status(job) == "running":
        seen.append(job.snapshot())
    for snapshot in seen:
        assert not snapshot.points or snapshot.points[-1].step == snapshot.step == snapshot.checkpoints[-1].step
        assert sum(point.examples for point in snapshot.points) == snapshot.step
    assert all(one.step <= two.step for one, two in itertools.pairwise(seen))


# --- stored states


def points(count):
    rng = np.random.default_rng(3)
    values = [CurvePoint(k, *rng.normal(size=4), math.nan, math.nan, math.nan, examples=1) for k in range(1, count + 1)]
    return [replace(values[0], accuracy=0.5, recall_99=0.25, confidence=0.75), *values[1:]]


def test_joined_points_keep_the_means_and_the_last_held_out_values():
    all_points = points(7)
    joined = all_points[0]
    for point in all_points[1:]:
        joined = merge_points(joined, point)
    for name in MEANS:
        assert getattr(joined, name) == pytest.approx(np.mean([getattr(point, name) for point in all_points]))
    assert (joined.step, joined.examples, joined.accuracy, joined.confidence) == (7, 7, 0.5, 0.75)


def test_thinning_keeps_both_ends_and_an_even_spread_over_the_root():
    kept = []
    for point in points(3_000):
        kept = thin_points([*kept, point], 20, merge_points)
    assert len(kept) == 20
    assert (kept[0].step, kept[-1].step) == (1, 3_000)
    assert sum(point.examples for point in kept) == 3_000
    gaps = np.diff(np.sqrt([point.step for point in kept]))
    assert gaps.max() < 3 * np.median(gaps)


def test_no_run_keeps_more_than_so_many_points_and_checkpoints(monkeypatch):
    monkeypatch.setattr(job_module, "MOST_POINTS", 9)
    monkeypatch.setattr(job_module, "STRETCH_SECONDS", 1e-9)  # so that a stretch is one example
    held = Held()
    job = Job(sequences(), SETTINGS, held, job_kind=replace(SEQUENCE_JOBS, checkpoints=5))
    job.run()
    held.work(200)
    snapshot = job.snapshot()
    assert (snapshot.status, len(snapshot.points), len(snapshot.checkpoints)) == ("done", 9, 5)
    assert not any("_tables" in vars(checkpoint.model) for checkpoint in snapshot.checkpoints)


# --- back in time


@pytest.mark.parametrize("method", ["rcms", "beam", "repaired", "exact"])
def test_a_checkpoint_can_be_trained_again(method):
    held, data = Held(), sequences()
    settings = replace(SETTINGS, method=method, average=method == "beam")
    job = Job(data, settings, held)
    job.run()
    held.work(60)
    for checkpoint in job.snapshot().checkpoints[1::3]:
        again = retrained(data, settings, checkpoint.step)
        np.testing.assert_array_equal(again.weights, checkpoint.model.weights)
        np.testing.assert_array_equal(again.emission, checkpoint.model.emission)
        assert again.root_weight == checkpoint.model.root_weight


@pytest.mark.parametrize("method", ["rcms", "beam", "repaired", "exact"])
def test_a_reading_is_what_the_lattice_says(method):
    data = sequences()
    settings = replace(SETTINGS, method=method)
    model = retrained(data, settings, 40)
    for number in range(5):
        sequence = data.take([number])
        log_emit = sequence.log_emits(model.emission)[0]
        root = {"root_weight": model.root_weight} if method == "repaired" else {}
        build = {"beam": rv.beam, "exact": rv.exact}.get(method, rv.rcms)
        lattice, _ = build(model, log_emit, *([] if method == "exact" else [settings.budget]), **root)
        reading, path = read(model, settings, sequence), rv.viterbi(lattice)
        gold = [LABELS[y] for y in sequence.gold]
        assert [LABELS[y] for y in reading.decoded] == list(path.labels)
        assert reading.confidence == pytest.approx(np.exp(path.log_prob), rel=1e-4)
        assert reading.gold == pytest.approx(np.exp(rv.log_prob(lattice, gold)), rel=1e-4, abs=1e-12)


def test_an_unknown_gold_has_no_probability():
    data = sequences()
    model = retrained(data, SETTINGS, 10)
    unknown = replace(data, gold=np.full(data.positions, -1)).take([0])
    assert read(model, SETTINGS, unknown).gold is None


@pytest.mark.parametrize("mode", ["single", "additive"])
def test_windows_are_named_as_the_model_reads_them(mode):
    windows = {
        ("^", "^", "a"): 3.0,
        ("^", "a", "b"): -2.0,
        ("*", "*", "c"): 1.5,
        ("*", "b", "c"): -1.0,
        ("a", "c", "b"): 0.5,
        **({("*", "^", "b"): 2.5} if mode == "additive" else {("^", "*", "b"): 2.5}),
    }
    if mode == "additive":
        del windows["^", "^", "a"], windows["^", "a", "b"]
    model = rv.NgramModel.from_windows(LABELS, 2, windows, mode=mode)
    assert dict(heaviest_windows(model, 20)) == windows
    assert [weight for _, weight in heaviest_windows(model, 2)][:2] == sorted(windows.values())[:-3:-1]


def test_heaviest_features_are_named():
    model = rv.NgramModel.from_windows("ab", 1, {}, emission=np.array([[0.0, -3.0], [2.0, 0.0], [0.0, 1.0]]))
    assert heaviest_features(model, 9, ("x", "y")) == [("y", "a", 2.0), ("bias", "b", 1.0), ("x", "b", -3.0)]
    assert heaviest_features(model, 1) == [("1", "a", 2.0), ("0", "b", -3.0)]


# --- a server's limits


def test_limits_are_named_and_nothing_is_started():
    data = sequences()
    refused = [
        (HostLimits(runs=0), [SETTINGS], "0 runs are known here already, which is the limit"),
        (HostLimits(methods=1), [SETTINGS] * 2, "2 methods: train one to 1"),
        (HostLimits(methods=1), [], "0 methods"),
        (HostLimits(sequences=5), [SETTINGS], "the data has 30 sequences"),
        (HostLimits(positions=5), [SETTINGS], "the limit here is 20,000 and 5"),
        (HostLimits(bytes=1_000), [SETTINGS], "would need up to"),
    ]
    for limits, settings, message in refused:
        host = Host(limits, threads=1)
        with pytest.raises(ValueError, match=message):
            host.open("here", data, settings)
        assert not host._runs


def test_a_run_makes_room_when_it_is_replaced_or_closed():
    host, data = Host(HostLimits(runs=1), threads=1), sequences()
    first = host.open("here", data, [SETTINGS] * 2)
    with pytest.raises(ValueError, match="limit"):
        host.open("here", data, [SETTINGS])
    second = host.open("here", data, [SETTINGS], replaces=first.name)
    assert host.find(first.name) is None
    assert first.cancelled
    host.close(second.name)
    host.close("never seen")
    assert host.find(second.name) is None


def test_nobody_replaces_the_run_of_another():
    host, data = Host(threads=1), sequences()
    theirs = host.open("here", data, [SETTINGS], owner="they")
    mine = host.open("here", data, [SETTINGS], replaces=theirs.name, owner="me")
    assert (host.find(theirs.name), theirs.cancelled) == (theirs, False)
    host.close_all("they")
    assert (host.find(theirs.name), host.find(mine.name)) == (None, mine)


def test_a_run_that_nobody_looks_at_makes_room_where_it_must(monkeypatch):
    host, data = Host(HostLimits(runs=2), threads=1), sequences()
    forgotten, watched = host.open("a", data, [SETTINGS]), host.open("b", data, [SETTINGS])
    monkeypatch.setattr(forgotten.jobs[0], "_last_look", time.monotonic() - hosts.ABANDONED_SECONDS - 1)
    third = host.open("c", data, [SETTINGS])
    assert [host.find(run.name) for run in (forgotten, watched, third)] == [None, watched, third]
    with pytest.raises(ValueError, match="limit"):
        host.open("d", data, [SETTINGS])


def test_whoever_finds_no_seat_waits_in_line_and_can_go():
    host, data, gate = Host(HostLimits(trainings=1), threads=1), sequences(), threading.Event()
    host.warm_up(gate.wait)  # no training computes until then
    first, second, third, fourth = (host.open("here", data, [SETTINGS]) for _ in range(4))
    for run in (first, second, third, fourth):
        run.run()
    assert [run.ahead for run in (first, second, third, fourth)] == [0, 1, 2, 3]
    assert [snapshot.status for snapshot in third.snapshots()] == ["running"]
    second.cancel()
    third.pause()
    assert [run.ahead for run in (third, fourth)] == [0, 1]
    gate.set()
    wait_for(lambda: first.finished and fourth.finished)
    assert third.snapshots()[0].step == 0
    third.run()
    wait_for(lambda: third.finished)


def test_turns_go_from_owner_to_owner():
    turns, gate, order = Turns([LocalWorker()], 20, ready=(gate := threading.Event()).wait), gate, []
    for owner in ("greedy", "greedy", "greedy", "modest"):
        turns.executor(owner).submit(lambda owner=owner: order.append(owner))
    gate.set()
    wait_for(lambda: len(order) == 4)
    assert order[:2] in (["greedy", "modest"], ["greedy", "greedy"])  # the first one may have been taken already
    assert "modest" in order[:3]


def test_memory_is_what_trainings_hold_and_too_much_is_said():
    data = sequences()
    host = Host(threads=1)
    run = host.open("here", data, [SETTINGS])
    assert host.bytes == 0
    run.run()
    wait_for(lambda: run.finished)
    assert 0 < host.bytes < bytes_needed(data, SETTINGS)
    small = Host(HostLimits(bytes_each=1_000), threads=1)
    large = small.open("here", data, [SETTINGS])
    large.run()
    wait_for(lambda: large.finished)
    assert large.snapshots()[0].status == "failed"
    assert "a run may hold 0 MB" in large.snapshots()[0].message


def test_runs_do_not_share_anything_but_threads():
    host, data = Host(threads=2), sequences()
    mine, yours = host.open("a", data, [SETTINGS]), host.open("b", data, [SETTINGS])
    mine.run()
    wait_for(lambda: mine.finished)
    assert [snapshot.step for snapshot in yours.snapshots()] == [0]
    assert host.checkpoints("a", SETTINGS)
    assert not host.checkpoints("b", SETTINGS)
    assert not host.checkpoints("a", replace(SETTINGS, eta=1.0))


def test_what_nobody_looks_at_is_forgotten_after_half_an_hour(monkeypatch):
    host = Host(threads=1)
    run = host.open("here", sequences(), [SETTINGS])
    host.sweep()
    assert host.find(run.name) is run
    monkeypatch.setattr(hosts, "FORGOTTEN_SECONDS", -1.0)
    host.sweep()
    assert host.find(run.name) is None
    assert run.cancelled


def test_trainings_take_turns_on_one_thread():
    host, data, before = Host(threads=1), sequences(100), threading.active_count()
    run = host.open("here", data, [replace(SETTINGS, epochs=100_000), replace(SETTINGS, epochs=100_000, seed=1)])
    run.run()
    wait_for(lambda: all(len(snapshot.points) > 3 for snapshot in run.snapshots()))
    assert threading.active_count() <= before + 2  # and the clock that looks after runs
    host.close(run.name)


def test_the_host_says_while_kernels_are_compiled():
    compiled = threading.Event()
    host = Host(threads=1)
    assert not host.warming
    host.warm_up(compiled.wait)
    assert host.warming
    compiled.set()
    wait_for(lambda: not host.warming)


def test_estimates_grow_with_what_is_asked():
    data = sequences(200)
    costs = [replace(SETTINGS, budget=budget) for budget in (1, 5)] + [replace(SETTINGS, budget=5, epochs=8)]
    assert sorted(seconds_needed(data, each) for each in costs) == [seconds_needed(data, each) for each in costs]
    model = rv.NgramModel.from_windows(LABELS, 2, {})
    assert weights_needed(data, replace(SETTINGS, method="exact")) == model.size * 3
    held = Held()
    job = Job(data, SETTINGS, held)
    job.run(1)
    held.work()
    assert 0 < job.bytes < bytes_needed(data, SETTINGS) + bytes_held(data)


# --- the cache


def test_what_is_kept_is_bounded_in_bytes_and_the_newest_stays():
    cache, computed = BytesLimitedCache(lambda: 20_000), []

    @cache.memoized
    def zeros(count):
        computed.append(count)
        return {"zeros": np.zeros(count)}

    assert [len(zeros(count)["zeros"]) for count in (1_000, 1_001, 1_000)] == [1_000, 1_001, 1_000]
    assert (computed, cache.bytes) == ([1_000, 1_001], 16_008)
    zeros(999)  # exceeds the limit: the least recently used entry goes
    zeros(1_000)
    assert computed == [1_000, 1_001, 999]
    zeros(1_001)
    assert computed == [1_000, 1_001, 999, 1_001]
    zeros(100_000)
    zeros(100_000)
    assert (computed[4:], len(cache)) == ([100_000], 1)
    cache.clear()
    assert cache.bytes == 0


def test_values_that_grow_are_measured_as_they_are():
    cache = BytesLimitedCache(lambda: 20_000)
    grown = cache.memoized(lambda: {"lattice": np.zeros(10)})()
    grown["posterior"] = np.zeros(9_000)
    cache.memoized(lambda: np.zeros(1))()
    assert len(cache) == 1
    assert bytes_held([1.0] * 10 + [2]) == 11 * 32


def test_the_environment_says_how_much_memory_there_is(monkeypatch):
    for said, most in (("", 2_000_000_000), ("300", 300_000_000)):
        monkeypatch.setenv(memory.VARIABLE, said)
        assert memory.max_memory.__wrapped__() == most
    for said in ("much", "-5", "99"):
        monkeypatch.setenv(memory.VARIABLE, said)
        with pytest.raises(ValueError, match="how many megabytes"):
            memory.max_memory.__wrapped__()
