r"""Text files as every reader takes them: UTF-8, and lines that end in LF, CR LF or CR.

What Unicode calls further line ends (U+2028, U+0085, form feeds, …) is data, as in the programs that write such files.

>>> lines_of(decode(b"\xef\xbb\xbfa b\rc\r\nd\xe2\x80\xa8e\n", "x.txt"))
['a b', 'c', 'd\u2028e']
"""

import csv
import re

UTF8_MARK, MARK = b"\xef\xbb\xbf", "\ufeff"
GZIP = b"\x1f\x8b"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
NOT_UTF8 = "{source}, line {line}: byte 0x{byte:02x} (offset {offset}) is not UTF-8"
CONVERT = "convert the file, e.g. iconv -f latin1 -t utf-8 old > new"
EDGE_MARK = re.compile(f"^{MARK}|{MARK}$", re.MULTILINE)
PROBE = 400  # bytes that tell UTF-16 without a mark: every second one of ASCII text is zero
CHUNK = 1 << 20
SHOWN = 60  # characters of a line in a message


def decode(content, source, first_line=1, *, fault=NOT_UTF8, remedy=CONVERT):
    r"""The text of a file's bytes: its byte order mark removed, all line ends as ``\n``.

    ``first_line`` is the number of the first line, for a part of a file. ValueError names the ``source`` and the line:
    for bytes that are not UTF-8 with the words of ``fault`` and ``remedy``, or the encoding that they are in where a
    mark tells; and for an invisible byte order mark at an edge of a later line.
    """
    if first_line == 1:
        if content.startswith(GZIP):
            raise ValueError(f"{source}: a packed file (gzip), which is not read here; unpack it, as with gunzip")
        encoding = _wide_encoding(content)
        if encoding is not None:
            advice = f"the text is {encoding.upper()}; convert it, e.g. iconv -f {encoding} -t utf-8 old > new"
            is_marked = content.startswith(UTF16_MARKS)  # of the others each byte alone is UTF-8
            raise ValueError(f"{_error_text(fault, source, 1, content, 0) if is_marked else source}: {advice}")
        content = content.removeprefix(UTF8_MARK)
    try:
        text = unix_line_ends(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = first_line + unix_line_ends(content[: error.start]).count(b"\n")
        raise ValueError(f"{_error_text(fault, source, line, content, error.start)}; {remedy}") from None
    if MARK in text and (found := EDGE_MARK.search(text)):
        line = text.count("\n", 0, found.start())
        whole = text.split("\n")[line]
        shown = whole[:SHOWN] if whole.startswith(MARK) else whole[-SHOWN:]
        raise ValueError(
            f"{source}, line {first_line + line}: {shown!r} holds a byte order mark (U+FEFF), which is invisible, as "
            "where files were joined; take it out"
        )
    return text


def _error_text(fault, source, line, content, offset):
    return fault.format(source=source, line=line, byte=content[offset], offset=offset)


def _wide_encoding(content):
    """The name of the encoding of wide characters that a text is in, None for others."""
    if content.startswith(UTF32_MARKS):
        return "utf-32"
    if content.startswith(UTF16_MARKS):
        return "utf-16"
    even, odd = content[:PROBE:2], content[1:PROBE:2]
    if even and odd.count(0) > 0.8 * len(even) and not even.count(0):
        return "utf-16le"
    return "utf-16be" if odd and even.count(0) > 0.8 * len(odd) and not odd.count(0) else None


def unix_line_ends(text):
    r"""A text, or its bytes, with ``\n`` for CR LF and CR; CR CR LF, which faulty conversions make, is one line end.

    >>> unix_line_ends("a\rb\r\nc\r\r\nd"), unix_line_ends(b"a\r\r")
    ('a\nb\nc\nd', b'a\n\n')
    """
    cr, lf = ("\r", "\n") if isinstance(text, str) else (b"\r", b"\n")
    if cr not in text:
        return text
    while cr + lf in text:
        text = text.replace(cr + lf, lf)
    return text.replace(cr, lf)


def lines_of(text):
    r"""The lines of a text whose line ends are ``\n``; a line end closes its line and begins none.

    >>> lines_of("a\n\nb\n"), lines_of("")
    (['a', '', 'b'], [])
    """
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def stream_lines(stream, source, longest, most=None, **words):
    """The lines of a binary stream as texts, one after the other, with the checks of ``decode``.

    ValueError also for a line of more than ``longest`` bytes, and as soon as there are more than ``most`` in all.
    """
    number, rest, size = 1, b"", 0
    while True:
        chunk = stream.read(CHUNK)
        size += len(chunk)
        if most is not None and size > most:
            raise ValueError(f"{source}: unpacked it is more than {most:,} bytes, the limit; take a part of it")
        block = rest + chunk
        # a CR at the end may be the first half of CR LF
        stop = 1 + max(block.rfind(b"\n"), block.rfind(b"\r", 0, -1)) if chunk else len(block)
        rest = block[stop:]
        for line in lines_of(decode(block[:stop], source, number, **words)):
            _check_length(line, longest, f"{source}, line {number}")
            yield line
            number += 1
        _check_length(rest, longest, f"{source}, line {number}")
        if not chunk:
            return


def _check_length(line, longest, where):
    if len(line) > longest:
        raise ValueError(f"{where}: more than {longest / 1e6:.0f} MB; write one sentence per line")


class Entries(list):
    """A reader's result; ``remarks`` are sentences on skipped parts."""

    def __init__(self, found=(), remarks=()):
        super().__init__(found)
        self.remarks = tuple(remarks)


def csv_rows(lines, delimiter=",", **dialect):
    """(line number, cells) of lines of CSV; a cell ends in its line.

    ``csv.Error`` where it does not, with the number of the line as its second argument.

    >>> list(csv_rows(['a,"b,c"', ""]))
    [(1, ['a', 'b,c']), (2, [])]
    """
    reader, number = csv.reader(lines, delimiter=delimiter, strict=True, **dialect), 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise csv.Error(str(error), number) from None
        if cells is None:
            return
        if reader.line_num > number:
            raise csv.Error("unexpected end of data", number)
        yield number, cells
        number += 1
