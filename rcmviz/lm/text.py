"""Text in: the lines of a file as sentences, and a text as tokens, words, characters, letters or English words.

>>> tokens("The cat's out!"), words("The cat's out!")
(['The', "cat's", 'out!'], ['the', "cat's", 'out'])
>>> "".join(characters("The cat's out!")), "".join(letters("The cat's out!"))
("The_cat's_out!", "the_cat's_out")
>>> splitter("english")("The cat's out!")
['the', "cat's", 'out', '!']
"""

import gzip
import os
import re
import unicodedata
import zlib
from os import PathLike

from rcmviz.core.shared import checks
from rcmviz.core.shared.text_file import stream_lines
from rcmviz.lm.english import split_words

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
BLANK = "_"  # how a blank is written among characters, as an n-gram cannot hold one
LONGEST = 16_000_000  # bytes of a line: more is no text of one sentence per line
MAX_UNPACKED = 5_000_000_000  # bytes of an unpacked text, which is read line by line
EVERY = 2_000  # lines between two calls of ``progress``
GZIP = b"\x1f\x8b"
NOT_UTF8 = "{source}, line {line}: byte 0x{byte:02x} is not UTF-8"
CONVERT = "convert it, e.g. iconv -f latin1 -t utf-8 old > new"
TOKEN = re.compile(r"[^ \t\n\r\f\v]+")  # only ASCII blanks separate, as in ARPA files
WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*")
APOSTROPHES = str.maketrans("\u2019\u02bc", "''")


def tokens(line):
    """Tokens between blanks, unchanged; a NO-BREAK SPACE is no blank."""
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


TOKENS = "tokens"  # the units of a model that does not name any, such as an ARPA file of another toolkit
UNITS = {TOKENS: tokens, "words": words, "characters": characters, "letters": letters, "english": split_words}
SPELT = "characters", "letters"  # units in which a blank is one of the units


def splitter(units):
    """The function that splits a line into ``units``; ValueError for an unknown name."""
    return UNITS[checks.choice("units", units, UNITS, f"choose {', '.join(UNITS)}")]


def words_of(name, sentence, units):
    """The words of one sentence: a text is split into ``units``, a list of words is taken as it is.

    >>> words_of("sentence 1", "the cat", "characters"), words_of("sentence 1", ("the", "cat"), "characters")
    (['t', 'h', 'e', '_', 'c', 'a', 't'], ['the', 'cat'])
    """
    if isinstance(sentence, str):
        return splitter(units)(sentence)
    if not checks.is_iterable(sentence):
        raise ValueError(f"{name}: give a list of words, or a string; found {sentence!r:.60}")
    return list(sentence)


def words_before(name, text, units):
    """The words of what something follows: ``<s>`` may begin it, and a blank at its end counts where blanks are units.

    >>> words_before("history", "<s> a ", "letters"), words_before("history", "<s> a ", "tokens")
    (['<s>', 'a', '_'], ['<s>', 'a'])
    """
    found = words_of(name, text, units)
    if not isinstance(text, str):
        return found
    begins = tokens(text)[:1] == [BEGIN]
    if begins:
        text = text.lstrip()[len(BEGIN) :]
        found = splitter(units)(text)
    blank = [BLANK] if found and units in SPELT and text[-1:].isspace() else []
    return [BEGIN] * begins + found + blank


def words_after(name, text, units):
    """The words of what follows something: a blank at its beginning counts where blanks are units.

    >>> words_after("right", " cat", "letters"), words_after("right", " cat", "tokens")
    (['_', 'c', 'a', 't'], ['cat'])
    """
    found = words_of(name, text, units)
    return [BLANK, *found] if found and isinstance(text, str) and units in SPELT and text[:1].isspace() else found


def sentences_of(source, units=TOKENS):
    """The sentences of a text as lists of words, one after the other; those without words are left out.

    ``source``: the path of a text file, a sentence a line; or sentences, as texts that are split into ``units`` or as
    words. ValueError for a bare text, and for a word that is none.
    """
    if isinstance(source, PathLike):
        yield from read_sentences(source, units)
        return
    if isinstance(source, (str, bytes)) or not checks.is_iterable(source):
        raise ValueError(
            f"sentences: expected a list of sentences or a pathlib.Path, found {source!r:.60}; write [text] for one"
        )
    for number, sentence in enumerate(source, start=1):
        found = words_of(f"sentence {number}", sentence, units)
        check_words(f"sentence {number}", found)
        if found:
            yield found


def check_words(name, words):
    """ValueError if a word is not a text, or is empty."""
    if not all(isinstance(word, str) and word for word in words):
        raise ValueError(f"{name}: {words!r:.60} are no words; give texts that are not empty")


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
