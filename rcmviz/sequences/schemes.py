"""Tagging schemes: how the labels of a sequence say where chunks begin and end.

=======  ==================  ========================================================================================
name     labels              what they say
=======  ==================  ========================================================================================
bio      B-X, I-X, O         a chunk begins with B, the others of it have I (IOB2)
iob1     B-X, I-X, O         a chunk has I throughout; B begins one that follows a chunk of its own type at once
bioes    B-X, I-X, E-X, S-X  a chunk of several labels begins with B and ends with E, one of a single label is S
bilou    B-X, I-X, L-X, U-X  the same with L, last, and U, unit
=======  ==================  ========================================================================================

Labels without a type are B, I and so on; any other label, such as O, is outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rcmviz.core.shared import checks

OUTSIDE = ("O", "_")  # labels that are in no chunk; so is any that no scheme knows
ALIASES = {"iob2": "bio", "iobes": "bioes", "bioul": "bilou"}


@dataclass(frozen=True)
class Scheme:
    """A scheme by its ``name``: what each of its ``letters`` says, as B, I, E (end) or S (single)."""

    name: str
    letters: dict

    def split(self, label):
        """(B, I, E, S or O; type of the chunk) of a label.

        >>> SCHEMES["bilou"].split("L-PER"), SCHEMES["bilou"].split("O")
        (('E', 'PER'), ('O', ''))
        """
        letter, _, kind = str(label).partition("-")
        return (self.letters[letter], kind) if letter in self.letters else ("O", "")

    def forbidden(self, classes):
        """Whether label y cannot follow label a, ``(Y+1, Y+1)``; last row and column: the beginning and the end.

        >>> SCHEMES["bio"].forbidden(("B-x", "I-x", "O")).astype(int).tolist()
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]
        """
        part, kind = np.array([*map(self.split, classes), ("O", "")]).T
        is_open = np.isin(part, ("B", "I"))[:, None]
        continues = is_open & (kind[:, None] == kind)
        if self.name == "iob1":
            return (part == "B") & ~continues
        goes_on = np.isin(part, ("I", "E"))
        is_cut = is_open & ~goes_on if "E" in self.letters.values() else False
        return goes_on & ~continues | is_cut


SCHEMES = {
    "bio": Scheme("bio", {"B": "B", "I": "I"}),
    "iob1": Scheme("iob1", {"B": "B", "I": "I"}),
    "bioes": Scheme("bioes", {"B": "B", "I": "I", "E": "E", "S": "S"}),
    "bilou": Scheme("bilou", {"B": "B", "I": "I", "L": "E", "U": "S"}),
}
LETTERS = {letter for scheme in SCHEMES.values() for letter in scheme.letters}


def scheme_named(name: str) -> Scheme:
    """The scheme of a name, as people write it: BIO, IOB2, IOBES; ValueError for an unknown name."""
    known = ", ".join(map(repr, SCHEMES))
    lower = name.lower() if isinstance(name, str) else name
    return SCHEMES[checks.choice("scheme", ALIASES.get(lower, lower), SCHEMES, f"choose one of {known}")]


def scheme_of(labels: Sequence) -> Scheme | None:
    """The first scheme whose labels all of these are, apart from O and _, or None.

    >>> scheme_of(["O", "B-PER", "E-PER"]).name, scheme_of(["O", "NOUN"])
    ('bioes', None)
    """
    tagged = [str(label) for label in labels if str(label) not in OUTSIDE]
    letters = {label.partition("-")[0] for label in tagged}
    if not tagged or not (all("-" in label for label in tagged) or {"B", "I"} <= set(tagged)):
        return None
    return next((scheme for scheme in SCHEMES.values() if letters <= set(scheme.letters)), None)
