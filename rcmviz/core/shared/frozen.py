"""Frozen tables: dataclasses with read-only arrays, which stay read-only in copies."""

from dataclasses import fields
from functools import cached_property
from itertools import zip_longest

import numpy as np


def freeze(table):
    """Make every array of a frozen dataclass read-only."""
    for entry in fields(table):
        value = getattr(table, entry.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


def freeze_columns(kind, *columns):
    """A frozen table of kernel output, without checks; ``columns`` in its order."""
    table = object.__new__(kind)
    for entry, value in zip_longest(fields(kind), columns):
        object.__setattr__(table, entry.name, value)
    freeze(table)
    return table


class CopyableMixin:
    """Base of models and tables: ``copy``, ``deepcopy`` and ``pickle`` keep arrays read-only and leave out caches.

    By default ``deepcopy`` and ``pickle`` return writeable arrays, for which Numba compiles every kernel again. Cached
    properties are computed again from the other attributes; some hold functions, which cannot be pickled.
    """

    def __getstate__(self):
        cached = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        state = {name: value for name, value in vars(self).items() if name not in cached}
        return state, [array.flags.writeable for array in _arrays(tuple(state.values()))]

    def __setstate__(self, state):
        state, writeable = state
        vars(self).update(state)
        for array, flag in zip(_arrays(tuple(state.values())), writeable, strict=True):
            if not flag:
                array.setflags(write=False)


def _arrays(value):
    """The arrays in a tuple, those in tuples within it too."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)
