"""How long a first fit and a first predict take where nothing is compiled.

    python benchmarks/first_fit.py [runs] [checkout …]      (this one by default; several are measured in turns)

Each run is a process with an empty folder of compiled code: it reads two sentences of feature dicts, learns, and labels
them. Seconds of the clock, imports apart, and those of the processor until it ends, of all its processes.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

SETTINGS = {"exact 1": {"method": "exact", "order": 1}, "RCMS": {}, "beam": {"method": "beam"}}
PROGRAM = """
import time
from rcmviz import SequenceClassifier
X = [[{"word": "the"}, {"word": "cat"}], [{"word": "the"}, {"word": "dog"}, {"word": "sat"}]]
y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
learner, began = SequenceClassifier(**SETTINGS), time.perf_counter()
learner.fit(X, y)
fitted = time.perf_counter()
learner.predict(X)
print(fitted - began, time.perf_counter() - fitted)
"""


def measured(checkout, settings):
    """(Seconds of fit, of predict, of all until the end, and those of the processor)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": str(checkout), "RCMVIZ_QUIET": "1"}
        program = PROGRAM.replace("SETTINGS", repr(settings))
        before, began = os.times(), time.perf_counter()
        command = [sys.executable, "-P", "-c", program]
        ran = subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        after, passed = os.times(), time.perf_counter() - began
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return (*map(float, ran.stdout.split()), passed, spent)


def main():
    """Print a row for each setting and checkout: the median of the runs."""
    runs, checkouts = (
        int(sys.argv[1]) if sys.argv[1:] else 1,
        [Path(path).resolve() for path in sys.argv[2:]] or [Path(__file__).parents[1]],
    )
    print("| | fit, s | predict, s | until it ends, s | processor, s | load |\n|---|---|---|---|---|---|")
    for name, settings in SETTINGS.items():
        found = [[measured(checkout, settings) for checkout in checkouts] for _ in range(runs)]
        for checkout, of_runs in zip(checkouts, zip(*found, strict=True), strict=True):
            numbers = " | ".join(f"{median(column):.1f}" for column in zip(*of_runs, strict=True))
            print(f"| {name}, {checkout.name} | {numbers} | {os.getloadavg()[0]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
