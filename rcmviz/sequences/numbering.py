"""Features of positions, as their user has them, become numbers of names, one after the other.

Dicts of texts and numbers are read by compiled code, many positions at once, which makes no object of Python's but
the names that are new. What it stops at, such as a dict within a dict or a number of numpy's, is read here.
"""

from array import array
from collections.abc import Iterable, Mapping
from itertools import count, islice

import numpy as np

LEFT_OUT = -1  # the number of a name that training has not seen
PLAIN = {float, int, bool}  # kinds of numbers that are taken as they are
BLOCK = 2_000  # positions that are read or sorted at once: a sort of all takes the memory of all again
EQUALS = "="
KINDS = np.array([*map(id, (str, int, bool, float, EQUALS)), hash(EQUALS)], np.int64)  # as the kernel has them


class Names:
    """Numbers of features: where the name of each stands in ``known``, to which those are added that are new while it
    ``grows``. Compiled code finds them in a table of its own, all else in a dict.
    """

    def __init__(self, known=(), grows=False):
        self.known, self.grows = list(known), grows
        self._numbers = {}  # of the first names, until another is asked for
        self._slots, self._placed = np.zeros(1, np.uint64), 0

    def of(self, name):
        """The number of a name."""
        number = self._numbers.get(name)
        return self._sought(name) if number is None else number

    def _sought(self, name):
        asked = len(self._numbers)
        self._numbers.update(zip(islice(self.known, asked, None), count(asked)))
        number = self._numbers.get(name, LEFT_OUT)
        if number == LEFT_OUT and self.grows:
            number = self._numbers[name] = len(self.known)
            self.known.append(name)
        return number

    def read(self, positions, first, found):
        """Number the features of positions, a list of dicts, from ``first`` on, ``found`` as the kernel has it; returns
        the position that it stops at, and whether that is one to be read otherwise.
        """
        from rcmviz.kernels.learn import feature_dicts as kernel  # Numba: names are kept without it

        if not kernel.COMPILED:
            return first, True
        slots = self._placed_with_room(kernel, len(positions[first]))
        stop = kernel.number_positions(id(positions), first, KINDS, id(self.known), slots, self.grows, found)
        return stop, stop < len(positions) and len(slots) >= self._slots_for(len(positions[stop]))

    def _slots_for(self, more):
        """How many are at most half full with so many more names."""
        return 2 * (len(self.known) + more) if self.grows else 2 * len(self.known)

    def _placed_with_room(self, kernel, more):
        """The table with all names; set when it is whole, for two threads may ask."""
        wanted, slots, placed = self._slots_for(more), self._slots, self._placed
        if len(slots) < wanted:
            slots, placed = np.zeros(1 << wanted.bit_length(), np.uint64), 0
        if placed < len(self.known):
            kernel.place_names(id(self.known), KINDS, placed, slots)
        self._slots, self._placed = slots, len(self.known)
        return slots


class Entries:
    """The features of all positions, one after the other: the ``number (K,)`` of each by ``names``, ``start (N+1,)`` of
    each position's and ``lengths (W,)`` of the sequences. Most have the value 1, as texts do: ``place`` and ``value``
    are entry and value of the others.
    """

    def __init__(self, X, names):
        self.number, self.start, self.lengths = array("i"), array("q", [0]), array("q")
        self.place, self.value = array("q"), array("d")
        block = []
        for w, positions in enumerate(X, start=1):
            if not isinstance(positions, Iterable):
                raise ValueError(f"sequence {w} is {positions!r}: give a list of the features of each position")
            positions = positions if isinstance(positions, (list, tuple)) else list(positions)
            self.lengths.append(len(positions))
            block += positions
            if len(block) >= BLOCK:
                self._add(block, names)
                block = []
        self._add(block, names)

    def _add(self, block, names):
        first, before = 0, len(self.start) - 1
        if set(map(type, block)) - {dict}:
            block = [self._tried(before + i, _as_dict, position) for i, position in enumerate(block)]
        room = sum(map(len, block))
        number, place, many = np.empty(room, np.int32), np.empty(room, np.int64), np.zeros(2, np.int64)
        found = number, np.empty(len(block), np.int64), np.empty(room), place, many
        while first < len(block):
            stop, is_odd = names.read(block, first, found)
            self._extend(stop - first, *found)
            # All that are left where the first is odd: they are alike, and a call takes longer than to read one.
            odd = block[stop:] if is_odd and stop == first else block[stop : stop + is_odd]
            for row, position in enumerate(odd, start=before + stop):
                self._tried(row, self._add_mixed, position, names.of)
                self.start.append(len(self.number))
            first = stop + len(odd)

    def _extend(self, positions, number, ends, value, place, many):
        """Let so many positions follow, with ``many (2,)`` entries, and values that are not 1."""
        entries, others = many.tolist()
        self.place.frombytes((len(self.number) + place[:others]).tobytes())
        self.value.frombytes(value[:others].tobytes())
        self.start.frombytes((len(self.number) + ends[:positions]).tobytes())
        self.number.frombytes(number[:entries].tobytes())

    def _tried(self, row, read, *what):
        """What ``read`` makes of a position; a ValueError says which it was."""
        try:
            return read(*what)
        except (TypeError, OverflowError) as error:
            fault = f"{error}; names are texts, values are texts or numbers"
        except ValueError as error:
            fault = str(error)
        w, i = place_of(self.lengths, row)
        raise ValueError(f"sequence {w}, position {i}: {fault}")

    def _add_mixed(self, position, number_of):
        for name, value in position.items():
            if type(value) is str:
                self.number.append(number_of(f"{name}={value}"))
            elif type(value) in PLAIN:
                if value != 1:
                    self.value.append(float(value))
                    self.place.append(len(self.number))
                self.number.append(number_of(str.__str__(name) if isinstance(name, str) else name))
            else:
                self._add_mixed(_plain(name, value), number_of)


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


def _plain(name, value):
    """A feature of another kind as features of plain ones; a dict as CRFsuite has it.

    >>> _plain("-1", {"word": "the"}), _plain("tags", ["a", "b"])
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
