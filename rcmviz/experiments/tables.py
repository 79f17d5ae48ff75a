"""From answers to numbers, from numbers to a table in Markdown and a document in JSON."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rcmviz.evaluation.bootstrap import bootstrap
from rcmviz.evaluation.confidence import area_under_precision, calibration_error, precision_at, recall_at_precision

SHARES = np.arange(1, 101) / 100  # of the words answered, the x of every precision curve
MIDDLE = slice(9, 50)  # recall .1 to .5, where the paper's beam is flat and its RCMS without error

MEASURES: dict[str, Callable] = {
    "accuracy": lambda confidence, correct: correct.mean(),
    "recall_99": lambda confidence, correct: recall_at_precision(confidence, correct, 0.99),
    "recall_95": lambda confidence, correct: recall_at_precision(confidence, correct, 0.95),
    "area": area_under_precision,
    "confidence": lambda confidence, correct: confidence.mean(),
    "calibration_error": calibration_error,
    "lowest_precision": lambda confidence, correct: precision_at(confidence, correct, SHARES)[MIDDLE].min(),
    "highest_precision": lambda confidence, correct: precision_at(confidence, correct, SHARES)[MIDDLE].max(),
}


def pairs(answers: Iterable[dict]) -> list[tuple[np.ndarray, np.ndarray]]:
    """(confidence, correct) of every answer, both (N,)."""
    return [(np.array(one["confidence"]), np.array(one["correct"], dtype=bool)) for one in answers]


def measures_of_answers(answers: Sequence[dict]) -> dict[str, list[float]]:
    """Every measure of the answers of one row, one value per seed or fold, and their seconds of training."""
    found = pairs(answers)
    values = {name: [float(measure(*pair)) for pair in found] for name, measure in MEASURES.items()}
    return values | {"seconds": [one["seconds"] for one in answers]}


def sampling_error(pair: tuple[np.ndarray, np.ndarray], measure: str) -> float:
    """By how much other words would move a measure: the bootstrap's standard error over the words of one answer."""
    return float(bootstrap(MEASURES[measure], *pair, draws=400).error)


def mean_curve(found: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Precision at ``SHARES``, the mean over seeds, (100,)."""
    return np.mean([precision_at(*pair, SHARES) for pair in found], axis=0)


def answers_of(name: str, epochs: int, results: Iterable[dict]) -> list[dict]:
    """The answers of the cells for one row, in their order; ValueError for none."""
    found = [one for result in results for one in result["answers"] if one["name"] == name and one["epochs"] == epochs]
    if not found:
        raise ValueError(f"no cell answered for {name!r} after {epochs} epochs; run again to fill the gaps")
    return found


def number_text(value: float | None, digits: int = 3) -> str:
    """A measure as tables print it, without the zero before the point: ``.885``; empty for None.

    >>> number_text(0.8854), number_text(1.0), number_text(None)
    ('.885', '1.000', '')
    """
    if value is None:
        return ""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def spread(values: Sequence[float], digits: int = 3) -> str:
    """Mean ± standard deviation (n − 1), a single value alone.

    >>> spread([0.88, 0.89]), spread([0.88])
    ('.885 ± .007', '.880')
    """
    mean = number_text(float(np.mean(values)), digits)
    return f"{mean} ± {number_text(float(np.std(values, ddof=1)), digits)}" if len(values) > 1 else mean


def markdown_table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, its first column to the left, the others to the right.

    >>> print(markdown_table(["row", "value"], [["RCMS 10", ".885"]]))
    | row | value |
    |:--|--:|
    | RCMS 10 | .885 |
    """
    rule = "|" + "|".join([":--"] + ["--:"] * (len(heads) - 1)) + "|"
    return "\n".join(["| " + " | ".join(heads) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])
