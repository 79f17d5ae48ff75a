"""How good a method is on handwriting: accuracy, calibration, recall at a precision, one row per method.

A *word* is right when all its letters are. Its confidence is the probability of the decoded word in the method's own
model, exp(Viterbi score − log Z). Recall at precision p is the largest fraction of the words that a reader can have
answered, most confident first, while at least a fraction p of the answers is right.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rcmviz.batch import infer_batch
from rcmviz.model import NgramModel
from rcmviz.problem import word_emissions

BOOTSTRAP_DRAWS = 200


@dataclass(frozen=True)
class Method:
    """A row of the table to come: what it is called and how it is run."""

    name: str
    method: str = "rcms"
    budget: int = 10
    passes: int = 1
    deduplicate: bool = False


METHODS = (
    Method("RCMS 10"),
    Method("beam 10", "beam", 10),
    Method("beam 200", "beam", 200),
    Method("exact", "exact"),
)


@dataclass(frozen=True)
class Score:
    """One method on a set of words; every `…_error` is one standard error."""

    name: str
    words: int
    word_accuracy: float
    word_error: float
    letter_accuracy: float
    letter_error: float
    recall_99: float
    recall_99_error: float
    recall_95: float
    area: float
    mean_confidence: float
    mean_length: float
    words_per_second: float

    def to_dict(self) -> dict[str, Any]:
        """The fields as a plain dict, ready for JSON."""
        return asdict(self)


def evaluate_handwriting(
    model: NgramModel, words: Iterable, methods: Sequence[Method] = METHODS, threads: int | None = None
) -> list[Score]:
    """The score of every method on the same words (tasks.handwriting.Word), decoded in bulk.

    Raises ValueError when there are no words or a word has letters outside the model's labels.
    Example: `evaluate_handwriting(rv.load_model("handwriting-pen"), pen_words(200, seed=1))`.
    """
    words = list(words)
    log_emits, golds = emissions_and_golds(model, words)
    return [evaluate_method(model, log_emits, golds, method, threads) for method in methods]


def emissions_and_golds(model: NgramModel, words: Sequence) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Per word the log emissions (T, Y) and the label numbers (T,) of its letters."""
    if not words:
        raise ValueError("there are no words to evaluate; give at least one")
    number = {label: k for k, label in enumerate(model.labels)}
    log_emits = [word_emissions(model, word) for word in words]
    return log_emits, [np.array([number[letter] for letter in word.letters]) for word in words]


def evaluate_method(
    model: NgramModel,
    log_emits: list[np.ndarray],
    golds: list[np.ndarray],
    method: Method,
    threads: int | None = None,
) -> Score:
    """One row: decode one word to warm up, then all of them against the clock, and score."""
    options = asdict(method) | {"threads": threads}
    options.pop("name")
    infer_batch(model, log_emits[:1], **options)  # compiled code is loaded before the clock starts
    start = time.perf_counter()
    batch = infer_batch(model, log_emits, **options)
    seconds = time.perf_counter() - start
    confidence = np.exp(np.asarray(batch.log_prob, dtype=np.float64))
    return score(method.name, batch.labels, golds, confidence, float(np.mean(batch.mean_length)), seconds)


def score(
    name: str,
    decoded: Sequence[np.ndarray],
    golds: Sequence[np.ndarray],
    confidence: np.ndarray,
    mean_length: float,
    seconds: float,
) -> Score:
    """The row of decoded against gold labels (one index array per word, equal lengths) with confidences (N,)."""
    right_letters = np.array([np.sum(found == gold) for found, gold in zip(decoded, golds, strict=True)])
    lengths = np.array([len(gold) for gold in golds])
    correct = right_letters == lengths
    letter_accuracy = right_letters.sum() / lengths.sum()
    return Score(
        name=name,
        words=len(golds),
        word_accuracy=float(correct.mean()),
        word_error=standard_error(correct),
        letter_accuracy=float(letter_accuracy),
        letter_error=ratio_error(right_letters, lengths),
        recall_99=recall_at_precision(confidence, correct, 0.99),
        recall_99_error=recall_error(confidence, correct, 0.99),
        recall_95=recall_at_precision(confidence, correct, 0.95),
        area=area_under_precision(confidence, correct),
        mean_confidence=float(confidence.mean()),
        mean_length=mean_length,
        words_per_second=len(golds) / seconds if seconds > 0 else float("inf"),
    )


def precision_curve(confidence: np.ndarray, correct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The fraction answered and the precision at each possible threshold, most confident first.

    Words of equal confidence are answered together or not at all, so a tie is one point of the curve; what the order
    inside a tie would promise cannot be had. Both arrays have one value per distinct confidence.
    """
    confidence, correct = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if len(confidence) != len(correct) or len(correct) == 0:
        raise ValueError(f"{len(confidence)} confidences for {len(correct)} answers; give one each, at least one")
    if np.isnan(confidence).any():
        raise ValueError("a confidence is NaN; give a probability for every answer")
    order = np.argsort(-confidence, kind="stable")
    is_last_of_tie = np.append(np.diff(confidence[order]) != 0, True)
    answered = np.flatnonzero(is_last_of_tie) + 1
    right = np.cumsum(correct[order])[is_last_of_tie]
    return answered / len(correct), right / answered


def recall_at_precision(confidence: np.ndarray, correct: np.ndarray, precision: float) -> float:
    """The largest fraction answered with at least this precision, 0 if no threshold reaches it.

    Example: confidences .9, .8, .7 with right, wrong, right answer 1/3 at precision .99.
    """
    answered, reached = precision_curve(confidence, correct)
    return float(answered[reached >= precision].max(initial=0.0))


def area_under_precision(confidence: np.ndarray, correct: np.ndarray) -> float:
    """The mean precision over all fractions answered: 1 if every answer is right."""
    answered, precision = precision_curve(confidence, correct)
    return float(np.sum(np.diff(answered, prepend=0.0) * precision))


def standard_error(values: np.ndarray) -> float:
    """The standard error of a mean; of right and wrong it is sqrt(p (1 − p) / N)."""
    values = np.asarray(values, dtype=np.float64)
    return float(values.std() / np.sqrt(len(values)))


def ratio_error(parts: np.ndarray, wholes: np.ndarray) -> float:
    """The standard error of Σ parts / Σ wholes where the words, not their letters, are independent."""
    ratio = parts.sum() / wholes.sum()
    return float(np.sqrt(np.sum((parts - ratio * wholes) ** 2)) / wholes.sum())


def recall_error(
    confidence: np.ndarray, correct: np.ndarray, precision: float, draws: int = BOOTSTRAP_DRAWS, seed: int = 0
) -> float:
    """The bootstrap standard error of the recall at a precision: it has no formula, and one wrong answer can move it
    far."""
    random = np.random.default_rng(seed)
    N = len(correct)
    samples = (random.integers(0, N, N) for _ in range(draws))
    recalls = [recall_at_precision(confidence[sample], correct[sample], precision) for sample in samples]
    return float(np.std(recalls))
