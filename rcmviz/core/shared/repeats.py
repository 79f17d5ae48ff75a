"""Repeated names of a list."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Value = TypeVar("Value", bound=Hashable)


def first_repeated(values: Iterable[Value]) -> Value | None:
    """The first value that was there before; None if all differ.

    >>> first_repeated(["a", "b", "c", "b", "a"])
    'b'
    """
    seen: set[Value] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
