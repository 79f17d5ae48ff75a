"""The alignment model: letters given phones, log-linear in n-grams of letters and of edges.

An alignment is a string of *moves*: D, a new letter on the next phone; C, another letter on the same phone; P, the same
letter takes the next phone as well. Every phone and every letter has an edge, no edges cross, and every component is a
star: between two D's all moves are C or all are P.

A *feature* is a letter after up to n − 1 letters, or an edge (move, phone, letter) after up to n − 1 edges. The weights
of all features that differ in their last letter only are one row; ``address`` says which
(``kernels/align/scores.py``).
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.npz import UNFIT, head_text, read_npz, write_npz

FORMAT, VERSION = "rcmviz/alignment", 1
MODES = ("single", "additive")
END, BEGIN, FORGOTTEN = "</s>", "^", "*"
MOST_LETTERS, MOST_PHONES, MOST_ORDER, MOST_MEMORY = 62, 60_000, 7, 7
MOVES = "DCP"


@dataclass(frozen=True)
class AlignLimits:
    """Limits of an alignment: letters per phone, phones per letter, and L ≤ ``stretch`` · L' + ``extra`` letters.

    Without such caps the sum over all outputs diverges, as C adds letters for free.
    """

    letters_per_phone: int = 4
    phones_per_letter: int = 3
    stretch: float = 1.5
    extra: int = 3

    def __post_init__(self):
        ranges = {"letters_per_phone": (1, 8), "phones_per_letter": (1, 7), "extra": (0, 1000)}
        for name, (low, high) in ranges.items():
            value = checks.whole(name, getattr(self, name), low, high, f"a whole number from {low} to {high}")
            object.__setattr__(self, name, value)
        checks.number("stretch", self.stretch, "a number above 0, at most 20", above=0, most=20)

    @property
    def modes(self):
        """The number of modes of a context: the start, D, the second letter …, the second phone …"""
        return self.letters_per_phone + self.phones_per_letter

    def most_letters(self, phones):
        """The longest output for ``phones`` phones."""
        return max(1, min(int(self.stretch * phones + self.extra), self.letters_per_phone * phones))

    def why_not(self, phones, letters):
        """The reason why these numbers of phones and letters cannot be aligned, or None."""
        most, least = self.most_letters(phones), -(-phones // self.phones_per_letter)
        counted = f"{letters} letter{'s' * (letters != 1)} for {phones} phone{'s' * (phones != 1)}"
        if letters > most:
            return f"{counted}: at most {most} can be aligned"
        if letters < least:
            return f"{counted}: at least {least} are needed"
        return None


WORDS, UTTERANCES = AlignLimits(), AlignLimits(stretch=1.9)


@dataclass(frozen=True, eq=False)
class AlignModel(CopyableMixin):
    """Log-linear weights of alignments.

    ``letters`` and ``phones`` the inventories · ``order`` n · ``mode`` "additive", where the weights of all shorter
    features add up, or "single", where only the longest that is known counts · ``limits`` · per row (R,): ``address``
    of the trie node, parents first, and ``weights (R, letters + 1)``, whose last column is the end, or of a P whose
    letter is forgotten. ValueError where they do not fit together.
    """

    letters: tuple
    phones: tuple
    order: int = 5
    mode: str = "additive"
    limits: AlignLimits = WORDS
    address: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    weights: np.ndarray | None = None
    info: dict = field(default_factory=dict)

    def __post_init__(self):
        for name, most in (("letters", MOST_LETTERS), ("phones", MOST_PHONES)):
            inventory = tuple(getattr(self, name))
            object.__setattr__(self, name, inventory)
            if not all(isinstance(one, str) for one in inventory):
                raise ValueError(f"{name}: texts, not numbers or lists")
            if not 1 <= len(set(inventory)) == len(inventory) <= most:
                different = len(set(inventory))
                count_text = (
                    f"{len(inventory):,}, of which {different:,} differ" if different < len(inventory) else different
                )
                raise ValueError(f"{name}: from 1 to {most:,} different ones, not {count_text}")
        checks.choice("mode", self.mode, MODES)
        object.__setattr__(self, "order", checks.whole("order", self.order, 1, MOST_ORDER))
        if self.weights is None:
            object.__setattr__(self, "weights", np.zeros((0, len(self.labels)), np.float32))
        are_real = self.weights.dtype.kind == "f" and (np.abs(self.weights) <= checks.LARGEST).all()
        if self.weights.shape != (len(self.address), len(self.labels)) or not are_real:
            raise ValueError(f"the weights are {self.weights.shape}: not finite ones of {len(self.labels)} columns")
        if not _are_addresses(self.address, len(self.phones)):
            raise ValueError("the addresses are not those of rows, each once, parents first")
        freeze(self)

    @property
    def labels(self):
        """The columns of a row of weights: the letters and the end."""
        return (*self.letters, END)

    @property
    def additive(self):
        """Whether shorter features count as well."""
        return self.mode == "additive"

    def phone_numbers(self, phones):
        """Phones as numbers (L',) int64; ValueError for one that is not in the inventory, and for none at all."""
        return _numbers(phones, self.phones, "phone")

    def letter_numbers(self, text):
        """A text as numbers (L,) int64; ValueError for a letter that is not in the inventory, and for an empty text."""
        return _numbers(text, self.letters, "letter")

    def features(self):
        """The name of every row: ``("letters", before)``, or ``("edges", before, (move, phone) of the new one)``.

        Oldest first; an edge is (move, phone, letter). A P repeats the letter of its column, which is ``*`` here.
        """
        names = []
        for address in self.address.tolist():
            above, mark = names[(address >> 24) - 1] if address >> 24 else None, address & 0xFFFFFF
            names.append(self._feature_name(above, mark))
        return names

    def _feature_name(self, above, mark):
        if above is None:
            if mark == 0:
                return "letters", ()
            return "edges", (), (MOVES[(mark >> 6 & 3) - 1], self.phones[(mark >> 8) - 1])
        letter = self.letters[mark & 63] if mark & 63 < len(self.letters) else BEGIN
        if above[0] == "letters":
            return "letters", (letter, *above[1])
        move = mark >> 6 & 3
        edge = BEGIN if move == 0 and mark >> 8 == 0 else (MOVES[move - 1], self.phones[(mark >> 8) - 1], letter)
        if above[2][0] == "P" and not above[1] and edge != BEGIN:
            edge = (*edge[:2], FORGOTTEN)
        return "edges", (edge, *above[1]), above[2]

    def save(self, path):
        """Write the model as an npz without pickle; OSError if it cannot be written."""
        head = {"letters": self.letters, "phones": self.phones, "order": self.order, "mode": self.mode}
        head |= {"limits": vars(self.limits), "info": self.info}
        named = {"format": FORMAT, "version": VERSION, "head": head_text(head)}
        write_npz(path, named | {"address": self.address, "weights": self.weights}, compressed=True)

    @classmethod
    def load(cls, path):
        """Read what ``save`` wrote; ValueError where the file is none of these."""
        if not Path(path).exists():
            raise ValueError(f"{path}: no such file; a model is written by AlignModel.save")
        parts = read_npz(path, "alignment model", "save the model again")
        version = parts.get("version")
        if str(parts.get("format")) != FORMAT or str(version) not in map(str, range(1, VERSION + 1)):
            raise ValueError(f"{path}: not an alignment model that this rcmviz can read")
        try:
            head = json.loads(str(parts["head"]))
            head["limits"] = AlignLimits(**head["limits"])
            return cls(**head, address=parts["address"], weights=parts["weights"])
        except UNFIT as error:
            raise ValueError(f"{path}: the model is damaged ({error}); save it again") from None


def _are_addresses(address, phones):
    """Whether the rows have different addresses, each with a parent in an earlier row, and known phones."""
    if not isinstance(address, np.ndarray) or address.dtype != np.int64 or address.ndim != 1:
        return False
    fits = (address >= 0) & (address >> 24 <= np.arange(len(address))) & ((address >> 8 & 0xFFFF) <= phones)
    return bool(fits.all()) and len(np.unique(address)) == len(address)


def _numbers(given, inventory, what):
    place = {name: number for number, name in enumerate(inventory)}
    unknown = sorted({str(name) for name in given if name not in place})
    if unknown:
        raise ValueError(f"{what} {', '.join(map(repr, unknown))}: not among {' '.join(map(repr, inventory))}")
    if len(given) == 0:
        raise ValueError(f"no {what}s at all: give at least one")
    numbers = np.array([place[name] for name in given], np.int64)
    numbers.setflags(write=False)
    return numbers
