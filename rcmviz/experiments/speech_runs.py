"""The trainings of alignments behind figure 4 and a panel of figure 6, as pure functions of plain dicts."""

import time
from dataclasses import replace
from functools import lru_cache

import numpy as np

from rcmviz.align.pairs import Pairs
from rcmviz.align.settings import AlignTraining
from rcmviz.align.train import AlignTrainer
from rcmviz.experiments import trainings
from rcmviz.tasks.speech import examples as speech

SOURCES = (  # they decide an outcome
    "kernels/chain/selection.py",
    "kernels/learn/weights.py",
    "kernels/align",
    "learn/schedule.py",
    "learn/tables.py",
    "align",
    "tasks/speech",
)
EVERY = 100  # examples between two values of the mean context length, as in the paper
COSTS = {"rcms": 1.0, "forced": 3.0, "hybrid": 2.0, "target": 0.5, "model": 0.5}
LENGTHS = {"utterances": 12.0, "words": 1.0, "lexicon": 0.1}


def spec_of(training: AlignTraining, source: str, seed: int, tests=({},), held_out: float = 0.0) -> dict:
    """The arguments of ``learn``: the seed shuffles the examples, after each pass and at the end come ``tests``.

    With ``held_out``, a share of the examples to learn from, these are tested on, and the test set is not looked at.
    """
    settings = replace(training, seed=seed).to_dict()
    return {"training": settings, "source": source, "tests": list(tests), "held_out": held_out}


def learn(spec: dict) -> dict:
    """Train and test after every pass: ``{"passes": [...], "tests": [...], "steps": [...], "lengths": [...]}``.

    A pass has the error rate and the exact matches of the first test, the number of examples and for how many an
    alignment was found, the log-likelihood; ``tests`` those two of all tests after the last pass; ``lengths`` the mean
    number of remembered symbols since the value before, after ``steps``; ``seconds`` of CPU time that the
    training took, the tests not counted.
    """
    training, test = examples(spec["source"], spec["held_out"])
    trainer = AlignTrainer(training, AlignTraining.from_dict(spec["training"]))
    found = {"passes": [], "steps": [], "lengths": [], "size": [len(training), len(test)], "seconds": 0.0}
    while not trainer.done:
        found["passes"].append(_pass(trainer, test, spec["tests"][0], found))
    found["tests"] = [_scores(trainer, test, changes) for changes in spec["tests"]]
    return found | {"seconds": round(found["seconds"], 2)}


def _pass(trainer, test, changes, found):
    """One pass over the examples, and the first test after it."""
    epoch, states, began = trainer.epoch, [], time.process_time()
    while trainer.epoch == epoch:
        states.append(trainer.advance(min(EVERY, len(trainer.data) - trainer.step % len(trainer.data))))
        found["steps"].append(states[-1].step)
        found["lengths"].append(_rounded_or_none(states[-1].mean_length))
    found["seconds"] += time.process_time() - began
    explained = sum(state.explained for state in states)
    likelihoods = [(state.log_likelihood, state.explained) for state in states if state.explained]
    mean = sum(value * many for value, many in likelihoods) / explained if explained else None
    counted = {"examples": len(trainer.data), "explained": explained, "log_likelihood": mean}
    return _scores(trainer, test, changes) | counted


def _rounded_or_none(value):
    return None if np.isnan(value) else round(value, 4)


def _scores(trainer, test, changes):
    scores = trainer.evaluate(test, **changes)
    return {"error_rate": round(scores.error_rate, 5), "exact": round(scores.exact, 5)}


@lru_cache(maxsize=3)
def examples(source: str, held_out: float = 0.0):
    """(to learn from, to test on) of ``speech.load``, in full; with ``held_out`` both from the training part."""
    loaded = speech.load(source)
    if not held_out:
        return loaded.train, loaded.test
    order = np.random.default_rng(0).permutation(len(loaded.train))
    first = round(len(order) * (1 - held_out))
    return loaded.train.take(order[:first]), loaded.train.take(order[first:])


def effort(spec: dict) -> float:
    """The rough relative duration of a spec."""
    training = spec["training"]
    size = training["epochs"] * (10 + training["budget"]) * training["passes"]
    return size * COSTS[training["strategy"]] * LENGTHS[spec["source"]]


def warm_up() -> None:
    """Compile or load the kernels of a training."""
    pairs = Pairs.from_pairs([(("HH", "AY"), "hi"), (("L", "OW"), "low")])
    AlignTrainer(pairs, AlignTraining(budget=2, order=2, epochs=1, passes=2), pairs).advance()


def code_digest() -> str:
    """A digest of the sources that decide a training's outcome."""
    return trainings.code_digest(SOURCES)
