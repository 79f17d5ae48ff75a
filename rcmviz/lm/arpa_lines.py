r"""Lines of n-grams in an ARPA file: for messages and pages that point at them.

>>> text = b"\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3 a\n-0.3 </s>\n\n\\end\\\n"
>>> lines_of(ArpaBytes("tiny", text), [("</s>",), ("b",)])
{('</s>',): (6, '-0.3 </s>')}
"""

import re

from rcmviz.lm.arpa_bytes import ArpaBytes
from rcmviz.lm.arpa_outline import read_outline

BLANKS = rb"[ \t]+"
LONGEST = 200  # characters of a line that is shown


def lines_of(file: ArpaBytes, grams) -> dict:
    """``{n-gram: (line number, line as text)}`` of those that are listed; one pass over a section for each."""
    sections = {section.order: section for section in read_outline(file).sections}
    found = {}
    for gram in grams:
        section = sections.get(len(gram))
        match = section and _row_of(gram).search(file.content, section.start, section.stop)
        if match:
            found[gram] = file.line(match.start(1)), _decode_for_message(match[1])
    return found


def _decode_for_message(raw):
    return " ".join(raw.decode("utf-8", "replace").split())[:LONGEST]


def _row_of(gram):
    """A row is a number, the words, and perhaps further numbers."""
    words = BLANKS.join(re.escape(word.encode()) for word in gram)
    return re.compile(rb"^[ \t]*([^ \t\n]+[ \t]+" + words + rb"(?:[ \t\r][^\n]*)?)$", re.MULTILINE)
