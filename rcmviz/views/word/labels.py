"""Labels as the player is sent them: as numbers in ``lattice.labels``, also where positions have their own."""

LONGEST = 40  # labels of a context that are sent


def label_numbers(lattice, start, indices):
    """What indices write after ``start``, ``start`` + 1, … labels."""
    return [lattice.label_of(i, y) for i, y in enumerate(indices, start=start)]


def last_labels(lattice, i, c):
    """The last labels of a context of column i."""
    known = lattice.indices(c)[-LONGEST:]
    return label_numbers(lattice, i - len(known), known)
