"""Evaluation of a model on held-out sequences, decoded as in its training."""

import numpy as np

from rcmviz.core.inference.batch import infer_batch
from rcmviz.evaluation.confidence import recall_at_precision


class HeldOutSequences:
    """The sequences held out, decoded as in training, in pieces: exact inference takes seconds for all."""

    def __init__(self, model, held_out, settings):
        self._model, self._settings, self._gold = model, settings, held_out.golds()
        self._emits = held_out.log_emits(model.emission)
        self._right, self._confidence = [], []

    def evaluate_next(self, most):
        """Decode the next ``most`` sequences; whether that was all."""
        done, s = len(self._right), self._settings
        piece = slice(done, done + most)
        batch = infer_batch(
            self._model,
            self._emits[piece],
            s.method,
            s.budget,
            passes=s.passes,
            deduplicate=s.deduplicate,
            dtype="f8",
            threads=1,
        )
        self._right += [np.array_equal(*pair) for pair in zip(batch.labels, self._gold[piece], strict=True)]
        self._confidence += np.exp(batch.log_prob).tolist()
        return len(self._right) == len(self._gold)

    @property
    def scores(self):
        """The held-out values of a point, by name."""
        right, confidence = np.array(self._right), np.array(self._confidence)
        recall = recall_at_precision(confidence, right, 0.99)
        return {"accuracy": float(right.mean()), "recall_99": recall, "confidence": float(confidence.mean())}


def evaluate_held_out(model, data, settings):
    """(accuracy of whole sequences, recall at 99 % precision, mean confidence) as the training infers."""
    evaluation = HeldOutSequences(model, data, settings)
    evaluation.evaluate_next(len(data))
    return tuple(evaluation.scores.values())
