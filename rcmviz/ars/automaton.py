"""The q-automaton as an object: its arrays, which grow, and the lattice that it is."""

from typing import NamedTuple

import numpy as np

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import made
from rcmviz.kernels.ars import automaton as kernel
from rcmviz.kernels.ars import passes
from rcmviz.kernels.ars.trials import LOG_P, NUMBER

STRATEGIES = {"sweep": kernel.SWEEP, "worst": kernel.WORST, "jump": kernel.JUMP}
MAX_EDGES = 100_000_000  # of all states; 1.3 GB, sums apart
OF_STATES = "weight", "order", "target", "beta", "best", "linear", "shift", "rival"  # arrays with a row per state
ROOM = 16  # states per position and order to begin with, few need more; what is never written to takes no memory


class Trials(NamedTuple):
    """The columns of ``record``, a row per trial, as ``kernels/ars/trials.py`` describes them."""

    paths: np.ndarray
    orders: np.ndarray
    bounds: np.ndarray
    truths: np.ndarray
    totals: np.ndarray
    sizes: np.ndarray
    flags: np.ndarray

    def log_z_bounds(self, automaton):
        """(log of the summed probability of the distinct sequences found, log of the mass of q)."""
        distinct = dict(zip(map(bytes, self.paths), self.totals[:, LOG_P].tolist(), strict=True))
        found = float(np.logaddexp.reduce(list(distinct.values())))
        return found, max(found, automaton.log_mass())


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
        self.problem = (
            hmm.lm.trie.arrays,
            hmm.words,
            hmm.log_emit,
            1.0 / hmm.temperature,
            checks.switch("look_ahead", look_ahead),
            int(hmm.lm.begin),
            self.widths,
        )
        self.heads, self.counts = np.empty(length + 1, np.int32), np.zeros(hmm.order + 1, np.int64)
        self.with_sums = with_sums
        states = min(ROOM, max(4, MAX_EDGES // (8 * width * length * hmm.order)))
        self._allocate(length + 1 + states * length * hmm.order, width)
        ids = np.full(length + 1, hmm.lm.begin, np.int32)
        kernel.start(self.arrays, self.problem, ids)
        if with_sums:
            passes.fill_linear(self.arrays, hmm.log_emit, self.widths)

    def _allocate(self, room, width):
        self.fields = np.empty((kernel.FIELDS, room), np.int32)
        self.weight, self.order = np.empty((room, width)), np.empty((room, width), np.int8)
        self.target = np.empty((room, width), np.int32)
        self.beta, self.best = np.full(room, np.inf), np.zeros(room, np.int32)  # inf: not the value of any edge yet
        self.rival = np.full(room, np.inf)
        self.linear, self.shift = np.empty((room, width if self.with_sums else 0)), np.empty(room)
        self.sums = np.empty((3, room if self.with_sums else 0))

    @property
    def arrays(self):
        """What the kernels take."""
        return self.fields, self.heads, self.counts, *(getattr(self, name) for name in OF_STATES)

    @property
    def states(self):
        """Number of states, the roots of all columns and the end among them."""
        return int(self.counts[0])

    def grow(self):
        """Twice the room; False where that would pass ``MAX_EDGES``."""
        room, width = 2 * self.fields.shape[1], self.weight.shape[1]
        if room * width > MAX_EDGES:
            return False
        used = self.states
        old = {name: getattr(self, name) for name in ("fields", *OF_STATES)}
        self._allocate(room, width)
        self.fields[:, :used] = old["fields"][:, :used]
        for name in OF_STATES:
            getattr(self, name)[:used] = old[name][:used]
        return True

    def new_record(self, rounds, number):
        """Empty ``Trials`` ``number``, ``number`` + 1, …"""
        length = len(self.hmm.log_emit)
        flags = np.zeros((rounds, 4), np.int64)
        flags[:, NUMBER] = np.arange(number, number + rounds)
        return Trials(
            np.empty((rounds, length), np.int32),
            np.empty((rounds, length), np.int8),
            np.empty((rounds, length)),
            np.empty((rounds, length)),
            np.empty((rounds, 3)),
            np.empty((rounds, len(self.counts)), np.int64),
            flags,
        )

    def refine_along(self, path, trial, worst):
        """Lower the bound along one path; grows where there is no room. Used to replay and by ``ars_kbest``."""
        length, path = len(path), np.array(path, np.int32)  # read-only is a type of its own, compiled for itself
        if self.states + length * self.hmm.order > self.fields.shape[1] and not self.grow():
            raise ValueError(f"the automaton passes {MAX_EDGES:,} edges: offer fewer candidates, or stop earlier")
        ids = np.empty(length + 1, np.int32)
        ids[0], ids[1:] = self.hmm.lm.begin, self.hmm.words[np.arange(length), path]
        kernel.refine(self.arrays, self.problem, path, ids, self.strategy, worst, np.empty(length + 1, np.int64), trial)

    def log_mass(self):
        """Log of the mass of q: the upper bound on log Z."""
        if not self.with_sums:
            self.with_sums = True
            room, width = self.weight.shape
            self.linear, self.sums = np.empty((room, width)), np.empty((3, room))
            passes.fill_linear(self.arrays, self.hmm.log_emit, self.widths)
        return float(passes.update_sums(self.arrays, self.hmm.log_emit, self.widths, self.sums))

    def contexts(self):
        """The ``Contexts`` of all states, column by column and parents first."""
        fields = self.fields[:, : self.states]
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
        target = all_.place[np.where(nowhere, -1, self.target[all_.ranked])]
        score = np.where(nowhere, -np.inf, self.weight[all_.ranked]) + hmm.log_emit[position]
        offset = np.searchsorted(all_.column, np.arange(hmm.T + 2))
        links = all_.length, all_.label, all_.origin, all_.parent
        row = np.full(len(all_.length), -1)
        return made(Lattice, hmm.labels, offset, *links, row, target, score, hmm.choices)
