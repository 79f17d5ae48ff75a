"""What the player shows while it reveals as one goes: nothing in here knows what lies behind its position."""

import numpy as np

from rcmviz.core.inference.so_far import best_beginnings, label_shares
from rcmviz.views.shared.plain import number
from rcmviz.views.word.labels import label_numbers


def so_far(lattice, forward, most):
    """``path`` per position ``[how many labels of the beginning before it keeps, the labels that follow]`` and
    ``label`` per position ``[label, share of all proposed]``: the ``most`` heaviest, and all that a beginning reads.
    """
    beginnings, shares = best_beginnings(lattice), label_shares(lattice, forward)
    path, before = [], ()
    wanted = [set() for _ in range(lattice.T)]
    for labels in beginnings:
        kept = _common(before, labels)
        path.append([kept, label_numbers(lattice, kept, labels[kept:])])
        for i, y in enumerate(labels[kept:], start=kept):
            wanted[i].add(y)
        before = labels
    rows = enumerate(zip(shares, wanted, strict=True))
    return {"path": path, "label": [_row(lattice, i, *each, most) for i, each in rows]}


def _row(lattice, i, row, wanted, most):
    heaviest = np.argsort(-row, kind="stable")[:most]
    shown = sorted(wanted | set(heaviest[row[heaviest] > 0].tolist()), key=lambda y: (-row[y], y))
    return [[lattice.label_of(i, y), number(row[y])] for y in shown]


def _common(one, other):
    """How many labels two beginnings share from the start."""
    shared = min(len(one), len(other))
    return next((k for k in range(shared) if one[k] != other[k]), shared)
