"""CPU time and peak memory of a call."""

import ctypes
import math
import sys
import time
from pathlib import Path

RESET = Path("/proc/self/clear_refs")


def cpu_ms(task):
    """A function that measures the CPU time of a call, of all threads of this process."""

    def measure():
        began = time.process_time()
        task()
        return {"CPU ms": 1e3 * (time.process_time() - began)}

    return measure


def peak_megabytes(task):
    """Return (rise of resident memory in MB, NaN if the system does not report it; the task's result)."""
    if not RESET.exists():
        return math.nan, task()
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # freed memory would hide a part of the rise
    RESET.write_text("5", encoding="ascii")  # reset the peak
    before = _kilobytes("VmRSS")
    result = task()
    return (_kilobytes("VmHWM") - before) / 1024, result


def _kilobytes(name):
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))
