"""Flow of mass through each frame, and the share that belongs to one output."""

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from rcmviz.ctc_decoding.alignments import Alignments

STAYS = -1  # in place of a label: the string stays as it is, by a blank or by its last label again
LEAST = -60.0  # log share of a frame's mass below which alignments of an output are left out


class Arcs(NamedTuple):
    """The candidates of each context before a frame, one entry each: arrays of shape (M,), those of no mass left out.

    ``context`` before the frame · ``label`` that is appended, or ``STAYS`` · ``key`` of the string · ``log_mass`` ·
    ``into`` the context after the frame, −1 where it was dropped · ``kept`` whether that is the string itself.
    """

    context: np.ndarray
    label: np.ndarray
    key: np.ndarray
    log_mass: np.ndarray
    into: np.ndarray
    kept: np.ndarray


def column_of(table: Alignments, t: int) -> slice:
    """The contexts after t frames, as a slice."""
    return slice(*table.links.offset[t : t + 2].tolist())


def arcs_of(table: Alignments, t: int) -> Arcs:
    """The arcs of frame t, 1 … T.

    >>> import rcmviz as rv
    >>> found = arcs_of(rv.ctc(np.log([[0.6, 0.4]]), "a", blank=1).alignments, 1)
    >>> found.label.tolist(), np.exp(found.log_mass).round(2).tolist()
    ([-1, 0], [0.4, 0.6])
    """
    links, emit, before = table.links, table.scores.emit[t - 1], column_of(table, t - 1)
    blank, label = table.alpha[before].T
    either, last = np.logaddexp(blank, label), links.last[before]
    repeated = np.where(last >= 0, label + emit[np.maximum(last, 0)], -np.inf)
    new = np.where(np.arange(table.width) == last[:, None], blank[:, None], either[:, None])
    new = new + (table.scores.table[links.row[before], : table.width] + emit[:-1])
    context = np.arange(before.start, before.stop)
    log_mass = np.concatenate([np.logaddexp(either + emit[-1], repeated), new.ravel()])
    key = np.concatenate([table.keys[before], table.names.grown(table.keys[before].copy()).ravel()])
    into = np.concatenate([links.stay[before], links.child[before].ravel()])
    rows = np.flatnonzero(log_mass > -np.inf)
    return Arcs(
        context=np.concatenate([context, np.repeat(context, table.width)])[rows],
        label=np.concatenate([np.full(len(context), STAYS), np.tile(np.arange(table.width), len(context))])[rows],
        key=key[rows],
        log_mass=log_mass[rows],
        into=into[rows],
        kept=(into[rows] >= 0) & (table.keys[into[rows]] == key[rows]),
    )


class OutputMass(NamedTuple):
    """Log masses of the alignments that write a beginning of one output, frame by frame.

    ``contexts[t]`` {context: log mass} after 0 … T frames · ``arcs[t]`` {(context, label or ``STAYS``): log mass} of
    frame t + 1 · ``whole`` {context: log mass} after all frames of those that write all of it.
    """

    contexts: list[dict[int, float]]
    arcs: list[dict[tuple[int, int], float]]
    whole: dict[int, float]


def output_mass(table: Alignments, labels: tuple[int, ...]) -> OutputMass:
    """``OutputMass`` of an output, by the numbers of its labels."""
    links, scores = table.links, table.scores
    here = {(0, 0): (0.0, -np.inf)}  # (context, labels written): alignments whose last frame is a blank, a label
    contexts, arcs = [{0: 0.0}], []
    for t, emit in enumerate(scores.emit.tolist()):
        after, moved = defaultdict(lambda: [-np.inf, -np.inf]), defaultdict(lambda: -np.inf)

        def move(context, label, into, parts, after=after, moved=moved):
            moved[context, label] = _add(moved[context, label], _add(*parts))
            if into[0] >= 0:
                after[into] = [_add(*pair) for pair in zip(after[into], parts, strict=True)]

        for (c, written), (blank, label) in here.items():
            last = labels[written - 1] if written else None
            either = _add(blank, label)
            stays = either + emit[-1], label + emit[last] if written else -np.inf
            if max(stays) > -np.inf:
                move(c, STAYS, (int(links.stay[c]), written), stays)
            if written == len(labels):
                continue
            new = labels[written]
            grows = (blank if new == last else either) + float(scores.table[links.row[c], new]) + emit[new]
            if grows > -np.inf:
                move(c, new, (int(links.child[c, new]), written + 1), (-np.inf, grows))
        total = np.logaddexp.reduce(table.alpha[column_of(table, t + 1)], axis=None)
        here = {place: tuple(parts) for place, parts in after.items() if max(parts) > total + LEAST}
        arcs.append(dict(moved))
        contexts.append(_sum_by_context(here))
    return OutputMass(
        contexts, arcs, _sum_by_context({place: parts for place, parts in here.items() if place[1] == len(labels)})
    )


def _sum_by_context(here):
    found = defaultdict(lambda: -np.inf)
    for (c, _), parts in here.items():
        found[c] = _add(found[c], _add(*parts))
    return dict(found)


def _add(a, b):
    low, high = sorted((a, b))
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))
