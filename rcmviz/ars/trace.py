"""The trace of adaptive rejection, trial by trial: the path, its bound, its true score, the growth of q."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.ars.automaton import Automaton
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.lm.hmm import HMM


@dataclass(frozen=True, eq=False)
class ArsTrace(CopyableMixin):
    """The trials of adaptive rejection: decoding tries the best path of q in each round, sampling a draw from q.

    R trials, T positions, S contexts of the last automaton. All logs are in nats.

    Attributes
    ----------
    hmm : HMM
        The model with its input.
    settings : dict
        The arguments of the run.
    path : ndarray of int, shape (R, T)
        The candidate of each position.
    order : ndarray of int, shape (R, T)
        Order of the n-gram by which q weighs each word.
    log_bound : ndarray of shape (R, T)
        Bound of q on the language model's part of each word.
    log_prob : ndarray of shape (R, T)
        What that part is.
    log_q, log_p : ndarray of shape (R,)
        Log weight of the sequence under q, and under p.
    accepted, refined : ndarray of bool, shape (R,)
        Whether the trial was accepted, and whether q was refined along it.
    batch : ndarray of int, shape (R,)
        Number of its batch; in decoding every trial is one.
    log_mass : ndarray of shape (R,)
        Log mass of q when the trial was made: an upper bound of log Z.
    states : ndarray of int, shape (R,)
        States of the automaton after the trial.
    ngrams : ndarray of int, shape (R, N)
        n-grams in it by order.
    column, length, label, origin, parent : ndarray of int, shape (S,)
        The contexts of the last automaton, as in a ``Lattice``.
    born : ndarray of int, shape (S,)
        The trial that made each of them, −1 at the start.
    """

    hmm: HMM
    settings: dict
    path: np.ndarray
    order: np.ndarray
    log_bound: np.ndarray
    log_prob: np.ndarray
    log_q: np.ndarray
    log_p: np.ndarray
    accepted: np.ndarray
    refined: np.ndarray
    batch: np.ndarray
    log_mass: np.ndarray
    states: np.ndarray
    ngrams: np.ndarray
    column: np.ndarray
    length: np.ndarray
    label: np.ndarray
    origin: np.ndarray
    parent: np.ndarray
    born: np.ndarray

    def __repr__(self):
        return f"<ArsTrace: {len(self):,} trials, {len(self.born):,} states, of {self.hmm!r}>"

    def __post_init__(self):
        freeze(self)

    def __len__(self):
        return len(self.path)

    @property
    def T(self):
        """Number of positions, that of `</s>` included."""
        return self.path.shape[1]

    def words(self, trial):
        """The words of a trial, `</s>` left out."""
        return self.hmm.names(self.path[trial])

    def worst(self, trial):
        """The position where q was furthest above the truth, the last of several; None where it was exact."""
        excess = (self.log_bound[trial] - self.log_prob[trial])[::-1]
        return self.T - 1 - int(np.argmax(excess)) if np.max(excess) > 0 else None

    def acceptance_running(self, last=100):
        """The share of accepted trials among the ``last`` so far, (R,): AR-100 of the paper; ValueError below 1."""
        checks.whole("last", last, 1, wanted="1 trial or more")
        total = np.concatenate([[0], np.cumsum(self.accepted)])
        until = np.arange(1, len(self) + 1)
        since = np.maximum(until - last, 0)
        return (total[until] - total[since]) / (until - since)

    @cached_property
    def log_found(self):
        """Log of the summed probability of the distinct sequences found so far, (R,): the lower bound on log Z."""
        _, first = np.unique(self.path, axis=0, return_index=True)
        new = np.full(len(self), -np.inf)
        new[first] = self.log_p[first]
        return np.logaddexp.accumulate(new)

    def lattice(self, trials=None):
        """q after the refinements of the first ``trials`` trials, all of them where None, as a ``Lattice``.

        Posterior, entropy, pattern masses and draws are asked of it as of any other. ValueError for other numbers.
        """
        trials = len(self) if trials is None else trials
        checks.whole("trials", trials, 0, len(self), f"there were {len(self)}")
        automaton = Automaton(self.hmm, self.settings["strategy"], self.settings["look_ahead"])
        for trial in np.flatnonzero(self.refined[:trials]).tolist():
            automaton.refine_along(self.path[trial], trial, self.worst(trial))
        return automaton.lattice()
