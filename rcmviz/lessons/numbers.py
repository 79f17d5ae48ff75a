"""Numbers as lessons show them, compared with what the engine says at the digits that are shown."""

from __future__ import annotations

import math
import re
from typing import Any

_SHOWN = re.compile(
    r"(?P<sign>[−-]?)\s*(?P<whole>\d[\d,]*)(?P<decimals>\.\d+)?"
    r"(?:\s*(?:·|×)\s*10\^?(?P<power>[−-]?\d+))?\s*(?P<percent>%?)"
)
_SLACK = 1e-12  # what rounding may add to half a digit


def shows(shown: str, value: Any) -> bool:
    """Whether a text is how a lesson may show a value: a number rounded to the digits shown, else the same words.

    Parameters
    ----------
    shown : str
        As written in the text: ``"83 %"``, ``"−3.21"``, ``"1,204"``, ``"careless"``.
    value : str, float, int, bool or None
        What the engine says; a whole number is shown by all its digits.

    Returns
    -------
    bool
        Whether the number is right.

    Examples
    --------
    >>> shows("83 %", 0.8345), shows("83 %", 0.836), shows("4", 4), shows("4", 4.3)
    (True, False, True, True)
    """
    if value is None:
        return shown.strip() == "none"
    if isinstance(value, bool):
        return shown.strip() == ("true" if value else "false")
    if isinstance(value, str):
        return shown.strip() == value
    number = read_number(shown)
    if number is None or math.isnan(value):
        return False
    said, unit = number
    if isinstance(value, int) and unit == 1:
        return said == value
    return abs(said - value) <= unit / 2 + _SLACK * abs(value)


def read_number(shown: str) -> tuple[float, float] | None:
    """A number as people write it, with the size of its last digit; None for other text.

    >>> read_number("−1,204.5"), read_number("5 %"), read_number("five")
    ((-1204.5, 0.1), (0.05, 0.01), None)
    """
    found = _SHOWN.fullmatch(shown.strip())
    if not found:
        return None
    decimals = found["decimals"] or ""
    scale = 10.0 ** int((found["power"] or "0").replace("−", "-")) / (100 if found["percent"] else 1)
    number = float(found["whole"].replace(",", "") + decimals) * scale
    unit = 10.0 ** -len(decimals[1:]) * scale
    return (-number if found["sign"] else number), unit


def value_text(value: Any) -> str:
    """A value in a message: what the engine says instead."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else str(value)
