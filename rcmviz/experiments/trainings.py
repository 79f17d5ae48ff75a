"""The work behind a table: trainings and evaluations, as pure functions of plain dicts.

A *row* of a table is a training and one way of testing its weights; rows that share a training, whatever epoch they
look at, share one *spec* per seed, the dict that a cell of ``rcmviz.experiments.cells`` is run with.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from rcmviz.evaluation.evaluate import Contender, Method, answer
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import Trainer
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.letter_data import load_words, split, word_sequences
from rcmviz.tasks.handwriting.pen import pen_words

SOURCES = (  # they decide an outcome
    "kernels",
    "learn/schedule.py",
    "learn/settings.py",
    "learn/tables.py",
    "learn/trainer.py",
    "core/inference/batch.py",
    "core/builders/build.py",
    "core/builders/passes.py",
    "core/methods.py",
    "core/models/model.py",
    "core/models/model_tables.py",
    "sequences/table.py",
    "tasks",
)


@dataclass(frozen=True)
class Row:
    """A line of a table: a ``training``, looked at after its ``epochs``, and the ``test``, whose name is the line's.

    ``published`` is what Steinhardt & Liang (2015) report of it, word accuracy and recall at 99 %, None where they do
    not.
    """

    training: Training
    test: Contender
    published: tuple[float | None, float | None] = (None, None)

    @property
    def name(self) -> str:
        """The title of the line."""
        return self.test.name

    @property
    def cost(self) -> float | None:
        """Work at test in units of one pass with ten contexts; None for exact inference, which has no budget."""
        return self.test.passes * self.test.budget / 10 if self.test.has_budget else None


def shorter(row: Row) -> Row:
    """The row after a fifth of its epochs."""
    return replace(row, training=replace(row.training, epochs=max(1, row.training.epochs // 5)))


def specs_of(
    rows: Iterable[Row], seeds: Iterable[int], data: str, test_fold: int = TEST_FOLD, unseen: tuple[int, ...] = ()
) -> list[dict]:
    """The specs of rows: one per training and seed; ``unseen`` folds are neither learnt from nor tested on."""
    sharing: dict[Training, list[Row]] = {}
    for row in rows:
        sharing.setdefault(replace(row.training, epochs=1), []).append(row)
    where = {"data": data, "test_fold": test_fold, "unseen": list(unseen)}
    return [where | _training_spec(group, seed) for group in sharing.values() for seed in seeds]


def _training_spec(group, seed):
    """One training, as long as the longest of the rows that share it, and their tests."""
    training = replace(group[0].training, epochs=max(row.training.epochs for row in group), seed=seed)
    return {"training": training.to_dict(), "tests": [_test_spec(row.test, row.training.epochs) for row in group]}


def _test_spec(test, epochs):
    """A test as a spec names it: what ``evaluate.Method`` takes, and its epochs."""
    return {
        "name": test.name,
        "method": test.kind,
        "budget": test.budget,
        "passes": test.passes,
        "deduplicate": test.deduplicate,
        "epochs": epochs,
    }


def train_and_test(spec: dict) -> dict:
    """Train once, test after every epoch that a test asks for: ``{"answers": [one per test]}``.

    An answer has the test's ``name`` and ``epochs``, the ``confidence`` and ``correct`` of every word, the mean context
    length, the seconds of training up to there and the share of the epoch's words whose gold was lost.
    """
    learning, test = split_words(spec["data"], spec["test_fold"], tuple(spec["unseen"]))
    trainer = Trainer(learning, Training.from_dict(spec["training"]))
    found = []
    while not trainer.done:
        state = trainer.advance()
        due = [entry for entry in spec["tests"] if entry["epochs"] == trainer.epoch]
        methods = [Method(**{name: value for name, value in entry.items() if name != "epochs"}) for entry in due]
        for answers in answer(state.model, test, methods, threads=1) if methods else ():
            found.append(_answers_dict(answers, state, spec))
    return {"answers": found}


def _answers_dict(answers, state, spec):
    return {
        "name": answers.name,
        "epochs": state.epoch,
        "seed": spec["training"]["seed"],
        "fold": spec["test_fold"],
        "confidence": answers.confidence.tolist(),
        "correct": answers.correct.astype(int).tolist(),
        "mean_length": answers.mean_length,
        "seconds": round(state.seconds, 2),
        "lost": state.lost,
    }


def context_lengths(spec: dict) -> dict:
    """Train and keep, every ``spec["every"]`` words, how far it is and the mean length of the contexts since then.

    ``first`` is the first word of the data. Where ``spec["order"]`` is ``"runs"``, equal words stand together, in an
    order drawn with the training's seed.
    """
    learning, _ = split_words(spec["data"], spec["test_fold"], tuple(spec["unseen"]))
    if spec["order"] == "runs":
        learning = learning.take(_group_by_gold(learning, spec["training"]["seed"]))
    trainer = Trainer(learning, Training.from_dict(spec["training"]))
    steps, lengths = [], []
    while not trainer.done:
        state = trainer.advance(spec["every"])
        steps.append(state.step)
        lengths.append(state.mean_length)
    first = "".join(learning.labels[y] for y in learning.golds()[0])
    return {"steps": steps, "lengths": lengths, "first": first}


def _group_by_gold(data, seed):
    """The numbers of all sequences, those with equal gold labels together, in a random order of the runs."""
    runs: dict[bytes, list[int]] = {}
    for number, gold in enumerate(data.golds()):
        runs.setdefault(gold.tobytes(), []).append(number)
    order = np.random.default_rng(seed).permutation(len(runs))
    return np.concatenate([list(runs.values())[k] for k in order])


@lru_cache(maxsize=4)
def split_words(data: str, test_fold: int, unseen: tuple[int, ...] = ()):
    """(learning, test) as Sequences of the words of ``data``: ``"kassel"``, or ``"pen:600"`` for 600 by the pen."""
    return tuple(word_sequences(part) for part in split(_words(data), test_fold, unseen))


@lru_cache(maxsize=2)
def _words(data):
    return load_words() if data == "kassel" else pen_words(int(data.removeprefix("pen:")), seed=0)


def effort(spec: dict) -> float:
    """The rough relative duration of a spec: for progress bars and for starting the longest first."""
    training = spec["training"]
    contexts = 4000 if training["method"] == "exact" else 20 + training["budget"] * training["passes"]
    return training["epochs"] * contexts


@lru_cache(maxsize=8)
def code_digest(sources: tuple[str, ...] = SOURCES) -> str:
    """A digest of the sources that decide a run's outcome; kept results of other sources do not count."""
    top = Path(__file__).parents[1]
    files = sorted(path for name in sources for path in [top / name, *(top / name).rglob("*.py")] if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]
