"""The rows of a sequence file: bytes → text → cells, each with its line, grouped into sequences."""

import csv
import gzip
import io
import math
import re
import zlib
from collections import Counter
from sys import intern
from typing import NamedTuple

from rcmviz.core.shared.repeats import first_repeated
from rcmviz.core.shared.text_file import csv_rows, decode, lines_of
from rcmviz.core.shared.wording import counted

DELIMITERS = ",;\t"
SEQUENCE = "sequence"  # the column of a CSV that says which rows belong together
DOCUMENT = "-DOCSTART-"  # CoNLL 2003: a line that begins a document
KEY_VALUE = re.compile(r"#\s*[\w.:-]+(\s+\w+)*\s+=(\s|$)")  # a comment as CoNLL-U has them
LABEL = re.compile(r"[BIOESLUM]-\S+|[^a-z0-9]*[A-Z][^a-z0-9]*|#")  # what looks like one: O, B-LOC, NN, and Penn's #
RANGE = re.compile(r"\d+-\d+|\d+\.\d+")  # CoNLL-U: words written as one, and a word left out
COMMENT, DOCUMENT_LINE, BESIDE_WORDS = "comment", f"{DOCUMENT} line", "multiword-token or empty-node line"
QUOTES = 'a cell ends in its line, and a cell that is a quotation mark is written """"'


def too_large(source, size, most):
    """The message about a file of ``size`` bytes if ``most`` are read."""
    return (
        f"{source}: {size / 1e6:,.1f} MB, at most {most / 1e6:,.0f} MB are read; take a part of it, or raise the limit "
        f"with --max-mb {math.ceil(size / 1e6)} (max_bytes in Python)"
    )


def decode_file(content, source, most):
    """The text of a file, unpacked and decoded, without a byte order mark."""
    if content.startswith(b"\x1f\x8b"):
        content = _unpack_content(content, source, most)
    if len(content) > most:
        raise ValueError(too_large(source, len(content), most))
    return decode(content, source)


def _unpack_content(content, source, most):
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(most + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{source}: a damaged gzip file ({error}); copy it again") from None
    if len(unpacked) > most:
        raise ValueError(too_large(source, len(unpacked), most) + "; it is packed, so even more")
    return unpacked


class Rows(NamedTuple):
    """A file's content: sequences of (line, cells), and {kind of skipped row: its line numbers}."""

    header: tuple
    delimiter: str
    sequences: list
    skipped: dict


def read_conll(text, source, kind="conll", widths=None):
    """The ``Rows`` of a text in columns.

    A blank line ends a sequence. CoNLL-U has rows besides its words, ``3-4`` for words written as one, ``8.1`` for one
    left out: they are skipped. ``widths`` are the numbers of columns that a row may have, where they are known.
    """
    lines = lines_of(text)
    delimiter, is_comment = _comment_rule(lines, kind, widths)
    sequences, first, inside, skipped = [], None, False, {}
    for number, line in enumerate(lines, start=1):
        cells = _cells(line, delimiter)
        reason = _skip_reason(line, cells, kind, inside, is_comment) if cells else None
        if reason:
            skipped.setdefault(reason, []).append(number)
            continue
        if cells:
            if kind == "conllu" and not cells[0].isdecimal():
                raise ValueError(
                    f"{source}, line {number}: {cells[0]!r:.40} is no number of a word; in CoNLL-U the "
                    "first column numbers the words of a sentence"
                )
            first = first or (number, len(cells))
            if len(cells) != first[1]:
                why = _uneven_reason(lines, number, first[0], delimiter)
                raise ValueError(_uneven_error(source, number, len(cells), *first) + why)
            if not inside:
                sequences.append([])
            sequences[-1].append((number, cells))
        inside = bool(cells)
    header = tuple(str(k + 1) for k in range(first[1] if first else 0))
    return Rows(header, delimiter, sequences, skipped)


def _cells(line, delimiter):
    """Only blanks and tabs separate: a no-break space, such as that of a large number, belongs to its cell."""
    if not line.strip(" \t"):
        return ()
    return tuple(intern(cell) for cell in line.split(delimiter) if cell or delimiter == "\t")


def _skip_reason(line, cells, kind, inside, is_comment):
    """The kind of a line that is no row, None for a row."""
    if line.startswith("#") and is_comment(line, cells, inside):
        return COMMENT
    if not inside and cells[0] == DOCUMENT:
        return DOCUMENT_LINE
    return BESIDE_WORDS if kind == "conllu" and RANGE.fullmatch(cells[0]) else None


def _comment_rule(lines, kind, widths):
    """(what separates cells, whether a line that begins with # is a comment, by its text, cells and place).

    It is one where it cannot be a row: always where the first column numbers the words, as in CoNLL-U; where it has
    other columns than the rows, or an empty last one; and between blanks where it is written ``# key = value``, or
    begins a sequence with a lone #, ends in nothing like a label and shares no cell with the rows.
    """
    rows = [line for line in lines if not line.startswith("#") and line.strip(" \t")]
    marked = [line for line in lines if line.startswith("#")] if kind != "conllu" else []
    delimiter = "\t" if any("\t" in line for line in rows or marked) else " "
    if not marked or _is_numbered(lines, delimiter):
        return delimiter, lambda line, cells, inside: True
    width = _width(rows, marked, delimiter, widths)
    known = _cells_known(rows, marked, delimiter, width) if delimiter == " " else set()

    def is_comment(line, cells, inside):
        if len(cells) != width or not cells[-1].strip():
            return True
        if delimiter == "\t":
            return False
        if KEY_VALUE.match(line):
            return True
        is_doubtful = not inside and cells[0] == "#" and width > 1
        return is_doubtful and not LABEL.fullmatch(cells[-1]) and known.isdisjoint(enumerate(cells))

    return delimiter, is_comment


def _width(rows, marked, delimiter, widths):
    """The number of columns: as the first that does not begin with #, else as most of those that may be rows."""
    for line in rows:
        cells = _cells(line, delimiter)
        if cells[0] != DOCUMENT:
            return len(cells)
    candidates = [_cells(line, delimiter) for line in marked if delimiter == " " or "\t" in line]
    counts = Counter(
        len(c) for c in candidates if delimiter == "\t" or c[0] != "#" or c == ("#",) or LABEL.fullmatch(c[-1])
    )
    likely = [count for count, _ in counts.most_common() if widths is None or count in widths]
    return likely[0] if likely else 0


def _cells_known(rows, marked, delimiter, width):
    """{(column, cell)} behind the lone # of a line, as far as rows have them that begin with something else."""
    wanted = {
        place
        for line in marked
        if line[1:2] == " " and len(cells := _cells(line, delimiter)) == width
        for place in enumerate(cells)
    }
    others = (*rows, *(line for line in marked if line[1:2] != " ")) if wanted else ()
    return {
        place
        for line in others
        if len(cells := _cells(line, delimiter)) == width
        for place in enumerate(cells)
        if place in wanted
    }


def _is_numbered(lines, delimiter):
    """Whether the first of three columns or more counts the words of every sequence, from 0 or 1 on."""
    expected, found = ("0", "1"), False
    for line in lines:
        cells = () if line.startswith("#") else _cells(line, delimiter)
        if not line.strip(" \t"):
            expected = ("0", "1")
        elif cells and cells[0] != DOCUMENT:
            if len(cells) < 3 or cells[0] not in expected:
                return False
            found |= len(expected) == 1  # a second word: one number may be a token
            expected = (str(int(cells[0]) + 1),)
    return found


def _uneven_error(source, line, found, first, expected):
    named = counted(found, "column")
    return f"{source}, line {line}: {named}, line {first} has {expected}; every line has the same columns"


def _uneven_reason(lines, number, first, delimiter):
    """The reason why the cells of a line may differ from their look, or nothing."""
    without = [k for k in (number, first) if "\t" not in lines[k - 1]]
    if delimiter == "\t" and without:
        tabbed = next(k for k, line in enumerate(lines, start=1) if "\t" in line and line.strip(" \t"))
        return (
            f"; line {without[0]} has no tab, and the tab in line {tabbed} makes tabs the separator of the whole file: "
            "separate columns by tabs or by blanks, not both"
        )
    line = lines[number - 1]
    return "" if line.replace("\t", " ").isprintable() else f"; the line is {line!r:.80}"


def read_csv(text, source):
    """The ``Rows`` of a CSV, of which none is skipped; the column ``sequence`` says which belong together."""
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    rows = _csv_rows(text, delimiter, source)
    header = next(rows, (0, ()))[1]
    _check_header(header, source)
    return Rows(header, delimiter, _group_rows(rows, header, delimiter, source), {})


def _csv_rows(text, delimiter, source):
    """(line, cells) of every row that is not blank; blanks around a cell do not count."""
    blanks = " \t".replace(delimiter, "")
    try:
        for line, cells in csv_rows(lines_of(text), delimiter, skipinitialspace=True):
            if cells and not (len(cells) == 1 and not cells[0].strip()):
                yield line, tuple(intern(cell.strip(blanks)) for cell in cells)
    except csv.Error as error:
        what, line = error.args
        raise ValueError(f"{source}, line {line}: not CSV ({what}); correct the quotes there: {QUOTES}") from None


def _check_header(header, source):
    twice = first_repeated(header)
    if twice is not None:
        raise ValueError(f"{source}, line 1: the column {twice!r} occurs twice; rename one")
    if header and SEQUENCE not in header:
        raise ValueError(
            f"{source}, line 1: no column {SEQUENCE!r}, which numbers the sequences; there are {', '.join(header)}"
        )


def _group_rows(rows, header, cut, source):
    place, ended, sequences = header.index(SEQUENCE) if header else 0, {}, []
    name = None
    for line, cells in rows:
        if len(cells) != len(header):
            quoted = next((f"; {cell!r:.40} is one cell by its quotes: {QUOTES}" for cell in cells if cut in cell), "")
            raise ValueError(_uneven_error(source, line, len(cells), 1, len(header)) + quoted)
        if not cells[place].strip():
            raise ValueError(f"{source}, line {line}: the column {SEQUENCE!r} is empty; name the sequence of the row")
        if cells[place] != name:
            if cells[place] in ended:
                before = f"sequence {cells[place]!r} already ended in line {ended[cells[place]]}"
                raise ValueError(f"{source}, line {line}: {before}; keep its rows together")
            name = cells[place]
            sequences.append([])
        ended[name] = line
        sequences[-1].append((line, cells))
    return sequences
