"""The stochastic beam: different outputs, drawn without replacement from the posterior of RCMS."""

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import EditList, Recorded
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.proposal.proposal import propose
from rcmviz.proposal.tree import HistoryTree


def stochastic_beam(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    *,
    seed: int = 0,
    pin: EditList = (),
    forbid: EditList = (),
    record: bool = True,
) -> tuple[Lattice, Recorded]:
    """Draw different outputs by a beam whose ranking is shaken: a sample without replacement from the RCMS posterior.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        How many outputs, and contexts per position of the RCMS that they are drawn from.
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
        The outputs drawn and nothing else, scored by the full model.
    trace : Trace or None
        What was proposed and what became of it; None without ``record``.

    Raises
    ------
    ValueError
        An argument is malformed, or no output is possible.

    Notes
    -----
    Kool, van Hoof and Welling (2019): the highest of log probabilities with Gumbel noise are a sample without
    replacement, and the noise of a beginning is the largest of all its outputs, so that a beam finds them from left to
    right. RCMS knows the probability of a beginning by its backward messages. Its log Z is a lower bound of the exact
    one, the mass of the outputs drawn.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> lattice, trace = rv.stochastic_beam(model, [[0.1, 0.0], [0.0, 0.3]], budget=2)
    >>> len(rv.kbest(lattice, 4))
    2
    """
    budget = checks.budget(budget)
    proposal = propose(model, log_emit, budget, pin=pin, forbid=forbid)
    rng = np.random.default_rng(checks.whole("seed", seed, 0))
    tree, _ = draw_without_replacement(proposal, budget, rng)
    return tree.finish({"method": "stochastic", "budget": budget, "seed": int(seed)}, pin, forbid, record)


def draw_without_replacement(proposal, budget, rng):
    """``(tree, noise)``: a sample of outputs without replacement, and the noise that each was taken by."""
    tree, log_prob, noisy = HistoryTree(proposal), np.zeros(1), np.zeros(1)
    for _ in range(proposal.lattice.T):
        branch = log_prob[:, None] + proposal.parts[0].through(tree.contexts)
        shaken = shake(branch, noisy, rng)
        tree.propose()
        tree.keys.append(shaken)
        taken = highest_places(shaken, budget)
        tree.grow(taken)
        log_prob, noisy = branch.ravel()[taken], shaken.ravel()[taken]
    return tree, noisy


def shake(log_prob, noisy, rng):
    """Gumbel noise on log probabilities (C, Y) whose largest in every row is ``noisy (C,)``.

    Noise is drawn freely and then moved, with no loss of precision (appendix B.3 of the paper).
    """
    free = log_prob + rng.gumbel(size=log_prob.shape)
    largest = free.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = noisy[:, None] - free + np.log1p(-np.exp(free - largest))
        moved = noisy[:, None] - np.maximum(gap, 0.0) - np.log1p(np.exp(-np.abs(gap)))
    return np.where(np.isneginf(log_prob), -np.inf, moved)


def highest_places(values, budget):
    """The flat places of the ``budget`` highest finite values, ascending; ties to the lower place."""
    flat = values.ravel()
    return np.sort(np.argsort(-flat, kind="stable")[: min(budget, int((flat > -np.inf).sum()))])
