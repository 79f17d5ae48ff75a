"""Lattices and traces to and from versioned JSON (docs/data-model.md); −inf is written as null."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np

from rcmviz.lattice import Lattice
from rcmviz.trace import Trace

VERSION = 1
LOGS = {"score", "log_mass", "key", "log_z_so_far"}


def _plain(value):
    if isinstance(value, dict):
        return {key: None if entry == -np.inf else entry for key, entry in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return np.where(np.isneginf(value), None, value.astype(object)).tolist()


def _columns(table, leave_out=()):
    return {entry.name: _plain(getattr(table, entry.name)) for entry in fields(table) if entry.name not in leave_out}


def _write(document, path):
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def lattice_to_json(lattice, path=None):
    """Write a lattice; returns the text."""
    return _write({"schema": "rcmviz/lattice", "version": VERSION, "lattice": _columns(lattice)}, path)


def trace_to_json(trace, path=None):
    """Write a trace with its lattice; returns the text."""
    parts = {"lattice": _columns(trace.lattice), "trace": _columns(trace, leave_out=("lattice",))}
    return _write({"schema": "rcmviz/trace", "version": VERSION, **parts}, path)


def _read(source, schema):
    """The document in a path or a JSON text, its schema and version checked."""
    text, where = (source, "the text") if str(source).lstrip().startswith("{") else (None, str(source))
    if text is None:
        text = Path(source).read_text(encoding="utf-8")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where}, line {error.lineno}: not JSON ({error.msg}); export it again") from None
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise ValueError(f'{where}: not a {schema} file: its "schema" should be "{schema}"')
    if document.get("version") != VERSION:
        raise ValueError(f"{where}: version {document.get('version')}, this rcmviz reads {VERSION}; update rcmviz")
    return document, where


def _array(name, value):
    if name in LOGS:
        return np.array(value, dtype=float, ndmin=1) if name != "score" else np.array(value, dtype=float, ndmin=2)
    return np.array(value, dtype=bool if name == "kept" else np.int64)


def _settings(value):
    return value | ({"root_weight": -np.inf} if value.get("root_weight", 0.0) is None else {})


def _table(kind, values, where, **given):
    """A frozen table from its columns; None in a float column becomes NaN, which only −inf writes."""
    try:
        arrays = {entry.name: values[entry.name] for entry in fields(kind) if entry.name not in given}
        for name, value in arrays.items():
            if name in ("labels", "settings"):
                arrays[name] = tuple(value) if name == "labels" else _settings(value)
                continue
            arrays[name] = _array(name, value)
            if name in LOGS:
                arrays[name][np.isnan(arrays[name])] = -np.inf
        return kind(**arrays, **given)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{where}: the {kind.__name__.lower()} is incomplete ({error}); export it again") from None


def read_lattice(source):
    """A lattice from a path or a JSON text; ValueError where it is not one.

    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 2, budget=1)
    >>> rv.read_lattice(lattice.to_json()).C == lattice.C
    True
    """
    document, where = _read(source, "rcmviz/lattice")
    return _table(Lattice, document.get("lattice", {}), where)


def read_trace(source):
    """A lattice and its trace, as builders return them, from a path or a JSON text; ValueError where it is not one."""
    document, where = _read(source, "rcmviz/trace")
    lattice = _table(Lattice, document.get("lattice", {}), where)
    return lattice, _table(Trace, document.get("trace", {}), where, lattice=lattice)
