"""Measures the rows of a case interleaved, in a process for each checkout."""

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
ONE_CORE = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class Worker:
    """A process that imports rcmviz from a checkout and these benchmarks from this one."""

    def __init__(self, checkout):
        self._folder = tempfile.TemporaryDirectory()
        Path(self._folder.name, "benchmarks").symlink_to(ROOT / "benchmarks")
        folders = self._folder.name, checkout, checkout / "tests", os.environ.get("PYTHONPATH", "")
        path = os.pathsep.join(filter(None, map(str, folders)))
        environment = os.environ | ONE_CORE | {"PYTHONPATH": path, "RCMVIZ_QUIET": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "benchmarks.worker"],
            env=environment,
            cwd=checkout,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def measure(self, name, row, quick):
        """``{"figures": …}`` or ``{"error": …}``."""
        print(json.dumps([name, row, quick]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline() or '{"error": "the process ended"}')

    def stop(self):
        """End the process."""
        self._process.communicate()
        self._folder.cleanup()


def measure_case(name, case, rows, checkouts, repeats, quick):
    """``{checkout: {row: [figures of each repeat]}}`` and the messages about rows that cannot be measured."""
    found, errors = {checkout: {row: [] for row in rows} for checkout in checkouts}, []
    workers = {} if case.is_fresh else {checkout: Worker(checkout) for checkout in checkouts}
    failed = set()
    for repeat in range(repeats):
        for row in rows:
            for checkout in checkouts if repeat % 2 else checkouts[::-1]:
                if (checkout, row) in failed or (row in case.peers and checkout != checkouts[0]):
                    continue
                worker = workers.get(checkout) or Worker(checkout)
                answer = worker.measure(name, row, quick)
                if case.is_fresh:
                    worker.stop()
                if "error" in answer:
                    failed.add((checkout, row))
                    errors.append(f"{row} is not measured in {checkout}: {answer['error']}")
                else:
                    found[checkout][row].append(answer["figures"])
    for worker in workers.values():
        worker.stop()
    return found, errors


def summarize(case, found, checkouts):
    """Lines of the table: a dict for each figure of each row, of the first checkout and of the other one."""
    here, *others = (_summaries(case, found[checkout]) for checkout in checkouts)
    there = others[0] if others else {}
    lines = []
    for row, figures in here.items():
        for figure, value in figures.items():
            line = {"row": row, "figure": figure, "value": value}
            if figure in there.get(row, {}):
                other = there[row][figure]
                pairs = zip(found[checkouts[1]][row], found[checkouts[0]][row], strict=True)
                line["other"], line["other / this"] = other, _ratio(other, value)
                line["median of pairs"] = median(_ratio(old[figure], new[figure]) for old, new in pairs)
            line |= _comparison(case, here, row, figure)
            if case.group and "other" in line:
                line["other's ratio"] = _ratio_to_best(case, there, row, figure)
            lines.append(line)
    return lines


def _summaries(case, rows):
    summary = median if case.summary == "median" else min
    return {
        row: {figure: summary([one[figure] for one in repeats]) for figure in repeats[0]}
        for row, repeats in rows.items()
        if repeats
    }


def _comparison(case, summaries, row, figure):
    """Return what a figure is compared with, and the ratio."""
    value = summaries[row][figure]
    bound = case.bounds.get(f"{row}: {figure}", case.bounds.get(figure))
    if case.group:
        return {"compared with": "best case", "ratio": _ratio_to_best(case, summaries, row, figure)}
    if (peer := summaries.get(case.compared.get(row))) and figure in peer:
        return {"compared with": case.compared[row], "ratio": _ratio(value, peer[figure])}
    if bound is not None:
        return {"compared with": f"bound {bound:g}", "ratio": value / bound}
    return {}


def _ratio_to_best(case, summaries, row, figure):
    alike = [summaries[other].values() for other in summaries if case.group(other) == case.group(row)]
    return _ratio(summaries[row][figure], min(min(values) for values in alike))


def _ratio(numerator, denominator):
    return numerator / denominator if denominator else math.nan
