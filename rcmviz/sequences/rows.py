"""The rows of a sequence file: bytes → text → cells, each with its line, grouped into sequences."""

import csv
import gzip
import io
import math
import zlib
from sys import intern

DELIMITERS = ",;\t"
SEQUENCE = "sequence"  # the column of a CSV that says which rows belong together
DOCUMENT = "-DOCSTART-"  # CoNLL 2003: a line that begins a document


def too_large(source, size, most):
    """What is said about a file of ``size`` bytes where ``most`` are read."""
    return (
        f"{source}: {size / 1e6:,.1f} MB, at most {most / 1e6:,.0f} MB are read; take a part of it, or raise the limit "
        f"with --max-mb {math.ceil(size / 1e6)} (max_bytes in Python)"
    )


def decoded(content, source, most):
    """The text of a file, unpacked and decoded, without a byte order mark."""
    if content.startswith(b"\x1f\x8b"):
        content = _unpacked(content, source, most)
    if len(content) > most:
        raise ValueError(too_large(source, len(content), most))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{source}, line {line}: byte 0x{content[error.start]:02x} (offset {error.start}) is not UTF-8; convert "
            "the file, e.g. iconv -f latin1 -t utf-8 old > new"
        ) from None


def _unpacked(content, source, most):
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(most + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{source}: a damaged gzip file ({error}); copy it again") from None
    if len(unpacked) > most:
        raise ValueError(too_large(source, len(unpacked), most) + "; it is packed, so even more")
    return unpacked


def read_conll(text, source, kind="conll"):
    """→ (header, delimiter, sequences of (line, cells)); a blank line ends a sequence.

    CoNLL-U has rows beside its words, ``3-4`` for words written as one, ``8.1`` for one left out: they are skipped.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    delimiter = "\t" if any("\t" in line for line in lines if not line.startswith("#")) else " "
    sequences, first, inside = [], None, False
    for number, line in enumerate(lines, start=1):
        cells = _cells(line, delimiter)
        if cells and not inside and (cells[0] == DOCUMENT or _is_comment(line)):
            continue
        if cells and kind == "conllu" and not cells[0].isdecimal():
            continue
        if cells:
            first = first or (number, len(cells))
            if len(cells) != first[1]:
                raise ValueError(_uneven(source, number, len(cells), *first))
            if not inside:
                sequences.append([])
            sequences[-1].append((number, cells))
        inside = bool(cells)
    return tuple(str(k + 1) for k in range(first[1] if first else 0)), delimiter, sequences


def _cells(line, delimiter):
    """Only blanks and tabs separate: a no-break space, such as that of a large number, belongs to its cell."""
    if not line.strip(" \t"):
        return ()
    return tuple(intern(cell) for cell in line.split(delimiter) if cell or delimiter == "\t")


def _is_comment(line):
    """Before a sequence ``#`` begins a comment, unless it is a whole cell; inside one it is a token like any other."""
    return line.startswith("#") and not line.startswith("#\t")


def _uneven(source, line, found, first, expected):
    named = f"{found} column{'s' * (found != 1)}"
    return f"{source}, line {line}: {named}, line {first} has {expected}; every line has the same columns"


def read_csv(text, source):
    """→ (header, delimiter, sequences of (line, cells)); the column ``sequence`` says which rows belong together."""
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = _csv_rows(reader, source)
    header = tuple(cell.strip() for cell in next(rows, (0, ()))[1])
    _check_header(header, source)
    return header, delimiter, _grouped(rows, header, source)


def _csv_rows(reader, source):
    """(line, cells) of every row that is not blank; a row may span lines, ``line`` is its first."""
    line = 1
    try:
        for cells in reader:
            if cells and not (len(cells) == 1 and not cells[0].strip()):
                yield line, tuple(map(intern, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{source}, line {line}: not CSV ({error}); correct the quotes there") from None


def _check_header(header, source):
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise ValueError(f"{source}, line 1: the column {twice[0]!r} stands twice; rename one")
    if header and SEQUENCE not in header:
        raise ValueError(
            f"{source}, line 1: no column {SEQUENCE!r} that says which rows belong together; there are "
            f"{', '.join(header)}"
        )


def _grouped(rows, header, source):
    place, ended, sequences = header.index(SEQUENCE) if header else 0, {}, []
    name = None
    for line, cells in rows:
        if len(cells) != len(header):
            raise ValueError(_uneven(source, line, len(cells), 1, len(header)))
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
