"""Features of positions, as their user has them, become numbers of names, one after the other."""

from array import array
from collections.abc import Iterable, Mapping

import numpy as np

from rcmviz.core.shared import checks

LEFT_OUT = -1  # the number of a name that training has not seen
PLAIN = {float, int, bool}  # kinds of numbers that are taken as they are
BLOCK = 2_000  # positions that are sorted at once: a sort of all takes the memory of all again


class Names:
    """Numbers of features by name; a new name gets the next number while it ``grows``, else ``LEFT_OUT``.

    ``texts[before][after]`` is the number of ``before=after``, cut at the first "=": a text of a feature is looked up
    by name and value, without being joined to a name.
    """

    def __init__(self, known=(), grows=False):
        self.texts, self._others = _Texts(self), _Values(self)
        self.size, self.grows = len(known), True
        for number, name in enumerate(known):
            if isinstance(name, str) and "=" in name:
                before, after = name.split("=", 1)
                self.texts[before][after] = number
            else:
                self._others[name] = number
        self.grows = grows

    def of(self, name):
        """The number of a name."""
        if isinstance(name, str) and "=" in name:
            before, after = name.split("=", 1)
            return self.texts[before][after]
        return self._others[name]

    def listed(self):
        """All names in the order of their numbers."""
        found = [None] * self.size
        for name, number in self._others.items():
            found[number] = name
        for before, values in self.texts.items():
            for after, number in values.items():
                found[number] = f"{before}={after}"
        return found

    def values_of(self, before):
        """The numbering of the texts of a new feature."""
        if "=" in before:
            before, begun = before.split("=", 1)
            return _Continued(self.texts[before], f"{begun}=")
        values = _Values(self)
        if self.grows:
            self.texts[before] = values
        return values


class _Texts(dict):
    """``{name: _Values}``."""

    __slots__ = ("_names",)

    def __init__(self, names):
        super().__init__()
        self._names = names

    def __missing__(self, name):
        return self._names.values_of(name)


class _Values(dict):
    """``{value: number}``."""

    __slots__ = ("_names",)

    def __init__(self, names):
        super().__init__()
        self._names = names

    def __missing__(self, value):
        names = self._names
        if not names.grows:
            return LEFT_OUT
        number = self[value] = names.size
        names.size = number + 1
        return number


class _Continued:
    """The numbers of texts whose feature has "=" in its name: a part of the name begins each value."""

    def __init__(self, values, begun):
        self._values, self._begun = values, begun

    def __getitem__(self, value):
        return self._values[self._begun + value]


class Entries:
    """The features of all positions, one after the other: the ``number (K,)`` of each by ``names``, ``start (N+1,)`` of
    each position's and ``lengths (W,)`` of the sequences. Most have the value 1, as texts do: ``place`` and ``value``
    are entry and value of the others.
    """

    def __init__(self, X, names):
        self.number, self.start, self.lengths = array("i"), array("q", [0]), array("q")
        self.place, self.value = array("q"), array("d")
        for w, positions in enumerate(X, start=1):
            if not isinstance(positions, (list, tuple)):
                if not checks.is_iterable(positions):
                    raise ValueError(f"sequence {w} is {positions!r}: give a list of the features of each position")
                positions = list(positions)
            try:
                self._add_sequence(positions, names)
            except (TypeError, OverflowError) as error:
                fault = f"{error}; names are texts, values are texts or numbers"
            except ValueError as error:
                fault = str(error)
            else:
                self.lengths.append(len(positions))
                continue
            i = len(self.start) - sum(self.lengths)
            raise ValueError(f"sequence {w}, position {i}: {fault}")

    def _add_sequence(self, positions, names):
        texts, first, found = names.texts, len(self.number), []
        add, end = found.append, self.start.append
        for position in positions:
            if type(position) is not dict:
                position = _as_dict(position)
            for name, value in position.items():
                if type(value) is str and type(name) is str:
                    add(texts[name][value])
                else:
                    self._add_other(name, value, names, first, found)
            end(first + len(found))
        self.number.fromlist(found)

    def _add_other(self, name, value, names, first, found):
        """A feature that is no text, or whose name is another kind of text than Python's own."""
        if type(value) is str:
            found.append(names.of(f"{name}={value}"))
        elif type(value) in PLAIN:
            if value != 1:
                self.value.append(float(value))
                self.place.append(first + len(found))
            found.append(names.of(str.__str__(name) if isinstance(name, str) else name))
        else:
            for inner, part in _plain_features(name, value).items():
                self._add_other(inner, part, names, first, found)


def place_of(lengths, row):
    """The sequence and the position of a row, both from 1."""
    ends = np.cumsum(lengths)
    number = int(np.searchsorted(ends, row, side="right"))
    return number + 1, row - int(ends[number] - lengths[number]) + 1


def _as_dict(position):
    if isinstance(position, Mapping):
        return dict(position)
    if isinstance(position, (list, tuple)) and all(isinstance(name, str) for name in position):
        return dict.fromkeys(position, 1.0)
    raise ValueError(f"a position is a dict of features or a list of feature names, not {position!r}")


def _plain_features(name, value):
    """A feature of another kind as features of plain ones; a dict as CRFsuite has it.

    >>> _plain_features("-1", {"word": "the"}), _plain_features("tags", ["a", "b"])
    ({'-1:word': 'the'}, {'tags=a': 1.0, 'tags=b': 1.0})
    """
    if isinstance(value, str):
        return {name: str(value)}
    if isinstance(value, Mapping):
        return {f"{name}:{inner}": part for inner, part in value.items()}
    if value is None or isinstance(value, bytes):
        remedy = "leave it out" if value is None else "make it a text, with decode"
        raise ValueError(f"feature {name!r} is {value!r:.60}; {remedy}")
    if not isinstance(value, Iterable):
        return {name: float(value)}
    strange = [part for part in value if not isinstance(part, str)]
    if strange:
        raise TypeError(f"feature {name!r} is a list with {strange[0]!r} in it")
    return {f"{name}={part}": 1.0 for part in value}
