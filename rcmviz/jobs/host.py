"""Where the trainings of one server live: who may start how many, on how much data, and when they are forgotten."""

import os
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from rcmviz.jobs.job import Job
from rcmviz.jobs.sequences import SEQUENCE_JOBS
from rcmviz.learn.trainer import warm_up

FORGOTTEN_SECONDS = 30 * 60  # seconds without a look after which a run ends and its memory is freed
ABANDONED_SECONDS = 2 * 60  # seconds without a look after which it ends where another one needs the room
SWEEP_SECONDS = 60  # seconds between two looks for such runs


@dataclass(frozen=True)
class HostLimits:
    """What one server bears: ``trainings`` at a time, ``methods`` per run, ``sequences`` and ``positions`` of the data,
    ``bytes`` of memory in all.
    """

    trainings: int = 20
    methods: int = 5
    sequences: int = 20_000
    positions: int = 300_000
    bytes: int = 1_000_000_000


class JobGroup:
    """A few trainings on the same data, started and stopped together: ``name`` of the run, ``source`` where the
    data is from, ``size`` of the data, one ``Job`` per method in ``jobs``.
    """

    def __init__(self, source, data, held_out, settings, pool, info, job_kind):
        self.name, self.source, self.size = secrets.token_urlsafe(6), source, len(data)
        self.jobs = tuple(Job(data, each, pool, held_out, info, job_kind=job_kind) for each in settings)
        self.bytes = sum(job_kind.bytes_needed(data, each) for each in settings)

    def run(self, examples=None):
        """All go on, to the end or for so many examples."""
        for job in self.jobs:
            job.run(examples)

    def run_epoch(self):
        """All go on to the end of their epoch."""
        for job in self.jobs:
            job.run_epoch()

    def pause(self):
        """All stop after the present stretch."""
        for job in self.jobs:
            job.pause()

    def keep_awake(self):
        """Somebody looks."""
        for job in self.jobs:
            job.keep_awake()

    def cancel(self):
        """All end and give their memory back."""
        for job in self.jobs:
            job.cancel()

    def snapshots(self):
        """One ``Snapshot`` per method."""
        return tuple(job.snapshot() for job in self.jobs)

    @property
    def is_active(self):
        """Whether any training runs, or would if somebody looked."""
        return any(snapshot.status in ("running", "asleep") for snapshot in self.snapshots())

    @property
    def seconds_unseen(self):
        """Seconds since somebody looked."""
        return min(job.seconds_unseen for job in self.jobs)

    @property
    def finished(self):
        """Whether nothing is left to do."""
        return all(job.finished for job in self.jobs)

    @property
    def cancelled(self):
        """Whether a person has ended it."""
        return all(job.snapshot().status == "cancelled" for job in self.jobs)


class Host:
    """All runs of a process, by name."""

    def __init__(self, limits=None, threads=None):
        """``threads`` that compute at once: one core is left to the pages and to the browser."""
        self.limits = limits or HostLimits()
        self._pool = ThreadPoolExecutor(threads or max(1, (os.cpu_count() or 2) - 1), "training")
        self._runs, self._lock, self._timer = {}, threading.Lock(), None
        self._warming = {}

    def warm_up(self, load=warm_up):
        """Compile or load kernels once, in their place in the queue: before the trainings that follow."""
        if load not in self._warming:
            self._warming[load] = self._pool.submit(load)

    @property
    def warming(self):
        """Whether trainings still wait for their kernels."""
        return not all(loading.done() for loading in self._warming.values())

    def open(self, source, data, settings, held_out=None, *, replaces=None, info=None, job_kind=SEQUENCE_JOBS):
        """A new ``JobGroup`` of what ``job_kind`` trains, one training per settings, paused; the run that it
        ``replaces`` ends once this one may begin.

        ValueError says which limit it would break. Where there is no room, runs that nobody has looked at for two
        minutes end.
        """
        if not 1 <= len(settings) <= self.limits.methods:
            raise ValueError(f"{len(settings)} methods: train one to {self.limits.methods} at a time")
        job_kind.check(data, self.limits)
        needed = sum(job_kind.bytes_needed(data, each) for each in settings)
        while self._refusal(len(settings), needed, replaces) and self._abandoned():
            self.close(self._abandoned()[0])
        with self._lock:
            if refusal := self._refusal(len(settings), needed, replaces):
                raise ValueError(refusal)
            if replaced := self._runs.pop(replaces, None):
                replaced.cancel()
            run = JobGroup(source, data, held_out, settings, self._pool, info, job_kind)
            self._runs[run.name] = run
            self._watch()
        return run

    def _refusal(self, trainings, needed, replaces):
        """Why there is no room now for so many trainings that need so many bytes, or None."""
        limits, runs = self.limits, [run for name, run in list(self._runs.items()) if name != replaces]
        if sum(len(run.jobs) for run in runs if not run.finished) + trainings > limits.trainings:
            return f"{limits.trainings} trainings are going on here already, which is the limit; wait, or cancel one"
        free = limits.bytes - sum(run.bytes for run in runs)
        if needed > free:
            return (
                f"this training would need up to {needed / 1e6:,.0f} MB, {max(free, 0) / 1e6:,.0f} MB are free here; "
                "lower the order or the number of methods, or cancel another training"
            )
        return None

    def _abandoned(self):
        """Names of the runs that make room for others, the one that nobody has looked at for longest first."""
        runs = sorted(self._runs.values(), key=lambda run: -run.seconds_unseen)
        return [run.name for run in runs if run.seconds_unseen > ABANDONED_SECONDS]

    def find(self, name):
        """The run of this name, or None."""
        return self._runs.get(name)

    def close(self, name):
        """End a run and forget it."""
        with self._lock:
            run = self._runs.pop(name, None)
        if run is not None:
            run.cancel()

    def checkpoints(self, source, settings):
        """The checkpoints that are remembered of such a training, newest run first; empty where none is."""
        for run in reversed(list(self._runs.values())):
            for job in run.jobs:
                if run.source == source and job.settings == settings:
                    kept = job.snapshot().checkpoints
                    if kept:
                        return kept
        return ()

    def sweep(self):
        """Forget the runs that nobody has looked at for half an hour."""
        for name, run in list(self._runs.items()):
            if run.seconds_unseen > FORGOTTEN_SECONDS:
                self.close(name)

    def _watch(self):
        """Sweep every minute for as long as there are runs; the lock is held."""
        if self._timer is None:
            self._timer = threading.Timer(SWEEP_SECONDS, self._tick)
            self._timer.daemon = True
            self._timer.start()

    def _tick(self):
        self.sweep()
        with self._lock:
            self._timer = None
            if self._runs:
                self._watch()


@cache
def this_host():
    """The host of this process."""
    return Host()
