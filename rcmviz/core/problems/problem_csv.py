"""Problems as CSV: a table of emissions, optionally with one of transitions. Places are lines and columns."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np

from rcmviz.core.models.model import BEGIN, FORGOTTEN, MODES, NgramModel
from rcmviz.core.models.transitions import Transitions
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_reader import ProblemReader, as_number, frozen_array, labels_text
from rcmviz.core.shared.text_file import csv_rows, lines_of

EXTRA_COLUMNS = ("gold", "token", "note")  # columns that are no label


class CsvReader(ProblemReader):
    """Rows of cells, and the checks of a header of labels."""

    def rows(self, text: str) -> list[tuple[int, list[str]]]:
        """(Line, cells) of each line that is not empty; at least one."""
        numbered = csv_rows(lines_of(text), skipinitialspace=True)
        try:
            rows = [(line, [cell.strip() for cell in cells]) for line, cells in numbered if any(cells)]
        except csv.Error as error:
            what, line = error.args
            self.fail(f"line {line}", f"not CSV ({what}); close every quotation mark in its line")
        return rows or self.fail("line 1", "there are only commas; the first line names the labels")

    def check_header(self, names: list[str], line: int, first: int = 0) -> tuple[str, ...]:
        """The labels that a header names from its column ``first`` on."""
        if len(names) <= 1 and any(mark in name for name in names for mark in ";\t"):
            self.fail(f"line {line}", "one column only; separate the columns with commas")
        if names and all(as_number(name) is not None for name in names):
            self.fail(f"line {line}", "the header holds numbers; the first line names the labels")
        return self.check_labels(names, lambda k: f"line {line}, column {k + 1 + first}")

    def check_width(self, cells: list[str], line: int, header: list[str]) -> None:
        if len(cells) != len(header):
            self.fail(f"line {line}", f"{len(cells)} columns, but the header has {len(header)}")


class CsvProblem(CsvReader):
    """Emissions written as CSV: labels as header, a row per position, perhaps columns `gold`, `token` and `note`."""

    def read(self, text: str, model_name: str | None, transitions: Any = None) -> Problem:
        rows = self.rows(text)
        header_line, header = rows[0]
        for name in EXTRA_COLUMNS:
            if header.count(name) > 1:
                self.fail(f"line {header_line}", f"two columns are called {name!r}; keep one")
        extra = {name: header.index(name) for name in EXTRA_COLUMNS if name in header}
        labels = self.check_header([name for name in header if name not in EXTRA_COLUMNS], header_line)
        self.check_length(len(rows) - 1, f"line {rows[-1][0]}")
        for line, cells in rows[1:]:
            self.check_width(cells, line, header)
        log_emit = [self.emission_row(cells, line, header) for line, cells in rows[1:]]
        model = self.model(labels, model_name, header_line) if transitions is None else transitions(labels)
        columns = {name: self.column(rows[1:], name, extra.get(name)) for name in EXTRA_COLUMNS}
        return Problem(
            model,
            frozen_array(log_emit),
            self.read_gold(columns["gold"], labels),
            Path(self.source).stem,
            model_name=model_name,
            tokens=tuple(self.check_token(cell, place) for place, cell in columns["token"]) or None,
            notes={i: self.check_note(cell, place) for i, (place, cell) in enumerate(columns["note"], 1) if cell},
        )

    def column(self, rows: list, name: str, number: int | None) -> list[tuple[str, str]]:
        """(Place, cell) of an extra column; nothing if it is missing or empty."""
        cells = [] if number is None else [(f"line {line}, column {name!r}", cells[number]) for line, cells in rows]
        return cells if any(cell for _, cell in cells) else []

    def emission_row(self, cells: list[str], line: int, header: list[str]) -> list[float]:
        values = [
            self.number(cell, f"line {line}, column {name!r}")
            for name, cell in zip(header, cells, strict=True)
            if name not in EXTRA_COLUMNS
        ]
        return self.check_row(values, f"line {line}")

    def number(self, cell: str, where: str) -> float:
        number = as_number(cell)
        if number is None:
            found = repr(cell) if cell else "an empty cell"
            self.fail(where, f"{found} is not a number; write a log emission, -inf for an impossible label")
        if math.isnan(number) or number == math.inf:
            self.fail(where, f"{cell} is not a log emission; write a finite number, or -inf for an impossible label")
        return number

    def read_gold(self, cells: list, labels: tuple[str, ...]) -> tuple[str, ...] | None:
        return tuple(self.check_gold_label(cell, labels, place) for place, cell in cells) or None

    def model(self, labels: tuple[str, ...], name: str | None, line: int) -> NgramModel:
        """The named model, or one without windows: then the emissions alone decide."""
        if name is None:
            return NgramModel.from_windows(labels, 1, {}, mode=MODES[0])
        model = self.named_model(name, "model")
        self.check_same_labels(labels, model, f"line {line}")
        return model


class CsvTransitions(CsvReader):
    """A table of transitions: the label before in the first column, the next one in the header; rows `^` (start) and
    `*` (forgotten) may be left out. A matrix of numbers alone is in the order of the labels."""

    def read(self, text: str, labels: tuple[str, ...]) -> NgramModel:
        rows = self.rows(text)
        if [len(cells) for _, cells in rows] == [len(labels)] * len(labels):
            after = np.array([self.weights(cells, line, labels) for line, cells in rows])
            return Transitions.of(after).model(labels)
        table = self.named_rows(rows, labels)
        after = np.array([table[label] for label in labels])
        return Transitions.of(after, table.get(BEGIN), table.get(FORGOTTEN)).model(labels)

    def named_rows(self, rows: list, labels: tuple[str, ...]) -> dict[str, np.ndarray]:
        """Weights of the next label, in the order of the labels, by the label before."""
        line, header = rows[0]
        columns = tuple(header[1:])
        if sorted(columns) != sorted(labels):  # labels may be numbers
            columns = self.check_header(header[1:] or header, line, 1)
        self.check_complete(columns, labels, f"line {line}", "the columns are")
        places = {label: place for place, label in enumerate(columns)}
        place = [places[label] for label in labels]
        lines: dict[str, int] = {}
        table = {}
        for line, cells in rows[1:]:
            self.check_width(cells, line, header)
            if cells[0] in lines:
                self.fail(f"line {line}", f"{cells[0]!r} stands twice (first in line {lines[cells[0]]}); remove one")
            lines[cells[0]] = line
            table[cells[0]] = self.weights(cells[1:], line, columns)[place]
        before = [name for name in table if name not in (BEGIN, FORGOTTEN)]
        self.check_complete(before, labels, f"line {rows[-1][0]}", "the first column has")
        return table

    def weights(self, cells: list[str], line: int, names: tuple[str, ...]) -> np.ndarray:
        row = zip(names, cells, strict=True)
        return np.array([self.weight(cell, f"line {line}, column {name!r}") for name, cell in row])

    def check_complete(self, names: Any, labels: tuple[str, ...], where: str, said: str) -> None:
        """All labels, each once, in any order."""
        missing, strange = set(labels) - set(names), set(names) - set(labels)
        if missing or strange:
            wrong = f"no {min(missing)!r}" if missing else f"{min(strange)!r}, which is no label of the problem"
            self.fail(where, f"{said} {wrong}; name the labels {labels_text(labels)}")

    def weight(self, cell: str, where: str) -> float:
        number = as_number(cell)
        if number is None or math.isnan(number) or number == math.inf:
            found = cell or "an empty cell"
            self.fail(where, f"{found} is not a finite number; write one, or -inf for what never follows")
        return self.check_weight(number, where)
