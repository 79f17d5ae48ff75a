"""Lattices and traces as JSON: written files are read again; damaged ones are refused before a kernel reads them."""

import json

import numpy as np
import pytest

import rcmviz as rv

MODEL = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0})
EMIT = np.array([[1.0, 0.0], [0.5, -np.inf], [0.0, 0.2], [0.1, 0.3]])
DEAD = np.array([[0.0, 0.0], [-np.inf, -np.inf], [0.0, 0.0]])


@pytest.mark.parametrize("emit", [EMIT, EMIT[:1], EMIT[:2], DEAD], ids=["four", "one", "two", "dead"])
@pytest.mark.parametrize("build", [rv.rcms, rv.beam, rv.exact])
def test_written_files_are_read_again(build, emit, tmp_path):
    lattice, trace = build(MODEL, emit)
    trace.to_json(tmp_path / "run.json")
    lattice_again, trace_again = rv.read_trace(tmp_path / "run.json")
    assert trace_again.to_json() == trace.to_json()
    assert lattice_again.to_json() == rv.read_lattice(lattice.to_json()).to_json() == lattice.to_json()


DAMAGED = {
    "target beyond the table": ("lattice", "target", lambda v: v[2].__setitem__(0, 10**9)),
    "target in its own column": ("lattice", "target", lambda v: v[1].__setitem__(0, 1)),
    "target below none": ("lattice", "target", lambda v: v[1].__setitem__(0, -2)),
    "offset beyond the table": ("lattice", "offset", lambda v: v.__setitem__(-1, 99)),
    "a row of scores too few": ("lattice", "score", lambda v: v.pop()),
    "a parent that is its own": ("lattice", "parent", lambda v: v.__setitem__(2, 2)),
    "a label too many": ("lattice", "label", lambda v: v.__setitem__(2, 2)),
    "an origin in its own column": ("lattice", "origin", lambda v: v.__setitem__(2, 1)),
    "a context longer than its history": ("lattice", "length", lambda v: v.__setitem__(2, 5)),
    "a candidate of no context": ("trace", "context", lambda v: v.__setitem__(0, 7)),
    "a candidate carried elsewhere": ("trace", "into", lambda v: v.__setitem__(0, 0)),
    "a mass too few": ("trace", "log_mass", lambda v: v.pop()),
    "a row of emissions too few": ("trace", "log_emit", lambda v: v.pop()),
    "an offset too few": ("trace", "offset", lambda v: v.pop()),
}


@pytest.mark.parametrize(("table", "column", "damage"), DAMAGED.values(), ids=DAMAGED.keys())
def test_links_that_lead_nowhere_are_refused(table, column, damage):
    _, trace = rv.rcms(MODEL, EMIT, budget=2)
    document = json.loads(trace.to_json())
    damage(document[table][column])
    with pytest.raises(ValueError, match="the text: .*export it again"):
        rv.read_trace(json.dumps(document))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="none.json: .*rcmviz/trace"):
        rv.read_trace(tmp_path / "none.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="binary.json: "):
        rv.read_lattice(tmp_path / "binary.json")
