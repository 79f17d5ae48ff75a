"""Problems as JSON, read with every check; `problem_text.py` writes them. Places are paths such as `windows[3]`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from rcmviz.core.models.model import MODES, NgramModel
from rcmviz.core.models.shipped import shipped_models
from rcmviz.core.models.transitions import Transitions
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_reader import (
    MAX_IMAGE_SIDE,
    MAX_ORDER,
    MAX_WEIGHTS,
    MAX_WINDOWS,
    ProblemError,
    ProblemReader,
    frozen_array,
    labels_text,
)
from rcmviz.core.problems.problem_text import SCHEMA, VERSION
from rcmviz.core.shared import checks
from rcmviz.core.shared.repeats import first_repeated

OF_TABLE = ("transitions", "start", "forgotten")
KEYS = (
    "schema",
    "version",
    "name",
    "title",
    "labels",
    "order",
    "mode",
    "windows",
    *OF_TABLE,
    "model",
    "log_emit",
    "tokens",
    "notes",
    "gold",
    "images",
)


class JsonProblem(ProblemReader):
    """A problem written as JSON; places are paths such as `windows[3]`."""

    def read(self, text: str, model_name: str | None) -> Problem:
        return self.from_data(self.load(text), model_name)

    def from_data(self, data: Any, model_name: str | None) -> Problem:
        """The problem of a parsed document."""
        if not isinstance(data, dict):
            self.fail("start", "a problem is one JSON object; write { … } around its keys")
        self.check_header(data)
        model, model_name = self.read_model(data, model_name)
        log_emit = self.read_emissions(data, len(model.labels))
        T = len(log_emit)
        gold = self.read_gold(data, tuple(model.labels), T)
        name, title = self.check_name(data.get("name", Path(self.source).stem)), self.check_title(data.get("title", ""))
        images, tokens, notes = self.read_images(data, T), self.read_tokens(data, T), self.read_notes(data, T)
        return Problem(model, log_emit, gold, name, images, model_name, tokens, title, notes)

    def load(self, text: str) -> Any:
        """The parsed JSON; ProblemError names the place of a fault."""
        try:
            return json.loads(text, parse_constant=self.refuse_constant, object_pairs_hook=self.unique)
        except json.JSONDecodeError as error:
            self.fail(f"line {error.lineno}, column {error.colno}", f"not JSON ({error.msg}); correct it there")
        except ProblemError:
            raise
        except (ValueError, RecursionError):
            self.fail(
                "somewhere", "a number is too long or brackets are nested too deep; write plain numbers and lists"
            )

    def refuse_constant(self, name: str) -> NoReturn:
        self.fail(f"the value {name}", "JSON has no such number; write null for log zero, else a finite number")

    def unique(self, pairs: list[tuple[str, Any]]) -> dict:
        data = dict(pairs)
        if len(data) < len(pairs):
            self.fail(str(first_repeated(key for key, _ in pairs)), "the key stands twice; keep one")
        return data

    def check_header(self, data: dict) -> None:
        schema, version = data.get("schema", SCHEMA), data.get("version", VERSION)
        if schema != SCHEMA:
            self.fail("schema", f"{schema!r} is not a problem; a problem has the schema {SCHEMA!r}")
        if not checks.is_whole(version) or version < 1:
            self.fail("version", f"{version!r} is not a version; write {VERSION}")
        if version > VERSION:
            self.fail("version", f"{version} is newer than this rcmviz reads ({VERSION}); install a newer rcmviz")
        for key in data:
            if key not in KEYS:
                self.fail(key, f"unknown key; the keys are {', '.join(KEYS)}")
        if "log_emit" not in data:
            self.fail("log_emit", "missing; give one list of log emissions per position")

    def read_model(self, data: dict, model_name: str | None) -> tuple[NgramModel, str | None]:
        brought = [key for key in ("model", "windows", "transitions") if key in data]
        if model_name is not None and brought:
            self.fail(brought[0], "the file brings its weights; run it without a model")
        if len(brought) > 1:
            self.fail(brought[0], f"give either a model or windows or transitions, not {' and '.join(brought)}")
        name = data.get("model", model_name)
        for key in OF_TABLE[1:]:
            if key in data and "transitions" not in data:
                self.fail(key, "it belongs to transitions; give those too, or leave it out")
        if "transitions" in data:
            return self.read_transitions(data), None
        if name is None:
            return self.read_windows(data), None
        if "model" in data and name not in shipped_models():  # a file from elsewhere may not name paths of this machine
            self.fail("model", f"{name!r} is not a shipped model; choose one of {labels_text(shipped_models())}")
        return self.read_named(data, name), name

    def read_named(self, data: dict, name: str) -> NgramModel:
        model = self.named_model(name, "model")
        if "labels" in data:
            self.check_same_labels(self.read_labels(data), model, "labels")
        for key, value in (("order", model.order), ("mode", model.mode)):
            if data.get(key, value) != value:
                self.fail(key, f"{data[key]!r} is not that of the model {name!r} ({value!r}); leave it out")
        return model

    def read_labels(self, data: dict) -> tuple[str, ...]:
        if not isinstance(data.get("labels"), list):
            self.fail("labels", 'missing or not a list; write e.g. "labels": ["a", "b"]')
        return self.check_labels(data["labels"], lambda k: f"labels[{k}]")

    def read_windows(self, data: dict) -> NgramModel:
        labels = self.read_labels(data)
        order: Any = data.get("order")
        mode = data.get("mode", MODES[0])
        if not checks.is_whole(order) or not 1 <= order <= MAX_ORDER:
            self.fail("order", f"{order!r}; give a whole number from 1 to {MAX_ORDER}")
        if mode not in MODES:
            self.fail("mode", f'{mode!r}; write "single" or "additive"')
        weights = self.window_weights(data.get("windows", []))
        try:
            empty = NgramModel.from_windows(labels, order, {}, mode=mode)
        except ValueError as error:
            self.fail("order", str(error))
        if (size := len({window[:-1] for window in weights}) * len(labels)) > MAX_WEIGHTS:
            self.fail(
                "windows",
                f"a table of {size:,} weights, {len(labels)} labels after each context; the limit is {MAX_WEIGHTS:,}: "
                "give fewer contexts, or name a shipped model",
            )
        try:
            return NgramModel.from_windows(labels, order, weights, mode=mode)
        except ValueError:
            self.name_window(empty, weights)
            raise

    def name_window(self, empty: NgramModel, weights: dict[tuple, float]) -> None:
        """Fail with the number of the first window that is malformed."""
        number = {label: y for y, label in enumerate(empty.labels)}
        for k, window in enumerate(weights):
            try:
                empty.address_of_window(window, number)
            except ValueError as error:
                self.fail(f"windows[{k}]", str(error))

    def read_transitions(self, data: dict) -> NgramModel:
        labels = self.read_labels(data)
        for key, value in (("order", 1), ("mode", MODES[0])):
            if data.get(key, value) != value:
                self.fail(key, f"{data[key]!r} does not go with transitions, which are {value!r}; leave it out")
        rows = data["transitions"]
        if not isinstance(rows, list) or len(rows) != len(labels):
            found = f"{len(rows)} rows" if isinstance(rows, list) else repr(rows)
            self.fail("transitions", f"{found} for {len(labels)} labels; give a row per label before, in their order")
        after = np.array([self.weights_row(row, labels, f"transitions[{k}]") for k, row in enumerate(rows)])
        others = [np.array(self.weights_row(data[key], labels, key)) if key in data else None for key in OF_TABLE[1:]]
        return Transitions.of(after, *others).model(labels)

    def weights_row(self, row: Any, labels: tuple[str, ...], where: str) -> list[float]:
        if not isinstance(row, list) or len(row) != len(labels):
            found = f"{len(row)} values" if isinstance(row, list) else repr(row)
            self.fail(where, f"{found}, but there are {len(labels)} labels; give one weight per next label")
        return [self.weight(value, f"{where}[{k}]") for k, value in enumerate(row)]

    def weight(self, value: Any, where: str) -> float:
        """A log weight; null forbids what it weighs."""
        return self.check_weight(self.log(value, where), where)

    def window_weights(self, windows: Any) -> dict[tuple, float]:
        if not isinstance(windows, list):
            self.fail("windows", 'not a list; write e.g. [[["*", "a", "b"], -1.0]]')
        if len(windows) > MAX_WINDOWS:
            self.fail("windows", f"{len(windows):,} windows; give at most {MAX_WINDOWS:,}, or name a shipped model")
        weights: dict[tuple, float] = {}
        for k, entry in enumerate(windows):
            window, weight = self.window(entry, f"windows[{k}]")
            if window in weights:
                self.fail(f"windows[{k}]", f"the window {list(window)} stands twice; add its weights up in one entry")
            weights[window] = weight
        return weights

    def window(self, entry: Any, where: str) -> tuple[tuple, float]:
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], list):
            self.fail(where, 'not a window and its weight; write e.g. [["*", "a", "b"], -1.0]')
        symbols, weight = entry
        if not all(isinstance(symbol, str) for symbol in symbols):
            self.fail(where, f'the window {symbols} holds something that is not text; symbols are labels, "*" or "^"')
        return tuple(symbols), self.weight(weight, where)

    def log(self, value: Any, where: str) -> float:
        """A number, or null for the log of zero."""
        return -math.inf if value is None else self.number(value, where)

    def number(self, value: Any, where: str) -> float:
        if not checks.is_number(value):
            self.fail(where, f"{value!r} is not a number")
        number = checks.as_float(value)
        if not math.isfinite(number):
            self.fail(where, f"{value!r} is not finite; write a number between -1e300 and 1e300")
        return number

    def read_emissions(self, data: dict, Y: int) -> np.ndarray:
        rows = data["log_emit"]
        if not isinstance(rows, list):
            self.fail("log_emit", "not a list; give one list of log emissions per position")
        self.check_length(len(rows), "log_emit")
        return frozen_array([self.emission_row(row, Y, f"log_emit[{i}]") for i, row in enumerate(rows)])

    def emission_row(self, row: Any, Y: int, where: str) -> list[float]:
        if not isinstance(row, list) or len(row) != Y:
            found = f"{len(row)} values" if isinstance(row, list) else repr(row)
            self.fail(where, f"{found}, but there are {Y} labels; give one log emission per label")
        values = [self.log(value, f"{where}[{k}]") for k, value in enumerate(row)]
        return self.check_row(values, where)

    def read_gold(self, data: dict, labels: tuple[str, ...], T: int) -> tuple[str, ...] | None:
        gold = data.get("gold")
        if gold is None:
            return None
        if not isinstance(gold, list) or len(gold) != T:
            found = f"{len(gold)} labels" if isinstance(gold, list) else repr(gold)
            self.fail("gold", f"{found} for {T} positions; give one label per position, or leave it out")
        return tuple(self.check_gold_label(label, labels, f"gold[{i}]") for i, label in enumerate(gold))

    def read_images(self, data: dict, T: int) -> np.ndarray | None:
        images = data.get("images")
        if images is None:
            return None
        if not isinstance(images, list) or len(images) != T:
            self.fail("images", f"give a list of {T} images, one per position, or leave it out")
        return frozen_array([self.image(image, images[0], f"images[{i}]") for i, image in enumerate(images)], np.uint8)

    def image(self, image: Any, first: list, where: str) -> list[list[int]]:
        is_grid = isinstance(image, list) and image and all(isinstance(row, list) for row in image)
        if not is_grid or not 1 <= len(image[0]) <= MAX_IMAGE_SIDE or len(image) > MAX_IMAGE_SIDE:
            self.fail(where, f"not an image; give up to {MAX_IMAGE_SIDE} rows of up to {MAX_IMAGE_SIDE} values 0 or 1")
        if len(image) != len(first) or any(len(row) != len(first[0]) for row in image):
            self.fail(where, "its size differs from the first image's; give all images the same rows and columns")
        if any(pixel not in (0, 1) or isinstance(pixel, bool) for row in image for pixel in row):
            self.fail(where, "a pixel is neither 0 nor 1")
        return image

    def read_tokens(self, data: dict, T: int) -> tuple[str, ...] | None:
        tokens = data.get("tokens")
        if tokens is None:
            return None
        if not isinstance(tokens, list) or len(tokens) != T:
            found = f"{len(tokens)} tokens" if isinstance(tokens, list) else repr(tokens)
            self.fail("tokens", f"{found} for {T} positions; give one text per position, or leave it out")
        return tuple(self.check_token(token, f"tokens[{i}]") for i, token in enumerate(tokens))

    def read_notes(self, data: dict, T: int) -> dict[int, str]:
        notes = data.get("notes", {})
        if not isinstance(notes, dict):
            self.fail("notes", 'not notes; write them by position, e.g. {"3": "beam search loses the gold here"}')
        for key in notes:
            if not key.isdecimal() or key != str(int(key[:9])) or not 1 <= int(key) <= T:
                self.fail(f"notes[{key!r}]", f"there is no such position; write a number from 1 to {T}")
        return {int(key): self.check_note(note, f"notes[{key!r}]") for key, note in sorted(notes.items(), key=_place)}


def _place(entry):
    return int(entry[0])
