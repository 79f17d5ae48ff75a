"""Learning a field from the moments of a text: one L-BFGS over potentials and messages together, step by step.

The objective per token is ⟨μ̂, θ⟩ − (1/c) log Z★(θ, δ) − l2 / 2N ‖edges‖²: a lower bound on the log-likelihood of the
ring for every δ, smooth, and jointly concave in (θ, δ), so that nothing has to be tightened inside. The held-out bound
costs one more data term a step; early stopping keeps the potentials where it was best.
"""

import hashlib
import json
import time
from dataclasses import asdict, dataclass

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import UNFIT, read_npz, write_npz
from rcmviz.mrf.lbfgs import LBFGS
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.star import star_bound
from rcmviz.mrf.tightening import TighteningObjective

DTYPES = {"float32": np.float32, "float64": np.float64}
VERSION = 1  # of a checkpoint
MOST_OF_A_PART = 1e12  # in size, of the numbers of a checkpoint: their squares are summed
MOST_STEPS = 1_000_000_000
OBJECTIVES = ("likelihood", "pseudo-likelihood")
SOLVERS = ("joint", "tightening")


@dataclass(frozen=True)
class FieldTraining:
    """Settings of training a field.

    ``order`` K · ``rank`` D, None for full rank · ``l2`` weight of ½ l2 ‖U, W‖² (or θ) against the log-likelihood of
    the whole text · ``max_steps`` of L-BFGS · ``patience`` steps without a better held-out bound before it stops, None
    for never · ``tolerance`` a step that gains less, relatively, is the last · ``dtype`` of the matrices · ``seed`` of
    the first vectors. ``objective`` likelihood or pseudo-likelihood, which steps by AdaGrad with ``eta`` through
    batches of ``batch`` tokens · ``solver`` joint, or the paper's tightening inside every evaluation. ValueError for a
    setting that cannot be.
    """

    order: int = 2
    rank: int | None = 30
    l2: float = 1.0
    max_steps: int = 2_000
    patience: int | None = 50
    tolerance: float = 1e-7
    dtype: str = "float32"
    seed: int = 0
    objective: str = "likelihood"
    solver: str = "joint"
    eta: float = 0.1
    batch: int = 256

    def __post_init__(self):
        checks.whole("order", self.order, 1, 8)
        if self.rank is not None:
            checks.whole("rank", self.rank, 1, wanted="a whole number of dimensions, 1 or more, or None for full rank")
        if self.patience is not None:
            checks.whole("patience", self.patience, 1, wanted="a whole number of steps, 1 or more, or None")
        checks.non_negative("l2", self.l2)
        checks.non_negative("tolerance", self.tolerance)
        checks.whole("max_steps", self.max_steps, 1, MOST_STEPS)
        checks.whole("seed", self.seed, 0)
        checks.choice("dtype", self.dtype, DTYPES)
        checks.choice("objective", self.objective, OBJECTIVES)
        checks.choice("solver", self.solver, SOLVERS)
        checks.positive("eta", self.eta)
        checks.whole("batch", self.batch, 1)


@dataclass(frozen=True, eq=False)
class FieldState:
    """A field on its way: ``step`` · ``bound`` and ``held_out`` lower bounds on the log-likelihood, in nats per token,
    of the text that is learnt from and of the one that is not (NaN without) · ``objective`` with the penalty ·
    ``gradient_norm`` · ``evaluations`` of the objective so far · ``seconds`` so far and, at this pace,
    ``seconds_left`` at most · ``potentials`` and ``delta``, the field itself.
    """

    step: int
    bound: float
    held_out: float
    objective: float
    gradient_norm: float
    evaluations: int
    seconds: float
    seconds_left: float
    potentials: FullRank | LowRank
    delta: np.ndarray

    def numbers(self):
        """All but the arrays, for a history or JSON."""
        return {name: getattr(self, name) for name in NUMBERS}


ENDINGS = "steps", "held-out", "converged"
NUMBERS = ("step", "bound", "held_out", "objective", "gradient_norm", "evaluations", "seconds", "seconds_left")


class Objective:
    """Minus the penalised bound of a text per token, and its gradient, as a function of one vector (θ, δ)."""

    def __init__(self, moments, potentials, l2, dtype):
        self.moments, self.shape, self.l2, self.dtype = moments, potentials, l2 / moments.tokens, DTYPES[dtype]
        self.free = potentials.pack().size

    def first(self, potentials):
        """The vector that learning begins with: messages 0."""
        return np.concatenate([potentials.pack(), np.zeros(potentials.order * potentials.size)])

    extra: dict = {}  # kept in a checkpoint besides the optimiser

    def split(self, x):
        """(potentials, messages (K, C)) of a vector."""
        return self.shape.unpack(x[: self.free]), x[self.free :].reshape(self.shape.order, self.shape.size)

    def __call__(self, x):
        potentials, delta = self.split(x)
        data, by_data = potentials.data_term(self.moments)
        star = star_bound(potentials, delta, dtype=self.dtype)
        value, parts = star.bound - data, []
        for name, part in potentials.parts.items():
            slope = np.asarray(star.gradient[name], np.float64) - by_data[name]
            if name != "node":
                value += 0.5 * self.l2 * np.vdot(part, part)
                slope += self.l2 * part
            parts.append(slope.ravel())
        return float(value), np.concatenate([*parts, star.delta.ravel()])


def first_potentials(moments, settings):
    """Initial potentials: the words' frequencies, and small random vectors (none at full rank)."""
    node = np.log((moments.words + 0.5) / (moments.tokens + 0.5 * moments.size))
    if settings.rank is None:
        return FullRank.initial(node, settings.order)
    return LowRank.initial(node, settings.order, settings.rank, settings.seed)


class Stepwise:
    """A training by steps: ``advance`` returns a state; it can be saved and continued after any step.

    ``ended`` is None, or by what: steps, held-out, converged. A kind of training names its ``FORMAT`` and has
    ``settings``, ``step``, ``seconds``, ``best``, the ``first`` state, the ``data`` by a fingerprint,
    ``_checkpoint_state()``, the (numbers, arrays) that it continues from, and ``_restore(numbers, arrays)``.
    """

    FORMAT = ""
    ended: str | None = None

    @property
    def done(self):
        """Whether it has come to an end."""
        return self.ended is not None

    def run(self, every=1):
        """States until the end, one every ``every`` steps."""
        while not self.done:
            yield self.advance(every)

    def _check_going_on(self):
        if self.done:
            raise ValueError(f"the training has ended ({self.ended}); raise max_steps or patience to continue")

    def save(self, path):
        """Write a checkpoint as npz without pickle, whole or not at all; OSError if it cannot be written."""
        numbers, arrays = self._checkpoint_state()
        head = {
            "format": self.FORMAT,
            "version": VERSION,
            "settings": asdict(self.settings),
            "step": self.step,
            "seconds": self.seconds,
            "ended": self.ended,
            "data": self.data,
            "best": self.best.numbers(),
        }
        best = np.concatenate([self.best.potentials.pack(), self.best.delta.ravel()])
        write_npz(path, {"head": np.array(json.dumps(head | numbers)), "best": best} | arrays)

    @classmethod
    def _resume_checkpoint(cls, path, data, begin, max_steps):
        """The training of a checkpoint; ``data`` by its fingerprint, ``begin(settings)`` is a new one. ValueError for a
        file that is no checkpoint, is damaged, or is of a training on other data.
        """
        remedy = "start the training again"
        arrays = read_npz(path, "checkpoint of a field", remedy)
        try:
            head = json.loads(str(arrays["head"]))
            if (head["format"], head["version"]) != (cls.FORMAT, VERSION):
                raise ValueError(f"it is {head['format']} of version {head['version']}")
            if head["data"] != data:
                raise ValueError("it began with another text or vocabulary")
            changes = {} if max_steps is None else {"max_steps": max_steps}
            trainer = begin(FieldTraining(**head["settings"] | changes))
            trainer._restore(head, arrays)
            trainer._restore_progress(head, arrays["best"])
            return trainer
        except UNFIT as error:
            raise ValueError(f"{path}: the checkpoint cannot be used ({error}); {remedy}") from None

    def _restore_progress(self, head, best):
        shape, delta = self.first.potentials, self.first.delta
        check_part("best", best, (shape.pack().size + delta.size,))
        self.step, self.ended = checks.whole("step", head["step"], 0, MOST_STEPS), head["ended"]
        if self.ended is not None:
            checks.choice("ended", self.ended, ENDINGS)
        self.seconds = checks.non_negative("seconds", head["seconds"])
        if self.ended == "steps" and self.step < self.settings.max_steps:
            self.ended = None
        potentials, messages = shape.unpack(best[: -delta.size]), best[-delta.size :].reshape(delta.shape)
        self.best = FieldState(**_check_numbers(head["best"]), potentials=potentials, delta=messages)


def _check_numbers(written):
    """The numbers of a state; ValueError where one is none. NaN is what was not measured."""
    for name in NUMBERS:
        if not checks.is_number(written[name]):
            raise ValueError(f"{name} of the best state is {written[name]!r}, no number")
    checks.whole("step", written["step"], 0, MOST_STEPS)
    return written


def check_part(name, array, shape, dtype=np.float64):
    """ValueError where an array of a checkpoint has another shape (None: any length) or type, or is not finite."""
    fits = array.ndim == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        raise ValueError(f"{name} does not fit the settings")
    if not (np.abs(array) <= MOST_OF_A_PART).all():
        raise ValueError(f"{name} holds numbers that are not finite, or beyond {MOST_OF_A_PART:g}")


class FieldTrainer(Stepwise):
    """Learns a field from ``Moments``; it can be stopped, saved and continued after any step.

    ``moments`` of the text · ``held_out`` those of another text by the same vocabulary, or None · ``settings`` a
    ``FieldTraining``. ValueError where they do not fit together.

    >>> from rcmviz.mrf.moments import moments_of
    >>> from rcmviz.mrf.vocabulary import Vocabulary
    >>> text = moments_of(["a b a b", "b a"], Vocabulary(("<S>", "a", "b")), 1)
    >>> trainer = FieldTrainer(text, settings=FieldTraining(order=1, rank=1))
    >>> trainer.advance().bound > trainer.first.bound
    True
    """

    FORMAT = "rcmviz/field-training"

    def __init__(self, moments, held_out=None, settings=None):
        self.settings = settings or FieldTraining()
        if moments.order != self.settings.order:
            raise ValueError(f"the moments are of order {moments.order}, the settings of order {self.settings.order}")
        if held_out is not None and (held_out.order, held_out.size) != (moments.order, moments.size):
            raise ValueError("held out: moments of another order or vocabulary; count them with the same")
        self.moments, self.held_out = moments, held_out
        self.step, self.seconds = 0, 0.0
        began = time.perf_counter()
        potentials = first_potentials(moments, self.settings)
        self.objective = Objective(moments, potentials, self.settings.l2, self.settings.dtype)
        if self.settings.solver == "tightening":
            self.objective = TighteningObjective(self.objective)
        self.optimiser = LBFGS(self.objective, self.objective.first(potentials))
        self.seconds = time.perf_counter() - began
        self.first = self.best = self._state()

    def advance(self, steps=1):
        """Some steps of L-BFGS and then a ``FieldState``; ValueError where the training has come to an end."""
        self._check_going_on()
        for _ in range(checks.whole("steps", steps, 1)):
            began, before = time.perf_counter(), self.optimiser.value
            moved = self.optimiser.step()
            self.step += moved
            self.seconds += time.perf_counter() - began
            state = self._state()
            if self.held_out is None or state.held_out > self.best.held_out:
                self.best = state
            self.ended = self._end_reason(state, moved and before - self.optimiser.value)
            if self.done:
                break
        return state

    def _end_reason(self, state, gain):
        s = self.settings
        if gain <= s.tolerance * max(1.0, abs(self.optimiser.value)):
            return "converged"
        if self.held_out is not None and s.patience is not None and state.step - self.best.step >= s.patience:
            return "held-out"
        return "steps" if self.step >= s.max_steps else None

    def _state(self):
        optimiser = self.optimiser
        potentials, delta = self.objective.split(optimiser.x)
        data, _ = potentials.data_term(self.moments, gradient=False)
        log_z = self._log_z(potentials, delta, data)
        held_out = np.nan
        if self.held_out is not None:
            held_out = potentials.data_term(self.held_out, gradient=False)[0] - log_z
        pace = self.seconds / max(self.step, 1)
        slope = float(np.linalg.norm(optimiser.gradient))
        return FieldState(
            self.step,
            float(data - log_z),
            float(held_out),
            -optimiser.value,
            slope,
            optimiser.evaluations,
            self.seconds,
            pace * (self.settings.max_steps - self.step),
            potentials,
            delta.copy(),
        )

    def _log_z(self, potentials, delta, data):
        """(1/c) log Z★ per token, from the objective's value: no second pass."""
        edges = sum(np.vdot(part, part) for name, part in potentials.parts.items() if name != "node")
        return self.optimiser.value + data - 0.5 * self.objective.l2 * edges

    @property
    def data(self):
        """A fingerprint of the moments."""
        return digest(self.moments)

    def _checkpoint_state(self):
        return {"evaluations": self.optimiser.evaluations}, self.optimiser.state | self.objective.extra

    @classmethod
    def resume(cls, path, moments, held_out=None, *, max_steps=None):
        """Continue from a checkpoint, bit for bit as if the training had never stopped.

        ``moments`` and ``held_out`` as it began with · ``max_steps`` another number of steps. ValueError for a file
        that is no checkpoint, is damaged, or is of a training on other data.
        """
        return cls._resume_checkpoint(
            path, digest(moments), lambda settings: cls(moments, held_out, settings), max_steps
        )

    def _restore(self, head, arrays):
        length = len(self.optimiser.x)
        for name, shape in {"x": (length,), "steps": (None, length), "changes": (None, length)}.items():
            check_part(name, arrays[name], shape)
        if len(arrays["steps"]) != len(arrays["changes"]):
            raise ValueError("steps and changes are not as many")
        for name, array in self.objective.extra.items():
            check_part(name, arrays[name], array.shape, array.dtype)
            setattr(self.objective, name, arrays[name])
        self.optimiser.restore(arrays)
        self.optimiser.evaluations = int(head["evaluations"])


def digest(moments):
    """A fingerprint of moments: a checkpoint continues on the same text only."""
    found = hashlib.sha256(str((moments.tokens, moments.order, moments.size)).encode())
    found.update(np.ascontiguousarray(moments.words).tobytes())
    for pairs in moments.pairs:
        found.update(pairs.indptr.tobytes() + pairs.indices.tobytes() + pairs.data.tobytes())
    return found.hexdigest()
