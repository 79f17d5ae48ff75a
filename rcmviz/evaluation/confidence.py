"""What a confidence is worth: does it put the right answers first (precision, risk), and does it mean what it says
(calibration)?

All functions take ``confidence`` (N,), one number per answer, and ``correct`` (N,), whether it was right. Answers of
equal confidence are given together or not at all: what the order inside a tie would promise cannot be had.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze

EQUAL = ("mass", "width")
ROUNDING = 1e-6  # by how much a probability of single precision may lie outside of 0 … 1


def precision_curve(confidence: np.ndarray, correct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share answered and the precision at each possible threshold, the most confident first.

    A tie is one point of the curve: both arrays have one value per distinct confidence. ValueError: other lengths, none
    at all, NaN.

    >>> precision_curve([0.9, 0.8, 0.8], [True, True, False])[1].round(3).tolist()
    [1.0, 0.667]
    """
    confidence, correct = _check_answers(confidence, correct)
    order = np.argsort(-confidence, kind="stable")
    ordered, is_last_of_tie = confidence[order], np.ones(len(order), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_last_of_tie[:-1])
    answered = np.flatnonzero(is_last_of_tie) + 1
    right = np.cumsum(correct[order])[is_last_of_tie]
    return answered / len(correct), right / answered


def recall_at_precision(confidence: np.ndarray, correct: np.ndarray, precision: float) -> float:
    """The largest share answered with at least this precision, 0 if no threshold reaches it.

    Example: confidences .9, .8, .7 with right, wrong, right answer 1/3 at precision .99.
    """
    return recall_of(precision_curve(confidence, correct), precision)


def recall_of(curve: tuple[np.ndarray, np.ndarray], precision: float) -> float:
    """``recall_at_precision`` of an existing curve."""
    answered, reached = curve
    return float(answered[reached >= precision].max(initial=0.0))


def precision_at(confidence: np.ndarray, correct: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The precision where at least these ``shares`` (S,) of all are answered, and no more than that needs: (S,).

    >>> precision_at([0.9, 0.8, 0.7, 0.6], [True, True, False, True], [0.5, 0.6]).round(3).tolist()
    [1.0, 0.667]
    """
    answered, precision = precision_curve(confidence, correct)
    # A share that was computed may miss its own point by rounding, and would then skip to the next one.
    return precision[np.searchsorted(answered, np.minimum(shares, 1.0) - 1e-12)]


def area_under_precision(confidence: np.ndarray, correct: np.ndarray) -> float:
    """The mean precision over all shares answered: 1 if every answer is right."""
    return area_of(precision_curve(confidence, correct))


def area_of(curve: tuple[np.ndarray, np.ndarray]) -> float:
    """``area_under_precision`` of an existing curve."""
    answered, precision = curve
    return float(np.sum(np.ediff1d(answered, to_begin=answered[:1]) * precision))


def risk_coverage(confidence: np.ndarray, correct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coverage (share answered) and the risk (share of the answers that is wrong) at each possible threshold."""
    answered, precision = precision_curve(confidence, correct)
    return answered, 1 - precision


def area_under_risk(confidence: np.ndarray, correct: np.ndarray) -> float:
    """The mean risk over all coverages, 0 at best (Geifman and El-Yaniv, 2017): 1 less the area under precision."""
    return 1 - area_under_precision(confidence, correct)


@dataclass(frozen=True, eq=False)
class Reliability(CopyableMixin):
    """A reliability diagram, one value per bin that is not empty: answers with confidences from ``low`` to ``high``,
    their ``count``, mean ``confidence`` and ``accuracy``. Where both agree in every bin, the confidence is calibrated.
    """

    low: np.ndarray
    high: np.ndarray
    count: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray

    def __post_init__(self):
        freeze(self)

    @property
    def error(self) -> float:
        """The expected calibration error Σ_b n_b / N · |accuracy_b − confidence_b| (Guo et al., 2017)."""
        return _calibration_error(self.count, self.confidence, self.accuracy)


def reliability(confidence: np.ndarray, correct: np.ndarray, bins: int = 10, equal: str = "mass") -> Reliability:
    """Answers grouped by confidence into ``bins`` of equal ``"mass"`` (as many answers) or equal ``"width"``.

    A tie stays in one bin, so bins of equal mass are as equal as ties allow. ValueError: a confidence that is no
    probability, no bins, another ``equal``.

    >>> table = reliability([0.9, 0.8, 0.2, 0.1], [True, True, True, False], bins=2)
    >>> table.accuracy.tolist(), round(table.error, 3)
    ([0.5, 1.0], 0.25)
    """
    found = _fill_bins(confidence, correct, bins, equal)
    low, high = np.full(len(found.used), np.inf), np.zeros(len(found.used))
    np.minimum.at(low, found.number, found.answers)
    np.maximum.at(high, found.number, found.answers)
    if equal == "width":
        low, high = found.used / bins, (found.used + 1) / bins
    return Reliability(low, high, found.count, found.confidence, found.accuracy)


class _Bins(NamedTuple):
    """Confidences of all ``answers`` as probabilities, the bins that are ``used``, the place of each answer's bin among
    them; then per bin its count, mean confidence and accuracy.
    """

    answers: np.ndarray
    used: np.ndarray
    number: np.ndarray
    count: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray


def _fill_bins(confidence, correct, bins, equal):
    """The ``_Bins`` of answers."""
    confidence, correct = _check_answers(confidence, correct)
    if confidence.min() < -ROUNDING or confidence.max() > 1 + ROUNDING:
        raise ValueError(f"confidences from {confidence.min():g} to {confidence.max():g}; give probabilities, 0 to 1")
    checks.choice("equal", equal, EQUAL)
    if not checks.is_whole(bins) or bins < 1:
        raise ValueError(f"{bins!r} bins: choose at least one")
    confidence = np.clip(confidence, 0, 1)
    number = _bins_of_equal_mass(confidence, bins) if equal == "mass" else _bins_of_equal_width(confidence, bins)
    used = np.unique_all(number)
    number, count = used.inverse_indices, used.counts
    means = (np.bincount(number, values) / count for values in (confidence, correct))
    return _Bins(confidence, used.values, number, count, *means)


def _calibration_error(count, confidence, accuracy):
    return float(np.sum(np.abs(accuracy - confidence) * count) / np.sum(count))


def _bins_of_equal_mass(confidence, bins):
    """The bin of every answer by its rank; the answers of a tie share the rank in their middle."""
    ordered = np.sort(confidence)
    middle = (np.searchsorted(ordered, confidence) + np.searchsorted(ordered, confidence, "right") - 1) / 2
    return np.floor(bins * middle / len(confidence))


def _bins_of_equal_width(confidence, bins):
    return np.minimum(np.floor(bins * confidence), bins - 1)


def calibration_error(confidence: np.ndarray, correct: np.ndarray, bins: int = 10, equal: str = "mass") -> float:
    """The expected calibration error of ``reliability``: how far confidence and accuracy are apart, on average.

    It depends on the bins: state them. Bins of equal mass are the default, since confidences crowd near 1.
    """
    found = _fill_bins(confidence, correct, bins, equal)
    return _calibration_error(found.count, found.confidence, found.accuracy)


def _check_answers(confidence, correct):
    confidence, correct = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if len(confidence) != len(correct) or len(correct) == 0:
        raise ValueError(f"{len(confidence)} confidences for {len(correct)} answers; give one each, at least one")
    if np.isnan(confidence).any():
        raise ValueError("a confidence is NaN; give a probability for every answer")
    return confidence, correct
