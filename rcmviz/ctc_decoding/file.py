"""Frames of a classifier in a file: an npz, an npy or a CSV, distinguished by their first bytes.

A row is a frame, a column a label or the blank; logs, or probabilities, which sum to 1 in every row. No pickle is
loaded.
"""

import csv
import io
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.npz import UNREADABLE, PickledError, arrays_of, error_text, read_array
from rcmviz.core.shared.text_file import csv_rows, decode, lines_of
from rcmviz.core.shared.wording import counted

MAX_BYTES = 200_000_000
SCORES = "log_probs", "probs", "logits"
NAMES = (*SCORES, "labels", "blank")
BLANKS = "", "<blank>", "<pad>", "[PAD]"  # what a blank is called among labels
CLOSE = 1e-2  # to 1, of sums in half precision
NOT_UTF8 = "{source}: byte {offset} is no UTF-8"
MAGIC = {b"PK": "npz", b"\x93NUMPY": "npy"}


@dataclass(frozen=True, eq=False)
class Frames(CopyableMixin):
    """The arguments of ``rv.ctc``: ``log_probs (T, V + 1)``, the names of the V labels, the column of the blank."""

    log_probs: np.ndarray
    labels: tuple[str, ...]
    blank: int
    were_probabilities: bool

    def __post_init__(self):
        freeze(self)


def parse_frames(content, source, labels=None, blank=None):
    """The ``Frames`` of a file's bytes; ValueError names the ``source``, the place, and what to do.

    ``labels`` and ``blank`` come before those of the file; without a blank it is the column that is called one, else
    the last.
    """
    if len(content) > MAX_BYTES:
        raise ValueError(f"{source}: {len(content):,} bytes, the limit is {MAX_BYTES:,}; give fewer frames at once")
    kind = next((kind for magic, kind in MAGIC.items() if content.startswith(magic)), "csv")
    table = {"npz": _read_npz, "npy": _read_npy, "csv": _read_csv}[kind](content, source)
    scores = table.scores
    if scores.ndim != 2 or 0 in scores.shape or scores.shape[1] < 2:
        wanted = "a row per frame, a column per label and one for the blank"
        raise ValueError(f"{source}: its shape is {scores.shape}; give {wanted}")
    _check_order(labels, table.labels, source)
    labels, blank = table.labels if labels is None else labels, table.blank if blank is None else blank
    if labels is None:
        raise ValueError(f"{source}: it names no labels; give a file of labels, one per line")
    names, blank = _remove_blank(labels, blank, scores.shape[1], source)
    with np.errstate(all="ignore"):
        is_share = bool((scores >= 0).all() and np.allclose(scores.sum(axis=1), 1, atol=CLOSE))
        return Frames(np.log(scores) if is_share else scores, names, blank, is_share)


def parse_labels(content, source):
    """Names of columns, one a line; an empty line, or ``<blank>``, is the blank."""
    lines = lines_of(decode(content, source, fault=NOT_UTF8, remedy="save it as UTF-8"))
    if not lines:
        raise ValueError(f"{source}: it is empty; write a label a line")
    return tuple(lines)


def _check_order(labels, own, source):
    """ValueError where labels that are given are those of the file in another order."""
    given, named = ([label for label in names or () if label not in BLANKS] for names in (labels, own))
    if given != named and sorted(given) == sorted(named):
        some = ", ".join(map(repr, named[:8]))
        raise ValueError(f"{source}: its columns are {some}, in another order than the labels; leave the labels out")


def _remove_blank(labels, blank, columns, source):
    """(Names of the labels, column of the blank.)"""
    if len(labels) == columns - 1:
        return tuple(labels), -1 if blank is None else blank
    if len(labels) != columns:
        found = f"{counted(columns, 'column')} for {counted(len(labels), 'label')}"
        raise ValueError(f"{source}: {found}; name every column, or all but that of the blank")
    if blank is not None:
        blank = checks.whole(f"{source}: blank", blank, -1, columns - 1)
    found = [k for k, label in enumerate(labels) if label in BLANKS] if blank is None else [blank % columns]
    if len(found) != 1:
        raise ValueError(
            f"{source}: {len(labels)} labels for as many columns, and {len(found)} of them are called a blank; "
            f"call one {BLANKS[1]}, or say its number"
        )
    return tuple(label for k, label in enumerate(labels) if k != found[0]), found[0]


class _Table(NamedTuple):
    """The content of a file: scores (T, columns), the names of its labels, the column of the blank."""

    scores: np.ndarray
    labels: tuple | None = None
    blank: int | None = None


def _read_npz(content, source):
    try:
        arrays = arrays_of(io.BytesIO(content), len(content))
    except PickledError:
        raise ValueError(_pickle_error(source)) from None
    except UNREADABLE as error:
        raise ValueError(
            f"{source}: not a readable npz file ({error_text(error)}); save it again with np.savez"
        ) from None
    for name in arrays:
        if name not in NAMES and len(arrays) > 1:
            raise ValueError(f"{source}: unknown array {name[:40]!r}; the arrays are {', '.join(NAMES)}")
    given = [name for name in arrays if name in SCORES] or [name for name in arrays if name not in NAMES]
    if len(given) != 1:
        raise ValueError(f"{source}: {len(given)} arrays of scores; give one of {', '.join(SCORES)}")
    labels, blank = arrays.get("labels"), arrays.get("blank")
    if labels is not None and (labels.ndim != 1 or labels.dtype.kind != "U"):
        raise ValueError(f"{source}: labels: {labels.dtype} of shape {labels.shape}; give a list of texts")
    if blank is not None and (blank.size != 1 or blank.dtype.kind not in "iu"):
        raise ValueError(f"{source}: blank: {blank.dtype} of shape {blank.shape}; give the number of a column")
    scores = _numbers(arrays[given[0]], f"{source}: {given[0]}")
    names = None if labels is None else tuple(labels.tolist())
    return _Table(scores, names, None if blank is None else int(blank.item()))


def _read_npy(content, source):
    try:
        array = read_array(io.BytesIO(content), len(content))
    except PickledError:
        raise ValueError(_pickle_error(source)) from None
    except UNREADABLE as error:
        raise ValueError(f"{source}: not a readable array ({error_text(error)}); save it again with np.save") from None
    return _Table(_numbers(array, source))


def _pickle_error(source):
    return f"{source}: it holds pickled objects, which could run code; save numbers, and labels as np.array([...], str)"


def _numbers(array, place):
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{place}: its values are {array.dtype}; give real numbers")
    return array.astype(np.float64)


def _read_csv(content, source):
    """Scores and labels of lines of cells; the first line names the columns where a cell of it is no number."""
    lines = lines_of(decode(content, source, fault=NOT_UTF8, remedy="give an npz, an npy or a CSV"))
    try:
        cut = "\t" if lines and "\t" in lines[0] else ","
        rows = [(k, row) for k, row in csv_rows(lines, cut) if any(row)]
    except csv.Error as error:
        what, line = error.args
        raise ValueError(
            f"{source}: line {line}: not a readable CSV ({what}); close every quotation mark in its line"
        ) from None
    if not rows:
        raise ValueError(f"{source}: it is empty; give a line per frame")
    has_names = any(_number(cell) is None for cell in rows[0][1])
    names = tuple(rows[0][1]) if has_names else None
    width = len(rows[0][1])
    scores = np.empty((len(rows) - has_names, width))
    for line, (k, row) in zip(scores, rows[has_names:], strict=True):
        if len(row) != width:
            raise ValueError(f"{source}: line {k}: {len(row)} cells, {width} in the first line; give as many")
        values = [_number(cell) for cell in row]
        if None in values:
            at = values.index(None)
            raise ValueError(f"{source}: line {k}, column {at + 1}: {row[at][:40]!r} is no number; write one, or -inf")
        line[:] = values
    return _Table(scores, names)


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return None
