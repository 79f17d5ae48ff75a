"""Accuracy of tags, for words seen in training and for others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TagAccuracy:
    """Share of right tags among ``all`` words, among ``known`` and ``unknown`` ones, and how many there are."""

    all: float
    known: float
    unknown: float
    words: int
    unknown_words: int


def tag_accuracy(right: Sequence[bool], known: Sequence[bool]) -> TagAccuracy:
    """The ``TagAccuracy`` of words that are tagged ``right`` or not, and ``known`` or not; NaN is a share of none.

    >>> tag_accuracy([True, False, True], [True, True, False])
    TagAccuracy(all=0.6666666666666666, known=0.5, unknown=1.0, words=3, unknown_words=1)
    """
    right, known = np.array(right, bool), np.array(known, bool)
    shares = [float(among.mean()) if len(among) else float("nan") for among in (right, right[known], right[~known])]
    return TagAccuracy(*shares, len(right), int((~known).sum()))
