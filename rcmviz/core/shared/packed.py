"""Unpacking gzip with a limit: a few megabytes of a stranger's can unpack to gigabytes."""

import gzip
import io

MAX_UNPACKED = 500_000_000  # bytes


def unpacked_gzip(content, source, most=MAX_UNPACKED):
    """The bytes that gzip ``content`` packs; ValueError for more than ``most``, gzip's own errors where it is damaged.

    >>> unpacked_gzip(gzip.compress(b"abc"), "x.gz")
    b'abc'
    >>> unpacked_gzip(gzip.compress(b"abc"), "x.gz", most=2)
    Traceback (most recent call last):
    ValueError: x.gz: unpacked it is more than 2 bytes, the limit; take a part of it
    """
    with gzip.open(io.BytesIO(content)) as file:
        unpacked = file.read(most + 1)
    if len(unpacked) > most:
        raise ValueError(f"{source}: unpacked it is more than {most:,} bytes, the limit; take a part of it")
    return unpacked
