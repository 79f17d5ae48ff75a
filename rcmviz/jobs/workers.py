"""The server's end of a worker process: objects that live there, and calls of their methods.

A process is begun when something is first made in it, and ended when it has had nothing for a while. One thread calls
per process; what a call raises there is raised here. If a process has died, ``WorkerLost`` is raised, and the next
object is made in a new one.
"""

import os
import pickle
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from itertools import count

from rcmviz.jobs.worker import CALL, COMPUTE, DROP, MAKE, NOW, receive, send

VARIABLE = "RCMVIZ_WORKERS"  # of the environment: how many processes compute; 0: threads of the server do
REST_SECONDS = 120.0  # without anything after which a process ends: to begin one takes a second of its core
_NUMBERS = count()


class WorkerLost(Exception):
    """A process has ended before it answered."""


def workers_from_environment():
    """The number of processes set by the environment; the number of cores by default."""
    asked = os.environ.get(VARIABLE, "").strip()
    if asked and not asked.isdecimal():
        raise ValueError(f"{VARIABLE} is {asked!r}: write how many processes compute, or 0 for threads")
    return int(asked) if asked else os.cpu_count() or 1


class LocalWorker:
    """The same without a process: objects live here."""

    holds = 0

    def make(self, factory, *given):
        """``factory(*given)``."""
        return factory(*given)

    def drop(self, made):
        """Cancel and forget an object."""
        made.cancel()

    def rest(self, idle=REST_SECONDS):
        """There is no process to end."""
        return True


class ProcessWorker:
    """A process that may take ``limit`` bytes of memory more than it starts with."""

    def __init__(self, limit):
        self._limit, self._process = limit, None
        self._made, self._used = set(), 0.0  # numbers of what lives there; when something was last asked
        self._calling, self._writing = threading.Lock(), threading.Lock()

    @property
    def holds(self):
        """The number of objects in the worker."""
        return len(self._made)

    @property
    def pid(self):
        """The number of the process, or None."""
        return self._process.pid if self._process is not None else None

    def make(self, factory, *given):
        """A ``Distant`` object that ``factory(*given)`` makes there; raises as it does, or WorkerLost."""
        number = next(_NUMBERS)
        with self._calling:
            if self._process is None:
                self._begin()
            self._ask(MAKE, number, factory, given)
            self._made.add(number)
            return Distant(self, self._process, number)

    def compute(self, function, *given):
        """``function(*given)``, computed there; raises as it does, or WorkerLost."""
        with self._calling:
            if self._process is None:
                self._begin()
            return self._ask(COMPUTE, None, function, given)

    def end(self):
        """End the process at once, whatever it is doing: whoever waits for its answer gets WorkerLost."""
        process = self._process
        if process is not None:
            process.kill()

    def drop(self, made):
        """End what it is doing and forget it; the process answers when it can."""
        self._send_now(made, "cancel")
        threading.Thread(target=self._forget, args=(made,), daemon=True).start()

    def rest(self, idle=REST_SECONDS):
        """End the process if it held no object for ``idle`` seconds; return whether there is none."""
        if self._made or time.monotonic() < self._used + idle:
            return self._process is None
        with self._calling:
            if self._process is not None and not self._made:
                self._end()
            return self._process is None

    def call(self, process, number, name, *given):
        """Call a method of an object in the process that made it."""
        with self._calling:
            if process is not self._process:
                raise WorkerLost(_exit_reason(process))
            return self._ask(CALL, number, name, given)

    def _forget(self, made):
        with suppress(WorkerLost), self._calling:
            if made.process is self._process:
                self._made.discard(made.number)
                self._ask(DROP, made.number, None, ())

    def _send_now(self, made, name):
        with suppress(OSError, ValueError):
            if made.process is self._process:
                self._write(made.process, (NOW, made.number, name, ()))

    def _ask(self, *request):
        """Send a request and wait for its answer; the lock of calls is held."""
        process, self._used = self._process, time.monotonic()
        try:
            self._write(process, request)
            packed = receive(process.stdout)
        except (EOFError, OSError):
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)  # so that its own end is seen, and not ours
            self._end()
            raise WorkerLost(_exit_reason(process)) from None
        good, content = pickle.loads(packed)
        if good:
            return content
        raise content

    def _write(self, process, request):
        """A request that cannot be pickled is not begun."""
        packed = pickle.dumps(request, protocol=5)
        with self._writing:
            send(process.stdin, packed)

    def _begin(self):
        path = os.pathsep.join(entry for entry in sys.path if entry)
        single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # a process is a core
        quiet = {"RCMVIZ_QUIET": "1"}  # the server has written its notes
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rcmviz.jobs.worker", str(self._limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **single, **quiet, "PYTHONPATH": path},
        )

    def _end(self):
        """Whatever is left of the process ends; the lock of calls is held."""
        process, self._process = self._process, None
        self._made.clear()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()
        process.kill()
        process.wait()


class Distant:
    """An object in a process: its methods are called as if it were here."""

    def __init__(self, worker, process, number):
        self.worker, self.process, self.number = worker, process, number

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self.worker.call, self.process, self.number, name)


def _exit_reason(process):
    """The way a process ended, in words."""
    code = process.wait()
    return f"it was ended by signal {-code}" if code < 0 else f"it ended with code {code}"
