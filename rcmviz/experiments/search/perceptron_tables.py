"""The structured perceptron: searches and updates compared with each other and with the likelihood; RCMS at order 3."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rcmviz.core.inference.batch import infer_batch
from rcmviz.experiments import tables
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import data
from rcmviz.learn.settings import Training
from rcmviz.learn.tables import to_model
from rcmviz.learn.trainer import Trainer

SOURCES = (
    "kernels/chain",
    "kernels/learn",
    "learn/settings.py",
    "learn/tables.py",
    "learn/trainer.py",
    "learn/visits.py",
    "core/inference/batch.py",
    "core/models/model.py",
    "core/models/model_tables.py",
    "sequences/token_features.py",
    "experiments/search/data.py",
    "tasks/handwriting/letter_data.py",
)
TWICE = ", twice the epochs"  # a prefix teaches less than a sequence
PERCEPTRON = {"objective": "perceptron", "average": True}
FOLDS, FEWER = 10, 5  # folds of the letters, and those of order 3


def _searches(beam, **more):
    """{name: settings} of every search and update, and of the likelihood."""
    narrow = {"method": "beam", "budget": beam}
    rows = {
        "exact": {"method": "exact"},
        "exact, MIRA": {"method": "exact", "mira": 0.01},
        "greedy": {"method": "greedy"},
        "greedy, early": {"method": "greedy", "update": "early"},
        f"beam {beam}": narrow,
        f"beam {beam}, early": narrow | {"update": "early"},
        f"beam {beam}, early{TWICE}": narrow | {"update": "early"},
        f"beam {beam}, max-violation": narrow | {"update": "max-violation"},
    }
    found = {name: PERCEPTRON | how | more for name, how in rows.items()}
    return found | {"likelihood, exact": {"method": "exact", "average": True} | more}


SMALL = {"budget": 5, "mode": "additive", "passes": 2}  # contexts of the recipe that was found for the likelihood
LARGE = SMALL | {"budget": 10}
LONG = {
    "perceptron, RCMS 10": PERCEPTRON | {"budget": 10},
    "perceptron, RCMS 10, max-violation": PERCEPTRON | {"budget": 10, "update": "max-violation"},
    "perceptron, RCMS 5, additive, two passes": PERCEPTRON | SMALL,
    "perceptron, RCMS 5, additive, two passes, max-violation": PERCEPTRON | SMALL | {"update": "max-violation"},
    "perceptron, RCMS 10, additive, two passes": PERCEPTRON | LARGE,
    "perceptron, beam 10, max-violation": PERCEPTRON | {"method": "beam", "budget": 10, "update": "max-violation"},
    "perceptron, beam 20, max-violation": PERCEPTRON | {"method": "beam", "budget": 20, "update": "max-violation"},
    "likelihood, RCMS 10": {"budget": 10, "average": True},
    "likelihood, RCMS 5, additive, two passes": SMALL | {"average": True, "eta": 1.6},
    "likelihood, RCMS 10, additive, two passes": LARGE | {"average": True, "eta": 1.6},
    "likelihood, beam 10, early": {"method": "beam", "budget": 10, "lost_gold": "early", "average": True},
}


class _Task(NamedTuple):
    """Rows of settings by name, how many epochs, and the folds or seeds."""

    rows: dict
    epochs: int
    repeats: range


def _tasks(plan):
    """``{task: _Task}``."""
    quick = plan.quick
    folds, seeds = range(2 if quick else FOLDS), range(plan.seeds)
    return {
        "nine folds": _Task(_searches(5, order=1), 2 if quick else 10, folds),
        "one fold": _Task(_searches(5, order=1), 2 if quick else 10, folds),
        "tagging": _Task(_searches(8, order=1), 2 if quick else 6, seeds),
        "order 3": _Task({name: how | {"order": 3} for name, how in LONG.items()}, 1 if quick else 10, folds[:FEWER]),
    }


def specs(plan: Plan) -> list[dict]:
    """One per task, row and fold or seed."""
    found = []
    for task, one in _tasks(plan).items():
        source = data.treebank(plan) if task == "tagging" else plan.data
        where = {"task": task, "data": source, "every": 8 if plan.quick else 1}
        for name, how in one.rows.items():
            visits = 2 * one.epochs if name.endswith(TWICE) else one.epochs
            for number in one.repeats:
                training = Training(**how, epochs=visits, seed=number if task == "tagging" else 0)
                found.append(where | {"row": name, "number": number, "training": training.to_dict()})
    return found


def effort(spec: dict) -> float:
    """Seconds, roughly."""
    training = spec["training"]
    each = {"one fold": 0.01, "nine folds": 0.1, "tagging": 1.0, "order 3": 0.8}[spec["task"]]
    slower = 1 if "objective" in training else 3  # a likelihood has no need to say so
    return training["epochs"] * each * slower * training["passes"]


def cell(spec: dict) -> dict:
    """Train, and test the last weights and the averaged ones: shares of labels and of sequences that are right."""
    learning, test = _data(spec)
    settings = Training.from_dict(spec["training"])
    trainer = Trainer(learning, settings)
    began = time.process_time()
    while not trainer.done:
        state = trainer.advance()
    seconds = (time.process_time() - began) / settings.epochs
    last = to_model(trainer.tables, trainer.shape, 0, {}, "f4")
    found = {"seconds": round(seconds, 3), "lost": state.lost}
    for name, model in (("last", last), ("averaged", trainer.model())):
        found[name], found[f"{name}, whole"] = _accuracy(model, test, settings)
    return found


def _data(spec):
    if spec["task"] == "tagging":
        return data.tags(spec["data"], spec["every"])
    tested = spec["number"]
    others = tuple(fold for fold in range(FOLDS) if fold != tested)
    return data.letters(spec["data"], others if spec["task"] != "one fold" else ((tested + 9) % FOLDS,), tested)


def _accuracy(model, test, settings):
    found = infer_batch(
        model, test.log_emits(model.emission), settings.method, settings.budget, passes=settings.passes, threads=1
    )
    right = np.concatenate(found.labels) == test.gold
    whole = np.logical_and.reduceat(right, test.offset[:-1])
    return float(right.mean()), float(whole.mean())


def sections(plan: Plan, results: Sequence[dict]) -> str:
    """A table per task."""
    values: dict = {}
    for spec, one in zip(specs(plan), results, strict=True):
        values.setdefault(spec["task"], {}).setdefault(spec["row"], []).append(one)
    texts = ["## The structured perceptron", _introduction(plan)]
    for task, rows in values.items():
        texts += [
            f"### {TITLES[task]}",
            tables.markdown_table(HEADS[task], [_line(task, *row) for row in rows.items()]),
        ]
    return "\n\n".join(texts)


TITLES = {
    "nine folds": "Letters, order 1, nine folds to learn from",
    "one fold": "Letters, order 1, one fold to learn from",
    "tagging": "Tags, order 1",
    "order 3": "Letters, order 3, nine folds to learn from",
}
_OF_LETTERS = ("learnt by", "letters, last weights", "letters, averaged", "fold 0", "fold 1")
_OF_TAGS = ("learnt by", "tags, last weights", "tags, averaged", "lost in the last epoch", "CPU s an epoch")
_OF_WORDS = ("learnt by", "letters, averaged", "words, averaged", "lost in the last epoch", "CPU s an epoch")
HEADS = {"nine folds": _OF_LETTERS, "one fold": _OF_LETTERS, "tagging": _OF_TAGS, "order 3": _OF_WORDS}


def _line(task, name, found):
    def spread(key, digits=3):
        return tables.spread([one[key] for one in found], digits)

    if task == "tagging":
        seconds = f"{np.mean([one['seconds'] for one in found]):.2f}"
        return [name, spread("last", 4), spread("averaged", 4), spread("lost"), seconds]
    if task == "order 3":
        seconds = f"{np.mean([one['seconds'] for one in found]):.2f}"
        return [name, spread("averaged"), spread("averaged, whole"), spread("lost"), seconds]
    return [name, spread("last"), spread("averaged"), *(tables.number_text(one["averaged"]) for one in found[:2])]


def _introduction(plan):
    tasks = _tasks(plan)
    letters, tags = tasks["nine folds"], tasks["tagging"]
    source = {"ud_ewt": "UD-EWT's XPOS tags, its development part", "shipped": "sentences drawn from our tagger"}
    return (
        f"Letters: {plan.described}, 16 × 8 pixels, {letters.epochs} epochs, mean ± standard deviation over "
        f"{len(letters.repeats)} folds ({len(tasks['order 3'].repeats)} at order 3), each the test once, fold 0 and 1 "
        "apart; with one fold to learn from it is the one before. "
        f"Tags: {source[data.treebank(plan)]}, {tags.epochs} epochs, over {len(tags.repeats)} seeds. "
        "Every training is tested with the search that it was trained with. MIRA: passive-aggressive steps of "
        "0.01 at most. The likelihood is climbed by AdaGrad. *Lost*: the share of examples whose gold fell off."
    )
