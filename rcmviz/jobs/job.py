"""A training beside a page: it can be started, paused, stepped and cancelled at once, and it remembers its past.

No training owns a thread. It hands a pool of threads one stretch of examples at a time, as many as take 0.15 s; to
pause is to submit no other. The pool's queue is fair, so trainings take turns. Nobody looking (``keep_awake``) pauses
a training too, until somebody does.
"""

import threading
import time
from dataclasses import dataclass, replace

import numpy as np

from rcmviz.jobs.sequences import SEQUENCE_JOBS

STRETCH_SECONDS = 0.15  # seconds between two looks at what a person wants
FIRST_EXAMPLES = 8  # examples of the first stretch: early curves are the steep ones
LONG_EVALUATION = 1.0  # seconds after which an evaluation is mentioned
SETTLED = 1.0  # seconds of training before it says how long the rest will take
SLEEP_SECONDS = 8.0  # seconds without a look before a training sleeps
MOST_POINTS = 200
FINISHED = ("done", "cancelled", "failed")


@dataclass(frozen=True)
class Snapshot:
    """A training at one moment: ``status`` paused, running, asleep, done, cancelled or failed (then a ``message``) ·
    ``step`` of ``steps`` examples, ``left`` seconds to go (None: unknown) · the ``points`` of its curves and its
    ``checkpoints``, oldest first, of the classes that its kind names · ``evaluating``: it has been reading what
    is held out for a while.
    """

    settings: object
    status: str
    message: str
    step: int
    steps: int
    left: float | None
    points: tuple
    checkpoints: tuple
    evaluating: bool


class Job:
    """One training; all methods may be called from any thread and return at once."""

    def __init__(self, data, settings, pool, held_out=None, info=None, clock=time.monotonic, job_kind=SEQUENCE_JOBS):
        """``data``, ``held_out`` to learn from · ``pool`` an executor · ``info`` for its models · ``job_kind`` what is
        trained · ValueError as its trainer.
        """
        self.settings, self.size = settings, len(data)
        self.steps = settings.epochs * len(data)
        self._job_kind, self._held_out = job_kind, held_out
        self._trainer = job_kind.trainer(data, settings, info=info)
        self._pool, self._clock, self._lock = pool, clock, threading.Lock()
        self._status, self._message, self._busy = "paused", "", False
        self._step, self._until, self._stretch = 0, 0, FIRST_EXAMPLES
        self._evaluation, self._piece, self._evaluation_began = None, FIRST_EXAMPLES, 0.0
        self._points, self._checkpoints = [], []
        self._last_look, self._ended = clock(), None
        self._pace, self._scoring, self._training = (0.0, 0.0), 0.0, 0.0

    def snapshot(self):
        """The ``Snapshot`` of this moment."""
        with self._lock:
            seconds, examples = self._pace
            left = (self.steps - self._step) * seconds / examples if seconds > SETTLED else None
            evaluating = self._evaluation is not None and self._clock() - self._evaluation_began > LONG_EVALUATION
            return Snapshot(
                self.settings, self._status, self._message, self._step, self.steps, left,
                tuple(self._points), tuple(self._checkpoints), evaluating,
            )  # fmt: skip

    def run(self, examples=None):
        """Go on, to the end or for so many examples and then pause."""
        with self._lock:
            if self._status in FINISHED:
                return
            self._until = self.steps if examples is None else min(self._step + examples, self.steps)
            self._status, self._last_look, self._ended = "running", self._clock(), None
            self._submit()

    def run_epoch(self):
        """Go on to the end of the epoch, then pause."""
        self.run(self.size - self._step % self.size)

    def pause(self):
        """Stop after the present stretch, until ``run``."""
        with self._lock:
            if self._status in ("running", "asleep"):
                self._status = "paused"

    def keep_awake(self):
        """Somebody looks: a training that fell asleep goes on, one that a person has paused does not."""
        with self._lock:
            self._last_look = self._clock()
            if self._status == "asleep":
                self._status = "running"
                self._submit()

    def cancel(self):
        """End it and give its memory back; the points of its curves stay."""
        with self._lock:
            if self._status != "failed":
                self._status = "cancelled"
            self._release()

    @property
    def seconds_unseen(self):
        """Seconds since somebody looked."""
        return self._clock() - self._last_look

    @property
    def finished(self):
        """Whether there is nothing left to do."""
        return self._status in FINISHED

    @property
    def busy(self):
        """Whether a stretch is being worked on; a pause does not cut it short."""
        return self._busy

    def _release(self):
        self._trainer, self._held_out, self._evaluation, self._checkpoints = None, None, None, []

    def _submit(self):
        """Queue the next stretch; the lock is held."""
        if not self._busy:
            self._busy = True
            self._pool.submit(self._work)

    def _work(self):
        """One stretch of examples, or one piece of an evaluation, on a thread of the pool."""
        with self._lock:
            if self._status == "running" and self.seconds_unseen > SLEEP_SECONDS:
                self._status = "asleep"
            if self._status != "running":
                self._busy = False
                return
            trainer, held_out, evaluation = self._trainer, self._held_out, self._evaluation
            examples = min(self._even_stretch(self._stretch), self._until - self._step)
        try:
            if not self._job_kind.prepare(trainer):
                self._continue_preparing()
            elif evaluation is None:
                self._keep(*self._advance(trainer, held_out, examples))
            else:
                self._record_scores(evaluation, self._evaluate_piece(evaluation))
        except Exception as error:  # whatever it is, a person must read of it, and the other trainings go on
            self._fail(error)

    def _continue_preparing(self):
        with self._lock:
            self._busy = False
            if self._status == "running":
                self._submit()

    def _even_stretch(self, stretch):
        """The stretch, a little shorter so that the last one of the epoch is no stump, whose means would be noise."""
        rest = self.size - self._step % self.size
        return -(-rest // -(-rest // stretch))

    def _advance(self, trainer, held_out, examples):
        """Train; → (state, its point, the evaluation that is due after it or None)."""
        began, before = self._clock(), trainer.step
        state = trainer.advance(examples)
        took = self._clock() - began
        self._training += took
        self._stretch = min(resized(self._stretch, took), self.size)
        kind = self._job_kind.point
        values = {name: getattr(state, name) for name in kind.MEANS + kind.HELD_OUT}
        point = kind(step=state.step, examples=state.step - before, **values)
        due = state.step >= self._until or self._scoring <= self._job_kind.scoring * self._training
        evaluate = self._job_kind.evaluation
        evaluation = evaluate(replace(state.model), held_out, self.settings) if held_out and due else None
        return state, point, evaluation

    def _evaluate_piece(self, evaluation):
        """One piece of an evaluation; whether that was the last."""
        began = self._clock()
        over = evaluation.evaluate_next(self._piece)
        took = self._clock() - began
        self._scoring += took
        self._piece = resized(self._piece, took)
        return over

    def _keep(self, state, point, evaluation):
        with self._lock:
            self._busy, self._step = False, state.step
            if self._status == "cancelled":
                return
            self._points = thinned([*self._points, point], MOST_POINTS, merged)
            checkpoint = self._job_kind.checkpoint(state.step, state.model, self.settings)
            kept = [*self._checkpoints, checkpoint]
            self._checkpoints = thinned(kept, self._job_kind.checkpoints, lambda _, second: second)
            self._evaluation, self._evaluation_began = evaluation, self._clock()
            self._measure_pace(point.examples)
            self._continue()

    def _record_scores(self, evaluation, over):
        with self._lock:
            self._busy = False
            if self._status == "cancelled":
                return
            if over:
                self._points[-1] = replace(self._points[-1], **evaluation.scores)
                self._evaluation = None
                if len(self._points) == 1:  # long for the few examples before it: not as the rest will pass
                    self._ended = self._clock()
            self._continue()

    def _continue(self):
        """What comes after a stretch; the lock is held."""
        if self._evaluation is None and self._step >= self.steps:
            self._status, self._trainer, self._held_out = "done", None, None
        elif self._evaluation is None and self._step >= self._until and self._status == "running":
            self._status = "paused"
        elif self._status == "running":
            self._submit()

    def _measure_pace(self, examples):
        """Seconds and examples of the last stretches, as a person sees them pass, other trainings' turns among them."""
        now, (seconds, before) = self._clock(), self._pace
        if self._ended is not None:
            self._pace = 0.9 * seconds + now - self._ended, 0.9 * before + examples
        self._ended = now

    def _fail(self, error):
        with self._lock:
            self._busy, self._status = False, "failed"
            self._message = str(error) or type(error).__name__
            self._release()


def resized(count, took):
    """How many examples the next stretch should have, after ``count`` took so many seconds."""
    return max(1, int(count * np.clip(STRETCH_SECONDS / max(took, 1e-6), 0.5, 2)))


def merged(first, second):
    """Two neighbouring points as one: means weighted by their examples, the later held-out values that are known."""
    examples = first.examples + second.examples
    means = {name: _mean(first, second, name) for name in second.MEANS}
    scores = {name: getattr(second, name) for name in second.HELD_OUT}
    if np.isnan(list(scores.values())).any():
        scores = {name: getattr(first, name) for name in scores}
    return replace(second, examples=examples, **means, **scores)


def _mean(first, second, name):
    """The mean of those that are known: a stretch may have had no example that counts."""
    known = [point for point in (first, second) if not np.isnan(getattr(point, name))]
    weights = [point.examples for point in known]
    return float(np.average([getattr(point, name) for point in known], weights=weights)) if known else float("nan")


def thinned(entries, most, join):
    """The entries, at most so many: the one whose neighbours stand closest in √step joins the next; both ends stay.

    >>> class At(int): step = property(int)
    >>> thinned([At(1), At(4), At(5), At(9)], 3, lambda first, second: second)
    [1, 4, 9]
    """
    if len(entries) <= most:
        return entries
    roots = np.sqrt([entry.step for entry in entries])
    place = 1 + int(np.argmin(roots[2:] - roots[:-2]))
    return [*entries[:place], join(entries[place], entries[place + 1]), *entries[place + 2 :]]
