"""Settings of RCMS with ten contexts at test that help or do not: settings changed one by one, fold 1 never seen.

Every variant is trained on all folds but fold 1 and one that validates, for three validating folds, and tested there.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np

from rcmviz.evaluation.evaluate import Method
from rcmviz.experiments import tables
from rcmviz.experiments.figure3 import BETTER, RCMS
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.trainings import Row, specs_of
from rcmviz.experiments.trainings import train_and_test as cell
from rcmviz.learn.settings import Training
from rcmviz.tasks import TEST_FOLD

__all__ = ["cell", "report", "specs"]

VALIDATING = (5, 8, 3)
TESTS = {
    "one pass": Method(""),
    "two passes": Method("", passes=2),
    "three passes": Method("", passes=3),
    "three, joined": Method("", passes=3, deduplicate=True),
    "50 contexts": Method("", budget=50),
}
SHOWN = ("one pass", "three, joined", "50 contexts")  # in the table; the JSON has all
HEADS = ("trained with", *(f"{test}: {measure}" for test in SHOWN for measure in ("accuracy", "recall @ 99 %")))

# From the paper's recipe to ours, one thing after the other …
WAY = {
    "the paper's recipe": RCMS,
    "+ additive windows": replace(RCMS, mode="additive"),
    "+ two passes": replace(RCMS, mode="additive", passes=2),
    "+ averaged weights": replace(RCMS, mode="additive", passes=2, average=True),
    "+ five contexts in training": replace(RCMS, mode="additive", passes=2, average=True, budget=5),
    "+ larger steps, η = 1.6: **ours**": BETTER,
    "the paper's recipe with order 4": replace(RCMS, order=4),
}
# … and ours with one thing changed.
CHANGES = {
    "single windows": {"mode": "single"},
    "one pass": {"passes": 1},
    "three passes": {"passes": 3},
    "last weights, not averaged": {"average": False},
    "three contexts": {"budget": 3},
    "ten contexts": {"budget": 10},
    "twenty contexts": {"budget": 20},
    "η = .2": {"eta": 0.2},
    "η = .4": {"eta": 0.4},
    "η = 3.2": {"eta": 3.2},
    "δ = 1": {"delta": 1.0},
    "L2 of 1e-5": {"l2": 1e-5},
    "L2 of 1e-3": {"l2": 1e-3},
    "joined contexts": {"deduplicate": True},
    "order 2": {"order": 2},
    "order 4": {"order": 4},
    "10 epochs": {"epochs": 10},
    "40 epochs": {"epochs": 40},
}


# What becomes of an example whose gold fell off the beam.
LOST = {
    "in the numerator only": "numerator",
    "in numerator and normaliser": "both",
    "example skipped": "skip",
    "early update, on the prefix": "early",
}
LOST_HEADS = ("beam 10: lost gold counts", "word accuracy", "recall @ 99 %", "mean confidence", "lost, last epoch")


def variants(plan: Plan) -> dict[str, Training]:
    """The trainings by name; a quick run has those on the way only, for two epochs."""
    around = {} if plan.quick else {f"ours, {name}": replace(BETTER, **change) for name, change in CHANGES.items()}
    epochs = {"epochs": 2} if plan.quick else {}
    return {name: replace(training, **epochs) for name, training in (WAY | around).items()}


def _rows(plan):
    """{variant: {test: row}}."""
    return {
        name: {title: Row(training, replace(test, called=f"{name}: {title}")) for title, test in TESTS.items()}
        for name, training in variants(plan).items()
    }


def _lost_rows(plan):
    """{treatment: row}, of beams trained and tested with ten contexts."""
    beam = Training(method="beam", epochs=2 if plan.quick else 20)
    test = Method("", "beam")
    return {
        title: Row(replace(beam, lost_gold=lost_gold), replace(test, called=f"beam: {title}"))
        for title, lost_gold in LOST.items()
    }


def specs(plan: Plan) -> list[dict]:
    """One spec per training and validating fold."""
    rows = [row for tests in _rows(plan).values() for row in tests.values()] + list(_lost_rows(plan).values())
    return [spec for fold in VALIDATING for spec in specs_of(rows, [0], plan.data, fold, (TEST_FOLD,))]


def report(plan: Plan, results: list[dict]) -> Report:
    """A line per variant: mean over the validating folds under every test."""
    values = {
        name: {
            title: tables.measures_of_answers(tables.answers_of(row.name, row.training.epochs, results))
            for title, row in tests.items()
        }
        for name, tests in _rows(plan).items()
    }
    lines = [[name, *_cells(tests)] for name, tests in values.items()]
    lost = {title: tables.answers_of(row.name, row.training.epochs, results) for title, row in _lost_rows(plan).items()}
    parts = [
        _introduction(plan),
        tables.markdown_table(HEADS, lines),
        _standard_errors(values),
        "## Beams that lose the gold",
        tables.markdown_table(LOST_HEADS, [_lost_line(title, found) for title, found in lost.items()]),
    ]
    document = {
        "table": "tuning",
        "plan": asdict(plan),
        "folds": list(VALIDATING),
        "rows": [
            {"name": name, "training": training.to_dict(), "tests": values[name]}
            for name, training in variants(plan).items()
        ],
        "lost": [{"name": title} | tables.measures_of_answers(found) for title, found in lost.items()],
    }
    return Report("tuning", "\n\n".join(parts) + "\n", document)


def _lost_line(title, found):
    measures = tables.measures_of_answers(found) | {"lost": [one["lost"] for one in found]}
    return [title, *(tables.spread(measures[name]) for name in ("accuracy", "recall_99", "confidence", "lost"))]


def _introduction(plan):
    return (
        f"# What helps with ten contexts at test\n\nOn {plan.described}; fold 1 is neither learnt from nor tested on: "
        f"means over the folds {', '.join(map(str, VALIDATING))} as test, one by one, seed 0. Budgets, passes and "
        "so on are those of the training; the columns are ways of testing the same weights."
    )


def _cells(tests: Mapping[str, dict]):
    for title in SHOWN:
        yield tables.number_text(float(np.mean(tests[title]["accuracy"])))
        yield tables.number_text(float(np.mean(tests[title]["recall_99"])))


def _standard_errors(values):
    """The standard error of means of three folds, from the spread over the folds within each variant."""
    off = {
        measure: np.sqrt(np.mean([np.var(one[measure], ddof=1) / len(one[measure]) for one in _tests(values)]))
        for measure in ("accuracy", "recall_99")
    }
    return (
        f"A mean of {len(VALIDATING)} folds has a standard error of about {tables.number_text(off['accuracy'])} in "
        f"accuracy and {tables.number_text(off['recall_99'])} in recall @ 99 %; variants share folds and seed, so "
        "differences between them are somewhat surer than that."
    )


def _tests(values):
    return [measures for tests in values.values() for measures in tests.values()]
