"""A field in training as JSON for the Learning view: bounds, exact value, word pairs not explained yet."""

from weakref import WeakKeyDictionary

import numpy as np

from rcmviz.mrf.star import pair_marginals
from rcmviz.views.word.payload import number

MOST_PAIRS = 12  # words of the heat map


def build_learning(run, points, checkpoints, moments, words, chosen, lines, *, status="done", title="", code=None):
    """Build the payload of the Learning view.

    ``run`` its name: while it stays the same, the view keeps its position · ``points`` ``MrfPoint``, ``checkpoints``
    ``MrfCheckpoint``, oldest first · ``moments`` of the training text · ``words`` of the vocabulary and
    the numbers of those ``chosen`` for the heat map · ``lines`` [(name, nats per token)] to compare with · ``status``
    running, paused or over.
    """
    curves = ("bound", "held_bound", "exact")
    return {
        "kind": "learning",
        "id": f"{run}:{len(points)}:{len(checkpoints)}:{status}:{list(chosen)}",
        "run": run,
        "status": status,
        "title": title,
        "points": {"step": [point.step for point in points]}
        | {curve: [number(getattr(point, curve)) for point in points] for curve in curves},
        "lines": [[line, number(value)] for line, value in lines],
        "words": [words[w] for w in chosen],
        "data": _three_digits([pairs[chosen][:, chosen].toarray() / moments.tokens for pairs in moments.pairs]),
        "frames": [{"step": one.step, "model": _model_pairs(one, tuple(chosen))} for one in checkpoints],
        "code": code,
    }


def most_frequent(moments, most=MOST_PAIRS):
    """Numbers of the words that occur most often, the separator among them."""
    return np.argsort(-moments.words, kind="stable")[:most].tolist()


_PAIRS = WeakKeyDictionary()  # checkpoint → {words: its payload}; released with the checkpoint


def _model_pairs(checkpoint, chosen):
    known, model = _PAIRS.setdefault(checkpoint, {}), checkpoint.model
    if chosen not in known:
        known[chosen] = _three_digits(pair_marginals(model.potentials, model.delta, list(chosen)))
    return known[chosen]


def _three_digits(tables):
    """Three digits: they are distinguished by colour only."""
    return [[[float(f"{value:.3g}") for value in row] for row in table] for table in np.asarray(tables).tolist()]
