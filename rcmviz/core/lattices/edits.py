"""What-if edits: labels and contexts that a person pins or forbids at a position."""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.lattices.lattice import offered_indices
from rcmviz.core.shared import checks


@dataclass(frozen=True)
class Edits:
    """``log_emit (T, Y)`` masked by the labels · ``pinned``, ``forbidden`` {position: suffixes as label indices}."""

    log_emit: np.ndarray
    pinned: dict
    forbidden: dict

    @property
    def touch_contexts(self):
        """Whether any context is pinned or forbidden (else the kernels need no help)."""
        return bool(self.pinned or self.forbidden)


def read_edits(model, log_emit, pin=(), forbid=()):
    """Checked edits: ``pin`` and ``forbid`` are sequences of ``(position, what)``, positions 1 … T.

    ``what`` is a string for a label, or a tuple of labels for a context (a suffix of the labels up to that position,
    oldest first). A pinned context pins its prefixes at the positions before, or it could never be proposed.

    Of the ``model`` only ``labels`` and ``choices`` are looked at.
    ValueError names an edit that cannot be.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {})
    >>> read_edits(model, np.zeros((3, 2)), pin=[(2, ("a", "b"))]).pinned
    {2: {(0, 1)}, 1: {(0,)}}
    """
    masked, pinned, forbidden = np.array(log_emit, dtype=np.float64), {}, {}
    for kind, edits in (("pin", pin), ("forbid", forbid)):
        if not checks.is_iterable(edits):
            raise ValueError(f"{kind} {edits!r}: expected a list of (position, label) or (position, (labels …))")
        for edit in edits:
            position, what = _check_edit(kind, edit, model, len(log_emit))
            if isinstance(what, int):
                allowed = np.arange(masked.shape[1]) == what
                masked[position - 1, ~allowed if kind == "pin" else allowed] = -np.inf
            elif kind == "forbid":
                forbidden.setdefault(position, set()).add(what)
            else:
                for known in range(len(what), 0, -1):
                    pinned.setdefault(position - len(what) + known, set()).add(what[:known])
    return Edits(masked, pinned, forbidden)


def _check_edit(kind, edit, model, length):
    try:
        position, what = edit
    except (TypeError, ValueError):
        raise ValueError(f"{kind} {edit!r}: expected (position, label) or (position, (labels …))") from None
    if not checks.is_whole(position) or not 1 <= position <= length:
        raise ValueError(f"{kind} {edit!r}: position {position!r} is not one of 1 … {length}")
    position = int(position)
    if isinstance(what, str):
        return position, _indices(kind, edit, (what,), model, position)[0]
    if not isinstance(what, (tuple, list)):
        raise ValueError(f"{kind} {edit!r}: {what!r} is neither a label nor a tuple of labels")
    if not what:
        raise ValueError(f"{kind} {edit!r}: the empty context is always kept; name at least one label")
    if len(what) > position:
        raise ValueError(f"{kind} {edit!r}: a context after {position} labels remembers at most {position}")
    if position == length:
        raise ValueError(f"{kind} {edit!r}: no contexts are selected at the last position; pin or forbid a label there")
    return position, _indices(kind, edit, what, model, position)


def _indices(kind, edit, what, model, position):
    """The indices of the labels ``what`` that end at a position, a tuple."""
    choices = None if model.choices is None else model.choices[position - len(what) : position]
    offered = offered_indices(model.labels, choices, len(what))
    for label, index in zip(what, offered, strict=True):
        if not isinstance(label, str) or label not in index:
            raise ValueError(f"{kind} {edit!r}: {label!r} is not one of the labels there")
    return tuple(index[label] for label, index in zip(what, offered, strict=True))


def edit_settings(pin, forbid):
    """Pins and forbids as the settings of a trace hold them: lists, without those that are empty."""
    edits = {"pin": [list(edit) for edit in pin], "forbid": [list(edit) for edit in forbid]}
    return {name: value for name, value in edits.items() if value}
