"""A training in the background: it can be started, paused, stepped and cancelled, and keeps earlier states.

No training owns a thread or a process. It gives its executor one stretch of examples after the other, of about 0.15
s; to pause is to submit no other. Turns are fair (``turns.py``), and a ``TrainingTask`` computes, here or in a worker
process. Without a viewer (``keep_awake``) a training pauses too.
"""

import threading
import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rcmviz.jobs.sequences import SEQUENCE_JOBS
from rcmviz.jobs.training_task import Tools, TrainingTask, bytes_held
from rcmviz.jobs.workers import WorkerLost

STRETCH_SECONDS = 0.15  # seconds between two looks at what a person wants
FIRST_EXAMPLES = 8  # examples of the first stretch: early curves are the steep ones
LONG_EVALUATION = 1.0  # seconds after which an evaluation is mentioned
SETTLED = 1.0  # seconds of training before it says how long the rest will take
SLEEP_SECONDS = 8.0  # seconds without a look before a training sleeps
MOST_POINTS = 200
MOST_LOSSES = 3  # times that a process may die without any progress
FINISHED = ("done", "cancelled", "failed")


@dataclass(frozen=True)
class Snapshot:
    """A training at one moment: ``status`` paused, running, asleep, done, cancelled or failed (then a ``message``) ·
    ``step`` of ``steps`` examples, ``left`` seconds to go (None: unknown) · the ``points`` of its curves and its
    ``checkpoints``, oldest first, of the classes that its kind names · ``evaluating``: it has been reading what
    is held out for a while · ``ahead``: its place in line, 0 where it waits for no seat · ``note``: what had to
    be mended, else empty.
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
    ahead: int = 0
    note: str = ""


class _Given(NamedTuple):
    """Training and held-out data, and the ``info`` of the models."""

    data: Any
    held_out: Any
    info: dict | None


class Job:
    """One training; all methods may be called from any thread and return at once."""

    def __init__(
        self, data, settings, executor, held_out=None, info=None, clock=time.monotonic, job_kind=SEQUENCE_JOBS
    ):
        """``data``, ``held_out`` to learn from · ``executor`` where it computes (``turns.Executor``) · ``info`` for its
        models · ``job_kind`` the kind of training · ValueError where none can be.
        """
        job_kind.validate(data, settings)
        self.settings, self.size = settings, len(data)
        self.steps = settings.epochs * len(data)
        self._job_kind, self._given = job_kind, _Given(data, held_out, info)
        self._executor, self._clock, self._lock = executor, clock, threading.Lock()
        self._status, self._message, self._note, self._busy = "paused", "", "", False
        self._step, self._until, self._stretch = 0, 0, FIRST_EXAMPLES
        self._task, self._prepared, self._reached = None, False, 0  # where it computes, and the step reached there
        self._guidance, self._losses, self._lost_at = [], 0, None
        self._evaluating, self._piece, self._evaluation_began = False, FIRST_EXAMPLES, 0.0
        self._points, self._checkpoints = [], []
        self._task_bytes, self._checkpoint_bytes = 0, 0
        self.excess = lambda: None  # the reason to stop, if it holds too much memory
        self._last_look, self._ended = clock(), None
        self._pace, self._scoring, self._training = (0.0, 0.0), 0.0, 0.0

    def snapshot(self):
        """The ``Snapshot`` of this moment."""
        ahead = self._executor.ahead
        with self._lock:
            seconds, examples = self._pace
            left = (self.steps - self._step) * seconds / examples if seconds > SETTLED else None
            evaluating = self._evaluating and self._clock() - self._evaluation_began > LONG_EVALUATION
            return Snapshot(
                self.settings,
                self._status,
                self._message,
                self._step,
                self.steps,
                left,
                tuple(self._points),
                tuple(self._checkpoints),
                evaluating,
                ahead,
                self._note,
            )

    def run(self, examples=None):
        """Resume, to the end or for ``examples`` more and then pause."""
        with self._lock:
            if self._status in FINISHED:
                return
            self._until = self.steps if examples is None else min(self._step + examples, self.steps)
            self._status, self._last_look, self._ended = "running", self._clock(), None
            self._submit()

    def run_epoch(self):
        """Resume to the end of the epoch, then pause."""
        self.run(self.size - self._step % self.size)

    def pause(self):
        """Stop after the present stretch, until ``run``."""
        with self._lock:
            if self._status in ("running", "asleep"):
                self._status = "paused"
                self._withdraw()

    def keep_awake(self):
        """Note a viewer: a sleeping training resumes, a paused one does not."""
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
            self._withdraw()
            self._release()

    @property
    def seconds_unseen(self):
        """Seconds since a user looked."""
        return self._clock() - self._last_look

    @property
    def finished(self):
        """Whether there is nothing left to do."""
        return self._status in FINISHED

    @property
    def ahead(self):
        """Its place in line, 0 where it does not wait for a seat."""
        return self._executor.ahead

    @property
    def busy(self):
        """Whether a stretch is being worked on; a pause does not cut it short."""
        return self._busy

    @property
    def bytes(self):
        """Bytes in memory, measured after the last stretch."""
        return self._task_bytes + len(self._checkpoints) * self._checkpoint_bytes

    def _release(self):
        """Nothing more is to be computed, nor kept of it; the lock is held."""
        self._release_task()
        self._checkpoints = []

    def _release_task(self):
        if self._task is not None:
            self._executor.drop(self._task)
        self._task, self._given, self._evaluating, self._task_bytes = None, None, False, 0

    def _submit(self):
        """Queue the next stretch; the lock is held."""
        if not self._busy:
            self._busy = True
            self._executor.submit(self._work)

    def _withdraw(self):
        """It waits no longer for a seat; the lock is held."""
        if self._executor.withdraw():
            self._busy = False

    def _work(self):
        """One stretch of examples, or one piece of what comes before or after it, when it is its turn."""
        with self._lock:
            if self._status == "running" and self.seconds_unseen > SLEEP_SECONDS:
                self._status = "asleep"
            given = self._given if self._status == "running" else None
            if given is None:
                self._busy = False
        try:
            if given is not None:
                self._work_at(self._task or self._attach_task(given), given)
        except WorkerLost as lost:
            self._begin_again(lost)
        except Exception as error:  # any error is shown to the user; other trainings continue
            self._fail(error)
        if why := self.excess():
            self._fail(ValueError(why))
        with self._lock:
            if not self._busy:
                self._executor.leave()

    def _attach_task(self, given):
        """A task where the executor is, for a training that has none, or none any more."""
        kind = self._job_kind
        tools, data = Tools(kind.trainer, kind.evaluation, kind.prepare), kind.sent(given.data)
        task = self._executor.make(TrainingTask, tools, data, self.settings, given.held_out, given.info)
        with self._lock:
            self._task, self._prepared, self._reached = task, False, 0
            if self._given is None:  # cancelled in the background
                self._release_task()
        return task

    def _work_at(self, task, given):
        self._prepared = self._prepared or task.prepare()
        if not self._prepared:
            self._queue_again()
        elif self._reached < self._step:
            self._catch_up(task)
        elif self._evaluating:
            self._record_scores(self._evaluate_piece(task))
        else:
            self._keep(*self._advance(task, given.data, given.held_out))

    def _queue_again(self):
        with self._lock:
            self._busy = False
            if self._status == "running":
                self._submit()

    def _even_stretch(self, stretch):
        """The stretch, a little shorter so that the last one of the epoch is no stump, whose means would be noise."""
        rest = self.size - self._step % self.size
        return -(-rest // -(-rest // stretch))

    def _advance(self, task, data, held_out):
        """Train; → (state, its point, whether to evaluate after it, bytes that the training holds)."""
        examples = min(self._even_stretch(self._stretch), self._until - self._step)
        guidance = self._job_kind.guidance(data, self.settings, self._step)
        if guidance != (self._guidance[-1][1] if self._guidance else {}):
            self._guidance.append((self._step, guidance))
        began, before = self._clock(), self._step
        state, held = task.advance(examples, guidance)
        took = self._clock() - began
        self._training += took
        self._stretch = min(next_stretch_size(self._stretch, took), self.size)
        kind = self._job_kind.point
        values = {name: getattr(state, name) for name in kind.MEANS + kind.HELD_OUT}
        point = kind(step=state.step, examples=state.step - before, **values)
        due = state.step >= self._until or self._scoring <= self._job_kind.scoring * self._training
        return state, point, bool(held_out) and due, held

    def _catch_up(self, task):
        """A stretch of what was learnt before a process was lost: the same examples, so the same weights."""
        known = [guidance for step, guidance in self._guidance if step <= self._reached]
        later = [step for step, _ in self._guidance if step > self._reached]
        state, _ = task.advance(min([self._step, *later]) - self._reached, known[-1] if known else {})
        self._reached = state.step
        self._queue_again()

    def _evaluate_piece(self, task):
        """One piece of an evaluation; its scores if that was the last."""
        began = self._clock()
        scores = task.evaluate_next(self._piece)
        took = self._clock() - began
        self._scoring += took
        self._piece = next_stretch_size(self._piece, took)
        return scores

    def _keep(self, state, point, due, held):
        with self._lock:
            self._busy = False
            if self._status == "cancelled":
                return
            self._step = self._reached = state.step
            self._points = thin_points([*self._points, point], MOST_POINTS, merge_points)
            checkpoint = self._job_kind.checkpoint(state.step, state.model, self.settings)
            kept = [*self._checkpoints, checkpoint]
            self._checkpoints = thin_points(kept, self._job_kind.checkpoints, lambda _, second: second)
            self._task_bytes, self._checkpoint_bytes = held, bytes_held(checkpoint)
            self._evaluating, self._evaluation_began = due, self._clock()
            self._measure_pace(point.examples)
            if self._status == "running" and self._job_kind.rests(state):
                self._status = "paused"
            self._continue()

    def _record_scores(self, scores):
        with self._lock:
            self._busy = False
            if self._status == "cancelled":
                return
            if scores is not None:
                self._points[-1] = replace(self._points[-1], **scores)
                self._evaluating = False
                if len(self._points) == 1:  # long for the few examples before it: not as the rest will pass
                    self._ended = self._clock()
            self._continue()

    def _continue(self):
        """Choose the next step after a stretch; the lock is held."""
        if not self._evaluating and self._step >= self.steps:
            self._status = "done"
            self._release_task()
        elif not self._evaluating and self._step >= self._until and self._status == "running":
            self._status = "paused"
        elif self._status == "running":
            self._submit()

    def _measure_pace(self, examples):
        """Seconds and examples of the last stretches, as a person sees them pass, other trainings' turns among them."""
        now, (seconds, before) = self._clock(), self._pace
        if self._ended is not None:
            self._pace = 0.9 * seconds + now - self._ended, 0.9 * before + examples
        self._ended = now

    def _begin_again(self, lost):
        """Its process has died: all that it had learnt is made again, in another one."""
        with self._lock:
            self._losses = self._losses + 1 if self._lost_at == self._step else 1
            self._lost_at, self._task = self._step, None
            again = f"; its {self._step:,} examples are learnt again" if self._step else ""
            self._note = f"the process of this training has died ({lost}){again}"
        if self._losses < MOST_LOSSES:
            self._queue_again()
        else:
            self._fail(
                RuntimeError(f"the process of this training has died {MOST_LOSSES} times ({lost}): make it smaller")
            )

    def _fail(self, error):
        with self._lock:
            self._busy = False
            if self._status == "cancelled":  # during a stretch, whose task is gone
                return
            self._status = "failed"
            self._message = str(error) or type(error).__name__
            self._release()


def next_stretch_size(count, took):
    """The number of examples of the next stretch, after ``count`` took this many seconds."""
    return max(1, int(count * np.clip(STRETCH_SECONDS / max(took, 1e-6), 0.5, 2)))


def merge_points(first, second):
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


def thin_points(entries, most, join):
    """Thin the entries to ``most``: the one whose neighbours stand closest in √step joins the next; both ends stay.

    >>> class At(int): step = property(int)
    >>> thin_points([At(1), At(4), At(5), At(9)], 3, lambda first, second: second)
    [1, 4, 9]
    """
    if len(entries) <= most:
        return entries
    roots = np.sqrt([entry.step for entry in entries])
    place = 1 + int(np.argmin(roots[2:] - roots[:-2]))
    return [*entries[:place], join(entries[place], entries[place + 1]), *entries[place + 2 :]]
