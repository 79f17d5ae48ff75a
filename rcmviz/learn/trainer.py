"""The trainer: AdaGrad on the log-likelihood, one example per step, contexts selected at the present weights."""

import time

import numpy as np

from rcmviz.kernels import train as kernel
from rcmviz.learn.settings import State, Training
from rcmviz.model import NgramModel


class Trainer:
    """A training that can be stopped and continued after any example."""

    def __init__(self, data, settings=None, held_out=None, info=None):
        self.data, self.settings, self.held_out = data, settings or Training(), held_out
        self.info = dict(info or {})
        self.step, self.seconds = 0, 0.0
        width = len(data.labels)
        self._empty = NgramModel(data.labels, self.settings.order, "single", np.zeros(0, np.int64), np.zeros((0, width)))
        shape, emission = (self._empty.size, width), (data.F + 1, width)
        self._weights = np.zeros(shape), np.ones(shape), np.zeros(shape), np.zeros(emission), np.zeros(emission)
        dense = np.zeros((data.positions, data.F), bool)
        dense[np.repeat(np.arange(data.positions), np.diff(data.start)), data.feature] = True
        self._arrays = dense, np.array(data.gold), np.array(data.offset)

    @property
    def epoch(self):
        """Complete passes over the data."""
        return self.step // len(self.data)

    @property
    def done(self):
        """Whether all epochs are over."""
        return self.epoch >= self.settings.epochs

    def advance(self, examples=None):
        """Visit the next ``examples`` (the rest of the epoch by default, never beyond it) and say how they were."""
        began = time.perf_counter()
        first = self.step % len(self.data)
        visit = np.random.default_rng([self.settings.seed, self.epoch]).permutation(len(self.data))
        visit = visit[first : first + (examples or len(visit))]
        rule = (True, True, np.iinfo(np.int64).max, 0.0)
        s = self.settings
        total = kernel.train_epoch(visit, self._arrays, self._weights, s.budget, s.eta, s.delta, self._empty.address, rule)
        self.step += len(visit)
        self.seconds += time.perf_counter() - began
        nan = float("nan")
        return State(self.step, self.epoch, total / len(visit), nan, nan, 0.0, nan, nan, nan, self.seconds, self.model())

    def model(self):
        """The model as it is now."""
        log_table, _, _, emission, _ = self._weights
        used = np.flatnonzero(np.any(log_table != 0, axis=1))
        return NgramModel(
            self._empty.labels, self._empty.order, "single", used, log_table[used].astype(np.float32),
            emission.astype(np.float32), self.info | self.settings.to_dict(),
        )  # fmt: skip


def train(data, settings=None, held_out=None, *, every=None, info=None):
    """Train; yields a ``State`` every so many examples (an epoch by default)."""
    trainer = Trainer(data, settings, held_out, info)
    while not trainer.done:
        yield trainer.advance(every)
