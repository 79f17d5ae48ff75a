"""Named arrays in one file, an npz without pickle: written whole or not at all, read with a message for each mishap."""

import json
import math
import os
import tokenize
import zipfile
import zlib
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared.whole_file import whole_file

MAX_INFLATED = 1_000_000_000  # bytes of the arrays of a compressed file; larger ones are written as they are
MAX_ARRAYS = 10_000
PIECE = 1 << 20
KINDS = "biufcSU"  # of arrays: numbers, texts

# what numpy and zipfile raise where a byte is wrong; RuntimeError: "this file is encrypted", and nesting too deep
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    MemoryError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
# what comes of parts that do not fit
UNFIT = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)


def write_npz(path, arrays, *, compressed=False):
    """Write ``{name: array}``, whole or not at all; OSError, with the name of the file, where it cannot be written.

    More than ``MAX_INFLATED`` bytes are never compressed: ``read_npz`` would refuse to unpack them.
    """
    small = sum(np.asarray(array).nbytes for array in arrays.values()) < MAX_INFLATED // 2
    with whole_file(path) as file:
        (np.savez_compressed if compressed and small else np.savez)(file, **arrays)


def read_npz(path, what, remedy):
    """``{name: array}`` of an npz file; ValueError where it is none, with ``what`` it should be and the ``remedy``.

    All arrays are of native byte order and contiguous. What they take is held against the file's size before any
    memory is taken.
    """
    try:
        with open(path, "rb") as file:
            return arrays_of(file, os.fstat(file.fileno()).st_size)
    except PickledError:
        raise ValueError(f"{path}: holds pickled objects, which could run code; rcmviz never loads them") from None
    except UNREADABLE as error:
        if isinstance(error, OSError) and error.filename is not None:  # it could not even be opened
            raise ValueError(f"{path}: {error.strerror}; give the path of a file that can be read") from None
        raise ValueError(f"{path}: not a readable {what} ({error_text(error)}); {remedy}") from None


def arrays_of(file, size):
    """The arrays of an open npz file of ``size`` bytes; ``PickledError`` for objects, one of ``UNREADABLE`` else."""
    if not zipfile.is_zipfile(file):
        raise ValueError("no npz file, and pickles are never loaded")
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_sizes(members, size)
        return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}


class PickledError(ValueError):
    """An array holds objects, which only pickle could read."""


def error_text(error):
    """The message of an error, or its name if empty."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    return str(error) or type(error).__name__


def _check_sizes(members, size):
    """ValueError where members promise more than a file of ``size`` bytes can hold, or too much when unpacked."""
    if len(members) > MAX_ARRAYS:
        raise ValueError(f"{len(members):,} arrays, the limit is {MAX_ARRAYS:,}")
    plain = [member for member in members if member.compress_type == zipfile.ZIP_STORED]
    if sum(member.file_size for member in plain) > size:
        raise ValueError("its arrays are larger than the file")
    inflated = sum(member.file_size for member in members) - sum(member.file_size for member in plain)
    if inflated > MAX_INFLATED:
        raise ValueError(f"its arrays take {inflated:,} bytes unpacked, the limit is {MAX_INFLATED:,}")


def _array(archive, member):
    try:
        with archive.open(member) as stream:
            return read_array(stream, member.file_size)
    except PickledError:
        raise
    except UNREADABLE as error:
        raise ValueError(f"{member.filename}: {error_text(error)}") from None


class _Header(NamedTuple):
    """The header of an array."""

    shape: tuple
    by_columns: bool
    dtype: np.dtype


def read_array(stream, size):
    """The array in a stream of ``size`` bytes in numpy's format, native and contiguous.

    Its shape and type are held against ``size`` before memory is taken. ``PickledError`` for objects, one of
    ``UNREADABLE`` otherwise.
    """
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):  # a later one is for structures with names of their own
        raise ValueError(f"an array of version {version}")
    head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    header = _Header(*head(stream))
    shape, dtype = header.shape, header.dtype
    if dtype.hasobject:
        raise PickledError("pickled objects")
    if dtype.kind not in KINDS or dtype.subdtype is not None:
        raise ValueError(f"its values are {dtype}; numbers or texts were expected")
    wanted = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or wanted > size or (dtype.itemsize == 0 and math.prod(shape) > 1):
        raise ValueError(f"its shape {shape} of {dtype} is more than the file holds")
    content = np.empty(wanted, np.uint8)
    _fill(memoryview(content), stream)
    if stream.read(1):  # which reads on to the check sum, too
        raise ValueError(f"it is longer than its shape {shape}")
    array = np.ndarray(shape, dtype, content if wanted else None, order="F" if header.by_columns else "C")
    found = np.ascontiguousarray(array, dtype.newbyteorder("=")).reshape(shape)
    if dtype.kind == "U" and found.size and not _are_texts(found):
        raise ValueError("its texts hold numbers that are no characters")
    return found


def _are_texts(array):
    """Whether all the codes of an array of texts are characters: Python makes no text of others."""
    codes = array.reshape(-1).view(np.uint32)
    return bool(np.all((codes < 0xD800) | ((codes > 0xDFFF) & (codes <= 0x10FFFF))))


def _fill(view, stream):
    """Read a stream into all of a memory, piece by piece: nothing of its size is held twice."""
    at = 0
    while at < len(view):
        read = stream.readinto(view[at : at + PIECE])
        if not read:
            raise ValueError("cut short")
        at += read


def pack_text(text):
    """A text as an array of bytes: arrays of texts would give every one the length of the longest."""
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)


LOW = "_low"  # ends the name of what an array in single precision lacks of one in double precision


def split_precision(arrays):
    """Arrays in single precision, and under names of their own what they lack of double precision, if anything."""
    found = {name: array.astype(np.float32) for name, array in arrays.items()}
    rest = {f"{name}{LOW}": array - found[name] for name, array in arrays.items()}
    return found | {name: low for name, low in rest.items() if low.any()}


def join_precision(arrays, name):
    """The array that ``split_precision`` wrote, in double precision; ValueError for parts that do not fit together."""
    high, low = arrays[name], arrays.get(f"{name}{LOW}")
    if high.dtype != np.float32:
        raise ValueError(f"{name} is of type {high.dtype}, not float32")
    if low is not None and low.dtype != np.float64:
        raise ValueError(f"{name}{LOW} is of type {low.dtype}, not float64")
    if low is not None and low.shape != high.shape:
        raise ValueError(f"{name} has the shape {high.shape}, {name}{LOW} {low.shape}: they do not fit each other")
    return high.astype(np.float64) if low is None else high + low


def head_text(head):
    """The metadata of a file, as JSON; ValueError if a user's info has values that JSON cannot hold.

    >>> head_text({"info": {"made": object}})
    Traceback (most recent call last):
    ValueError: info: a file keeps texts, numbers, lists and dicts by name only
    (Object of type type is not JSON serializable)
    """
    try:
        return json.dumps(head)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"info: a file keeps texts, numbers, lists and dicts by name only ({error})") from None


def unpack_text(codes):
    """The text that ``pack_text`` packed; ValueError for another array."""
    if codes.dtype != np.uint8 or codes.ndim != 1:
        raise ValueError(f"a text is kept as bytes, here it is {codes.dtype} of shape {codes.shape}")
    return bytes(codes).decode("utf-8", "surrogateescape")


def read_head(codes, kind, version):
    """The JSON of a packed ``head``; ValueError where its "format" and "version" are others."""
    head = json.loads(unpack_text(codes))
    if not isinstance(head, dict):
        raise ValueError("its head is no dict")
    if (head["format"], head["version"]) != (kind, version):
        raise ValueError(f"it is a {head['format']} of version {head['version']}")
    return head


@contextmanager
def check_parts(path, what, remedy):
    """Convert faults in the arrays of the file ``path`` to a ValueError that names it,
    ``what`` it should be and the ``remedy``.
    """
    try:
        yield
    except UNFIT as error:
        fault = f"it has no {error}" if isinstance(error, KeyError) else error_text(error)
        raise ValueError(f"{path}: not a {what} ({fault}); {remedy}") from None
