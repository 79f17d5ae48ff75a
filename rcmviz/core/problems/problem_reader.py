"""Shared by the formats of problem files: limits, the error that names its place, and the checks of each part."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any, NoReturn

import numpy as np

from rcmviz.core.models.model import BEGIN, FORGOTTEN, NgramModel
from rcmviz.core.models.shipped import load_model
from rcmviz.core.shared import checks

MAX_BYTES = 5_000_000
MAX_POSITIONS = 400
MAX_LABELS = 500
MAX_ORDER = 12
MAX_WINDOWS = 200_000
MAX_WEIGHTS = 4_000_000  # of the table of windows, 32 MB: contexts times labels
MAX_IMAGE_SIDE = 64
MAX_TEXT = 100  # characters of a label, of a token or of a name
MAX_TITLE, MAX_NOTE = 200, 500  # characters

RESERVED = {FORGOTTEN: "a forgotten position", BEGIN: "a position before the start"}


class ProblemError(ValueError):
    """A problem file that cannot be used; the message names the file, the place and what to write instead."""


class ProblemReader:
    """Shared by the formats: the place in the file, and the checks of labels, rows, gold, tokens, notes and length."""

    def __init__(self, source: str):
        self.source = source

    def fail(self, where: str, message: str) -> NoReturn:
        raise ProblemError(f"{self.source}: {where}: {message}")

    def check_labels(self, labels: list, place: Callable[[int], str]) -> tuple[str, ...]:
        if not 1 <= len(labels) <= MAX_LABELS:
            self.fail(place(0), f"{len(labels)} labels; give between 1 and {MAX_LABELS}")
        first: dict[str, int] = {}
        for k, label in enumerate(labels):
            if not isinstance(label, str) or not label.strip():
                self.fail(place(k), f"{label!r} is not a label; a label is a text that is not blank")
            if label in RESERVED:
                self.fail(place(k), f"the label {label!r} is taken for {RESERVED[label]}; rename it, e.g. to 'star'")
            if len(label) > MAX_TEXT:
                self.fail(place(k), f"the label has {len(label)} characters; use at most {MAX_TEXT}")
            if label in first:
                self.fail(
                    place(k), f"the label {label!r} stands twice (first as number {first[label] + 1}); remove one"
                )
            first[label] = k
        return tuple(labels)

    def check_length(self, T: int, where: str) -> None:
        if not 1 <= T <= MAX_POSITIONS:
            self.fail(where, f"{T} positions; give between 1 and {MAX_POSITIONS}")

    def check_row(self, row: list[float], where: str) -> list[float]:
        if all(value == -math.inf for value in row):
            self.fail(where, "every label is impossible here; give at least one label a finite log emission")
        if abs(max(row)) > checks.LARGEST or min(value for value in row if value > -math.inf) < checks.LEAST_LOG:
            self.fail(where, f"its highest log is {max(row):g}; give one of at most {checks.LARGEST:,.0f} in size")
        return row

    def check_weight(self, value: float, where: str) -> float:
        if not abs(value) <= checks.LARGEST and value != -math.inf:
            self.fail(where, f"the weight is {value:g}; give a log weight of at most {checks.LARGEST:,.0f} in size")
        return value

    def check_gold_label(self, label: Any, labels: tuple[str, ...], where: str) -> str:
        if label not in labels:
            self.fail(where, f"{label!r} is not one of the labels {labels_text(labels)}")
        return label

    def check_token(self, token: Any, where: str) -> str:
        if not isinstance(token, str) or len(token) > MAX_TEXT:
            self.fail(where, f"{str(token)[:40]!r} is not a text of at most {MAX_TEXT} characters; write what was seen")
        return token

    def check_note(self, note: Any, where: str) -> str:
        if not isinstance(note, str) or not note.strip() or len(note) > MAX_NOTE:
            self.fail(where, f"not a note; write a text of 1 to {MAX_NOTE} characters, or leave it out")
        return note

    def check_title(self, title: Any, where: str = "title") -> str:
        if not isinstance(title, str) or len(title) > MAX_TITLE:
            self.fail(where, f"not a text of at most {MAX_TITLE} characters")
        return title

    def check_name(self, name: Any, where: str = "name") -> str:
        if not isinstance(name, str) or len(name) > MAX_TEXT:
            self.fail(where, f"not a text of at most {MAX_TEXT} characters")
        return name

    def named_model(self, name: Any, where: str) -> NgramModel:
        try:
            return load_model(name)
        except (ValueError, OSError) as error:
            self.fail(where, str(error))

    def check_same_labels(self, labels: tuple[str, ...], model: NgramModel, where: str) -> None:
        if labels != tuple(model.labels):
            self.fail(
                where,
                f"the labels differ from those of the model; write them in its order: {labels_text(model.labels)}",
            )


def labels_text(labels: Collection[str]) -> str:
    """The first labels as text, short enough for a message."""
    shown = ", ".join(repr(label) for label in list(labels)[:8])
    return shown + (f" … ({len(labels)} in all)" if len(labels) > 8 else "")


def frozen_array(values: Any, dtype: type = np.float64) -> np.ndarray:
    """The values as an array of their own that cannot be changed."""
    array: np.ndarray = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def as_number(cell: str) -> float | None:
    """The number that a cell of a CSV holds, None where it holds none."""
    try:
        return float(cell)
    except ValueError:
        return None
