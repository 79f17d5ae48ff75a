"""Transcripts of the same frames → the plain JSON that the mass-flow picture draws.

A position is a frame: each context stays as it is, by a blank or by its last label again, or grows by a label. What
several contexts propose is one candidate of several parts. Each part has a ``flow``, from and to alignments that end in
a blank or in a label, as the followed mass need not be the same share of both. After the last frame stands one position
more, where the contexts are weighed by how likely the output ends there and are read as whole outputs.
"""

import math
from typing import NamedTuple

import numpy as np

from rcmviz.core.inference.mass_parts import DROPPED, Ends, Part, rest_parts
from rcmviz.core.methods import METHODS, MethodChoice, numbered_where_alike
from rcmviz.ctc_decoding.frame_mass import (
    BLANK_BLANK,
    BLANK_LABEL,
    LABEL_BLANK,
    LABEL_LABEL,
    Arcs,
    arcs_of,
    column_of,
    output_mass,
)
from rcmviz.ctc_decoding.replay import Replay
from rcmviz.views.ctc.payload import Names
from rcmviz.views.mass_flow.run import OUTPUTS, Limits, rough_shares, share
from rcmviz.views.word.payload import digest

MOST_FRAMES = 400
MOST_ARCS = 6_000_000
BLANK = "–"
LOOKS = 6  # symbols that a frame looks like
BELOW = 4  # strings without a context that are sent by name, at least
FLOWS = (BLANK_BLANK, LABEL_BLANK, LABEL_LABEL, BLANK_LABEL)
TINY = 1e-300  # instead of a share of 0
LAST = 2**31  # behind every rank


def build_ctc_flow(transcripts, gold=None, *, title=None, position=1, phase=None, code=None):
    """What the mass-flow view needs of one to three ``Transcript`` of the same frames, as plain JSON.

    ``gold`` labels of the right output · ``position`` the frame to open at, and ``phase``. ValueError where no output
    is possible, or there are too many frames to draw.
    """
    transcripts = list(transcripts)
    first = transcripts[0]
    table = first.alignments
    if table.frames > MOST_FRAMES:
        raise ValueError(f"{table.frames:,} frames are too many for the picture: give at most {MOST_FRAMES:,}")
    labels, emit = [*first.label_names, BLANK], table.scores.emit
    right = None if gold is None else tuple(first.label_names.index(label) for label in gold)
    names = [MethodChoice(one.method, one.budget).name for one in transcripts]
    payload = {
        "version": 1,
        "kind": "ctc",
        "title": title or "".join(first.labels),
        "labels": labels,
        "T": table.frames + 1,
        "unit": "frame",
        "noun": "label",
        "gold": None if right is None else list(right),
        "images": None,
        "tokens": [*(labels[a] for a in emit.argmax(axis=1).tolist()), "end"],
        "looks": [*map(_looks, emit), []],
        "exact": None,
        "runs": [_Run(one, right).payload() for one in transcripts],
        "code": code,
    }
    for run, name in zip(payload["runs"], numbered_where_alike(names), strict=True):
        run["name"] = name
    payload["id"] = digest(payload)
    payload["subject"] = digest([payload[part] for part in ("title", "labels", "tokens", "T")])
    return payload | {"position": int(position), "phase": phase, "follow": None}


def _looks(row):
    if row.max() == -np.inf:
        return []
    weight = np.exp(row - row.max())
    best = np.argsort(-weight, kind="stable")[:LOOKS].tolist()
    return [[a, share(weight[a] / weight.sum())] for a in best if weight[a] > 0]


def _limits_for(frames):
    """Less of each frame than of a position elsewhere: there are many, and next to each other they differ little."""
    each = 1000 // frames
    return Limits(contexts=min(24, max(8, each)), named=min(18, max(8, each)), rest=min(20, max(6, each)))


class _Bars(NamedTuple):
    """The bars of a column: ids of the contexts that have one, the bar of each context; the others share the last."""

    start: int
    shown: np.ndarray
    place: np.ndarray
    rest: int

    def of(self, contexts):
        return np.where(contexts >= 0, self.place[np.maximum(contexts - self.start, 0)], DROPPED)


class _Candidates(NamedTuple):
    """The strings that a frame proposes: which of them each arc is, and of each its rank from 1."""

    number: np.ndarray  # (M,) of the string of each arc
    rank: np.ndarray  # (strings,)
    first: np.ndarray  # (strings,) its heaviest arc


class _Run:
    """One transcript as the picture draws it."""

    def __init__(self, transcript, gold):
        self.transcript, self.table, self.gold = transcript, transcript.alignments, gold
        self.names, self.replay = Names(transcript), Replay(transcript.alignments)
        index = {label: a for a, label in enumerate(transcript.label_names)}
        outputs = [tuple(index[label] for label in one.labels) for one in transcript.nbest(OUTPUTS)]
        if gold is not None and gold not in outputs and transcript.log_prob(self._spelt(gold)) > -np.inf:
            outputs.append(gold)
        self.outputs, self.of = outputs, [output_mass(self.table, one) for one in outputs]
        self.of_gold = None if gold is None else output_mass(self.table, gold)
        self.limits = _limits_for(self.table.frames)

    def payload(self):
        table, entry = self.table, METHODS[self.transcript.method]
        arcs = [arcs_of(table, t) for t in range(1, table.frames + 1)]
        if sum(len(one.label) for one in arcs) > MOST_ARCS:
            raise ValueError("there are too many contexts for the picture: lower the budget, or choose another method")
        strings = [_candidates(one) for one in arcs]
        bars = [self._bars(0, None, None), *(self._bars(t + 1, arcs[t], strings[t]) for t in range(table.frames))]
        steps = [self._step(t + 1, arcs[t], strings[t], bars) for t in range(table.frames)]
        left = [1.0]
        for parts, _ in steps:
            lost = sum(part.share for part in parts if part.into == DROPPED)
            left.append(left[-1] * (1 - lost))
        last, parts = self._end(bars[-1])
        return {
            "method": self.transcript.method,
            "drops": entry.drops,
            "merges": entry.merges,
            "draws": entry.draws,
            "ranked": "mass",
            "edits": [],
            "left": [share(value) for value in (*left, left[-1])],
            "columns": [self._column(t, one) for t, one in enumerate(bars)],
            "outputs": [[list(one), share(self._p(one)), []] for one in self.outputs],
            "outputGold": [int(one == self.gold) for one in self.outputs],
            "steps": [*(step for _, step in steps), self._sent(last, parts, None)],
            "soFar": self._beginnings(),
            "result": self._result(left[-1]),
        }

    def _spelt(self, numbers):
        return tuple(self.transcript.label_names[a] for a in numbers)

    def _p(self, numbers):
        return math.exp(self.transcript.log_prob(self._spelt(numbers)))

    def _bars(self, t, arcs, strings):
        """The contexts after t frames that have a bar of their own: the heaviest, and those of the output."""
        column = column_of(self.table, t)
        mass = np.logaddexp(*self.table.alpha[column].T)
        rank = np.full(len(mass), LAST)
        if arcs is not None:
            own = np.flatnonzero(arcs.kept)
            rank[arcs.into[own] - column.start] = strings.rank[strings.number[own]]
        known = self.of if self.of_gold is None else [*self.of, self.of_gold]
        wanted = {max(one.contexts[t], key=one.contexts[t].get) for one in known if one.contexts[t]}
        heaviest = np.argsort(-mass, kind="stable")[: self.limits.contexts].tolist()
        shown = np.array(sorted({c - column.start for c in wanted} | set(heaviest)), np.int64)
        shown = shown[np.lexsort((shown, -mass[shown], rank[shown]))]
        place = np.full(len(mass), len(shown))
        place[shown] = np.arange(len(shown))
        return _Bars(column.start, shown + column.start, place, len(mass) - len(shown))

    def _column(self, t, bars):
        ids = bars.shown
        gold = [] if self.of_gold is None else [self._share_of_gold(t, [c]) for c in ids.tolist()]
        if bars.rest and gold:
            gold.append(self._share_of_gold(t, np.flatnonzero(bars.place == len(ids)) + bars.start))
        return {
            "name": ["start"] if t == 0 else self.names.contexts(self.table.keys[ids]),
            "gold": gold,
            "rest": [len(ids), bars.rest] if bars.rest else None,
        }

    def _share_of_gold(self, t, contexts):
        known = self.of_gold.contexts[t]
        mine = [known[c] for c in map(int, contexts) if c in known]
        here = np.logaddexp.reduce(self.table.alpha[contexts], axis=None)
        return share(min(1.0, math.exp(np.logaddexp.reduce(mine) - here))) if mine else 0.0

    def _step(self, t, arcs, strings, bars):
        """``(parts, payload)`` of frame t."""
        total = np.logaddexp.reduce(arcs.log_mass)
        shares = np.exp(arcs.log_mass - total)
        ends = Ends(bars[t - 1].of(arcs.context), bars[t].of(arcs.into))
        in_the_end = self._ends_of(arcs)
        named = _named(arcs, strings, self.limits.named)
        number = {string: m for m, string in enumerate(named)}
        rows = np.flatnonzero(np.isin(strings.number, named))
        of_gold = self._gold_of_arcs(t, arcs, total)
        by_name = _named_parts(arcs, shares, in_the_end, of_gold, ends, rows, number, strings)
        parts, flows, gold = by_name.parts, by_name.flows, by_name.gold
        counts = np.zeros(len(shares))
        counts[strings.first] = 1
        for flow in FLOWS:
            found = _Shares(np.where(arcs.flow == flow, shares, 0.0), arcs.kept)
            more = rest_parts(found, ends, rows, self.limits.rest, in_the_end, counts)
            gold += _gold_of_blocks(more, flow, arcs, of_gold, ends, rows)
            parts, flows = parts + more, flows + [flow] * len(more)
        gold = (
            None
            if self.of_gold is None
            else [share(min(1.0, one / max(p.share, TINY))) for one, p in zip(gold, parts, strict=True)]
        )
        heads = strings.first[named]
        candidates = {
            "name": self.names.contexts(arcs.key[heads]),
            "origin": ends.origin[heads].tolist(),
            "rank": strings.rank[named].tolist(),
        }
        count = len(strings.rank)
        kept = int(len(np.unique(strings.number[arcs.kept])))
        budget = None if self.transcript.method == "exact" else self.transcript.budget
        about = {"total": count, "possible": count, "kept": kept, "budget": budget, "candidates": candidates}
        return parts, self._sent(about, parts, gold, flows)

    def _ends_of(self, arcs):
        """The posterior probability of each arc: of all mass in the end, how much goes this way."""
        ahead = self.table.beta[arcs.into, (arcs.flow >= LABEL_LABEL).astype(np.int64)]
        return np.where(arcs.into >= 0, np.exp(arcs.log_mass + ahead - self.table.log_z), 0.0)

    def _gold_of_arcs(self, t, arcs, total):
        """Of each arc the mass that belongs to a beginning of the right output."""
        if self.of_gold is None:
            return np.zeros(len(arcs.label))
        known = self.of_gold.arcs[t - 1]
        ways = zip(arcs.context.tolist(), arcs.label.tolist(), arcs.flow.tolist(), strict=True)
        return np.exp(np.array([known.get(way, -np.inf) for way in ways]) - total)

    def _sent(self, about, parts, gold, flows=None):
        columns = {
            "origin": [part.origin for part in parts],
            "into": [part.into for part in parts],
            "kept": [int(part.kept) for part in parts],
            "count": [part.count for part in parts],
            "share": [share(part.share) for part in parts],
            "candidate": [part.candidate for part in parts],
        }
        if flows is not None:
            columns |= {"flow": flows, "end": rough_shares([part.end for part in parts])}
        return about | {"parts": columns | ({} if gold is None else {"gold": gold})}

    def _end(self, bars):
        """The position after the last frame: its contexts, weighed by how likely the output ends, as whole outputs."""
        column = column_of(self.table, self.table.frames)
        ends = self.table.beta[column, 0]
        mass = np.exp(np.logaddexp(*self.table.alpha[column].T) + ends - self.table.log_z)
        order = [c for c in np.argsort(-mass, kind="stable").tolist() if mass[c] > 0]
        rank = {c: k for k, c in enumerate(order, start=1)}
        written = [{c - column.start: log for c, log in one.whole.items()} for one in self.of]
        named = [c for c in order if c in set(order[: self.limits.named]) or any(c in one for one in written)]
        parts = []
        for k, c in enumerate(named):
            left, origin = float(mass[c]), int(bars.place[c])
            for place, one in enumerate(written):
                own = math.exp(one[c] + ends[c] - self.table.log_z) if c in one else 0.0
                if own > 0:
                    parts.append(Part(origin, place, True, 1, own, k))
                    left -= own
            if left > 1e-9 * mass[c]:
                parts.append(Part(origin, len(written), True, 1, left, k))
        everything = np.arange(len(mass))
        found = _Shares(mass, np.ones(len(mass), bool))
        into = np.full(len(mass), len(written))
        parts += rest_parts(found, Ends(bars.place[everything], into), named, self.limits.rest)
        ids = np.array(named, np.int64) + column.start
        candidates = {
            "name": self.names.contexts(self.table.keys[ids]),
            "origin": bars.place[named].tolist(),
            "rank": [rank[c] for c in named],
        }
        about = {
            "total": len(mass),
            "possible": len(order),
            "kept": None,
            "budget": None,
            "candidates": candidates,
        }
        return about, parts

    def _beginnings(self):
        """Per position ``[how many labels of the beginning before it keeps, the labels that follow]``."""
        found, before = [], []
        for t in range(1, self.table.frames + 2):
            labels = list(self.replay.ahead(t)[0]) if t <= self.table.frames else self.outputs[0]
            labels = [int(a) for a in labels]
            kept = next((k for k, (a, b) in enumerate(zip(before, labels, strict=False)) if a != b), None)
            kept = min(len(before), len(labels)) if kept is None else kept
            found.append([kept, labels[kept:]])
            before = labels
        return found

    def _result(self, left):
        gold, best = self.gold, self.outputs[0]
        p = None if gold is None else self._p(gold)
        return {
            "labels": list(best),
            "p": share(self._p(best)),
            "right": None if gold is None else best == gold,
            "gold": None if p is None else share(p),
            "goldLostAt": self.replay.lost_at(gold) if p == 0 else None,
            "lost": share(1 - left),
        }


class _Shares(NamedTuple):
    """What ``rest_parts`` asks of candidates."""

    share: np.ndarray
    kept: np.ndarray


def _candidates(arcs: Arcs):
    keys, number = np.unique(arcs.key, return_inverse=True)
    number = number.ravel()
    mass = np.full(len(keys), -np.inf)
    np.logaddexp.at(mass, number, arcs.log_mass)
    rank = np.empty(len(keys), np.int64)
    rank[np.argsort(-mass, kind="stable")] = np.arange(1, len(keys) + 1)
    by_mass = np.argsort(arcs.log_mass, kind="stable")
    first = np.empty(len(keys), np.int64)
    first[number[by_mass]] = by_mass  # the heaviest arc of each string is written last
    return _Candidates(number, rank, first)


class _NamedParts(NamedTuple):
    """The parts of the strings by name, and of each its flow and how much of it belongs to the right output."""

    parts: list
    flows: list
    gold: list


def _named_parts(arcs, shares, in_the_end, of_gold, ends, rows, number, strings):
    """The ``_NamedParts`` of the strings in ``rows``."""
    names = np.array([number[string] for string in strings.number[rows].tolist()], np.int64)
    keys = np.stack([names, ends.origin[rows], ends.into[rows], arcs.kept[rows], arcs.flow[rows]])
    groups, inverse = np.unique(keys, axis=1, return_inverse=True)

    def total(values):
        return np.bincount(inverse.ravel(), values[rows]).tolist()

    parts = [
        Part(origin, into, bool(kept), 1, mass, name, later)
        for name, origin, into, kept, mass, later in zip(
            *groups[:4].tolist(), total(shares), total(in_the_end), strict=True
        )
    ]
    return _NamedParts(parts, groups[4].tolist(), total(of_gold))


def _gold_of_blocks(blocks, flow, arcs, of_gold, ends, rows):
    """How much of each block belongs to the right output."""
    free = (arcs.flow == flow) & (of_gold > 0)
    free[rows] = False
    mass = {}
    for a in np.flatnonzero(free).tolist():
        key = int(ends.origin[a]), int(ends.into[a]), bool(arcs.kept[a])
        mass[key] = mass.get(key, 0.0) + float(of_gold[a])
    return [mass.get((part.origin, part.into, part.kept), 0.0) for part in blocks]


def _named(arcs, strings, most):
    """The strings that are sent by name, by rank: the heaviest, and some of those without a context."""
    order = np.argsort(strings.rank)
    kept = np.zeros(len(order), bool)
    kept[strings.number[arcs.kept]] = True
    below = order[~kept[order]][:BELOW]
    return sorted({*order[:most].tolist(), *below.tolist()}, key=lambda string: strings.rank[string])
