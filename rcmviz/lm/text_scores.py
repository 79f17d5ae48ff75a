"""Scores of sentences by a language model: their log probabilities, and the words that it counted."""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.shared.frozen import CopyableMixin, freeze


@dataclass(frozen=True, eq=False)
class TextScores(CopyableMixin):
    """Log probabilities of n sentences, as ``LanguageModel.score`` returns them.

    Attributes
    ----------
    log_prob : ndarray of shape (n,)
        Log probability of each sentence in nats, without words that have no probability.
    words : ndarray of int, shape (n,)
        How many words were predicted, ends of sentences among them.
    unknown : ndarray of int, shape (n,)
        How many of them the vocabulary lacks; scored as ``<unk>``, left out where the model has none.
    has_unknown : bool
        Whether the model has ``<unk>``.
    """

    log_prob: np.ndarray
    words: np.ndarray
    unknown: np.ndarray
    has_unknown: bool

    def __post_init__(self):
        freeze(self)

    @property
    def perplexity(self) -> float:
        """Perplexity per word, exp(−log_prob / words) over all scored words."""
        scored = self.words.sum() - (0 if self.has_unknown else self.unknown.sum())
        return float(np.exp(-self.log_prob.sum() / scored)) if scored else float("nan")
