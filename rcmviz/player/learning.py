"""Trainings as JSON for the learning view: curves, what each checkpoint has learned, what it reads in one sequence."""

import base64
import math
from weakref import WeakKeyDictionary

import numpy as np

from rcmviz.learn.insides import heaviest_features, heaviest_windows

CURVES = ("log_likelihood", "accuracy", "recall_99", "mean_length", "lost", "gradient_norm")
HEAVIEST = 8  # for, and as many against
MOST_NAMES = 500  # held-out sequences to choose from
_INSIDES = WeakKeyDictionary()  # checkpoint → what it has learned; gone with the checkpoint


def build_learning(run, names, sequence=None, *, images=None, words=(), word=0, pixels=None, features=None, step=None):
    """What the learning view draws, from the ``snapshots`` of a run.

    ``run`` a ``Run`` of learn.host · ``names`` of its methods · ``sequence`` the held-out one that is looked at
    (``Sequences`` of length one) with its ``images`` (T, rows, columns); it is number ``word`` of those whose names
    are ``words`` · ``pixels`` (rows, columns) where features are pixels, else the names of the ``features`` · ``step``
    the checkpoint chosen, None = the latest.
    """
    snapshots = run.snapshots()
    return {
        "id": run.name, "size": run.size, "step": step, "word": word, "words": list(words)[:MOST_NAMES],
        "pixels": None if pixels is None else {"rows": pixels[0], "columns": pixels[1]},
        "methods": [
            _method(name, snapshot, sequence, pixels, features) for name, snapshot in zip(names, snapshots, strict=True)
        ],
        "labels": list(run.labels),
        "sequence": None if sequence is None else _sequence(sequence, images),
    }  # fmt: skip


def _method(name, snapshot, sequence, pixels, features):
    points = snapshot.points
    return {
        "name": name, "kind": snapshot.settings.method, "status": snapshot.status, "message": snapshot.message,
        "done": snapshot.step, "steps": snapshot.steps, "left": _number(snapshot.left),
        "points": {"step": [point.step for point in points]}
        | {curve: [_number(getattr(point, curve)) for point in points] for curve in CURVES},
        "checkpoints": [
            _insides(checkpoint, pixels, features) | _reading(checkpoint, sequence)
            for checkpoint in snapshot.checkpoints
        ],
    }  # fmt: skip


def _sequence(sequence, images):
    gold = sequence.gold.tolist()
    rows = None if images is None else [["".join(map(str, row)) for row in image.tolist()] for image in images]
    return {"gold": gold, "images": rows}


def _insides(checkpoint, pixels, features):
    if checkpoint not in _INSIDES:
        model = checkpoint.model
        insides = {"step": checkpoint.step, "windows": heaviest_windows(model, HEAVIEST)}
        if pixels is None:
            insides["features"] = heaviest_features(model, HEAVIEST, features)
        else:
            insides |= _packed(model.emission[:-1])
        _INSIDES[checkpoint] = insides
    return _INSIDES[checkpoint]


def _packed(weights):
    """Pixel weights (F, Y) as one byte each, letter by letter, 128 = zero; ``scale`` is what the ends stand for."""
    scale = float(np.abs(weights).max(initial=1e-9))
    levels = np.round(weights.T / scale * 127 + 128).astype(np.uint8)
    return {"weights": base64.b64encode(levels.tobytes()).decode(), "scale": _number(scale)}


def _reading(checkpoint, sequence):
    if sequence is None:
        return {}
    reading = checkpoint.read(sequence)
    return {"decoded": reading.decoded, "confidence": _number(reading.confidence), "gold": _number(reading.gold)}


def _number(value):
    """Four significant digits are more than a curve shows; null where there is no number."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")
