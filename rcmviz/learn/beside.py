"""What a first ``predict`` calls, compiled by a process of its own beside a first ``fit``.

Numba compiles one thing at a time in a process, and a first fit has kernels of its own to wait for. What the other
process has compiled lies on disk, where ``predict`` finds it. It is begun only where the kernel that decodes is not
there yet; it ends when all is compiled, or with the process that began it, however that ends.
"""

import atexit
import json
import multiprocessing
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from threading import Event, Lock, Thread

import numpy as np

from rcmviz.kernels.lanes import LANES
from rcmviz.kernels.notice import NOTICE, QUIET
from rcmviz.kernels.on_disk import OnDisk
from rcmviz.learn.decoding import Decoding

ALONE = "RCMVIZ_ALONE"  # of the environment: no process is begun
PRECISIONS = "f4", "f8"  # for labels, and for probabilities and what single precision does not hold
FEW, MANY = 2, 2 * LANES + 1  # labels: with how many may decide which kernel it is

_begun, _beginning = [], Lock()  # the process that this one has begun last
_settled = set()  # kernels that are on disk, or for which one has been: where it could not keep them, none is again


class _Process:
    """A process that compiles ``kernels``, by precision: those ``needed``, and ``others`` once the fit is done."""

    def __init__(self, decoding, needed, others):
        self.kernels, self._needed = {dtype: decoding.kernel(dtype) for dtype in (*needed, *others)}, needed
        self._compiled = {dtype: Event() for dtype in self.kernels}
        given = json.dumps(asdict(decoding)), " ".join(needed), " ".join(others)
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", Decoding.__module__, *given],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            bufsize=0,  # the lock of a buffer could be held while this process is forked
            env={**os.environ, QUIET: "1", "PYTHONPATH": path},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        self._hearing = Thread(target=self._hear, daemon=True, name="rcmviz hears what is compiled")
        self._hearing.start()

    def _hear(self):
        """What is compiled; all, when the process has ended: whoever waits compiles what it has not."""
        try:
            with self._process as process:
                for line in process.stdout:
                    self._compiled.get(line.decode().strip(), Event()).set()
        finally:
            for event in self._compiled.values():
                event.set()

    def is_busy(self):
        """Whether something is not compiled yet."""
        return not all(event.is_set() for event in self._compiled.values())

    def wait(self, dtypes=None):
        """Until these are compiled, those that are needed by default."""
        for dtype in self._needed if dtypes is None else dtypes:
            self._compiled[dtype].wait()

    def go_on(self):
        """With what is not needed yet: no fit is waited for meanwhile."""
        with suppress(OSError, ValueError):  # it has ended, and its input is closed
            self._process.stdin.write(b".")

    def end(self):
        """With nothing half written that is needed."""
        self.wait()
        self._process.kill()
        self._hearing.join()

    def forget(self):
        """In a fork, which is not what it ends with."""
        self._process.stdin.close()


def begin(decoding, y, needed):
    """Have a process compile what decodes so in the precisions ``needed``, and then, from `go_on` on, in the others.

    How many labels there are is told from ``y``, the label sequences that ``fit`` is given. Nothing is begun where what
    is needed lies on disk (2 ms to see that once, .3 later), and where no process can be: then ``predict`` compiles.
    """
    try:
        if not any(_missing(replace(decoding, labels=labels), needed) for labels in (FEW, MANY)):
            return
        if not _may_begin() or not isinstance(y, (list, tuple, np.ndarray)):
            return
        decoding = replace(decoding, labels=len(set(chain.from_iterable(y))))
        missing = _missing(decoding, needed)
    except (TypeError, ValueError):  # whoever uses these says what is wrong
        return
    with _beginning:
        if missing and not any(process.is_busy() for process in _begun):
            NOTICE.say()
            others = _missing(decoding, [dtype for dtype in PRECISIONS if dtype not in needed])
            _begun[:] = _started(decoding, missing, others)
            _settled.update(map(decoding.kernel, missing))


def _started(*given):
    try:
        return [_Process(*given)]
    except OSError:  # none may be begun here
        return []


def go_on():
    """A fit is done: what it began may take a core for what is seldom needed."""
    for process in _begun:
        process.go_on()


def wait(decoding, dtype):
    """Until what decodes so in this precision is no longer compiled by another process."""
    for process in _begun:
        if process.is_busy():
            process.go_on()
            kernel = decoding.kernel(dtype)
            process.wait([other for other, compiled in process.kernels.items() if compiled is kernel])


def _missing(decoding, dtypes):
    kernels = {dtype: decoding.kernel(dtype) for dtype in dtypes}
    _settled.update(kernel for kernel in kernels.values() if kernel not in _settled and OnDisk(kernel).has_code())
    return [dtype for dtype, kernel in kernels.items() if kernel not in _settled]


def _may_begin():
    """Whether this is a program's first process, run by Python itself, with a core to spare."""
    from joblib import effective_n_jobs  # which counts no core that a container may not use

    is_python = Path(sys.executable or "").stem.lower().startswith(("python", "pypy"))
    is_first = multiprocessing.parent_process() is None and multiprocessing.current_process().name == "MainProcess"
    is_asked = not _forked and not os.environ.get(ALONE)
    return is_asked and is_first and is_python and not hasattr(sys, "frozen") and effective_n_jobs(-1) > 1


_forked = []


def _wait_for_needed():
    for process in _begun:
        process.wait()


def _begin_anew():
    """A fork has nobody who hears for it, and begins none."""
    for process in _begun:
        process.forget()
    _begun.clear()
    _forked.append(True)


@atexit.register
def _end():
    """A program that ends before waits for what it needs: the next one finds it on disk."""
    for process in _begun:
        process.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_needed, after_in_child=_begin_anew)
