r"""The outline of an ARPA file: the counts that ``\data\`` declares and where the sections of n-grams stand.

>>> file = ArpaBytes("tiny", b"\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3 a\n-0.3 </s>\n\n\\end\\\n")
>>> outline = read_outline(file)
>>> outline.declared, [file.content[s.start : s.stop] for s in outline.sections]
((2,), [b'-0.3 a\n-0.3 </s>\n\n'])
"""

import re
from dataclasses import dataclass

from rcmviz.lm.arpa_bytes import ArpaBytes, quote_bytes
from rcmviz.lm.arpa_write import UNITS_LINE
from rcmviz.lm.text import TOKENS, UNITS
from rcmviz.lm.trie import MAX_ORDER

DATA, END = b"\\data\\", b"\\end\\"
MAX_ARPA = b"MAX-ARPA"  # a line before \data\ that begins so: each n-gram has four numbers (docs/language-models.md)
UNITS_NAMED = re.compile(rf"{UNITS_LINE} ({'|'.join(UNITS)})".encode())  # as rcmviz writes it
COUNT = re.compile(rb"ngram[ \t]+(\d{1,9})[ \t]*=[ \t]*(\d{1,18})")
SECTION = re.compile(rb"\\(\d)-grams:")


@dataclass(frozen=True)
class Section:
    r"""The n-grams of one ``order``: bytes ``[start, stop)`` behind the line ``\k-grams:``; ``at`` is that line, or the
    end of the file where a section without n-grams is missing."""

    order: int
    at: int
    start: int
    stop: int


@dataclass(frozen=True)
class Outline:
    r"""``declared`` counts by order and the line of each, ``at`` · ``sections`` of orders 1, 2, … · ``maxima``: whether
    it is a MAX-ARPA file · ``ended``: whether ``\end\`` closes it · ``stop`` where the last section ends · ``units``
    that texts are split into."""

    declared: tuple
    at: tuple
    sections: tuple
    maxima: bool
    ended: bool
    stop: int
    units: str


def read_outline(file: ArpaBytes):
    """The ``Outline`` of a file; ValueError names the line that is out of place and says what belongs there."""
    data = _data_line(file)
    header_lines = _header_lines(file, file.next_line_start(data))
    first = next(header_lines, (len(file.content), b""))
    declared, at = _declared_counts(file, file.next_line_start(data), first[0])
    sections, (last, mark) = _sections(file, len(declared), first, header_lines)
    for order in range(len(sections) + 1, len(declared) + 1):
        if declared[order - 1]:
            _refuse_missing(file, order, declared, at, last, mark)
        sections.append(Section(order, last, last, last))
    preamble = [line for _, line in file.lines(0, data)]
    maxima = any(line.startswith(MAX_ARPA) for line in preamble)
    named = [match[1].decode() for line in preamble if (match := UNITS_NAMED.fullmatch(line))]
    return Outline(declared, at, tuple(sections), maxima, mark == END, last, named[0] if named else TOKENS)


def _data_line(file):
    r"""The start of the line ``\data\``: toolkits write anything before it, also sentences that mention it."""
    at = file.content.find(DATA)
    while at >= 0:
        start = file.content.rfind(b"\n", 0, at) + 1
        if file.stripped_line(start) == DATA:
            return start
        at = file.content.find(DATA, file.next_line_start(at))
    begins = quote_bytes(file.stripped_line(0))
    file.fail(0, f"no line \\data\\ from here to the end; give an ARPA file, this one begins with {begins}")


def _header_lines(file, at):
    """All lines from ``at`` on that begin with a backslash: ``(start, line)``."""
    if not file.content.startswith(b"\\", at):
        at = file.content.find(b"\n\\", at - 1) + 1
    while at > 0:
        yield at, file.stripped_line(at)
        at = file.content.find(b"\n\\", at) + 1


def _declared_counts(file, start, stop):
    """The counts declared by order and where each is declared."""
    counts, places = [], []
    for at, line in file.lines(start, stop):
        match, due = COUNT.fullmatch(line), len(counts) + 1
        if not match:
            file.fail(at, f"{quote_bytes(line)} under \\data\\; counts stand there, such as ngram 1=1000")
        if int(match[1]) != due:
            file.fail(at, f"{quote_bytes(line)} where the count of order {due} is expected; number them 1, 2, …")
        if due > MAX_ORDER:
            file.fail(at, f"order {due}; models of up to {MAX_ORDER} are read: prune it to a lower order")
        counts.append(int(match[2]))
        places.append(at)
    if not counts:
        last = min(stop, len(file.content) - 1)
        file.fail(last, "\\data\\ declares no counts; write ngram 1=… under it for each order")
    return tuple(counts), tuple(places)


def _sections(file, order, mark, header_lines):
    r"""Sections 1, 2, … as they follow each other, and the mark behind them: ``(position, line)``, else ``b""``."""
    sections = []
    while mark[1] not in (END, b""):
        at, line = mark
        match, due = SECTION.fullmatch(line), len(sections) + 1
        expected = f"\\{due}-grams:" if due <= order else "\\end\\"
        if not match or int(match[1]) != due or due > order:
            file.fail(
                at, f"{quote_bytes(line)} where {expected} is expected; write the sections as \\data\\ declares them"
            )
        mark = next(header_lines, (len(file.content), b""))
        sections.append(Section(due, at, file.next_line_start(at), mark[0]))
    return sections, mark


def _refuse_missing(file, order, declared, at, last, mark):
    where = "\\end\\" if mark == END else "the end of the file"
    message = f"line {file.line(at[order - 1])} declares {declared[order - 1]:,} of them: copy or write the file again"
    file.fail(min(last, len(file.content) - 1), f"{where} where \\{order}-grams: is expected; {message}")
