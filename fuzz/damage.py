"""Damage of inputs: changed bytes, changed parts of JSON, changed arrays of an npz with correct check sums."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

NUMBERS = (
    "0",
    "-1",
    "1",
    "-0",
    "0.5",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "1e16",
    "-1e16",
    "nan",
    "inf",
    "-inf",
    "NaN",
    "9" * 30,
    "9" * 5_000,
    "2147483648",
    "9223372036854775808",
    "-9223372036854775809",
    "0x10",
    "1_000",
    "٣",
    "²",
    "",
    "00000000000001",
    "1e400",
    "+5",
    "-99",
    "1,5",
    " 3",
)
PIECES = (
    b"\0",
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n",
    b"\n\n\n",
    b"\t",
    b" ",
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"\x93NUMPY",
    b'"',
    b"'",
    b"`",
    b"`" * 400,
    b"{",
    b"}",
    b"[",
    b"]",
    b"[" * 3_000,
    b"{" * 2_000,
    b'{"a":' * 2_000,
    b"(" * 500,
    b",",
    b",,",
    b"-",
    b":",
    b".",
    b"/",
    b"\\",
    b"%",
    b"%00",
    b"%ff",
    b"*",
    b"?",
    b"*?" * 60,
    b"#",
    b"<s>",
    b"</s>",
    b"<unk>",
    b"&",
    b"=",
    b"|",
    b"\xc3\xa9",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b"\xe2\x80\x8b",
    b"\xcc\x81",
    b"\xed\xa0\x80",
    b"a" * 6_000,
    b"null",
    b"true",
    b"None",
    b"../../etc/passwd",
    b"<script>",
    b"${x}",
    b"{{x}}",
    b"\x1b[2J",
)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?")
LONGEST = 200_000  # bytes of an input
ODD = (
    None,
    -1,
    0,
    1,
    2,
    0.5,
    -0.0,
    1e10,
    -1e16,
    1e308,
    -1e308,
    2**31,
    2**63,
    2**64,
    -(2**63),
    10**40,
    -(10**400),
    "",
    "x",
    "é",
    "\0",
    "a" * 3_000,
    [],
    {},
    [[]],
    [1],
    [None],
    [[1], [1, 2]],
    [[[]]],
    {"a": 1},
    True,
    False,
    float("inf"),
    -float("inf"),
    float("nan"),
    ["a", "a"],
    "*",
    "^",
    "\ud800",
)
KINDS = (">i4", ">i8", "<i8", "<i4", "<i2", "u1", "u8", "f2", "f4", "f8", ">f4", ">f8", "?", "c16", "U3", "S3")


def of_bytes(*words: bytes) -> Callable[[Random, list[bytes]], bytes]:
    """Damage bytes; ``words`` are what its readers look for."""
    pieces = (*PIECES, *words, *words)  # the latter twice as often

    def damage(random: Random, samples: list[bytes]) -> bytes:
        content = bytearray(random.choice(samples))
        for _ in range(random.choice((1, 1, 2, 3, 6))):
            _change_bytes(random, content, samples, pieces)
        return bytes(content[:LONGEST])

    return damage


def _change_bytes(random, content, samples, pieces):
    at = random.randint(0, len(content))
    stop = min(len(content), at + random.choice((1, 1, 2, 8, 50, 1_000)))
    kind = random.randrange(9)
    if kind == 0 and content:
        content[min(at, len(content) - 1)] = random.randrange(256)
    elif kind == 1:
        content[at:at] = random.choice(pieces)
    elif kind == 2:
        del content[at:stop]
    elif kind == 3:
        content[at:at] = content[at:stop] * random.choice((1, 2, 30))
    elif kind == 4:
        other = random.choice(samples)
        begin = random.randint(0, len(other))
        content[at:stop] = other[begin : begin + random.choice((1, 8, 50, 1_000))]
    elif kind == 5:
        del content[at:]
    elif kind == 6:
        content[at:stop] = random.choice(pieces)
    elif kind == 7:
        lines = bytes(content).split(b"\n")
        random.shuffle(lines) if random.random() < 0.2 else lines.insert(
            random.randrange(len(lines)), random.choice(lines)
        )
        content[:] = b"\n".join(lines)
    else:
        found = list(NUMBER.finditer(bytes(content[:20_000])))
        if found:
            match = random.choice(found)
            content[match.start() : match.end()] = random.choice(NUMBERS).encode()


def damage_json(random: Random, samples: list[bytes]) -> bytes:
    """Damage a JSON document: a part of it becomes another one, or its text is damaged."""
    if random.random() < 0.25:
        return _ANY(random, samples)
    content = random.choice(samples)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):  # damaged before
        return _ANY(random, samples)
    for _ in range(random.choice((1, 1, 2, 3))):
        document = _change_a_part(random, document, samples)
    return json.dumps(document).encode()


_ANY = of_bytes()


def _change_a_part(random, document, samples):
    """The document, changed in place unless all of it is another one."""
    path, part = [], document
    while isinstance(part, (dict, list)) and part and (not path or random.random() < 0.75):
        key = random.choice(list(part)) if isinstance(part, dict) else random.randrange(len(part))
        path.append((part, key))
        part = part[key]
    if not path:
        return random.choice(ODD)
    above, key = path[-1]
    kind = random.randrange(6)
    if kind == 0:
        del above[key]
    elif kind == 1 and isinstance(above, list):
        above.insert(key, above[key])
    elif kind == 1:
        above[str(random.choice(ODD))[:50]] = part
    elif kind == 2:
        above[key] = random.choice(path)[0] if random.random() < 0.1 and len(path) < 2 else [part]
    elif kind == 3 and isinstance(part, (int, float)) and -1e300 < part < 1e300 and not isinstance(part, bool):
        above[key] = part + random.choice((-1, 1, 0.5, 1e9, -1e12, 1e16))
    else:
        above[key] = random.choice(ODD)
    try:
        json.dumps(document)
    except ValueError:  # a circle
        above[key] = None
    return document


def damage_npz(random: Random, samples: list[bytes]) -> bytes:
    """Damage an npz: an array of it changes, or its bytes do."""
    if random.random() < 0.2:
        return _ANY(random, samples)
    arrays = unpack_npz(random.choice(samples))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _change_an_array(random, arrays, samples)
    return pack_npz(arrays)


def damage_npy(random: Random, samples: list[bytes]) -> bytes:
    """Damage one array, or its bytes."""
    if random.random() < 0.4:
        return _ANY(random, samples)
    arrays = {"one": np.load(io.BytesIO(random.choice(samples)))}
    _change_an_array(random, arrays, None)
    content = io.BytesIO()
    np.save(content, arrays.get("one", np.zeros(())), allow_pickle=False)
    return content.getvalue()


def pack_npz(arrays: dict[str, Any]) -> bytes:
    """Return the bytes of an npz; arrays given as bytes are written unchanged."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in arrays.items():
            one = io.BytesIO()
            if not isinstance(array, bytes):
                np.save(one, array, allow_pickle=False)
            archive.writestr(f"{name}.npy", array if isinstance(array, bytes) else one.getvalue())
    return content.getvalue()


_KNOWN: dict[bytes, dict] = {}


def unpack_npz(content: bytes) -> dict[str, Any]:
    """The arrays of an npz."""
    if content not in _KNOWN:
        with np.load(io.BytesIO(content)) as file:
            _KNOWN[content] = dict(file)
    return dict(_KNOWN[content])


def _change_an_array(random, arrays, samples):
    if not arrays:
        return
    name = random.choice(list(arrays))
    array = arrays[name]
    kind = random.randrange(10)
    if isinstance(array, bytes):
        return
    if array.dtype.kind in "US" and array.size and kind < 6:
        arrays[name] = _other_text(random, array)
    elif array.dtype == np.uint8 and array.size and bytes(array.ravel()[:1]) == b"{" and kind < 6:
        arrays[name] = np.frombuffer(damage_json(random, [bytes(array)]), np.uint8)
    elif kind < 4 and array.size:
        arrays[name] = _other_value(random, array)
    elif kind == 4:
        arrays[name] = _change_dtype(random, array)
    elif kind == 5:
        arrays[name] = _change_shape(random, array)
    elif kind == 6:
        del arrays[name]
    elif kind == 7:
        arrays[random.choice(list(arrays))] = array
    elif kind == 8:
        one = io.BytesIO()
        np.save(one, array, allow_pickle=False)
        arrays[name] = _ANY(random, [one.getvalue()])
    else:
        arrays[name] = np.array(random.choice((0, -1, 2**62, 1e300, np.nan, "x", True, "{}")))


def _other_text(random, array):
    if array.shape == () and str(array).startswith("{"):
        return np.array(damage_json(random, [str(array).encode()]).decode("utf-8", "replace").rstrip("\0"))
    values = array.ravel().astype(object)
    values[random.randrange(len(values))] = random.choice(("", "x", "*", "^", str(values[0]), "é" * 300, "<s>", "-1"))
    return values.astype(str).reshape(array.shape)


def _other_value(random, array):
    values = array.ravel().copy()
    at = random.randrange(len(values))
    if array.dtype.kind in "iu":
        info = np.iinfo(array.dtype)
        near = int(values[at]) + random.choice((-2, -1, 1, 2, 1_000))
        values[at] = min(max(random.choice((near, -1, 0, info.max, info.min, info.max // 2)), info.min), info.max)
    elif array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            values[at] = random.choice((np.nan, np.inf, -np.inf, 1e10, -1e16, 1e300, -1e300, 0.0, -0.0, 1e-310, 0.5))
    elif array.dtype.kind == "b":
        values[at] = not values[at]
    return values.reshape(array.shape)


def _change_dtype(random, array):
    try:
        with np.errstate(all="ignore"):
            return array.astype(random.choice(KINDS))
    except ValueError:
        return array


def _change_shape(random, array):
    kind = random.randrange(6)
    if kind == 0:
        return array.reshape(1, *array.shape)
    if kind == 1:
        return array.ravel()
    if kind == 2 and array.ndim:
        return array[:0]
    if kind == 3 and array.ndim:
        return array[: max(0, len(array) - 1)]
    if kind == 4 and array.ndim:
        return np.concatenate([array, array[-1:]])
    return array.T
