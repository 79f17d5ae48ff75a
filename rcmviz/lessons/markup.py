"""Texts of lessons: a small part of Markdown as blocks and spans of JSON; the browser makes text nodes of them.

A block is ``["p", SPANS]``, ``["list", [SPANS, …]]``, ``["steps", [SPANS, …]]`` (numbered), ``["quote", SPANS]``,
``["math", SPANS]`` or ``["code", text]``. A span is a text, or ``["b", SPANS]``, ``["i", SPANS]``, ``["sub", text]``,
``["sup", text]``, ``["code", text]``, ``["value", text]`` or ``["value", text, [owner, name]]`` for a fact about a
name, ``["link", SPANS, address]``, ``["point", SPANS, target]``, ``["view", SPANS, {"page", "query"}]``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate, groupby
from typing import NoReturn

from rcmviz.lessons.expressions import parse_expression
from rcmviz.lessons.lesson import Text, Value
from rcmviz.lessons.links import parse_view
from rcmviz.lessons.points import check_target

Lines = list[tuple[int, str]]  # number in the file, text
Fail = Callable[[int, str], NoReturn]

_ITEMS = {"list": re.compile(r"[-*] +"), "steps": re.compile(r"\d+[.)] +"), "quote": re.compile(r"> ?")}
_REFUSED = re.compile(r"#{1,6} |\||!\[|<[a-zA-Z/!]")
_SPAN = re.compile(
    r"""\\(?P<escaped>[\\*`\[\]{}_$])
      | `(?P<code>[^`]+)`
      | \*\*(?P<b>(?!\s)(?:\\.|\*(?!\*)|[^*\\])+?(?<!\s))\*\*(?!\*)
      | \*(?P<i>(?!\s)(?:\\.|[^*\\])+?(?<!\s))\*(?![\w*])
      | \{(?P<shown>[^{}:]+):(?P<expression>[^{}]+)\}
      | \[(?P<said>[^\[\]]+)\]\((?P<target>[^()]*(?:\([^()]*\)[^()]*)*)\)
      | (?P<brace>[{}])""",
    re.VERBOSE | re.DOTALL,
)
_INDEX = re.compile(r"([_^])(?:\{([^{}]*)\}|([-−+]?\w+|\S))")
_END = re.compile(r"(?<=[.!?])[\"”’)]?\s+")


class Markup:
    """Reads the texts of one file; ``fail(line, message)`` reports errors."""

    def __init__(self, fail: Fail):
        self.fail = fail

    def read(self, lines: Lines) -> Text:
        """The text of these lines."""
        self.values, self.views, self.targets, self.sentences = [], [], [], []
        blocks = [block for part in self._groups(lines) for block in self._blocks(part)]
        return Text(blocks, *map(tuple, (self.values, self.views, self.targets, self.sentences)))

    def _groups(self, lines):
        """Lines that belong together: what stands between empty lines, or a block of code with its fences."""
        part, coded = [], False
        for number, line in lines:
            fence = line.startswith("```")
            if part and not coded and (fence or not line.strip()):
                yield part
                part = []
            if coded or line.strip():
                part.append((number, line))
            if coded and fence:
                yield part
                part = []
            coded ^= fence
        if coded:
            self.fail(part[0][0], "this block of code has no end: close it with ```")
        if part:
            yield part

    def _blocks(self, part):
        number, first = part[0]
        if first.startswith("```"):
            yield ["code", "\n".join(line for _, line in part[1:-1])]
        elif first.startswith("$$"):
            yield ["math", self._math(number, " ".join(line.strip() for _, line in part))]
        else:
            for kind, items in _runs(part):
                spans = [self._paragraph(item) for item in items]
                yield [kind, spans if kind in ("list", "steps") else spans[0]]

    def _math(self, number, text):
        if len(text) < 5 or not text.endswith("$$"):
            self.fail(number, "write a formula between $$ and $$, with an empty line before and after it")
        return _parse_indices(text[2:-2].strip())

    def _paragraph(self, lines):
        """The spans of a paragraph, or of one item of a list."""
        for number, line in lines:
            if found := _REFUSED.match(line):
                self.fail(number, f"{found[0].strip()!r} begins what lessons do not have: write paragraphs and lists")
        starts = [0, *accumulate(len(line) + 1 for _, line in lines)]
        text = "\n".join(line for _, line in lines)
        spans = self._spans(text, lambda at: lines[bisect_right(starts, at) - 1][0])
        self.sentences += [(said, lines[0][0]) for said in _END.split(plain_text(spans)) if said.strip()]
        return spans

    def _spans(self, text, line_of):
        """The spans of a text; ``line_of(place in it)`` is its line in the file."""
        spans, at = [], 0
        for found in _SPAN.finditer(text):
            spans.append(text[at : found.start()])
            spans.append(self._span(found, line_of))
            at = found.end()
        return _join_texts([*spans, text[at:]])

    def _span(self, found, line_of):
        line = line_of(found.start())
        if found["escaped"]:
            return found["escaped"]
        if found["code"]:
            return ["code", _one_line(found["code"])]
        kind = next((kind for kind in ("b", "i") if found[kind]), None)
        if kind:
            return [kind, self._spans(found[kind], lambda at: line_of(found.start(kind) + at))]
        if found["shown"]:
            shown = self._value(found, line)
            return ["code", shown.strip("`")] if shown.startswith("`") else ["value", shown, *self._about()]
        if found["said"]:
            said = self._spans(_one_line(found["said"]), lambda _: line)
            plain = len(said) == 1 and isinstance(said[0], str)
            return self._link(said[0] if plain else said, _one_line(found["target"]), line)
        self.fail(line, r"{ and } enclose a number, as in {83 %: rcms.confidence}; write \{ for the sign itself")

    def _value(self, found, line):
        shown = _one_line(found["shown"])
        try:
            self.values.append(Value(shown.strip("`"), parse_expression(_one_line(found["expression"])), line))
        except ValueError as error:
            self.fail(line, str(error))
        return shown

    def _about(self):
        """[Owner, name] of the last value if its only fact is about something with a name: a candidate, a reading."""
        facts = self.values[-1].expression.facts
        if len(facts) == 1 and facts[0].given and isinstance(facts[0].given[0], str):
            return [[facts[0].owner.split(":")[0], facts[0].given[0]]]
        return []

    def _link(self, said, target, line):
        try:
            if target.startswith("point:"):
                self.targets.append((check_target(target.removeprefix("point:").strip()), line))
                return ["point", said, self.targets[-1][0]]
            if target.startswith(("https://", "http://")):
                return ["link", said, target]
            view = parse_view(target)
        except ValueError as error:
            self.fail(line, str(error))
        self.views.append((view, line))
        return ["view", said, view.payload()]


def plain_text(spans: list) -> str:
    """The plain text of spans.

    >>> plain_text(["in ", ["b", ["round ", ["value", "4"]]]])
    'in round 4'
    """
    return "".join(
        span if isinstance(span, str) else span[1] if isinstance(span[1], str) else plain_text(span[1])
        for span in spans
    )


def _runs(part):
    """[(kind, items)] of the lines of a part, an item a list of lines; what continues an item belongs to it."""
    runs = []
    for number, line in part:
        kind = next((kind for kind, begins in _ITEMS.items() if begins.match(line)), None)
        text = (number, _ITEMS[kind].sub("", line, count=1).strip() if kind else line.strip())
        if runs and (kind is None or kind == runs[-1][0] == "quote"):
            runs[-1][1][-1].append(text)
        elif runs and kind == runs[-1][0]:
            runs[-1][1].append([text])
        else:
            runs.append((kind or "p", [[text]]))
    return runs


def _join_texts(spans):
    """Join neighbouring texts into one, on one line; leave out empty ones."""
    joined = []
    for is_text, group in groupby(spans, lambda span: isinstance(span, str)):
        if not is_text:
            joined += group
        elif text := "".join(group):
            joined.append(_without_line_ends(text))
    return joined


def _without_line_ends(text):
    """A text on one line: one blank for each line end and the blanks around it."""
    first, *others = text.split("\n")
    if not others:
        return text
    *between, last = others
    return " ".join([first.rstrip(), *filter(None, map(str.strip, between)), last.lstrip()])


def _one_line(text):
    return " ".join(text.split())


def _parse_indices(text):
    """A formula as spans: ``x_i`` and ``e^{a+b}`` have their indices and powers lower and higher."""
    spans, at = [], 0
    for found in _INDEX.finditer(text):
        spans += [text[at : found.start()], ["sub" if found[1] == "_" else "sup", found[2] or found[3]]]
        at = found.end()
    return _join_texts([*spans, text[at:]])
