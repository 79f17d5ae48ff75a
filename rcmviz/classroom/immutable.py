"""A cache of answers that never change while a server runs: scripts, styles and fonts of Streamlit and of our views.

A first view asks for 200 of them, and Streamlit reads each from the disk, in pieces, through a pool of threads.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 32_000_000
_CONDITIONS = ("range", "if-none-match", "if-modified-since")


class ImmutableCache:
    """Middleware that keeps answers whose ``Cache-Control`` says ``immutable`` (RFC 8246), or only ``public``, as
    Streamlit says of a component's assets, ``max_bytes`` in all.

    An answer is kept by its path and by whether the request accepts gzip; requests with a query, for a part of a file
    or for news of it are passed on.
    """

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BYTES) -> None:
        self.app, self._free = app, max_bytes
        self._kept: dict[tuple[str, bool], tuple[Message, Message]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope.get("query_string"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        if any(condition in headers for condition in _CONDITIONS):
            return await self.app(scope, receive, send)
        key = scope["path"], "gzip" in headers.get("accept-encoding", "")
        if key in self._kept:
            for message in self._kept[key]:
                await send(message)
            return None
        noted: list[Message] = []

        async def send_and_note(message: Message) -> None:
            if noted or (message["type"] == "http.response.start" and _is_immutable(message)):
                noted.append(message)
            await send(message)

        await self.app(scope, receive, send_and_note)
        self._keep(key, noted)

    def _keep(self, key: tuple[str, bool], noted: list[Message]) -> None:
        if not noted or noted[-1]["type"] != "http.response.body" or noted[-1].get("more_body"):
            return
        start, *parts = noted
        body = b"".join(part.get("body", b"") for part in parts)
        if len(body) > self._free or key in self._kept:
            return
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-length"] = str(len(body))
        self._free -= len(body)
        self._kept[key] = start | {"headers": headers.raw}, {"type": "http.response.body", "body": body}


def _is_immutable(start: Message) -> bool:
    headers = Headers(raw=start.get("headers", []))
    varies = {name.strip().lower() for name in headers.get("vary", "accept-encoding").split(",")}
    is_public = "set-cookie" not in headers and varies == {"accept-encoding"}
    control = headers.get("cache-control", "")
    return start["status"] == 200 and is_public and (control == "public" or "immutable" in control)
