"""The course of a training through its examples: its state, and the next examples."""

from typing import Any

import numpy as np

from rcmviz.core.shared import checks


class ExampleSchedule:
    """The schedule shared by trainers; it has ``data``, ``settings`` with epochs, seed and shuffle, and ``steps (1,)``.

    The kernels count the steps, so that an interrupt finds weights and count agree.
    """

    data: Any
    settings: Any
    steps: np.ndarray

    @property
    def step(self) -> int:
        """Examples visited in all."""
        return int(self.steps[0])

    @property
    def epoch(self) -> int:
        """Complete passes over the data."""
        return self.step // len(self.data)

    @property
    def done(self) -> bool:
        """Whether all epochs are over."""
        return self.epoch >= self.settings.epochs

    def visits(self, epoch: int) -> np.ndarray:
        """Order in which an epoch visits the examples; it follows from seed and epoch alone.

        Parameters
        ----------
        epoch : int
            Number of the epoch, from 0 on.

        Returns
        -------
        ndarray of int, shape (W,)
            Numbers of the examples.
        """
        checks.whole("epoch", epoch, 0)
        if not self.settings.shuffle:
            return np.arange(len(self.data))
        return np.random.default_rng([self.settings.seed, epoch]).permutation(len(self.data))

    def upcoming(self, examples: int | None = None) -> np.ndarray:
        """Examples that come next.

        Parameters
        ----------
        examples : int, optional
            How many, the rest of the epoch by default and never beyond its end.

        Returns
        -------
        ndarray of int
            Numbers of the examples.

        Raises
        ------
        ValueError
            ``examples`` is no whole number from 1 on, or all epochs are over.
        """
        if examples is not None and (not checks.is_whole(examples) or examples < 1):
            raise ValueError(f"{examples!r} examples at once: a whole number, 1 or more")
        if self.done:
            raise ValueError(f"all {self.settings.epochs} epochs are over; resume with more of them")
        return self.visits(self.epoch)[self.step % len(self.data) :][:examples]
