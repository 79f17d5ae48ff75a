"""Computations in a worker process: values, errors, fair turns, cancelling, killed processes."""

import os
import signal
import threading

import numpy as np
import pytest

from pages.shell import computing
from rcmviz.jobs.calls import SMALL_SECONDS, Calls
from rcmviz.jobs.workers import ProcessWorker, WorkerLost
from support.jobs import wait_for


class Gone(Exception):
    """Whoever waited has left."""


class Held:
    """A worker of this process whose answers are given by the test."""

    def __init__(self):
        self.begun, self._go = [], threading.Semaphore(0)

    def compute(self, function, *given):
        """Return once the test releases it."""
        self.begun.append(given[0])
        self._go.acquire()
        return function(*given)

    def answer(self):
        """Let one computation end."""
        self._go.release()

    def rest(self):
        """Nothing to end."""


def own_id(_=None):
    """Where it is computed."""
    return os.getpid()


def forever(path):
    """Say where, and never end."""
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    while True:
        signal.pause()


def die_once(path):
    """The first process that computes this is killed."""
    if not os.path.exists(path):
        open(path, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "again"


class Lost:
    """A worker whose process always dies."""

    def compute(self, *_):
        """Never to the end."""
        raise WorkerLost("it was ended by signal 9")

    def rest(self):
        """Nothing to end."""


@pytest.fixture(scope="module")
def calls():
    worker = ProcessWorker(1_000_000_000)
    yield Calls([worker])
    worker.rest(0)


def test_a_value_an_error_and_the_limit_of_memory_come_back(calls):
    assert calls.compute(own_id) not in (None, os.getpid())
    with pytest.raises(ValueError, match="invalid literal"):
        calls.compute(int, "seven")
    with pytest.raises(ValueError, match="memory"):
        calls.compute(np.ones, 10**10)


def test_whoever_leaves_ends_it_at_once_and_the_next_one_is_served(calls, tmp_path):
    path = tmp_path / "where"

    def leave(_):
        if path.exists() and path.read_text():
            raise Gone

    with pytest.raises(Gone):
        calls.compute(forever, str(path), waiting=leave)
    with pytest.raises(ProcessLookupError):
        os.kill(int(path.read_text()), 0)
    assert calls.compute(abs, -3) == 3


def test_a_killed_process_computes_again_and_one_that_always_dies_is_said(calls, tmp_path):
    assert calls.compute(die_once, str(tmp_path / "died")) == "again"
    with pytest.raises(ValueError, match="signal 9"):
        Calls([Lost()]).compute(abs, -3)


def test_turns_go_from_person_to_person_and_the_line_is_seen():
    worker, places, asked = Held(), {}, {}
    calls = Calls([worker])

    def ask(name, owner):
        seen = places.setdefault(name, [])
        task = lambda: asked.setdefault(name, calls.compute(str, name, owner=owner, waiting=seen.append))  # noqa: E731
        thread = threading.Thread(target=task, daemon=True)
        thread.start()
        return thread

    threads = [ask("a1", "a")]
    wait_for(lambda: worker.begun == ["a1"])
    for name in ("a2", "a3", "b1"):
        threads.append(ask(name, name[0]))
        wait_for(lambda seen=places[name]: seen)
    wait_for(lambda: [places[name][-1] for name in ("b1", "a2", "a3")] == [1, 2, 3])
    for count in range(2, 5):
        worker.answer()
        wait_for(lambda most=count: len(worker.begun) == most)
    worker.answer()
    for thread in threads:
        thread.join()
    assert worker.begun == ["a1", "b1", "a2", "a3"]
    assert asked == {name: name for name in worker.begun}


def test_whoever_leaves_the_line_is_not_computed():
    worker = Held()
    calls = Calls([worker])
    first = threading.Thread(target=calls.compute, args=(str, "first"), daemon=True)
    first.start()
    wait_for(lambda: worker.begun == ["first"])

    def leave(ahead):
        assert ahead == 1
        raise Gone

    with pytest.raises(Gone):
        calls.compute(str, "second", waiting=leave)
    worker.answer()
    first.join()
    worker.answer()
    assert calls.compute(str, "third") == "third"
    assert worker.begun == ["first", "third"]


def test_small_work_stays_where_it_is_asked_for_and_large_work_leaves(monkeypatch):
    calls = Calls([Held()])
    sent = []
    monkeypatch.setattr(calls, "compute", lambda *given, **named: sent.append(given) or "sent")
    monkeypatch.setattr(computing, "shared_calls", lambda: calls)
    assert computing.compute(SMALL_SECONDS - 0.01, abs, -3) == 3 and not sent
    assert computing.compute(SMALL_SECONDS, abs, -3) == "sent" and sent == [(abs, -3)]
