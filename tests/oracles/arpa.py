r"""Read ARPA files slowly, line by line, by their definition (docs/language-models.md), without importing rcmviz.

``read(content)`` is a ``Reading``: n-grams as tuples of words with their numbers as written (log10). ``Broken``
where the definition is not met. A file is a preamble, ``\data\``, counts, sections ``\1-grams:`` … and ``\end\``.
"""

import re
from dataclasses import dataclass

NUMBER = re.compile(rb"[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,9})?|inf)", re.IGNORECASE)
MAX_ORDER, LARGEST = 9, 1e5


class Broken(ValueError):
    """The file is no ARPA file, or an incomplete one."""


@dataclass(frozen=True)
class Reading:
    """``sections``: per order {n-gram: numbers as written, the log10 probability first}; ``declared`` counts."""

    declared: tuple
    sections: tuple
    maxima: bool


def read(content):
    """The ``Reading`` of the bytes of a file that is not packed."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    need(b"\0" not in content and not re.search(rb"\r(?!\r*(\n|$))", content), "stray bytes")
    lines = [line.strip(b" \t\r") for line in content.split(b"\n")]
    need(b"\\data\\" in lines, "no data")
    start = lines.index(b"\\data\\")
    maxima = any(line.startswith(b"MAX-ARPA") for line in lines[:start])
    rest = Lines(content, start + 1)
    declared = read_counts(rest)
    need(declared and declared[0] > 0, "no counts")
    sections = [read_section(rest, k, len(declared), maxima) for k in range(1, len(declared) + 1)]
    check_end(rest, declared, sections)
    known = {gram[0] for gram in sections[0]}
    need(all(word in known for section in sections for gram in section for word in gram), "a word is no 1-gram")
    return Reading(declared, tuple(sections), maxima)


class Lines:
    """Reads the lines of a file, without blank ones."""

    def __init__(self, content, start):
        self.raw, self.place = content.split(b"\n"), start
        self.whole = content.endswith(b"\n")

    def ahead(self):
        """Return the next line that is not blank, without advancing; b"" after the last one."""
        while self.place < len(self.raw) and not self.raw[self.place].strip(b" \t\r"):
            self.place += 1
        return self.raw[self.place].rstrip(b" \t\r") if self.place < len(self.raw) else b""

    def take(self):
        """Return the next line that is not blank, and advance."""
        line = self.ahead()
        self.place += 1
        return line


def need(condition, message):
    """Raise Broken unless the condition holds."""
    if not condition:
        raise Broken(message)


def read_counts(lines):
    """The counts under the data line, numbered 1, 2, …"""
    counts = []
    while lines.ahead() and not lines.ahead().startswith(b"\\"):
        match = re.fullmatch(rb"ngram[ \t]+([0-9]{1,9})[ \t]*=[ \t]*([0-9]{1,18})", lines.take().strip(b" \t"))
        need(match and int(match[1]) == len(counts) + 1, "counts")
        counts.append(int(match[2]))
    need(len(counts) <= MAX_ORDER, "order")
    return tuple(counts)


def read_section(lines, order, highest, maxima):
    """{n-gram: numbers} of one section; one without n-grams may be missing at the end."""
    section = {}
    if lines.ahead() in (b"", b"\\end\\"):
        return section
    need(re.fullmatch(rb"\\%d-grams:" % order, lines.take()), "section")
    while lines.ahead() and not lines.ahead().startswith(b"\\"):
        gram, numbers = read_line(lines.take(), order, 4 if maxima else 2)
        need(gram not in section, "twice")
        need(not maxima or order == highest or len(numbers) == 4, "columns")
        section[gram] = numbers
    return section


def read_line(line, order, columns):
    """(n-gram, numbers) of a line."""
    fields = [field for field in re.split(rb"[ \t\r]+", line) if field]
    need(order < len(fields) <= order + columns, "fields")
    raw = [fields[0], *fields[order + 1 :]]
    need(all(NUMBER.fullmatch(number) for number in raw), "number")
    numbers = tuple(map(float, raw))
    need(numbers[0] <= 0 and all(x <= LARGEST and not -float("inf") < x < -LARGEST for x in numbers), "range")
    try:
        return tuple(word.decode() for word in fields[1 : order + 1]), numbers
    except UnicodeDecodeError:
        raise Broken("not UTF-8") from None


def check_end(lines, declared, sections):
    r"""Check that all declared n-grams exist; ``\end\`` may be missing, the last line end may not."""
    need(lines.ahead() in (b"", b"\\end\\"), "a line behind the sections")
    need(lines.ahead() or lines.whole, "cut off")
    need(declared == tuple(map(len, sections)), "counts differ")
