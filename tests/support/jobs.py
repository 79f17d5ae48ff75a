"""Sequences to train on beside a page, an executor that works when it is asked to, and waiting.

``awake`` is imported where trainings are waited for: while a test waits, nobody looks at the page.
"""

import time

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.jobs import job
from rcmviz.jobs.workers import LocalWorker

LABELS = "abc"


def sequences(count=30, seed=0):
    rng = np.random.default_rng(seed)
    gold = ["".join(rng.choice(list(LABELS), size=rng.integers(2, 6))) for _ in range(count)]
    shown = [np.eye(3)[["abc".index(label) for label in word]] + 0.4 * rng.random((len(word), 3)) for word in gold]
    return rv.Sequences.from_arrays([(pixels > 0.9).astype(float) for pixels in shown], gold, LABELS)


class Held:
    """An executor that keeps what is handed in until it is asked to work: every interleaving can be made by hand."""

    ahead = 0

    def __init__(self, worker=None):
        self.queue, self.worker = [], worker or LocalWorker()
        self.make, self.drop = self.worker.make, self.worker.drop

    def leave(self):
        """There are seats for all."""

    def withdraw(self):
        """Nobody waits in line."""
        return False

    def submit(self, work):
        self.queue.append(work)

    def work(self, stretches=1):
        for _ in range(stretches):
            if self.queue:
                self.queue.pop(0)()


@pytest.fixture(autouse=True)
def awake(monkeypatch):
    """No training falls asleep, however long a busy machine takes; tests that let one sleep set the clock."""
    monkeypatch.setattr(job, "SLEEP_SECONDS", 3_600.0)


def wait_for(condition):
    """Up to ten minutes: kernels may have to be compiled first, and the machine may be busy."""
    for _ in range(60_000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")
