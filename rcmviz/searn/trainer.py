"""Learning to search by iterations: roll in, cost every action, learn a classifier, change the policy."""

import time
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Self

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.checks import MAX_POSITIONS
from rcmviz.searn import checkpoint as files
from rcmviz.searn.losses import OutputLoss
from rcmviz.searn.policies import Mixture, States
from rcmviz.searn.prediction import PolicyReader
from rcmviz.searn.reductions import EstimatorLearner, LinearLearner, check_estimator
from rcmviz.searn.rollouts import Examples, draw, roll
from rcmviz.searn.settings import TRIED, IterationState, SearchTraining
from rcmviz.sequences.table import Sequences, check_sequences

EVERY = 10  # one sequence in ten is held out if beta is adaptive and no others are given
ROLLING = 0.4  # about how much of an iteration is rolling, the rest learning


class SearchTrainer:
    """Learning to search that can be stopped, saved and continued after any iteration.

    Parameters
    ----------
    data : Sequences
        Sequences with gold labels.
    settings : SearchTraining, optional
        How it is learnt.
    held_out : Sequences, optional
        Sequences that every iteration is evaluated on, by a vote; an adaptive beta is chosen on them, and on every
        tenth sequence of the data by default.
    loss : callable, optional
        ``loss(truth, output)`` of two lists of labels, in the place of the loss that the settings name.
    learner : classifier of scikit-learn, optional
        What learns from costs, in the place of our linear classifier; its ``fit`` takes ``sample_weight``.
    info : mapping, optional
        Information kept with the policies.

    Raises
    ------
    ValueError
        Data and settings do not fit together.

    Notes
    -----
    The mixture π ← (1 − β) π + β f of SEARN (Daumé, Langford and Marcu, 2009); ``Algorithm`` says how others differ.

    Examples
    --------
    >>> data = Sequences.from_arrays([[[1.0], [0.0]]], ["ab"], "ab")
    >>> trainer = SearchTrainer(data, SearchTraining(iterations=2, beta=0.5))
    >>> [trainer.iterate().mixture for _ in range(2)]
    [(0.5, 0.5), (0.25, 0.25, 0.5)]
    """

    def __init__(
        self,
        data: Sequences,
        settings: SearchTraining | None = None,
        held_out: Sequences | None = None,
        *,
        loss: Callable | None = None,
        learner: Any = None,
        info: Mapping | None = None,
    ):
        settings = SearchTraining() if settings is None else settings
        self.settings = checks.instance("settings", settings, SearchTraining, "rcmviz.SearchTraining")
        self.given, self.info = data, checks.as_dict("info", info)
        _check_data(data, held_out)
        self.data, self.held_out = data, held_out
        if self.settings.beta == "adaptive":
            self.data, self.held_out = _split(data, held_out)
        self.states = States(data.labels, self.settings.order)
        self.states.model  # noqa: B018  a ValueError now rather than after the roll-ins
        self.loss = OutputLoss(data.labels, self.settings.loss, loss)
        self.learner = LinearLearner(self.settings) if learner is None else EstimatorLearner(check_estimator(learner))
        self.mixture = Mixture()
        self.history: list[IterationState] = []
        self.examples: list[Examples] = []  # of all iterations, where the algorithm aggregates them

    @property
    def iteration(self) -> int:
        """Iterations that are over.

        Returns
        -------
        int
            How many.
        """
        return len(self.history)

    @property
    def done(self) -> bool:
        """Whether all iterations are over.

        Returns
        -------
        bool
            True if so.
        """
        return self.iteration >= self.settings.iterations

    def iterate(self, report: Callable[[float], None] = lambda share: None) -> IterationState:
        """One iteration: examples, a classifier, the mixture with it.

        Parameters
        ----------
        report : callable, optional
            Called several times with the share of the iteration that is over, 0 to 1; what it raises ends the
            iteration, which leaves no trace then.

        Returns
        -------
        IterationState
            How it was.

        Raises
        ------
        ValueError
            All iterations are over, a loss is not finite, or there is nothing to learn.
        """
        checks.function("report", report)
        if self.done:
            raise ValueError(f"all {self.settings.iterations} iterations are over; resume with more of them")
        began, t = time.perf_counter(), self.iteration
        random = np.random.default_rng([self.settings.seed, t])
        draws = draw(self.mixture, self.settings.point, self.data.positions, random)
        examples = roll(self.data, self.mixture, draws, self.states, self.loss, lambda share: report(ROLLING * share))
        learnt_from = [*self.examples, examples] if self.settings.point.aggregates else [examples]
        before = self.mixture.policies[-1] if self.mixture.policies else None
        policy, mistakes = self.learner.learn(
            self.data,
            learnt_from,
            self.states,
            [self.settings.seed, t, 1],
            before,
            lambda share: report(ROLLING + (1 - ROLLING) * share),
        )
        beta, mixture = self._mix_policy(policy)
        held_out, accuracy = self._evaluate_mixture(mixture)
        seconds = (self.history[-1].seconds if self.history else 0.0) + time.perf_counter() - began
        tried = self.data.positions * (len(self.data.labels) - 1)
        state = IterationState(
            t + 1,
            beta,
            mixture.weights,
            float(np.mean(examples.labels != self.data.gold)),
            float("nan") if self.loss.own else examples.steps / max(tried, 1),
            mistakes,
            held_out,
            accuracy,
            seconds,
        )
        self.mixture, self.examples = mixture, learnt_from if self.settings.point.aggregates else []
        self.history.append(state)
        return state

    def _mix_policy(self, policy):
        """(β, the mixture with the new policy)."""
        point, beta, before = self.settings.point, self.settings.beta, self.mixture
        if beta == "adaptive":
            tried = {rate: self._held_out_loss(self._with(policy, rate))[0] for rate in TRIED}
            beta = min(tried, key=tried.__getitem__)  # of equal ones the smallest, nearest to the guarantee
        elif beta == "cubic":
            beta = float(np.diff(self.data.offset).max()) ** -3.0
        if not point.iterates:
            return 1.0, before.joined_by(policy, 1.0)
        return float(beta), self._with(policy, float(beta))

    def _with(self, policy, beta):
        if not self.settings.point.aggregates:
            return self.mixture.joined_by(policy, beta)
        oracle = 1.0 if self.settings.algorithm == "lols" else self.mixture.weights[0]
        return Mixture((policy,), ((1 - beta) * oracle, 1 - (1 - beta) * oracle))

    def _held_out_loss(self, mixture):
        """(the mean loss of a vote, its labels)."""
        labels = PolicyReader(self.held_out, mixture.policies, self.states).predict(mixture.learned)
        cuts = self.held_out.offset[1:-1]
        return float(self.loss.of_all(self.held_out.golds(), np.split(labels, cuts)).mean()), labels

    def _evaluate_mixture(self, mixture):
        if self.held_out is None:
            return float("nan"), float("nan")
        loss, labels = self._held_out_loss(mixture)
        return loss, float(np.mean(labels == self.held_out.gold))

    def save(self, path: str | PathLike) -> None:
        """Write a checkpoint, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        ValueError
            The policies are estimators of scikit-learn, which only a pickle could hold.
        """
        files.save(path, self)

    @classmethod
    def resume(
        cls,
        path: str | PathLike,
        data: Sequences,
        held_out: Sequences | None = None,
        *,
        iterations: int | None = None,
        loss: Callable | None = None,
    ) -> Self:
        """Continue from a checkpoint, bit for bit as if it had never stopped.

        Parameters
        ----------
        path : str or path
            The checkpoint.
        data : Sequences
            The data that it was learnt from.
        held_out : Sequences, optional
            Sequences that every iteration is evaluated on.
        iterations : int, optional
            Another number of iterations than the checkpoint has.
        loss : callable, optional
            The loss, where it is a function.

        Returns
        -------
        SearchTrainer
            The training as it stood.

        Raises
        ------
        ValueError
            The file is missing, is no checkpoint or is damaged, or was made with other data.
        """
        kept = files.read(path, check_sequences("data", data))
        settings = kept.settings
        if iterations is not None:
            settings = SearchTraining.from_dict(settings.to_dict() | {"iterations": iterations})
        trainer = cls(data, settings, held_out, loss=loss, info=kept.info)
        trainer.mixture, trainer.history, trainer.examples = kept.mixture, kept.history, kept.examples
        return trainer


def _split(data: Sequences, held_out: Sequences | None) -> tuple[Sequences, Sequences]:
    """(training sequences, sequences that beta is chosen on)."""
    if held_out is not None:
        return data, held_out
    if len(data) < 2:
        raise ValueError("an adaptive beta is chosen on sequences held out: give two or more, or a number for beta")
    last = np.arange(len(data)) % EVERY == min(EVERY, len(data)) - 1
    return data.take(np.flatnonzero(~last)), data.take(np.flatnonzero(last))


def _check_data(data, held_out):
    lengths = np.diff(check_sequences("data", data).offset)
    if held_out is not None:
        check_sequences("held_out", held_out)
    if not len(lengths):
        raise ValueError("no sequences to learn from: give at least one")
    if lengths.max() > MAX_POSITIONS:
        w = int(lengths.argmax())
        raise ValueError(f"sequence {w + 1} has {lengths[w]} positions, the limit is {MAX_POSITIONS}; split it")
    if np.any(data.gold < 0):
        w = int(np.searchsorted(data.offset, np.argmax(data.gold < 0), side="right"))
        raise ValueError(f"sequence {w}: a position has no gold label, and the oracle needs them all")
    if held_out is not None and (held_out.labels != data.labels or held_out.F != data.F):
        raise ValueError("the sequences held out have other labels or features than those that are learnt from")
