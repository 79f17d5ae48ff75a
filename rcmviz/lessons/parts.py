"""What a step shows: parts of a page by name, or a figure of its own; the browser finds parts (``lesson/parts.js``)."""

from __future__ import annotations

PARTS = (
    "settings",  # above the view
    "exports",  # below it
    "player",
    "sentence",
    "picture",
    "timeline",
    "details",
    "answer",
    "curves",
    "methods",
    "words",
    "mistakes",
    "measures",
    "weights",
    "pins",
    "cells",
    "contexts",
    "readouts",
    "keypad",
    "rounds",
    "messages",
    "queue",
    "frames",
    "outputs",
)
FIGURES = {  # the words after the name
    "letters": "",
    "scores": "at most one beginning",
    "sum": "one or more readings",
    "masses": "a number of readings, then further ones",
    "seen": "a method, then readings",
    "cipher": "",
}


def parse_parts(text: str) -> tuple[str, ...]:
    """The parts that a line ``show:`` names, separated by commas; ValueError names an unknown one.

    >>> parse_parts("settings, picture")
    ('settings', 'picture')
    """
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"{part!r} is no part of a page: write some of {', '.join(PARTS)}")
    if not parts:
        raise ValueError(f"no part is named: write some of {', '.join(PARTS)}")
    return parts


def parse_figure(text: str) -> tuple[str, ...]:
    """The name of a figure and the words after it; ValueError names the figures.

    >>> parse_figure("sum king, tiny")
    ('sum', 'king', 'tiny')
    """
    kind, *rest = text.split(maxsplit=1)
    if kind not in FIGURES:
        known = ", ".join(f"{name} ({words})" if words else name for name, words in FIGURES.items())
        raise ValueError(f"{kind!r} is no figure: write one of {known}")
    return kind, *(word.strip() for word in "".join(rest).split(",") if word.strip())
