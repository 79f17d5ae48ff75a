"""Examples to learn from: phones and letters as numbers, one flat array each."""

from dataclasses import dataclass

import numpy as np

from rcmviz.align.model import AlignLimits, AlignModel
from rcmviz.core.shared.frozen import CopyableMixin, freeze


@dataclass(frozen=True, eq=False)
class Pairs(CopyableMixin):
    """N examples: ``phone`` and ``letter``, flat numbers, those of example w from ``phone_start[w]`` to
    ``phone_start[w + 1]``, ``letter_start`` alike; ``phones`` and ``letters`` the inventories; ``limits`` of
    alignments.
    """

    phones: tuple
    letters: tuple
    phone: np.ndarray
    phone_start: np.ndarray
    letter: np.ndarray
    letter_start: np.ndarray
    limits: AlignLimits = AlignLimits()

    def __post_init__(self):
        freeze(self)

    @classmethod
    def from_pairs(cls, pairs, limits=None, *, letters=None, phones=None):
        """From (phones, text) pairs; the inventories are what occurs where they are not given.

        ValueError that names the example where phones or text are missing, unknown, or cannot be aligned at all.

        >>> Pairs.from_pairs([(["HH", "AY"], "hi")]).letters
        ('h', 'i')
        """
        pairs, limits = [(tuple(said), text) for said, text in pairs], limits or AlignLimits()
        if not pairs:
            raise ValueError("no examples: give at least one pair of phones and text")
        letters = tuple(sorted({letter for _, text in pairs for letter in text})) if letters is None else letters
        phones = tuple(sorted({phone for said, _ in pairs for phone in said})) if phones is None else phones
        _check(pairs, limits)
        numbers = AlignModel(letters or ("?",), phones or ("?",), limits=limits)
        found = []
        for number, (said, text) in enumerate(pairs, start=1):
            try:
                found.append((numbers.phone_numbers(said), numbers.letter_numbers(text)))
            except ValueError as error:
                raise ValueError(f"example {number} ({text!r}): {error}") from None
        said, spelt = zip(*found, strict=True)
        return cls(
            tuple(phones),
            tuple(letters),
            np.concatenate(said),
            _starts(said),
            np.concatenate(spelt),
            _starts(spelt),
            limits,
        )

    def __len__(self):
        return len(self.phone_start) - 1

    def sounds(self, w):
        """The phones of example w as numbers (L',)."""
        return self.phone[self.phone_start[w] : self.phone_start[w + 1]]

    def spelling(self, w):
        """The letters of example w as numbers (L,)."""
        return self.letter[self.letter_start[w] : self.letter_start[w + 1]]

    def text(self, w):
        """The letters of example w as a string."""
        return "".join(self.letters[y] for y in self.spelling(w))

    def phone_names(self, w):
        """The phones of example w by name."""
        return tuple(self.phones[x] for x in self.sounds(w))

    def take(self, numbers):
        """Some of the examples, in this order, with the same inventories."""
        chosen = [(self.phone_names(w), self.text(w)) for w in numbers]
        return Pairs.from_pairs(chosen, self.limits, letters=self.letters, phones=self.phones)

    @property
    def most(self):
        """The longest output that each example may have (N,)."""
        return np.array([self.limits.most_letters(n) for n in np.diff(self.phone_start)], np.int64)


def _starts(parts):
    return np.cumsum([0, *map(len, parts)])


def _check(pairs, limits):
    for number, (said, text) in enumerate(pairs, start=1):
        if not said or not text:
            missing = "no phones" if not said else "no text"
            raise ValueError(f"example {number} ({text!r}): {missing}; give both, or leave the example out")
        reason = limits.why_not(len(said), len(text))
        if reason:
            raise ValueError(f"example {number} ({text!r}): {reason}; leave it out, or widen the limits")
