"""Importance sampling: exact draws from RCMS and from its bound, each weighted by what the full model makes of it."""

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import EditList
from rcmviz.core.builders.histories import output_scores
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.proposal.estimate import BOUND, Estimate, check_draws, effective, make_estimate
from rcmviz.proposal.proposal import propose

NORMAL_95 = 1.96


def importance(
    model: Model,
    log_emit: ArrayLike | None = None,
    budget: int = 10,
    n: int = 1_000,
    seed: int | np.random.Generator = 0,
    *,
    bound: int = BOUND,
    passes: int = 1,
    deduplicate: bool = False,
    pin: EditList = (),
    forbid: EditList = (),
) -> Estimate:
    """Estimate log Z and posteriors of the full model by weighted draws from the RCMS lattice.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Contexts per position of RCMS, the root not counted.
    n : int
        How many outputs are drawn.
    seed : int or numpy.random.Generator
        Seed or source of the random numbers.
    bound : int
        Contexts per position of a second lattice, which scores what it forgot by its maximum; half of the draws are
        from it. With 0 all are from RCMS, and no interval is stated.
    passes : int
        Passes of RCMS, 1 to 10.
    deduplicate : bool
        Join contexts that are equal in their last n labels.
    pin : iterable of (int, str)
        Positions with a label that must be written.
    forbid : iterable of (int, str)
        Positions with a label that must not be written.

    Returns
    -------
    Estimate
        ``log_z`` with its ``interval``, ``ess``, posteriors ``label (T, Y)`` and the draws.

    Raises
    ------
    ValueError
        An argument is malformed, or no output is possible.

    Notes
    -----
    An output y weighs w = p(y) / q(y), p its score in the full model and q the probability that it is drawn, by either
    lattice; the mean weight is an unbiased estimate of Z, since RCMS merges outputs and loses none (unless a window of
    −inf forbids what follows a forgotten label). RCMS can give an output far too little, which then is hardly ever
    drawn and missing from the mean without a trace in ``ess``. The lattice of maxima gives none too little, so that
    with it (Hesterberg, 1995: a defensive mixture) no weight exceeds twice the upper bound on Z. ``least_ess`` follows
    from that. The interval is 1.96 standard errors of the mean weight and, as what n draws have not shown has with 95 %
    a probability below 3 / n (the rule of three; Hanley and Lippman-Hand, 1983), as much of weights 0 below and of the
    largest weight above; it is left out where ``least_ess`` is below 30.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 2, {("a", "b", "b"): 1.0, ("^", "a", "b"): 0.5})
    >>> emit = [[0.2, 0.0]] * 6
    >>> found = rv.importance(model, emit, budget=1)
    >>> found.interval[0] < rv.log_z(rv.exact(model, emit)[0]) < found.interval[1]
    True
    """
    n = check_draws(n)
    proposal = propose(model, log_emit, budget, bound, passes=passes, deduplicate=deduplicate, pin=pin, forbid=forbid)
    return estimate_by_importance(proposal, n, seed)


def estimate_by_importance(proposal, n, seed):
    """The ``Estimate`` by n draws from a ``Proposal``."""
    labels = proposal.draw(n, checks.generator(seed))
    log_score = output_scores(proposal.scores, labels).sum(axis=1)
    log_weight = log_score - proposal.log_prob(labels, proposal.counts(n))
    ess = float(effective(log_weight))
    spread = NORMAL_95 * np.sqrt(max(n / max(ess, 1e-300) - 1.0, 0.0) / max(n - 1, 1))
    return make_estimate(proposal, labels, log_weight, log_score, ess, spread)
