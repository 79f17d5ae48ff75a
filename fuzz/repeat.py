"""The elements that a format repeats, repeated until a sample has a given size.

A text repeats lines, words, columns and marks; JSON parts and keys; an npz the axes of its arrays. Parts of equal
length in a document, such as positions or labels, are repeated together. If an element has a name or a number, each
repetition has its own, but the last one occurs twice.
"""

import io
import json
import re
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from fuzz.damage import pack_npz, unpack_npz

FEW = 6  # lines of a sample, words, columns and parts
ALWAYS = (
    b" ",
    b"\n",
    b"\t",
    b",",
    b"a",
    b"0",
    b"**a ",
    b"*a",
    b"`a",
    b"\\*",
    b"{a:",
    b"[a](",
    b"a=1&",
    b"[",
    b"(",
    b'"',
    b"a b\n",
)
NUMBERED = b'"k%d": 1, ', b"k%d=1&", b"k%d,", b"k%d\t", b"k%d\n"
WORD = re.compile(rb"[^\s,;&=]+[\s,;&]?")
NAME = re.compile(rb"[A-Za-z]+")
CUTS = b"\t", b",", b";", b" "

Element = tuple[str, Callable[[int], bytes]]


def elements(sample: bytes) -> Iterator[Element]:
    """Return the elements of a sample: [(name, function that returns content of a given size)]."""
    if sample.startswith(b"PK"):
        yield from _npz_elements(unpack_npz(sample))
    elif sample.startswith(b"\x93NUMPY"):
        yield from _npz_elements({"array": np.load(io.BytesIO(sample))})
    elif b"\0" not in sample and not sample.startswith(b"\x1f\x8b"):
        yield from _text_elements(sample)
        if sample.lstrip()[:1] in (b"{", b"["):
            yield from _json_elements(sample)


def _text_elements(sample):
    lines = [(found.start(), found[0]) for found in re.finditer(rb"[^\n]*\n", sample)]
    words = [(found.start(), found[0]) for found in WORD.finditer(sample)]
    spread = [one for some in (lines, words) for one in _few(some)]
    places = len(sample) // 2, sample.find(b" ") + 1, sample.find(b"{") + 1, sample.find(b"?") + 1
    for place, element in dict.fromkeys([*spread, *product(places, ALWAYS + NUMBERED)]):
        yield f"{element[:30]!r} at {place}", _insert_repeatedly(sample, place, element)
        yield f"{element[:30]!r} from {place} on", _insert_repeatedly(sample[:place], place, element)
    for place, line in _few(lines):
        element = NAME.sub(rb"\g<0>%d", line.replace(b"%", b"%%"))
        if element.count(b"%d"):
            yield f"numbered {line[:30]!r} at {place}", _insert_repeatedly(sample, place, element)
    for cut in CUTS:
        rows = [line.split(cut) for line in sample.splitlines()]
        width = min((len(row) for row in rows if any(row)), default=0)
        for column in _few(range(width)) if width > 1 else ():
            yield f"column {column} cut at {cut!r}", _repeat_column(rows, column, cut)


def _few(some):
    return [some[k * len(some) // min(FEW, len(some))] for k in range(min(FEW, len(some)))]


def _insert_repeatedly(sample, place, element):
    def content(size):
        return sample[:place] + repeat_element(element, size) + sample[place:]

    return content


def repeat_element(element: bytes, size: int) -> bytes:
    """An element many times, about ``size`` bytes; each with its number if it holds %d."""
    if b"%d" not in element:
        return element * (size // len(element))
    count, fields = size // len(element), element.count(b"%d")
    return b"".join(element % ((min(k, count - 2),) * fields) for k in range(count))


def _repeat_column(rows, column, cut):
    def content(size):
        count = max(1, size // sum(len(row[column]) + 3 for row in rows if len(row) > column))
        lines = []
        for number, row in enumerate(rows):
            if len(row) <= column:  # such as an empty line
                lines.append(cut.join(row))
                continue
            cells = [b"%s%d" % (row[column], k) for k in range(count)] if number == 0 else [row[column]] * count
            lines.append(cut.join([*row[:column], *cells, *row[column + 1 :]]))
        return b"\n".join(lines) + b"\n"

    return content


def _json_elements(sample):
    try:
        document = json.loads(sample)
    except ValueError:
        return
    parts = dict.fromkeys(_parts(document, ()))
    for path in parts:
        yield f"keys of {_path_text(path)}", _add_keys(document, path)
    for length in sorted({len(part) for path in parts for part in _at(document, path) if isinstance(part, list)} - {0}):
        yield f"lists of {length}", _lengthen_lists(document, length)


def _parts(document, path):
    """The paths of all lists and objects; a number in a path represents all elements of a list."""
    if isinstance(document, dict):
        yield path
        for key, part in document.items():
            yield from _parts(part, (*path, key))
    elif isinstance(document, list):
        yield path
        for part in document[:3]:
            yield from _parts(part, (*path, 0))


def _at(document, path):
    """The parts at a path, of the first few elements of lists."""
    if not path:
        return [document]
    if isinstance(document, list):
        return [part for one in document[:3] for part in _at(one, path[1:])]
    return _at(document[path[0]], path[1:]) if isinstance(document, dict) and path[0] in document else []


def _path_text(path):
    return ".".join(map(str, path)) or "all"


def _add_keys(document, path):
    """An object has many keys more, a list many elements."""

    def content(size):
        copy = json.loads(json.dumps(document))
        for part in _at(copy, path)[:1]:
            if isinstance(part, dict):
                value = next(iter(part.values()), 1)
                count = size // (len(json.dumps(value)) + 12)
                part.update({f"k{k}": value for k in range(count)})
            elif part:
                part *= size // len(json.dumps(part)) + 1
        return json.dumps(copy).encode()

    return content


def _lengthen_lists(document, length):
    """All lists of a length are repeated."""

    def longer(part, times):
        if isinstance(part, dict):
            return {key: longer(value, times) for key, value in part.items()}
        if not isinstance(part, list):
            return part
        new = [longer(value, times) for value in part]
        if len(part) != length:
            return new
        return [f"{x}{k}" if isinstance(x, str) and k else x for k in range(times) for x in new]

    def content(size):
        times, most = 1, 1
        while len(json.dumps(longer(document, most))) < size and most < size:  # lists within lists multiply
            times, most = most, 2 * most
        return json.dumps(longer(document, times)).encode()

    return content


def _npz_elements(arrays):
    """Each axis of each array, and all axes of one length."""
    read = {name: array for name, array in arrays.items() if array.ndim and array.size}
    for name, array in read.items():
        for axis in range(array.ndim):
            yield f"axis {axis} of {name}", _lengthen_axes(arrays, read, {(name, axis)})
    for length in sorted({size for array in read.values() for size in array.shape} - {0}):
        axes = {
            (name, axis) for name, array in read.items() for axis in range(array.ndim) if array.shape[axis] == length
        }
        yield f"axes of {length}", _lengthen_axes(arrays, read, axes)


def _lengthen_axes(arrays, read, axes):
    """The axes, (name, axis), are repeated; names among texts get numbers."""

    def content(size):
        added = sum(read[name].nbytes for name, _ in axes)
        times = max(2, round((size / max(1, added)) ** (1 / _most_axes(axes))))
        longer = dict(arrays)
        for name in {name for name, _ in axes}:
            array = read[name]
            for axis in (axis for other, axis in axes if other == name):
                array = np.concatenate([array] * times, axis=axis)
            if array.dtype.kind == "U" and array.ndim == 1:
                old = len(read[name])
                array = np.array([f"{x}{k // old}" if k >= old else x for k, x in enumerate(array.tolist())])
            longer[name] = array
        return pack_npz(longer) if "array" not in arrays else _npy(longer["array"])

    return content


def _most_axes(axes):
    names = [name for name, _ in axes]
    return max(map(names.count, names))


def _npy(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()
