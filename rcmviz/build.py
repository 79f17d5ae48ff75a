"""The rules: exact keeps every context, beam keeps the heaviest and drops the rest, RCMS keeps the heaviest and merges.

Each builder returns ``(lattice, trace)``. The kernels are called position by position, so that the trace is what they
left behind; ``batch.py`` calls the same kernels in one compiled loop.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rcmviz.edits import read_edits
from rcmviz.kernels import contexts as kernel
from rcmviz.kernels import sweep
from rcmviz.lattice import Lattice
from rcmviz.trace import Trace

MAX_ARCS = 20_000_000  # arcs of one lattice; 320 MB of targets and scores
MAX_POSITIONS = 2_000
LARGEST = 1e300  # of a log emission in size: sums over a word stay finite
# Linear masses lose a path only where it falls e^-700 behind in one stretch and catches up in the rest.
SAFE_RANGE = {"f8": 600.0, "f4": 70.0}


def rcms(
    model, log_emit, budget=10, *, deduplicate=False, passes=1, budgets=None, pin=(), forbid=(), root_weight=None,
    record=True,
):  # fmt: skip
    """Reified context model selection (Steinhardt & Liang 2015, §4): keep the heaviest contexts, merge the rest.

    ``log_emit (T, Y)`` natural-log emissions, −inf allowed · ``budget`` contexts per position, the root not counted,
    ``budgets`` {position: budget} where it differs · ``deduplicate`` joins contexts equal in their last n labels ·
    ``passes`` > 1 ranks by forward mass × the previous pass's backward message · ``pin``, ``forbid`` see
    ``rcmviz.edits`` · ``root_weight`` makes it the repaired beam of §4.1: full histories and the root, which costs this
    log weight to enter · ``record=False`` skips the trace. Ties go to the lower context, then the lower label.
    Returns (Lattice, Trace or None); ValueError for malformed input.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.rcms(model, [[0.1, 0.0], [0.0, 0.3]], budget=1)
    >>> [lattice.name(c) for c in range(lattice.C)]
    ['*', '*', 'a', '*']
    """
    is_number = isinstance(root_weight, (int, float, np.integer, np.floating))
    if root_weight is not None and (not is_number or np.isnan(root_weight) or root_weight == np.inf):
        raise ValueError(f"root_weight {root_weight!r}: a log weight, finite or -inf")
    passes = check_passes(passes)
    cap = model.order if deduplicate else MAX_POSITIONS
    rule = (True, root_weight is None, cap, 0.0 if root_weight is None else float(root_weight))
    settings = {"method": "rcms" if root_weight is None else "repaired", "passes": passes}
    if root_weight is not None:
        settings["root_weight"] = float(root_weight)
    return _select(model, log_emit, budget, budgets, rule, passes, deduplicate, pin, forbid, settings, record)


def beam(model, log_emit, budget=10, *, deduplicate=False, budgets=None, pin=(), forbid=(), record=True):
    """Beam search as a lattice: full histories only, what is not kept is dropped. Arguments as in ``rcms``.

    Its log Z is a lower bound of the exact one: the mass of the outputs that it still knows.
    """
    rule = (False, True, model.order if deduplicate else MAX_POSITIONS, 0.0)
    settings = {"method": "beam", "passes": 1}
    return _select(model, log_emit, budget, budgets, rule, 1, deduplicate, pin, forbid, settings, record)


def exact(model, log_emit, *, pin=(), forbid=(), record=True):
    """The exact n-th order chain: all suffixes of length min(i, n). Labels can be pinned or forbidden.

    ValueError where Y^n contexts are too many, with the number.
    """
    edits = read_edits(model.labels, check_emissions(model, log_emit), pin, forbid)
    if edits.touch_contexts:
        raise ValueError("exact inference keeps every context: pin or forbid labels, not contexts")
    lattice = _static_lattice(model, edits.log_emit)
    if not record:
        return lattice, None
    settings = {"method": "exact", "budget": None, "order": model.order, **_as_written(pin, forbid)}
    return lattice, _static_trace(lattice, settings)


def check_emissions(model, log_emit):
    """``log_emit`` as a float array (T, Y); ValueError names what is wrong with it."""
    try:
        log_emit = np.asarray(log_emit, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("log_emit: expected one row of numbers per position, all rows of one length") from None
    if log_emit.ndim != 2 or len(log_emit) == 0:
        raise ValueError(f"log_emit has shape {log_emit.shape}: expected (positions, labels), at least one position")
    if log_emit.shape[1] != len(model.labels):
        raise ValueError(f"log_emit has {log_emit.shape[1]} columns, the model has {len(model.labels)} labels")
    if len(log_emit) > MAX_POSITIONS:
        raise ValueError(f"{len(log_emit)} positions: the limit is {MAX_POSITIONS}; split the sequence")
    bad = np.argwhere(~((np.abs(log_emit) < LARGEST) | np.isneginf(log_emit)))
    if len(bad):
        i, y = bad[0]
        where = f"log_emit at position {i + 1}, label {model.labels[y]!r}"
        raise ValueError(f"{where} is {log_emit[i, y]}: use a log below {LARGEST:g} in size, or -inf")
    return log_emit


def check_budget(budget, where="budget"):
    """``budget`` as an int; ValueError where it is not a whole number from 1 on."""
    whole = isinstance(budget, (int, np.integer)) or (isinstance(budget, (float, np.floating)) and budget % 1 == 0)
    if not whole or isinstance(budget, bool) or budget < 1:
        raise ValueError(f"{where} {budget!r}: a budget is a whole number of contexts, 1 or more")
    return int(min(budget, 2**31))


def check_passes(passes):
    """``passes`` as an int; ValueError where it is not a whole number from 1 to 10."""
    if isinstance(passes, bool) or not isinstance(passes, (int, np.integer)) or not 1 <= passes <= 10:
        raise ValueError(f"passes {passes!r}: choose 1 to 10 passes")
    return int(passes)


def _check_budgets(budgets, length):
    """``{position: budget}`` as ints; ValueError names a position that selects nothing, or a budget that is none."""
    if budgets is not None and not isinstance(budgets, Mapping):
        raise ValueError(f"budgets {budgets!r}: expected {{position: budget}}")
    for i in budgets or {}:
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 1 <= i < length:
            raise ValueError(f"budgets: position {i!r} selects nothing; positions 1 to {length - 1} do")
    return {int(i): check_budget(b, f"budget at position {i}") for i, b in (budgets or {}).items()}


def score_ranges(model, log_emit, root_weight=0.0):
    """How far apart two finite arc scores of a position can be, shape (T,).

    Their sum bounds how far a path can fall behind and still catch up: below ``SAFE_RANGE`` no mass that matters can
    underflow, and the kernels work on linear masses, else on logs.
    """
    finite = np.isfinite(log_emit)
    lowest = np.min(log_emit, axis=1, where=finite, initial=np.inf)
    highest = np.max(log_emit, axis=1, where=finite, initial=-np.inf)
    emissions = np.where(finite.any(axis=1), highest - lowest, 0.0)
    return emissions + model.log_range + (abs(root_weight) if np.isfinite(root_weight) else 0.0)


def scaled_emissions(log_emit, logs, dtype="f8"):
    """What the kernels multiply by (T, Y), and the log scale (T,) taken out of each row (0 where ``logs``)."""
    highest = log_emit.max(axis=1)
    scale = np.where(np.isneginf(highest) | logs, 0.0, highest)
    emit = log_emit if logs else np.exp(log_emit - scale[:, None])
    return np.ascontiguousarray(emit, dtype=dtype), scale


@dataclass
class _Pass:
    """One forward pass: per column i the contexts, their forward masses and what was proposed for column i + 1."""

    contexts: list
    alpha: list
    target: list
    mass: list
    key: list
    chosen: list
    log_scale: list  # of alpha, per column
    folded: np.ndarray | None = None  # the present candidates' masses, those of twins added up; used up by absorb


def _select(model, log_emit, budget, budgets, rule, passes, deduplicate, pin, forbid, settings, record):
    edits = read_edits(model.labels, check_emissions(model, log_emit), pin, forbid)
    length = len(edits.log_emit)
    budget = check_budget(budget)
    changed = _check_budgets(budgets, length)
    _check_pins(edits, rule, deduplicate, model.order)
    plan = [changed.get(i, budget) for i in range(length + 1)]
    logs = bool(score_ranges(model, edits.log_emit, rule[3]).sum() >= SAFE_RANGE["f8"])
    emit, scale = scaled_emissions(edits.log_emit, logs)
    table = model.table(logs)
    previous = None
    for turn in range(passes):
        run = _forward(model, emit, scale, table, plan, rule, deduplicate, logs, edits, previous)
        if turn < passes - 1:
            previous = run.target, _backward(run, emit, table, rule, logs)
    lattice = _assemble(model, run, edits.log_emit, rule)
    if not record:
        return lattice, None
    settings |= {"budget": budget, "deduplicate": bool(deduplicate), "order": model.order, **_as_written(pin, forbid)}
    if changed:
        settings["budgets"] = sorted(changed.items())
    return lattice, _trace(run, lattice, logs, settings)


def _as_written(pin, forbid):
    edits = {"pin": [list(edit) for edit in pin], "forbid": [list(edit) for edit in forbid]}
    return {name: value for name, value in edits.items() if value}


def _check_pins(edits, rule, deduplicate, order):
    merging, root_proposes, _, _ = rule
    for position, contexts in edits.pinned.items():
        for context in contexts:
            if not (merging and root_proposes) and len(context) < position:
                raise ValueError(
                    f"pin at position {position}: beam search keeps full histories; pin all {position} labels, "
                    "or use rcms"
                )
            if deduplicate and len(context) > order:
                raise ValueError(f"pin at position {position}: de-duplicated contexts remember at most {order} labels")


def _forward(model, emit, scale, table, plan, rule, deduplicate, logs, edits, previous):
    """One pass over the positions with the kernels of ``kernels/contexts.py``; ``previous`` = (targets, messages)."""
    merging, root_proposes, cap, _ = rule
    width = emit.shape[1]
    start = np.zeros((kernel.FIELDS, 1), np.int64)
    kernel.start(model.address, merging, start)
    run = _Pass([start], [np.full(1, 0.0 if logs else 1.0)], [], [], [], [], [0.0])
    suffixes = [()]
    for i in range(len(emit)):
        _propose(run, i, table, emit, scale, logs)
        if i == len(emit) - 1:
            break
        key = _rank(model, run, i, rule, deduplicate, logs, previous)
        silent = int(i > 0 and not root_proposes)
        order, budget = _with_edits(key, edits, i + 1, _proposers(suffixes, cap, silent), plan[i + 1], logs)
        run.key.append(key)
        _keep(model, run, i, order, min(budget, key.size), rule, logs, previous)
        if edits.touch_contexts:
            grown = [(suffixes[c // width] + (c % width,))[-cap:] for c in run.chosen[i].tolist()]
            suffixes = [()] * merging + grown
        else:
            suffixes = ()
    return run


def _propose(run, i, table, emit, scale, logs):
    """Masses of all candidates of column i + 1."""
    here, width = run.contexts[i], emit.shape[1]
    arcs = width * sum(column.shape[1] for column in run.contexts)
    if arcs > MAX_ARCS:
        raise ValueError(f"{arcs:,} arcs by position {i + 1}, the limit is {MAX_ARCS:,}; lower the budget")
    mass = np.empty((here.shape[1], width))
    kernel.expand(here, len(mass), run.alpha[i], table, emit[i], logs, mass)
    run.mass.append(mass)
    run.target.append(np.zeros(mass.shape, np.int32))
    run.log_scale[i] += scale[i]


def _rank(model, run, i, rule, deduplicate, logs, previous):
    """What the candidates of column i + 1 are ranked by: zero for those that another speaks for."""
    here, mass, zero = run.contexts[i], run.mass[i].copy(), -np.inf if logs else 0.0
    count = len(mass)
    if deduplicate:
        slot = np.zeros(1 << max(4, int(4 * count - 1).bit_length()), np.int64)
        kernel.fold(here, count, model.powers, rule[1], logs, mass, here[kernel.TWIN], slot)
    run.folded = mass
    key = mass.copy()
    if previous is not None:
        kernel.rank_by_posterior(here, count, previous[0][i], previous[1][i + 1], logs, mass, key)
    key[here[kernel.TWIN] != np.arange(count)] = zero
    if i > 0 and not rule[1]:
        key[0] = zero
    return key


def _keep(model, run, i, order, budget, rule, logs, previous):
    """Column i + 1: the ``budget`` highest of ``order``, and the rest absorbed."""
    here = run.contexts[i]
    count = here.shape[1]
    chosen = np.zeros(budget + kernel.SLACK, np.int64)
    kept = kernel.select(order.ravel(), budget, logs, chosen)
    there = np.zeros((kernel.FIELDS, kept + 1), np.int64)
    twin = here[kernel.TWIN]
    size = kernel.grow(here, count, chosen, kept, i + 1, model.address, rule, twin, there, run.target[i])
    there, alpha = there[:, :size].copy(), np.empty(size)
    if previous is not None:
        kernel.map_images(here, there, size, previous[0][i])
    log_scale = kernel.absorb(here, count, chosen, kept, rule, logs, run.folded, size, alpha)
    run.contexts.append(there)
    run.alpha.append(alpha)
    run.chosen.append(chosen[:kept].copy())
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


def _backward(run, emit, table, rule, logs):
    """Backward messages per column, one place more than contexts: the last, zero, answers for what was dropped."""
    zero, one = (-np.inf, 0.0) if logs else (0.0, 1.0)
    length = len(emit)
    messages = [None] * length + [np.array([one, zero])]
    for i in range(length - 1, -1, -1):
        here, ending = run.contexts[i], i == length - 1
        count = here.shape[1]
        following = here if ending else run.contexts[i + 1]
        ahead = np.empty((count, emit.shape[1]))
        messages[i] = np.full(count + 1, zero)
        kernel.spread(here, count, following, following.shape[1], ending, rule, logs, messages[i + 1], ahead)
        kernel.backward(here, count, table, emit[i], ahead, logs, messages[i])
    return messages


def _assemble(model, run, log_emit, rule):
    """The lattice of a finished pass; log scores are those of the model, whatever domain the kernels worked in."""
    length, width = log_emit.shape
    sizes = [here.shape[1] for here in run.contexts] + [1]
    offset = np.concatenate([[0], np.cumsum(sizes)])
    table = model.log_table
    target, score = np.full((offset[-1], width), -1, np.int64), np.full((offset[-1], width), -np.inf)
    for i, here in enumerate(run.contexts):
        column = slice(offset[i], offset[i + 1])
        local = run.target[i]
        target[column] = np.where(local >= 0, local + offset[i + 1], -1)
        score[column] = table[here[kernel.ROW]] + log_emit[i]
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
    return Lattice(model.labels, offset, known, code_label, origin, parent, row, target, score)


def _trace(run, lattice, logs, settings):
    """Candidates of positions 1 … T−1 from what the kernels left behind."""
    length, width = lattice.T, len(lattice.labels)
    with np.errstate(divide="ignore"):
        logged = [mass if logs else np.log(mass) for mass in run.mass]
        keys = [key if logs else np.log(key) for key in run.key]
    log_mass = [mass.ravel() + run.log_scale[i] for i, mass in enumerate(logged)]
    sizes = [0] + [mass.size for mass in log_mass[: length - 1]]
    kept = [np.zeros(size, bool) for size in sizes[1:]]
    for flags, chosen in zip(kept, run.chosen, strict=True):
        flags[chosen] = True
    first = lattice.offset[: length - 1]
    context = [np.repeat(np.arange(size // width), width) + first[i] for i, size in enumerate(sizes[1:])]
    into = [lattice.target[lattice.column(i)].ravel() for i in range(length - 1)]
    everything = [_log_sum(mass) for mass in log_mass]
    return Trace(
        lattice,
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        _joined(context, np.int64),
        np.tile(np.arange(width), int(sum(sizes)) // width),
        _joined(log_mass[: length - 1], float),
        _joined([key.ravel() for key in keys], float),
        _joined(kept, bool),
        _joined(into, np.int64),
        np.array([0.0, *everything]),
        settings,
    )


def _joined(parts, dtype):
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)


def _log_sum(values):
    highest = values.max(initial=-np.inf)
    return highest + np.log(np.exp(values - highest).sum()) if highest > -np.inf else -np.inf


def _static_lattice(model, log_emit):
    """All suffixes of length min(i, n), a context's number in its column being its code in base Y."""
    length, width = log_emit.shape
    n = model.order
    sizes = [width ** min(i, n) for i in range(length)] + [1]
    arcs = sum(sizes) * width
    if arcs > MAX_ARCS:
        raise ValueError(
            f"exact inference of order {n} over {width} labels needs {arcs:,} arcs, the limit is {MAX_ARCS:,}; "
            "use rcms or beam, or a lower order"
        )
    offset = np.concatenate([[0], np.cumsum(sizes)])
    known, label, origin, row, target = ([] for _ in range(5))
    for i in range(length):
        code = np.arange(sizes[i])
        known.append(np.full(sizes[i], min(i, n)))
        label.append(code % width if i else np.array([-1]))
        origin.append(code // width + offset[i - 1] if i else np.array([-1]))
        row.append(model.rows(i, min(i, n), code))
        suffix = (code % (sizes[i + 1] // width) if i < length - 1 else np.zeros_like(code))[:, None]
        into = suffix * width + np.arange(width) if i < length - 1 else np.zeros((sizes[i], width), int)
        target.append(into + offset[i + 1])
    score = np.vstack([model.log_table[r] + log_emit[i] for i, r in enumerate(row)] + [np.full((1, width), -np.inf)])
    ends = np.array([-1])
    return Lattice(
        model.labels, offset, np.concatenate([*known, [0]]), np.concatenate([*label, ends]),
        np.concatenate([*origin, ends]), np.full(offset[-1], -1), np.concatenate([*row, ends]),
        np.vstack([*target, np.full((1, width), -1)]), score,
    )  # fmt: skip


def _static_trace(lattice, settings):
    """Every candidate is kept; those that differ only in what the n-gram cannot see join the first of them."""
    width, length = len(lattice.labels), lattice.T
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    until = int(lattice.offset[length - 1])
    sizes = np.diff(lattice.offset[:length]) * width
    log_mass = (forward[:until, None] + lattice.score[:until]).ravel()
    into = lattice.target[:until].ravel()
    kept = np.zeros(len(into), bool)
    kept[np.unique(into, return_index=True)[1]] = True
    mass = [_log_sum(forward[lattice.column(i)]) for i in range(length + 1)]
    return Trace(
        lattice, np.concatenate([[0, 0], np.cumsum(sizes)]).astype(np.int64),
        np.repeat(np.arange(until), width), np.tile(np.arange(width), until), log_mass, log_mass.copy(), kept, into,
        np.array(mass), {**settings, "deduplicate": True},
    )  # fmt: skip


def warm_up():
    """Compile or load every kernel that the builders call, with the types that they use."""
    from rcmviz import infer
    from rcmviz.model import NgramModel

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
