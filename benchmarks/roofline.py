"""What the processor counts in the kernels of ``lanes.py``, per expansion: cycles, instructions, loads, operations.

    OPENBLAS_NUM_THREADS=1 python benchmarks/roofline.py [--repeats 20] [--budgets 10 50 200]

Linux only, where it lets a program count its own events (``kernel.perf_event_paranoid`` of 2 or less) and the machine,
if it is a virtual one, has counters. Each figure is the least of the repeats, forward, backward and posteriors of the
test words of ``engine.py`` in single precision, one core, so that other programs are as small a part as they can be.
"""

import argparse
import ctypes
import os
import platform
import struct

import numpy as np
from engine import bulk_task, count_expansions, load, show
from lanes import lanes_task

HARDWARE, CACHE, RAW = 0, 3, 4  # types of events, as in linux/perf_event.h
MISSED = "branches_missed"
EVENTS = {
    "cycles": (HARDWARE, 0),
    "instructions": (HARDWARE, 1),
    MISSED: (HARDWARE, 5),
    "loads": (CACHE, 0),
    "loads_missed": (CACHE, 0x10000),  # in the first cache
}
FLOATS = {"AuthenticAMD": (RAW, 0x0F03)}  # additions, products, divisions, each lane by itself
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
SIZE, FLAGS, USER_ONLY = 128, 40, 0b1100000  # of perf_event_attr: its size, where flags are, neither kernel nor host


class Counter:
    """Counts one kind of event of this thread from here on; OSError where that is not allowed or not known."""

    def __init__(self, kind, event):
        attributes = bytearray(SIZE)
        struct.pack_into("IIQ", attributes, 0, kind, SIZE, event)
        struct.pack_into("Q", attributes, FLAGS, USER_ONLY)
        call = ctypes.CDLL(None, use_errno=True).syscall
        shared = (ctypes.c_char * SIZE).from_buffer(attributes)
        self.file = call(PERF_EVENT_OPEN[platform.machine()], shared, 0, -1, -1, 0)
        if self.file < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def read(self):
        return struct.unpack("Q", os.read(self.file, 8))[0]

    def close(self):
        os.close(self.file)


def countable():
    """``{event: (kind, event)}`` of what this machine counts."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        vendor = next((line.split(": ")[1].strip() for line in file if line.startswith("vendor_id")), "")
    found = {}
    for name, event in (EVENTS | ({"floats": FLOATS[vendor]} if vendor in FLOATS else {})).items():
        try:
            Counter(*event).close()
            found[name] = event
        except OSError as error:
            print(f"{name} are not counted here: {error.strerror}")
    return found


def least_count(task, event, repeats):
    """The least count over the repeats; one event at a time, as those beyond the counters that there are take turns."""
    counter, least = Counter(*event), np.inf
    for _ in range(repeats):
        before = counter.read()
        task()
        least = min(least, counter.read() - before)
    counter.close()
    return least


def rows_of(model, log_emits, budget, repeats, events):
    for method in ("rcms", "beam"):
        expansions = count_expansions(model, log_emits, method, budget)
        positions = sum(map(len, log_emits))
        tasks = {
            "scalar": bulk_task(model, log_emits, method, budget),
            "vectors": lanes_task(model, log_emits, method, budget, viterbi=False),
        }
        for kernels, task in tasks.items():
            task()  # compiles, if it must
            counts = {name: least_count(task, event, repeats) for name, event in events.items()}
            missed = counts.pop(MISSED, np.nan) / positions
            row = {"kernels": f"{method} {budget}, {kernels}", "expansions_per_position": expansions / positions}
            yield row | {f"{MISSED}_per_position": missed} | {name: n / expansions for name, n in counts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--budgets", type=int, nargs="+", default=[10, 50, 200])
    options = parser.parse_args()
    events = countable()
    if not events:
        parser.error("this machine counts nothing for its programs")
    source, model, test, log_emits = load()
    print(f"{len(test)} test words ({source}), order {model.order}, {len(model.labels)} labels")
    rows = [row for budget in options.budgets for row in rows_of(model, log_emits, budget, options.repeats, events)]
    show("per expansion; forward, backward and posteriors, one core, f32", rows)


if __name__ == "__main__":
    main()
