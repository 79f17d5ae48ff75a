"""The q-automaton as an object: its arrays, which grow, and the lattice that it is."""

from typing import NamedTuple

import numpy as np

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import freeze_columns
from rcmviz.kernels.ars import automaton as kernel
from rcmviz.kernels.ars import passes, trials
from rcmviz.kernels.ars.bounds import Problem, fill_first_bounds

STRATEGIES = {"sweep": kernel.SWEEP, "worst": kernel.WORST, "jump": kernel.JUMP}
MAX_EDGES = 100_000_000  # of all states; 1.3 GB, sums apart
OF_STATES = "weight", "order", "target", "beta", "best", "linear", "shift", "rival"  # arrays with a row per state
ROOM = 16  # states per position and order to begin with, few need more; unwritten parts take no memory


class Contexts(NamedTuple):
    """The columns of an ``ArsTrace`` that say of each context where it is, the states ``ranked`` in its order, and the
    ``place`` of each state in it.
    """

    column: np.ndarray
    length: np.ndarray
    label: np.ndarray
    origin: np.ndarray
    parent: np.ndarray
    born: np.ndarray
    ranked: np.ndarray
    place: np.ndarray


class Automaton:
    """q of an HMM, from the coarsest bound on; the kernels of ``kernels/ars/automaton.py`` refine it in place.

    ``strategy`` sweep, worst or jump · ``look_ahead`` bounds over the candidates before a word instead of over all
    words · ``with_sums`` keeps what sampling and the mass of q need.
    """

    def __init__(self, hmm, strategy="sweep", look_ahead=True, with_sums=False):
        checks.choice("strategy", strategy, STRATEGIES)
        self.hmm, self.strategy = hmm, STRATEGIES[strategy]
        length, width = hmm.log_emit.shape
        self.widths = (hmm.words >= 0).sum(axis=1)
        scale, ahead = 1.0 / hmm.temperature, checks.switch("look_ahead", look_ahead)
        self.problem = Problem(hmm.lm.trie.arrays, hmm.words, hmm.log_emit, scale, ahead, self.widths)
        self.counts, self.with_sums = np.zeros(hmm.order + 1, np.int64), with_sums
        states = min(ROOM, max(4, MAX_EDGES // (8 * width * length * hmm.order)))
        heads, ids = np.empty(length + 1, np.int32), np.full(length + 1, hmm.lm.begin, np.int32)
        self._allocate(length + 1 + states * length * hmm.order, heads, ids)
        fill_first_bounds(self.problem, self.arrays.ids, self.arrays.weight)
        kernel.start(self.arrays, self.problem)
        if with_sums:
            passes.fill_linear(self.arrays, hmm.log_emit, self.widths)

    def _allocate(self, room, heads, ids):
        width = self.hmm.log_emit.shape[1]
        self.arrays = kernel.Automaton(
            heads=heads,
            counts=self.counts,
            fields=np.empty((kernel.FIELDS, room), np.int32),
            weight=np.empty((room, width)),
            order=np.empty((room, width), np.int8),
            target=np.empty((room, width), np.int32),
            beta=np.full(room, np.inf),  # inf: not the value of any edge yet
            best=np.zeros(room, np.int32),
            rival=np.full(room, np.inf),
            linear=np.empty((room, width if self.with_sums else 0)),
            shift=np.empty(room),
            ids=ids,
            reached=np.empty(len(ids), np.int64),
        )
        self.sums = np.empty((3, room if self.with_sums else 0))

    @property
    def states(self):
        """Number of states, the roots of all columns and the end among them."""
        return int(self.counts[0])

    def grow(self):
        """Twice the room; False where that would pass ``MAX_EDGES``."""
        old, used = self.arrays, self.states
        room, width = 2 * old.fields.shape[1], old.weight.shape[1]
        if room * width > MAX_EDGES:
            return False
        self._allocate(room, old.heads, old.ids)
        self.arrays.fields[:, :used] = old.fields[:, :used]
        for name in OF_STATES:
            getattr(self.arrays, name)[:used] = getattr(old, name)[:used]
        return True

    def new_record(self, rounds, number):
        """An empty ``Record`` of trials ``number``, ``number`` + 1, …"""
        length = len(self.hmm.log_emit)
        flags = np.zeros((rounds, 4), np.int64)
        flags[:, trials.NUMBER] = np.arange(number, number + rounds)
        return trials.Record(
            np.empty((rounds, length), np.int32),
            np.empty((rounds, length), np.int8),
            np.empty((rounds, length)),
            np.empty((rounds, length)),
            np.empty((rounds, 3)),
            np.empty((rounds, len(self.counts)), np.int64),
            flags,
        )

    def refine_along(self, path, trial, worst):
        """Lower the bound along one path; grows if it is full. Used to replay and by ``ars_kbest``."""
        record = self.new_record(1, trial)
        record.paths[0], record.flags[0, trials.REFINED], record.flags[0, trials.FURTHEST] = path, 1, worst
        while not self.refine_from(0, record):
            if not self.grow():
                raise ValueError(f"the automaton passes {MAX_EDGES:,} edges: offer fewer candidates, or stop earlier")

    def refine_from(self, begin, record):
        """Refine along the trials of a record from number ``begin`` on; returns the first that found no room."""
        rule, nothing = (
            trials.Rule(self.strategy, 0.0, False),
            (np.zeros(0, np.int32), np.zeros(0)),
        )  # of a search, no other
        first, _ = trials.run_trials(self.arrays, self.problem, rule, self.sums, *nothing, record, begin)
        return first

    def compare_best(self, record):
        """The best paths of q, as many as a record has rows, compared with p; returns how many there are."""
        shape = self.states, len(record.paths)
        kept = np.empty(shape), np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        return trials.compare_best(self.arrays, self.problem, *kept, record)

    def log_mass(self):
        """Log of the mass of q: the upper bound on log Z."""
        if not self.with_sums:
            self.with_sums = True
            room, width = self.arrays.weight.shape
            self.arrays, self.sums = self.arrays._replace(linear=np.empty((room, width))), np.empty((3, room))
            passes.fill_linear(self.arrays, self.hmm.log_emit, self.widths)
        trials.draw_batch(self.arrays, self.problem, self.sums, np.empty((0, self.hmm.T + 1)), self.new_record(0, 0))
        return float(self.sums[passes.LOG_SUM, 0])

    def log_z_bounds(self, record):
        """(log of the summed probability of the distinct sequences found, log of the mass of q)."""
        distinct = dict(zip(map(bytes, record.paths), record.totals[:, trials.LOG_P].tolist(), strict=True))
        found = float(np.logaddexp.reduce(list(distinct.values())))
        return found, max(found, self.log_mass())

    def contexts(self):
        """The ``Contexts`` of all states, column by column and parents first."""
        fields = self.arrays.fields[:, : self.states]
        ranked = np.lexsort((np.arange(self.states), fields[kernel.LENGTH], fields[kernel.COLUMN]))
        place = np.empty(self.states + 1, np.int64)
        place[ranked], place[-1] = np.arange(self.states), -1
        fields = fields[:, ranked].astype(np.int64)
        return Contexts(
            fields[kernel.COLUMN],
            fields[kernel.LENGTH],
            fields[kernel.LABEL],
            place[fields[kernel.ORIGIN]],
            place[fields[kernel.PARENT]],
            fields[kernel.BORN],
            ranked,
            place,
        )

    def lattice(self):
        """q as a ``Lattice``: any question may be asked of it. ``row`` has no meaning here and is −1."""
        hmm = self.hmm
        all_ = self.contexts()
        position = np.minimum(all_.column, hmm.T - 1)
        nowhere = (hmm.words[position] < 0) | (all_.column == hmm.T)[:, None]  # nothing was ever written there
        target = all_.place[np.where(nowhere, -1, self.arrays.target[all_.ranked])]
        score = np.where(nowhere, -np.inf, self.arrays.weight[all_.ranked]) + hmm.log_emit[position]
        offset = np.searchsorted(all_.column, np.arange(hmm.T + 2))
        links = all_.length, all_.label, all_.origin, all_.parent
        row = np.full(len(all_.length), -1)
        return freeze_columns(Lattice, hmm.labels, offset, *links, row, target, score, hmm.choices)
