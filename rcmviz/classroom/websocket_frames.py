"""Sizes of websocket messages, read from the headers of its frames (RFC 6455) before their content is."""

from __future__ import annotations

_MASK_BYTES = 4
_LENGTH_BYTES = {126: 2, 127: 8}
_CONTROL = 0x08  # frames between those of a message: ping, pong, close


class MessageTooLargeError(Exception):
    """A message has more bytes than its websocket may send."""


class MessageSizes:
    """Follow what a browser sends over a websocket; no message may have more than ``largest`` bytes, as they are sent.

    >>> sizes = MessageSizes(5)
    >>> sizes.feed(bytes([0x81, 0x85]) + bytes(4) + b"hello")
    >>> sizes.feed(bytes([0x81, 0x86]) + bytes(4))
    Traceback (most recent call last):
    rcmviz.classroom.websocket_frames.MessageTooLargeError: 6 bytes, the limit is 5
    """

    def __init__(self, largest: int) -> None:
        self._largest, self._header, self._content, self._message = largest, b"", 0, 0

    def feed(self, data: bytes) -> None:
        """Read the next bytes; MessageTooLargeError as soon as a header announces too many."""
        at = 0
        while at < len(data):
            skipped = min(self._content, len(data) - at)
            self._content -= skipped
            at += skipped
            while at < len(data) and not self._content:
                self._header += data[at : at + 1]
                at += 1
                if len(self._header) == _header_length(self._header):
                    self._begin_frame()

    def _begin_frame(self) -> None:
        header, self._header = self._header, b""
        self._content = _content_length(header)
        if header[0] & _CONTROL:
            size = self._content
        else:
            size = self._message = self._message + self._content
        if size > self._largest:
            raise MessageTooLargeError(f"{size:,} bytes, the limit is {self._largest:,}")
        is_last = header[0] & 0x80
        if is_last and not header[0] & _CONTROL:
            self._message = 0


def _header_length(header: bytes) -> int:
    """The bytes of a frame's header, once its first two are known; before, more than are there."""
    if len(header) < 2:
        return 2
    is_masked = header[1] & 0x80
    return 2 + _LENGTH_BYTES.get(header[1] & 0x7F, 0) + (_MASK_BYTES if is_masked else 0)


def _content_length(header: bytes) -> int:
    length = header[1] & 0x7F
    if length in _LENGTH_BYTES:
        return int.from_bytes(header[2 : 2 + _LENGTH_BYTES[length]], "big")
    return length
