"""Random answers of a known quality."""

import numpy as np

from rcmviz.evaluation.evaluate import Answers
from rcmviz.sequences.table import Sequences


def random_answers(seed, N=40, ties=False):
    """Return sequences of one to three labels (a, b, c), and answers that are right as often as they claim."""
    random = np.random.default_rng(seed)
    gold = [random.integers(3, size=random.integers(1, 4)) for _ in range(N)]
    confidence = random.random(N) ** 0.4
    confidence = confidence.round(1) if ties else confidence
    rights = random.random(N) < confidence
    decoded = [truth if right else (truth + 1) % 3 for truth, right in zip(gold, rights, strict=True)]
    features = [np.ones((len(truth), 1)) for truth in gold]
    data = Sequences.from_arrays(features, [["abc"[y] for y in truth] for truth in gold], "abc")
    return data, Answers("x", tuple(decoded), tuple(gold), confidence, 1.0, 1.0)
