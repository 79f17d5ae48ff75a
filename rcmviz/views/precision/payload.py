"""Finished answers as JSON for the precision view: curves, reliability, and every sequence with its answers.

Each threshold has its numbers of answers and of right answers, so the browser only looks them up when the slider
moves: it needs no server, and no arithmetic of its own that could differ.
"""

from functools import lru_cache

import numpy as np

from rcmviz.core.methods import METHODS
from rcmviz.evaluation import confidence as measure
from rcmviz.evaluation.bootstrap import bootstrap
from rcmviz.evaluation.evaluate import score
from rcmviz.views.shared.export import page
from rcmviz.views.word.payload import digest

MOST_METHODS = 4
LEAST = 0.2  # share of sequences to answer for the ceiling of precision; with fewer it is noise
SHARES = np.linspace(0.01, 1, 100)  # shares at which the bands are drawn
BINS = 10
SHOWN = ("accuracy", "recall_99", "recall_95", "area", "calibration_error", "mean_confidence")


def build_precision(data, answers, *, kinds=None, title="", images=None, links=None, queries=None):
    """Build the payload of the precision view for one to four methods on the same sequences.

    ``data`` the labelled Sequences (W) · ``answers`` list of ``evaluate.Answers`` on them · ``kinds`` per method rcms,
    beam, exact or another, which decides its colour and mark · ``images`` per sequence (T, rows, columns) of 0/1 ·
    ``links`` per sequence and ``queries`` per method: parameters of the Step page that show it; without them nothing
    can be clicked. ValueError: no methods or too many, other sequences than the data's, or lists of other lengths.
    """
    answers = list(answers)
    _check(data, answers, kinds, images, links, queries)
    payload = {
        "version": 1,
        "title": title,
        "labels": [str(label) for label in data.labels],
        "gold": [gold.tolist() for gold in data.golds()],
        "images": None if images is None else [_pack_images(image) for image in images],
        "size": None if images is None else list(np.shape(images[0])[1:]),
        "links": None if links is None else list(links),
        "methods": [
            _kind(kinds[m] if kinds else "other") | {"query": queries[m] if queries else None} | _method(one)
            for m, one in enumerate(answers)
        ],
    }
    return payload | {"id": digest(payload)}


def _kind(kind):
    return {"kind": kind, "drops": kind in METHODS and METHODS[kind].drops}


def _check(data, answers, kinds, images, links, queries):
    if not 1 <= len(answers) <= MOST_METHODS:
        raise ValueError(f"{len(answers)} methods: the precision view shows one to {MOST_METHODS}")
    for one in answers:
        if len(one.gold) != len(data):
            raise ValueError(f"{one.name}: {len(one.gold)} answers for {len(data)} sequences")
    wanted_of = {"images": len(data), "links": len(data), "kinds": len(answers), "queries": len(answers)}
    for name, given in {"images": images, "links": links, "kinds": kinds, "queries": queries}.items():
        wanted = wanted_of[name]
        if given is not None and len(given) != wanted:
            raise ValueError(f"{len(given)} {name} where {wanted} are needed")


@lru_cache(maxsize=32)  # bootstraps take a second; a page that adds a method reuses the others
def _method(answers):
    """One method's part of the payload; never changed, only copied into payloads."""
    confidence, correct = answers.confidence, answers.correct
    answered, precision = measure.precision_curve(confidence, correct)
    counts = np.rint(answered * len(correct)).astype(int)
    row = score(answers)
    return {
        "name": answers.name,
        "order": np.argsort(-confidence, kind="stable").tolist(),
        "confidence": confidence.tolist(),
        "decoded": [None if right else found.tolist() for right, found in zip(correct, answers.decoded, strict=True)],
        "threshold": np.unique(confidence)[::-1].tolist(),
        "answered": counts.tolist(),
        "right": np.rint(precision * counts).astype(int).tolist(),
        "ceiling": most_precise_index(confidence, correct),
        "band": _band(confidence, correct),
        "reliability": {equal: _bins(confidence, correct, equal) for equal in measure.EQUAL},
        "score": {name: [getattr(row, name), *row.intervals[name]] for name in SHOWN},
    }


def most_precise_index(confidence, correct, least=LEAST):
    """The index of the threshold of highest precision among those that answer at least this share (the largest share).

    >>> most_precise_index(np.array([0.9, 0.8, 0.7, 0.6]), np.array([True, False, True, True]), least=0.5)
    3
    """
    answered, precision = measure.precision_curve(confidence, correct)
    enough = np.where(answered >= least, precision, -1)
    return len(enough) - 1 - int(np.argmax(enough[::-1]))


def _band(confidence, correct):
    """The 95 % interval of the precision at every share of ``SHARES``."""
    interval = bootstrap(lambda *drawn: measure.precision_at(*drawn, SHARES), confidence, correct, draws=400)
    return {"share": SHARES.tolist(), "low": interval.low.round(5).tolist(), "high": interval.high.round(5).tolist()}


def _bins(confidence, correct, equal):
    table = measure.reliability(confidence, correct, BINS, equal)
    columns = {name: getattr(table, name).tolist() for name in ("low", "high", "count", "confidence", "accuracy")}
    return columns | {"error": table.error}


def _pack_images(image):
    """A sequence's images as one hexadecimal string, row by row; ``size`` says where letters end."""
    return np.packbits(np.asarray(image, dtype=np.uint8).ravel()).tobytes().hex()


def precision_html(payload, heading):
    """The view as one HTML text that works offline."""
    return page(payload, heading, "precision")
