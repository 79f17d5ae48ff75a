"""Trainings as JSON for the learning view: curves, and each checkpoint's weights and reading of one sequence."""

import base64
import math
from dataclasses import dataclass
from types import SimpleNamespace
from weakref import WeakKeyDictionary

import numpy as np

from rcmviz.core.methods import TRAINABLE, MethodChoice
from rcmviz.core.shared import checks
from rcmviz.jobs.job import Snapshot
from rcmviz.jobs.sequences import Checkpoint
from rcmviz.learn.heaviest import heaviest_features, heaviest_windows
from rcmviz.sequences.table import Sequences
from rcmviz.views.shared.plain import pixel_rows

CURVES = ("log_likelihood", "accuracy", "recall_99", "mean_length", "lost", "gradient_norm")
HEAVIEST = 8  # weights for a label, and as many against
MOST_NAMES = 500  # held-out sequences to choose from
_HEAVIEST_WEIGHTS = WeakKeyDictionary()  # checkpoint → its weights; released with the checkpoint


@dataclass(frozen=True, eq=False)
class ShownSequence:
    """The selected held-out ``sequence`` (``Sequences`` of length one), ``shown`` as images (T, rows, columns) or as T
    tokens; its index is ``word``, and ``words`` are the names of all held-out sequences.
    """

    sequence: Sequences
    shown: np.ndarray | list
    word: int
    words: list


def build_learning(run, names, example, *, pixels=None, features=None, step=None, opens=False):
    """Build the payload of the learning view from the ``snapshots`` of a run.

    ``run`` a ``Run`` of learn.host · ``names`` of its methods · ``example`` the selected one · ``pixels`` (rows,
    columns) where features are pixels, else the names of the ``features`` · ``step`` the checkpoint chosen, None = the
    latest · ``opens`` whether a checkpoint can be stepped through.
    """
    snapshots = run.snapshots()
    return {
        "id": run.name,
        "size": run.size,
        "step": step,
        "word": example.word,
        "words": example.words[:MOST_NAMES],
        "pixels": None if pixels is None else {"rows": pixels[0], "columns": pixels[1]},
        "methods": [
            _method(name, snapshot, example.sequence, pixels, features)
            for name, snapshot in zip(names, snapshots, strict=True)
        ],
        "labels": list(example.sequence.labels),
        "sequence": _sequence(example),
        "opens": opens,
    }


def build_training(trainer, states=(), *, example=0, tokens=None, step=None):
    """Build the payload of the learning view for a ``Trainer`` in progress.

    ``states`` the results of its ``advance``, each a checkpoint; without any, the current model is the only one ·
    ``example`` the index, from 0, of the sequence to read: a held-out one if there are any · ``tokens`` at its T
    positions, else their numbers · ``step`` the checkpoint to show, None = the latest. ValueError if nothing has been
    learnt or a number does not fit.
    """
    if not trainer.history:
        raise ValueError("nothing has been learnt yet: call trainer.advance() first")
    data = trainer.data if trainer.held_out is None else trainer.held_out
    sequence = data.take([checks.whole("example", example, 0, len(data) - 1)])
    tokens = list(tokens or map(str, range(1, sequence.positions + 1)))
    if len(tokens) != sequence.positions:
        raise ValueError(f"{len(tokens)} tokens: the example has {sequence.positions} positions")
    kept = [(state.step, state.model) for state in states or ()] or [(trainer.step, trainer.model())]
    status = "done" if trainer.done else "paused"
    snapshot = Snapshot(
        trainer.settings,
        status,
        "",
        trainer.step,
        trainer.settings.epochs * len(trainer.data),
        None,
        tuple(SimpleNamespace(**row) for row in trainer.history),
        tuple(Checkpoint(at, model, trainer.settings) for at, model in kept),
        False,
    )
    run = SimpleNamespace(name="notebook", size=len(trainer.data), snapshots=lambda: [snapshot])
    name = MethodChoice(trainer.settings.method, trainer.settings.budget).name
    shown = ShownSequence(sequence, tokens, 0, [f"example {example}"])
    return build_learning(run, [name], shown, features=data.names, step=step) | {"title": name}


def _method(name, snapshot, sequence, pixels, features):
    points = snapshot.points
    return {
        "name": name,
        "kind": snapshot.settings.method,
        "status": snapshot.status,
        "message": snapshot.message,
        "done": snapshot.step,
        "steps": snapshot.steps,
        "left": _number(snapshot.left),
        "evaluating": snapshot.evaluating,
        "drops": TRAINABLE[snapshot.settings.method].drops,
        "points": {"step": [point.step for point in points]}
        | {curve: [_number(getattr(point, curve)) for point in points] for curve in CURVES},
        "checkpoints": [
            _heaviest_weights(checkpoint, pixels, features) | _reading(checkpoint, sequence)
            for checkpoint in snapshot.checkpoints
        ],
    }


def _sequence(example):
    gold, shown = example.sequence.gold.tolist(), example.shown
    if isinstance(shown, np.ndarray):
        return {"gold": gold, "images": pixel_rows(shown), "tokens": None}
    return {"gold": gold, "images": None, "tokens": list(shown)}


def _heaviest_weights(checkpoint, pixels, features):
    if checkpoint not in _HEAVIEST_WEIGHTS:
        model = checkpoint.model
        found = {"step": checkpoint.step, "windows": heaviest_windows(model, HEAVIEST)}
        if pixels is None:
            found["features"] = heaviest_features(model, HEAVIEST, features)
        else:
            found |= _pack_weights(model.emission[:-1])
        _HEAVIEST_WEIGHTS[checkpoint] = found
    return _HEAVIEST_WEIGHTS[checkpoint]


def _pack_weights(weights):
    """Pixel weights (F, Y) as one byte each, letter by letter, 128 = zero; ``scale`` is the value of the ends.

    The mean of each pixel over the letters is subtracted, which changes no probability.
    """
    weights = weights - weights.mean(axis=1, keepdims=True)
    scale = float(np.abs(weights).max(initial=1e-9))
    levels = np.round(weights.T / scale * 127 + 128).astype(np.uint8)
    return {"weights": base64.b64encode(levels.tobytes()).decode(), "scale": _number(scale)}


def _reading(checkpoint, sequence):
    reading = checkpoint.read(sequence)
    return {"decoded": reading.decoded, "confidence": _number(reading.confidence), "gold": _number(reading.gold)}


def _number(value):
    """A number with four significant digits, more than a curve shows; None if it is not finite."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")
