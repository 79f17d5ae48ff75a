"""The words that explain themselves: ``glossary.js`` holds them for the browser, this reads it for pages and tests."""

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
    """``{word: sentence}``, in the order in which the words build on each other."""
    return {word: entry["is"] for word, entry in _entries().items()}


def phrases_of(word):
    """What a text has where the word is meant: itself, or the only phrases in which it is no everyday word.

    >>> phrases_of("gold"), "test fold" in phrases_of("fold")
    (('gold',), True)
    """
    return tuple(_entries()[word].get("only", (word,)))


def sentence_of(word):
    """What a word means, as a sentence of its own: the help of a widget.

    >>> sentence_of("gold")
    'Gold: the right output, if it is known.'
    """
    return f"{word[:1].upper()}{word[1:]}: {glossary()[word]}"
