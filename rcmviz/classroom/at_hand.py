"""Files that a browser keeps for good, from memory and compressed once: Streamlit's own scripts, styles and fonts.

A first view asks for 130 of them. Streamlit sends each through a chain of middlewares and, in pieces, through a pool of
threads, uncompressed.
"""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
_TEXT = (".js", ".css")
_CONDITIONS = ("range", "if-none-match", "if-modified-since")


class AtHand:
    """Middleware that answers for the files of ``folder``, whose names have a digest; all else passes.

    They stand below ``path``; what asks for a part of a file, or whether it has changed, passes too.
    """

    def __init__(self, app: ASGIApp, folder: Path, path: str) -> None:
        self.app, self._path = app, path
        files = (file for file in folder.rglob("*") if file.is_file())
        self._files = {file.relative_to(folder).as_posix(): file for file in files}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        await (self._answer(scope) or self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith(self._path):
            return None
        file = self._files.get(scope["path"][len(self._path) :])
        headers = Headers(scope=scope)
        if file is None or any(condition in headers for condition in _CONDITIONS):
            return None
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        if file.suffix not in _TEXT:
            return Response(_font(file), media_type=kind, headers=_HEADERS)
        return text_kept(headers, kind, file.read_bytes, lambda: _compressed(file))


def text_kept(headers: Headers, kind: str, plain: Callable[[], bytes], packed: Callable[[], bytes]) -> Response:
    """A text that a browser keeps for good: ``packed`` with gzip for one whose request says that it reads that."""
    if "gzip" not in headers.get("accept-encoding", ""):
        return Response(plain(), media_type=kind, headers=_HEADERS | {"Vary": "Accept-Encoding"})
    own = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(packed(), media_type=kind, headers=_HEADERS | own)


@lru_cache(maxsize=8)
def _font(file: Path) -> bytes:
    return file.read_bytes()


@cache  # 7 MB, were all of Streamlit's asked for
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6, mtime=0)
