"""What the server writes goes out at once, not when the browser has confirmed what came before.

Streamlit makes its socket without naming the protocol, and asyncio then leaves Nagle's algorithm on (uvicorn#3149): the
body of an answer waits until the browser confirms the head, which systems put off for 40 ms. Of a first view's 130
files each took 44 ms instead of 1, and messages of the websocket waited likewise.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any


def answer_at_once(loop: asyncio.AbstractEventLoop) -> None:
    """Switch Nagle's algorithm off on all sockets that this loop will serve; what they accept inherits it."""
    create = loop.create_server

    async def create_server(*args: Any, sock: socket.socket | None = None, **options: Any) -> asyncio.Server:
        if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return await create(*args, sock=sock, **options)

    loop.create_server = create_server  # type: ignore[method-assign]
