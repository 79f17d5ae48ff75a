"""The course of a training through its examples: where it stands, and which come next."""

import numpy as np


class Course:
    """What every trainer counts alike; it has ``data``, ``settings`` with epochs, seed and shuffle, and ``steps (1,)``.

    The kernels count the steps, so that an interrupt finds weights and count agree.
    """

    @property
    def step(self):
        """Examples visited in all."""
        return int(self.steps[0])

    @property
    def epoch(self):
        """Complete passes over the data."""
        return self.step // len(self.data)

    @property
    def done(self):
        """Whether all epochs are over."""
        return self.epoch >= self.settings.epochs

    def visits(self, epoch):
        """The order in which an epoch visits the examples (W,): it follows from seed and epoch alone."""
        if not self.settings.shuffle:
            return np.arange(len(self.data))
        return np.random.default_rng([self.settings.seed, epoch]).permutation(len(self.data))

    def upcoming(self, examples=None):
        """The next ``examples``, the rest of the epoch by default and never beyond its end.

        ValueError for no whole number of them, and where all epochs are over.
        """
        if examples is not None and (not isinstance(examples, (int, np.integer)) or examples < 1):
            raise ValueError(f"{examples!r} examples at once: a whole number, 1 or more")
        if self.done:
            raise ValueError(f"all {self.settings.epochs} epochs are over; resume with more of them")
        return self.visits(self.epoch)[self.step % len(self.data) :][:examples]
