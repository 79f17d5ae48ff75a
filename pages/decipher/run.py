"""EM in the background of Decipher: the trainer for the host of trainings, and the session that controls a run.

A step is a pass of EM (or, of a cryptogram, the swaps that end a round). Passes are handed out tick by tick, at the
chosen pace, up to the ``goal``; pins of the session apply from the next pass on.
"""

from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from pages.decipher.pins import pins_by_name, pins_by_number
from pages.decipher.question import MOST_PASSES
from pages.decipher.texts import letters_lm, subject_of
from pages.shell.visitors import visitor
from rcmviz.jobs.host import this_host
from rcmviz.jobs.job import FINISHED
from rcmviz.jobs.sequences import JobKind
from rcmviz.learn.em import EM
from rcmviz.tasks.decipher.letter_model import LETTERS, letter_model
from rcmviz.tasks.decipher.letters import Solver
from rcmviz.tasks.decipher.symbols import Decipherment
from rcmviz.views.decipher.payload import ShownPass, pack_reading, word_pass

ROUND = 40  # passes before the swaps of a cryptogram
UNCONFIRMED = 0.5  # opacity of the best text so far until another round confirms it
BYTES_PER_PASS = 20_000  # of a stored pass
COPIES = 3  # of a language model: as weights, as logs, and as the kernels read it
_SESSIONS: WeakKeyDictionary[Any, "DecipherSession"] = WeakKeyDictionary()  # run → its session


@dataclass(frozen=True)
class EmSettings:
    """The settings of one method, in place of a training's."""

    method: str
    budget: int
    epochs: int = MOST_PASSES


@dataclass(frozen=True)
class DecipherPoint:
    """A point of the curve that the host expects; the page draws its own curves from the readings."""

    step: int
    examples: int
    log_likelihood: float
    MEANS: ClassVar = ("log_likelihood",)
    HELD_OUT: ClassVar = ()


@dataclass(frozen=True, eq=False)
class PassState:
    """A pass for the host: the ``model`` is the reading with its packed form for the view."""

    step: int
    log_likelihood: float
    model: tuple


@dataclass(frozen=True, eq=False)
class KeptPass:
    """A reading in memory, with its packed form for the view."""

    step: int
    reading: ShownPass
    packed: dict


@dataclass(frozen=True, eq=False)
class Origin:
    """The pass ``at`` from which a run continues, and what was ``shown`` until then (shown.py).

    If it ``branches`` off, both runs are shown side by side. All passes up to there are computed again without being
    shown.
    """

    at: int
    shown: object
    branches: bool

    def pins(self, number, step):
        """Return the pins, {symbol: label} by number, for the pass after ``step`` of a method, or None."""
        passes = self.shown.pins[number]
        return passes[step] if step < min(self.at, len(passes)) else None


class DecipherSession:
    """The controller of a run: its ``puzzle``, the current ``pins`` {symbol: label} by name, and its ``goal``.

    The goal is the number of the pass to stop after. ``origin`` is the run that this one continues, or None.
    """

    def __init__(self, puzzle, origin=None):
        self.puzzle, self.subject, self.origin = puzzle, subject_of(puzzle), origin
        self.pins, self.goal, self.run, self._passes = dict(puzzle.pins), 0, None, None

    def __len__(self):
        return 1  # a step of the host is a pass

    def request_passes(self, passes, through=False):
        """Continue for ``passes``; a cryptogram stops before the first swaps unless it goes ``through``."""
        goal = min(self.latest_pass + passes, MOST_PASSES)
        stops = self.puzzle.kind == "letters" and self.latest_pass < ROUND and not through
        self.goal = min(goal, ROUND) if stops else goal

    def request_up_to(self, goal):
        """Continue up to a pass."""
        self.goal = min(goal, MOST_PASSES)

    def pins_at(self, settings, step):
        """Return the pins, {symbol: label} by name, for the pass of a method after ``step``."""
        known = None
        if self.origin is not None:
            known = self.origin.pins([job.settings for job in self.run.jobs].index(settings), step)
        elif step < self.puzzle.since:
            known = {}
        return self.pins if known is None else pins_by_name(self.subject.layout, known)

    def pause(self):
        """Stop after the passes in progress."""
        self.goal = self.latest_pass
        self.run.pause()

    def cancel(self):
        """End the run; its passes remain visible."""
        self._passes = self.passes
        self.run.cancel()

    def pin(self, pins):
        """Set the pins from the next pass on; ValueError names an invalid pin."""
        pins_by_number(self.subject.layout, pins)
        self.pins = dict(pins)

    @property
    def passes(self):
        """The stored passes of each method."""
        return self._passes or [snapshot.checkpoints for snapshot in self.run.snapshots()]

    @property
    def latest_pass(self):
        """The pass that the furthest method has reached."""
        return max(snapshot.step for snapshot in self.run.snapshots())

    @property
    def is_running(self):
        """Whether passes remain until the goal."""
        busy = any(job.busy for job in self.run.jobs)
        return busy or any(self._is_waiting(snapshot) for snapshot in self.run.snapshots())

    @property
    def awaits_swaps(self):
        """Whether EM has reached the end of its first round and waits."""
        return self.puzzle.kind == "letters" and self.latest_pass == self.goal == ROUND

    @property
    def is_catching_up(self):
        """Whether passes that were shown before are still being computed again."""
        return any(self._passes_behind(snapshot) for snapshot in self.run.snapshots())

    @property
    def is_finished(self):
        """Whether every method has ended."""
        return all(snapshot.status in FINISHED for snapshot in self.run.snapshots())

    def solved(self, snapshot):
        """Whether a method has solved the cipher with the current pins."""
        last = snapshot.checkpoints[-1].reading if snapshot.checkpoints else None
        return last is not None and last.solved and last.pins == pins_by_number(self.subject.layout, self.pins)

    def seconds_left(self, pace):
        """Return the estimated seconds until the goal, at ``pace`` passes per second at most."""
        waiting = [snapshot for snapshot in self.run.snapshots() if self._has_passes_left(snapshot)]
        return max((self._seconds_left(snapshot, pace) for snapshot in waiting), default=0.0)

    def hand_out_passes(self, pace):
        """Give the methods the passes of one second."""
        for job in self.run.jobs:
            if job.busy:  # its pass may be the one that solves it
                continue
            snapshot = job.snapshot()
            if self._is_waiting(snapshot):
                job.run(self._passes_behind(snapshot) or min(pace, self.goal - snapshot.step))

    def _passes_behind(self, snapshot):
        """Return the number of passes until the point from which the run continues."""
        at = self.origin.at if self.origin is not None else 0
        return max(0, at - snapshot.step) if self._has_passes_left(snapshot) else 0

    def _is_waiting(self, snapshot):
        return snapshot.status == "paused" and self._has_passes_left(snapshot)

    def _has_passes_left(self, snapshot):
        return snapshot.status not in FINISHED and snapshot.step < self.goal and not self.solved(snapshot)

    def _seconds_left(self, snapshot, pace):
        passes, measured = self.goal - snapshot.step, snapshot.left or 0.0
        return max(passes / pace, passes * measured / (snapshot.steps - snapshot.step))


class DecipherTrainer:
    """One method on a puzzle, with the interface of a trainer; it may run in a worker process."""

    def __init__(self, given, settings, info=None):
        """``given`` are the puzzle and its CipherText, ``info`` is unused; ValueError as from the solver."""
        puzzle, self._subject = given
        cipher, how = self._subject.cipher, (settings.method, settings.budget)
        self._is_letters = puzzle.kind == "letters"
        if self._is_letters:
            self._work = Solver(cipher, letters_lm(), *how, order=puzzle.letters, passes=ROUND, seed=puzzle.seed)
        else:
            self._work = Decipherment(cipher, *how, order=puzzle.words, reading=puzzle.reading)
        self.step, self.cancelled, self.found = 0, False, None

    @property
    def model(self):
        """The language model of EM."""
        return self._work.model if self._is_letters else self._work.em.model

    def advance(self, examples=None, pins=None):
        """Return the state after one pass with ``pins``, {symbol: label} by name; or None if ``cancelled``."""
        if self._work.pins != (pins or {}):
            self._work.pins = dict(pins or {})
        found = self._work.advance(lambda: self.cancelled)
        if found is None:
            return PassState(self.step, float("nan"), ())  # is discarded
        self.step += 1
        self.found = found.found if self._is_letters else found  # the latest pass of EM
        subject, read = self._subject, _letters_pass if self._is_letters else _words_pass
        reading, counts = read(self.step, found, pins_by_number(subject.layout, self._work.pins), subject.cipher)
        return PassState(self.step, reading.log_likelihood, (reading, pack_reading(subject.layout, reading, counts)))


def _letters_pass(step, guess, pins, cryptogram):
    """Return (reading, expected counts); after the first swaps those of the best text, until rounds confirm it."""
    found, letters = guess.found, len(LETTERS)
    key, sure = (guess.best, 1.0 if guess.solved else UNCONFIRMED) if guess.agreed else (guess.key, None)
    reading = ShownPass(
        step,
        guess.round,
        guess.stage,
        key,
        cryptogram.accuracy(key),
        None,
        found.log_likelihood,
        found.mean_length,
        guess.solved,
        pins,
        sure,
    )
    return reading, found.counts[:letters, :letters]


def _words_pass(step, state, pins, _cipher):
    return word_pass(step, state, pins), state.counts


def _bytes_needed(session, settings):
    """Estimate the memory; the language model is shared by all methods."""
    puzzle, layout = session.puzzle, session.subject.layout
    if puzzle.kind == "letters":
        table = 8 * (28 ** (puzzle.letters + 1) + 28**4)  # swaps are judged by one of order 3
    else:
        table = session.subject.cipher.model(puzzle.words).weights.nbytes
    emissions = 16 * len(layout.symbols) * len(layout.labels)
    return COPIES * table // len(puzzle.methods) + emissions + MOST_PASSES * BYTES_PER_PASS


def _checkpoint(step, model, settings):
    return KeptPass(step, *model)


def _check(session, limits):
    """Accept every puzzle: all are small."""


def _worker_data(session):
    return session.puzzle, session.subject


def _pins_of_step(session, settings, step):
    return {"pins": session.pins_at(settings, step)}


def _is_solved(state):
    """Whether a method makes no more passes, since it has solved the cipher."""
    return state.model[0].solved


DECIPHER_JOBS = JobKind(
    DecipherTrainer,
    None,
    DecipherPoint,
    _checkpoint,
    _check,
    _bytes_needed,
    MOST_PASSES,
    sent=_worker_data,
    guidance=_pins_of_step,
    rests=_is_solved,
)


def start(puzzle, replaces=None, origin=None):
    """Open a paused run of a puzzle, or one that continues from an ``Origin``; returns (run, session).

    ValueError says why it is refused.
    """
    session = DecipherSession(puzzle, origin)
    pins_by_number(session.subject.layout, session.pins)
    readers = [EmSettings(method.kind, method.budget) for method in puzzle.methods]
    session.run = this_host().open(
        str(puzzle), session, readers, replaces=replaces, job_kind=DECIPHER_JOBS, owner=visitor()
    )
    _SESSIONS[session.run] = session
    return session.run, session


def warm_up():
    """Compile or load the kernels of EM, and the language model of letters."""
    model = letter_model(letters_lm(), 1)
    for method in ("rcms", "exact"):
        EM(model, [[0, 1]], method, 2).advance()


def session_of(name):
    """Return the session of a run in memory, or None."""
    run = this_host().find(name)
    return _SESSIONS.get(run) if run is not None else None
