"""CopyableMixin tables: dataclasses whose arrays nobody writes to, in copies neither."""

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


def made(kind, *columns):
    """A frozen table of what kernels of ours wrote, which nobody needs to look at again; ``columns`` in its order."""
    table = object.__new__(kind)
    for entry, value in zip_longest(fields(kind), columns):
        object.__setattr__(table, entry.name, value)
    freeze(table)
    return table


class CopyableMixin:
    """Base of what is not changed once it is made: a copy, pickled or not, has the same parts.

    ``pickle`` and ``deepcopy`` return arrays that can be written to, for which Numba would compile every kernel again:
    what was read-only is so in the copy. What was cached is left out: it is computed again from the parts, and may hold
    what cannot be pickled.
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
