"""Weighted draws as lattices, so that inference and views work as for other methods."""

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import EditList, Recorded
from rcmviz.core.builders.histories import output_scores
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.proposal.proposal import propose
from rcmviz.proposal.smc import run_filters
from rcmviz.proposal.tree import HistoryTree


def importance_lattice(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    *,
    seed: int = 0,
    pin: EditList = (),
    forbid: EditList = (),
    record: bool = True,
) -> tuple[Lattice, Recorded]:
    """Importance sampling as a lattice: outputs drawn from RCMS, each as heavy as its draws weigh.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        How many draws, and contexts per position of the RCMS that they are drawn from.
    seed : int
        Seed of the random numbers.
    pin : iterable of (int, str)
        Positions with a label that must be written.
    forbid : iterable of (int, str)
        Positions with a label that must not be written.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        The different outputs among the draws. The last arc of each also carries what makes its mass the mean weight of
        its draws, so that log Z is the estimate and posteriors are the self-normalised ones.
    trace : Trace or None
        What could have been drawn, ranked by what RCMS expected of it; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no output is possible.

    Notes
    -----
    The same draws as ``importance`` makes with the same ``seed``, ``n`` being the budget and ``bound`` 0.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 2, {("a", "b", "b"): 1.0})
    >>> lattice, trace = rv.importance_lattice(model, [[0.2, 0.0]] * 4, budget=5)
    >>> np.isclose(rv.log_z(lattice), rv.importance(model, [[0.2, 0.0]] * 4, budget=5, n=5, bound=0).log_z)
    np.True_
    """
    budget, seed = checks.budget(budget), checks.whole("seed", seed, 0)
    proposal = propose(model, log_emit, budget, pin=pin, forbid=forbid)
    checks.draws("budget", budget, proposal.lattice.T)
    labels = proposal.draw(budget, checks.generator(seed))
    log_weight = output_scores(proposal.scores, labels).sum(axis=1) - proposal.log_prob(labels, [budget])
    same = np.arange(budget)
    moves = [(same, labels[:, i]) for i in range(proposal.lattice.T)]
    return _grow_tree(
        proposal, moves, log_weight, _expected_log_prob, {"method": "importance", "seed": seed}, pin, forbid, record
    )


def smc_lattice(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    *,
    seed: int = 0,
    pin: EditList = (),
    forbid: EditList = (),
    record: bool = True,
) -> tuple[Lattice, Recorded]:
    """Sequential Monte Carlo as a lattice: one filter that RCMS leads, each output as heavy as its particles.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        How many particles, and contexts per position of the RCMS that leads them.
    seed : int
        Seed of the random numbers.
    pin : iterable of (int, str)
        Positions with a label that must be written.
    forbid : iterable of (int, str)
        Positions with a label that must not be written.
    record : bool
        Record the trace.

    Returns
    -------
    lattice : Lattice
        All histories that a particle has had, and the outputs of those that came to the end; log Z is the estimate.
    trace : Trace or None
        What particles could have written, ranked by score so far times what RCMS expected; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no output is possible.

    Notes
    -----
    One filter of those that ``smc`` runs with ``bound`` 0.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 2, {("a", "b", "b"): 1.0})
    >>> lattice, trace = rv.smc_lattice(model, [[0.2, 0.0]] * 4, budget=5)
    >>> trace.settings["method"], rv.log_z(lattice) > 0
    ('smc', True)
    """
    budget, seed = checks.budget(budget), checks.whole("seed", seed, 0)
    proposal = propose(model, log_emit, budget, pin=pin, forbid=forbid)
    checks.draws("budget", budget, proposal.lattice.T)
    run = run_filters(proposal, 1, budget, checks.generator(seed))
    return _grow_tree(
        proposal, run.moves, run.log_weight, _target_log_prob, {"method": "smc", "seed": seed}, pin, forbid, record
    )


def _expected_log_prob(proposal, tree, log_prob):
    """Log probability of the extensions in RCMS's own model."""
    return log_prob[:, None] + proposal.parts[0].through(tree.contexts)


def _target_log_prob(proposal, tree, log_prob):
    """Full score so far times what RCMS expects of the rest: what particles are distributed by once weighted."""
    into = proposal.lattice.target[tree.contexts]
    return np.where(into >= 0, tree.proposed[-1] + proposal.parts[0].ahead[into], -np.inf)


def _grow_tree(proposal, moves, log_weight, key_of, settings, pin, forbid, record):
    """The tree of the particles' labels; ``moves`` per position (ancestor of each, its label)."""
    tree, place, log_prob = HistoryTree(proposal), np.zeros(len(log_weight), np.int64), np.zeros(1)
    for ancestor, label in moves:
        expected = _expected_log_prob(proposal, tree, log_prob)
        tree.propose()
        tree.keys.append(key_of(proposal, tree, log_prob))
        taken, place = np.unique(place[ancestor] * tree.width + label, return_inverse=True)
        tree.grow(taken)
        log_prob = expected.ravel()[taken]
    highest = max(np.max(log_weight), -1e300)
    with np.errstate(divide="ignore"):
        total = np.log(np.bincount(place, np.exp(log_weight - highest), len(taken)) / len(log_weight)) + highest
    return tree.finish(settings | {"budget": len(log_weight)}, pin, forbid, record, total)
