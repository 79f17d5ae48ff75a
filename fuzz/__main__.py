"""python -m fuzz: try thousands of damaged inputs, or one of them again."""

import argparse
import contextlib
import sys
import time
from pathlib import Path

from fuzz import child
from fuzz.files import folder
from fuzz.report import corpus_of, print_findings, table
from fuzz.target import TARGETS


def main(given=None):
    """The command; 1 where something was found."""
    parser = argparse.ArgumentParser("python -m fuzz", description=__doc__)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="which targets, by a part of their names; all by default"
    )
    parser.add_argument("--list", action="store_true", help="say which targets there are")
    parser.add_argument("--count", type=int, default=1_000, help="inputs per target (default 1,000)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the seed of the first input (default 0)")
    parser.add_argument("--minutes", type=float, help="run for this many minutes, in place of --count")
    parser.add_argument(
        "--seed", type=int, help="use the one input of this seed, and say what it is and what came of it"
    )
    parser.add_argument("--keep", type=Path, metavar="FILE", help="with --seed: write the input to a file")
    parser.add_argument("--file", type=Path, help="use the content of a file")
    parser.add_argument("--corpus", action="store_true", help="use the inputs in fuzz/corpus only")
    options = parser.parse_args(given)
    import fuzz.targets  # noqa: F401  enters the targets

    chosen = [
        one for name, one in TARGETS.items() if not options.targets or any(part in name for part in options.targets)
    ]
    if not chosen:
        parser.error(f"no such target; there are {', '.join(TARGETS)}")
    if options.list:
        return print("\n".join(one.name for one in chosen))
    if options.seed is not None or options.file:
        return one_input(chosen[0], options)
    return many_inputs(chosen, options)


def one_input(target, options):
    """Use one input in this process and print everything about it."""
    samples = list(target.samples().values())
    content = options.file.read_bytes() if options.file else target.input(options.seed, samples)
    if options.keep:
        options.keep.write_bytes(content)
    print(f"{target.name}: {len(content):,} bytes\n{content[:2_000]!r}")
    with contextlib.chdir(folder()):  # where a path that is made up is written to
        answer, error, verdict = child.use(target, content)
    print(child.traceback_of(error) if error else repr(answer)[:2_000])
    print(verdict)
    return verdict not in (child.OK, child.REFUSED)


def many_inputs(targets, options):
    """Use the corpus and many inputs of all targets in turn, and print a table."""
    for target in targets:
        for name, content in target.samples().items():
            with contextlib.chdir(folder()):
                _, error, verdict = child.use(target, content)
            if error is not None or verdict != child.OK:
                print(f"{target.name}: its sample {name} is no good: {verdict}", file=sys.stderr)
    begun, tallies = time.monotonic(), {}
    until = begun + 60 * options.minutes if options.minutes else float("inf")
    for place, target in enumerate(targets):
        corpus = corpus_of(target)
        tally = tallies[target.name] = child.try_keys(target, list(corpus), corpus.__getitem__)
        if options.corpus:
            continue
        share = time.monotonic() + (until - time.monotonic()) / (len(targets) - place)
        count = options.count if not options.minutes else 10**9
        found = child.try_seeds(target, range(options.first, options.first + count), share)
        tally.counts += found.counts
        tally.findings |= found.findings
        print_findings(target, found)
    print(table(tallies, time.monotonic() - begun))
    return any(tally.findings for tally in tallies.values())


if __name__ == "__main__":
    sys.exit(main())
