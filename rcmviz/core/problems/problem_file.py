"""Problem files of every format: JSON, CSV with or without a table of transitions, numpy's npz and npy.

Limits and keys are described in `docs/data.md`. Every message names the file, the place (a path such as
`windows[3]` in JSON, a line in CSV, an array in npz) and what to write instead. `problem_text.py` writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from rcmviz.core.models.model import NgramModel
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_csv import CsvProblem, CsvTransitions
from rcmviz.core.problems.problem_json import JsonProblem
from rcmviz.core.problems.problem_npz import NumpyProblem, NumpyTransitions, is_array, is_numpy
from rcmviz.core.problems.problem_reader import MAX_BYTES, ProblemError
from rcmviz.core.shared import checks
from rcmviz.core.shared.text_file import decode, lines_of, unix_line_ends

LINE_END = re.compile(r"[\r\n]")
NOT_UTF8 = "{source}: byte {offset} is not UTF-8"
ModelOf = Callable[[tuple[str, ...]], NgramModel]


def read_problem(
    path_or_text: str | Path,
    model: str | None = None,
    *,
    transitions: str | Path | None = None,
    labels: str | Path | Sequence[str] | None = None,
) -> Problem:
    """Read a problem from a JSON, CSV, npz or npy file, or from its text.

    Parameters
    ----------
    path_or_text : str or path
        Path of the file; a string that holds a line break or begins with a brace is the text itself.
    model : str, optional
        Name of a shipped model, or a model file, for problems without weights of their own, such as a CSV.
    transitions : str or path, optional
        A table of weights from label to label for a CSV, npz or npy: a CSV, or an npy of shape (Y, Y).
    labels : sequence of str, or path, optional
        Names of the columns of an npy: themselves, or a text file with one per line. By default their numbers from 0.

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
    table, names = read_table(transitions), label_names(labels)
    if isinstance(path_or_text, str) and (LINE_END.search(path_or_text) or path_or_text.lstrip().startswith("{")):
        return parse_problem(path_or_text, "pasted text", model, _model_of(table))
    path = Path(checks.path("path_or_text", path_or_text))
    return parse_content(_content(path), path.name, model, table, names)


def read_table(transitions: str | Path | None) -> tuple[str, bytes] | None:
    """Name and bytes of a table of transitions, or None."""
    if transitions is None:
        return None
    path = Path(checks.path("transitions", transitions))
    return path.name, _content(path)


def label_names(labels: str | Path | Sequence[str] | None) -> Sequence[str] | None:
    """Names of columns, of a text file those that stand in it, one a line."""
    if not isinstance(labels, (str, Path)):
        return labels
    path = Path(checks.path("labels", labels))
    return parse_names(_content(path), path.name)


def parse_names(content: bytes, source: str) -> list[str]:
    """Names of columns, one a line, in the bytes of a text file; ValueError for a file without any."""
    names = lines_of(_text(content, source))
    if not names:
        raise ValueError(f"{source}: it is empty; write a label a line")
    return names


def parse_content(
    content: bytes,
    source: str,
    model: str | None = None,
    transitions: tuple[str, bytes] | None = None,
    labels: Sequence[str] | None = None,
) -> Problem:
    """The problem in the bytes of a file, whatever its format; ``transitions`` is the name and the bytes of another."""
    table = _model_of(transitions)
    if is_numpy(content):
        _check_size(content, source)
        _check_one(model, table, source)
        return NumpyProblem(source).read(content, model, labels, table)
    if labels is not None:
        raise ProblemError(f"{source}: it names its labels; give labels with an .npy only")
    return parse_problem(_text(content, source), source, model, table)


def read_problems(path: str | Path, model: str | None = None) -> list[Problem]:
    """The problems of a file: those of a JSON list, else the one that ``read_problem`` reads; ProblemError as there."""
    path = Path(checks.path("path", path))
    return parse_problems(_content(path), path.name, model)


def parse_problems(content: bytes, source: str, model: str | None = None) -> list[Problem]:
    """The problems in the bytes of a file: a JSON list of problems, or one problem of any format."""
    if not is_list_of_problems(content):
        return [parse_content(content, source, model)]
    _check_size(content, source)
    entries = JsonProblem(source).load(unix_line_ends(_text(content, source).removeprefix("\ufeff")))
    if not isinstance(entries, list) or not entries:
        raise ProblemError(f"{source}: the list is empty; write problems as in docs/data.md, with commas")
    named = ((f"{source}: problem {number}", entry) for number, entry in enumerate(entries, 1))
    return [JsonProblem(name).from_data(entry, model) for name, entry in named]


def is_list_of_problems(content: bytes) -> bool:
    """Whether the bytes of a file begin a JSON list."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def parse_problem(
    text: str, source: str = "pasted text", model: str | None = None, transitions: ModelOf | None = None
) -> Problem:
    """The problem written in `text`, JSON if it begins with a brace, else CSV; `source` names it in messages."""
    text = unix_line_ends(text.removeprefix("\ufeff"))
    if not text.strip():
        raise ProblemError(f"{source}: it is empty; write a problem as in docs/data.md")
    _check_size(text.encode("utf-8", "replace"), source)
    if text.lstrip()[0] not in "{[" and not source.endswith(".json"):
        _check_one(model, transitions, source)
        return CsvProblem(source).read(text, model, transitions)
    if transitions is not None:
        raise ProblemError(f'{source}: a JSON problem takes no separate table; include it as "transitions"')
    return JsonProblem(source).read(text, model)


def _model_of(table: tuple[str, bytes] | None) -> ModelOf | None:
    """A table of transitions as a function from labels to the equivalent model."""
    if table is None:
        return None
    source, content = table
    _check_size(content, source)
    if is_array(content):
        return lambda labels: NumpyTransitions(source).read(content, labels)
    text = _text(content, source)
    return lambda labels: CsvTransitions(source).read(text, labels)


def _check_one(model: str | None, transitions: ModelOf | None, source: str) -> None:
    if model is not None and transitions is not None:
        raise ProblemError(f"{source}: both a model and transitions; give one of them")


def _check_size(content: bytes, source: str) -> None:
    if len(content) > MAX_BYTES:
        raise ProblemError(f"{source}: it is larger than {MAX_BYTES:,} bytes; shorten it or name a shipped model in it")


def _content(path: Path) -> bytes:
    """The bytes of a file, or a ProblemError that says what hinders."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ProblemError(
                f"{path.name}: it has {path.stat().st_size:,} bytes, the limit is {MAX_BYTES:,}; "
                "shorten it or name a shipped model in it"
            )
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ProblemError(f"{path}: {reason}; give the path of a problem file (.json, .csv, .npz, .npy)") from None


def _text(content: bytes, source: str) -> str:
    try:
        return decode(content, source, fault=NOT_UTF8, remedy="save the file as UTF-8 text")
    except ValueError as error:
        raise ProblemError(str(error)) from None
