"""Sequential Monte Carlo: particles that write label by label, led by what RCMS expects of the rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.builders.build import EditList
from rcmviz.core.builders.histories import arc_scores
from rcmviz.core.models.scores import Model
from rcmviz.core.shared import checks
from rcmviz.proposal.estimate import BOUND, Estimate, check_draws, effective, log_mean, make_estimate
from rcmviz.proposal.proposal import propose

FILTERS = 20  # independent ones, whose spread is the interval
STUDENT_95 = 2.093  # of FILTERS − 1 degrees of freedom
RESAMPLED_BELOW = 0.5  # of a filter's particles that are effective


def smc(
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
    """Estimate log Z and posteriors of the full model by particle filters with the messages of RCMS as twists.

    Parameters
    ----------
    model : NgramModel, HMM or another model
        The model.
    log_emit : array_like of shape (T, Y), optional
        Log emissions in nats, −inf allowed; left out for an ``HMM``, which has its own.
    budget : int
        Contexts per position of RCMS, the root not counted.
    n : int
        How many particles, 40 or more; they form 20 filters, so that a remainder is left out.
    seed : int or numpy.random.Generator
        Seed or source of the random numbers.
    bound : int
        Contexts per position of a second lattice, which scores what it forgot by its maximum; a particle writes as
        either lattice would. With 0 it follows RCMS alone, and no interval is stated.
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
        ``log_z`` with its ``interval``, ``ess``, posteriors ``label (T, Y)`` and the particles.

    Raises
    ------
    ValueError
        An argument is malformed, or no output is possible.

    Notes
    -----
    A particle takes its next label as the lattices would, forward score times backward message (the twist), and weighs
    what the full model scores it beyond what they do. If fewer than half of a filter's
    particles are effective they are resampled by their weights (systematic resampling). Each filter's estimate of Z is
    unbiased (Del Moral, 2004; twisted targets as in Naesseth, Lindsten and Schön, 2019), and so is their mean; the
    interval is that of Student over the 20 filters, left out as in ``importance``.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 2, {("a", "b", "b"): 1.0, ("^", "a", "b"): 0.5})
    >>> emit = [[0.2, 0.0]] * 6
    >>> found = rv.smc(model, emit, budget=1)
    >>> found.interval[0] < rv.log_z(rv.exact(model, emit)[0]) < found.interval[1]
    True
    """
    n = check_draws(n, least=2 * FILTERS)
    proposal = propose(model, log_emit, budget, bound, passes=passes, deduplicate=deduplicate, pin=pin, forbid=forbid)
    return estimate_by_smc(proposal, n, seed)


def estimate_by_smc(proposal, n, seed):
    """The ``Estimate`` by ``FILTERS`` filters of a ``Proposal``, n particles in all."""
    run = run_filters(proposal, FILTERS, n // FILTERS, checks.generator(seed))
    mean = log_mean(run.log_z)
    relative = np.exp(run.log_z - mean) if mean > -np.inf else np.zeros(FILTERS)
    spread = STUDENT_95 * relative.std(ddof=1) / np.sqrt(FILTERS)
    return make_estimate(proposal, run.labels, run.log_weight, run.log_score, run.ess, spread)


@dataclass(frozen=True)
class Filters:
    """G finished filters of K particles.

    ``log_z (G,)`` estimates · ``labels (G·K, T)``, their ``log_weight``, whose mean is the mean estimate, and
    ``log_score`` in the full model · ``ess`` the smallest effective sample size on the way · ``moves`` per position
    (the particle that each one continues, the label that it writes).
    """

    log_z: np.ndarray
    labels: np.ndarray
    log_weight: np.ndarray
    log_score: np.ndarray
    ess: float
    moves: list


def run_filters(proposal, filters, size, rng):
    """Independent filters of ``size`` particles each, as ``Filters``."""
    count, length = filters * size, proposal.lattice.T
    everyone, cloud = np.arange(count), _Cloud(proposal, count)
    labels = np.zeros((count, length), np.int64)
    log_z, log_weight = np.full(filters, -cloud.scored[0]), np.zeros((filters, size))
    log_score, ancestor, ess, moves = np.zeros(count), everyone, np.inf, []
    for i in range(length):
        before = cloud.scored
        y = labels[:, i] = cloud.move(rng)
        full = arc_scores(proposal.scores, labels[:, :i])[everyone, y]
        log_weight += (full - (cloud.scored - before)).reshape(filters, size)
        log_score += full
        moves.append((ancestor, y.copy()))
        ess = min(ess, float(effective((log_z[:, None] + log_weight).ravel())))
        ancestor = everyone
        if i < length - 1:
            ancestor = _resample(log_z, log_weight, rng)
            labels, log_score = labels[ancestor], log_score[ancestor]
            cloud.take(ancestor)
    total = log_z[:, None] + log_weight
    return Filters(log_mean(total), labels, total.ravel(), log_score, ess, moves)


class _Cloud:
    """The places of particles in the lattices, all (P, n): their ``contexts`` per part, the log ``share`` of a part in
    what they wrote, its log ``score`` so far over its Z.
    """

    def __init__(self, proposal, count):
        self.parts = proposal.parts
        self.contexts = np.zeros((len(self.parts), count), np.int64)
        self.share = np.full((len(self.parts), count), -np.log(len(self.parts)))
        self.score = self.share - np.array([[part.log_z] for part in self.parts])

    @property
    def scored(self):
        """The score of the lattices together so far, a log (n,): no less than the full model up to a constant."""
        return np.logaddexp.reduce(self.score)

    def take(self, ancestor):
        """Continue from other particles."""
        self.contexts, self.share = self.contexts[:, ancestor], self.share[:, ancestor]
        self.score = self.score[:, ancestor]

    def move(self, rng):
        """A label per particle, drawn by a part that is taken by its share."""
        steps = np.array([part.through(here) for part, here in zip(self.parts, self.contexts, strict=True)])
        joint = self.share[:, :, None] + steps
        log_share = np.logaddexp.reduce(joint)
        y = _draw_columns(np.exp(log_share), rng)
        each = np.arange(len(y))
        self.share = joint[:, each, y] - log_share[each, y]
        places = list(zip(self.parts, self.contexts, strict=True))
        self.score = self.score + np.array([part.lattice.score[here, y] for part, here in places])
        self.contexts = np.array([part.lattice.target[here, y] for part, here in places])
        return y


def _draw_columns(share, rng):
    """A column per row of ``share (n, Y)``, drawn by it; never one without any."""
    below = np.cumsum(share, axis=1)
    chosen = (below <= (rng.random(len(share)) * below[:, -1])[:, None]).sum(axis=1)
    return np.minimum(chosen, share.shape[1] - 1 - (share[:, ::-1] > 0).argmax(axis=1))


def _resample(log_z, log_weight, rng):
    """The ancestor of each particle; resampled filters have their mean weight moved into ``log_z``."""
    filters, size = log_weight.shape
    ancestor = np.arange(filters * size).reshape(filters, size)
    worth = effective(log_weight)
    poor = np.flatnonzero((worth < RESAMPLED_BELOW * size) & (worth > 0))
    if len(poor):
        mean, row = log_mean(log_weight[poor]), np.arange(len(poor))[:, None]
        ends = np.cumsum(np.exp(log_weight[poor] - mean[:, None]), axis=1)
        points = (np.arange(size) + rng.random((len(poor), 1))) / size
        place = np.searchsorted((row + ends / ends[:, -1:]).ravel(), (row + points).ravel(), side="right")
        ancestor[poor] = poor[:, None] * size + np.clip(place.reshape(points.shape) - row * size, 0, size - 1)
        log_z[poor] += mean
        log_weight[poor] = 0.0
    return ancestor.ravel()
