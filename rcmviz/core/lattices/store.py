"""Lattices and traces from versioned JSON (docs/data.md), which ``table_text.py`` writes; null is −inf."""

import json
from dataclasses import MISSING, fields
from functools import partial
from os import PathLike
from pathlib import Path

import numpy as np

from rcmviz.core.lattices.fitting import LEAST_ID, MOST_IDS
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.table_text import VERSION
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import UNFIT, error_text
from rcmviz.core.shared.text_file import decode

LOGS = {"score", "log_mass", "key", "log_z_so_far", "log_emit"}
TABLES = {"score", "log_emit", "choices", "target"}  # of two dimensions


def _read_document(source, schema):
    """The document in a path or a JSON text, its schema and version checked."""
    checks.instance("source", source, (str, PathLike), "the path of a file, or its text")
    text, where = (source, "the text") if str(source).lstrip().startswith("{") else (None, str(source))
    if text is None:
        try:
            text = decode(Path(source).read_bytes(), where)
        except (OSError, ValueError) as error:  # no UTF-8, or a name that no file can have
            raise ValueError(f"{where}: cannot be read ({error}); give the path or the text of a {schema}") from None
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where}, line {error.lineno}: not JSON ({error.msg}); export it again") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON that rcmviz writes ({error_text(error)}); export it again") from None
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise ValueError(f'{where}: not a {schema} file: its "schema" should be "{schema}"')
    if document.get("version") not in range(1, VERSION + 1):
        raise ValueError(f"{where}: version {document.get('version')}, this rcmviz reads 1 to {VERSION}; update rcmviz")
    return document, where


def _refuse_constant(constant):
    raise ValueError(f"{constant} is no number of JSON")


def _array(name, value):
    """A column as an array, every value unchanged; None in a column of logs is −inf."""
    dims = 2 if name in TABLES else 1
    if name in LOGS:
        array = np.array(value, dtype=float, ndmin=dims)
        array[np.isnan(array)] = -np.inf
        return _check_dims(array, name, dims)
    if name == "kept":
        array = np.array(value)
        if array.size and array.dtype != bool:
            raise ValueError("kept: true or false for each candidate")
        return _check_dims(array.astype(bool), name, dims)
    return checks.integers(name, value, LEAST_ID, MOST_IDS, dims=dims)


def _check_dims(array, name, dims):
    if array.ndim != dims:
        raise ValueError(f"{name}: its shape is {array.shape}")
    return array


def _names(value):
    if not isinstance(value, list) or not all(isinstance(label, str) for label in value):
        raise ValueError("labels: a list of texts")
    return tuple(value)


def _settings(value):
    if not isinstance(value, dict):
        raise ValueError("settings: give them by name")
    return value | ({"root_weight": -np.inf} if value.get("root_weight", 0.0) is None else {})


def _table(kind, values, where, **given):
    """A frozen table from its columns."""
    try:
        names = [entry.name for entry in fields(kind) if entry.default is MISSING or entry.name in values]
        arrays = {name: values[name] for name in names if name not in given}
        for name, value in arrays.items():
            read = {"labels": _names, "settings": _settings}.get(name, partial(_array, name))
            arrays[name] = read(value)
        return kind(**arrays, **given)
    except UNFIT as error:
        fault = f"{where}: the {kind.__name__.lower()} is incomplete ({error_text(error)}); export it again"
        raise ValueError(fault) from None


def read_lattice(source: str | PathLike) -> Lattice:
    """Read a lattice that ``Lattice.to_json`` wrote.

    Parameters
    ----------
    source : str or path
        Path of the file, or the JSON text itself.

    Returns
    -------
    Lattice
        The lattice, its columns and links checked.

    Raises
    ------
    ValueError
        The file cannot be read, is no lattice, or does not fit together.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 2, budget=1)
    >>> rv.read_lattice(lattice.to_json()).C == lattice.C
    True
    """
    document, where = _read_document(source, "rcmviz/lattice")
    return _table(Lattice, document.get("lattice", {}), where)


def read_trace(source: str | PathLike) -> tuple[Lattice, Trace]:
    """Read a trace that ``Trace.to_json`` wrote, with its lattice.

    Parameters
    ----------
    source : str or path
        Path of the file, or the JSON text itself.

    Returns
    -------
    lattice : Lattice
        The lattice, as the builder returned it.
    trace : Trace
        Its trace.

    Raises
    ------
    ValueError
        The file cannot be read, is no trace, or does not fit together.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, trace = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]] * 2, budget=1)
    >>> rv.read_trace(trace.to_json())[1].settings == trace.settings
    True
    """
    document, where = _read_document(source, "rcmviz/trace")
    lattice = _table(Lattice, document.get("lattice", {}), where)
    return lattice, _table(Trace, document.get("trace", {}), where, lattice=lattice)
