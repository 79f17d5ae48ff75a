"""What a context of an alignment remembers, the modes it can be in, and hash tables whose entries are of one example.

A *string* is what a context remembers, newest symbol in the lowest byte: ``(move + 1) · 64 + letter``, and ``BEGIN``
where it reaches back to the start. A table is a hash ``(H, 3)`` of key, stamp and value whose entries count only where
their stamp is the present one.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.learn.weights import GOLDEN

D, C, P = 0, 1, 2  # a letter on the next phone · another letter on this phone · the letter takes the next phone too
START, NORMAL = 0, 1  # modes; then C2, C3, … and P2, P3, …: how many letters or phones the present star has
BITS, BYTE = 8, 255
LETTER_BITS, LETTER = 6, 63
BEGIN = 63  # a symbol without a move, and a letter that none has
NOW, PHONE, GROUPING, NODES, PROFILES, TOO_FAR, PLACES, COUNTERS = 0, 1, 2, 3, 4, 5, 6, 7  # of ``counters``
KEY, STAMP, VALUE = 0, 1, 2  # of a table's entry


class Shape(NamedTuple):
    """Values shared by all examples of a model."""

    letters: int
    order: int
    memory: int
    letters_per_phone: int
    phones_per_letter: int
    additive: int
    joined: int


@part(_nrt=False)
def next_mode(mode, move, shape):
    """The mode after a move, −1 where it is not allowed."""
    letters, phones = shape.letters_per_phone, shape.phones_per_letter
    if move == D:
        return NORMAL
    if mode == START:
        return -1
    if move == C:
        return mode + 1 if mode < letters else -1
    if mode == NORMAL:
        return letters + 1 if phones > 1 else -1
    return mode + 1 if letters < mode < letters + phones - 1 else -1


@kernel(_nrt=False)
def symbol(move, letter):
    """A symbol of a string."""
    return (move + 1) << LETTER_BITS | letter


@part(_nrt=False)
def tail(string, length):
    """The newest symbols of a string."""
    return string & ((np.int64(1) << BITS * length) - 1)


@part(_nrt=False)
def brings_letter(string, length, j):
    """Whether symbol j brings a letter that no older one has: P repeats the letter of the symbol before."""
    move = ((string >> BITS * j) & BYTE) >> LETTER_BITS
    return move != P + 1 or j == length - 1


@part(_nrt=False)
def needed(string, length, order):
    """How many symbols any feature looks at: n − 1 edges, n − 1 letters, and the newest, which P repeats."""
    known, least = 0, max(order - 1, 1)
    for j in range(length):
        repeats = j > 0 and not brings_letter(string, length, j - 1)
        if j >= least and known + np.int64(repeats) >= least:
            return j
        known += np.int64(brings_letter(string, length, j))
    return length


@part(_nrt=False)
def seek(key, table, places, now):
    """The place of a key among the first ``places`` of a table, a power of two, or the free one where it would go."""
    mask = places - 1
    at = ((key * GOLDEN) >> 20) & mask
    while table[at, STAMP] == now and table[at, KEY] != key:
        at = (at + 1) & mask
    return at


@part(_nrt=False)
def put(key, value, at, table, now):
    """Write an entry at a place that ``seek`` gave."""
    table[at, KEY], table[at, STAMP], table[at, VALUE] = key, now, value
