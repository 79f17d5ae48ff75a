"""One cell of an alignment lattice as rows: its kept contexts, and the fate of the heaviest other candidates.

A *candidate* extends a context of the previous cell by a move and a letter; equal candidates are one. The names of
contexts spell their history: ``e`` a letter on a phone of its own, ``+e`` another letter on the same phone, ``e~`` a
letter that takes one more phone; ``^`` the start, ``*`` forgotten symbols.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.kernels.align.features import BEGIN, BITS, BYTE, LETTER, LETTER_BITS, C, D, P
from rcmviz.kernels.align.groups import (
    FORWARD,
    G_LENGTH,
    G_MODE,
    G_PARENT,
    G_STRING,
    GROUP,
    LENGTH,
    LETTER_OF,
    MADE_BY,
    MADE_FROM,
    MODE,
    PROFILE,
    STRING,
)

MOST_OTHERS = 12  # candidates that were not kept, per cell


@dataclass(frozen=True)
class Candidate:
    """A candidate that was not kept.

    ``name`` and ``mode`` of its context · ``mass`` its share of all proposed mass · ``into`` the index in the cell of
    the context that carries it, −1 if dropped.
    """

    name: str
    mode: str
    mass: float
    into: int


class Context(NamedTuple):
    """A context of a cell, with its share of forward mass and its posterior."""

    name: str
    mode: str
    share: float
    posterior: float


class _Other(NamedTuple):
    """A candidate that is not kept: its mass, and the move, group and letter that make it."""

    mass: float
    move: int
    group: int
    letter: int


@dataclass(frozen=True)
class Cell:
    """Cell (a, i) of a lattice.

    ``contexts`` its ``Context``s · ``others`` the heaviest candidates that are not kept · ``seen`` the number of all
    candidates · ``moved`` the share of mass that was merged or dropped. Shares of forward mass are of all mass that was
    proposed in the cell.
    """

    a: int
    i: int
    contexts: tuple
    others: tuple
    seen: int
    moved: float


def mode_name(mode, limits):
    """The name of a mode: the letters or phones of the current star of an alignment.

    >>> from rcmviz.align.model import AlignLimits
    >>> [mode_name(mode, AlignLimits()) for mode in (1, 2, 5)]
    ['1:1', '2 letters', '2 phones']
    """
    if mode == 0:
        return "start"
    if mode == 1:
        return "1:1"
    most = limits.letters_per_phone
    return f"{mode} letters" if mode <= most else f"{mode - most + 1} phones"


def string_name(string, length, letters):
    """The symbols that a context remembers, oldest first, with a star in front if the history is longer.

    >>> from rcmviz.kernels.align.features import symbol
    >>> string_name(BEGIN << 16 | symbol(D, 0) << 8 | symbol(C, 1), 3, "ab"), string_name(symbol(P, 1), 1, "ab")
    ('^a+b', '*b~')
    """
    symbols = [(int(string) >> BITS * j) & BYTE for j in range(length)][::-1]
    spelt = "".join(_symbol_name(symbol, letters, first=j == 0) for j, symbol in enumerate(symbols))
    return spelt if symbols and symbols[0] == BEGIN else "*" + spelt


def _symbol_name(symbol, letters, first):
    if symbol == BEGIN:
        return "^"
    move, letter = (symbol >> LETTER_BITS) - 1, letters[symbol & LETTER]
    return {D: letter, C: "+" + letter, P: letter + "~" if first else "~"}[move]


def cell_of(lattice, model, a, i, posterior):
    """The ``Cell`` (a, i) of an ``AlignLattice``; ``posterior (K,)`` as ``lattice.posterior()``."""
    here = lattice.cell(a, i)
    mass = np.exp(lattice.log_mass[FORWARD, here] - _top(lattice.log_mass[FORWARD, here]))
    others, proposed = ((), 1, 0.0), mass.sum()
    if (a, i) != (0, 0):
        *others, proposed = _other_candidates(lattice, model, a, i, here)
    contexts = tuple(
        Context(
            string_name(lattice.contexts[STRING, k], lattice.contexts[LENGTH, k], model.letters),
            mode_name(int(lattice.contexts[MODE, k]), model.limits),
            float(share),
            float(posterior[k]),
        )
        for k, share in zip(range(here.start, here.stop), mass / (proposed or 1.0), strict=True)
    )
    return Cell(a, i, contexts, *others)


def _top(values):
    return max(values.max(initial=-np.inf), -700.0)


def _other_candidates(lattice, model, a, i, here):
    """(The heaviest candidates that are not kept, the number of all candidates, the mass share of all that are not
    kept, all mass that was proposed)."""
    found, total = [], 0.0
    made = lattice.contexts[[MADE_BY, MADE_FROM, LETTER_OF], here].T.tolist()
    kept = {tuple(maker): here.start + k for k, maker in enumerate(made)}
    base = _top(lattice.log_mass[FORWARD, here])
    for move in (D, C, P):
        source = a - (move != C), i - (move != P)
        if min(source) >= 0:
            flow, start = _flow(lattice, source, move, len(model.letters), base)
            total += flow.sum()
            found += [
                _Other(mass, move, start + group, y)
                for (group, y), mass in np.ndenumerate(flow)
                if mass > 0 and _is_other(kept, lattice, move, start + group, y)
            ]
    found.sort(key=lambda other: (-other.mass, other.move, other.group, other.letter))
    listed = [_candidate(lattice, model, (a, i), kept, here, other, total) for other in found[:MOST_OTHERS]]
    own = sum(lattice.contexts[MADE_BY, k] >= 0 for k in range(here.start, here.stop))
    moved = sum(other.mass for other in found) / total if total else 0.0
    return tuple(listed), len(found) + int(own), float(moved), total


def _is_other(kept, lattice, move, group, y):
    """Whether a candidate is not kept; P from a root remembers nothing: its mass is the root's own."""
    if move == P and lattice.groups[G_LENGTH, group] == 0:
        return False
    return (move, group, _letter(lattice, move, group, y)) not in kept


def _letter(lattice, move, group, y):
    """The letter of a candidate: P has that of its string."""
    return int(lattice.groups[G_STRING, group]) & LETTER if move == P else y


def _flow(lattice, source, move, letters, base):
    """Forward masses of a move's candidates out of a cell (groups, letters), times e^−base; and the first group."""
    number = source[0] * (lattice.most + 1) + source[1]
    start, stop = lattice.first[number, move : move + 2]
    step = 1 if move == P else letters
    flow = np.zeros((stop - start, step))
    cell = lattice.cell(*source)
    k = np.arange(cell.start, cell.stop)[lattice.contexts[GROUP + move, cell] >= 0]
    if len(k):
        arcs = lattice.factor[lattice.contexts[PROFILE, k], move * letters : move * letters + step]
        forward = np.exp(lattice.log_mass[FORWARD, k] - base)
        np.add.at(flow, lattice.contexts[GROUP + move, k] - start, forward[:, None] * arcs)
    return flow, int(start)


def _candidate(lattice, model, cell, kept, here, other, total):
    mode = int(lattice.groups[G_MODE, other.group])
    string, length = int(lattice.groups[G_STRING, other.group]), int(lattice.groups[G_LENGTH, other.group])
    letter = _letter(lattice, other.move, other.group, other.letter)
    if other.move != P:
        string, length = string << BITS | (other.move + 1) << LETTER_BITS | letter, length + 1
    name = string_name(string, length, model.letters)
    into = _carrier(lattice, kept, other.move, other.group, other.letter)
    if into < 0:
        into = int(lattice.roots[cell[0] * (lattice.most + 1) + cell[1], mode])
    return Candidate(name, mode_name(mode, model.limits), other.mass / total, into - here.start if into >= 0 else -1)


def _carrier(lattice, kept, move, group, y):
    """The context of the nearest ancestor that has one, −1 where only the root is left."""
    letter = _letter(lattice, move, group, y)
    while (group := int(lattice.groups[G_PARENT, group])) >= 0:
        if (context := kept.get((move, group, letter))) is not None:
            return context
    return -1
