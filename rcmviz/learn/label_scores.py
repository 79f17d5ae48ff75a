"""Scores of predicted labels shared by the classifiers, under scikit-learn's names."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.shared import checks
from rcmviz.sequences.encoding import Encoder, labels_text
from rcmviz.sequences.table import Sequences, length_of

Features = Sequence[Sequence[Any]]  # of sequences: per position a dict, a list of names or a row of numbers
Labels = Sequence[Sequence[Any]]


class LabelScores:
    """A classifier's scores, and its answers by name; it supplies ``encoder_`` once it is fitted, and the label numbers
    that it ``_predictions``.
    """

    encoder_: Encoder

    def _predictions(self, data: Sequences) -> Sequence[np.ndarray]:
        """Label numbers ``(T,)`` of each sequence."""
        raise NotImplementedError

    def score(self, X: Features, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """Share of sequences whose labels are all right.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.
        y : sequence of sequences
            Their labels. One that training has not seen counts as wrong, with a warning.
        sample_weight : array_like of shape (N,), optional
            Weight of each sequence.

        Returns
        -------
        float
            The share, 0 to 1.
        """
        y = _label_sequences(y)
        right = [np.array_equal(*pair) for pair in zip(*self._compare_labels(X, y), strict=True)]
        weights = _sequence_weights(sample_weight, y)
        return float(weights @ right / weights.sum())

    def score_labels(self, X: Features, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """Share of labels that are right; a grid search takes it as its ``scoring``, from the class.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.
        y : sequence of sequences
            Their labels. One that training has not seen counts as wrong, with a warning.
        sample_weight : array_like of shape (N,), optional
            Weight of each sequence.

        Returns
        -------
        float
            The share, 0 to 1.
        """
        y = _label_sequences(y)
        golds, outputs = self._compare_labels(X, y)
        weights = _sequence_weights(sample_weight, y)
        right = [np.sum(gold == found) for gold, found in zip(golds, outputs, strict=True)]
        return float(weights @ right / (weights @ [len(gold) for gold in golds]))

    def _encode_labelled(self, X, y=None):
        if not hasattr(self, "encoder_"):  # asked first: to scikit-learn the question takes longer than to decode
            check_is_fitted(self, "encoder_")
        return self.encoder_.encode(X, y)

    def _fill_empty(self, X, empty, answers_of):
        """The answers to all sequences: ``empty`` to one without positions, which no model needs to be asked."""
        X = [list(x) if isinstance(x, Iterator) else x for x in checks.as_list("X", X, "a list of sequences")]
        full = [length_of(x) != 0 for x in X]
        if all(full):
            return answers_of(X)
        check_is_fitted(self, "encoder_")
        answers = iter(answers_of(X) if any(full) else ())
        return [next(answers) if has else copy(empty) for has in full]

    def _name_labels(self, decoded):
        name = self.encoder_.classes.__getitem__
        return [list(map(name, labels.tolist())) for labels in decoded]

    def _compare_labels(self, X, y):
        """(gold, found) label numbers by sequence that is not empty; a warning names gold labels that training has not
        seen.
        """
        y = _label_sequences(y)
        data = self._encode_labelled(X, y)
        unseen = self.encoder_.unseen(y)
        if unseen:
            warn(f"labels that training has not seen count as wrong: {labels_text(unseen)}", stacklevel=3)
        return data.golds(), self._predictions(data)


def _label_sequences(y):
    if y is None:
        raise ValueError("a score compares with labels: give y, a list of label sequences")
    return checks.as_list("y", y, "a list of label sequences")


def _sequence_weights(given, y):
    """The weights of all sequences that are not empty, one each by default; ValueError where they are not one each."""
    number, full = len(y), [len(labels) > 0 for labels in y]
    weights = np.ones(number) if given is None else checks.floats(given, "sample_weight: give one number per sequence")
    if weights.shape != (number,) or not (weights >= 0).all() or not 0 < weights[full].sum() < np.inf:
        raise ValueError(f"sample_weight of shape {weights.shape}: give one number per sequence, {number}, not all 0")
    return weights[full]
