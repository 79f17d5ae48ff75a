"""The bytes of an ARPA file, plain or packed, never more than a limit; and messages that name its lines."""

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from rcmviz.core.shared.text_file import UTF8_MARK, UTF16_MARKS, unix_line_ends

MAX_BYTES = 1_000_000_000
GZIP = b"\x1f\x8b"
BINARIES = {b"mmap lm": "KenLM", b"blmt": "IRSTLM", b"Qblmt": "IRSTLM", b"Trie Language Model": "PocketSphinx"}
BLANKS = b" \t\r\n"
CHUNK = 1 << 20
TEXT = re.compile(rb"[^ \t\r\n][^\n]*")  # a line that is not blank, from its first character on
SHOWN = 60  # characters of a line in a message


@dataclass(frozen=True, eq=False)
class ArpaBytes:
    """The content of a file, unpacked and without a byte order mark; ``source`` is its name in messages."""

    source: str
    content: bytes
    marked: bool = False
    had_returns: bool = False  # a lone CR ended its lines, which end with LF in ``content``

    def line(self, at):
        """The number of the line with byte ``at``, from 1."""
        return self.content.count(b"\n", 0, at) + 1

    def next_line_start(self, at):
        """The start of the line after that of byte ``at``."""
        end = self.content.find(b"\n", at)
        return len(self.content) if end < 0 else end + 1

    def stripped_line(self, at):
        """The line that starts at ``at``, without the blanks around it."""
        return self.content[at : self.next_line_start(at)].strip(BLANKS)

    def lines(self, start, stop):
        """The lines of bytes ``[start, stop)`` that are not blank: ``(position, line)``."""
        for match in TEXT.finditer(self.content, start, stop):
            yield match.start(), match[0].rstrip(BLANKS)

    def fail(self, at, message):
        """ValueError with the name of the file and the line of byte ``at``."""
        raise ValueError(f"{self.source}, line {self.line(at)}: {message}")


def quote_bytes(raw):
    """Bytes of a file as they may stand in a message: quoted, unprintable ones written out, never long."""
    text = raw[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return f"'{text}'" if len(text) <= SHOWN else f"'{text[:SHOWN]}…'"


def read_bytes(path, max_bytes):
    """``ArpaBytes`` of a file; ValueError if it cannot be read, is damaged or has more than ``max_bytes``.

    A file that is too large is refused before it is read, a packed one as soon as it has unpacked to too much.
    """
    path = Path(path)
    try:
        if not path.is_file():
            raise ValueError(
                f"{path}: {'not a file' if path.exists() else 'no such file'}; give the path of an ARPA file"
            )
        if path.stat().st_size > max_bytes:
            raise ValueError(_too_large(path, f"{path.stat().st_size:,} bytes", max_bytes))
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}; give the path of a file that can be read") from None
    return unpack(content, str(path), max_bytes)


def unpack(content, source, max_bytes):
    """``ArpaBytes`` of the bytes of a file, which are gzip where their first bytes say so, whatever the name."""
    if content.startswith(GZIP):
        content = _unpack_content(content, source, max_bytes)
    if len(content) > max_bytes:
        raise ValueError(_too_large(source, f"{len(content):,} bytes", max_bytes))
    if content.startswith(UTF16_MARKS):
        raise ValueError(f"{source}, line 1: the text is UTF-16; convert it, e.g. iconv -f utf-16 -t utf-8 old > new")
    toolkit = next((name for magic, name in BINARIES.items() if content.startswith(magic)), None)
    if toolkit is not None:
        raise ValueError(
            f"{source}: a binary file of {toolkit}, which {toolkit} alone reads; give the ARPA file that it was made of"
        )
    marked, had_returns = content.startswith(UTF8_MARK), b"\r" in content and b"\n" not in content
    content = content.removeprefix(UTF8_MARK)
    file = ArpaBytes(source, unix_line_ends(content) if had_returns else content, marked, had_returns)
    if not file.content.strip():
        raise ValueError(f"{source}, line 1: the file is empty; give an ARPA file")
    _refuse_stray_bytes(file)
    return file


def _unpack_content(content, source, max_bytes):
    chunks, size = [], 0
    with gzip.open(io.BytesIO(content)) as packed:
        try:
            while chunk := packed.read1(CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                if size > max_bytes:
                    raise ValueError(_too_large(source, "unpacked it is more", max_bytes))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            line = sum(chunk.count(b"\n") for chunk in chunks) + 1
            raise ValueError(
                f"{source}, line {line} or later: the gzip file is cut off or damaged ({error}); copy it again"
            ) from None
    return b"".join(chunks)


def _too_large(source, message, max_bytes):
    return f"{source}: {message}, at most {max_bytes:,} are read; prune the model, or raise the limit with max_bytes"


def _refuse_stray_bytes(file):
    """Neither occurs in a text file: a zero comes of a damaged disk or of UTF-16, a lone return of an old Macintosh."""
    if (at := file.content.find(b"\0")) >= 0:
        file.fail(at, "a zero byte: the file is damaged or no text; an ARPA file is a text, write it as UTF-8")
    if b"\r" in file.content and (stray := re.search(rb"\r[^\r\n]", file.content)):
        file.fail(stray.start(), "a carriage return without a line feed; end lines with a line feed alone")
