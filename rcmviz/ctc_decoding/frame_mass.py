"""Flow of mass through each frame, and the share that belongs to one output."""

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from rcmviz.ctc_decoding.alignments import Alignments

STAYS = -1  # in place of a label: the string stays as it is, by a blank or by its last label again
# What the last frame of an alignment was, before and after a frame: a blank or a label.
BLANK_BLANK, LABEL_BLANK, LABEL_LABEL, BLANK_LABEL = range(4)
LEAST = -60.0  # log share of a frame's mass below which alignments of an output are left out


class Arcs(NamedTuple):
    """The candidates of each context before a frame, one entry for each kind of alignment: arrays of shape (M,), those
    of no mass left out.

    ``context`` before the frame · ``label`` that is appended, or ``STAYS`` · ``flow`` from and to a blank or a label,
    such as ``BLANK_LABEL`` · ``key`` of the string · ``log_mass`` · ``into`` the context after the frame, −1 where it
    was dropped · ``kept`` whether that is the string itself.
    """

    context: np.ndarray
    label: np.ndarray
    flow: np.ndarray
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
    (blank, label), last = table.alpha[before].T, links.last[before]
    repeated = np.where(last >= 0, label + emit[np.maximum(last, 0)], -np.inf)
    stays = np.stack([blank + emit[-1], label + emit[-1], repeated], axis=-1)
    gain = table.scores.table[links.row[before], : table.width] + emit[:-1]
    again = np.arange(table.width) == last[:, None]  # a label after itself needs a blank in between
    grows = np.stack([np.where(again, -np.inf, label[:, None]), np.broadcast_to(blank[:, None], gain.shape)], axis=-1)
    grows = grows + gain[:, :, None]
    key, context = table.keys[before], np.arange(before.start, before.stop)
    log_mass = np.concatenate([stays.ravel(), grows.ravel()])
    rows = np.flatnonzero(log_mass > -np.inf)

    def pick(of_stays, of_grows):
        """Values of shape (C,) or (3,) and (C, labels) or (2,) in the order of ``log_mass``."""
        return np.concatenate(
            [np.broadcast_to(of_stays, stays.shape).ravel(), np.broadcast_to(of_grows, grows.shape).ravel()]
        )[rows]

    flow = pick([BLANK_BLANK, LABEL_BLANK, LABEL_LABEL], [LABEL_LABEL, BLANK_LABEL])
    keys = pick(key[:, None], table.names.grown(key.copy())[:, :, None])
    into = pick(links.stay[before][:, None], links.child[before][:, :, None])
    return Arcs(
        context=pick(context[:, None], context[:, None, None]),
        label=pick(STAYS, np.arange(table.width)[None, :, None]),
        flow=flow,
        key=keys,
        log_mass=log_mass[rows],
        into=into,
        kept=(into >= 0) & (table.keys[into] == keys),
    )


class OutputMass(NamedTuple):
    """Log masses of the alignments that write a beginning of one output, frame by frame.

    ``contexts[t]`` {context: log mass} after 0 … T frames · ``arcs[t]`` {(context, label or ``STAYS``, flow): log
    mass} of frame t + 1 · ``whole`` {context: log mass} after all frames of those that write all of it.
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

        def move(context, label, into, flow, log, after=after, moved=moved):
            if log == -math.inf:
                return
            moved[context, label, flow] = _add(moved[context, label, flow], log)
            if into[0] >= 0:
                kind = int(flow in (LABEL_LABEL, BLANK_LABEL))
                after[into][kind] = _add(after[into][kind], log)

        for (c, written), (blank, label) in here.items():
            last = labels[written - 1] if written else None
            stays = int(links.stay[c]), written
            move(c, STAYS, stays, BLANK_BLANK, blank + emit[-1])
            move(c, STAYS, stays, LABEL_BLANK, label + emit[-1])
            if written:
                move(c, STAYS, stays, LABEL_LABEL, label + emit[last])
            if written == len(labels):
                continue
            new = labels[written]
            gain = float(scores.table[links.row[c], new]) + emit[new]
            grows = int(links.child[c, new]), written + 1
            move(c, new, grows, BLANK_LABEL, blank + gain)
            if new != last:
                move(c, new, grows, LABEL_LABEL, label + gain)
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
