"""One pass over the positions, stepwise: expand, fold, select, grow, absorb; then its lattice and its trace.

The builders of ``build.py`` and of ``rcmviz.search`` say what a pass keeps.
"""

from dataclasses import dataclass, field, replace
from math import prod
from typing import NamedTuple

import numpy as np

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared.frozen import freeze_columns
from rcmviz.core.shared.logs import log_sum
from rcmviz.kernels.chain import contexts as kernel
from rcmviz.kernels.chain import selection, stepwise, sweep

MAX_ARCS = 20_000_000  # arcs of one lattice; 320 MB of targets and scores


class Previous(NamedTuple):
    """The ranking of a pass: per column of the previous pass targets, backward messages and contexts."""

    target: list
    messages: list
    contexts: list


@dataclass
class ForwardPass:
    """One forward pass: per column i the contexts, their forward masses and what was proposed for column i + 1."""

    contexts: list
    alpha: list
    log_scale: list  # of alpha, per column
    table: list = field(default_factory=list)  # what the contexts' rows point into
    target: list = field(default_factory=list)
    mass: list = field(default_factory=list)
    key: list = field(default_factory=list)
    chosen: list = field(default_factory=list)
    keys_are_logs: bool = False
    size: int = 0  # contexts so far
    links: list | None = None  # (2, C) per column from 1 on: what the heaviest history of each context comes from
    best: np.ndarray | None = None  # log scores of the heaviest histories of the last column
    folded: np.ndarray | None = None  # the present candidates' masses, those of twins added up; used up by absorb


def forward(scores, plan, rule, deduplicate, edits, previous, rank=None):
    """One pass over the positions by ``kernels/chain``, ranked by a ``Previous`` one or None.

    ``rank(i, run, log_key)``, if given, returns the log scores (C, Y) by which candidates for column i + 1 are chosen
    instead; ``log_key`` are logs of what they would be ranked by, −inf for no candidate.
    """
    length, width = scores.emit.shape
    start = np.zeros((kernel.FIELDS, 1), np.int64)
    stepwise.start(scores.address, start)
    run = ForwardPass([start], [np.full(1, 0.0 if scores.logs else 1.0)], [0.0])
    run.keys_are_logs = scores.logs or rank is not None
    if scores.follows:
        run.links, run.best = [], np.zeros(1)
    suffixes = [()]
    for i in range(length):
        _propose(scores, run, i)
        if i == length - 1:
            break
        key = _rank(scores, run, i, rule, deduplicate, previous)
        order, in_logs = key, scores.logs
        if rank is not None:
            key = rank(i, run, _logs_of(key, scores.logs))
            order, in_logs = _ranks(key), False  # scores of any size stay in their order
        silent = int(i > 0 and not rule.root_proposes)
        proposers = _proposers(suffixes, rule.cap, silent)
        order, budget = _apply_edits(order, edits, i + 1, proposers, plan[i + 1], in_logs)
        run.key.append(key)
        _keep(scores, run, i, order, in_logs, min(budget, key.size), rule, previous)
        if scores.follows:
            _follow(scores, run, i, rule)
        if edits.touch_contexts:
            grown = [(suffixes[c // width] + (c % width,))[-rule.cap :] for c in run.chosen[i].tolist()]
            suffixes = [()] * rule.merging + grown
        else:
            suffixes = ()
    return run


def check_room(plan, offered, width, rule):
    """ValueError for budgets, ``plan (T+1,)``, that fill too large a lattice: before the work, not halfway.

    Without edits of contexts every context but the root has all its ``offered (T,)`` labels as candidates of some mass,
    so the sizes of the columns are known; where contexts are joined, how many there are at least: those that differ in
    nothing but the label that the rule's cap forgets are one.
    """
    kept, arcs, options = 1, 0, offered.tolist()
    for i, offers in enumerate(options):
        arcs += width * (kept + (rule.merging and i > 0))
        _check_arcs(arcs, i)
        forgotten = max(options[i - rule.cap], 1) if i >= rule.cap else 1
        kept = min(plan[i + 1], -(-kept * offers // forgotten))


def _check_arcs(arcs, i):
    if arcs > MAX_ARCS:
        raise ValueError(f"{arcs:,} arcs by position {i + 1}, the limit is {MAX_ARCS:,}; lower the budget")


def _propose(scores, run, i):
    """Masses of all candidates of column i + 1."""
    here, width = run.contexts[i], scores.emit.shape[1]
    run.size += here.shape[1]
    _check_arcs(width * run.size, i)
    mass = np.empty((here.shape[1], width))
    run.table.append(scores.table(run.contexts, run.links))
    stepwise.expand(here, len(mass), run.alpha[i], run.table[i], scores.emit[i], scores.logs, mass)
    run.mass.append(mass)
    run.target.append(np.zeros(mass.shape, np.int32))
    run.log_scale[i] += scores.scale[i]


def _rank(scores, run, i, rule, deduplicate, previous):
    """Ranking keys of the candidates of column i + 1: zero for those that another represents."""
    logs, root_proposes = scores.logs, rule.root_proposes
    here, mass, zero = run.contexts[i], run.mass[i].copy(), -np.inf if logs else 0.0
    count = len(mass)
    if deduplicate:
        slot = np.zeros(1 << max(4, int(4 * count - 1).bit_length()), np.int64)
        powers = scores.address.powers
        stepwise.fold(here, count, powers, root_proposes, logs, mass, slot)
        if previous is not None:
            before = previous.contexts[i]
            stepwise.join_images(here, before, before.shape[1], powers, root_proposes, slot)
    run.folded = mass
    key = mass.copy()
    if previous is not None:
        stepwise.rank_by_posterior(here, count, previous.target[i], previous.messages[i + 1], logs, mass, key)
    key[here[kernel.TWIN] != np.arange(count)] = zero
    if i > 0 and not root_proposes:
        key[0] = zero
    return key


def _logs_of(key, logs):
    if logs:
        return key
    with np.errstate(divide="ignore"):
        return np.log(key)


def _ranks(log_key):
    """1 for the lowest score, the next number for the next one; 0 for −inf."""
    values, number = np.unique(log_key, return_inverse=True)
    lowest = values.size and values[0] > -np.inf
    return (number.reshape(log_key.shape) + lowest).astype(float)


def extended_pass(scores, run, i, rule, flat):
    """A copy of a pass whose column i + 1 has all the candidates ``flat (N,)``, and the context of each."""
    lists = {name: [*getattr(run, name)] for name in ("contexts", "alpha", "log_scale", "chosen", "target")}
    copy = replace(run, **lists, folded=run.folded.copy(), links=None if run.links is None else [*run.links])
    copy.target[i] = run.target[i].copy()
    order = np.zeros(run.folded.shape)
    order.ravel()[flat] = 1.0
    _keep(scores, copy, i, order, False, len(flat), rule, None)
    if scores.follows:
        _follow(scores, copy, i, rule)
    return copy, copy.target[i].ravel()[flat]


def _keep(scores, run, i, order, in_logs, budget, rule, previous):
    """Column i + 1: the ``budget`` highest of ``order``, logs if ``in_logs``, and the rest absorbed."""
    here, logs = run.contexts[i], scores.logs
    count = here.shape[1]
    chosen = np.zeros(budget + selection.SLACK, np.int64)
    chosen = chosen[: stepwise.select(order.ravel(), budget, in_logs, chosen)]
    there = np.zeros((kernel.FIELDS, len(chosen) + 1), np.int64)
    size = stepwise.grow(here, count, chosen, i + 1, scores.address, rule, there, run.target[i])
    there, alpha = there[:, :size].copy(), np.empty(size)
    if previous is not None:
        stepwise.map_images(here, there, size, previous.target[i])
    log_scale = stepwise.absorb(here, count, chosen, rule, logs, run.folded, alpha)
    run.contexts.append(there)
    run.alpha.append(alpha)
    run.chosen.append(chosen.copy())
    run.log_scale.append(run.log_scale[i] + log_scale)


def _follow(scores, run, i, rule):
    """The origin of the heaviest history of each context of column i + 1: of equal ones the lower context's, then
    that of the lower label. A context without mass takes the one that it extends, the root the heaviest.
    """
    there, target = run.contexts[i + 1], run.target[i]
    arcs = run.best[:, None] + scores.arcs(i, run.contexts[i], run.table[i])
    if rule.root_weight != 0.0:
        arcs[target == 0] += rule.root_weight
    total, into, width = arcs.ravel(), target.ravel(), target.shape[1]
    some = np.flatnonzero((into >= 0) & (total > -np.inf))
    run.best = np.full(there.shape[1], -np.inf)
    np.maximum.at(run.best, into[some], total[some])
    extended = there[kernel.ORIGIN] * width + there[kernel.LABEL]
    arc = np.where(there[kernel.ORIGIN] >= 0, extended, np.argmax(total) if total.size else 0)
    heaviest = some[total[some] == run.best[into[some]]][::-1]
    arc[into[heaviest]] = heaviest  # of several the last assignment holds, which is the first of them
    run.links.append(np.stack(np.divmod(arc, width)))


def _proposers(suffixes, cap, first):
    """Which context proposes the extensions of a suffix: the first of those equal in what ``cap`` lets them hand on."""
    proposer = {}
    for k, suffix in list(enumerate(suffixes or ()))[first:]:
        proposer.setdefault(suffix[max(len(suffix) + 1 - cap, 0) :], k)
    return proposer


def _apply_edits(key, edits, position, proposer, budget, logs):
    """Keys with forbidden candidates at zero and pinned ones above all others; pins may exceed the budget."""
    if position not in edits.pinned and position not in edits.forbidden:
        return key, budget
    order = key.copy()
    top = order.max(initial=-np.inf if logs else 0.0)
    above = (max(top, 0.0) + 1.0) if logs else (2.0 * top if top > 0 else 1.0)
    for context in edits.forbidden.get(position, ()):
        if context[:-1] in proposer:
            order[proposer[context[:-1]], context[-1]] = -np.inf if logs else 0.0
    pinned = [(proposer[c[:-1]], c[-1]) for c in edits.pinned.get(position, ()) if c[:-1] in proposer]
    for candidate in pinned:
        order[candidate] = above
    return order, max(budget, len(pinned))


def backward(scores, run, rule):
    """Backward messages per column, one place more than contexts: the last, zero, answers for what was dropped."""
    logs = scores.logs
    zero, one = (-np.inf, 0.0) if logs else (0.0, 1.0)
    length, width = scores.emit.shape
    messages = [None] * length + [np.array([one, zero])]
    for i in range(length - 1, -1, -1):
        here, ending = run.contexts[i], i == length - 1
        count = here.shape[1]
        following = here if ending else run.contexts[i + 1]
        ahead = np.empty((count, width))
        messages[i] = np.full(count + 1, zero)
        stepwise.spread(here, count, following, following.shape[1], ending, rule, logs, messages[i + 1], ahead)
        stepwise.backward(here, count, run.table[i], scores.emit[i], ahead, logs, messages[i])
    return messages


def assemble(scores, run, rule):
    """The lattice of a finished pass; log scores are those of the model, whatever domain the kernels worked in."""
    length, width = scores.log_emit.shape
    sizes = [here.shape[1] for here in run.contexts] + [1]
    offset = np.concatenate([[0], np.cumsum(sizes)])
    target, score = np.full((offset[-1], width), -1, np.int64), np.full((offset[-1], width), -np.inf)
    for i, here in enumerate(run.contexts):
        column = slice(offset[i], offset[i + 1])
        local, offered = run.target[i], np.arange(width) < scores.widths[i]
        target[column] = np.where((local >= 0) & offered, local + offset[i + 1], -1)
        score[column] = scores.arcs(i, here, run.table[i])
        if rule.root_weight != 0.0 and i < length - 1:
            score[column][local == 0] += rule.root_weight
    end = np.full((kernel.FIELDS, 1), -1)
    end[kernel.LENGTH] = 0
    fields = np.concatenate([*run.contexts, end], axis=1)
    parent, origin = fields[kernel.PARENT], fields[kernel.ORIGIN]
    shift = np.repeat(offset[:-1], sizes)
    before = np.repeat(np.concatenate([[0], offset[:-2]]), sizes)
    parent = np.where(parent >= 0, parent + shift, -1)
    origin = np.where(origin >= 0, origin + before, -1)
    row = fields[kernel.ROW].copy() if scores.has_rows else np.full(len(parent), -1)
    known, label = fields[kernel.LENGTH].copy(), fields[kernel.LABEL].copy()  # not views that keep all fields
    columns = offset, known, label, origin, parent, row, target, score
    return freeze_columns(Lattice, tuple(scores.labels), *columns, scores.choices)


def trace_of(scores, run, lattice, settings, earlier=None):
    """Candidates of positions 1 … T−1 from what the kernels left behind, and the traces of ``earlier`` passes."""
    logs, kept = scores.logs, [np.zeros(mass.shape, bool) for mass in run.mass]
    logged = [_logs_of(mass, logs) for mass in run.mass]
    keys = [_logs_of(key, run.keys_are_logs) for key in run.key]
    log_mass = [mass + run.log_scale[i] for i, mass in enumerate(logged)]
    for flags, chosen in zip(kept, run.chosen, strict=False):  # nothing is chosen at the last position
        flags.ravel()[chosen] = True
    return record_candidates(lattice, scores, log_mass, keys, kept, settings, earlier)


def record_candidates(lattice, scores, log_mass, key, kept, settings, earlier=None):
    """The trace of tables (C, Y), one per column 0 … T−1; entries beyond a position's width are padding."""
    columns, widths = [lattice.column(i) for i in range(lattice.T - 1)], scores.widths
    sizes = [(column.stop - column.start) * widths[i] for i, column in enumerate(columns)]

    def flat(tables, dtype):
        parts = [tables[i][:, : widths[i]].ravel() for i in range(len(columns))]
        return np.concatenate(parts).astype(dtype, copy=False) if parts else np.zeros(0, dtype)

    contexts = [np.arange(lattice.C)[column, None] for column in columns]
    labels = np.arange(lattice.width)
    return freeze_columns(
        Trace,
        lattice,
        np.cumsum([0, 0, *sizes]),
        flat([np.broadcast_to(context, (len(context), len(labels))) for context in contexts], np.int64),
        flat([np.broadcast_to(labels, (len(context), len(labels))) for context in contexts], np.int64),
        flat(log_mass, float),
        flat(key, float),
        flat(kept, bool),
        flat([lattice.target[column] for column in columns], np.int64),
        np.array([0.0, *map(log_sum, log_mass)]),
        settings,
        np.array(scores.log_emit, dtype=float),
        earlier,
    )


def column_of(length, codes, origins=-1, labels=-1):
    """Contexts (FIELDS, C) without parents that all remember ``length`` labels; their rows are not set."""
    here = np.zeros((kernel.FIELDS, len(codes)), np.int64)
    here[kernel.LENGTH], here[kernel.CODE], here[kernel.PARENT] = length, codes, -1
    here[kernel.ORIGIN], here[kernel.LABEL] = origins, labels
    return here


def static_pass(scores, order=None):
    """All suffixes of length min(i, n), a context's number in its column being its code; the last label is its last
    digit, each digit in the base of its position's width. n is the model's order, or a shorter ``order``."""
    n, width, widths = order or scores.order, scores.log_emit.shape[1], scores.widths.tolist()
    length = len(widths)
    sizes = [prod(widths[max(0, i - n) : i]) for i in range(length)]
    arcs = (sum(sizes) + 1) * width
    if arcs > MAX_ARCS:
        raise ValueError(f"exact inference {scores} needs {arcs:,} arcs, the limit is {MAX_ARCS:,}; {scores.remedy}")
    run = ForwardPass([], [], [])
    for i in range(length):
        code = np.arange(sizes[i])
        here = column_of(min(i, n), code, *(np.divmod(code, widths[i - 1]) if i else ()))
        scores.place(i, here)
        run.contexts.append(here)
        run.table.append(scores.table(run.contexts))
        into = np.zeros((sizes[i], width), np.int64)
        if i < length - 1:
            into += code[:, None] % (sizes[i + 1] // widths[i]) * widths[i] + np.arange(width)
        run.target.append(into)
    return run


def static_trace(lattice, scores, settings):
    """Every candidate is kept; those that differ only in what the n-gram cannot see join the first of them."""
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    columns = [lattice.column(i) for i in range(lattice.T)]
    log_mass = [forward[column, None] + lattice.score[column] for column in columns]
    first = np.zeros(lattice.target.shape, bool)
    first.ravel()[np.unique(lattice.target, return_index=True)[1]] = True
    kept = [first[column] for column in columns]
    return record_candidates(lattice, scores, log_mass, log_mass, kept, settings | {"deduplicate": True})
