"""A limit on messages of a browser: a burst at once, and a rate per second in the long run."""

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
        return self.reserve(0.0) is not None

    def reserve(self, longest: float) -> float | None:
        """Seconds until another message is not too many, which is counted now; None, uncounted, for over ``longest``.

        >>> pace = Pace(2, 1, lambda: 0.0)
        >>> pace.reserve(0.5), pace.reserve(0.5), pace.reserve(0.5)
        (0.0, 0.5, None)
        """
        now = self._clock()
        self._left = min(self._burst, self._left + self._pace * (now - self._seen))
        self._seen = now
        wait = max(0.0, (1 - self._left) / self._pace)
        if wait > longest:
            return None
        self._left -= 1
        return wait


class PacePerAddress:
    """A ``Pace`` for each address, of the latest ``MOST_ADDRESSES``."""

    def __init__(self, pace: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rule, self._paces = (pace, burst, clock), OrderedDict[str, Pace]()

    def allows_one_more(self, address: str) -> bool:
        """Whether another message of this address, now, is not too many."""
        return self.reserve(address, 0.0) is not None

    def reserve(self, address: str, longest: float) -> float | None:
        """Seconds until another message of this address is not too many; see ``Pace.reserve``."""
        pace = self._paces.setdefault(address, Pace(*self._rule))
        self._paces.move_to_end(address)
        if len(self._paces) > MOST_ADDRESSES:
            self._paces.popitem(last=False)
        return pace.reserve(longest)
