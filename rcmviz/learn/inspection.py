"""Inspection of a sequence classifier: its weights, and explanations of its answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks
from rcmviz.learn.heaviest import heaviest_features, heaviest_windows
from rcmviz.sequences.encoding import Encoder


class InspectionMixin:
    """Inspection of a classifier that supplies ``model_``, ``encoder_`` and ``_posteriors`` of log emissions."""

    model_: NgramModel
    encoder_: Encoder

    def _posteriors(self, stacked: np.ndarray, offset: np.ndarray) -> list[np.ndarray]:
        """Label posteriors ``(T, Y)`` of sequences whose log emissions are ``stacked (N, Y)``, by ``offset (W+1,)``."""
        raise NotImplementedError

    def top_features(self, count: int = 20) -> list[tuple[str, str, float]]:
        """Features with the largest weights.

        Parameters
        ----------
        count : int
            How many of the largest positive and how many of the largest negative weights.

        Returns
        -------
        list of (str, str, float)
            Feature, label and weight in nats, the largest positive first, then the largest negative.
        """
        check_is_fitted(self, "model_")
        return heaviest_features(self.model_, checks.whole("count", count, 1, 1_000_000), self.encoder_.names)

    def top_transitions(self, count: int = 20) -> list[tuple[tuple[str, ...], float]]:
        """Windows of labels with the largest weights.

        Parameters
        ----------
        count : int
            How many of the largest positive and how many of the largest negative weights.

        Returns
        -------
        list of (tuple of str, float)
            Window, its last label being the predicted one, and weight in nats. ``*`` is forgotten, ``^`` the beginning.
        """
        check_is_fitted(self, "model_")
        return heaviest_windows(self.model_, checks.whole("count", count, 1, 1_000_000))

    def explain(self, x: Sequence[Any], position: int, label: Any = None) -> list[tuple[str, float]]:
        """Explain a position's label: the contribution of each feature to the label's log probability.

        Parameters
        ----------
        x : sequence
            One sequence as in ``fit``.
        position : int
            The position, from 1.
        label : object, optional
            One of ``classes_``, by default the most probable label of the position.

        Returns
        -------
        list of (str, float)
            Feature, and by how many nats the label's log posterior falls when only this feature is left out, the
            largest first. Contexts are chosen again without it, so this is a difference of two answers; such
            differences need not add up.

        Raises
        ------
        ValueError
            The sequence has no such position, or there is no such label.

        Examples
        --------
        >>> import rcmviz as rv
        >>> X, y = [[["the"], ["cat"]], [["a"], ["dog", "noun-like"]]], [["DET", "NOUN"]] * 2
        >>> classifier = rv.SequenceClassifier(order=1, epochs=10).fit(X, y)
        >>> sorted(feature for feature, nats in classifier.explain([["a"], ["dog", "noun-like"]], 2) if nats > 0)
        ['dog', 'noun-like']
        """
        check_is_fitted(self, "model_")
        data = self.encoder_.encode([x])
        i = checks.whole("position", position, 1, data.positions) - 1
        (log_emit,) = data.log_emits(self.model_.emission)
        entries = slice(int(data.start[i]), int(data.start[i + 1]))
        features, values = data.feature[entries], data.value[entries]
        without = np.repeat(log_emit[None], len(features) + 1, axis=0)
        without[1:, i] -= values[:, None] * self.model_.emission[features].astype(np.float64)
        with np.errstate(divide="ignore"):
            stacked, offset = without.reshape(-1, without.shape[2]), np.arange(len(without) + 1) * without.shape[1]
            logs = np.log([rows[i] for rows in self._posteriors(stacked, offset)])
        y = int(logs[0].argmax()) if label is None else self._class_number(label)
        names = self.encoder_.names or range(self.encoder_.F)
        found = [(str(names[f]), float(logs[0, y] - log)) for f, log in zip(features, logs[1:, y], strict=True)]
        return sorted(found, key=lambda entry: -entry[1])

    def _class_number(self, label):
        if not isinstance(label, (str, int, np.generic)) or label not in self.encoder_.classes:
            raise ValueError(f"label {label!r}: training has seen no such label")
        return self.encoder_.classes.index(label)
