"""One training where it computes, in a thread of the server or a worker process: its trainer, and now and then the
evaluation of its state.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

BYTES_PER_NUMBER = 32  # in a list: the number, and where it is


class Tools(NamedTuple):
    """The functions of a ``JobKind`` that are called where a training computes."""

    trainer: Callable
    evaluation: Callable
    prepare: Callable


class TrainingTask:
    """A ``trainer`` and the ``evaluation`` of its state, in pieces."""

    def __init__(self, tools, data, settings, held_out=None, info=None):
        """ValueError as the trainer of ``tools``."""
        self._tools, self.trainer, self.evaluation = tools, tools.trainer(data, settings, info=info), None
        self._held_out, self._settings, self._model = held_out, settings, None

    def prepare(self):
        """A piece of what comes before the first example; whether that was all."""
        return self._tools.prepare(self.trainer)

    def advance(self, examples, guidance):
        """(The state after ``examples`` more, bytes that it holds); ``guidance`` are its settings by name."""
        state = self.trainer.advance(examples, **guidance)
        self._model = state.model
        return state, bytes_held(self.trainer)

    def evaluate_next(self, most):
        """The scores of all that is held out, by name, once the next ``most`` were the last ones; None before."""
        if self.evaluation is None:
            self.evaluation = self._tools.evaluation(replace(self._model), self._held_out, self._settings)
        if not self.evaluation.evaluate_next(most):
            return None
        scores, self.evaluation = self.evaluation.scores, None
        return scores

    def cancel(self):
        """Called from another thread while it computes: the rest is not needed."""
        self.trainer.cancelled = True


def bytes_held(thing):
    """Bytes of an object and its parts in arrays, texts and lists of numbers, each counted once.

    >>> one = np.zeros(1_000)
    >>> bytes_held({"once": one, "again": [one, one[3:]]})
    8000
    """
    seen, waiting, total = set(), [thing], 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, np.ndarray):
            while isinstance(one.base, np.ndarray):
                one = one.base
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            total += one.nbytes
        elif isinstance(one, (str, bytes)):
            total += len(one) if len(one) > 64 else 0
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, (list, tuple, set)):
            if isinstance(next(iter(one), None), (int, float)):  # of a kind, and often many
                total += BYTES_PER_NUMBER * len(one)
            else:
                waiting += one
        elif hasattr(one, "__dict__") and not isinstance(one, type) and not callable(one):
            waiting += vars(one).values()
    return total
