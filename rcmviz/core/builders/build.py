"""The rules: exact keeps every context, beam keeps the heaviest and drops the rest, RCMS keeps the heaviest and merges.

Each builder returns ``(lattice, trace)``. The kernels are called position by position, so that the trace is what they
left behind; ``batch.py`` calls the same kernels in one compiled loop. What an arc scores is asked of the model
(``scores.py``), so a log-linear model with emissions, an HMM with a language model and any other kind are built alike.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.adaptive import ADAPTIVE, ENTROPY, WAYS, adaptive_budgets, candidate_posteriors
from rcmviz.core.builders.passes import (
    Previous,
    assemble,
    backward,
    check_room,
    forward,
    static_pass,
    static_trace,
    trace_of,
)
from rcmviz.core.builders.selection_rules import SelectionRule, checked_rule, name_of, ranking
from rcmviz.core.lattices.edits import edit_settings, read_edits
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.methods import BUILDERS, METHODS, NO_CAP, USUAL_BUDGET
from rcmviz.core.models.scores import Model
from rcmviz.core.rules import FORWARD, POSTERIOR
from rcmviz.core.shared import checks

Recorded = Trace | Any  # None without ``record``; Any spares other callers the check
PASSES = "passes"  # to be recorded: all of them
EditList = Iterable[tuple[int, str | Sequence[str]]]  # of what to pin or forbid: (position, label or context)


def rcms(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int | str = 10,
    *,
    deduplicate: bool = False,
    passes: int = 1,
    budgets: Mapping[int, int] | None = None,
    adaptive: str | None = None,
    pin: EditList = (),
    forbid: EditList = (),
    root_weight: float | None = None,
    select: str | SelectionRule = "forward",
    record: bool | str = True,
) -> tuple[Lattice, Recorded]:
    """Select contexts by RCMS: keep the heaviest at every position and merge the others into their ancestors.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int or "adaptive"
        Contexts per position, the root not counted; "adaptive" is ten with ``adaptive="entropy"``.
    deduplicate : bool
        Join contexts that are equal in their last n labels (of an N-gram model its last N − 1 words).
    passes : int
        Number of passes, 1 to 10; from the second on contexts are ranked by forward mass times the backward message of
        the pass before.
    budgets : mapping of int to int, optional
        ``{position: budget}`` where the budget is another one.
    adaptive : {"entropy", "regret"}, optional
        Redistribute the contexts of all positions before each pass but the first, by the posteriors of the pass
        before (``rcmviz.core.builders.adaptive``); two passes, if ``passes`` is 1.
    pin : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must be written or a context that must be kept.
    forbid : iterable of (int, str) or (int, sequence of str)
        Positions with a label that must not be written or a context that must not be kept.
    root_weight : float, optional
        Log weight of entering the root; with it this is the repaired beam: full histories and the root.
    select : str or callable
        How candidates are ranked in the first pass: one of ``rcmviz.core.rules.RULES``, such as "lookahead", or a
        function of the ``Candidates`` that returns a score for each, −inf to discard one. "posterior" means two
        passes, if ``passes`` is 1.
    record : bool or "passes"
        Record the trace; with "passes" those of the passes before as well, as ``trace.earlier``.

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
        root_weight = checks.root_weight(root_weight)
    passes = checks.passes(passes)
    settings: dict[str, Any] = {"method": "rcms" if root_weight is None else "repaired", "passes": passes}
    if root_weight is not None:
        settings["root_weight"] = root_weight
    if isinstance(budget, str):
        checks.choice("budget", budget, (ADAPTIVE,), "a whole number, 1 or more, or 'adaptive'")
        budget, adaptive = USUAL_BUDGET, adaptive or ENTROPY
    if adaptive is not None:
        settings |= {"adaptive": checks.choice("adaptive", adaptive, WAYS), "passes": max(passes, 2)}
        if budgets:
            raise ValueError("adaptive: it chooses all budgets; leave budgets out")
    return _select(model, log_emit, budget, budgets, deduplicate, pin, forbid, settings, record, select)


def beam(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    *,
    deduplicate: bool = False,
    budgets: Mapping[int, int] | None = None,
    pin: EditList = (),
    forbid: EditList = (),
    select: str | SelectionRule = "forward",
    record: bool = True,
) -> tuple[Lattice, Recorded]:
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
    select : str or callable
        How candidates are ranked, as of `rcms`.
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
    return _select(model, log_emit, budget, budgets, deduplicate, pin, forbid, settings, record, select)


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


def recombining_beam(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    *,
    budgets: Mapping[int, int] | None = None,
    pin: EditList = (),
    forbid: EditList = (),
    record: bool = True,
) -> tuple[Lattice, Recorded]:
    """Beam search that joins histories which no future can tell apart, so that none takes the place of another.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Histories per position, those with the same last n labels counted once.
    budgets : mapping of int to int, optional
        ``{position: budget}`` where the budget is another one.
    pin : iterable of (int, str)
        Positions with a label that must be written.
    forbid : iterable of (int, str)
        Positions with a label that must not be written.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        The last n labels of the histories, their arcs and scores.
    trace : Trace or None
        What was proposed and what became of it; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or the lattice would be too large.

    Notes
    -----
    Hypothesis recombination, exact here because a window sees n labels (Zhang, Wang, Utiyama, Sumita and Zhao, 2018);
    the same as ``beam`` with ``deduplicate``. Its log Z is a lower bound of the exact one.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> emit = [[0.1, 0.0]] * 4
    >>> bool(rv.log_z(rv.beam(model, emit, 2)[0]) < rv.log_z(rv.recombining_beam(model, emit, 2)[0]))
    True
    """
    settings = {"method": "recombining", "passes": 1}
    return _select(model, log_emit, budget, budgets, True, pin, forbid, settings, record)


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
    edits = read_edits(model, checks.model(model).check_emissions(log_emit), pin, forbid)
    if edits.touch_contexts:
        raise ValueError("exact inference keeps every context: pin or forbid labels, not contexts")
    scores = model.scores(edits.log_emit)
    lattice = assemble(scores, static_pass(scores), METHODS["exact"].rule())
    if not checks.switch("record", record):
        return lattice, None
    settings = {
        "method": "exact",
        "budget": None,
        "order": scores.order,
        **scores.settings,
        **edit_settings(pin, forbid),
    }
    return lattice, static_trace(lattice, scores, settings)


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


def _select(model, log_emit, budget, budgets, deduplicate, pin, forbid, settings, record, select="forward"):
    """By the method, passes and root weight of the ``settings``."""
    method, root_weight = METHODS[settings["method"]], settings.get("root_weight", 0.0)
    select = checked_rule(select, method)
    if select == POSTERIOR:
        settings["passes"], select = max(settings["passes"], 2), FORWARD
    passes = settings["passes"]
    edits = read_edits(model, checks.model(model).check_emissions(log_emit), pin, forbid)
    scores = model.scores(edits.log_emit, root_weight)
    length = len(edits.log_emit)
    budget = checks.budget(budget)
    changed = _check_budgets(budgets, length)
    deduplicate = checks.switch("deduplicate", deduplicate)
    if deduplicate and (scores.order + 1) * np.log2(scores.emit.shape[1]) > 62:  # else histories have codes to compare
        raise ValueError(f"deduplicate {scores}: too many histories to tell apart; offer fewer candidates")
    rule = method.rule(scores.order if deduplicate else NO_CAP, root_weight)
    _check_pins(edits, method, deduplicate, scores.order)
    plan = [changed.get(i, budget) for i in range(length + 1)]
    if scores.every_arc and not edits.touch_contexts:
        check_room(plan, np.isfinite(edits.log_emit).sum(axis=1), scores.emit.shape[1], rule)
    previous, rank, earlier = None, ranking(select, scores, rule), []
    settings |= {"budget": budget, "deduplicate": deduplicate, "order": scores.order}
    settings |= {**scores.settings, **edit_settings(pin, forbid)}
    if rank is not None:
        settings["select"] = name_of(select)

    def traced(lattice, before=None):
        """The trace of the pass that ends, with those ``before`` it."""
        own = {i: plan[i] for i in range(1, length) if plan[i] != budget} if "adaptive" in settings else changed
        budgeted = {"budgets": sorted(own.items())} if own else {}
        return trace_of(scores, run, lattice, settings | budgeted | {"passes": turn + 1}, before)

    for turn in range(passes):
        run = forward(scores, plan, rule, deduplicate, edits, previous, None if previous else rank)
        if turn < passes - 1:
            if record == PASSES:
                earlier.append(traced(assemble(scores, run, rule)))
            previous = Previous(run.target, backward(scores, run, rule), run.contexts)
            if "adaptive" in settings:
                candidates = candidate_posteriors(run, previous.messages, scores.logs, rule.root_proposes)
                plan[1:length] = adaptive_budgets(candidates, budget, settings["adaptive"])
    lattice = assemble(scores, run, rule)
    if record != PASSES:
        return lattice, traced(lattice) if checks.switch("record", record) else None
    return lattice, traced(lattice, tuple(earlier))


def _check_pins(edits, method, deduplicate, order):
    for position, contexts in edits.pinned.items():
        for context in contexts:
            if method.needs_whole_histories and len(context) < position:
                raise ValueError(
                    f"pin at position {position}: beam search keeps full histories; pin all {position} labels, "
                    "or use rcms"
                )
            if deduplicate and len(context) > order:
                raise ValueError(f"pin at position {position}: de-duplicated contexts remember at most {order} labels")


def warm_up():
    """Compile or load every kernel that the builders call, with the types that they use.

    Those that look words up in a language model are loaded by ``rcmviz.ars.decode.warm_up``.
    """
    from rcmviz.core.inference import infer
    from rcmviz.core.models.candidates import top_candidates
    from rcmviz.core.models.model import NgramModel

    model = NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    far = NgramModel.from_windows("ab", 1, {("a", "b"): 900.0})
    for each in (model, far):
        emit = np.zeros((3, 2))
        rcms(each, emit, 1, passes=2, deduplicate=True)
        beam(each, emit, 1)
    top_candidates(emit, 1)
    lattice, _ = exact(model, emit)
    infer.posterior(lattice)
    infer.viterbi(lattice)
    infer.sample(lattice, 1)
    infer.mass(lattice, "?*")
