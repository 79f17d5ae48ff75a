"""Lattices as the text that finite-state tools read: OpenFst (also pynini, kaldifst) and k2.

A state is a context, so state 0 is the start; a label is its number in the lattice plus one, 0 being no label. OpenFst
adds costs, so an arc's weight is −score; k2 adds scores, and enters its last state by arcs with the label −1.
"""

from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks

CONVENTIONS = "openfst", "k2"
EPSILON = "<eps>"


class _Arc(NamedTuple):
    """From one context to another by a label, whose number counts from 1."""

    source: int
    target: int
    label: int
    score: float


def fst_text(lattice, convention):
    """The arcs that there are, a line each, ascending by their source; then the final state."""
    if checks.text("convention", convention) not in CONVENTIONS:
        raise ValueError(f"convention: {convention!r} is none of {', '.join(CONVENTIONS)}")
    arcs = _arcs(lattice)
    if not arcs or arcs[0].source:
        raise ValueError("the lattice has no arc at its start: there is no path to write")
    last = lattice.C - 1  # the root of the last column, where every path ends
    if convention == "k2":
        lines = [f"{arc.source} {arc.target} {arc.label} {arc.score!r}" for arc in arcs]
        lines += [f"{last} {last + 1} -1 0.0", f"{last + 1}"]
    else:
        lines = [f"{arc.source}\t{arc.target}\t{arc.label}\t{arc.label}\t{-arc.score!r}" for arc in arcs] + [f"{last}"]
    return "\n".join(lines) + "\n"


def symbol_table(labels):
    """The names of the label numbers, a line each; ValueError for a name that a line of two words cannot hold."""
    for label in labels:
        if not label or label.split() != [label] or label == EPSILON:
            raise ValueError(f"label {label!r}: a symbol is a text without blanks, and not {EPSILON}; rename the label")
    return "".join(f"{name}\t{number}\n" for number, name in enumerate((EPSILON, *labels)))


def _arcs(lattice):
    """Every ``_Arc`` that is possible."""
    possible = (lattice.target >= 0) & (lattice.score > -np.inf)
    numbers = lattice.label_numbers + 1
    column = np.repeat(np.arange(lattice.T + 1), np.diff(lattice.offset))
    return [
        _Arc(c, int(lattice.target[c, y]), int(numbers[column[c], y]), float(lattice.score[c, y]))
        for c, y in np.argwhere(possible).tolist()
    ]
