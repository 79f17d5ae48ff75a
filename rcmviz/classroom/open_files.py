"""Limits on open files, and so on the connections of a server."""

from __future__ import annotations

import asyncio
import errno
import sys
import time
from collections.abc import Callable
from typing import Any

MOST_FILES = 8_192  # as many as the limit is raised to, where the system allows
MOST_CONNECTIONS = 2_000
OWN_FILES = 64  # what the server opens besides connections: modules, pipes to its workers, uploads
MANY_FILES = MOST_FILES  # where the system has no limit that Python knows of (Windows)
NOTE_SECONDS = 60.0  # between two notes that the system has no file left


def raise_limit() -> int:
    """Raise the limit on open files as far as the system allows, to ``MOST_FILES`` at most; return the limit."""
    try:
        import resource
    except ImportError:  # Windows
        return MANY_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        except (OSError, ValueError):  # macOS allows fewer than it says
            pass
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def backlog(files: int) -> int:
    """The number of connections that may wait to be accepted; asyncio accepts all of them at once.

    >>> backlog(256), backlog(1_024), backlog(8_192)
    (16, 64, 512)
    """
    return max(1, min(512, files // 16))


def most_connections(files: int) -> int:
    """The number of connections that fit, with files left for the server and for connections being accepted.

    >>> most_connections(256), most_connections(1_024), most_connections(8_192)
    (144, 768, 2000)
    """
    return max(8, min(MOST_CONNECTIONS, files - OWN_FILES - 3 * backlog(files)))


def most_websockets(files: int) -> int:
    """The number of connections that may be websockets; the others are for requests.

    >>> most_websockets(256), most_websockets(1_024), most_websockets(8_192)
    (126, 672, 1750)
    """
    return most_connections(files) * 7 // 8


def note_lack(clock: Callable[[], float] = time.monotonic) -> Callable[[Any, dict[str, Any]], None]:
    """A handler of exceptions for an event loop: one line a minute where no file is left, not a traceback per try."""
    noted = [-NOTE_SECONDS]

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            return loop.default_exception_handler(context)
        if clock() - noted[0] >= NOTE_SECONDS:
            noted[0] = clock()
            print("rcmviz: no file is left for new connections; see ulimit -n", file=sys.stderr, flush=True)

    return handle
