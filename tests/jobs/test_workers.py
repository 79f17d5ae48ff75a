"""Trainings in worker processes: equal bits, killed processes, cancelling, memory limits."""

import os
import signal
import threading
import time
from dataclasses import dataclass, replace

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.align.pairs import Pairs
from rcmviz.align.settings import AlignTraining
from rcmviz.jobs.alignments import ALIGN_JOBS, AlignJobTrainer
from rcmviz.jobs.host import Host
from rcmviz.jobs.worker import NICENESS
from rcmviz.jobs.workers import ProcessWorker, WorkerLost, workers_from_environment
from support.jobs import awake, sequences, wait_for  # noqa: F401

SETTINGS = rv.Training(order=2, budget=3, epochs=4)
ROOM = 2_000_000_000


@dataclass
class Numbers:
    """An object that tests create in another process."""

    start: int
    cancelled: bool = False

    def plus(self, more):
        """A sum."""
        return self.start + more

    def fill(self, size):
        """Take memory."""
        return int(np.ones(size, np.uint8).sum())

    def fail(self):
        """An error of a kind that a page shows."""
        raise ValueError("seven is too many")

    def odd(self):
        """Return an object that cannot be pickled."""
        return lambda: None

    def last(self):
        """Run until cancelled."""
        while not self.cancelled:
            time.sleep(0.001)
        return "cancelled"

    def cancel(self):
        """Set the flag; called without waiting for other calls."""
        self.cancelled = True

    def pid(self):
        """Return the number of its process."""
        return os.getpid()


@pytest.fixture(scope="module")
def worker():
    worker = ProcessWorker(ROOM)
    yield worker
    worker._made.clear()
    worker.rest(0)


def test_objects_live_in_another_process_and_errors_come_back(worker):
    one, two = worker.make(Numbers, 1), worker.make(Numbers, 2)
    assert (one.plus(1), two.plus(1), one.pid()) == (2, 3, worker.pid)
    assert one.pid() != os.getpid()
    with pytest.raises(ValueError, match="seven is too many"):
        one.fail()
    with pytest.raises(RuntimeError, match="function"):
        one.odd()
    with pytest.raises((AttributeError, TypeError)):
        worker.make(lambda: None)  # no name by which the other process could find it
    assert worker.holds == 2
    worker.drop(one)
    wait_for(lambda: worker.holds == 1)
    assert os.getpriority(os.PRIO_PROCESS, worker.pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


def test_a_dropped_training_stops_at_once(worker):
    busy, heard = worker.make(Numbers, 0), []
    waiting = threading.Thread(target=lambda: heard.append(busy.last()))
    waiting.start()
    worker.drop(busy)
    waiting.join()
    assert heard == ["cancelled"]


def test_memory_is_bounded(worker):
    number = worker.make(Numbers, 0)
    with pytest.raises(ValueError, match="memory"):
        number.fill(2 * ROOM)
    assert number.plus(1) == 1


def test_a_killed_process_is_reported_and_replaced(worker):
    number = worker.make(Numbers, 0)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerLost, match="signal 9"):
        number.plus(1)
    assert (worker.pid, worker.holds) == (None, 0)
    assert worker.make(Numbers, 5).plus(1) == 6
    with pytest.raises(WorkerLost):
        number.plus(1)  # its process has ended


@pytest.fixture(scope="module")
def host():
    host = Host(workers=1)
    yield host
    assert host._turns.rest(0)


def test_trainings_in_processes_learn_the_same_bits_also_where_one_is_killed(host):
    data, held_out = sequences(200), sequences(10, seed=1)
    settings = [replace(SETTINGS, epochs=30), replace(SETTINGS, method="beam", average=True)]
    run = host.open("here", data, settings, held_out, info={"of": "a test"})
    worker = host._turns._lanes[0].worker
    run.run()
    wait_for(lambda: run.snapshots()[0].step > 200)
    os.kill(worker.pid, signal.SIGKILL)
    wait_for(lambda: run.finished)
    for snapshot, each in zip(run.snapshots(), settings, strict=True):
        assert snapshot.status == "done"
        *_, last = rv.train(data, each, held_out, info={"of": "a test"})
        model = snapshot.checkpoints[-1].model
        np.testing.assert_array_equal(model.weights, last.model.weights)
        np.testing.assert_array_equal(model.emission, last.model.emission)
        assert model.info == last.model.info
        assert snapshot.points[-1].accuracy == last.accuracy
    assert "has died (it was ended by signal 9)" in run.snapshots()[0].note
    wait_for(lambda: not worker.holds)
    assert worker.pid is not None
    assert not host._turns.rest()  # it may be needed again


def test_alignments_in_a_process_learn_the_same_bits(host):
    pairs = Pairs.from_pairs([(("HH", "AY"), "hi"), (("L", "OW"), "low"), (("N", "OW"), "know")] * 3)
    settings = AlignTraining(budget=4, order=2, epochs=2, strategy="forced")
    run = host.open("here", pairs, [settings], pairs, job_kind=ALIGN_JOBS)
    run.run()
    wait_for(lambda: run.finished)
    (snapshot,), trainer = run.snapshots(), AlignJobTrainer(pairs, settings)
    while not trainer.done:
        trainer.advance()
    np.testing.assert_array_equal(snapshot.checkpoints[-1].model.weights, trainer.model().weights)
    assert snapshot.points[-1].error_rate < 1


def test_the_environment_sets_the_number_of_processes(monkeypatch):
    for said, count in (("0", 0), ("3", 3), ("", os.cpu_count()), (None, os.cpu_count())):
        monkeypatch.delenv("RCMVIZ_WORKERS", raising=False)
        if said is not None:
            monkeypatch.setenv("RCMVIZ_WORKERS", said)
        assert workers_from_environment() == count
    monkeypatch.setenv("RCMVIZ_WORKERS", "many")
    with pytest.raises(ValueError, match="'many'"):
        workers_from_environment()


def test_a_training_that_cannot_begin_is_refused_before_any_process_is():
    host = Host(workers=1)
    data = sequences()
    with pytest.raises(ValueError, match="a position has no gold label"):
        host.open("here", replace(data, gold=np.full(data.positions, -1)), [SETTINGS])
    assert host._turns._lanes[0].worker.pid is None
