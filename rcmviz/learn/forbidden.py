"""Answers in which certain labels never follow each other, such as the inside of a chunk after the outside.

A lattice may have forgotten the last label, so a prohibition is no matter of its scores: it is looked for among pairs
of a context and the label that led there, where it holds whatever was merged.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.wording import counted
from rcmviz.sequences.encoding import labels_text
from rcmviz.sequences.schemes import LETTERS, SCHEMES, scheme_named

NONE = "none"
WANTED = f"pairs of labels, or {', '.join(map(repr, SCHEMES))} for a scheme"


def forbidden_pairs(forbidden, classes):
    """Whether label y must not follow label a, ``(Y+1, Y+1)``, the last row the beginning, the last column the end.

    None where all may. ValueError where a pair is none or names no label, or a scheme is unknown or not that of the
    labels.

    >>> forbidden_pairs([("a", "b"), ("b", None)], ("a", "b")).astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    if forbidden is None:
        return None
    if isinstance(forbidden, str):
        return None if forbidden == NONE else _scheme_pairs(forbidden, classes)
    pairs = checks.as_list("forbidden", forbidden, WANTED)
    if not pairs:
        return None
    number = {label: y for y, label in enumerate(classes)} | {None: -1}
    never = np.zeros((len(classes) + 1, len(classes) + 1), bool)
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or pair[0] is pair[1] is None:
            raise ValueError(f"forbidden: {pair!r} is no pair (label, the label that must not follow)")
        with checks.hashable("forbidden", "labels are texts or numbers"):
            if not set(pair) <= set(number):
                raise ValueError(f"forbidden: {pair!r} names a label that training has not seen")
        never[number[pair[0]], number[pair[1]]] = True
    return never


def _scheme_pairs(name, classes):
    try:
        scheme = scheme_named(name)
    except ValueError:
        raise ValueError(f"forbidden {name!r}: give {WANTED}") from None
    others = [label for label in classes if _letter(label) in LETTERS - set(scheme.letters)]
    is_met = any(_letter(label) in scheme.letters for label in classes)
    if others or not is_met and set(classes) - {"O"} and not {"B", "I"} <= set(classes):
        fault = (
            f"{others[0]!r} is no label of this scheme"
            if others
            else f"no label is of this scheme: {labels_text(classes)}"
        )
        raise ValueError(
            f"forbidden {name!r}: {fault}; its labels are O, {', '.join(f'{letter}-…' for letter in scheme.letters)}; "
            f"{_remedy(_schemes_of(classes))}"
        )
    return scheme.forbidden(classes)


def _letter(label):
    """The part before the first dash of a label such as ``B-PER``; None without a dash."""
    before, *after = str(label).split("-", 1)
    return before if after else None


def _schemes_of(classes):
    """The schemes that know all letters of the labels."""
    letters = set(map(_letter, classes)) & LETTERS
    return [scheme for scheme in SCHEMES.values() if letters and letters <= set(scheme.letters)]


def _remedy(schemes):
    if not schemes:
        return "rename the labels, give pairs of them, or leave forbidden out"
    return f"the labels look like {' or '.join(repr(scheme.name) for scheme in schemes)}"


def check_allowed(forbidden, classes, gold, offset, place_of):
    """ValueError where gold labels, numbers (N,) by ``offset (W+1,)``, have a forbidden pair.

    ``place_of(w, i)`` names the place of label i of sequence w, both from 0.
    """
    never = forbidden_pairs(forbidden, classes)
    if never is None:
        return
    pairs = _pairs(never, gold, offset)
    if not pairs.is_broken.any():
        return
    first = int(pairs.is_broken.argmax())
    w = int(np.searchsorted(offset + np.arange(len(offset)), first, side="right")) - 1
    i = first - int(offset[w]) - w  # of the label that follows; behind the last one there is the end
    a, b = (None if y < 0 else classes[y] for y in (pairs.before[first], pairs.after[first]))
    fitting = [one for one in _schemes_of(classes) if not _pairs(one.forbidden(classes), gold, offset).is_broken.any()]
    remedy = f"{_remedy(fitting)}: name that, or correct them" if fitting else "correct the labels, or forbid less"
    raise ValueError(
        f"{place_of(w, i - (b is None))}: {_event(a, b)}, which forbidden={forbidden!r:.60} excludes, as in "
        f"{counted(int(pairs.is_broken.sum()), 'place')} of the training labels; {remedy}"
    )


def _event(a, b):
    """That label b follows label a, None for the beginning and the end."""
    if a is None:
        return f"{b!r} begins the sequence"
    return f"{a!r} ends the sequence" if b is None else f"{b!r} follows {a!r}"


class _Pairs(NamedTuple):
    """Label before, label after, whether that is forbidden (N + W,); −1 for the edges of sequences."""

    before: np.ndarray
    after: np.ndarray
    is_broken: np.ndarray


def _pairs(never, gold, offset):
    """All ``_Pairs`` of gold labels."""
    edged = np.insert(gold, offset, -1)
    before, after = edged[:-1], edged[1:]
    return _Pairs(before, after, never[before, after] & ((before >= 0) | (after >= 0)))


def replace_forbidden(batch, never, log_emits, lattices):
    """A batch whose answers break no prohibition: those that do are sought again, each in its method's lattice.

    ``lattices(log_emit)`` gives the lattices to seek in, one after the other until one has such an answer. The best
    answer of all is that of ``batch`` where it breaks none, so only the others cost anything.
    """
    labels, log_score = list(batch.labels), batch.log_score.copy()
    for w, found in enumerate(batch.labels):
        edged = np.concatenate([[-1], found, [-1]])
        if never[edged[:-1], edged[1:]].any():
            answers = (best_allowed(lattice, never) for lattice in lattices(log_emits[w]))
            labels[w], log_score[w] = next((answer for answer in answers if answer is not None), (None, None))
            if labels[w] is None:
                raise ValueError(f"sequence {w + 1}: every output of {len(found)} labels has a forbidden pair")
    return replace(batch, labels=tuple(labels), log_score=log_score, log_prob=log_score - batch.log_z)


def best_allowed(lattice, never):
    """(Label numbers (T,), log score) of the heaviest path without a forbidden pair, or None."""
    width = lattice.target.shape[1]
    context, last, score = np.zeros(1, np.int64), np.array([width]), np.zeros(1)
    steps = []
    for _ in range(lattice.T):
        lost = never[last, :width] | (lattice.target[context] < 0)
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
    score = np.where(never[last, width], -np.inf, score)
    at, found = int(score.argmax()), []
    total = float(score[at])
    if total == -np.inf:
        return None
    for source, label in reversed(steps):
        found.append(label[at])
        at = source[at]
    return np.array(found[::-1]), total
