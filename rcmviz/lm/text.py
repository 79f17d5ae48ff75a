"""Text in: the lines of a file as sentences, and a line as tokens, words, characters or letters.

>>> tokens("The cat's out!"), words("The cat's out!")
(['The', "cat's", 'out!'], ['the', "cat's", 'out'])
>>> "".join(characters("The cat's out!")), "".join(letters("The cat's out!"))
("The_cat's_out!", "the_cat's_out")
"""

import gzip
import os
import re
import unicodedata
import zlib

from rcmviz.core import checks
from rcmviz.core.text_file import stream_lines
from rcmviz.lm.language_model import BEGIN, END

BLANK = "_"  # how a blank is written among characters, as an n-gram cannot hold one
LONGEST = 16_000_000  # bytes of a line: more is no text of one sentence per line
MAX_UNPACKED = 5_000_000_000  # bytes of a packed text; what is in it is read line by line
EVERY = 2_000  # lines between two calls of ``progress``
GZIP = b"\x1f\x8b"
NOT_UTF8 = "{source}, line {line}: byte 0x{byte:02x} is not UTF-8"
CONVERT = "convert it, e.g. iconv -f latin1 -t utf-8 old > new"
TOKEN = re.compile(r"[^ \t\n\r\f\v]+")  # only ASCII blanks separate, as in ARPA files
WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
APOSTROPHES = str.maketrans("\u2019\u02bc", "''")


def tokens(line):
    """What stands between blanks, as it is; a NO-BREAK SPACE is no blank."""
    return TOKEN.findall(line)


def words(line):
    """Letters and digits, and the apostrophes inside a word, in lower case; everything else only separates."""
    return WORD.findall(unicodedata.normalize("NFC", line).translate(APOSTROPHES).lower())


def characters(line):
    """Every character as it is, a run of blanks as one ``_``."""
    return list(BLANK.join(tokens(line)))


def letters(line):
    """The characters of the words in lower case, with ``_`` between words."""
    return list(BLANK.join(words(line)))


UNITS = {"tokens": tokens, "words": words, "characters": characters, "letters": letters}


def splitter(units):
    """The function that splits a line into ``units``; ValueError for an unknown name."""
    return UNITS[checks.choice("units", units, UNITS, f"choose {', '.join(UNITS)}")]


def read_sentences(path, units="tokens", progress=None):
    """The sentences of a UTF-8 text, plain or gzipped, one per line: lists of ``units``, one after the other.

    Lines without any are left out. ``progress(done, total)`` is called now and then: bytes of the file that are read.
    ValueError for a file without words, and for a line that is no text or holds ``<s>`` or ``</s>``; OSError where the
    file cannot be read.
    """
    with open(path, "rb") as file:
        packed, size = file.peek(len(GZIP)).startswith(GZIP), os.fstat(file.fileno()).st_size
        tell = progress and file.seekable() and (lambda: progress(file.tell(), size))
        stream = gzip.GzipFile(fileobj=file) if packed else file
        yield from stream_sentences(stream, path, units, tell, MAX_UNPACKED if packed else None)


def stream_sentences(stream, source, units="tokens", every_so_often=None, most=None):
    """The same from an open binary stream, such as standard input; ``source`` names it in messages, ``most`` bytes."""
    split, empty = splitter(units), True
    for number, line in enumerate(_lines(stream, source, most), start=1):
        _check_line(line, f"{source}, line {number}")
        sentence = split(line)
        if sentence:
            empty = False
            yield sentence
        if every_so_often and number % EVERY == 0:
            every_so_often()
    if empty:
        raise ValueError(f"{source}: no words in it; give a text with one sentence per line")


def _lines(stream, source, most):
    """The lines of a stream; a damaged gzip file is named."""
    try:
        yield from stream_lines(stream, source, LONGEST, most, fault=NOT_UTF8, remedy=f"is it a text? If so, {CONVERT}")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{source}: a damaged gzip file ({error}); copy it again") from None


def _check_line(text, where):
    """ValueError for a line that is no text, or holds a mark that is put around every sentence."""
    if "\0" in text:
        raise ValueError(f"{where}: a zero byte, so it is no text")
    for mark in (BEGIN, END):
        if mark in text:
            raise ValueError(f"{where}: {mark} is put around every sentence anyway; take it out of the text")
