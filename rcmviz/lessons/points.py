"""Targets of a step: a kind, and for most kinds a name; the browser finds it (``views/lesson/pointing.js``)."""

from __future__ import annotations

import re

OF_WORD = ("context", "candidate", "letter", "readout", "term", "mark")  # what the player of a word has
OF_VIEWS = ("curve", "slider", "row", "word", "line", "cell", "arc", "node", "sign", "method")  # what other views mark
NAMED = (*OF_WORD, *OF_VIEWS, "panel", "widget", "button", "tab", "css")
ALONE = ("position", "poster", "budget", "gold", "transport", "verdict", "heatmap", "strip", "card")
POINTS = NAMED + ALONE
LONGEST = 300  # characters: a step's targets are one line

_TARGET = re.compile(r'(?P<kind>[a-z]+)(?:\s+(?P<name>"[^"]*"|.+?))?(?:\s+of\s+(?P<of>\d))?')
_LIST = re.compile(r'(?:"[^"]*"|[^,"])+')


def parse_targets(text: str) -> tuple[str, ...]:
    """The targets that a line ``point:`` names, separated by commas; ValueError names a wrong one.

    >>> parse_targets('context *ol of 2, widget "Word, or letters", budget')
    ('context *ol of 2', 'widget "Word, or letters"', 'budget')
    """
    _check_length(text)
    if text.count('"') % 2:
        raise ValueError(f"{text!r}: a quotation mark is missing; enclose names with a comma in two")
    targets = (found[0].strip() for found in _LIST.finditer(text))
    return tuple(check_target(target) for target in targets if target)


def check_target(text: str) -> str:
    """Return the target; ValueError if it is malformed."""
    _check_length(text)
    found = _TARGET.fullmatch(text)
    kind, name = (found[1], found[2]) if found else (None, None)
    if kind not in POINTS:
        raise ValueError(f"{text!r} cannot be pointed at: begin with one of {', '.join(POINTS)}")
    if kind in NAMED and not name:
        raise ValueError(f"{text!r}: say which {kind}, for example {kind} {_EXAMPLES[kind]}")
    if kind in ALONE and name:
        raise ValueError(f"{text!r}: {kind} stands alone, without {name}")
    return text


def _check_length(text):
    if len(text) > LONGEST:
        raise ValueError(f"{text[:30]!r} … is {len(text):,} characters long: point with {LONGEST} at most")


def split_target(text: str) -> tuple[str, str | None, int | None]:
    """(Kind, name, number of the method from 1) of a target.

    >>> split_target('context *ol of 2')
    ('context', '*ol', 2)
    """
    found = _TARGET.fullmatch(text)
    name, of = found["name"], found["of"]
    return found["kind"], name and name.strip('"'), None if of is None else int(of)


_EXAMPLES = {
    "context": "*ol",
    "candidate": "*ac",
    "letter": "5",
    "readout": "root",
    "term": "window",
    "panel": "Contexts",
    "widget": '"Budget"',
    "button": '"Start"',
    "tab": "Precision",
    "css": ".rv-heat",
    "mark": "king",
    "curve": "log-likelihood",
    "slider": "threshold",
    "row": "F",
    "word": "2",
    "line": "3.4",
    "cell": "2.2",
    "arc": "1",
    "node": "ju",
    "sign": "F",
    "method": "2",
}
