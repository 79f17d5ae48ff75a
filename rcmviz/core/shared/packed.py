"""Unpacking gzip with a limit: a few megabytes from outside can unpack to gigabytes."""

import gzip
import io
import zipfile
import zlib

MAX_UNPACKED = 500_000_000  # bytes
PIECE = 1 << 20


def unpack_gzip(content, source, most=MAX_UNPACKED):
    """The bytes that gzip ``content`` packs; ValueError for more than ``most``, gzip's own errors where it is damaged.

    >>> unpack_gzip(gzip.compress(b"abc"), "x.gz")
    b'abc'
    >>> unpack_gzip(gzip.compress(b"abc"), "x.gz", most=2)
    Traceback (most recent call last):
    ValueError: x.gz: unpacked it is more than 2 bytes, the limit; take a part of it
    """
    with gzip.open(io.BytesIO(content)) as file:
        unpacked = file.read(most + 1)
    if len(unpacked) > most:
        raise ValueError(f"{source}: unpacked it is more than {most:,} bytes, the limit; take a part of it")
    return unpacked


def count_unpacked_bytes(content, most):
    """The bytes that a gzip or a zip file unpacks to, else its own size; counting ends beyond ``most``.

    >>> count_unpacked_bytes(gzip.compress(bytes(1_000)), 10_000), count_unpacked_bytes(b"abc", 10)
    (1000, 3)
    """
    if content.startswith(b"PK"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                return sum(member.file_size for member in archive.infolist())
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            return len(content)
    if not content.startswith(b"\x1f\x8b"):
        return len(content)
    size = 0
    try:
        with gzip.open(io.BytesIO(content)) as file:
            while size <= most and (piece := file.read1(PIECE)):
                size += len(piece)
    except (EOFError, OSError, zlib.error):
        pass  # the reader reports the fault
    return max(size, len(content))
