"""Labelled sequences in files: CoNLL columns and CSV, read with every check (docs/classifier.md).

>>> text = b"the DET\\ncat NOUN\\n\\nit PRON\\n"
>>> file = parse_sequences(text, "tiny.conll")
>>> file.y, sorted(file.X[0][1].items())[:2]
([['DET', 'NOUN'], ['PRON']], [('1', 'cat'), ('1:prefix1', 'c')])
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

from rcmviz.core.shared import checks
from rcmviz.core.shared.text_file import MARK
from rcmviz.core.shared.wording import counted
from rcmviz.sequences.rows import COMMENT, SEQUENCE, decode_file, read_conll, read_csv, too_large
from rcmviz.sequences.token_features import ends, neighbours, spelling

MAX_BYTES = 100_000_000
LABEL, TOKENS = "label", ("token", "word")  # what columns of a CSV are called
UNNAMED = re.compile(r"(Unnamed: \d+)?")  # the index that pandas writes, and what it is called when read again
FORM, WORD_CLASS = "2", "4"  # CoNLL-U: the columns FORM and UPOS; the others are annotations that a new text lacks


@dataclass(frozen=True)
class Columns:
    """The meaning of a file's columns: decided on the training file and kept with the model.

    ``kind`` conll, conllu or csv · ``names`` of all columns, in CoNLL their numbers from 1 · ``label`` the column of
    labels · ``features`` those that describe a position, among them ``token`` whose spelling counts, or None, and the
    ``numeric`` ones · ``plain`` whether cells are taken as they are, without spelling and neighbours.
    """

    kind: str
    names: tuple
    label: str
    features: tuple
    token: str | None
    numeric: tuple
    plain: bool

    def to_dict(self):
        """Ready for JSON, and for the ``info`` of a model."""
        return asdict(self)

    @classmethod
    def from_dict(cls, parts):
        """The columns that ``to_dict`` wrote; ValueError where a part is missing."""
        try:
            return cls(**parts | {name: tuple(parts[name]) for name in ("names", "features", "numeric")})
        except (KeyError, TypeError):
            raise ValueError("it does not say how its columns are read") from None


@dataclass(frozen=True, eq=False)
class SequenceFile:
    """Sequences as a file has them, as ``read_sequences`` returns them.

    Attributes
    ----------
    source : str
        Name of the file.
    columns : Columns
        How the columns are read.
    header : tuple of str
        Names of the cells of a row.
    delimiter : str
        What stands between the cells.
    rows : tuple
        Per sequence its rows of cells, one row per position.
    lines : tuple
        Per sequence the line number of each row in the file.
    text : str
        A CoNLL-U file whole, with comments and ranges; empty for other kinds.
    skipped : dict
        What the reader skipped, such as ``"comment"``, with the numbers of the lines.
    """

    source: str
    columns: Columns
    header: tuple[str, ...]
    delimiter: str
    rows: tuple[Any, ...]
    lines: tuple[Any, ...]
    text: str = ""
    skipped: dict[str, list[int]] = field(default_factory=dict)

    def __repr__(self):
        more = "".join(f"; {remark}" for remark in self.remarks)
        return f"<SequenceFile {self.source!r}: {len(self):,} sequences, columns {', '.join(self.header)}{more}>"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def comments(self) -> int:
        """The number of lines skipped as comments."""
        return len(self.skipped.get(COMMENT, ()))

    @property
    def remarks(self) -> list[str]:
        """Remarks on skipped lines, in sentences; the command line prints them.

        >>> parse_sequences(b"# a tiny file\\nthe DET\\n", "tiny.conll").remarks
        ['1 comment skipped (line 1)']
        """
        found = [
            f"{counted(len(lines), what)} skipped ({'line' if len(lines) == 1 else 'the first: line'} {lines[0]})"
            for what, lines in self.skipped.items()
        ]
        unnamed = [name for name in _missing_names(self.header, self.columns.features) if UNNAMED.fullmatch(name)]
        if unnamed and self.columns.kind == "csv":
            found.append(f"column {unnamed[0]!r}, the index of a pandas table by its name, describes no position")
        return found

    @property
    def X(self) -> "Features":
        """Feature dicts, a list of sequences of positions; each is made on first use."""
        return Features(self)

    @cached_property
    def y(self) -> list[list[str]] | None:
        """Labels, a list of lists; None where the file has no column of labels."""
        if self.columns.label not in self.header:
            return None
        place = self.header.index(self.columns.label)
        return [[row[place] for row in rows] for rows in self.rows]

    @cached_property
    def _places(self):
        """``{name: place}`` of the columns."""
        return {name: k for k, name in enumerate(self.header)}

    def column(self, name: str, number: int) -> list[str]:
        """Cells of one column in one sequence.

        Parameters
        ----------
        name : str
            Name of the column.
        number : int
            Number of the sequence.

        Returns
        -------
        list of str
            One cell per position.
        """
        place = self._places.get(name) if isinstance(name, str) else None
        if place is None:
            checks.choice("name", name, self.header)
        return [row[place] for row in self.rows[checks.index("number", number)]]

    def with_labels(self, labels: Sequence[Sequence[str]], confidence: Sequence[float] | None = None) -> str:
        """The file as text with labels: in a last column, in CoNLL-U in the column that training learnt.

        Parameters
        ----------
        labels : sequence of sequence of str
            One label per position of each sequence.
        confidence : sequence of float, optional
            Probability of each output; CSV has it in one more column, the others in a comment before the sequence.

        Returns
        -------
        str
            The text.
        """
        labels = [checks.texts("labels", one) for one in checks.as_list("labels", labels, "a list for each sequence")]
        checks.same_length(labels, "label sequences", len(self), "sequences")
        for rows, one in zip(self.rows, labels, strict=True):
            checks.same_length(one, "labels", len(rows), "positions")
        if confidence is not None:
            checks.floats(confidence, "confidence: give a probability for each sequence")
            checks.same_length(confidence, "confidences", len(self), "sequences")
        return WRITERS[self.columns.kind](self, labels, confidence)


class Features(Sequence):
    """The feature dicts of a ``SequenceFile``, a list that keeps none of them: a file of 100 MB fits into memory."""

    def __init__(self, file):
        self.file = file

    def __len__(self):
        return len(self.file)

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        columns = self.file.columns
        by_column = [_column_features(columns, name, self.file.column(name, number)) for name in columns.features]
        T = len(self.file.rows[number])
        by_position = ends(T) if not columns.plain else [{} for _ in range(T)]
        for described in by_column:
            for features, more in zip(by_position, described, strict=True):
                features |= more
        return by_position


def _column_features(columns, name, cells):
    """Features of every position from one column, a list of dicts."""
    if name in columns.numeric:
        return [{name: float(cell)} for cell in cells]
    if columns.plain:
        return [{name: cell} for cell in cells]
    if name == columns.token:
        lower = [cell.lower() for cell in cells]
        return [spelling(name, cell) | neighbours(name, lower, i) for i, cell in enumerate(cells)]
    return [{name: cell} | neighbours(name, cells, i) for i, cell in enumerate(cells)]


def read_sequences(
    path: str | PathLike,
    *,
    label: str | int | None = None,
    token: str | int | None = None,
    columns: Iterable[str | int] | None = None,
    plain: bool = False,
    like: SequenceFile | Columns | None = None,
    max_bytes: int = MAX_BYTES,
) -> SequenceFile:
    """Read labelled or unlabelled sequences from a CSV, CoNLL-U or CoNLL file, plain or gzip.

    Parameters
    ----------
    path : str or path
        A ``.csv``, ``.tsv`` or ``.conllu`` file; any other ending is read as CoNLL.
    label : str or int, optional
        Column of the labels; in CoNLL columns are called by their number from 1.
    token : str or int, optional
        Column whose spelling and neighbours become features.
    columns : iterable of str or int, optional
        Columns that describe a position.
    plain : bool
        Take cells as they are, without features of spelling and neighbours.
    like : SequenceFile or Columns, optional
        Read the file as that one was read, with or without labels; then the options above are left out.
    max_bytes : int
        Largest file that is read, in bytes.

    Returns
    -------
    SequenceFile
        Its ``X`` and ``y`` are what ``SequenceClassifier.fit`` takes.

    Raises
    ------
    ValueError
        The file cannot be read or used; the message names the file and the line.

    Notes
    -----
    ``docs/classifier.md`` describes the formats and which columns are taken by default.

    Examples
    --------
    >>> import tempfile
    >>> import rcmviz as rv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tiny.conll")
    ...     _ = path.write_text("the DET\\ncat NOUN\\n")
    ...     file = rv.read_sequences(path)
    >>> len(file), file.y
    (1, [['DET', 'NOUN']])
    """
    path = Path(checks.path("path", path))
    checks.number("max_bytes", max_bytes, "a number of bytes", least=0)
    for name, value in (("label", label), ("token", token)):
        if value is not None:
            checks.instance(name, value, (str, Integral), "the name or the number of a column")
    if columns is not None:
        columns = checks.as_list("columns", columns, "a list of names or numbers of columns")
    if like is not None:
        checks.instance("like", like, (SequenceFile, Columns), "a SequenceFile or its columns")
    try:
        if path.stat().st_size > max_bytes:
            raise ValueError(too_large(path, path.stat().st_size, max_bytes))
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}; give the path of a file that can be read") from None
    checks.switch("plain", plain)
    named = {"label": label, "token": token, "columns": columns, "plain": plain}
    return parse_sequences(content, str(path), **named, like=like, max_bytes=max_bytes)


def parse_sequences(content, source, *, like=None, max_bytes=MAX_BYTES, kind=None, **named):
    """The same from the bytes of a file; the ending of ``source`` says what they are where no ``kind`` is given."""
    text = decode_file(content, source, max_bytes)
    name = source.lower().removesuffix(".gz")
    usual = "csv" if name.endswith((".csv", ".tsv")) else "conllu" if name.endswith(".conllu") else "conll"
    if kind is None and name.endswith((".json", ".jsonl")):
        raise ValueError(f"{source}: JSON holds no sequences here; write CSV, CoNLL-U or CoNLL (docs/classifier.md)")
    kind = kind or usual
    found = read_csv(text, source) if kind == "csv" else read_conll(text, source, kind, _widths(like))
    header = found.header
    if not found.sequences:
        raise ValueError(f"{source} is empty: it holds no sequences")
    lines, rows = zip(*(zip(*sequence, strict=True) for sequence in found.sequences), strict=True)
    if like is None:
        columns = _columns(kind, header, source, **named)
        if kind == "csv":
            columns = replace(columns, numeric=_numeric_columns(rows, header, columns))
    else:
        columns = getattr(like, "columns", like)
        header = _header_like(columns, kind, header, source)
    kept = text if kind == "conllu" else ""
    file = SequenceFile(source, columns, header, found.delimiter, rows, lines, kept, found.skipped)
    _check_cells(file)
    return file


def _widths(like):
    """The numbers of columns that a further file may have, with labels and without; None where they are not known."""
    columns = getattr(like, "columns", like)
    return columns and {len(columns.names), len(set(columns.names) - {columns.label})}


def _columns(kind, header, source, label=None, token=None, columns=None, plain=False):
    """The columns of a training file that are read, as named or as usual for its kind."""
    label = str(label or {"csv": LABEL, "conllu": WORD_CLASS}.get(kind, header[-1]))
    if columns is None:
        columns = (
            (FORM,)
            if kind == "conllu"
            else [
                name
                for name in header
                if name not in (label, SEQUENCE) and not (kind == "csv" and UNNAMED.fullmatch(name))
            ]
        )
    columns = tuple(str(name) for name in columns)
    usual = TOKENS if kind == "csv" else columns[:1]
    token = str(token) if token else next((name for name in usual if name in columns), None)
    for names, option in (((label,), "label"), ((token,) if token else (), "token"), (columns, "columns")):
        missing = _missing_names(names, header)
        if missing:
            there = ", ".join(header)
            raise ValueError(f"{source}: no column {missing[0]!r}; there are {there}; name it with --{option}")
    if not columns or label in columns:
        raise ValueError(f"{source}: no column besides the label {label!r}; at least one describes a position")
    return Columns(kind, header, label, columns, token, (), plain)


def _missing_names(names, header):
    """The names that are not in the header."""
    there = set(header)
    return [name for name in names if name not in there]


def _numeric_columns(rows, header, columns):
    """Columns in which every cell that is not empty is a number, and some is."""
    numeric, places = [], {name: place for place, name in enumerate(header)}
    for name in columns.features:
        place = places[name]
        cells = {row[place] for sequence in rows for row in sequence} - {""}
        if name != columns.token and cells and all(_number(cell) is not None for cell in cells):
            numeric.append(name)
    return tuple(numeric)


def _number(cell):
    try:
        return None if "_" in cell else float(cell)  # Python alone reads 1_000 as a number
    except ValueError:
        return None


def _header_like(columns, kind, header, source):
    """The header of a further file, with or without labels; ValueError where a column of training is missing."""
    if kind != columns.kind:
        raise ValueError(f"{source}: read as {kind}, but training read {columns.kind}; give a file of the same kind")
    if kind != "csv":
        unlabelled = tuple(name for name in columns.names if name != columns.label)
        if len(header) not in (len(columns.names), len(unlabelled)):
            raise ValueError(
                f"{source}: {len(header)} columns, training had {len(columns.names)}; give {len(unlabelled)} without "
                f"or {len(columns.names)} with labels"
            )
        return columns.names if len(header) == len(columns.names) else unlabelled
    missing = _missing_names(columns.features, header)
    if missing:
        there = ", ".join(header)
        raise ValueError(f"{source}, line 1: no column {missing[0]!r}, which training had; there are {there}")
    return header


def _check_cells(file):
    """ValueError for an empty label, and for a cell of a numeric column that is no finite number."""
    header, columns = file.header, file.columns
    label = header.index(columns.label) if columns.label in header else None
    places = {name: place for place, name in enumerate(header)}
    numeric = [(places[name], name) for name in columns.numeric]
    for lines, rows in zip(file.lines, file.rows, strict=True):
        for line, row in zip(lines, rows, strict=True):
            if label is not None and not row[label].strip():
                ends_in_tab = file.delimiter == "\t" and not row[-1]
                why = "; the line ends in a tab, which begins one more column" if ends_in_tab else ""
                raise ValueError(f"{file.source}, line {line}: the label is empty; write one for every position{why}")
            for place, name in numeric:
                _check_number(row[place], f"{file.source}, line {line}, column {name!r}")


def _check_number(cell, where):
    value = _number(cell)
    if value is None:
        shown = repr(cell) if cell.strip() else "an empty cell"
        raise ValueError(f"{where}: {shown} is not a number, but the column is one of numbers; write a number")
    if not math.isfinite(value):
        raise ValueError(f"{where}: {cell} is not finite; write a finite number")


def _conll_text(file, labels, confidence):
    """The rows with their labels; with tabs between where blanks would make a comment of a row."""
    text = _conll_blocks(file, labels, confidence, file.delimiter)
    if file.delimiter == " " and any(row[0].startswith("#") for rows in file.rows for row in rows):
        found = read_conll(text, file.source)
        if sum(map(len, found.sequences)) < sum(map(len, file.rows)):
            return _conll_blocks(file, labels, confidence, "\t")
    return text


def _conll_blocks(file, labels, confidence, delimiter):
    blocks = []
    for number, rows in enumerate(file.rows):
        block = [] if confidence is None else [f"# confidence = {confidence[number]:.6f}"]
        block += [delimiter.join((*row, label)) for row, label in zip(rows, labels[number], strict=True)]
        blocks.append("\n".join(block) + "\n")
    return "\n".join(blocks)


def _conllu_text(file, labels, confidence):
    """The file's lines: words with their labels, all else (comments, words written as one, empty nodes) as it is."""
    place = file.columns.names.index(file.columns.label)
    behind = place + (file.columns.label in file.header)
    words = {}
    for number, (lines, rows) in enumerate(zip(file.lines, file.rows, strict=True)):
        for line, row, label in zip(lines, rows, labels[number], strict=True):
            words[line] = number, file.delimiter.join((*row[:place], label, *row[behind:]))
    found, top, said = [], 0, -1  # top: where the comments of this sequence end
    for line, text in enumerate(file.text.split("\n"), start=1):
        number, text = words.get(line, (None, text))
        if number not in (None, said) and confidence is not None:
            found.insert(top, f"# confidence = {confidence[number]:.6f}")
            said = number
        found.append(text)
        if not text.strip() or text.startswith("#"):
            top = len(found)
    return "\n".join(found)


def _csv_text(file, labels, confidence):
    out = io.StringIO(newline="")
    marked = any(MARK in cell for rows in file.rows for row in rows for cell in row)  # none at the edge of a line
    quoting = csv.QUOTE_ALL if marked else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=file.delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow([*file.header, "predicted", *(["confidence"] if confidence is not None else [])])
    for number, rows in enumerate(file.rows):
        sure = [] if confidence is None else [f"{confidence[number]:.6f}"]
        writer.writerows([*row, label, *sure] for row, label in zip(rows, labels[number], strict=True))
    return out.getvalue()


WRITERS = {"conll": _conll_text, "conllu": _conllu_text, "csv": _csv_text}
