"""How fast browsers may talk: so many messages at once, and so many a second in the long run."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_ADDRESSES = 2_000  # that are remembered


class Pace:
    """``pace`` messages a second in the long run, ``burst`` at once."""

    def __init__(self, pace: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace, self._burst, self._clock = pace, burst, clock
        self._left, self._seen = float(burst), clock()

    def allows_one_more(self) -> bool:
        """Whether another message, now, is not too many."""
        now = self._clock()
        self._left = min(self._burst, self._left + self._pace * (now - self._seen))
        self._seen = now
        is_allowed = self._left >= 1
        self._left -= is_allowed
        return is_allowed


class PacePerAddress:
    """A ``Pace`` for each address, of the latest ``MOST_ADDRESSES``."""

    def __init__(self, pace: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rule, self._paces = (pace, burst, clock), OrderedDict[str, Pace]()

    def allows_one_more(self, address: str) -> bool:
        """Whether another message of this address, now, is not too many."""
        pace = self._paces.setdefault(address, Pace(*self._rule))
        self._paces.move_to_end(address)
        if len(self._paces) > MOST_ADDRESSES:
            self._paces.popitem(last=False)
        return pace.allows_one_more()
