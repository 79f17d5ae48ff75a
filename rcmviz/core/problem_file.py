"""The two formats of a problem file, JSON and CSV, read with every check; `problem_text.py` writes.

Limits and keys are described in `docs/problem-file.md`. Every message names the file, the place (a path such as
`windows[3]` in JSON, a line in CSV) and what to write instead.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from rcmviz.core import checks
from rcmviz.core.model import BEGIN, FORGOTTEN, MODES, NgramModel
from rcmviz.core.problem import Problem
from rcmviz.core.problem_text import SCHEMA, VERSION
from rcmviz.core.shipped import load_model, shipped_models

MAX_BYTES = 5_000_000
MAX_POSITIONS = 400
MAX_LABELS = 500
MAX_ORDER = 12
MAX_WINDOWS = 200_000
MAX_IMAGE_SIDE = 64
MAX_TEXT = 100  # characters of a label or of a name

KEYS = ("schema", "version", "name", "labels", "order", "mode", "windows", "model", "log_emit", "gold", "images")
RESERVED = {FORGOTTEN: "a forgotten position", BEGIN: "a position before the start"}


class ProblemError(ValueError):
    """A problem file that cannot be used; the message names the file, the place and what to write instead."""


def read_problem(path_or_text: str | Path, model: str | None = None) -> Problem:
    """Read a problem from a JSON or CSV file, or from its text.

    Parameters
    ----------
    path_or_text : str or path
        Path of the file; a string that holds a line break or begins with a brace is the text itself.
    model : str, optional
        Name of a shipped model, or a model file, for problems without weights of their own, such as a CSV.

    Returns
    -------
    Problem
        The problem, every number checked.

    Raises
    ------
    ProblemError
        The file cannot be used; the message names the place and what to write instead. It is a ``ValueError``.

    Examples
    --------
    >>> import rcmviz as rv
    >>> text = '{"labels": ["a", "b"], "order": 1, "windows": [[["a", "b"], 2.0]], "log_emit": [[1, 0], [0, 0]]}'
    >>> rv.read_problem(text).T
    2
    """
    if isinstance(path_or_text, str) and ("\n" in path_or_text or path_or_text.lstrip().startswith("{")):
        return parse_problem(path_or_text, "pasted text", model)
    path = Path(path_or_text)
    return parse_problem(_read_text(path), path.name, model)


def parse_problem(text: str, source: str = "pasted text", model: str | None = None) -> Problem:
    """The problem written in `text`, JSON if it begins with a brace, else CSV; `source` names it in messages."""
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ProblemError(f"{source}: it is empty; write a problem as in docs/problem-file.md")
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise ProblemError(f"{source}: it is larger than {MAX_BYTES:,} bytes; shorten it or name a shipped model in it")
    is_json = text.lstrip()[0] in "{[" or source.endswith(".json")
    return (JsonProblem if is_json else CsvProblem)(source).read(text, model)


def _read_text(path: Path) -> str:
    """The text of a file, or a ProblemError that says what hinders."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ProblemError(
                f"{path.name}: it has {path.stat().st_size:,} bytes, the limit is {MAX_BYTES:,}; "
                "shorten it or name a shipped model in it"
            )
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path.name}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from None
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ProblemError(f"{path}: {reason}; give the path of a problem file (.json or .csv)") from None


class ProblemReader:
    """What the two formats share: where we are, and the checks of labels, rows, gold and length."""

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
        return row

    def check_gold_label(self, label: Any, labels: tuple[str, ...], where: str) -> str:
        if label not in labels:
            self.fail(where, f"{label!r} is not one of the labels {listed(labels)}")
        return label

    def named_model(self, name: Any, where: str) -> NgramModel:
        try:
            return load_model(name)
        except (ValueError, OSError) as error:
            self.fail(where, str(error))

    def check_same_labels(self, labels: tuple[str, ...], model: NgramModel, where: str) -> None:
        if labels != tuple(model.labels):
            self.fail(
                where, f"the labels differ from those of the model; write them in its order: {listed(model.labels)}"
            )


class JsonProblem(ProblemReader):
    """A problem written as JSON; places are paths such as `windows[3]`."""

    def read(self, text: str, model_name: str | None) -> Problem:
        data = self.load(text)
        self.check_header(data)
        model, model_name = self.read_model(data, model_name)
        log_emit = self.read_emissions(data, len(model.labels))
        gold = self.read_gold(data, tuple(model.labels), len(log_emit))
        images = self.read_images(data, len(log_emit))
        return Problem(model, log_emit, gold, self.read_name(data), images, model_name)

    def load(self, text: str) -> dict:
        try:
            data = json.loads(text, parse_constant=self.refuse_constant, object_pairs_hook=self.unique)
        except json.JSONDecodeError as error:
            self.fail(f"line {error.lineno}, column {error.colno}", f"not JSON ({error.msg}); correct it there")
        except ProblemError:
            raise
        except (ValueError, RecursionError):
            self.fail(
                "somewhere", "a number is too long or brackets are nested too deep; write plain numbers and lists"
            )
        if not isinstance(data, dict):
            self.fail("start", "a problem is one JSON object; write { … } around its keys")
        return data

    def refuse_constant(self, name: str) -> NoReturn:
        self.fail(f"the value {name}", "JSON has no such number; write null for log zero, else a finite number")

    def unique(self, pairs: list[tuple[str, Any]]) -> dict:
        data = dict(pairs)
        if len(data) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            self.fail(twice, "the key stands twice; keep one")
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
        brings_weights = "windows" in data or "model" in data
        if model_name is not None and brings_weights:
            self.fail("model" if "model" in data else "windows", "the file brings its weights; run it without a model")
        if "model" in data and "windows" in data:
            self.fail("model", "give either a model or windows, not both")
        name = data.get("model", model_name)
        if name is None:
            return self.read_windows(data), None
        if "model" in data and name not in shipped_models():  # a file from elsewhere may not name paths of this machine
            self.fail("model", f"{name!r} is not a shipped model; choose one of {listed(shipped_models())}")
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
        number = {label: y for y, label in enumerate(labels)}
        for k, window in enumerate(weights):
            try:
                empty.address_of_window(window, number)
            except ValueError as error:
                self.fail(f"windows[{k}]", str(error))
        return NgramModel.from_windows(labels, order, weights, mode=mode)

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
        return tuple(symbols), self.number(weight, where)

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
        return _frozen([self.emission_row(row, Y, f"log_emit[{i}]") for i, row in enumerate(rows)])

    def emission_row(self, row: Any, Y: int, where: str) -> list[float]:
        if not isinstance(row, list) or len(row) != Y:
            found = f"{len(row)} values" if isinstance(row, list) else repr(row)
            self.fail(where, f"{found}, but there are {Y} labels; give one log emission per label")
        values = [-math.inf if v is None else self.number(v, f"{where}[{k}]") for k, v in enumerate(row)]
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
        return _frozen([self.image(image, images[0], f"images[{i}]") for i, image in enumerate(images)], np.uint8)

    def image(self, image: Any, first: list, where: str) -> list[list[int]]:
        is_grid = isinstance(image, list) and image and all(isinstance(row, list) for row in image)
        if not is_grid or not 1 <= len(image[0]) <= MAX_IMAGE_SIDE or len(image) > MAX_IMAGE_SIDE:
            self.fail(where, f"not an image; give up to {MAX_IMAGE_SIDE} rows of up to {MAX_IMAGE_SIDE} values 0 or 1")
        if len(image) != len(first) or any(len(row) != len(first[0]) for row in image):
            self.fail(where, "its size differs from the first image's; give all images the same rows and columns")
        if any(pixel not in (0, 1) or isinstance(pixel, bool) for row in image for pixel in row):
            self.fail(where, "a pixel is neither 0 nor 1")
        return image

    def read_name(self, data: dict) -> str:
        name = data.get("name", Path(self.source).stem)
        if not isinstance(name, str) or len(name) > MAX_TEXT:
            self.fail("name", f"not a text of at most {MAX_TEXT} characters")
        return name


class CsvProblem(ProblemReader):
    """Emissions written as CSV: labels as header, a row per position, perhaps a column `gold`."""

    def read(self, text: str, model_name: str | None) -> Problem:
        reader = csv.reader(io.StringIO(text), strict=True)
        rows = self.rows(reader)
        header_line, header = rows[0]
        if header.count("gold") > 1:
            self.fail(f"line {header_line}", "two columns are called 'gold'; keep one")
        gold_column = header.index("gold") if "gold" in header else None
        names = [name for k, name in enumerate(header) if k != gold_column]
        labels = self.check_header(names, header_line)
        self.check_length(len(rows) - 1, f"line {rows[-1][0]}")
        log_emit = [self.emission_row(cells, line, header, gold_column) for line, cells in rows[1:]]
        gold = None if gold_column is None else self.read_gold(rows[1:], gold_column, labels)
        model = self.model(labels, model_name, header_line)
        return Problem(model, _frozen(log_emit), gold, Path(self.source).stem, None, model_name)

    def rows(self, reader: Any) -> list[tuple[int, list[str]]]:
        try:
            return [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(cells)]
        except csv.Error as error:
            self.fail(f"line {reader.line_num}", f"not CSV ({error}); close every quotation mark")

    def check_header(self, names: list[str], line: int) -> tuple[str, ...]:
        if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
            self.fail(f"line {line}", "one column only; separate the columns with commas")
        if names and all(_is_float(name) for name in names):
            self.fail(f"line {line}", "the header holds numbers; the first line names the labels")
        return self.check_labels(names, lambda k: f"line {line}, column {k + 1}")

    def emission_row(self, cells: list[str], line: int, header: list[str], gold_column: int | None) -> list[float]:
        where = f"line {line}"
        if len(cells) != len(header):
            self.fail(where, f"{len(cells)} columns, but the header has {len(header)}")
        values = [
            self.number(cell, f"{where}, column {header[k]!r}") for k, cell in enumerate(cells) if k != gold_column
        ]
        return self.check_row(values, where)

    def number(self, cell: str, where: str) -> float:
        if not _is_float(cell):
            found = repr(cell) if cell else "an empty cell"
            self.fail(where, f"{found} is not a number; write a log emission, -inf for an impossible label")
        number = float(cell)
        if math.isnan(number) or number == math.inf:
            self.fail(where, f"{cell} is not a log emission; write a finite number, or -inf for an impossible label")
        return number

    def read_gold(self, rows: list, column: int, labels: tuple[str, ...]) -> tuple[str, ...] | None:
        if not any(cells[column] for _, cells in rows):
            return None
        return tuple(
            self.check_gold_label(cells[column], labels, f"line {line}, column 'gold'") for line, cells in rows
        )

    def model(self, labels: tuple[str, ...], name: str | None, line: int) -> NgramModel:
        """The named model, or one without windows: then the emissions alone decide."""
        if name is None:
            return NgramModel.from_windows(labels, 1, {}, mode=MODES[0])
        model = self.named_model(name, "model")
        self.check_same_labels(labels, model, f"line {line}")
        return model


def _is_float(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def listed(labels: Collection[str]) -> str:
    """The first labels as text, short enough for a message."""
    shown = ", ".join(repr(label) for label in list(labels)[:8])
    return shown + (f" … ({len(labels)} in all)" if len(labels) > 8 else "")


def _frozen(values: list, dtype: type = np.float64) -> np.ndarray:
    array: np.ndarray = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array
