"""Trainings of alignments as JSON for the learning view: curves, and each checkpoint's reading of one example."""

from weakref import WeakKeyDictionary

import numpy as np

from rcmviz.jobs.alignments import aligner_of
from rcmviz.views.word.payload import number

CURVES = ("error_rate", "exact", "explained", "log_likelihood", "mean_length", "gradient_norm")
MOST_NAMES = 300  # held-out examples to choose from
PREPARES = "fixing the alignments that it will learn"
_READ = WeakKeyDictionary()  # checkpoint → {example: its reading}; released with the checkpoint


def build_align_learning(run, names, held_out, word=0, step=None):
    """Build the payload of the learning view of the five strategies.

    ``run`` a ``Run`` of learn.host, of alignments · ``names`` of its strategies · ``held_out`` Pairs, of which number
    ``word`` is selected · ``step`` the checkpoint chosen, None = the latest.
    """
    texts = [held_out.text(w) for w in range(min(len(held_out), MOST_NAMES))]
    return {
        "id": run.name,
        "size": run.size,
        "step": step,
        "word": word,
        "words": texts,
        "example": {"phones": list(held_out.phone_names(word)), "meant": texts[word]},
        "methods": [
            _method(name, snapshot, held_out, word) for name, snapshot in zip(names, run.snapshots(), strict=True)
        ],
    }


def _method(name, snapshot, held_out, word):
    points, strategy = snapshot.points, snapshot.settings.strategy
    prepares = strategy == "forced" and snapshot.status == "running" and not snapshot.step
    message = PREPARES if prepares else snapshot.message
    return {
        "name": name,
        "kind": strategy,
        "status": snapshot.status,
        "message": message,
        "done": snapshot.step,
        "steps": snapshot.steps,
        "left": number(snapshot.left or np.nan),
        "evaluating": snapshot.evaluating,
        "points": {name: [getattr(point, name) for point in points] for name in ("step", "examples")}
        | {curve: [number(getattr(point, curve)) for point in points] for curve in CURVES},
        "checkpoints": [
            {"step": checkpoint.step} | _reading(checkpoint, held_out, word) for checkpoint in snapshot.checkpoints
        ],
    }


def _reading(checkpoint, held_out, word):
    read = _READ.setdefault(checkpoint, {})
    if word not in read:
        read[word] = reading(aligner_of(checkpoint.model, checkpoint.settings), held_out, word)
    return read[word]


def reading(aligner, held_out, word):
    """The best alignment's ``text`` of an example, and ``p``, the probability of all its alignments together."""
    best = aligner.forward(held_out.sounds(word)).best()
    text = best.text if best else ""
    p = np.exp(aligner.log_mass(aligner.model.letter_numbers(text)) - aligner.log_z) if best else 0.0
    return {"text": text, "p": number(p)}
