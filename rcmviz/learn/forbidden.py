"""Answers in which certain labels never follow each other, such as what is inside a chunk after what is outside.

A lattice may have forgotten the last label, so a prohibition is no matter of its scores: it is looked for among pairs
of a context and the label that led there, where it holds whatever was merged.
"""

from dataclasses import replace

import numpy as np

from rcmviz.core import checks

BIO = "bio"


def forbidden_pairs(forbidden, classes):
    """Whether label y must not follow label a, ``(Y+1, Y)``, the last row the beginning; None where all may.

    ValueError where a pair is none, or names no label.

    >>> forbidden_pairs("bio", ("B-x", "I-x", "O")).astype(int).tolist()
    [[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0]]
    """
    if isinstance(forbidden, str):
        if forbidden != BIO:
            raise ValueError(f"forbidden {forbidden!r}: give pairs of labels, or {BIO!r}")
        pairs = bio_pairs(classes)
    else:
        pairs = checks.listed("forbidden", forbidden, f"pairs of labels, or {BIO!r}")
    if not pairs:
        return None
    numbers = {label: y for y, label in enumerate(classes)}
    never = np.zeros((len(classes) + 1, len(classes)), bool)
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"forbidden: {pair!r} is no pair (label, the label that must not follow)")
        before, after = pair
        with checks.hashable("forbidden", "labels are texts or numbers"):
            if after not in numbers or not (before is None or before in numbers):
                raise ValueError(f"forbidden: {pair!r} names a label that training has not seen")
            never[-1 if before is None else numbers[before], numbers[after]] = True
    return never


def bio_pairs(classes):
    """What must not come before ``I-X``: all but ``B-X`` and ``I-X``, the beginning too."""
    inside = [label for label in classes if str(label).startswith("I-")]
    return [(a, b) for b in inside for a in (None, *classes) if a not in (b, f"B-{b[2:]}")]


def obeying(batch, never, log_emits, lattices):
    """A batch whose answers break no prohibition: those that do are sought again, each in its method's lattice.

    ``lattices(log_emit)`` gives the lattices to seek in, one after the other until one has such an answer. The best
    answer of all is that of ``batch`` where it breaks none, so only the others cost anything.
    """
    labels, log_score = list(batch.labels), batch.log_score.copy()
    for w, found in enumerate(batch.labels):
        if never[np.concatenate([[-1], found[:-1]]), found].any():
            answers = (best_allowed(lattice, never) for lattice in lattices(log_emits[w]))
            labels[w], log_score[w] = next((answer for answer in answers if answer is not None), (None, None))
            if labels[w] is None:
                raise ValueError(f"sequence {w + 1}: every output of {len(found)} labels has a forbidden pair")
    return replace(batch, labels=tuple(labels), log_score=log_score, log_prob=log_score - batch.log_z)


def best_allowed(lattice, never):
    """(Label numbers (T,), log score) of the heaviest path without a forbidden pair, None where there is none."""
    width = lattice.target.shape[1]
    context, last, score = np.zeros(1, np.int64), np.array([width]), np.zeros(1)
    steps = []
    for _ in range(lattice.T):
        lost = never[last] | (lattice.target[context] < 0)
        reached = np.where(lost, -np.inf, score[:, None] + lattice.score[context])
        source, label = np.nonzero(reached > -np.inf)
        if not len(source):
            return None
        target, score = lattice.target[context[source], label].astype(np.int64), reached[source, label]
        order = np.lexsort((-score, target * width + label))
        _, first = np.unique((target * width + label)[order], return_index=True)
        best = order[first]
        steps.append((source[best], label[best]))
        context, last, score = target[best], label[best], score[best]
    at, found = int(score.argmax()), []
    total = float(score[at])
    for source, label in reversed(steps):
        found.append(label[at])
        at = source[at]
    return np.array(found[::-1]), total
