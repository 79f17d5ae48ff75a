"""Dicts of features become numbers, in one pass of compiled code over the dicts of Python themselves.

A text ``value`` of a ``name`` is the feature ``name=value``, a number that of its name. ``names`` is the list of all
names, ``slots`` a hash table of their numbers: the upper half of the hash and one more than the number, 0 where none
is, at most half full. A pair is looked up without being joined, by the hash of the characters that it would have, and
compared with the name that is found, so it is the right one whatever the hash.

``kinds`` are the addresses of the types str, int, bool and float and of the text "=", and where hashes begin: elsewhere
in each process, as Python's own, so that nobody can choose names that meet. Python's lock is held throughout.
"""

import numpy as np
from numba import config

from rcmviz.kernels import objects as python
from rcmviz.kernels.kernel import kernel

COMPILED = not config.DISABLE_JIT  # what looks at objects of Python has no other way
STR, INT, BOOL, FLOAT, EQUALS, SEED = range(6)
ALONE = (0, 0, 0)  # the characters of no value
NONE = -1
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
UPPER, LOWER = np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
SIGN = ord("=")


@kernel(nogil=False, error_model="numpy", _nrt=False, inline="always")
def hash_on(code, text):
    """The hash of some characters and those of this text behind them."""
    for i in range(text[1]):
        code = (code ^ python.character(text, i)) * FACTOR
    return code


@kernel(nogil=False, error_model="numpy", _nrt=False, inline="always")
def stand_at(whole, first, text):
    """Whether the characters of a text from ``first`` on are these."""
    i = 0
    while i < text[1] and python.character(whole, first + i) == python.character(text, i):
        i += 1
    return i == text[1]


@kernel(nogil=False, error_model="numpy", _nrt=False)
def place_names(names, kinds, first, slots):
    """Give the names from ``first`` on their slots, those that are texts; each is another."""
    mask = np.uint64(slots.size - 1)
    for number in range(first, python.length_of(names)):
        name = python.item_of(names, number)
        if python.type_of(name) == kinds[STR]:
            code = hash_on(np.uint64(kinds[SEED]), python.characters_of(name))
            code ^= code >> HALF
            at = code & mask
            while slots[at] != 0:
                at = (at + np.uint64(1)) & mask
            slots[at] = (code & UPPER) | np.uint64(number + 1)


@kernel(nogil=False, error_model="numpy", _nrt=False, inline="always")
def slot_of(name, value, kinds, names, slots):
    """(hash, slot) of a name, with "=" and the value behind it where there is one: the slot that has its number, or
    that it could take.
    """
    code, length = hash_on(np.uint64(kinds[SEED]), name), name[1]
    if value[0] != 0:
        code = hash_on((code ^ np.uint64(SIGN)) * FACTOR, value)
        length += 1 + value[1]
    code ^= code >> HALF
    mask = np.uint64(slots.size - 1)
    at = code & mask
    while slots[at] != 0:
        if (slots[at] ^ code) & UPPER == 0:
            whole = python.characters_of(python.item_of(names, np.intp(slots[at] & LOWER) - 1))
            if whole[1] == length and stand_at(whole, 0, name):
                if value[0] == 0:
                    break
                if python.character(whole, name[1]) == np.uint64(SIGN) and stand_at(whole, name[1] + 1, value):
                    break
        at = (at + np.uint64(1)) & mask
    return code, at


@kernel(nogil=False, error_model="numpy", _nrt=False, inline="always")
def number_pair(key, text, is_text, kinds, names, slots, is_growing):
    """The number of a feature, NONE of one that is not known."""
    name = python.characters_of(key)
    value = python.characters_of(text) if is_text else ALONE
    code, at = slot_of(name, value, kinds, names, slots)
    if slots[at] != 0:
        return np.intp(slots[at] & LOWER) - 1
    if not is_growing:
        return NONE
    number = python.length_of(names)
    if is_text:
        joined = python.join(key, kinds[EQUALS], text)
        python.append(names, joined)
        python.let_go(joined)
    else:
        python.append(names, key)
    slots[at] = (code & UPPER) | np.uint64(number + 1)
    return number


@kernel(nogil=False, error_model="numpy", _nrt=False)
def number_positions(positions, first, kinds, names, slots, is_growing, found):
    """Number the features of the positions from ``first`` on, a list of dicts; returns the position that it stops at:
    behind the last, or where a name or value is of another kind, the table half full, or there is no room: another
    thread may have put more into a dict since it was counted.

    ``found = (number (K,), ends, values, places, many (2,))``: the numbers one after the other, where those of each
    position end, the values that are not 1 and their entries, and how many numbers and such values there are.
    """
    number, ends, values, places, many = found
    entries = values_met = 0
    for i in range(first, python.length_of(positions)):
        position, cursor = python.item_of(positions, i), 0
        many[0], many[1] = entries, values_met
        more = python.length_of(position)
        if entries + more > number.size or (is_growing and 2 * (python.length_of(names) + more) > slots.size):
            return i
        while True:
            cursor, key, value = python.next_pair(position, cursor)
            if cursor == 0:
                break
            kind, amount = python.type_of(value), 1.0
            if python.type_of(key) != kinds[STR]:
                return i
            if kind == kinds[FLOAT]:
                amount = python.float_of(value)
            elif kind == kinds[INT] or kind == kinds[BOOL]:
                whole, is_beyond = python.whole_of(value)
                if is_beyond:
                    return i
                amount = np.float64(whole)
            elif kind != kinds[STR]:
                return i
            if amount != 1:
                values[values_met], places[values_met] = amount, entries
                values_met += 1
            number[entries] = number_pair(key, value, kind == kinds[STR], kinds, names, slots, is_growing)
            entries += 1
        ends[i - first] = entries
    many[0], many[1] = entries, values_met
    return python.length_of(positions)
