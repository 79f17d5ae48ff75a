"""Whether the tables of a lattice or a trace fit together: kernels check no bounds, so whoever makes one is checked.

Files and callers are; what a builder's kernels wrote is not looked at again (``lattice.made``).
"""

import numpy as np

from rcmviz.core.methods import METHODS
from rcmviz.core.shared import checks

LEAST_ID, MOST_IDS = -1, 2**62  # −1 for none; rows of large models are numbers such as these
WHOLE_SETTINGS = ("order", "passes", "budget")  # of a trace; or None


def check_lattice(lattice):
    """Give a lattice its tables as the kernels take them; ValueError where its columns or links do not fit."""
    if not isinstance(lattice.labels, tuple) or not all(isinstance(label, str) for label in lattice.labels):
        raise ValueError("labels: give a tuple of texts")
    for name in ("offset", "length", "label", "origin", "parent", "row"):
        _set_field(lattice, name, checks.integers(name, getattr(lattice, name), LEAST_ID, MOST_IDS))
    _set_field(lattice, "target", checks.integers("target", lattice.target, LEAST_ID, MOST_IDS, dims=2))
    _set_field(lattice, "score", _logs("score", lattice.score, 2))
    if lattice.choices is not None:
        _set_field(lattice, "choices", checks.integers("choices", lattice.choices, LEAST_ID, MOST_IDS, dims=2))
    if not _lattice_fits(lattice):
        raise ValueError("the lattice's columns or links do not fit together")


def check_trace(trace):
    """Give a trace its tables as they are used; ValueError where they do not fit its lattice."""
    checks.lattice(trace.lattice)
    for name in ("offset", "context", "label", "into"):
        _set_field(trace, name, checks.integers(name, getattr(trace, name), LEAST_ID, MOST_IDS))
    for name in ("log_mass", "key", "log_z_so_far"):
        _set_field(trace, name, _logs(name, getattr(trace, name), 1))
    wanted = "kept: give True or False for each candidate"
    kept = checks.array(trace.kept, wanted)
    if kept.ndim != 1 or (kept.size and kept.dtype != bool):
        raise ValueError(wanted)
    _set_field(trace, "kept", kept.astype(bool))
    if trace.log_emit is not None:
        _set_field(trace, "log_emit", _logs("log_emit", trace.log_emit, 2))
    check_settings(trace.settings)
    if not _trace_fits(trace, trace.lattice):
        raise ValueError("the trace does not fit its lattice")


def check_settings(settings):
    """ValueError where the settings of a trace are not those of a builder."""
    if not isinstance(settings, dict):
        raise ValueError("settings: give them by name")
    checks.choice("settings, method", settings.get("method"), METHODS)
    for name in WHOLE_SETTINGS:
        if settings.get(name) is not None:
            checks.whole(f"settings, {name}", settings[name], 0)
    if settings.get("deduplicate"):
        checks.switch("settings, deduplicate", settings["deduplicate"])
        checks.whole("settings, order", settings.get("order"), 1)
    checks.number("settings, root_weight", settings.get("root_weight", 0.0), "a log weight, or -inf", below=np.inf)
    for name in ("budgets", "pin", "forbid"):
        given = settings.get(name) or ()
        pairs = given.items() if isinstance(given, dict) else given
        if not isinstance(pairs, (list, tuple, type({}.items()))) or not all(_is_edit(pair, name) for pair in pairs):
            raise ValueError(f"settings, {name}: give a list of pairs, a position and what belongs to it")


def _is_edit(pair, name):
    if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not checks.is_whole(pair[0]):
        return False
    what = pair[1]
    if name == "budgets":
        return checks.is_whole(what)
    return isinstance(what, str) or (isinstance(what, (list, tuple)) and all(isinstance(one, str) for one in what))


def _set_field(table, name, array):
    object.__setattr__(table, name, array)


def _logs(name, values, dims):
    """Finite numbers and −inf; whether their sums keep their digits is asked with the posterior."""
    found = checks.floats(values, f"{name}: give logs, rows of one length")
    if found.ndim != dims:
        raise ValueError(f"{name}: its shape is {found.shape}; give logs in {dims} dimension{'s' * (dims > 1)}")
    bad = np.argwhere(~((np.abs(found) <= -checks.LEAST_LOG) | np.isneginf(found)))
    if len(bad):
        raise ValueError(f"{name}{bad[0].tolist()} is {found[tuple(bad[0])]}: give a log, or -inf (null in JSON)")
    return found


def _ids(values, start, stop):
    """Whether every link is absent or in ``[start, stop)``; the bounds may be arrays."""
    return bool(np.all((values == -1) | ((values >= start) & (values < stop))))


def _lattice_fits(lattice):
    offset, count, width = lattice.offset, lattice.C, lattice.width
    fits = len(offset) > 2 and offset[0] == 0 and np.all(offset[1:] >= offset[:-1])
    fits = fits and offset[-1] == count and offset[-1] - offset[-2] == 1
    fits = fits and all(len(getattr(lattice, name)) == count for name in ("label", "origin", "parent", "row"))
    fits = fits and lattice.target.shape == lattice.score.shape == (count, width)
    if not fits or lattice.label_numbers.shape != (lattice.T, width):
        return False
    column = np.repeat(np.arange(lattice.T + 1), np.diff(offset))
    start, stop = offset[column], offset[column + 1]
    after = np.append(offset[2:], count)[column]
    fits = _ids(lattice.target, stop[:, None], after[:, None]) and _ids(lattice.parent, start, stop)
    fits = fits and _ids(lattice.origin, np.append(0, offset)[column], start) and _ids(lattice.label, 0, width)
    fits = fits and np.all((lattice.length >= 0) & (lattice.length <= column))
    fits = fits and np.all((lattice.parent < 0) | (lattice.length[lattice.parent] < lattice.length))
    return bool(fits and _names_fit(lattice, column))


def _names_fit(lattice, column):
    """Whether every arc and every remembered label has a name; ``column (C,)`` is where a context stands."""
    numbers, before = lattice.label_numbers, np.maximum(column - 1, 0)
    named = (numbers >= 0)[np.minimum(column, lattice.T - 1)]
    remembered = numbers[before, np.maximum(lattice.label, 0)]
    return (
        _ids(numbers, 0, len(lattice.labels))
        and np.all(named | (lattice.target < 0))
        and np.all((lattice.label < 0) | ((remembered >= 0) & (column > 0)))
    )


def _trace_fits(trace, lattice):
    offset, count = trace.offset, len(trace.context)
    fits = offset.shape == trace.log_z_so_far.shape == (lattice.T + 1,)
    fits = fits and offset[0] == 0 and offset[-1] == count and np.all(offset[1:] >= offset[:-1])
    fits = fits and all(len(getattr(trace, name)) == count for name in ("label", "log_mass", "key", "kept", "into"))
    if not fits or not (trace.log_emit is None or trace.log_emit.shape == (lattice.T, lattice.width)):
        return False
    column = np.repeat(np.arange(lattice.T), np.diff(offset))
    start, stop = lattice.offset[column - 1], lattice.offset[column]
    fits = np.all((trace.context >= start) & (trace.context < stop))
    fits = fits and _ids(trace.into, stop, lattice.offset[column + 1])
    fits = fits and np.all((trace.label >= 0) & (trace.label < lattice.width))
    return bool(fits and np.all(lattice.label_numbers[column - 1, np.clip(trace.label, 0, lattice.width - 1)] >= 0))
