"""Links of the application as lessons write them: a page, ``?`` and parameters, or a whole address of a browser."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

OF_LESSONS = ("lesson", "part")  # parameters that name the lesson shown with the view


@dataclass(frozen=True)
class View:
    """A link of the application: ``page``, its address, and the ``query``, its parameters by name."""

    page: str
    query: dict[str, str]

    def changed(self, changes: dict[str, str]) -> View:
        """The same page with other parameters."""
        return View(self.page, self.query | changes)

    def payload(self) -> dict[str, Any]:
        """The payload for the browser."""
        return {"page": self.page, "query": self.query}


def parse_view(text: str) -> View:
    """The View of a link; ValueError for a malformed link.

    >>> parse_view("step?word=exactly&pos=4")
    View(page='step', query={'word': 'exactly', 'pos': '4'})
    >>> parse_view("http://127.0.0.1:8501/ars?round=7&lesson=dogs&part=2").query
    {'round': '7'}
    """
    try:
        parts = urlsplit(text.strip())
    except ValueError:
        parts = urlsplit("")
    page = parts.path.rstrip("/").rsplit("/", 1)[-1]
    if parts.scheme in ("http", "https") and not page:
        page = "home"
    if not re.fullmatch(r"[a-z][a-z_]*", page) or (not parts.scheme and page != parts.path):
        raise ValueError(f"{text!r} is no link of the application: write a page and its parameters, step?word=exactly")
    return View(page, {name: value for name, value in parse_query(parts.query).items() if name not in OF_LESSONS})


def parse_query(text: str) -> dict[str, str]:
    """Parameters by name, as they stand behind the ``?`` of a link; ValueError where they cannot be read.

    >>> parse_query("word=exactly&pos=4")
    {'word': 'exactly', 'pos': '4'}
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True) if text else []
    except ValueError:
        raise ValueError(f"{text!r}: write parameters as in a link, pos=4&node=*ol") from None
    twice = next((name for name, count in Counter(name for name, _ in pairs).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"{text!r} has {twice!r} twice: keep one")
    return dict(pairs)
