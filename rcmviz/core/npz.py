"""Named arrays in one file, an npz without pickle: written whole or not at all, read with a message for each mishap."""

import errno
import json
import os
import secrets
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

# what numpy and zipfile raise where a byte is wrong; RuntimeError: "this file is encrypted"
UNREADABLE = (OSError, EOFError, ValueError, TypeError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error)


@contextmanager
def whole_file(path):
    """A binary file written beside ``path`` and then put in its place: a write that is cut off leaves the old file.

    OSError, with the name of the file, where it cannot be written.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        if path.exists() and not path.is_file():  # a device such as /dev/null would be replaced by a file
            raise OSError(errno.EINVAL, "not a file")
        with open(beside, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None  # by the name that was given
        raise


def write_npz(path, arrays, *, compressed=False):
    """Write ``{name: array}``, whole or not at all; OSError, with the name of the file, where it cannot be written."""
    with whole_file(path) as file:
        (np.savez_compressed if compressed else np.savez)(file, **arrays)


def read_npz(path, what, remedy):
    """``{name: array}`` of an npz file; ValueError where it is none, with ``what`` it should be and the ``remedy``."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except UNREADABLE as error:
        if zipfile.is_zipfile(path) and "pickle" in str(error).lower():
            raise ValueError(f"{path}: holds pickled objects, which could run code; rcmviz never loads them") from None
        fault = "no npz file, and pickles are never loaded" if "pickle" in str(error).lower() else error
        raise ValueError(f"{path}: not a readable {what} ({fault}); {remedy}") from None


def packed(text):
    """A text as an array of bytes: arrays of texts would give every one the length of the longest."""
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)


def unpacked(codes):
    """The text of ``packed``."""
    return bytes(codes).decode("utf-8", "surrogateescape")


def read_head(codes, kind, version):
    """The JSON of a packed ``head``; ValueError where its "format" and "version" are others."""
    head = json.loads(unpacked(codes))
    if (head["format"], head["version"]) != (kind, version):
        raise ValueError(f"it is a {head['format']} of version {head['version']}")
    return head


@contextmanager
def checked_parts(path, what, remedy):
    """While the arrays of a file are made into something: what is wrong with them, as a ValueError that names the file,
    ``what`` it should be and the ``remedy``.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        fault = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path}: not a {what} ({fault}); {remedy}") from None
