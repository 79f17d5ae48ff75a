"""The factors of every mass that the player shows, as logs, so that no number stands there without its sum.

At position i a candidate (c, y) has the mass forward(c) · exp(window) · exp(emission). A context has the mass of its
own candidate and of all that it took in, times exp(root weight) where it is the root of a method that has one. The
posterior of a context is forward · backward / Z.
"""

import math

import numpy as np

from rcmviz.core.inference.shares import log_proposed
from rcmviz.core.methods import METHODS
from rcmviz.core.shared.logs import log_sum

DIGITS = 10  # decimals of a log: a product of four factors is right to 1e-9


def log_number(value):
    """A log with ten decimals, None where it is not finite."""
    value = float(value)
    return round(value, DIGITS) + 0.0 if math.isfinite(value) else None


def _logs(values):
    """``log_number`` of each."""
    values = np.asarray(values, dtype=float)
    numbers, finite = (np.round(values, DIGITS) + 0.0).tolist(), np.isfinite(values)
    if finite.all():
        return numbers
    return [number if known else None for number, known in zip(numbers, finite.tolist(), strict=True)]


def rule_sums(trace):
    """What holds for all positions of a run: how contexts are scored, what candidates are ranked by, the root's weight.

    ``by`` is that of ``Trace.ranked_by``, ``rule`` the selection rule's name, if any.
    """
    if trace is None:
        return {"order": None, "by": "mass", "rootWeight": 0.0, "windows": True}
    return {
        "order": trace.settings.get("order"),
        "by": trace.ranked_by,
        **({"rule": trace.settings["select"]} if trace.ranked_by == "rule" else {}),
        "rootWeight": log_number(trace.settings.get("root_weight", 0.0)),
        "windows": bool(trace.lattice.row[0] >= 0),
    }


def context_sums(lattice, trace, i, sent, post):
    """Per context sent its forward and backward mass, that of its own candidate, ``[count, mass]`` of what it took in.

    ``own`` and ``taken`` are None where nothing was selected or recorded. ``whole`` is what the shares of the column
    are shares of.
    """
    found = {"forward": _logs(post.forward[sent]), "backward": _logs(post.backward[sent]), "own": None, "taken": None}
    found["whole"] = log_number(log_proposed(lattice, trace, post.forward, i))
    if trace is None or not 1 <= i < lattice.T:
        return found
    rows = trace.candidates(i)
    own, taken, count = np.full(len(sent), -np.inf), np.full(len(sent), -np.inf), np.zeros(len(sent), np.int64)
    place = np.full(lattice.C + 1, -1)  # the last is that of what was dropped
    place[sent] = np.arange(len(sent))
    at, mass = place[trace.into[rows]], trace.log_mass[rows]
    kept = trace.kept[rows] & (at >= 0)
    own[at[kept]] = mass[kept]
    others = ~trace.kept[rows] & (at >= 0) & (mass > -np.inf)
    np.logaddexp.at(taken, at[others], mass[others])
    np.add.at(count, at[others], 1)
    return found | {
        "own": _logs(own),
        "taken": [[int(n), log_number(total)] if n else None for n, total in zip(count, taken, strict=True)],
    }


def candidate_sums(trace, i, chosen, post, remembered):
    """Per candidate of ``chosen`` its ``parent``, a place in ``parents``, and the weights of its arc.

    ``parents`` are ``[[labels, length, id], mass]`` · ``emission`` and ``window`` are None where they are −∞; where
    the emissions were not recorded, ``window`` is the whole score. ``joined`` is the mass of the candidates that it
    speaks for, ``ahead`` its ranking key over its mass and theirs, up to a factor that all candidates of the
    position share; or None. ``y`` are the indices of the labels where positions have
    their own.
    """
    lattice, context, y = trace.lattice, trace.context[chosen], trace.label[chosen]
    parents, parent = np.unique(context, return_inverse=True)
    mass = trace.log_mass[chosen]
    joined = _joined_mass(trace, i, chosen)
    window, emission = _split(trace, i, context, y, mass, post.forward[context])
    return {
        "parents": [
            [_context_name(lattice, i - 1, c, remembered), log_number(post.forward[c])] for c in parents.tolist()
        ],
        "parent": parent.tolist(),
        "y": None if lattice.choices is None else y.tolist(),
        "window": _logs(window),
        "emission": None if emission is None else _logs(emission),
        "mass": _logs(mass),
        "joined": None if joined is None else _logs(joined),
        "ahead": _ahead(trace, i, chosen, mass if joined is None else np.logaddexp(mass, joined)),
    }


def _context_name(lattice, i, c, remembered):
    """What a context of column i is called by: its last labels and how many it has; and its id, as that may cut it."""
    return [remembered.last(i, c), int(lattice.length[c]), c]


def _split(trace, i, context, y, mass, forward):
    """Window and emission of arcs; where the root's weight of −∞ hides a score, it is what the masses say."""
    lattice = trace.lattice
    score = np.array(lattice.score[context, y])
    weight = trace.settings.get("root_weight", 0.0)
    entering = lattice.target[context, y] == lattice.offset[i]
    if weight and np.isfinite(weight):
        score[entering] -= weight
    elif weight:
        known = entering & (mass > -np.inf)
        score[known] = mass[known] - forward[known]
    if trace.log_emit is None:
        return score, None
    emission = trace.log_emit[i - 1, y]
    with np.errstate(invalid="ignore"):
        return score - emission, emission


def _joined_mass(trace, i, chosen):
    """Log mass (N,) of the candidates that each of ``chosen`` speaks for, −inf for none; None where none are joined."""
    method = METHODS[trace.settings["method"]]
    if not trace.settings.get("deduplicate") or not method.selects:
        return None
    rows, width = trace.candidates(i), trace.lattice.width
    group = _groups(trace.lattice, i - 1, trace.settings["order"] - 1, i > 1 and not method.root_proposes)
    slot = group[trace.context[rows] - trace.lattice.offset[i - 1]] * width + trace.label[rows]
    wanted, place = np.unique(slot[chosen - rows.start], return_inverse=True)
    speaks = trace.key[rows] > -np.inf
    silent = np.flatnonzero(~speaks & np.isin(slot, wanted))
    total = np.full(len(wanted), -np.inf)
    np.logaddexp.at(total, np.searchsorted(wanted, slot[silent]), trace.log_mass[rows][silent])
    return np.where(speaks[chosen - rows.start], total[place], -np.inf)


def _groups(lattice, i, known, silent_root):
    """Per context of column i a number, the same for those equal in their last ``known`` labels and for no others."""
    column, numbers = lattice.column(i), {}
    tails = [lattice.indices(c)[lattice.length[c] - known :] for c in range(column.start, column.stop)]
    alone = [lattice.length[c] < known or (silent_root and c == column.start) for c in range(column.start, column.stop)]
    names = [k if alone[k] else tail for k, tail in enumerate(tails)]
    return np.array([numbers.setdefault(name, len(numbers)) for name in names])


def _ahead(trace, i, chosen, mass):
    """Log of the key over the mass of ``chosen``; or None. Times the share of the mass it gives that of the key where
    there are several passes; it is the bound of a search, and of other methods the highest is at 0.
    """
    key = trace.key[chosen]
    known = (key > -np.inf) & (mass > -np.inf)
    factor = np.where(known, key - np.where(known, mass, 0.0), -np.inf)
    finite = factor[known]
    if not len(finite) or np.ptp(finite) < 1e-9:
        return None
    level = {"queue": 0.0, "pass": log_sum(trace.key[trace.candidates(i)]) - trace.log_mass_of(i)}
    return _logs(factor - level.get(trace.ranked_by, finite.max()))
