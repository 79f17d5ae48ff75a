"""The rules: exact keeps every context, beam keeps the heaviest and drops the rest, RCMS keeps the heaviest and merges.

Each builder returns ``(lattice, trace)``. The kernels are called position by position, so that the trace is what they
left behind; ``batch.py`` calls the same kernels in one compiled loop. What an arc scores is asked of the model
(``scores.py``), so a log-linear model with emissions, an HMM with a language model and any other kind are built alike.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core import checks
from rcmviz.core.edits import read_edits
from rcmviz.core.lattice import Lattice
from rcmviz.core.methods import BUILDERS, METHODS, NO_CAP
from rcmviz.core.scores import Model
from rcmviz.core.trace import Trace
from rcmviz.kernels.chain import contexts as kernel
from rcmviz.kernels.chain import selection, sweep

MAX_ARCS = 20_000_000  # arcs of one lattice; 320 MB of targets and scores
Recorded = Trace | Any  # None without ``record``; nobody who leaves it alone has to check
EditList = Iterable[tuple[int, str | Sequence[str]]]  # of what to pin or forbid: (position, label or context)


def rcms(
    model: Model, log_emit: ArrayLike | None = None, budget: int = 10, *, deduplicate: bool = False, passes: int = 1,
    budgets: Mapping[int, int] | None = None, pin: EditList = (), forbid: EditList = (),
    root_weight: float | None = None, record: bool = True,
) -> tuple[Lattice, Recorded]:  # fmt: skip
    """Select contexts by RCMS: keep the heaviest at every position and merge the others into their ancestors.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Contexts per position, the root not counted.
    deduplicate : bool
        Join contexts that are equal in their last n labels (of an N-gram model its last N − 1 words).
    passes : int
        Number of passes, 1 to 10; from the second on contexts are ranked by forward mass times the backward message of
        the pass before.
    budgets : mapping of int to int, optional
        ``{position: budget}`` where the budget is another one.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written or a context that must be kept.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written or a context that must not be kept.
    root_weight : float, optional
        Log weight of entering the root; with it this is the repaired beam: full histories and the root.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        The contexts, their arcs and scores.
    trace : Trace or None
        What was proposed and what became of it; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or the lattice would be too large.

    Notes
    -----
    Steinhardt and Liang (2015), §4; the repaired beam is that of §4.1. Mass is preserved: what a context hands over
    its least ancestor receives. Ties go to the lower context, then to the lower label.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.rcms(model, [[0.1, 0.0], [0.0, 0.3]], budget=1)
    >>> [lattice.name(c) for c in range(lattice.C)]
    ['*', '*', 'a', '*']
    """
    if root_weight is not None:
        checks.number("root_weight", root_weight, "a log weight, finite or -inf", below=np.inf)
    passes = checks.passes(passes)
    settings: dict[str, Any] = {"method": "rcms" if root_weight is None else "repaired", "passes": passes}
    if root_weight is not None:
        settings["root_weight"] = float(root_weight)
    return _select(model, log_emit, budget, budgets, deduplicate, pin, forbid, settings, record)


def beam(
    model: Model, log_emit: ArrayLike | None = None, budget: int = 10, *, deduplicate: bool = False,
    budgets: Mapping[int, int] | None = None, pin: EditList = (), forbid: EditList = (), record: bool = True,
) -> tuple[Lattice, Recorded]:  # fmt: skip
    """Select contexts by beam search: keep the heaviest full histories at every position and drop the others.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Histories per position.
    deduplicate : bool
        Join histories that are equal in their last n labels.
    budgets : mapping of int to int, optional
        ``{position: budget}`` where the budget is another one.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written or a history that must be kept.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written or a history that must not be kept.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        The histories, their arcs and scores.
    trace : Trace or None
        What was proposed and what became of it; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or the lattice would be too large.

    Notes
    -----
    Beam search as a special case of context selection: Steinhardt and Liang (2015), §4.1. Its log Z is a lower bound of
    the exact one, the mass of the outputs that it still has.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.beam(model, [[0.1, 0.0], [0.0, 0.3]], budget=1)
    >>> [lattice.name(c) for c in range(lattice.C)]
    ['*', 'a', '*']
    """
    settings = {"method": "beam", "passes": 1}
    return _select(model, log_emit, budget, budgets, deduplicate, pin, forbid, settings, record)


def greedy(
    model: Model, log_emit: ArrayLike | None = None, *, pin: EditList = (), forbid: EditList = (), record: bool = True
) -> tuple[Lattice, Recorded]:
    """Keep the heaviest history at every position and drop all others: a beam of one.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written or a history that must be kept.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written or a history that must not be kept.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        One history per position, and the labels that may follow the last.
    trace : Trace or None
        What was proposed and what became of it; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed.

    Notes
    -----
    The same as ``beam`` with a budget of one: there is nothing to choose. Its log Z is a lower bound of the exact one.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.greedy(model, [[0.0, 0.1], [0.1, 0.0]])  # b is likelier, until it is known what follows
    >>> "".join(rv.viterbi(lattice).labels)
    'ba'
    """
    settings = {"method": "greedy", "passes": 1}
    return _select(model, log_emit, METHODS["greedy"].fixed_budget, None, False, pin, forbid, settings, record)


def exact(
    model: Model, log_emit: ArrayLike | None = None, *, pin: EditList = (), forbid: EditList = (), record: bool = True
) -> tuple[Lattice, Recorded]:
    """Keep every context: the exact chain of order n.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    pin : iterable of (int, str)
        Positions with a label that must be written.
    forbid : iterable of (int, str)
        Positions with a label that must not be written.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        All contexts of min(i, n) labels, their arcs and scores; of an HMM n is N − 1, at least 1.
    trace : Trace or None
        What was proposed; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or there are too many contexts; the message says how many.

    Examples
    --------
    >>> import rcmviz as rv
    >>> lattice, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0}), [[0.1, 0.0], [0.0, 0.3]])
    >>> "".join(rv.viterbi(lattice).labels), lattice.C
    ('ab', 4)
    """
    edits = read_edits(model, model.check_emissions(log_emit), pin, forbid)
    if edits.touch_contexts:
        raise ValueError("exact inference keeps every context: pin or forbid labels, not contexts")
    scores = model.scores(edits.log_emit)
    lattice = assemble(scores, static_pass(scores), METHODS["exact"].rule())
    if not record:
        return lattice, None
    settings = {"method": "exact", "budget": None, "order": scores.order, **scores.settings, **as_written(pin, forbid)}
    return lattice, _static_trace(lattice, scores, settings)


def build_lattice(kind, model, log_emit=None, budget=10, *, root_weight=0.0, **options):
    """``(lattice, trace)`` by the method of this ``kind``; the budget and the root's weight reach those that have them.

    ``options`` are those of the method's builder. ValueError for an unknown method.
    """
    method = BUILDERS[checks.choice("method", kind, BUILDERS)]
    if method.has_budget:
        options["budget"] = budget
    if "root_weight" in method.options:
        options["root_weight"] = root_weight
    return getattr(import_module(method.home), method.builder)(model, log_emit, **options)


def _check_budgets(budgets, length):
    """``{position: budget}`` as ints; ValueError names a position that selects nothing, or a budget that is none."""
    if budgets is not None and not isinstance(budgets, Mapping):
        raise ValueError(f"budgets {budgets!r}: expected {{position: budget}}")
    for i in budgets or {}:
        if not checks.is_whole(i) or not 1 <= i < length:
            raise ValueError(f"budgets: position {i!r} selects nothing; positions 1 to {length - 1} do")
    return {int(i): checks.budget(b, f"budget at position {i}") for i, b in (budgets or {}).items()}


@dataclass
class Pass:
    """One forward pass: per column i the contexts, their forward masses and what was proposed for column i + 1."""

    contexts: list
    alpha: list
    log_scale: list  # of alpha, per column
    table: list = field(default_factory=list)  # what the contexts' rows point into
    target: list = field(default_factory=list)
    mass: list = field(default_factory=list)
    key: list = field(default_factory=list)
    chosen: list = field(default_factory=list)
    folded: np.ndarray | None = None  # the present candidates' masses, those of twins added up; used up by absorb


def _select(model, log_emit, budget, budgets, deduplicate, pin, forbid, settings, record):
    """By the method, passes and root weight of the ``settings``."""
    method, passes, root_weight = METHODS[settings["method"]], settings["passes"], settings.get("root_weight", 0.0)
    edits = read_edits(model, model.check_emissions(log_emit), pin, forbid)
    scores = model.scores(edits.log_emit, root_weight)
    length = len(edits.log_emit)
    budget = checks.budget(budget)
    changed = _check_budgets(budgets, length)
    if deduplicate and (scores.order + 1) * np.log2(scores.emit.shape[1]) > 62:  # else histories have codes to compare
        raise ValueError(f"deduplicate {scores}: too many histories to tell apart; offer fewer candidates")
    rule = method.rule(scores.order if deduplicate else NO_CAP, root_weight)
    check_pins(edits, method, deduplicate, scores.order)
    plan = [changed.get(i, budget) for i in range(length + 1)]
    previous = None
    for turn in range(passes):
        run = _forward(scores, plan, rule, deduplicate, edits, previous)
        if turn < passes - 1:
            previous = run.target, _backward(scores, run, rule), run.contexts
    lattice = assemble(scores, run, rule)
    if not record:
        return lattice, None
    settings |= {"budget": budget, "deduplicate": bool(deduplicate), "order": scores.order}
    settings |= {**scores.settings, **as_written(pin, forbid)}
    if changed:
        settings["budgets"] = sorted(changed.items())
    return lattice, _trace(scores, run, lattice, settings)


def rcms_by_promise(model, log_emit, promise, budget=10, passes=1):
    """RCMS whose first pass keeps the candidates with the most mass × e^promise; returns its lattice.

    ``promise(i, contexts, log_mass)`` → (C, Y), finite: what is thought of the rest after each candidate for column
    i + 1; ``contexts (FIELDS, C)`` are column i as in ``kernels/chain/contexts.py``. With the true log messages of the
    rest it ranks by posterior mass, with zeros it is ``rcms``.
    """
    edits = read_edits(model, model.check_emissions(log_emit), (), ())
    scores, rule = model.scores(edits.log_emit, 0.0), METHODS["rcms"].rule(NO_CAP, 0.0)
    plan = [checks.budget(budget)] * (len(edits.log_emit) + 1)
    run = _forward(scores, plan, rule, False, edits, None, promise)
    for _ in range(checks.passes(passes) - 1):
        previous = run.target, _backward(scores, run, rule), run.contexts
        run = _forward(scores, plan, rule, False, edits, previous)
    return assemble(scores, run, rule)


def as_written(pin, forbid):
    edits = {"pin": [list(edit) for edit in pin], "forbid": [list(edit) for edit in forbid]}
    return {name: value for name, value in edits.items() if value}


def check_pins(edits, method, deduplicate, order):
    for position, contexts in edits.pinned.items():
        for context in contexts:
            if method.needs_whole_histories and len(context) < position:
                raise ValueError(
                    f"pin at position {position}: beam search keeps full histories; pin all {position} labels, "
                    "or use rcms"
                )
            if deduplicate and len(context) > order:
                raise ValueError(f"pin at position {position}: de-duplicated contexts remember at most {order} labels")


def _forward(scores, plan, rule, deduplicate, edits, previous, promise=None):
    """One pass over the positions by ``kernels/chain``; ``previous`` = (targets, messages, contexts).

    ``promise`` as of ``rcms_by_promise``.
    """
    merging, root_proposes, cap, _ = rule
    length, width = scores.emit.shape
    start = np.zeros((kernel.FIELDS, 1), np.int64)
    kernel.start(scores.address, merging, start)
    run = Pass([start], [np.full(1, 0.0 if scores.logs else 1.0)], [0.0])
    suffixes = [()]
    for i in range(length):
        _propose(scores, run, i)
        if i == length - 1:
            break
        key = _rank(scores, run, i, rule, deduplicate, previous)
        if promise is not None:
            more = promise(i, run.contexts[i], key if scores.logs else np.log(np.maximum(key, np.finfo(float).tiny)))
            key = key + more if scores.logs else key * np.exp(more - more.max())
        silent = int(i > 0 and not root_proposes)
        proposers = _proposers(suffixes, cap, silent)
        order, budget = _with_edits(key, edits, i + 1, proposers, plan[i + 1], scores.logs)
        run.key.append(key)
        _keep(scores, run, i, order, min(budget, key.size), rule, previous)
        if edits.touch_contexts:
            grown = [(suffixes[c // width] + (c % width,))[-cap:] for c in run.chosen[i].tolist()]
            suffixes = [()] * merging + grown
        else:
            suffixes = ()
    return run


def _propose(scores, run, i):
    """Masses of all candidates of column i + 1."""
    here, width = run.contexts[i], scores.emit.shape[1]
    arcs = width * sum(column.shape[1] for column in run.contexts)
    if arcs > MAX_ARCS:
        raise ValueError(f"{arcs:,} arcs by position {i + 1}, the limit is {MAX_ARCS:,}; lower the budget")
    mass = np.empty((here.shape[1], width))
    run.table.append(scores.table(run.contexts))
    kernel.expand(here, len(mass), run.alpha[i], run.table[i], scores.emit[i], scores.logs, mass)
    run.mass.append(mass)
    run.target.append(np.zeros(mass.shape, np.int32))
    run.log_scale[i] += scores.scale[i]


def _rank(scores, run, i, rule, deduplicate, previous):
    """What the candidates of column i + 1 are ranked by: zero for those that another speaks for."""
    logs = scores.logs
    here, mass, zero = run.contexts[i], run.mass[i].copy(), -np.inf if logs else 0.0
    count = len(mass)
    if deduplicate:
        slot = np.zeros(1 << max(4, int(4 * count - 1).bit_length()), np.int64)
        powers = scores.address[kernel.POWERS]
        kernel.fold(here, count, powers, rule[1], logs, mass, slot)
        if previous is not None:
            before = previous[2][i]
            kernel.join_images(here, before, before.shape[1], powers, rule[1], slot)
    run.folded = mass
    key = mass.copy()
    if previous is not None:
        kernel.rank_by_posterior(here, count, previous[0][i], previous[1][i + 1], logs, mass, key)
    key[here[kernel.TWIN] != np.arange(count)] = zero
    if i > 0 and not rule[1]:
        key[0] = zero
    return key


def _keep(scores, run, i, order, budget, rule, previous):
    """Column i + 1: the ``budget`` highest of ``order``, and the rest absorbed."""
    here, logs = run.contexts[i], scores.logs
    count = here.shape[1]
    chosen = np.zeros(budget + selection.SLACK, np.int64)
    chosen = chosen[: selection.select(order.ravel(), budget, logs, chosen)]
    there = np.zeros((kernel.FIELDS, len(chosen) + 1), np.int64)
    size = kernel.grow(here, count, chosen, i + 1, scores.address, rule, there, run.target[i])
    there, alpha = there[:, :size].copy(), np.empty(size)
    if previous is not None:
        kernel.map_images(here, there, size, previous[0][i])
    log_scale = kernel.absorb(here, count, chosen, rule, logs, run.folded, alpha)
    run.contexts.append(there)
    run.alpha.append(alpha)
    run.chosen.append(chosen.copy())
    run.log_scale.append(run.log_scale[i] + log_scale)


def _proposers(suffixes, cap, first):
    """Which context proposes the extensions of a suffix: the first of those equal in what ``cap`` lets them hand on."""
    proposer = {}
    for k, suffix in list(enumerate(suffixes or ()))[first:]:
        proposer.setdefault(suffix[max(len(suffix) + 1 - cap, 0) :], k)
    return proposer


def _with_edits(key, edits, position, proposer, budget, logs):
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


def _backward(scores, run, rule):
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
        kernel.spread(here, count, following, following.shape[1], ending, rule, logs, messages[i + 1], ahead)
        kernel.backward(here, count, run.table[i], scores.emit[i], ahead, logs, messages[i])
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
        if rule[3] != 0.0 and i < length - 1:
            score[column][local == 0] += rule[3]
    row, code_label, parent, origin, known = (
        np.concatenate([here[name] for here in run.contexts] + [[end]])
        for name, end in (
            (kernel.ROW, -1), (kernel.LABEL, -1), (kernel.PARENT, -1), (kernel.ORIGIN, -1), (kernel.LENGTH, 0)
        )
    )  # fmt: skip
    shift = np.repeat(offset[:-1], sizes)
    before = np.repeat(np.concatenate([[0], offset[:-2]]), sizes)
    parent = np.where(parent >= 0, parent + shift, -1)
    origin = np.where(origin >= 0, origin + before, -1)
    row = row if scores.has_rows else np.full(len(row), -1)
    return Lattice(scores.labels, offset, known, code_label, origin, parent, row, target, score, scores.choices)


def _trace(scores, run, lattice, settings):
    """Candidates of positions 1 … T−1 from what the kernels left behind."""
    logs, kept = scores.logs, [np.zeros(mass.shape, bool) for mass in run.mass]
    with np.errstate(divide="ignore"):
        logged = [mass if logs else np.log(mass) for mass in run.mass]
        keys = [key if logs else np.log(key) for key in run.key]
    log_mass = [mass + run.log_scale[i] for i, mass in enumerate(logged)]
    for flags, chosen in zip(kept, run.chosen, strict=False):  # nothing is chosen at the last position
        flags.ravel()[chosen] = True
    log_z_so_far = [0.0, *(log_sum(mass.ravel()) for mass in log_mass)]
    return record_candidates(lattice, scores.widths, log_mass, keys, kept, log_z_so_far, settings)


def record_candidates(lattice, widths, log_mass, key, kept, log_z_so_far, settings):
    """The trace of tables (C, Y), one per column; what is beyond a position's width is padding."""
    columns = [lattice.column(i) for i in range(lattice.T - 1)]
    sizes = [(column.stop - column.start) * widths[i] for i, column in enumerate(columns)]

    def flat(tables, dtype):
        parts = [table[:, :width].ravel() for table, width, _ in zip(tables, widths, columns, strict=False)]
        return np.concatenate(parts).astype(dtype, copy=False) if parts else np.zeros(0, dtype)

    contexts = [np.arange(lattice.C)[column, None] for column in columns]
    labels = np.arange(lattice.width)
    return Trace(
        lattice,
        np.cumsum([0, 0, *sizes]),
        flat([np.broadcast_to(context, (len(context), len(labels))) for context in contexts], np.int64),
        flat([np.broadcast_to(labels, (len(context), len(labels))) for context in contexts], np.int64),
        flat(log_mass, float),
        flat(key, float),
        flat(kept, bool),
        flat([lattice.target[column] for column in columns], np.int64),
        np.array(log_z_so_far),
        settings,
    )


def log_sum(values):
    highest = values.max(initial=-np.inf)
    return highest + np.log(np.exp(values - highest).sum()) if highest > -np.inf else -np.inf


def static_pass(scores):
    """All suffixes of length min(i, n), a context's number in its column being its code; the last label is its last
    digit, each digit in the base of its position's width."""
    n, width, widths = scores.order, scores.log_emit.shape[1], scores.widths.tolist()
    length = len(widths)
    sizes = [prod(widths[max(0, i - n) : i]) for i in range(length)]
    arcs = (sum(sizes) + 1) * width
    if arcs > MAX_ARCS:
        raise ValueError(f"exact inference {scores} needs {arcs:,} arcs, the limit is {MAX_ARCS:,}; {scores.remedy}")
    run = Pass([], [], [])
    for i in range(length):
        here, code = np.zeros((kernel.FIELDS, sizes[i]), np.int64), np.arange(sizes[i])
        here[kernel.LENGTH], here[kernel.CODE], here[kernel.PARENT] = min(i, n), code, -1
        here[kernel.LABEL], here[kernel.ORIGIN] = (code % widths[i - 1], code // widths[i - 1]) if i else (-1, -1)
        scores.place(i, here)
        run.contexts.append(here)
        run.table.append(scores.table(run.contexts))
        into = np.zeros((sizes[i], width), np.int64)
        if i < length - 1:
            into += code[:, None] % (sizes[i + 1] // widths[i]) * widths[i] + np.arange(width)
        run.target.append(into)
    return run


def _static_trace(lattice, scores, settings):
    """Every candidate is kept; those that differ only in what the n-gram cannot see join the first of them."""
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    columns = [lattice.column(i) for i in range(lattice.T)]
    log_mass = [forward[column, None] + lattice.score[column] for column in columns]
    first = np.zeros(lattice.target.shape, bool)
    first.ravel()[np.unique(lattice.target, return_index=True)[1]] = True
    log_z_so_far = [log_sum(forward[lattice.column(i)]) for i in range(lattice.T + 1)]
    kept = [first[column] for column in columns]
    settings |= {"deduplicate": True}
    return record_candidates(lattice, scores.widths, log_mass, log_mass, kept, log_z_so_far, settings)


def warm_up():
    """Compile or load every kernel that the builders call, with the types that they use.

    Those that look words up in a language model are loaded by ``rcmviz.ars.decode.warm_up``.
    """
    from rcmviz.core import infer
    from rcmviz.core.model import NgramModel

    model = NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    far = NgramModel.from_windows("ab", 1, {("a", "b"): 900.0})
    for each in (model, far):
        emit = np.zeros((3, 2))
        rcms(each, emit, 1, passes=2, deduplicate=True)
        beam(each, emit, 1)
    lattice, _ = exact(model, emit)
    infer.posterior(lattice)
    infer.viterbi(lattice)
    infer.sample(lattice, 1)
    infer.mass(lattice, "?*")
