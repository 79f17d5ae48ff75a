"""Log Z of the full model between two proofs: a beam's mass below, a lattice of maxima above, an estimate between."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import EditList, beam
from rcmviz.core.inference.infer import log_z
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.proposal.estimate import BOUND, Estimate, check_draws
from rcmviz.proposal.importance import estimate_by_importance
from rcmviz.proposal.proposal import propose


@dataclass(frozen=True, eq=False)
class Sandwich:
    """Log Z of the full model, between proofs.

    Attributes
    ----------
    lower : float
        Log of the mass that beam search still has, or that was drawn, whichever is more: no larger than log Z.
    upper : float
        Log Z where forgotten labels are replaced by the best that could have stood there: no smaller than log Z.
    estimate : Estimate
        What weighted draws say.
    beam_log_z : float
        Log Z of the beam alone.
    rcms_log_z : float
        Log Z of RCMS, of another model: it may lie anywhere.
    """

    lower: float
    upper: float
    estimate: Estimate
    beam_log_z: float
    rcms_log_z: float


def sandwich(
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
) -> Sandwich:
    """Prove bounds on log Z of the full model from both sides, and estimate it between them.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Contexts per position of the beam and of RCMS.
    n : int
        How many outputs are drawn for the estimate.
    seed : int or numpy.random.Generator
        Seed or source of the random numbers.
    bound : int
        Contexts per position of the upper bound, 1 or more; the more the tighter.
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
    Sandwich
        ``lower``, ``upper`` and the ``estimate`` between them.

    Raises
    ------
    ValueError
        An argument is malformed, or no output is possible.

    Notes
    -----
    Below: a beam has a part of the outputs. Above: contexts chosen as RCMS chooses them, each arc weighing the most
    that it can weigh whatever the forgotten labels were, as adaptive rejection bounds a language model (Carter,
    Dymetman and Bouchard, 2012); of an ``HMM`` all words before are then forgotten where one is. Both meet at the exact
    log Z when the budgets are large enough.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 2, {("a", "b", "b"): 1.0})
    >>> emit = [[0.2, 0.0]] * 8
    >>> found = rv.sandwich(model, emit, budget=2, bound=2)
    >>> found.lower < rv.log_z(rv.exact(model, emit)[0]) < found.upper
    True
    """
    checks.whole("bound", bound, 1, wanted="the contexts of the upper bound, 1 or more")
    proposal = propose(model, log_emit, budget, bound, passes=passes, deduplicate=deduplicate, pin=pin, forbid=forbid)
    below, _ = beam(model, log_emit, budget, pin=pin, forbid=forbid, record=False)
    estimate, mass = estimate_by_importance(proposal, check_draws(n), seed), log_z(below)
    return Sandwich(max(mass, estimate.log_found), proposal.log_upper, estimate, mass, proposal.log_z)
