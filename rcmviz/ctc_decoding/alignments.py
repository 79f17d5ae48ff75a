"""All alignments of frames and labels that the kept contexts have, as one table; `align_frames` fills it.

A context is a string of labels that the collapsed output ends in, for each frame. *exact* keeps every string of
the n − 1 labels that an n-gram model sees, *beam* the heaviest whole outputs and drops the others, *rcms* the heaviest
strings and merges the others into their longest suffix that is kept. The last label is never forgotten: the
collapse depends on whether the next one repeats it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rcmviz.core.builders.passes import MAX_ARCS
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.chain.selection import SLACK
from rcmviz.kernels.ctc import columns, sweeps

NOTHING_SEEN = columns.Seen(np.zeros(0, np.int64), np.zeros((0, 2)))  # without a previous pass
NO_SHAPE = columns.Shape(np.zeros(0, np.int64), np.zeros(0, np.int64))  # of strings that are never merged
NO_SHAPE.bare.setflags(write=False)  # as of strings that are


@dataclass(frozen=True, eq=False)
class Alignments(CopyableMixin):
    """Contexts after 0 … T frames, their links, and the logs of what comes before and after.

    ``links`` and ``scores`` are what the kernels of ``kernels/ctc`` take; ``names`` numbers the strings of ``keys``.
    """

    names: Any  # as of ``contexts.py``
    keys: np.ndarray  # (C,)
    links: columns.Links
    scores: columns.LinkScores
    alpha: np.ndarray  # (C, 2)
    beta: np.ndarray  # (C, 2)

    def __post_init__(self):
        freeze(self)

    @property
    def frames(self):
        """Number of frames, T."""
        return len(self.scores.emit)

    @property
    def width(self):
        """Number of labels, V."""
        return self.links.child.shape[1]

    @property
    def log_z(self):
        """Log of the summed scores of all alignments."""
        return float(self.beta[0, columns.BLANK])

    def seen(self, t):
        """The kernels' arguments of a previous pass: the contexts after t frames."""
        column = slice(*self.links.offset[t : t + 2])
        ranked = np.argsort(self.keys[column])
        return columns.Seen(self.keys[column][ranked], self.beta[column][ranked])

    @cached_property
    def slots(self):
        """In how many contexts one beginning of an output can be: one for each length of a string."""
        return int(self.links.length.max())

    @cached_property
    def end(self):
        """Log of the score of the end after each context, (C, 1)."""
        return self.scores.table[self.links.row, -1:]

    @cached_property
    def symbols(self):
        """Probability of each symbol at each frame, (T, V + 1), the blank last."""
        share = np.empty((self.frames, self.width + 1))
        sweeps.symbols(self.links, self.scores, self.alpha, self.beta, self.log_z, share)
        return share


def align_frames(emit, label_scores, method, budget, passes=1):
    """The ``Alignments`` of checked logs ``emit (T, V + 1)``, the blank last.

    From the second of the ``passes`` on, contexts are ranked by what comes before and after.
    """
    table, names = None, label_scores.names(method)
    for _ in range(passes):
        table = _one_pass(emit, label_scores, names, method, budget, table)
    return table


class _Column(NamedTuple):
    """The contexts after a frame: what ``Alignments`` and its ``Links`` have of them."""

    keys: np.ndarray
    stay: np.ndarray
    child: np.ndarray
    last: np.ndarray
    row: np.ndarray
    alpha: np.ndarray


def _one_pass(emit, label_scores, names, method, budget, before):
    """The ``Alignments`` of one pass, with those of the pass before."""
    frames, width = len(emit), emit.shape[1] - 1
    keys, alpha = np.array([names.start], np.int64), np.array([[0.0, -np.inf]])
    columns_of, offset, space, arcs = [], [0, 1], None, 0
    for t in range(frames):
        arcs += len(keys) * width
        if arcs > MAX_ARCS:
            remedy = "use rcms or beam" if method == "exact" else "lower the budget"
            raise ValueError(f"{arcs:,} arcs by frame {t + 1}, the limit is {MAX_ARCS:,}; {remedy}")
        row, grown, last = label_scores.rows_of(names, keys), names.grown(keys), names.last(keys)
        shape = columns.Shape(*names.shape) if method == "rcms" else NO_SHAPE
        most = (len(keys) + 1) * (width + 1)
        space = room(most) if space is None or len(space.keys) < most else space
        kept = most if method == "exact" else min(budget, most)
        stay, child = np.empty(len(keys), np.int32), np.empty((len(keys), width), np.int32)
        next_keys, next_alpha = np.empty(most, np.int64), np.empty((most, 2))
        following = columns.Following(stay, child, next_keys, next_alpha)
        scores = columns.Scores(label_scores.table, label_scores.outlook(names, keys))
        context, seen = columns.Contexts(keys, grown, last, row, alpha), before.seen(t + 1) if before else NOTHING_SEEN
        count = columns.step(context, scores, emit[t], shape, seen, kept, offset[-1], space, following)
        columns_of.append(_Column(keys, stay, child, last, row, alpha))
        keys, alpha = next_keys[:count].copy(), next_alpha[:count].copy()
        offset.append(offset[-1] + count)
    nowhere = np.full(len(keys), columns.DROPPED, np.int32)
    row, last = label_scores.rows_of(names, keys), names.last(keys)
    columns_of.append(_Column(keys, nowhere, np.repeat(nowhere[:, None], width, axis=1), last, row, alpha))
    all_ = _Column(*(np.concatenate(parts) for parts in zip(*columns_of, strict=True)))
    lengths = names.lengths(all_.keys)
    links = columns.Links(np.array(offset), all_.stay, all_.child, all_.last, all_.row, lengths)
    scores, beta = columns.LinkScores(emit, label_scores.table.copy()), np.empty_like(all_.alpha)
    for column in (*links, *scores):
        column.setflags(write=False)
    sweeps.backward(links, scores, beta)
    return Alignments(names, all_.keys, links, scores, all_.alpha, beta)


def room(candidates):
    """Places for twice as many ``candidates``, so that columns rarely grow."""
    most = 2 * candidates
    slots = 1 << int(2 * most).bit_length()
    return columns.Room(
        np.empty(most, np.int64),
        np.empty((most, 2)),
        np.empty(slots, np.int64),
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most + SLACK, np.int64),
    )
