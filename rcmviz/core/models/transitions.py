"""Weights from one label to the next: a table, as problems of order 1 are given, and the equivalent model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared.logs import log_sum


@dataclass(frozen=True, eq=False)
class Transitions:
    """A weight in nats for each label after each label, at the start, and after a label that was forgotten.

    Parameters
    ----------
    after : ndarray of shape (Y, Y)
        Row: the label before; column: the next one.
    start : ndarray of shape (Y,)
        Weights of the first label.
    forgotten : ndarray of shape (Y,)
        Weights where the label before is forgotten.
    """

    after: np.ndarray
    start: np.ndarray
    forgotten: np.ndarray

    @classmethod
    def of(cls, after: np.ndarray, start: np.ndarray | None = None, forgotten: np.ndarray | None = None) -> Transitions:
        """By default all labels are equally likely to begin, and a forgotten label could have been any: the log of the
        mean over the labels before.

        >>> table = Transitions.of(np.log([[0.9, 0.1], [0.5, 0.5]]))
        >>> np.exp(table.forgotten).round(3).tolist(), table.start.tolist()
        ([0.7, 0.3], [0.0, 0.0])
        """
        start = np.zeros(len(after)) if start is None else start
        if forgotten is None:
            forgotten = log_sum(after, axis=0) - np.log(len(after))
        return cls(after, start, forgotten)

    def model(self, labels: tuple[str, ...]) -> NgramModel:
        """The model of order 1 with these weights."""
        empty = NgramModel.from_windows(labels, 1, {})
        keys = np.concatenate([_addresses(empty, *group) for group in ((1, 0), (1, 1), (0, 0))])
        weights = np.vstack([self.forgotten, self.after, self.start])
        order = np.argsort(keys)
        return NgramModel(labels, 1, empty.mode, keys[order], weights[order])


def transitions_of(model: NgramModel) -> Transitions | None:
    """The table of a model, None where a table cannot say it or where listing its windows is shorter."""
    width = len(model.labels)
    if model.order != 1 or model.additive or 2 * np.count_nonzero(model.weights) <= width * (width + 2):
        return None
    rows = np.zeros((width + 2, width))
    rows[model.keys] = model.weights
    start, forgotten = rows[_addresses(model, 0, 0)], rows[_addresses(model, 1, 0)]
    return Transitions(rows[_addresses(model, 1, 1)], start[0], forgotten[0])


def _addresses(model, i, known):
    """Addresses of the rows of contexts that remember ``known`` labels at position min(i, 1)."""
    return int(model.base[i, known]) + np.arange(len(model.labels) ** known, dtype=np.int64)
