"""One limit on memory that holds for the server's process: it sheds its caches first, then refuses new work.

Counted is what the process takes beyond what it had when it was ready, caches of pages, uploads and all: budgets of
their own keep each of them small, and this holds where their sum is not. Processes that compute have a limit each.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rcmviz.jobs.memory import RESULT_CACHE, max_memory

LOOK_SECONDS = 2.0
FREE_SHARE = 0.9  # of the limit: new work is taken again below it
FULL = "the memory of this server is full; try again when others have left, or on your own computer"


class Watchdog:
    """Compare what ``measure()`` says with ``most()``, both in bytes; ``shed()`` gives back what can be made again."""

    def __init__(self, most: Callable[[], int], measure: Callable[[], int], shed: Callable[[], None]) -> None:
        self._most, self._measure, self._shed = most, measure, shed
        self._base: int | None = None
        self.is_full = False

    def start(self) -> None:
        """Take the present memory as the server's own, and measure regularly from now on."""
        self._base = self._measure()
        threading.Thread(target=self._watch, name="memory", daemon=True).start()

    @property
    def bytes(self) -> int:
        """Bytes taken beyond the server's own; 0 before ``start``."""
        return 0 if self._base is None else max(0, self._measure() - self._base)

    def look(self) -> None:
        """Shed what can be shed where too much is taken; note whether that was enough."""
        most = self._most()
        if self.bytes > most:
            self._shed()
        was_full, taken = self.is_full, self.bytes
        self.is_full = taken > (FREE_SHARE * most if was_full else most)
        if self.is_full != was_full:
            said = "new work is refused until some is free" if self.is_full else "new work is taken again"
            print(
                f"rcmviz: {taken // 1_000_000} of {most // 1_000_000} MB are taken: {said}", file=sys.stderr, flush=True
            )

    def check(self) -> None:
        """ValueError where no new work can be taken."""
        if self.is_full:
            raise ValueError(FULL)

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            with suppress(Exception):  # a look that fails must not be the last
                self.look()
            pause.wait(LOOK_SECONDS)


def resident_bytes() -> int:
    """Bytes of this process in memory; 0 on systems other than Linux."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def shed_caches() -> None:
    """Empty what pages keep so that they need not compute it again, and give the memory back to the system."""
    RESULT_CACHE.clear()
    for cached in _caches():
        cached.cache_clear()
    gc.collect()
    trim_heap()


def trim_heap() -> None:
    """Return free memory to the system: glibc keeps it in an arena for each thread that has run a page."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _caches() -> Iterator[Any]:
    """The functions of pages that ``functools.lru_cache`` wraps."""
    for name, module in list(sys.modules.items()):
        if not name.startswith("pages."):
            continue
        for value in list(vars(module).values()):
            limits = getattr(value, "cache_parameters", None)
            # One without a limit is small, and may be state.
            if getattr(value, "__module__", None) == name and limits is not None and limits()["maxsize"] is not None:
                yield value


WATCHDOG = Watchdog(max_memory, resident_bytes, shed_caches)
