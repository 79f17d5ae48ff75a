"""Labels as the player is sent them: as numbers in ``lattice.labels``, also where positions have their own."""

LONGEST = 40  # labels of a context that are sent


def label_numbers(lattice, start, indices):
    """What indices write after ``start``, ``start`` + 1, … labels."""
    if lattice.choices is None:
        return list(indices)
    return [lattice.label_of(i, y) for i, y in enumerate(indices, start=start)]


class Remembered:
    """What the contexts of one lattice remember; each is walked back once, for it is shown at two positions."""

    def __init__(self, lattice):
        self._lattice, self._indices, self._last = lattice, {}, {}

    def indices(self, c):
        """As ``Lattice.indices``."""
        if c not in self._indices:
            self._indices[c] = self._lattice.indices(c)
        return self._indices[c]

    def last(self, i, c):
        """The last labels of a context of column i, as numbers."""
        if c not in self._last:
            known = self.indices(c)[-LONGEST:]
            self._last[c] = label_numbers(self._lattice, i - len(known), known)
        return self._last[c]
