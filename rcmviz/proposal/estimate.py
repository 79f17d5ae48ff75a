"""Estimates of the full model from weighted draws: log Z with its interval, posteriors, and their quality."""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.core.shared.logs import log_sum

ENOUGH = 30.0  # draws that must be effective whatever was missed, or no interval is stated
UNSEEN = 3.0  # an event in none of n draws has, with 95 % confidence, a probability below 3 / n
MOST_DRAWS = 1_000_000
BOUND = 300  # contexts of the bound by default


@dataclass(frozen=True, eq=False)
class Estimate(CopyableMixin):
    """The full model as n weighted draws see it, as ``importance`` and ``smc`` return it.

    Attributes
    ----------
    log_z : float
        Log of the mean weight: Z is estimated without bias, its log a little too low.
    interval : tuple of two floats, or None
        Where log Z is with about 95 % probability; None where the sample is too poor to say.
    why : str
        Why there is no interval, else empty.
    ess : float
        Effective sample size, (Σ w)² / Σ w², 1 … n; of particles the smallest on their way.
    least_ess : float
        n times the mean weight over the largest weight that any output can have: the draws that are effective however
        much was missed. 0 if nothing bounds the weights.
    label : ndarray of shape (T, Y)
        P(y_i = v) in the full model, by self-normalised weights.
    labels : ndarray of int, shape (n, T)
        The outputs, as label indices.
    log_weight : ndarray of shape (n,)
        Their log weights in nats; the mean of the weights is Z.
    log_score : ndarray of shape (n,)
        Their log scores in the full model, in nats, not normalised.
    log_found : float
        Log of the summed scores of all different outputs: a lower bound on log Z, whatever was drawn.
    log_upper : float
        An upper bound on log Z, by maxima; inf if not requested.
    proposal_log_z : float
        Log Z of the RCMS lattice that they were drawn from, another model's.
    """

    log_z: float
    interval: tuple[float, float] | None
    why: str
    ess: float
    least_ess: float
    label: np.ndarray
    labels: np.ndarray
    log_weight: np.ndarray
    log_score: np.ndarray
    log_found: float
    log_upper: float
    proposal_log_z: float

    def __post_init__(self):
        freeze(self)

    def __repr__(self):
        within = "in {:.2f} … {:.2f}".format(*self.interval) if self.interval else "without an interval"
        return f"<Estimate: log Z {self.log_z:.2f} {within}, {self.n:,} draws worth {self.ess:,.1f}>"

    @property
    def n(self) -> int:
        """Number of draws."""
        return len(self.labels)

    @property
    def share(self) -> np.ndarray:
        """Weight of each draw as a share of all, shape (n,); sums of anything by them estimate its expectation."""
        return shares(self.log_weight)


def make_estimate(proposal, labels, log_weight, log_score, ess, spread):
    """The ``Estimate`` of draws from a ``Proposal``; ``spread`` is the error that the spread of the weights tells.

    To it the interval adds what was not drawn: outputs of no weight below, of the largest weight above.
    """
    log_z, share, n = float(log_mean(log_weight)), shares(log_weight), len(labels)
    label = np.array([np.bincount(column, share, minlength=proposal.lattice.width) for column in labels.T])
    most = proposal.log_upper + np.log(n / proposal.counts(n)[-1]) if n > 1 else np.inf
    least_ess = float(n * np.exp(log_z - most)) if log_z > -np.inf else 0.0
    why = _too_poor(n, log_z, most, min(ess, least_ess))
    interval = None if why else (float(log_z - spread - UNSEEN / n), float(log_z + spread + UNSEEN / least_ess))
    return Estimate(
        log_z,
        interval,
        why,
        float(ess),
        least_ess,
        label,
        labels,
        log_weight,
        log_score,
        log_found(labels, log_score),
        float(proposal.log_upper),
        proposal.log_z,
    )


def _too_poor(n, log_z, most, effective_draws):
    if log_z == -np.inf:
        return f"none of {n:,} draws is possible in the full model: draw more, or raise the budget"
    if most == np.inf:
        return "nothing bounds the weights, so a heavy output may have been missed: ask for a bound"
    if not effective_draws >= ENOUGH:
        return (
            f"one output can weigh e^{most - log_z:.1f} times the mean, so that perhaps only {effective_draws:.2g} of "
            f"{n:,} draws are effective and {ENOUGH:.0f} are needed: draw more, or raise bound"
        )
    return ""


def log_mean(log_values):
    """Log of the mean of exp(``log_values``) along the last axis."""
    return log_sum(log_values, axis=-1) - np.log(log_values.shape[-1])


def shares(log_weight):
    """Weights as shares of their sum; zeros for a sum of zero."""
    weight = np.exp(log_weight - max(np.max(log_weight), -1e300))
    return weight / max(weight.sum(), 1e-300)


def effective(log_weight):
    """Effective sample size of weights along the last axis; 0 where all are zero."""
    highest = np.max(log_weight, axis=-1, keepdims=True)
    weight = np.exp(log_weight - np.where(np.isneginf(highest), 0.0, highest))
    return weight.sum(axis=-1) ** 2 / np.maximum((weight**2).sum(axis=-1), 1e-300)


def log_found(labels, log_score):
    """Log of the summed scores of the different outputs among ``labels (n, T)``."""
    _, first = np.unique(labels, axis=0, return_index=True)
    return float(log_sum(log_score[first]))


def check_draws(n, least=1):
    """``n`` as a number of draws; ValueError else."""
    return checks.whole("n", n, least, MOST_DRAWS, f"how many outputs to draw, from {least} to {MOST_DRAWS:,}")
