"""Run benchmark cases: python -m benchmarks [case …] [--against OTHER_CHECKOUT] [--repeats N] [--json FILE].

``python -m benchmarks report [--json FILE]`` writes the figures of docs/benchmarks.md, with those of FILE.
"""

import argparse
import json
import os
from pathlib import Path

from rich.console import Console

from benchmarks.cases import MODULES, load_case
from benchmarks.page import write_page
from benchmarks.report import table_of
from benchmarks.runner import ROOT, measure_case, summarize


def main():
    """Measure the cases one after the other; print a table for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n", 1)[0])
    parser.add_argument("case", nargs="*", metavar="case", help=f"{', '.join(MODULES)}; all without any; or report")
    parser.add_argument("--against", type=Path, metavar="OTHER_CHECKOUT", help="measure it too, interleaved")
    parser.add_argument("--rows", metavar="TEXT", default="", help="only rows whose name contains this")
    parser.add_argument("--repeats", type=int, help="of each row; each case has a default")
    parser.add_argument("--quick", action="store_true", help="small inputs, one repeat: does everything run?")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures; with report, read them")
    options = parser.parse_args()
    if options.case == ["report"]:
        write_page(options.json)
        return
    if unknown := sorted(set(options.case) - set(MODULES)):
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(MODULES)}")
    if options.against and not (options.against / "rcmviz").is_dir():
        parser.error(f"{options.against} is no checkout: it has no folder rcmviz")
    if options.repeats is not None and options.repeats < 1:
        parser.error(f"--repeats is {options.repeats}; it must be at least 1")
    checkouts = [ROOT, *([options.against.resolve()] if options.against else [])]
    console, results = Console(width=140), {}
    for name in options.case or MODULES:
        case = load_case(name)
        chosen = {row for row in case.rows if options.rows.lower() in row.lower()}
        if not chosen:
            parser.error(f"no row of {name} contains {options.rows!r}; there are {'; '.join(case.rows)}")
        chosen |= {case.compared[row] for row in chosen & case.compared.keys()}
        rows = [row for row in case.rows if row in chosen]
        repeats = 1 if options.quick else options.repeats or case.repeats
        found, errors = measure_case(name, case, rows, checkouts, repeats, options.quick)
        lines = summarize(case, found, checkouts)
        console.print(table_of(case, lines))
        console.print(f"{case.summary} of {repeats}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for error in errors:
            console.print(error, markup=False)
        results[name] = {"repeats": repeats, "lines": lines, "errors": errors}
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
