"""All ten folds: do weights trained with ten contexts and tested with fifty beat exact training and inference?

Each fold is the test once, the nine others are learnt from. Differences are paired: same fold, same words.
"""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from scipy.stats import binomtest

from rcmviz.evaluation.evaluate import Method
from rcmviz.experiments import tables
from rcmviz.experiments.figure3 import BETTER, EXACT, LONGER, RCMS
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.trainings import Row, shorter, specs_of
from rcmviz.experiments.trainings import train_and_test as cell

__all__ = ["cell", "report", "specs"]

REFERENCE = Row(EXACT, Method("exact, tested exactly", "exact"))
ROWS = (
    Row(RCMS, Method("RCMS 10, tested with 10")),
    Row(RCMS, Method("RCMS 10, tested with 50", budget=50)),
    Row(RCMS, Method("RCMS 10, tested exactly", "exact")),
    Row(BETTER, Method("better RCMS, three passes with 10, joined", passes=3, deduplicate=True)),
    Row(BETTER, Method("better RCMS, tested with 50", budget=50)),
    Row(BETTER, Method("better RCMS, tested exactly", "exact")),
    Row(LONGER, Method("5-grams, better RCMS, three passes with 10, joined", passes=3, deduplicate=True)),
    REFERENCE,
)
MEASURES = ("accuracy", "recall_99", "recall_95", "area")
HEADS = ("trained, tested", "word accuracy", "recall @ 99 %", "recall @ 95 %", "area")
PAIRED = (
    "against exact training and inference",
    "accuracy",
    "folds won, lost",
    "p",
    "recall @ 99 %",
    "folds won, lost",
    "p",
    "words right only here, only there",
    "p",
)


def rows(plan: Plan) -> list[Row]:
    """The lines; a quick run trains for a fifth of the epochs."""
    chosen = [row for row in ROWS if row is not REFERENCE or plan.trains_exactly]
    return [shorter(row) for row in chosen] if plan.quick else chosen


def held_out_folds(plan: Plan) -> range:
    """The folds that are tested on: all ten, or three where it has to be quick."""
    return range(3 if plan.quick else 10)


def specs(plan: Plan) -> list[dict]:
    """One spec per training and fold, with one seed: the folds are the repetition."""
    return [spec for fold in held_out_folds(plan) for spec in specs_of(rows(plan), [0], plan.data, fold)]


def report(plan: Plan, results: list[dict]) -> Report:
    """Means over the folds, the paired differences and every fold's numbers."""
    answers = {row: tables.answers_of(row.name, row.training.epochs, results) for row in rows(plan)}
    values = {row: tables.measures_of_answers(found) for row, found in answers.items()}
    parts = [_introduction(plan), tables.markdown_table(HEADS, [_line(row, values[row]) for row in values])]
    if REFERENCE in values:
        others = [row for row in values if row is not REFERENCE]
        lines = [_paired_line(row, values, answers) for row in others]
        parts += ["## Paired differences", tables.markdown_table(PAIRED, lines)]
    parts += ["## Every fold", *(_fold_table(measure, values) for measure in MEASURES[:2])]
    return Report("folds", "\n\n".join(parts) + "\n", _document(plan, values))


def _introduction(plan):
    return (
        f"# All folds of handwriting\n\nOn {plan.described}: each fold is the test once, the others are learnt from, "
        "seed 0. Mean ± standard deviation over the folds. In the paired table *p* is that of a two-sided sign test, "
        "over folds and over the words that only one of the two reads right. The better recipe was tuned on Kassel's "
        "folds 3, 5 and 8 (fold 1 unseen), so its numbers there may be a little too good."
    )


def _line(row, measures):
    return [row.name, *(tables.spread(measures[name]) for name in MEASURES)]


def _paired_line(row, values, answers):
    line = [row.name]
    for measure in MEASURES[:2]:
        difference = np.subtract(values[row][measure], values[REFERENCE][measure])
        line += [signed_mean(difference), *_votes(int((difference > 0).sum()), int((difference < 0).sum()))]
    here, there = (
        np.concatenate([one["correct"] for one in answers[which]]).astype(bool) for which in (row, REFERENCE)
    )
    return line + _votes(int((here & ~there).sum()), int((there & ~here).sum()))


def signed_mean(difference: Sequence[float]) -> str:
    """Mean ± standard deviation of differences, with the sign of the mean.

    >>> signed_mean([0.01, 0.02])
    '+.015 ± .007'
    """
    return ("+" if np.mean(difference) >= 0 else "") + tables.spread(difference)


def _votes(won, lost):
    """``won, lost`` and the p of a two-sided sign test; ties take no side."""
    p = binomtest(won, won + lost).pvalue if won + lost else 1.0
    return [f"{won}, {lost}", tables.number_text(p) if p >= 0.001 else "< .001"]


def _fold_table(measure, values):
    titles = {"accuracy": "word accuracy", "recall_99": "recall @ 99 %"}
    folds = range(len(next(iter(values.values()))[measure]))
    lines = [[row.name, *(tables.number_text(value) for value in found[measure])] for row, found in values.items()]
    return tables.markdown_table((f"{titles[measure]} on fold", *map(str, folds)), lines)


def _document(plan, values):
    lines = [
        {"name": row.name, "training": row.training.to_dict(), "test": asdict(row.test), "measures": measures}
        for row, measures in values.items()
    ]
    folds = list(held_out_folds(plan))
    return {"table": "folds", "plan": asdict(plan), "folds": folds, "rows": lines}
