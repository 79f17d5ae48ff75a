"""The glossary of the browser, ``glossary.js``, for pages and tests."""

import json
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent / "glossary.js"


@cache
def _entries():
    text = SOURCE.read_text(encoding="utf-8")
    return json.loads(text[text.index("{") : text.rindex("}") + 1])


@cache
def glossary():
    """Return ``{word: sentence}``, each word after those that its sentence uses."""
    return {word: entry["is"] for word, entry in _entries().items()}


def phrases_of(word):
    """Return the phrases that mean the word in a text: the word itself, unless it is also an everyday word.

    >>> phrases_of("gold"), "test fold" in phrases_of("fold")
    (('gold',), True)
    """
    return tuple(_entries()[word].get("only", (word,)))


def sentence_of(word):
    """Return the definition of a word as a sentence, for the help of a widget.

    >>> sentence_of("gold")
    'Gold: the right output, if it is known.'
    """
    return f"{word[:1].upper()}{word[1:]}: {glossary()[word]}"
