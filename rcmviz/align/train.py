"""The trainer of alignments: AdaGrad on log p(y | x), one example a step, alignments summed over.

The gradient is E[φ | x, y] − E[φ | x], both under the contexts chosen at the present weights (Steinhardt & Liang 2015,
§6, eq. 7). An example of whose letters no alignment was kept teaches nothing: how many there are is the story.
"""

import time
from dataclasses import replace

import numpy as np

from rcmviz.align.evaluation import evaluate
from rcmviz.align.infer import Aligner, mean_length
from rcmviz.align.model import AlignModel
from rcmviz.align.settings import AlignState, AlignTraining
from rcmviz.align.workspace import NO_GOLD, TooFarError, Workspace, allowed_moves, rule_of, shape_of
from rcmviz.kernels.align import train as kernel
from rcmviz.kernels.align.features import NODES
from rcmviz.kernels.align.grid import Example
from rcmviz.kernels.learn.lane_state import Rate
from rcmviz.learn.schedule import ExampleSchedule
from rcmviz.learn.tables import MOST_WEIGHTS, make_tables

BIGRAMS = {
    "strategy": "rcms",
    "order": 2,
    "mode": "additive",
    "memory": 2,
    "joined": True,
    "passes": 1,
}  # exact where nothing is dropped
PIECE = 10  # examples of one call of the bigram model, as others wait for their turn
MANY_ROWS = 50_000  # by which a table of weights grows at least


class AlignTrainer(ExampleSchedule):
    """A training that can be stopped and continued after any example.

    ``pairs`` to learn from · ``settings`` an ``AlignTraining`` · ``held_out`` Pairs that every state is evaluated on.

    >>> from rcmviz.align.pairs import Pairs
    >>> trainer = AlignTrainer(Pairs.from_pairs([(["HH", "AY"], "hi")]), AlignTraining(order=2, epochs=2))
    >>> trainer.advance().explained, trainer.epoch, trainer.done
    (1, 1, False)
    """

    def __init__(self, pairs, settings=None, held_out=None, *, info=None):
        self.data, self.settings, self.held_out = pairs, settings or AlignTraining(), held_out
        if held_out is not None and (held_out.letters, held_out.phones) != (pairs.letters, pairs.phones):
            raise ValueError("held out: other inventories; make both from the same letters and phones")
        s, self.info = self.settings, dict(info or {})
        self.shape = AlignModel(pairs.letters, pairs.phones, s.order, s.mode, pairs.limits)
        self.tables = make_tables(self.shape, 0, True, s.average, "f4")
        self.workspace = Workspace(shape_of(self.shape, s.memory, s.joined), s.budget, s.passes)
        self.steps, self.seconds, self.most = np.zeros(1, np.int64), 0.0, pairs.most.tolist()
        self.workspace.fit(int(np.diff(pairs.phone_start).max()), max(self.most))
        self.moves = NO_GOLD, np.zeros(len(pairs) + 1, np.int64)
        self.forcing = self._force() if s.strategy == "forced" else iter(())

    def advance(self, examples=None):
        """Visit the next ``examples`` (the rest of the epoch by default, never beyond its end) and say how they were.

        Forced decoding first trains the bigram model, all of it. ValueError where all epochs are over, or where the
        weights have grown beyond what numbers hold.
        """
        began = time.perf_counter()
        visit = self.upcoming(examples)
        while not self.prepare():
            pass
        measures = np.array([self._learn_from(w) for w in visit.tolist()])
        self.seconds += time.perf_counter() - began
        return self._state(measures)

    def prepare(self):
        """A piece of what comes before the first example: the alignments of forced decoding; whether that was all."""
        return not next(self.forcing, False)

    def _force(self):
        """Fix the alignment of every example, piece by piece: the best of its letters under an exact bigram model."""
        s = self.settings
        budget = len(self.data.letters) * (self.data.limits.modes - 1)
        simple = AlignTrainer(self.data, replace(s, **BIGRAMS, budget=budget, epochs=s.initial_epochs))
        while not simple.done:
            simple.advance(PIECE)
            yield True
        aligner, found = Aligner(simple.model(), "rcms", budget, memory=2, joined=True), []
        for w in range(len(self.data)):
            if w % PIECE == 0:
                yield True
            gold = self.data.spelling(w)
            best = aligner.forward(self.data.sounds(w), gold).best(gold)
            found.append(np.array(["DCP".index(move) for move in best.moves], np.int64))
        self.moves = np.concatenate(found), np.cumsum([0, *map(len, found)])
        self.moves[0].setflags(write=False)

    def _learn_from(self, w):
        """One step on example w: (log-likelihood, norm of the gradient, mean length, whether explained) before it."""
        pairs, s, space = self.data, self.settings, self.workspace
        x, gold, most = pairs.sounds(w), pairs.spelling(w), self.most[w]
        moves, start = self.moves
        example = Example(x, gold, allowed_moves(moves[start[w] : start[w + 1]], len(x), len(gold), most))
        weights = self.tables.store, self.tables.windows
        try:
            found = space.forward(example, most, rule_of(s.strategy, s.budget), weights)
        except TooFarError:
            raise ValueError(f"example {w + 1}: a score is beyond e^±200; lower eta ({s.eta:g})") from None
        likelihood = norm = length = np.nan
        if found.log_z > -np.inf:
            space.backward(example, found.log_z, found.gold_z, found.lattice)
            length = mean_length(found.lattice, found.log_z)
        if found.gold_z > -np.inf:  # else there is nothing to learn from: no alignment with these letters was kept
            likelihood = found.gold_z - found.log_z
            norm = np.sqrt(kernel.step_nodes(self._roomy_scorer(), Rate(s.eta, s.delta, 0.0, s.average), self.steps))
        else:
            self.steps[0] += 1
        return likelihood, norm, length, found.gold_z > -np.inf

    def _roomy_scorer(self):
        """``scorer`` of the kernels, with room for a row of weights of every node."""
        used = self.tables.used
        if used + self.workspace.counters[NODES] > self.tables.store.owner.size:
            self.tables.grow(self._rows_to_come(used))
        return self.workspace.scorer((self.tables.store, self.tables.windows))

    def _rows_to_come(self, used):
        """Rows of an epoch if all examples bring half as many again as those before, at most sixteen times what there
        are: words bring more when more has been learned, and those of CMUdict a fifth more than their first eighth.

        Unwritten rows take no memory, but each time that tables grow, all used rows are found again.
        """
        expected = 3 * used * len(self.data) // (2 * max(int(self.steps[0]), 1))
        most = MOST_WEIGHTS // (len(self.data.letters) + 1)
        return max(MANY_ROWS, min(expected, 16 * used, most) - used)

    def _state(self, measures):
        scores = None
        if self.held_out is not None:
            scores = self.evaluate(self.held_out)
        *means, explained = measures.T
        return AlignState(
            self.step,
            len(measures),
            int(explained.sum()),
            *map(_mean, means),
            scores.error_rate if scores else float("nan"),
            scores.exact if scores else float("nan"),
            self.epoch,
            self.seconds,
        )

    def evaluate(self, pairs, **changes):
        """``Scores`` of pairs as the settings decode; ``changes`` of decoder, budget, passes, memory or joined."""
        s = self.settings
        weights = None if s.average else (self.tables.store, self.tables.windows)
        options = {
            "budget": s.budget,
            "passes": s.passes,
            "memory": s.memory,
            "joined": s.joined,
            "decoder": s.decoder,
        } | changes
        model = self.model() if s.average else self.shape
        return evaluate(model, pairs, s.strategy, weights=weights, **options)

    def model(self):
        """The model as it is now, averaged over all steps so far where the settings say so."""
        group, here = self.tables.windows, self.tables.addresses.copy()
        drift = group.drift[: len(here)] / self.step if self.settings.average and self.step else 0
        weight = group.weight[: len(here)] - drift
        info = self.info | {"training": self.settings.to_dict() | {"step": self.step}}
        return replace(self.shape, address=here, weights=np.ascontiguousarray(weight, np.float32), info=info)


def _mean(values):
    """The mean of known values, NaN for none."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def train(pairs, settings=None, held_out=None, *, every=None, info=None):
    """Train; yields an ``AlignState`` every ``every`` examples, at least one per epoch."""
    trainer = AlignTrainer(pairs, settings, held_out, info=info)
    while not trainer.done:
        yield trainer.advance(every)
