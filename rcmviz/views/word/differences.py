"""Where methods on one word part: where first they keep other contexts, and where first they read another label."""

import numpy as np


def first_differences(lattices, decoded):
    """``{"kept": position or None, "output": position or None}`` of several lattices of one word.

    The root is no choice of a method, so it does not count · ``decoded`` per lattice the label indices of its best
    output.
    """
    first, *others = lattices
    others = [other for other in others if not _same_contexts(first, other)]
    columns = range(1, first.T)
    return {
        "kept": next((i for i in columns if any(_keep_others(first, other, i) for other in others)), None),
        "output": next((i for i, labels in enumerate(zip(*decoded, strict=True), 1) if len(set(labels)) > 1), None),
    }


def _same_contexts(one, other):
    """Whether the tables of two lattices name the same contexts in the same order, as those of exact inference do."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("length", "label", "origin"))


def _keep_others(one, other, i):
    """Whether two lattices keep other contexts at position i; the small question is asked first."""
    if _count(one, i) != _count(other, i):
        return True
    return _contexts(one, i) != _contexts(other, i)


def _count(lattice, i):
    return int((lattice.length[lattice.column(i)] > 0).sum())


def _contexts(lattice, i):
    column = lattice.column(i)
    return {lattice.indices(c) for c in range(column.start, column.stop)} - {()}
