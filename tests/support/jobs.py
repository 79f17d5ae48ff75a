"""Training sequences for jobs, an executor under manual control, and waiting.

Tests that wait for trainings import ``awake``: trainings pause while no page shows them.
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
    """An executor that runs submitted work only on request, so that tests choose the interleaving."""

    ahead = 0

    def __init__(self, worker=None):
        self.queue, self.worker = [], worker or LocalWorker()
        self.make, self.drop = self.worker.make, self.worker.drop

    def leave(self):
        """Do nothing: the number of workers is unlimited."""

    def withdraw(self):
        """Return False: nothing waits."""
        return False

    def submit(self, work):
        self.queue.append(work)

    def work(self, stretches=1):
        for _ in range(stretches):
            if self.queue:
                self.queue.pop(0)()


@pytest.fixture(autouse=True)
def awake(monkeypatch):
    """Keep trainings from pausing on a busy machine; tests of pausing set the clock."""
    monkeypatch.setattr(job, "SLEEP_SECONDS", 3_600.0)


def wait_for(condition):
    """Wait up to ten minutes: kernels may have to be compiled, and the machine may be busy."""
    for _ in range(60_000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")
