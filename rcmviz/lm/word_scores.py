"""The words of a language model as scores of an HMM's candidates."""

import numpy as np

from rcmviz.core.models.suffix_scores import START, SuffixScores


class WordScores(SuffixScores):
    """The language model and the observations of an ``HMM``; see ``scores.Scores``.

    A position offers its candidates: indices beyond them are padding, without mass. Contexts equal in their last N − 1
    words share a row, also where words of different indices are the unknown word.
    """

    remedy = "use rcms, beam or ars_decode, or offer fewer candidates"

    def __init__(self, hmm, log_emit):
        settings = {"temperature": float(hmm.temperature), "end": bool(hmm.end)}
        super().__init__(hmm.labels, hmm.choices, max(hmm.order - 1, 1), log_emit, settings)
        self.hmm = hmm

    @property
    def every_arc(self):
        """Whether the language model gives every word some probability after every history."""
        return self.hmm.lm.is_positive

    def __str__(self):
        return f"with a {self.hmm.order}-gram model and up to {self.log_emit.shape[1]} candidates at a position"

    def seen(self, i, suffixes):
        """Ids of the words, −1 where they are forgotten."""
        ids = np.full(suffixes.shape, -1, np.int32)
        ids[suffixes == START] = self.hmm.lm.begin
        for back in range(1, min(i, self.order) + 1):
            indices = suffixes[:, -back]
            words = self.hmm.words[i - back].take(indices, mode="clip")
            np.copyto(ids[:, -back], words, where=indices >= 0)
        return ids

    def log_scores(self, i, histories):
        """Log probabilities of the candidates after each history of word ids."""
        return self.hmm.lm.log_rows(histories, self.hmm.words[i], 1.0 / self.hmm.temperature)
