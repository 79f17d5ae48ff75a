"""python -m fuzz.growth: time and memory grow with the size of an input, not with its square.

Each element that a format repeats (``repeat.py``) is repeated in every sample of a target. An input of twice the size
may take at most 2.5 times the time and memory. Time is CPU time, the least of three runs,
without garbage collections; memory is the peak of Python and NumPy. Both count only if they are large enough to do harm
and to be measured.
"""

import argparse
import contextlib
import gc
import io
import math
import sys
import time
import tracemalloc
from dataclasses import dataclass

from fuzz.files import folder
from fuzz.repeat import elements
from fuzz.target import TARGETS

LARGEST = 200_000  # bytes of the largest input; the others have a half and a quarter
MOST = 2.5  # times as long, or as much memory, for twice the size
MEASURED = 0.3  # seconds: what takes less is no harm, and cannot be measured well
WEIGHED = 30_000_000  # bytes of memory: less does no harm, and cannot be measured well
LONG = 0.05  # seconds: what takes less has no time to fill so much memory
LARGEST_SAMPLE = LARGEST // 12


@dataclass(frozen=True)
class Growth:
    """Seconds and bytes of memory for inputs of three sizes, of one target with one repeated element."""

    target: str
    element: str
    seconds: tuple[float, ...]
    memory: tuple[int, ...] = (0, 0)
    sizes: tuple[int, ...] = (1, 2)

    @property
    def exponents(self):
        """Time, and memory, grow like size to these powers; 0 where they are too small to be measured."""
        return self._exponent(self.seconds, MEASURED), self._exponent(self.memory, WEIGHED)

    def _exponent(self, values, least):
        larger = self.sizes[-1] / self.sizes[-2]
        return math.log(values[-1] / values[-2]) / math.log(larger) if values[-1] > least and larger > 1.2 else 0.0

    @property
    def is_too_fast(self):
        """Whether time or memory grows by more than it may."""
        return max(self.exponents) > math.log2(MOST)

    def __str__(self):
        seconds = " ".join(f"{one:.2f}" for one in self.seconds)
        memory = " ".join(f"{one / 1e6:.0f}" for one in self.memory)
        return f"{self.target}, {self.element}: {seconds} s, {memory} MB"


def seconds_of(target, content):
    """Processor time that a target takes for an input, refused or not."""
    gc.disable()
    begin = time.process_time()
    try:
        _use(target, content)
        return time.process_time() - begin
    finally:
        gc.enable()


def memory_of(target, content):
    """The most bytes that a target holds at once."""
    tracemalloc.start()
    try:
        _use(target, content)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _use(target, content):
    with contextlib.suppress(ValueError, OSError), contextlib.redirect_stdout(io.StringIO()):
        (target.read or target.use)(content)


def growth_of(target, element, build, size=LARGEST):
    """The `Growth` of one element up to a size in bytes; ``build(size)`` makes the inputs."""
    largest = build(size)
    last = seconds_of(target, largest)
    most = memory_of(target, largest) if last > LONG else 0
    found = Growth(target.name, element, (last, last), (most, most))
    if last < MEASURED and most < WEIGHED:
        return found
    contents = [build(size // 4), build(size // 2), largest]
    sizes = tuple(map(len, contents))
    seconds = [seconds_of(target, content) for content in contents]
    memory = memory_of(target, contents[-2]), most
    found = Growth(target.name, element, tuple(seconds), memory, sizes)
    if not found.is_too_fast:
        return found
    for _ in range(2):
        seconds = [min(one, seconds_of(target, content)) for one, content in zip(seconds, contents, strict=True)]
    return Growth(target.name, element, tuple(seconds), memory, sizes)


def growths(target, size=LARGEST):
    """The growths of all elements of a target's samples; what several samples repeat is tried once."""
    seen = set()
    for sample in target.samples().values():
        for element, build in elements(sample) if len(sample) < LARGEST_SAMPLE or sample[:2] == b"PK" else ():
            if element not in seen:
                seen.add(element)
                yield growth_of(target, element, build, size)


def main(given=None):
    """Run the command; return 1 if anything grows too fast."""
    parser = argparse.ArgumentParser("python -m fuzz.growth", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="by a part of their names; all by default")
    parser.add_argument("--bytes", type=int, default=LARGEST, help="of the largest input (%(default)s)")
    options = parser.parse_args(given)
    import fuzz.targets  # noqa: F401  enters the targets

    chosen = [one for name, one in TARGETS.items() if name != "calls"]
    chosen = [one for one in chosen if not options.targets or any(part in one.name for part in options.targets)]
    is_bad = False
    with contextlib.chdir(folder()):
        for target in chosen:
            found = []
            gc.freeze()
            for growth in growths(target, options.bytes):
                found.append(growth)
                if growth.is_too_fast:
                    is_bad = True
                    print(growth, flush=True)
            if found:
                print(summary(target.name, found), flush=True)
    return is_bad


def summary(name, found):
    """One line about a target's growths."""
    time_power, memory_power = (max(growth.exponents[k] for growth in found) for k in (0, 1))
    seconds, memory = (
        max(values) for values in zip(*((one.seconds[-1], one.memory[-1]) for one in found), strict=True)
    )
    powers = f"time ^{time_power:.2f}  memory ^{memory_power:.2f}"
    return f"{name:22} {len(found):5} elements  {powers}  at most {seconds:.2f} s, {memory / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
