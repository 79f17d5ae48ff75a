"""Limits on connections, held before uvicorn reads them: how many, how long silent, how large a message.

A server that is out of files can neither accept a connection nor read a page, so there are fewer connections than the
files that the system allows. A silent connection is closed after a while, and at once if all places are taken and
a new one arrives.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from rcmviz.classroom.open_files import most_connections, most_websockets, raise_limit
from rcmviz.classroom.websocket_frames import MessageSizes, MessageTooLargeError

SILENT_SECONDS = 20.0  # until a connection is closed that is no websocket and has no byte, or no whole request, to say
LOOK_SECONDS = 2.0  # between two looks for silent connections
LONGEST_HEAD = 65_536  # bytes of a request's line and headers
LARGEST_MESSAGE = 8_000_000  # bytes of a websocket's message: a page with the largest pasted texts sends half of it
LARGEST = {"/class/live": 2_000, "/class/live/lead": 20_000}  # bytes of a class's messages, by the end of the path
_STREAM = "/_stcore/stream"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_TOO_LARGE = b"\x88\x02\x03\xf1"  # a frame that closes a websocket with code 1009


class Connections:
    """The connections of a server: ``most`` of them, of which ``most_live`` may be websockets."""

    def __init__(self, most: int, most_live: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._most_live, self.clock = most, most_live, clock
        self._heard: dict[Any, float] = {}  # connection → when it was heard, the longest silent first; no websockets
        self._live: set[Any] = set()

    def __len__(self) -> int:
        return len(self._heard) + len(self._live)

    def admit(self, connection: Any) -> bool:
        """Whether a new connection has a place; the longest silent one leaves its own where all are taken."""
        if len(self) >= self._most:
            if not self._heard:
                return False
            self._close(next(iter(self._heard)))
        self._heard[connection] = self.clock()
        return True

    def record_activity(self, connection: Any) -> None:
        """A connection has sent or received something; pings of uvicorn watch over websockets."""
        if self._heard.pop(connection, None) is not None:
            self._heard[connection] = self.clock()

    def become_live(self, connection: Any) -> bool:
        """A connection is a websocket from now on, if there is a place for one more."""
        if len(self._live) >= self._most_live or self._heard.pop(connection, None) is None:
            return False
        self._live.add(connection)
        return True

    def forget(self, connection: Any) -> None:
        """A connection is gone."""
        self._heard.pop(connection, None)
        self._live.discard(connection)

    def close_silent(self) -> None:
        """Close those that have been silent, or have not ended their first request, for too long."""
        now = self.clock()
        for connection, heard in list(self._heard.items()):
            if now - (heard if connection.has_asked else connection.began) > SILENT_SECONDS:
                self._close(connection)

    def _close(self, connection: Any) -> None:
        self.forget(connection)
        connection.abort()


class LimitedConnection(asyncio.Protocol):
    """The ``http`` option of uvicorn: its own protocol, within the limits of the ``Connections`` of this process."""

    connections: Connections | None = None
    _look: asyncio.TimerHandle | None = None

    def __init__(self, **options: Any) -> None:
        self._inner: Any = AutoHTTPProtocol(**options)
        self._transport: asyncio.Transport | None = None
        self._head, self._path, self._sizes = b"", "", MessageSizes(LARGEST_MESSAGE)
        self.is_live, self.has_asked, self.began = False, False, 0.0

    @classmethod
    def everybody(cls) -> Connections:
        """The connections of this process; the first call raises the limit on open files."""
        if cls.connections is None:
            files = raise_limit()
            cls.connections = Connections(most_connections(files), most_websockets(files))
        return cls.connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A browser has connected."""
        assert isinstance(transport, asyncio.Transport)
        everybody = self.everybody()
        self.began = everybody.clock()
        if not everybody.admit(self):
            _refuse(transport)
            return
        self._transport = transport
        self._keep_looking(asyncio.get_running_loop())
        self._inner.connection_made(_Transport(transport, self))

    def data_received(self, data: bytes) -> None:
        """Bytes of a request, or of a websocket."""
        if self._transport is None or self._transport.is_closing():
            return
        if self.is_live:
            try:
                self._sizes.feed(data)
            except MessageTooLargeError:
                self._transport.write(_TOO_LARGE)
                self._transport.close()
                return
        else:
            self.everybody().record_activity(self)
            if not self._read_head(data):
                self.abort()
                return
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """The browser sends nothing more."""
        return self._inner.eof_received() if self._transport else None

    def connection_lost(self, exc: Exception | None) -> None:
        """The browser is gone."""
        self.everybody().forget(self)
        if self._transport is not None:
            self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        """The browser reads more slowly than it is sent to."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """The browser has caught up."""
        self._inner.resume_writing()

    def abort(self) -> None:
        """Close now, whatever is on its way; a browser that waits for a first answer gets a refusal."""
        if self._transport is None:
            return
        if self.has_asked:
            self._transport.abort()
        elif not self._transport.is_closing():
            _refuse(self._transport)

    def become_websocket(self, protocol: asyncio.BaseProtocol) -> None:
        """uvicorn hands this connection over to its ``protocol`` of websockets."""
        self._inner = protocol
        if not self.everybody().become_live(self):
            if self._transport is not None:
                _refuse(self._transport)
            return
        self.is_live = True
        end = next((end for end in LARGEST if self._path.endswith(end)), None)
        # A path that is not certain, of a request that came with others, gets the smallest limit.
        largest = LARGEST[end] if end else LARGEST_MESSAGE if self._path.endswith(_STREAM) else min(LARGEST.values())
        self._sizes = MessageSizes(largest)

    def _read_head(self, data: bytes) -> bool:
        """Note which path a request asks for; False where its line and headers are too long."""
        self._head += data[: LONGEST_HEAD + 1]
        end = self._head.find(b"\r\n\r\n")
        if end < 0:
            is_too_long = len(self._head) > LONGEST_HEAD
            if is_too_long:
                self._head = b""
            return self.has_asked or not is_too_long
        is_alone = end + 4 == len(self._head)
        words = self._head.split(b"\r\n", 1)[0].split(b" ")
        self._path = words[1].partition(b"?")[0].decode("latin-1") if is_alone and len(words) == 3 else ""
        self._head, self.has_asked = b"", True
        return True

    @classmethod
    def _keep_looking(cls, loop: asyncio.AbstractEventLoop) -> None:
        """Look for silent connections as long as there are any."""
        if cls._look is not None:
            return

        def look() -> None:
            cls._look = None
            cls.everybody().close_silent()
            if len(cls.everybody()):
                cls._keep_looking(loop)

        cls._look = loop.call_later(LOOK_SECONDS, look)


def _refuse(transport: asyncio.Transport) -> None:
    """Say that there is no place, and close."""
    transport.write(_FULL)
    transport.close()


class _Transport(asyncio.Transport):
    """The transport for uvicorn: delegates to another one, except calls that pass through a ``LimitedConnection``."""

    def __init__(self, transport: asyncio.Transport, connection: LimitedConnection) -> None:
        super().__init__()
        self._transport, self._connection = transport, connection

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._connection.become_websocket(protocol)

    def write(self, data: Any) -> None:
        self._connection.everybody().record_activity(self._connection)
        self._transport.write(data)

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._transport.get_protocol()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def close(self) -> None:
        self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    def is_reading(self) -> bool:
        return self._transport.is_reading()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._transport.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._transport.get_write_buffer_limits()

    def can_write_eof(self) -> bool:
        return self._transport.can_write_eof()

    def write_eof(self) -> None:
        self._transport.write_eof()
