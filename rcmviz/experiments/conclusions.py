"""Conclusions of tables: sentences and verdicts computed from their numbers, each true, false or tied."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from rcmviz.experiments import tables

HEADS = ("claim", "measured", "holds")
VERDICTS = {True: "yes", False: "**no**", None: "undecided"}
TIED = "tied"
LINEAR = 0.95  # R² from which a growth counts as linear

Key = TypeVar("Key", bound=Hashable)


def verdict(true: bool | str | None) -> str:
    """The last cell of a claim: holds, does not, undecided (None), or another word, such as ``TIED``."""
    return true if isinstance(true, str) else VERDICTS[None if true is None else bool(true)]


def claims_table(claims: Iterable[Sequence]) -> str:
    """A table in Markdown of ``(claim, what was measured, whether it holds)``."""
    return tables.markdown_table(HEADS, [[*texts, verdict(true)] for *texts, true in claims])


def above(one: float | None, other: float | None, digits: int = 3) -> bool | str | None:
    """Whether ``one`` is above ``other`` as both are shown; ``TIED`` if they look the same, None if one is absent.

    >>> above(0.9281, 0.9206, 4), above(0.92, 0.9204), above(None, 0.5)
    (True, 'tied', None)
    """
    if one is None or other is None:
        return None
    first, second = (round(value, digits) for value in (one, other))
    return TIED if first == second else first > second


def best_keys(values: Mapping[Key, float], digits: int = 3) -> list[Key]:
    """The keys of the highest value as it is shown: several where they are tied.

    >>> best_keys({3: 0.9301, 4: 0.931, 6: 0.9312})
    [4, 6]
    """
    shown = {key: round(value, digits) for key, value in values.items()}
    highest = max(shown.values())
    return [key for key, value in shown.items() if value == highest]


def list_words(words: Iterable) -> str:
    """Words as a sentence lists them.

    >>> list_words([3]), list_words([3, 4]), list_words([3, 4, 6])
    ('3', '3 and 4', '3, 4 and 6')
    """
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def linear_fit(places: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """``(slope, R²)`` of the line that fits ``values`` best; R² is 1 where they are all the same.

    >>> linear_fit([3, 4, 5], [1.0, 2.0, 3.0])
    (1.0, 1.0)
    """
    slope, start = np.polyfit(places, values, 1)
    left, spread = np.array(values) - (slope * np.array(places) + start), float(np.var(values))
    return round(float(slope), 6), round(float(1 - left.var() / spread), 6) if spread else 1.0


def growth(places: Sequence[float], values: Sequence[float]) -> float:
    """The factor per step of the exponential that fits ``values`` best, by least squares on the logs.

    >>> growth([3, 4, 5], [1.0, 10.0, 100.0])
    10.0
    """
    return round(float(np.exp(np.polyfit(places, np.log(values), 1)[0])), 6)


def is_linear(places: Sequence[float], values: Sequence[float]) -> bool:
    """Whether ``values`` grow, and a line fits them with an R² of ``LINEAR``."""
    slope, fit = linear_fit(places, values)
    return slope > 0 and fit >= LINEAR


def bends(places: Sequence[float], values: Sequence[float]) -> str | None:
    """The trend of growing ``values``: "slower", "faster" or "the same", by the mean slopes of both halves.

    "falls" where they do not grow, None for fewer than three of them.

    >>> bends([1, 2, 3], [1, 5, 6]), bends([1, 2, 3], [1, 2, 6]), bends([1, 2, 3], [1, 2, 3]), bends([1, 2], [1, 2])
    ('slower', 'faster', 'the same', None)
    """
    if len(values) < 3:
        return None
    if values[-1] <= values[0]:
        return "falls"
    middle = len(values) // 2
    first, second = (
        (values[end] - values[start]) / (places[end] - places[start]) for start, end in ((0, middle), (middle, -1))
    )
    if np.isclose(first, second):
        return "the same"
    return "slower" if second < first else "faster"
