"""Headers that the pages of the server have, whoever makes them; other answers pass as they are."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class OnPages:
    """Middleware that lets ``add_headers`` see the headers of every page before they are sent."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def add_headers(self, headers: MutableHeaders, scope: Scope) -> None:
        """Add what the page of this request has."""
        raise NotImplementedError

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    self.add_headers(headers, scope)
            await send(message)

        await self.app(scope, receive, send_with_headers)
