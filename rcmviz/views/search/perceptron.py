"""Updates of a perceptron, each explained, as JSON for the Perceptron view."""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.views.shared.plain import number, pixel_rows
from rcmviz.views.word.payload import digest

START = "^"  # of a sequence, in the names of windows
RULES = ("standard", "early", "max-violation")
SHARES = 6  # labels sent per position at a temperature above 0
CHANGES = 24  # changed transition weights sent per update
LEAST = 0.005  # smallest share of a label that is sent


class SeenUpdate(NamedTuple):
    """An update: how many words had been seen, the word, and its ``UpdateExplanation``."""

    seen: int
    word: Any
    explained: Any


def build_perceptron(updates, curves, *, beam, labels, title, opening=1, code=None):
    """Build the payload of the Perceptron view.

    ``updates`` ``SeenUpdate``s at several temperatures, the first 0 · ``curves``
    [{method, name, points [(words seen, share of letters that are right)]}] · ``beam`` the beam width ·
    ``opening`` the update that is shown first, from 1 on.
    """
    number_of, updates = {label: y for y, label in enumerate(labels)}, [SeenUpdate(*one) for one in updates]
    taus = [step.temperature for step in updates[0].explained.tempered]
    payload = {
        "kind": "perceptron",
        "title": title,
        "labels": list(labels),
        "glue": "",
        "beam": beam,
        "taus": taus,
        "opening": opening,
        "updates": [_update(update, number_of) for update in updates],
        "curves": [one | {"points": [[int(n), number(share)] for n, share in one["points"]]} for one in curves],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def _update(update, number_of):
    word, found = update.word, update.explained
    return {
        "seen": update.seen,
        "word": word.letters,
        "gold": _numbers(found.gold, number_of),
        "found": _numbers(found.predicted, number_of),
        "fell": found.lost_at,
        "images": pixel_rows(word.images),
        "kept": [[[number_of[kept.labels[-1]], kept.gold] for kept in column] for column in found.columns[1:]],
        "lead": [number(prefix.best - prefix.gold) for prefix in found.prefixes],
        "steps": {rule: _step_payload(step, number_of) for rule, step in found.steps.items()},
        "heats": [None, *(_heat(step) for step in found.tempered[1:])],
    }


def _step_payload(step, number_of):
    guess = _numbers(step.predicted, number_of)
    return {"cut": step.cut, "guess": guess, "lead": number(step.lead), "changes": _changes(step.changes)}


def _heat(step):
    return {"shares": [_shares(row) for row in step.label], "changes": _changes(step.changes)}


def _numbers(names, number_of):
    return [number_of[name] for name in names]


def _changes(changes):
    """[name, weight, change] of the windows, the largest change first; the pictures show the pixels."""
    windows = [one for one in changes if one.kind == "window" and abs(one.difference) > 1e-9]
    windows.sort(key=lambda one: -abs(one.difference))
    return [[_name(one.name), number(one.before), number(one.after - one.before)] for one in windows[:CHANGES]]


def _name(symbols):
    *before, label = ("start" if symbol == START else symbol for symbol in symbols)
    return f"{' '.join(before)} → {label}" if before else label


def _shares(row):
    """[label, p] of a position, likeliest first."""
    order = np.argsort(-np.asarray(row), kind="stable")[:SHARES].tolist()
    return [[y, float(f"{row[y]:.3g}")] for y in order if row[y] >= LEAST]
