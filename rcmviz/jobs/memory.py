"""Memory that the work of all users may take together, beyond the server's own.

``rcmviz app --max-memory`` sets it in megabytes. Half of it is for trainings, a quarter each for uploads and
for cached results.
"""

import os
import threading
from collections import OrderedDict
from functools import cache, wraps

from rcmviz.jobs.training_task import bytes_held

VARIABLE = "RCMVIZ_MAX_MEMORY"  # of the environment: megabytes
USUAL = 2_000  # megabytes


@cache
def max_memory():
    """Bytes; ValueError where the environment says no number of megabytes."""
    asked = os.environ.get(VARIABLE, "").strip() or str(USUAL)
    if not asked.isdecimal() or int(asked) < 100:
        raise ValueError(f"{VARIABLE} is {asked!r}: write how many megabytes, 100 or more")
    return int(asked) * 1_000_000


def most_upload_bytes():
    """Bytes that all uploads may hold: as they arrived, and as they were read."""
    return max_memory() // 4


class BytesLimitedCache:
    """A cache of results up to ``most_bytes()`` in all; the least recently used go first.

    The newest value stays in any case, however large it is: its user reads it again.
    """

    def __init__(self, most_bytes):
        """``most_bytes()`` says how many."""
        self._most, self._kept, self._lock = most_bytes, OrderedDict(), threading.Lock()
        self._sizes, self._newest = {}, None

    def memoized(self, function):
        """The function, whose values are remembered by its arguments, which are hashable; ``function.is_kept(…)`` says
        whether the value for some is.
        """

        def key_of(given, named):
            return function, given, *sorted(named.items())

        @wraps(function)
        def remembered(*given, **named):
            key = key_of(given, named)
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            value = function(*given, **named)
            self._put(key, value)
            return value

        remembered.is_kept = lambda *given, **named: key_of(given, named) in self._kept
        return remembered

    def clear(self):
        """Forget all of it."""
        with self._lock:
            self._kept.clear()
            self._sizes.clear()

    @property
    def bytes(self):
        """Bytes of all values: each is measured when it is made, and again when the next one is, for it may grow."""
        return sum(self._sizes.values())

    def __len__(self):
        return len(self._kept)

    def _put(self, key, value):
        size, before = bytes_held(value), self._newest
        grown = bytes_held(self._kept.get(before))
        with self._lock:
            if before in self._kept:
                self._sizes[before] = grown
            self._kept[key], self._sizes[key], self._newest = value, size, key
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and self.bytes > self._most():
                del self._sizes[self._kept.popitem(last=False)[0]]


RESULT_CACHE = BytesLimitedCache(lambda: max_memory() // 4)
