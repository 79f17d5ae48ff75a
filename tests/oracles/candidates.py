"""Candidates of a position by their definition, in whole numbers; imports nothing of rcmviz.

A position is a tuple of masses, one per label, 0 for what cannot be.
"""

from fractions import Fraction


def in_order(masses):
    """Labels that can be, the heaviest first, ties by their number.

    >>> in_order((1, 3, 0, 3))
    [1, 3, 0]
    """
    return sorted((y for y, mass in enumerate(masses) if mass), key=lambda y: (-masses[y], y))


def kept(masses, k=None, p=None):
    """(Labels that stay, ascending; share of the mass that is dropped).

    >>> kept((1, 3, 0, 4), p=Fraction(1, 2))
    ([3], Fraction(1, 2))
    """
    ranked, total = in_order(masses), sum(masses)
    if p is not None:
        fewest = (n for n in range(1, len(ranked) + 1) if Fraction(sum(masses[y] for y in ranked[:n]), total) >= p)
        ranked = ranked[: next(fewest)]
    ranked = ranked[:k]
    return sorted(ranked), 1 - Fraction(sum(masses[y] for y in ranked), total)
