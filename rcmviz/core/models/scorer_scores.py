"""A scorer's batched calls as scores of arcs: what a context forgot is read off its heaviest history."""

import numpy as np

from rcmviz.core.models.suffix_scores import FORGOTTEN, START, SuffixScores
from rcmviz.core.shared import checks

BEFORE = -1  # in a scorer's contexts: before the first label
AT_ONCE = 4_000_000  # scores of one call, 32 MB


class ScorerScores(SuffixScores):
    """The calls of a ``ScorerModel``'s scorer and its emissions; see ``scores.Scores``."""

    follows = True
    remedy = "use rcms or beam, fewer candidates or a lower order; rv.importance takes bound=0"

    def __init__(self, model, log_emit):
        super().__init__(model.labels, model.choices, max(model.order - 1, 1), log_emit)
        self.model = model

    def suffixes(self, columns, links=None):
        """Indices (C, order) of the last labels of the heaviest histories, so that nothing is forgotten."""
        if links is None:
            return super().suffixes(columns)
        i, n = len(columns) - 1, self.order
        found = np.full((columns[-1].shape[1], n), START, np.int64)
        at = np.arange(len(found))
        for back in range(1, min(i, n) + 1):
            origin, label = links[i - back]
            found[:, -back] = label[at]
            at = origin[at]
        return found

    def seen(self, i, suffixes):
        """The numbers of the labels, ``BEFORE`` before the first."""
        contexts = np.where((suffixes == START) | (suffixes == FORGOTTEN), BEFORE, suffixes)
        if self.model.numbers is not None:
            for back in range(1, min(i, self.order) + 1):
                contexts[:, -back] = self.model.numbers[i - back, suffixes[:, -back]]
        return contexts if self.model.order > 1 else np.full_like(contexts, BEFORE)  # not read

    def log_scores(self, i, contexts):
        """The scorer's scores of the labels of position i + 1, in batches of contexts."""
        table = np.full((len(contexts), self.log_emit.shape[1]), -np.inf)
        labels = None if self.model.numbers is None else self.model.numbers[i, : self.widths[i]]
        asked = contexts[:, self.order - (self.model.order - 1) :]
        block = max(1, AT_ONCE // len(self.model.names))
        for start in range(0, len(contexts), block):
            rows = slice(start, start + block)
            table[rows, : self.widths[i]] = self._ask_scorer(asked[rows].copy(), labels)
        return table

    def _ask_scorer(self, contexts, labels):
        """Log scores (n, Y) after some contexts, of all labels or of those with these numbers."""
        if labels is None:
            return self._check_answer(self.model.score(contexts), "score", contexts, range(len(self.model.names)))
        if self.model.score_some is not None:
            return self._check_answer(self.model.score_some(contexts, labels.copy()), "score_some", contexts, labels)
        return self._check_answer(self.model.score(contexts), "score", contexts, range(len(self.model.names)))[
            :, labels
        ]

    def _check_answer(self, answer, called, contexts, labels):
        """An answer as an array, a row per context and a column per label; ValueError where it is none of logs."""
        names = [self.model.names[y] for y in labels]
        wanted = f"{called}: expected an array of log scores, a row for each context"
        scores = checks.labelled(f"{called}: its answer", answer, names, wanted)
        if scores.shape != (len(contexts), len(labels)):
            wanted = f"{len(contexts), len(labels)}, contexts by labels"
            raise ValueError(f"{called}: its answer has the shape {scores.shape}, expected {wanted}")
        bad = ~((scores <= checks.LARGEST) & (scores >= checks.LEAST_LOG) | np.isneginf(scores))
        if bad.any():
            n, y = np.argwhere(bad)[0].tolist()
            place = f"label {self.model.names[labels[y]]!r} after the context {contexts[n].tolist()}"
            fault = f"give logs of at most {checks.LARGEST:,.0f}, -inf for what cannot be"
            raise ValueError(f"{called}: {place} scores {scores[n, y]}: {fault}")
        return scores
