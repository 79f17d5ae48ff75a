"""Sweeps: methods × budgets × orders × seeds, each cell trained and tested by itself, on this machine or a cluster.

>>> specs = grid(handwriting_data("pen", words=40), methods=["rcms"], budgets=[2], seeds=2, epochs=1)
>>> results = run_cells(training_cell, specs)
>>> [(row["method"], row["budget"], row["runs"], row["failed"]) for row in summary(specs, results)]
[('rcms', 2, 2, 0)]
"""

import hashlib
import json
from collections import deque
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np

from rcmviz.core.methods import TRAINABLE
from rcmviz.core.shared import checks
from rcmviz.evaluation.evaluate import Contender, evaluate_sequences
from rcmviz.experiments.cells import run_cells
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import train
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.file import read_sequences
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting import letter_data, pen

__all__ = ["file_data", "grid", "handwriting_data", "read_data", "run_cells", "summary", "training_cell"]

FOLDS = 10
MEASURED = ("accuracy", "label_accuracy", "recall_99", "recall_95", "area", "mean_confidence", "mean_length")


def handwriting_data(source="pen", words=1000, grid="8x4", fold=5):
    """Words for a sweep: the pen's (how many) or Kassel's, ``fold`` held out to test on.

    A sweep is for choosing settings, so the test fold is left out altogether unless ``fold`` names it.
    """
    return {"source": source, "words": words if source == "pen" else None, "grid": grid, "fold": fold}


def file_data(path, test=None, fold=0, **reading):
    """Sequences of a CoNLL or CSV file for a sweep, tested on the file ``test``, else on every tenth from ``fold`` on.

    ``reading`` are options of ``read_sequences``. The workers read the files themselves: on a cluster they need the
    same path, and the digest makes sure that it is the same content.
    """
    files = [path] if test is None else [path, test]
    return {
        "files": [str(Path(name).resolve()) for name in files],
        "digests": [_digest(name) for name in files],
        "fold": fold,
        "reading": reading,
    }


def grid(data, methods=("rcms", "beam"), budgets=(5, 10), orders=(3,), seeds=3, **settings):
    """A spec for every method × order × budget × seed (0 … seeds − 1); some methods have no budget.

    ``settings`` are those of ``Training`` that all share; ``passes`` reaches rcms only. ValueError for what a training
    would refuse.
    """
    specs = []
    for method, order in product(methods, orders):
        chosen = TRAINABLE[checks.choice("method", str(method), TRAINABLE)]
        shared = settings | ({} if chosen.passes_in_bulk else {"passes": 1})
        for budget, seed in product(budgets if chosen.has_budget else budgets[:1], range(seeds)):
            training = Training(method=chosen.kind, order=order, budget=budget, seed=seed, **shared)
            specs.append({"data": data, "training": training.to_dict()})
    return specs


def training_cell(spec):
    """Train and test one cell: the numbers of ``MEASURED`` with ``log_likelihood`` and ``lost`` of the last epoch."""
    learning, test = read_data(spec["data"])
    settings = Training.from_dict(spec["training"])
    (state,) = deque(train(learning, settings), maxlen=1)
    tested = Contender(settings.method, settings.budget, settings.passes, settings.deduplicate)
    (score,) = evaluate_sequences(state.model, test, [tested], threads=1)
    scores = {name: getattr(score, name) for name in MEASURED}
    return scores | {"log_likelihood": state.log_likelihood, "lost": state.lost}


def read_data(data):
    """Training and test data of a sweep's cells; ValueError if unavailable."""
    return _split(json.dumps(data, sort_keys=True))


@lru_cache(maxsize=2)  # the cells of a sweep share their data, and a worker runs many
def _split(data):
    data = json.loads(data)
    return _split_files(data) if "files" in data else _split_words(data)


def _split_words(data):
    words = letter_data.load_words() if data["source"] == "kassel" else pen.pen_words(data["words"], seed=0)
    parts = letter_data.split(words, data["fold"], unseen=(TEST_FOLD,))
    return tuple(letter_data.word_sequences(part, data["grid"]) for part in parts)


def _split_files(data):
    for path, digest in zip(data["files"], data["digests"], strict=True):
        if _digest(path) != digest:
            raise ValueError(f"{path} has changed since the sweep was planned; start it again")
    file = read_sequences(data["files"][0], **data["reading"])
    if len(data["files"]) > 1:
        test = read_sequences(data["files"][1], like=file)
        pairs = (file.X, file.y), (test.X, test.y)
    else:
        pairs = (_every(file, lambda fold: fold != data["fold"]), _every(file, lambda fold: fold == data["fold"]))
        if not all(X for X, _ in pairs):
            few = f"{file.source}: too few sequences ({len(file)}) to keep every tenth from {data['fold']} on"
            raise ValueError(f"{few}; name a file to test on (--test)")
    encoder, learning = Encoder.learn(*pairs[0])
    return learning, encoder.encode(*pairs[1])


def _every(file, wanted):
    chosen = [number for number in range(len(file)) if wanted(number % FOLDS)]
    return [file.X[number] for number in chosen], [file.y[number] for number in chosen]


def _digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def summary(specs, results):
    """A row per method × budget × order, in the order of the specs.

    Its settings, how many ``runs`` and ``failed``, the first ``error``, and per number of a cell ``[mean, standard
    deviation]`` over the seeds (n − 1; None for one run).
    """
    groups = {}
    for spec, result in zip(specs, results, strict=True):
        training = spec["training"]
        groups.setdefault((training["method"], training["budget"], training["order"]), []).append(result)
    return [dict(zip(("method", "budget", "order"), key, strict=True)) | _row(group) for key, group in groups.items()]


def _row(results):
    done = [result for result in results if "error" not in result]
    errors = [result["error"] for result in results if "error" in result]
    numbers = {name: _mean_and_sd([result[name] for result in done]) for name in (done[0] if done else ())}
    return {"runs": len(done), "failed": len(errors), "error": errors[0] if errors else None} | numbers


def _mean_and_sd(values):
    return [float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None]
