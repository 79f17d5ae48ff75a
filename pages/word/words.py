"""Kassel's words, where they are on this machine."""

import re
from functools import lru_cache

from pages.shell.errors import MissingData
from rcmviz.data import registry
from rcmviz.tasks.handwriting import letter_data


@lru_cache(maxsize=1)
def kassel_words():
    """Kassel's words; MissingData if they are not on this machine."""
    try:
        return tuple(letter_data.load_words())
    except ValueError as error:
        raise MissingData(str(error)) if registry.find("ocr") is None else error from None


def find_word(text):
    """The Word of Kassel's that ``text`` asks for: an index, letters, or letters and which of the words so spelled.

    ValueError where there is none, with what there is.
    """
    words = kassel_words()
    if (number := text.strip()).isdecimal():
        if len(number) > 9 or int(number) >= len(words):
            raise ValueError(f"there are {len(words):,} words; choose 0 to {len(words) - 1:,}, not {number[:9]}")
        return words[int(number)]
    asked = re.fullmatch(r"\s*([a-z]+)(?:\s+(\d{1,6}))?\s*", text.lower())
    same = [word for word in words if asked and word.letters == asked[1]]
    if not same:
        first = text.strip().lower()[:2]
        like = sorted({word.letters for word in words if word.letters.startswith(first)})[:5] if first else []
        like = like or sorted({word.letters for word in words})[:5]
        raise ValueError(
            f"no word is spelled {text.strip()!r}; there are for example {', '.join(like)}, or give an index"
        )
    number = int(asked[2] or 1)
    if not 1 <= number <= len(same):
        raise ValueError(f"{asked[1]!r} was written {len(same)} times; choose 1 to {len(same)}, not {number}")
    return same[number - 1]
