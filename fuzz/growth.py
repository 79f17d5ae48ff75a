"""python -m fuzz.growth: time grows with the size of an input, not with its square.

In every sample of a target lines and words, and what else a format repeats, are written many times; where an element
has a number, each time with the next one, the last twice. An input of twice the size may take at most 2.5 times as
long. Time is that of the processor, the least of three runs, and only where it is long enough to be measured.
"""

import argparse
import contextlib
import io
import math
import re
import sys
import time
from dataclasses import dataclass
from itertools import product

from fuzz.files import folder
from fuzz.target import TARGETS

SIZES = 50_000, 100_000, 200_000  # bytes
MOST = 2.5  # times as long for twice the size
MEASURED = 0.3  # seconds: what takes less is no harm, and cannot be measured well
FEW = 6  # lines of a sample, and words
ALWAYS = (
    b" ",
    b"\n",
    b"\t",
    b",",
    b"a",
    b"0",
    b"**a ",
    b"*a",
    b"`a",
    b"\\*",
    b"{a:",
    b"[a](",
    b"a=1&",
    b"[",
    b"(",
    b'"',
    b"a b\n",
)
NUMBERED = b'"k%d": 1, ', b"k%d=1&", b"k%d,", b"k%d\t", b"k%d\n"
WORD = re.compile(rb"[^\s,;&=]+[\s,;&]?")


@dataclass(frozen=True)
class Growth:
    """How long inputs of the three sizes took, in seconds, of one target with one repeated element."""

    target: str
    element: bytes
    seconds: tuple[float, ...]

    @property
    def exponent(self):
        """Time grows like size to this power; 0 where it is too short to be measured."""
        return math.log2(self.seconds[-1] / self.seconds[-2]) if self.seconds[-1] > MEASURED else 0.0

    @property
    def is_too_fast(self):
        """Whether time grows by more than it may."""
        return self.exponent > math.log2(MOST)


def elements(sample):
    """What is repeated in a sample: [(place, bytes)]."""
    lines = [(found.start(), found[0]) for found in re.finditer(rb"[^\n]*\n", sample)]
    words = [(found.start(), found[0]) for found in WORD.finditer(sample)]
    spread = [some[k * len(some) // min(FEW, len(some))] for some in (lines, words) for k in range(min(FEW, len(some)))]
    places = len(sample) // 2, sample.find(b" ") + 1, sample.find(b"{") + 1, sample.find(b"?") + 1
    return list(dict.fromkeys([*spread, *product(places, ALWAYS + NUMBERED)]))


def repeated(element, size):
    """An element many times, about ``size`` bytes."""
    if b"%d" not in element:
        return element * (size // len(element))
    count = size // len(element)
    return b"".join(element % min(k, count - 2) for k in range(count))


def seconds_of(target, content):
    """Processor time that a target takes for an input, refused or not."""
    begin = time.process_time()
    with contextlib.suppress(ValueError, OSError), contextlib.redirect_stdout(io.StringIO()):
        target.use(content)
    return time.process_time() - begin


def growth_of(target, sample, place, element):
    """The `Growth` of a sample with an element repeated at a place."""

    def least(size, runs):
        content = sample[:place] + repeated(element, size) + sample[place:]
        return min(seconds_of(target, content) for _ in range(runs))

    found = Growth(target.name, element, tuple(least(size, 1) for size in SIZES))
    return Growth(target.name, element, tuple(least(size, 3) for size in SIZES)) if found.is_too_fast else found


def growths(targets):
    """The growths of all elements of all samples that are texts."""
    for target in targets:
        for sample in target.samples().values():
            if b"\0" not in sample and not sample.startswith(b"\x1f\x8b") and len(sample) < SIZES[0] // 10:
                for place, element in elements(sample):
                    yield growth_of(target, sample, place, element)


def main(given=None):
    """The command; 1 where time grows too fast."""
    parser = argparse.ArgumentParser("python -m fuzz.growth", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="by a part of their names; all by default")
    options = parser.parse_args(given)
    import fuzz.targets  # noqa: F401  enters the targets

    chosen = [one for name, one in TARGETS.items() if name != "calls"]
    chosen = [one for one in chosen if not options.targets or any(part in one.name for part in options.targets)]
    found = []
    with contextlib.chdir(folder()):
        for growth in growths(chosen):
            found.append(growth)
            if growth.is_too_fast:
                print(growth.target, growth.element[:40], *(f"{one:.2f} s" for one in growth.seconds), flush=True)
    worst = max(found, key=lambda growth: growth.exponent)
    print(
        f"{len(chosen)} targets, {len(found):,} elements; the worst exponent is {worst.exponent:.2f} ({worst.target})"
    )
    return any(growth.is_too_fast for growth in found)


if __name__ == "__main__":
    sys.exit(main())
