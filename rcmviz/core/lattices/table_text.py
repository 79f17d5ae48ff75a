"""Lattices and traces as versioned JSON (docs/data.md); −inf is written as null. ``store.py`` reads it."""

import json
from dataclasses import fields

import numpy as np

from rcmviz.core.shared.whole_file import write_text

LEFT_OUT = ("lattice", "earlier")  # of a trace's columns
VERSION = 2  # written where positions have candidates of their own (`choices`); else 1, which lacks them


def to_text(path, lattice, trace=None):
    """The text of a lattice, or of a trace with its lattice; written to ``path`` unless that is None."""
    kind, version = "lattice" if trace is None else "trace", 1 if lattice.choices is None else VERSION
    document = {"schema": f"rcmviz/{kind}", "version": version, "lattice": _columns(lattice)}
    if trace is not None:
        document["trace"] = _columns(trace)
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    if path is not None:
        write_text(path, text)
    return text


def _columns(table):
    columns = {entry.name: getattr(table, entry.name) for entry in fields(table) if entry.name not in LEFT_OUT}
    return {name: _plain_columns(value) for name, value in columns.items() if value is not None}


def _plain_columns(value):
    if isinstance(value, dict):
        return {key: None if entry == -np.inf else entry for key, entry in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return np.where(np.isneginf(value), None, value.astype(object)).tolist()
