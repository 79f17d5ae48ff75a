"""What the player's panel "log Z between two proofs" needs: bounds, the weighted estimate, each run's own log Z."""

from math import isfinite

import rcmviz as rv
from rcmviz.core.lattices.edits import read_edits
from rcmviz.core.methods import ESTIMATED, LOWER_BOUND, METHODS, TRUE_LOG_Z
from rcmviz.proposal.estimate import BOUND, ENOUGH
from rcmviz.views.shared.plain import number

DRAWS = 1_000
MOST_CONTEXTS = 500  # of the beam and of the RCMS that is drawn from, however large the budget is
MOST_EXACT = 10_000_000  # arcs: a hundredth of a second
KINDS = {LOWER_BOUND: "lower", TRUE_LOG_Z: "true", ESTIMATED: "estimate"}  # others are of another model


def trust_part(model, log_emit, runs, budget=10, *, pin=(), forbid=()):
    """Bounds on log Z of the full model and the estimate between them, as plain JSON; None where nothing is possible.

    ``runs`` are (name, lattice, kind of method), drawn each with its own log Z · ``budget`` of the beam and of the RCMS
    that is drawn from · ``pin``, ``forbid`` labels, which change the full model too. Logs in nats, None for −inf.

    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> part = trust_part(model, [[0.0, 0.0]] * 3, [], 4)
    >>> [row["kind"] for row in part["rows"]]
    ['upper', 'estimate', 'true', 'lower', 'other']
    """
    budget = min(budget, MOST_CONTEXTS)
    bound = max(BOUND, budget)
    try:
        found = rv.sandwich(model, log_emit, budget, DRAWS, bound=bound, pin=pin, forbid=forbid)
    except ValueError:  # no output is possible, or the model is too large to be bounded
        return None
    own = [_own_row(k, *run) for k, run in enumerate(runs)]
    taken = {row["name"] for row in own}
    others = [_row("lower", f"Beam {budget}", found.beam_log_z), _row("other", f"RCMS {budget}", found.rcms_log_z)]
    if not any(row["kind"] == "true" for row in own):
        others += _exact(model, log_emit, pin, forbid)
    rows = [_row("upper", f"Bound of {bound} contexts", found.upper), _estimate(found.estimate)]
    rows += own + [row for row in others if row["name"] not in taken]
    order = ("upper", "estimate", "true", "lower", "other")
    return {
        "lower": number(found.lower),
        "upper": number(found.upper),
        "budget": budget,
        "draws": found.estimate.n,
        "ess": number(found.estimate.ess),
        "least": number(found.estimate.least_ess),
        "needed": int(ENOUGH),
        "why": found.estimate.why,
        "rows": sorted(rows, key=lambda row: order.index(row["kind"])),
    }


def warm_up():
    """Compile or load every kernel that the panel calls besides the builders'."""
    trust_part(rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0}), [[0.0, 0.0]] * 3, [])


def _row(kind, name, at, run=None, interval=None):
    """One mark of the scale; ``run`` is the number of the run whose own log Z it is."""
    return {"kind": kind, "name": name, "at": number(at), "run": run, "interval": interval}


def _own_row(k, name, lattice, kind):
    return _row(KINDS.get(METHODS[kind].log_z, "other"), name, rv.log_z(lattice), k)


def _estimate(estimate):
    interval = None if estimate.interval is None else [number(end) for end in estimate.interval]
    return _row("estimate", f"{estimate.n:,} weighted draws", estimate.log_z, None, interval)


def _exact(model, log_emit, pin, forbid):
    """The truth, where it costs a moment."""
    order, labels = model.order, len(model.labels)
    if labels ** (order + 1) * len(log_emit) > MOST_EXACT:
        return []
    masked = read_edits(model, model.check_emissions(log_emit), pin, forbid).log_emit
    try:
        log_z = float(rv.infer_batch(model, [masked], "exact", dtype="f8", threads=1).log_z[0])
    except ValueError:  # a table of the model's would be too large
        return []
    return [_row("true", "Exact", log_z)] if isfinite(log_z) else []
