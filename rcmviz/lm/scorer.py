"""A language model as a scorer of labels."""

from warnings import warn

import numpy as np

from rcmviz.core.shared import checks


class WordScorer:
    """The result of ``LanguageModel.scorer``: log probabilities of labels, which are words of the model."""

    def __init__(self, lm, labels):
        labels = checks.as_list("labels", labels, "a list of words", or_text=True)
        self.lm, self.order, self.words = lm, lm.order, lm.ids(labels)
        lacked = [label for label, known in zip(labels, (self.words >= 0).tolist(), strict=True) if not known]
        if lacked:
            raise ValueError(f"labels: the language model does not know {lacked[0]!r} and has no <unk>")
        some = [label for label in labels if label not in lm]
        if some:
            warn(f"the language model lacks {len(some):,} labels, {some[0]!r} for one: scored as <unk>", stacklevel=4)
        self._ids = np.append(self.words, lm.begin).astype(np.int32)  # the last one is that of −1

    def score(self, contexts):
        """Log probabilities (n, V) of all labels after ``contexts (n, order − 1)`` of their numbers."""
        return self._rows(contexts, self.words)

    def score_some(self, contexts, labels):
        """Log probabilities (n, K) of the labels with these numbers (K,)."""
        return self._rows(contexts, self.words[checks.integers("labels", labels, 0, len(self.words))])

    def _rows(self, contexts, words):
        contexts = checks.integers("contexts", contexts, -1, len(self.words), dims=2)
        histories = self._ids[contexts]
        histories[:, :-1][contexts[:, 1:] < 0] = -1  # the beginning stands once, before the first label
        return self.lm.log_rows(histories, words)
