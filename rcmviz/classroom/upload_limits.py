"""Limits on uploads, applied as their bytes arrive: the limit of the page, and that of all raw uploads.

Streamlit has one limit for all pages, and tells a page's own only to the browser. It keeps what arrives in memory until
the session ends, so that counts too.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")
_FRAMING = 65_536  # bytes of a request around the file
KEPT_SECONDS = 90.0  # after a session, until pages/shell/visitors.py has let Streamlit drop it
MEGABYTE = 1_048_576  # as Streamlit counts them


class UploadLimits:
    """Allowed and received bytes of each session; usable from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._gone = clock, dict[str, float]()  # session → when it was first seen to be over
        self._allowed: dict[str, int] = {}
        self._held: dict[str, dict[str, int]] = {}  # session → file → bytes
        self._lock = threading.Lock()

    def allow(self, session: str, megabytes: int) -> None:
        """Allow a session uploads of files of ``megabytes``, as its page has an uploader."""
        with self._lock:
            self._allowed[session] = max(megabytes * MEGABYTE, self._allowed.get(session, 0))

    def start_page(self, session: str) -> None:
        """A page of a session begins: its uploaders say again what they take."""
        with self._lock:
            self._allowed.pop(session, None)

    def allowed(self, session: str) -> int:
        """Bytes of a file that a session may upload; 0 where its page has no uploader."""
        return self._allowed.get(session, 0)

    def hold(self, session: str, file: str, size: int, most: int) -> bool:
        """Count ``size`` bytes of a file, unless all files would then have more than ``most``."""
        with self._lock:
            before = self._held.get(session, {}).get(file, 0)
            if self._total() - before + size > most:
                return False
            self._held.setdefault(session, {})[file] = size
            return True

    def drop(self, session: str, file: str) -> None:
        """A file is gone."""
        with self._lock:
            self._held.get(session, {}).pop(file, None)

    def forget(self, is_active: Callable[[str], bool]) -> None:
        """Forget the sessions that have been over for ``KEPT_SECONDS``: until then Streamlit keeps their files."""
        with self._lock:
            now, known = self._clock(), {*self._allowed, *self._held}
            self._gone = {one: self._gone.get(one, now) for one in known if not is_active(one)}
            for session in [one for one, since in self._gone.items() if now - since > KEPT_SECONDS]:
                self._allowed.pop(session, None)
                self._held.pop(session, None)

    @property
    def bytes(self) -> int:
        """Bytes held or being received."""
        with self._lock:
            return self._total()

    def _total(self) -> int:
        return sum(sum(files.values()) for files in self._held.values())


LIMITS = UploadLimits()


class UploadLimit:
    """Middleware that refuses an upload that is larger than its page states, or all of them than ``most()``."""

    def __init__(self, app: ASGIApp, most: Callable[[], int], limits: UploadLimits = LIMITS) -> None:
        self.app, self._most, self._limits = app, most, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        found = _PATH.search(scope["path"]) if scope["type"] == "http" else None
        if found is None or scope["method"] not in ("PUT", "DELETE"):
            return await self.app(scope, receive, send)
        session, file = found.groups()
        if scope["method"] == "DELETE":
            await self.app(scope, receive, send)
            return self._limits.drop(session, file)
        largest = self._limits.allowed(session)
        length = Headers(scope=scope).get("content-length", "")
        if not length.isdecimal():
            return await _refuse(scope, receive, send, 411, "say how large the file is: Content-Length")
        size = int(length[:18])
        if size > largest + _FRAMING:
            return await _refuse(scope, receive, send, 413, f"at most {largest // MEGABYTE} MB are read here")
        if not self._limits.hold(session, file, size, self._most()):
            return await _refuse(scope, receive, send, 507, "the uploads of all who are here take too much memory")
        status = 0

        async def send_noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        finally:
            if not 200 <= status < 300:
                self._limits.drop(session, file)


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    await PlainTextResponse(reason, status, headers={"Connection": "close"})(scope, receive, send)
