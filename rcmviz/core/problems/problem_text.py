"""Small problems as JSON text, one key, window or position per line; `problem_file.py` reads it."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from rcmviz.core.models.model import BEGIN, FORGOTTEN, NgramModel
from rcmviz.core.models.shipped import shipped_models
from rcmviz.core.models.transitions import transitions_of

SCHEMA = "rcmviz/problem"
VERSION = 2
SINCE_2 = {"title", "tokens", "notes", "transitions"}  # what version 1 does not know; nor does it know weights of null


def as_json(problem) -> str:
    """One key per line, and one window, position or image per line: readable, and small in a diff."""
    parts: dict[str, Any] = {"name": problem.name}
    if problem.title:
        parts["title"] = problem.title
    parts |= {"labels": list(problem.labels)} | _weights(problem)
    parts["log_emit"] = [_or_null(row) for row in problem.log_emit.tolist()]
    if problem.tokens is not None:
        parts["tokens"] = list(problem.tokens)
    if problem.notes:
        parts["notes"] = {str(i): note for i, note in sorted(problem.notes.items())}
    if problem.gold is not None:
        parts["gold"] = list(problem.gold)
    if problem.images is not None:
        parts["images"] = np.asarray(problem.images).tolist()
    needs_2 = SINCE_2.intersection(parts) or not getattr(problem.model, "is_positive", True)
    head = {"schema": SCHEMA, "version": VERSION if needs_2 else 1}
    return "{" + ",\n ".join(f"{json.dumps(key)}: {_lines(value)}" for key, value in (head | parts).items()) + "}\n"


def _weights(problem) -> dict[str, Any]:
    """The model as keys: its name, a table where that says it all in less, else windows."""
    if problem.model_name in shipped_models():
        return {"model": problem.model_name}
    table = transitions_of(problem.model)
    if table is not None:
        after, start, forgotten = table.after.tolist(), table.start.tolist(), table.forgotten.tolist()
        return {
            "transitions": [_or_null(row) for row in after],
            "start": _or_null(start),
            "forgotten": _or_null(forgotten),
        }
    windows = [[list(window), *_or_null([weight])] for window, weight in model_windows(problem.model).items()]
    return {"order": int(problem.model.order), "mode": problem.model.mode, "windows": windows}


def _or_null(values: list[float]) -> list[float | None]:
    """JSON has no −inf: null represents it."""
    return [None if value == -math.inf else value for value in values]


def _lines(value: Any) -> str:
    nested = isinstance(value, list) and value and isinstance(value[0], list)
    if not nested:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    return "[\n  " + ",\n  ".join(json.dumps(v, ensure_ascii=False, allow_nan=False) for v in value) + "]"


def model_windows(model: NgramModel) -> dict[tuple[str, ...], float]:
    """The windows of a model whose weight is not 0; `NgramModel.from_windows` makes the same model of them."""
    group = {int(model.base[i, k]): (i, k) for i in range(model.order + 1) for k in range(i + 1)}
    if model.additive:  # a forgetful group is shared by all positions and written as that of a late one
        group |= {int(model.base[model.order, k]): (model.order, k) for k in range(model.order + 1)}
    starts = np.array(sorted(group))
    windows = {}
    for key, weights in zip(model.keys.tolist(), model.weights, strict=True):
        start = int(starts[np.searchsorted(starts, key, side="right") - 1])
        prefix = _prefix(model, *group[start], key - start)
        windows |= {(*prefix, model.labels[y]): float(weights[y]) for y in np.flatnonzero(weights)}
    return windows


def _prefix(model: NgramModel, i: int, known: int, code: int) -> tuple[str, ...]:
    """The n symbols of a row: `known` labels written in `code`, at position i."""
    digits = [code // int(model.powers[k]) % len(model.labels) for k in range(known)]
    remembered = tuple(model.labels[y] for y in reversed(digits))
    forgotten = model.order - known
    if not model.additive:
        return (BEGIN,) * (model.order - i) + (FORGOTTEN,) * (i - known) + remembered
    begins = int(i < model.order)
    return (FORGOTTEN,) * (forgotten - begins) + (BEGIN,) * begins + remembered
