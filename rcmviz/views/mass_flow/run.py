"""One finished run → the columns, steps and result that the picture draws."""

import math
from typing import NamedTuple

import numpy as np

import rcmviz as rv
from rcmviz.core.inference.infer import arc_shares
from rcmviz.core.inference.mass_columns import choose_columns
from rcmviz.core.inference.mass_parts import DROPPED, Ends, Part, choose_named, rest_parts
from rcmviz.core.inference.proposals import proposals
from rcmviz.core.inference.so_far import best_beginnings
from rcmviz.core.inference.verdict import contexts_along, lost_at
from rcmviz.core.methods import METHODS
from rcmviz.kernels.chain import sweep
from rcmviz.views.word.labels import label_numbers

OUTPUTS = 5  # outputs by name
NAMED, BELOW = 40, 8  # candidates by name, at least this many of them below the line
DIGITS, DECIMALS = 10, 13  # of a share: sums of hundreds of them are right to 1e-9


class Limits(NamedTuple):
    """How much of each position is sent: contexts and candidates by name, and parts without one."""

    contexts: int
    named: int
    rest: int


def limits_for(length):
    """Less of each position if there are many, so that 2,000 of them are still sent."""
    each = 2400 // length
    return Limits(contexts=min(60, max(6, each)), named=min(NAMED, max(8, each)), rest=min(120, max(12, 4 * each)))


def share(value):
    """A share with as many digits as the picture needs: the smaller, the fewer, at least three."""
    return _rounded(value, DIGITS, DECIMALS, 3)


def rough_shares(values):
    """Shares with six digits at most; the largest takes up the rest, so that their sum is right to 1e-9."""
    rough = [_rounded(value, 6, 8, 2) for value in values]
    if rough:
        largest = max(range(len(rough)), key=rough.__getitem__)
        rough[largest] = share(max(0.0, rough[largest] + math.fsum(values) - math.fsum(rough)))
    return rough


def _rounded(value, most, decimals, least):
    value = float(value)
    if value <= 0:
        return 0.0
    return float(f"{value:.{max(least, min(most, decimals + 1 + math.floor(math.log10(value))))}g}")


def run_payload(run, gold, limits):
    """What the picture needs of one ``Run``; ``gold`` names of the right labels, or None."""
    lattice, trace = run.lattice, run.trace
    forward = sweep.forward_sums(lattice.offset, lattice.target, lattice.score)
    steps = [proposals(lattice, trace, forward, i) for i in range(1, lattice.T + 1)]
    best = rv.kbest(lattice, OUTPUTS) if rv.log_z(lattice) > -np.inf else []
    outputs = _outputs(lattice, best, gold)
    ways = [contexts_along(lattice, output.labels) for output in outputs]
    if gold is not None:
        ways.append(contexts_along(lattice, gold))
    wanted = [{way[i] for way in ways if way[i] is not None} for i in range(lattice.T)]
    columns = choose_columns(lattice, steps, wanted, limits.contexts)
    gold_arc = _gold_arcs(lattice, gold)
    posterior = arc_shares(lattice) if best else None
    left, sent = [1.0], []
    for i, found in enumerate(steps, start=1):
        last = i == lattice.T
        ends = _ends(columns, found, i, last)
        named = choose_named(
            found, _wanted(lattice, found, i, gold_arc, outputs, columns), limits.named, min(BELOW, limits.named)
        )
        own = None if posterior is None or last else posterior[found.context, found.label]
        parts = _output_parts(found, ends, named, outputs, i) if last else _named_parts(found, ends, named, own)
        parts += _rest(found, ends, named, limits.rest, own, outputs if last else None)
        sent.append(_step(lattice, trace, found, ends, named, parts, i, own is not None))
        loses = any(part.into == DROPPED for part in parts)
        left.append(left[-1] * (sum(part.share for part in parts if part.into != DROPPED) if loses else 1))
    method = trace.settings["method"] if trace is not None else "exact"
    entry = METHODS[method]
    return {
        "name": run.name,
        "method": method,
        "drops": entry.drops,
        "merges": entry.merges,
        "draws": entry.draws,
        "ranked": trace.ranked_by if trace is not None else "mass",
        **_budgets(trace),
        "edits": list(run.edits),
        "left": [float(f"{value:.15g}") for value in left],
        "columns": [_column(column, before) for column, before in zip(columns, [None, *columns], strict=False)],
        "outputs": [
            [label_numbers(lattice, 0, one.indices), share(one.share), _places(columns, one)] for one in outputs
        ],
        "steps": sent,
        "soFar": _beginnings(lattice) if best else [],
        "result": _result(lattice, best, gold, left[-1]),
    }


class _Output(NamedTuple):
    """A whole output: names and indices of its labels, its probability, the contexts that it goes through."""

    labels: tuple
    indices: tuple
    share: float
    contexts: list


def _budgets(trace):
    """The budget of each position that selects, if they differ."""
    if trace is None or not trace.settings.get("budgets"):
        return {}
    return {"budgets": [trace.budget(i) for i in range(1, trace.lattice.T)]}


def _outputs(lattice, best, gold):
    """The best outputs, and the right one where the run still has it."""
    found = [_Output(p.labels, p.indices, math.exp(p.log_prob), contexts_along(lattice, p.labels)) for p in best]
    if best and gold is not None and all(one.labels != gold for one in found):
        p = math.exp(rv.log_prob(lattice, gold))
        if p > 0:
            found.append(_Output(gold, tuple(lattice.indices_of(gold)), p, contexts_along(lattice, gold)))
    return found


def _places(columns, output):
    return [column.place_of(c) for column, c in zip(columns, output.contexts, strict=False)]


def _gold_arcs(lattice, gold):
    """Per position the context and the label index that the right output goes by, or None."""
    if gold is None:
        return [None] * lattice.T
    arcs = zip(contexts_along(lattice, gold), lattice.indices_of(gold), strict=False)
    return [None if c is None or y < 0 else (c, y) for c, y in arcs]


def _wanted(lattice, found, i, gold_arc, outputs, columns):
    """Rows of the candidates that are sent by name whatever their rank."""
    arcs = {gold_arc[i - 1]} - {None} | {(one.contexts[i - 1], one.indices[i - 1]) for one in outputs}
    rows = [np.flatnonzero((found.context == c) & (found.label == y)) for c, y in arcs]
    if i < lattice.T:  # what became a bar of its own
        own = np.flatnonzero(found.kept)
        rows.append(own[np.isin(found.into[own], columns[i].shown)])
    return np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64).tolist()


def _ends(columns, found, i, last):
    """The bars that candidates come from and go to; at the end 0 or −1: outputs are distinguished by their labels."""
    origin = columns[i - 1].places_of(found.context)
    return Ends(origin, np.minimum(found.into, 0) if last else columns[i].places_of(found.into))


def _named_parts(found, ends, named, posterior):
    end = np.zeros(len(found.share)) if posterior is None else posterior
    return [
        Part(int(ends.origin[m]), int(ends.into[m]), bool(found.kept[m]), 1, float(found.share[m]), k, float(end[m]))
        for k, m in enumerate(named)
    ]


def _output_parts(found, ends, named, outputs, i):
    """What of each candidate by name goes into which output by name, and what into all others."""
    reached = float(found.share[found.into >= 0].sum())  # draws drop candidates of the last position too
    parts = []
    for k, m in enumerate(named):
        left = float(found.share[m])
        origin, arc = int(ends.origin[m]), (found.context[m], found.label[m])
        for place, one in enumerate(outputs):
            if (one.contexts[i - 1], one.indices[i - 1]) == arc:
                parts.append(Part(origin, place, True, 1, one.share * reached, k))
                left -= one.share * reached
        if left > 1e-9 * found.share[m]:
            into = len(outputs) if found.into[m] >= 0 else DROPPED
            parts.append(Part(origin, into, bool(found.kept[m]), 1, left, k))
    return parts


def _rest(found, ends, named, most, posterior, outputs):
    """The parts of candidates without a name; at the end they go into all other outputs."""
    if outputs is not None:
        ends = Ends(ends.origin, np.where(ends.into < 0, DROPPED, len(outputs)))
    return rest_parts(found, ends, named, most, posterior)


def _step(lattice, trace, found, ends, named, parts, i, has_ends):
    last = i == lattice.T
    sent_ends = {"end": rough_shares([part.end for part in parts])} if has_ends else {}
    return {
        "total": len(found.share),
        "possible": int((found.share > 0).sum()),
        "kept": None if last else int(found.kept.sum()),
        "budget": None if trace is None or last else trace.budget(i),
        "candidates": {
            "origin": ends.origin[named].tolist(),
            "label": [lattice.label_of(i - 1, y) for y in found.label[named].tolist()],
            "rank": found.rank[named].tolist(),
        },
        "parts": {
            "origin": [part.origin for part in parts],
            "into": [part.into for part in parts],
            "kept": [int(part.kept) for part in parts],
            "count": [part.count for part in parts],
            "share": [share(part.share) for part in parts],
            "candidate": [part.candidate for part in parts],
        }
        | sent_ends,
    }


def _column(column, before):
    """Per bar the bar of the column before that it extends, its last label, and how many it remembers; −1 for none."""
    lattice, i, known = column.lattice, column.position, [c for c in column.ids if c >= 0]
    own = {c: (before.place_of(int(lattice.origin[c])) if i and lattice.origin[c] >= 0 else -1) for c in known}
    last = {c: lattice.label_of(i - 1, int(lattice.label[c])) if lattice.label[c] >= 0 else -1 for c in known}
    return {
        "origin": [own.get(c, -1) for c in column.ids],
        "label": [last.get(c, -1) for c in column.ids],
        "length": [int(lattice.length[c]) if c >= 0 else -1 for c in column.ids],
        "rest": [column.rest_place, column.rest] if column.rest else None,
    }


def _beginnings(lattice):
    """Per position ``[how many labels of the beginning before it keeps, the labels that follow]``."""
    path, before = [], ()
    for labels in best_beginnings(lattice):
        shared = min(len(before), len(labels))
        kept = next((k for k in range(shared) if before[k] != labels[k]), shared)
        path.append([kept, label_numbers(lattice, kept, labels[kept:])])
        before = labels
    return path


def _result(lattice, best, gold, left):
    """What the poster says of a run: None where no output is possible."""
    if not best:
        return None
    labels = best[0].labels
    return {
        "labels": label_numbers(lattice, 0, best[0].indices),
        "p": share(math.exp(best[0].log_prob)),
        "right": None if gold is None else labels == gold,
        "gold": None if gold is None else share(math.exp(rv.log_prob(lattice, gold))),
        "goldLostAt": None if gold is None else lost_at(lattice, gold),
        "lost": share(1 - left),
    }
