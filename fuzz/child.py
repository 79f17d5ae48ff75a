"""Uses inputs in a child process with limits; if it dies, the parent notes the input and starts another child.

Five seconds of CPU time for an input are counted by the kernel (ITIMER_PROF): load on the machine causes no
findings, and endless compiled loops are found too. Memory is limited to a gigabyte beyond the loaded modules.
"""

from __future__ import annotations

import os
import resource
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from fuzz.files import folder
from fuzz.target import Target
from fuzz.verdict import OK, REFUSED, verdict_of

SECONDS = 5.0  # of CPU time for one input
ASLEEP = 120.0  # seconds without CPU time
MEMORY = 1_000_000_000  # bytes beyond the loaded modules
A_CHILD = 20_000  # inputs per child: a fresh one has empty caches, which would otherwise count as memory


class Tally:
    """How often each verdict was reached, and which inputs led to each finding: ``{verdict: [key, …]}``."""

    def __init__(self):
        self.counts: Counter[str] = Counter()
        self.findings: dict[str, list] = {}

    def add(self, verdict: str, key: Any) -> None:
        """Count a verdict; ``key`` says which input led to it."""
        self.counts[verdict if verdict in (OK, REFUSED) else "findings"] += 1
        if verdict not in (OK, REFUSED):
            self.findings.setdefault(verdict, []).append(key)

    @property
    def total(self) -> int:
        """How many inputs were used."""
        return sum(self.counts.values())


def try_seeds(target: Target, seeds: Sequence[int], until: float = float("inf")) -> Tally:
    """Use the inputs of these seeds, until a time of ``time.monotonic``."""
    samples = list(target.samples().values())
    return try_keys(target, seeds, lambda seed: target.input(seed, samples), until)


def try_keys(target: Target, keys: Sequence, content_of: Callable[[Any], bytes], until: float = float("inf")) -> Tally:
    """Use the input of each key, in one child after the other where one dies."""
    tally, done = Tally(), 0
    while done < len(keys) and time.monotonic() < until:
        done += _use_in_child(target, keys[done : done + A_CHILD], content_of, until, tally)
    return tally


def _use_in_child(target, keys, content_of, until, tally):
    """Use inputs in one child and add their verdicts; how many there were, fewer where it died or time is up."""
    folder()  # made here, and so taken away here
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(target, keys, content_of, until, writing)
    os.close(writing)
    done = 0
    with open(reading, encoding="utf-8") as verdicts:  # ends with the child
        for line in verdicts:
            tally.add(line.rstrip("\n"), keys[done])
            done += 1
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        ended = signal.Signals(os.WTERMSIG(status))
        tally.add(_finding_of(ended), keys[done])
        done += 1
    elif os.WEXITSTATUS(status):
        tally.add(f"the process ended itself ({os.WEXITSTATUS(status)})", keys[done])
        done += 1
    return done


def _finding_of(ended):
    """Return the finding for a signal that ended the use of an input."""
    if ended == signal.SIGPROF:
        return f"more than {SECONDS:g} s of CPU time"
    return f"no end within {ASLEEP:g} s" if ended == signal.SIGALRM else f"the process died of {ended.name}"


def _work(target, keys, content_of, until, writing) -> NoReturn:
    """The child: a line for each input that was used."""
    status = 1
    try:
        _limit_output_and_memory()
        with open(writing, "w", encoding="utf-8", buffering=1) as said:
            for key in keys:
                if time.monotonic() >= until:
                    break
                _, _, verdict = use(target, content_of(key), limited=True)
                said.write(verdict.replace("\n", " ") + "\n")
        status = 0
    finally:
        os._exit(status)


def _limit_output_and_memory():
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    with open("/proc/self/statm", encoding="ascii") as file:
        loaded = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (loaded + MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    os.chdir(folder())  # where a path that is made up is written to


def use(target: Target, content: bytes, limited: bool = False) -> tuple[Any, BaseException | None, str]:
    """(Answer, error, verdict) of one input, in this process; ``limited`` in time, whose end kills the process."""
    answer = error = None
    if limited:
        _set_timers(SECONDS, ASLEEP)
    try:
        answer = target.use(content)
    except Exception as raised:
        error = raised
    if limited:
        _set_timers(0, 0)
    return answer, error, verdict_of(error, answer)


def _set_timers(processor, wall):
    signal.setitimer(signal.ITIMER_PROF, processor)
    signal.setitimer(signal.ITIMER_REAL, wall)


def traceback_of(error: BaseException) -> str:
    """Return the traceback as Python prints it."""
    return "".join(traceback.format_exception(error))
