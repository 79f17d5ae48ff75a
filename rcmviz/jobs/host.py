"""The trainings of one server: limits on their number and data, and when they are forgotten."""

import os
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache

from rcmviz.jobs.job import Job
from rcmviz.jobs.memory import max_memory
from rcmviz.jobs.sequences import SEQUENCE_JOBS
from rcmviz.jobs.turns import Turns
from rcmviz.jobs.watchdog import WATCHDOG
from rcmviz.jobs.workers import LocalWorker, ProcessWorker, workers_from_environment
from rcmviz.learn.trainer import warm_up

FORGOTTEN_SECONDS = 30 * 60  # seconds without a look after which a run ends and its memory is freed
ABANDONED_SECONDS = 2 * 60  # seconds without a look after which it ends where another one needs the room
SWEEP_SECONDS = 30  # seconds between two looks for such runs


@dataclass(frozen=True)
class HostLimits:
    """Limits of one server: ``trainings`` that run concurrently, ``runs`` that it keeps, ``methods`` per run,
    ``sequences`` and ``positions`` of the data, ``bytes`` of memory in all and ``bytes_each`` of one run.
    """

    trainings: int = 20
    runs: int = 200
    methods: int = 5
    sequences: int = 20_000
    positions: int = 300_000
    bytes: int = 1_000_000_000
    bytes_each: int = 500_000_000


class JobGroup:
    """A few trainings on the same data, started and stopped together: ``name`` of the run, ``owner`` who started it,
    ``source`` where the data is from, ``size`` of the data, one ``Job`` per method in ``jobs``.
    """

    def __init__(self, source, data, held_out, settings, turns, info, job_kind, owner=""):
        self.name, self.source, self.size, self.owner = secrets.token_urlsafe(6), source, len(data), owner
        self.jobs = tuple(
            Job(data, each, turns.executor(owner or self.name), held_out, info, job_kind=job_kind) for each in settings
        )

    @property
    def bytes(self):
        """Measured bytes of its trainings."""
        return sum(job.bytes for job in self.jobs)

    def run(self, examples=None):
        """Resume all, to the end or for ``examples`` more."""
        for job in self.jobs:
            job.run(examples)

    def run_epoch(self):
        """Resume all to the end of their epoch."""
        for job in self.jobs:
            job.run_epoch()

    def pause(self):
        """All stop after the present stretch."""
        for job in self.jobs:
            job.pause()

    def keep_awake(self):
        """A user looks at it."""
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
    def ahead(self):
        """Its place in line: how many trainings come before its first one has a seat, itself among them; 0: it has."""
        return min(job.ahead for job in self.jobs)

    @property
    def is_active(self):
        """Whether any training runs, or would if a user looked."""
        return any(snapshot.status in ("running", "asleep") for snapshot in self.snapshots())

    @property
    def seconds_unseen(self):
        """Seconds since a user looked."""
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

    def __init__(self, limits=None, threads=None, workers=0):
        """``workers`` processes that compute; without any, ``threads`` threads do, usually one less than cores: one is
        for the pages.
        """
        self.limits = limits or HostLimits()
        if workers:
            lanes = [ProcessWorker(self.limits.bytes) for _ in range(workers)]
        else:
            lanes = [LocalWorker()] * (threads or max(1, (os.cpu_count() or 2) - 1))
        self._turns = Turns(lanes, self.limits.trainings, self._has_room, self._wait_for_kernels)
        self._runs, self._lock, self._timer = {}, threading.Lock(), None
        self._warm, self._warming = ThreadPoolExecutor(1, "kernels"), {}

    def warm_up(self, load=warm_up):
        """Compile or load kernels once; what trains waits for them."""
        if load not in self._warming:
            self._warming[load] = self._warm.submit(load)

    @property
    def warming(self):
        """Whether trainings still wait for their kernels."""
        return not all(loading.done() for loading in list(self._warming.values()))

    def _wait_for_kernels(self):
        """Wait for the kernels: the processes then load them and compile nothing twice."""
        wait(list(self._warming.values()))

    def open(
        self, source, data, settings, held_out=None, *, replaces=None, info=None, job_kind=SEQUENCE_JOBS, owner=""
    ):
        """A new ``JobGroup`` of what ``job_kind`` trains, one training per settings, paused; the run that it
        ``replaces`` ends once this one may begin, if it is the same ``owner``'s. Runs without an owner are everybody's.

        ValueError says which limit it would break. Where memory is short, runs without a look for two
        minutes end; a new run then waits in line for its turn.
        """
        if not 1 <= len(settings) <= self.limits.methods:
            raise ValueError(f"{len(settings)} methods: train one to {self.limits.methods} at once")
        WATCHDOG.check()
        job_kind.check(data, self.limits)
        needed, most = sum(job_kind.bytes_needed(data, each) for each in settings), self.limits.bytes
        if needed > most:
            raise ValueError(
                f"this training would need up to {needed / 1e6:,.0f} MB, {most / 1e6:,.0f} MB are what this server may "
                "take; lower the order or the number of methods"
            )
        while (len(self._runs) >= self.limits.runs or not self._has_room()) and self._evictable_runs():
            self.close(self._evictable_runs()[0])
        with self._lock:
            replaced = self._runs.get(replaces)
            if replaced is not None and replaced.owner != owner:
                replaced = None
            if len(self._runs) - (replaced is not None) >= self.limits.runs:
                raise ValueError(f"{self.limits.runs} runs are known here already, which is the limit; wait a minute")
            run = JobGroup(source, data, held_out, settings, self._turns, info, job_kind, owner)
            if replaced is not None:
                del self._runs[replaces]
                replaced.cancel()
            for job in run.jobs:
                job.excess = lambda: self._excess(run)
            self._runs[run.name] = run
            self._watch()
        return run

    @property
    def bytes(self):
        """Measured bytes of all runs."""
        return sum(run.bytes for run in list(self._runs.values()))

    def _has_room(self):
        return self.bytes < self.limits.bytes

    def _excess(self, run):
        """The reason why a run holds too much, or None: more than a run may, or the most while all hold too much."""
        limits, held = self.limits, run.bytes
        if held > limits.bytes_each:
            most, of = limits.bytes_each, "a run may hold"
        elif self.bytes > limits.bytes and held == max(one.bytes for one in list(self._runs.values())):
            most, of = limits.bytes, "all of them together may hold"
        else:
            return None
        return f"it has come to hold {held / 1e6:,.0f} MB, {of} {most / 1e6:,.0f} MB; make it smaller"

    def _evictable_runs(self):
        """Names of the runs that make room for others, the one without a look for longest first."""
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
            self._turns.assign_lanes()

    def close_all(self, owner):
        """End and forget all runs of an owner."""
        for name, run in list(self._runs.items()):
            if run.owner == owner:
                self.close(name)

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
        """Forget the runs without a look for half an hour."""
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
        self._turns.assign_lanes()
        resting = self._turns.rest()
        with self._lock:
            self._timer = None
            if self._runs or not resting:
                self._watch()


@cache
def this_host():
    """The host of this process."""
    return Host(HostLimits(bytes=max_memory() // 2, bytes_each=max_memory() // 4), workers=workers_from_environment())
