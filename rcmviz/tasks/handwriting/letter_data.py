"""Handwritten words: the file ``letter.data`` (Kassel's words, normalised by Taskar), images, features, folds.

A word is a run of letters, each a black and white image of 16 rows and 8 columns.

Example:
    >>> images = np.zeros((3, 16, 8), dtype=np.uint8)
    >>> features(images, grid="8x4").shape
    (3, 32)
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.packed import unpack_gzip
from rcmviz.core.shared.text_file import UTF8_MARK, unix_line_ends
from rcmviz.data import registry
from rcmviz.sequences.table import Sequences

ROWS, COLUMNS = 16, 8
GRIDS = ("8x4", "16x8")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SOURCES = ("kassel", "pen", "drawn")

# Pixels are one digit each, so 128 of them with the tabs between are always 255 bytes: no need to split them.
_PIXELS = ROWS * COLUMNS
_PIXEL_BYTES = 2 * _PIXELS - 1
_HEAD = ("id", "letter", "next_id", "word_id", "position", "fold")


@dataclass(frozen=True, eq=False)
class Word:
    """One handwritten word.

    Attributes:
        letters: the T gold letters; empty if unknown (a word drawn with the mouse).
        images: (T, 16, 8) uint8, 1 = ink; read-only.
        fold: 0 to 9.
        index: number of the word in its file or list, from 0.
        source: "kassel", "pen" or "drawn".

    Raises:
        ValueError: where the images are not (T, 16, 8) of 0 and 1, or the letters are not as many as the images.
    """

    letters: str
    images: np.ndarray
    fold: int
    index: int
    source: str

    def __post_init__(self) -> None:
        images = check_images(self.images)
        if self.letters and len(self.letters) != len(images):
            raise ValueError(f"the word {self.letters!r} has {len(self.letters)} letters but {len(images)} images")
        checks.choice("the source of a word", self.source, SOURCES)
        images.flags.writeable = False
        object.__setattr__(self, "images", images)

    def __len__(self) -> int:
        return len(self.images)


def check_images(images) -> np.ndarray:
    """Return the images as a (T, 16, 8) uint8 array of 0 and 1, a copy.

    Raises:
        ValueError: for another shape, no image at all, or a value other than 0 and 1.
    """
    array = np.asarray(images)
    if array.ndim != 3 or array.shape[1:] != (ROWS, COLUMNS) or len(array) == 0:
        raise ValueError(f"letter images are an array (T, {ROWS}, {COLUMNS}) with T at least 1, not {array.shape}")
    if not ((array == 0) | (array == 1)).all():
        raise ValueError("a pixel of a letter image is 0 or 1; threshold grey values before you pass them")
    return array.astype(np.uint8)


def downsample(images: np.ndarray) -> np.ndarray:
    """Return every second row and column, 0, 2, 4, …: (T, 16, 8) to (T, 8, 4).

    The other parity costs a point of word accuracy on Kassel's words, so the choice is fixed.
    """
    return images[..., ::2, ::2]


def features(images: np.ndarray, grid: str = "8x4") -> np.ndarray:
    """Return the pixels as features, row by row: (T, 16, 8) to (T, F) float32, F = 32 or 128.

    Raises:
        ValueError: where the grid is neither "8x4" nor "16x8".
    """
    checks.choice("the grid of the features", grid, GRIDS)
    pixels = downsample(images) if grid == "8x4" else images
    return pixels.reshape(len(pixels), -1).astype(np.float32)


def word_sequences(words: list[Word], grid: str = "8x4", labels: str | tuple = LETTERS) -> Sequences:
    """Return words as labelled sequences: their pixels as features, their letters as gold.

    Raises:
        ValueError: if there are no words, or a word has a letter that is not one of the labels (all are named).
    """
    words = list(words)
    if not words:
        raise ValueError("there are no words: give at least one")
    for word in words:
        unknown = sorted(set(word.letters) - set(labels))
        if unknown:
            raise ValueError(
                f"the word {word.letters!r} has {', '.join(unknown)}, which the model does not know; "
                f"use only the labels {' '.join(labels)}"
            )
    pixels = [features(word.images, grid) for word in words]
    return Sequences.from_arrays(pixels, [word.letters for word in words], labels)


def fold_words(words: list[Word], fold: int) -> list[Word]:
    """Return the words of one fold, in their order.

    Raises:
        ValueError: where the fold is not 0 to 9.
    """
    _check_fold(fold)
    return [word for word in words if word.fold == fold]


def split(words: list[Word], test_fold: int = 1, unseen: Iterable[int] = ()) -> tuple[list[Word], list[Word]]:
    """Return (train, test): the words of neither the test fold nor the ``unseen`` ones, and those of the test fold.

    Raises:
        ValueError: where the fold is not 0 to 9.
    """
    _check_fold(test_fold)
    return [word for word in words if word.fold not in (test_fold, *unseen)], fold_words(words, test_fold)


def _check_fold(fold: int) -> None:
    checks.whole("fold", fold, 0, 9)


def load_words() -> list[Word]:
    """Return Kassel's 6,877 words from where ``rcmviz data`` or RCMVIZ_DATA keeps them.

    Raises:
        ValueError: where the data set is not on this machine.
    """
    if registry.find("ocr") is None:
        raise ValueError(
            "Kassel's handwritten words are not on this machine: run `rcmviz data get ocr`, "
            "or set RCMVIZ_DATA to a folder that holds ocr/letter.data.gz"
        )
    return read_letters(registry.need("ocr"))


def read_letters(path: str | Path) -> list[Word]:
    """Read ``letter.data`` or ``letter.data.gz``: one line per letter, tab separated, 6 columns and 128 pixels.

    Accepts CRLF and a tab at the end of a line. Lines are put in the order of their ids; a word ends where
    ``next_id`` is -1. 52,152 lines take 0.2 s.

    Raises:
        ValueError: for a file that is missing, empty, cut short or not gzip, and for a malformed line; the message
            names the file, the line and the value.
    """
    path = Path(path)
    content = unix_line_ends(_read_bytes(path)).removeprefix(UTF8_MARK)
    lines = [line.rstrip(b"\t") for line in content.rstrip(b"\n\t ").split(b"\n")]
    if lines == [b""]:
        raise ValueError(f"{path} is empty: download it again with `rcmviz data get ocr`")
    pixels = _pixels(lines, path)
    table = _table(lines, path)
    order = np.argsort(table["id"], kind="stable")
    starts = _word_starts(table, order, path)
    letters = b"".join(table["letter"][order].tolist()).decode()
    images = pixels[order].reshape(-1, ROWS, COLUMNS)
    stops = [*starts[1:], len(order)]
    folds = table["fold"][order[starts]]
    return [
        Word(letters[start:stop], images[start:stop], int(fold), index, "kassel")
        for index, (start, stop, fold) in enumerate(zip(starts, stops, folds, strict=True))
    ]


def _read_bytes(path: Path) -> bytes:
    """The bytes of the file, unpacked where they are gzip, whatever its name."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from error
    if not content.startswith(b"\x1f\x8b"):
        if content and path.suffix == ".gz":
            raise ValueError(f"{path} is not a gzip file: remove .gz from its name if it is plain text")
        return content
    try:
        return unpack_gzip(content, path)
    except EOFError as error:
        raise ValueError(f"{path} is cut short: download it again with `rcmviz data get ocr`") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is a damaged gzip file ({error}): download it again") from error


def _pixels(lines: list[bytes], path: Path) -> np.ndarray:
    """The pixels of all lines, (lines, 128) uint8; the shape of every line is checked on the way."""
    separator, zero = ord("\t"), ord("0")
    for number, line in enumerate(lines, start=1):
        if line.count(b"\t", 0, -_PIXEL_BYTES) != len(_HEAD):
            raise ValueError(_line_error(line, path, number))
    block = np.frombuffer(b"".join(line[-_PIXEL_BYTES:] for line in lines), dtype=np.uint8)
    block = block.reshape(len(lines), _PIXEL_BYTES)
    pixels = block[:, 0::2] - zero  # below "0" wraps around to a large number
    bad = (pixels > 1).any(axis=1) | (block[:, 1::2] != separator).any(axis=1)
    if bad.any():
        first = int(bad.argmax())
        raise ValueError(_line_error(lines[first], path, first + 1))
    return pixels


def _line_error(line: bytes, path: Path, number: int) -> str:
    """The fault of a line that has not 6 columns and 128 pixels of one digit."""
    fields = line.decode("utf-8", "replace").split("\t")
    wanted = len(_HEAD) + _PIXELS
    if len(fields) != wanted:
        return f"{path}, line {number}: {len(fields)} columns, expected {wanted} ({', '.join(_HEAD)}, 128 pixels)"
    for place, value in enumerate(fields[len(_HEAD) :]):
        if value not in ("0", "1"):
            row, column = divmod(place, COLUMNS)
            return f"{path}, line {number}: pixel p_{row}_{column} is {value!r}, expected 0 or 1"
    return f"{path}, line {number}: malformed, expected {wanted} columns with a tab between them"


def _table(lines: list[bytes], path: Path) -> dict[str, np.ndarray]:
    """The six columns before the pixels, checked one by one."""
    columns = dict(zip(_HEAD, zip(*(line.split(b"\t", 6)[:6] for line in lines), strict=True), strict=True))
    table = {name: _integers(values, name, path) for name, values in columns.items() if name != "letter"}
    table["letter"] = np.array(columns["letter"])
    alphabet = [letter.encode() for letter in LETTERS]
    _refuse(~np.isin(table["letter"], alphabet), columns["letter"], "letter", "expected one of a to z", path)
    _refuse((table["fold"] < 0) | (table["fold"] > 9), columns["fold"], "fold", "expected 0 to 9", path)
    return table


def _integers(values: tuple[bytes, ...], name: str, path: Path) -> np.ndarray:
    try:
        return np.array([int(value) for value in values], dtype=np.int64)
    except (ValueError, OverflowError):
        bad = np.array([not value.removeprefix(b"-").isdigit() or len(value) > 18 for value in values])
        _refuse(bad, values, name, "expected a whole number", path)
        raise


def _refuse(bad: np.ndarray, values, name: str, wanted: str, path: Path, order: np.ndarray | None = None) -> None:
    """Raise for the first bad entry, naming its line; ``order`` says from which line an entry comes."""
    if not bad.any():
        return
    first = int(bad.argmax())
    line = first if order is None else int(order[first])
    value = values[line]
    shown = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    raise ValueError(f"{path}, line {line + 1}: {name} is {str(shown)!r}, {wanted}")


def _word_starts(table: dict[str, np.ndarray], order: np.ndarray, path: Path) -> np.ndarray:
    """The first line of each word; the chain of ids, the positions and the folds must agree with it."""
    ids, following = table["id"][order], table["next_id"][order]
    _refuse(np.diff(ids, prepend=ids[0] - 1) == 0, table["id"], "id", "which an earlier line has too", path, order)
    ends = following == -1
    successor = np.append(ids[1:], -1)
    _refuse(~ends & (following != successor), table["next_id"], "next_id", "which is not the next letter", path, order)
    starts = np.flatnonzero(np.append(True, ends[:-1]))
    word = np.cumsum(np.append(True, ends[:-1])) - 1  # word of each line
    expected = np.arange(len(ids)) - starts[word] + 1
    wrong = table["position"][order] != expected
    _refuse(wrong, table["position"], "position", "expected 1, 2, … along a word", path, order)
    fold = table["fold"][order]
    _refuse(fold != fold[starts][word], table["fold"], "fold", "unlike the first letter of its word", path, order)
    return starts
