"""Inference on one example: contexts as a table, the best alignment, draws, the mass of a spelling."""

from dataclasses import dataclass

import numpy as np

from rcmviz.align.model import MOST_MEMORY, MOVES
from rcmviz.align.workspace import NO_GOLD, Workspace, allowed_moves, rule_of, shape_of
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.align import grid as sums
from rcmviz.kernels.align import groups as kernel
from rcmviz.kernels.align import paths
from rcmviz.kernels.align.features import PROFILES, C, P
from rcmviz.kernels.learn.weights import Group, Store, claim_all

MODEL, GOLD = 0, 1  # rows of a posterior


@dataclass(frozen=True)
class Alignment:
    """``text`` read · ``moves`` of it, ``D``, ``C`` or ``P``, one per edge · ``edges`` (phone, letter) numbers from 0 ·
    ``log_prob`` log p(y, z | x) under the contexts.
    """

    text: str
    moves: str
    edges: tuple
    log_prob: float


class Aligner:
    """A model with how its contexts are chosen, ready for many examples; one workspace serves them all.

    ``strategy`` "rcms" or "forced" merge dropped contexts, "model", "target" and "hybrid" are beams, chosen by the
    model's mass, by that of the observed letters, by both · ``budget`` contexts per cell, the roots not counted ·
    ``passes``, each ranking candidates by what the one before found ahead of them · ``memory`` symbols remembered at
    most · ``joined``: contexts that no feature can tell apart are one.
    """

    def __init__(self, model, strategy="rcms", budget=20, *, passes=1, memory=MOST_MEMORY, joined=False, weights=None):
        budget, passes = checks.budget(budget), checks.passes(passes)
        checks.whole("memory", memory, 1, MOST_MEMORY, f"from 1 to {MOST_MEMORY} symbols")
        self.model, self.strategy, self.budget = model, strategy, budget
        self.rule = rule_of(strategy, budget)
        self.weights = weights or _kernel_weights(model)
        self.workspace = Workspace(shape_of(model, memory, joined), budget, passes)

    def forward(self, x, gold=NO_GOLD, moves=NO_GOLD):
        """Choose the contexts of phones ``x`` (L',); with a gold also what its letters make of them.

        ValueError for numbers of no phone or letter, for no phones, and for more letters than can be.
        """
        most = self.model.limits.most_letters(len(x))
        self._check(x, gold, most)
        x, gold = _as_read_only(x), _as_read_only(gold)
        allowed = allowed_moves(moves, len(x), len(gold), most)
        self.example = sums.Example(x, gold, allowed if len(gold) else np.zeros_like(allowed))
        found = self.workspace.forward(self.example, most, self.rule, self.weights)
        self.log_z, self.gold_z, self.lattice = found.log_z, found.gold_z, found.lattice
        self.complete = False
        return self

    def _check(self, x, gold, most):
        """The kernels trust these numbers, and would read beyond their arrays."""
        for what, numbers in {"phone": x, "letter": gold}.items():
            inventory = getattr(self.model, f"{what}s")
            if len(numbers) and not 0 <= min(numbers) <= max(numbers) < len(inventory):
                raise ValueError(f"{what}s are numbers from 0 to {len(inventory) - 1}: use model.{what}_numbers")
        if len(x) == 0 or len(gold) > most:
            raise ValueError(f"{len(gold)} letters for {len(x)} phones: at most {most} for one phone or more")

    def backward(self):
        """Backward messages of the example that ``forward`` saw last."""
        if self.log_z > -np.inf and not self.complete:
            self.workspace.backward(self.example, self.log_z, self.gold_z, self.lattice)
            self.complete = True
        return self

    def best(self, gold=NO_GOLD):
        """The best alignment of all, or of these letters only; None where no complete one was kept."""
        lattice, space, phones, letters = self.lattice, self.workspace, len(self.example.x), len(self.model.letters)
        used = lattice.used[kernel.USED_CONTEXTS]
        best = paths.Best(np.zeros(used), np.zeros(len(lattice.begin)), np.zeros(used, np.int64))
        paths.best_arcs(phones, gold, letters, lattice, space.scratch.ahead, space.profiles.factor, best)
        path = np.zeros((2, phones + lattice.width + 1), np.int64)
        size = paths.best_path(letters, lattice, best.arc, path)
        if size == 0:
            return None
        return alignment_of(self.model, path[:, :size], float(best.scale[0] + np.log(best.value[0]) - self.log_z))

    def log_mass(self, gold):
        """Log of the sum over all alignments of these letters (L,), under the contexts that were chosen; −inf for more
        letters than can be.
        """
        x, most, space = self.example.x, self.lattice.width - 1, self.workspace
        if len(gold) > most:
            return -np.inf
        self._check(x, gold, most)
        example = sums.Example(x, gold, allowed_moves(NO_GOLD, len(x), len(gold), most))
        return sums.forward_gold(example, len(self.model.letters), self.lattice, space.profiles.factor, space.scratch)

    def draws(self, n, seed=0):
        """n alignments drawn from the posterior, as (moves, letters) arrays (2, ·)."""
        self.backward()
        phones, letters, rng = len(self.example.x), len(self.model.letters), checks.generator(seed)
        ahead, factor = self.workspace.scratch.ahead, self.workspace.profiles.factor
        longest = phones + self.lattice.width + 1
        path, weight, found = np.zeros((2, longest), np.int64), np.zeros(2 * letters + 2), []
        for _ in range(n if self.log_z > -np.inf else 0):
            size = paths.draw_path(rng.random(longest), phones, letters, self.lattice, ahead, factor, weight, path)
            found.append(path[:, :size].copy())
        return found


def _kernel_weights(model):
    """``weights`` of the kernels."""
    rows = max(len(model.address), 1)
    store = Store(np.full(1 << (2 * rows - 1).bit_length(), -1), np.zeros(rows, np.int64), np.zeros(1, np.int64))
    claim_all(np.ascontiguousarray(model.address), store)
    weights = np.zeros((rows, len(model.labels)), np.float32)
    weights[: len(model.weights)] = model.weights
    return store, Group(weights, np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32))


def alignment_of(model, path, log_prob):
    """An ``Alignment`` from moves and letters (2, n)."""
    moves, letters = path
    a = np.cumsum(moves != C) - 1
    i = np.cumsum(moves != P) - 1
    text = "".join(model.letters[y] for y in letters[moves != P])
    return Alignment(text, "".join(MOVES[m] for m in moves), tuple(zip(a.tolist(), i.tolist(), strict=True)), log_prob)


@dataclass(frozen=True, eq=False)
class AlignLattice(CopyableMixin):
    """A copy of what an example's contexts are: cells in rows of ``most + 1``, contexts (K,), groups (G,).

    ``begin``, ``count`` contexts of a cell · ``contexts (FIELDS, K)``, ``groups (G_FIELDS, G)``, ``first (cells, 4)``
    and ``roots (cells, modes)`` as in ``kernels/align/groups.py`` · ``log_mass (4, K)`` of FORWARD, BACKWARD and both
    for the gold · ``factor (S, ·)`` of the profiles · ``log_z`` of all outputs and of the gold, (2,).
    """

    most: int
    begin: np.ndarray
    count: np.ndarray
    contexts: np.ndarray
    groups: np.ndarray
    first: np.ndarray
    roots: np.ndarray
    log_mass: np.ndarray
    factor: np.ndarray
    gradient: np.ndarray
    log_z: np.ndarray

    def __post_init__(self):
        freeze(self)

    @property
    def shape(self):
        """(phones + 1, most + 1): the cells (a, i)."""
        return len(self.begin) // (self.most + 1), self.most + 1

    def cell(self, a, i):
        """The contexts of a cell, as a slice."""
        number = a * (self.most + 1) + i
        return slice(int(self.begin[number]), int(self.begin[number] + self.count[number]))

    def posterior(self, gold=False):
        """The probability of the alignments through each context (K,), under p(y, z | x) or, gold, p(z | x, y)."""
        rows = (kernel.GOLD_FORWARD, kernel.GOLD_BACKWARD) if gold else (kernel.FORWARD, kernel.BACKWARD)
        log_z = self.log_z[GOLD if gold else MODEL]
        if log_z == -np.inf:
            return np.zeros(self.contexts.shape[1])
        return np.exp(self.log_mass[rows[0]] + self.log_mass[rows[1]] - log_z)

    def edges(self, gold=False):
        """P(edge between phone a + 1 and letter i + 1), (phones, most)."""
        total = np.zeros(self.shape[0] * self.shape[1])
        np.add.at(total, self.cell_of, self.posterior(gold))
        return total.reshape(self.shape)[1:, 1:]

    def modes(self, gold=False):
        """P(edge made in each mode), (phones, most, modes): they sum to ``edges``."""
        modes = self.roots.shape[1]
        total = np.zeros((self.shape[0] * self.shape[1], modes))
        np.add.at(total, (self.cell_of, self.contexts[kernel.MODE]), self.posterior(gold))
        return total.reshape(*self.shape, modes)[1:, 1:]

    @property
    def cell_of(self):
        """The cell of every context (K,)."""
        return np.repeat(np.arange(len(self.count)), self.count)

    @property
    def mean_length(self):
        """Symbols remembered, the mean over the edges of the posterior."""
        weight = self.posterior()
        weight[: self.count[0]] = 0.0
        return float(weight @ self.contexts[kernel.LENGTH] / weight.sum())


def mean_length(lattice, log_z):
    """Symbols remembered, the mean over the edges of the posterior, of a ``Lattice`` with backward messages."""
    edges = slice(lattice.count[0], lattice.used[kernel.USED_CONTEXTS])
    factor = np.exp(lattice.scale[kernel.FORWARD] + lattice.scale[kernel.BACKWARD] - log_z)
    weight = lattice.mass[kernel.FORWARD, edges] * lattice.mass[kernel.BACKWARD, edges]
    weight *= np.repeat(factor[1:], lattice.count[1:])
    return float(weight @ lattice.contexts[kernel.LENGTH, edges] / weight.sum())


def _as_read_only(numbers):
    """Numbers (n,) as the data of trainings gives them: kernels are compiled for each kind of array."""
    numbers = np.ascontiguousarray(numbers, np.int64).view()
    numbers.setflags(write=False)
    return numbers


def lattice_of(aligner):
    """The ``AlignLattice`` of the example that an aligner saw last, forward and backward."""
    lattice, profiles = aligner.backward().lattice, aligner.workspace.profiles
    cells, (k, g) = (len(aligner.example.x) + 1) * lattice.width, lattice.used.tolist()
    of_cell = np.repeat(np.arange(cells), lattice.count[:cells])
    with np.errstate(divide="ignore", invalid="ignore"):
        mass = lattice.mass[:, :k]
        log_mass = np.where(mass > 0, np.log(mass) + lattice.scale[:, of_cell], -np.inf)
    used = int(aligner.workspace.counters[PROFILES])
    return AlignLattice(
        lattice.width - 1,
        lattice.begin[:cells].copy(),
        lattice.count[:cells].copy(),
        lattice.contexts[:, :k].copy(),
        lattice.groups[:, :g].copy(),
        lattice.first[:cells].copy(),
        lattice.roots[:cells].copy(),
        log_mass,
        profiles.factor[:used].copy(),
        profiles.gradient[:used].copy(),
        np.array([aligner.log_z, aligner.gold_z]),
    )


def align(model, phones, text=None, strategy="rcms", budget=20, **options):
    """Contexts of one example, as an ``AlignLattice``; with a text also what its letters make of them.

    ValueError for phones or letters that the model does not know, and for a text that cannot be aligned.
    """
    x = model.phone_numbers(phones)
    gold = NO_GOLD if text is None else model.letter_numbers(text)
    reason = model.limits.why_not(len(x), len(gold)) if len(gold) else None
    if reason:
        raise ValueError(f"{text!r}: {reason}")
    return lattice_of(Aligner(model, strategy, budget, **options).forward(x, gold).backward())
