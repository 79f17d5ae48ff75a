"""Checks of requests: browsers must use a name of this server, and come from its own pages.

A cookie goes to every port of a machine, and Streamlit compares names only: without this, a page of another server at
127.0.0.1 could open a session of the teacher's.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

AGAINST_RULES = 1008  # why a websocket is closed
_DEFAULT_PORTS = {"http": 80, "https": 443}


class OwnOrigin:
    """Middleware that refuses requests and websockets of other origins, ports included, and under foreign names.

    ``hosts`` are the names that the server may be called by, ``*.example.org`` and ``*`` included; none: any.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self.app, self._hosts = app, tuple(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        reason = refusal(Headers(scope=scope), self._hosts)
        if reason is None:
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            await receive()
            return await send({"type": "websocket.close", "code": AGAINST_RULES})
        await PlainTextResponse(reason, 403)(scope, receive, send)


def refusal(headers: Headers, hosts: tuple[str, ...]) -> str | None:
    """The reason to refuse a request; None for one of this server's own pages, of a link, or of no browser.

    >>> own = Headers({"host": "127.0.0.1:8501", "origin": "http://127.0.0.1:8501"})
    >>> refusal(own, ("127.0.0.1",))
    >>> refusal(Headers({"host": "127.0.0.1:8501", "origin": "http://127.0.0.1:3000"}), ("127.0.0.1",))
    'pages of http://127.0.0.1:3000 may not use this server'
    """
    given = headers.getlist("host")
    host = given[0] if len(given) == 1 else ""
    place = _host_and_port(f"//{host}")
    if place is None or (hosts and not any(_fits(place[0], wanted) for wanted in hosts)):
        return f"{host[:100]} is no name of this server: see --allow-host"
    origin = headers.get("origin")
    if origin is not None and not _is_same(origin, place):
        return f"pages of {origin[:100]} may not use this server"
    # Without an origin: what a page of another port or site embeds. Whoever follows a link navigates.
    if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
        return "pages of others may not use this server"
    return None


def _is_same(origin: str, place: tuple[str, int | None]) -> bool:
    """Whether a page's origin is the name and the port of the request."""
    default = _DEFAULT_PORTS.get(origin.partition(":")[0])
    from_page = _host_and_port(origin)
    if from_page is None or default is None:
        return False
    return (from_page[0], from_page[1] or default) == (place[0], place[1] or default)


def _host_and_port(address: str) -> tuple[str, int | None] | None:
    """Name and port of an address; None where it is none, or has more than these."""
    try:
        parts = urlsplit(address)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or "@" in parts.netloc or parts.path or parts.query or parts.fragment:
        return None
    return name.rstrip("."), port


def _fits(name: str, wanted: str) -> bool:
    """Whether a host has a name that is allowed."""
    wanted = wanted.strip().lower().rstrip(".")
    return wanted in ("*", name) or (wanted.startswith("*.") and name.endswith(wanted[1:]))
