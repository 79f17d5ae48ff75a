"""python -m fuzz.pages: open thousands of plausible links of all pages, and move widgets at random.

A fault is an exception on the page, a printed traceback, a process that dies, or a run of a page that takes
more than seven seconds of CPU time twice. Answers with an estimated time of a second or more are left out.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

SILENT_SECONDS = 300.0  # after which a process that says nothing is ended
VIEWS_EACH = 700  # of a process; then a fresh one
SHORT_SECONDS = 1.0  # by a page's own estimate; answers that take longer are left out


def work(views: list[tuple[str, int]], outcomes: Connection) -> None:
    """The process: send the outcome of each view, given as (page, seed)."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        terminal = os.dup(2)
        os.dup2(errors.fileno(), 2)
        os.environ["RCMVIZ_WORKERS"] = "1"
        try:
            _open_all(views, outcomes, errors.read)  # from where it was read last
        except Exception:
            os.dup2(terminal, 2)  # a fault of this program
            raise
        outcomes.close()
        os._exit(0)  # threads of pages may wait


def _open_all(views: list[tuple[str, int]], outcomes: Connection, printed: Callable[[], str]) -> None:
    from streamlit import config

    from fuzz.page_views import only_short_answers, view
    from pages.shell.text_store import TEXTS
    from rcmviz.jobs.memory import RESULT_CACHE

    TEXTS.writes = False
    config.set_option("client.showErrorDetails", "full")
    config.set_option("logger.enableRich", False)

    with only_short_answers(SHORT_SECONDS):
        for page, seed in views:
            outcome = view(page, seed, printed)
            if any("CPU time" in fault for fault in outcome.faults):  # unless it only compiled kernels
                RESULT_CACHE.clear()
                outcome = view(page, seed, printed)
            outcomes.send(outcome)


def outcomes_of(views: list[tuple[str, int]], processes: int) -> Iterator[Any]:
    """Yield the outcome of each view, from ``processes`` processes; the death of a process is an outcome."""
    from fuzz.page_views import Outcome

    spawn = multiprocessing.get_context("spawn")
    waiting = [views[k : k + VIEWS_EACH] for k in range(0, len(views), VIEWS_EACH)]
    if len(waiting) < processes:
        waiting = [views[k::processes] for k in range(processes)]
    running: dict[Any, Any] = {}
    while waiting or running:
        while waiting and len(running) < processes:
            part, (reading, writing) = waiting.pop(0), spawn.Pipe(duplex=False)
            process = spawn.Process(target=work, args=(part, writing), daemon=True)
            process.start()
            writing.close()
            running[reading] = process, part, time.monotonic()
        for reading in wait(list(running), timeout=1.0):
            process, part, _ = running[reading]
            try:
                outcome = reading.recv()
            except EOFError:
                del running[reading]
                process.join()
                if part:  # the view that it died of
                    yield Outcome(*part[0], "", faults=[f"the process ended ({process.exitcode})"])
                    waiting.append(part[1:])
                continue
            running[reading] = process, part[1:], time.monotonic()
            yield outcome
        for process, _, heard in running.values():
            if time.monotonic() - heard > SILENT_SECONDS:
                process.kill()


def table(outcomes: Iterable[Any]) -> str:
    """Views, moves, faults and the longest run of each page, as Markdown."""
    pages: dict[str, list[Any]] = {}
    for outcome in outcomes:
        pages.setdefault(outcome.page, []).append(outcome)
    rows = [(name, *_sums(found)) for name, found in sorted(pages.items())]
    rows.append(("**all**", *_sums([outcome for found in pages.values() for outcome in found])))
    lines = ["| page | views | moves | faults | longest run, s of CPU |", "|---|---:|---:|---:|---:|"]
    return "\n".join(
        [*lines, *(f"| {name} | {n:,} | {moves:,} | {bad:,} | {worst:.2f} |" for name, n, moves, bad, worst in rows)]
    )


def _sums(outcomes: list[Any]) -> tuple[int, int, int, float]:
    faults = sum(bool(outcome.faults) for outcome in outcomes)
    return len(outcomes), sum(len(one.moves) for one in outcomes), faults, max(one.seconds for one in outcomes)


def main(given: list[str] | None = None) -> bool:
    """Run the command; return 1 if there are findings."""
    from pages.shell import registry

    parser = argparse.ArgumentParser("python -m fuzz.pages", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="names of pages; all by default")
    parser.add_argument("--views", type=int, default=1_000, help="how many views, of all pages in turn (default 1,000)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the seed of the first view (default 0)")
    parser.add_argument("--minutes", type=float, help="stop after this many minutes")
    parser.add_argument("--processes", type=int, default=2, help="processes that open them (default 2)")
    options = parser.parse_args(given)
    known = [entry.name for entry in registry.nav_entries()]
    if unknown := set(options.pages) - set(known):
        parser.error(f"no such page: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = options.pages or known
    seeds = range(options.first, options.first + options.views)
    begin, outcomes, seen = time.monotonic(), [], set()
    for outcome in outcomes_of([(chosen[seed % len(chosen)], seed) for seed in seeds], options.processes):
        outcomes.append(outcome)
        for fault in outcome.faults:
            if (outcome.page, fault) not in seen:
                seen.add((outcome.page, fault))
                print(f"FAULT {outcome.page}: {fault}\n  {outcome.link}\n  {'; '.join(outcome.moves)}")
                print(f"  python -m fuzz.pages {outcome.page} --first {outcome.seed} --views 1", flush=True)
        if options.minutes and time.monotonic() - begin > 60 * options.minutes:
            break
    print(table(outcomes), f"\n{time.monotonic() - begin:,.0f} s")
    return bool(seen)


if __name__ == "__main__":
    sys.exit(main())
