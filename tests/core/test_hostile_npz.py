"""Malicious npz files are refused before they take memory."""

import io
import struct
import zipfile

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.problems.problem_file import read_problem
from rcmviz.core.problems.problem_reader import ProblemError
from rcmviz.core.shared import npz
from rcmviz.core.shared.npz import read_npz, write_npz


def array_of(header, content=b""):
    """Return an array in NumPy's format with the given header."""
    header = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


MAGIC = b"\x93NUMPY"


def archive(tmp_path, *members, method=zipfile.ZIP_STORED):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", method) as file:
        for k, member in enumerate(members):
            file.writestr(f"a{k}.npy", member)
    return path


def header(shape, kind="<f8"):
    return f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n"


HEADERS = {
    "an open bracket": array_of("{'descr': ("),
    "an indent": array_of("  {\n 'descr': 1\n}"),
    "an open text": array_of("{'descr': '''"),
    "deep nesting": array_of("(" * 5_000 + ")" * 5_000),
    "a sum": array_of("1" + "+1" * 4_900),
    "not a dict": array_of("[1]"),
    "all memory": array_of(header("(2, 9999999999999)")),
    "more than numbers hold": array_of(header(f"({2**62}, {2**62})")),
    "a negative side": array_of(header("(-1, -8)"), bytes(64)),
    "nothing, many times": array_of(header(f"({10**15},)", "<U0")),
    "a structure": array_of("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }\n", bytes(4)),
    "cut short": array_of(header("(9,)"), bytes(64)),
    "too long": array_of(header("(1,)"), bytes(64)),
    "objects": array_of(header("(1,)", "|O"), bytes(64)),
    "another version": b"\x93NUMPY\x09\x00" + bytes(90),
    "no array": b"hello",
    "nothing": b"",
}


@pytest.mark.parametrize("content", HEADERS.values(), ids=HEADERS.keys())
def test_headers_that_lie(tmp_path, content):
    with pytest.raises(ValueError, match=r"x\.npz: "):
        read_npz(archive(tmp_path, content), "thing", "make it again")
    with pytest.raises(ProblemError, match="start: "):
        read_problem(saved(tmp_path, content))


def saved(tmp_path, content):
    """The same as a problem; one that does not begin as an array would be another kind of file."""
    path = tmp_path / "problem.npy"
    path.write_bytes(content if content.startswith(MAGIC) else MAGIC + content)
    return path


def test_a_small_file_that_unpacks_to_more_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "MAX_INFLATED", 1_000_000)
    content = io.BytesIO()
    np.save(content, np.zeros(200_000))
    path = archive(tmp_path, content.getvalue(), method=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match="1,600,128 bytes .*1,000,000"):
        read_npz(path, "thing", "make it again")
    write_npz(path, {"a": np.zeros(200_000)}, compressed=True)  # a file that the library writes can be read
    assert read_npz(path, "thing", "")["a"].shape == (200_000,)


def test_arrays_come_native_contiguous_and_as_they_were(tmp_path):
    path = tmp_path / "x.npz"
    given = {
        "swapped": np.arange(6, dtype=">i4"),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "text": np.array("ab"),
        "texts": np.array(["a", "bcd"]),
        "number": np.array(3),
        "none": np.zeros((0, 4), ">f4"),
        "switch": np.array([True, False]),
        "empty": np.array(""),
    }
    write_npz(path, given, compressed=True)
    found = read_npz(path, "thing", "")
    assert list(found) == list(given)
    for name, array in given.items():
        assert found[name].shape == array.shape and found[name].tolist() == array.tolist(), name
        assert found[name].dtype.isnative and found[name].flags.c_contiguous and found[name].flags.writeable, name


def test_keys_of_a_model_are_places_of_its_table():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    for keys in ([10**9], [-1], [2**64 - 1], [0.5], [1, 0], [1, 1], [[1]]):
        weights = np.zeros((len(keys), 2))
        with pytest.raises(ValueError, match="keys"):
            rv.NgramModel(model.labels, 1, "single", keys, weights)
    swapped = rv.NgramModel(model.labels, 1, "single", model.keys.astype(">i8"), model.weights)
    assert swapped.keys.dtype.isnative and rv.exact(swapped, [[0.0, 0.0]] * 2)[0].C
    with pytest.raises(ValueError, match="root_weight nan"):
        rv.NgramModel(model.labels, 1, "single", model.keys, model.weights, root_weight=float("nan"))
