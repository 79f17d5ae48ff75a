"""The lattices to draw from, with the scores of the full model that they approximate."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.core.builders.build import rcms
from rcmviz.core.inference.infer import possible, sample
from rcmviz.core.lattices.edits import read_edits
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.models.scores import Scores
from rcmviz.core.shared import checks
from rcmviz.kernels.chain import sweep
from rcmviz.proposal.maxima import MaximaModel


class Part:
    """One lattice to draw from, with the messages that come back through it: ``ahead (C,)``."""

    def __init__(self, lattice: Lattice):
        self.lattice = lattice
        self.ahead = possible(sweep.backward_sums(lattice.offset, lattice.target, lattice.score))
        self.log_z = float(self.ahead[0])

    def through(self, contexts):
        """Log probability (n, Y) of the next label after contexts (n,), by all outputs that continue so."""
        into = self.lattice.target[contexts]
        mass = np.where(into >= 0, self.lattice.score[contexts] + self.ahead[into], -np.inf)
        ahead = self.ahead[contexts][:, None]
        return np.subtract(mass, ahead, out=mass, where=ahead > -np.inf)  # after a dead end all is impossible

    def log_prob(self, labels):
        """Log probability (n,) of outputs ``labels (n, T)``."""
        at, score = np.zeros(len(labels), np.int64), np.full(len(labels), -self.log_z)
        for y in labels.T:
            score += self.lattice.score[at, y]
            at = self.lattice.target[at, y]
        return score


@dataclass(frozen=True, eq=False)
class Proposal:
    """``scores`` of the full model · ``parts`` to draw from in equal numbers: RCMS and, if requested, its bound."""

    scores: Scores
    parts: tuple[Part, ...]

    @property
    def log_z(self):
        """Log Z of RCMS, which is not the full model's."""
        return self.parts[0].log_z

    @property
    def lattice(self):
        """The lattice of RCMS."""
        return self.parts[0].lattice

    @cached_property
    def log_upper(self):
        """A bound on log Z of the full model; inf without the second part."""
        return self.parts[1].log_z if len(self.parts) > 1 else np.inf

    def log_prob(self, labels, counts):
        """Log probability (n,) of outputs if ``counts`` (per part) are drawn from each."""
        with np.errstate(divide="ignore"):
            share = np.log(np.array(counts) / sum(counts))
        return np.logaddexp.reduce([part.log_prob(labels) + log for part, log in zip(self.parts, share, strict=True)])

    def counts(self, n):
        """The numbers of n draws from each part."""
        return [n] if len(self.parts) == 1 else [n - n // 2, n // 2]

    def draw(self, n, rng):
        """Outputs (n, T), those of the first part first."""
        drawn = [sample(part.lattice, k, rng).labels for part, k in zip(self.parts, self.counts(n), strict=True) if k]
        return np.concatenate(drawn)


def propose(model, log_emit, budget, bound=0, *, passes=1, deduplicate=False, pin=(), forbid=()):
    """The ``Proposal`` of RCMS with this budget, and of its bound with ``bound`` contexts where that is not 0.

    ValueError where an argument is malformed, or for edits of contexts.
    """
    edits = read_edits(model, checks.model(model).check_emissions(log_emit), pin, forbid)
    if edits.touch_contexts:
        raise ValueError("draws are of whole outputs: pin or forbid labels, not contexts")
    checks.whole("bound", bound, 0, wanted="the contexts of the bound that half of the draws are from, 0 for none")
    lattice, _ = rcms(
        model, log_emit, budget, passes=passes, deduplicate=deduplicate, pin=pin, forbid=forbid, record=False
    )
    parts = (Part(lattice),) + ((bound_of(model, log_emit, bound, pin, forbid),) if bound else ())
    return Proposal(model.scores(edits.log_emit), parts)


def bound_of(model, log_emit, bound, pin=(), forbid=()):
    """The lattice of maxima with ``bound`` contexts per position, a ``Part``: no output scores higher in the model."""
    lattice, _ = rcms(MaximaModel(model), log_emit, bound, pin=pin, forbid=forbid, record=False)
    return Part(lattice)
