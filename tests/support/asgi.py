"""A client of an ASGI application, without a server."""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from starlette.datastructures import Headers


class Client:
    """Asks an application."""

    def __init__(self, app):
        self._app = app

    def get(self, path, method="GET", **headers):
        """The status, the headers and the unpacked body of an answer."""
        with ThreadPoolExecutor(1) as pool:  # a loop in this thread would be in the way of the browser's
            return pool.submit(asyncio.run, self._ask(path, method, headers)).result()

    async def _ask(self, path, method, headers):
        path, _, query = path.partition("?")
        headers = {"accept_encoding": "gzip"} | headers
        given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": given}
        sent = []

        async def receive():
            await asyncio.sleep(60)

        async def send(message):
            sent.append(message)

        await self._app(scope, receive, send)
        found, body = Headers(raw=sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])
        is_packed = found.get("content-encoding") == "gzip" and method == "GET"
        content = gzip.decompress(body) if is_packed else body
        return SimpleNamespace(status=sent[0]["status"], headers=found, content=content)
