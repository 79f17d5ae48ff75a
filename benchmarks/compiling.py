"""Compilation with an empty cache: a first ``fit`` and ``predict``, and ``rcmviz warmup``.

Each measurement is a process with an empty folder of compiled code. *Fit* and *predict* are wall seconds on
three short sentences, without imports; CPU time is that of the process and its children until they end.
"""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial

from benchmarks.case import Case

SETTINGS = {"exact 1": {"method": "exact", "order": 1}, "RCMS 10": {}, "beam 10": {"method": "beam"}}
FIRST_FIT = """
import json, time
from rcmviz import SequenceClassifier
X = [[{"word": "the"}, {"word": "cat"}], [{"word": "the"}, {"word": "dog"}, {"word": "sat"}]]
y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
learner, began = SequenceClassifier(**SETTINGS), time.perf_counter()
learner.fit(X, y)
fitted = time.perf_counter()
learner.predict(X)
print(json.dumps([fitted - began, time.perf_counter() - fitted]))
"""
WARMUP = "from rcmviz.cli.main import app; app(['warmup'])"


def run_program(program):
    """Run a program with an empty cache; return (output, wall seconds, CPU time)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder, "RCMVIZ_QUIET": "1"}
        before, began = os.times(), time.perf_counter()
        command = [sys.executable, "-P", "-c", program]
        ended = subprocess.run(command, env=environment, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        after, passed = os.times(), time.perf_counter() - began
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return ended.stdout, passed, spent


def first_fit(settings, quick):
    """A first fit and predict."""

    def measure():
        printed, passed, spent = run_program(FIRST_FIT.replace("SETTINGS", repr(settings)))
        fit, predict = map(float, printed.strip("[]\n").split(","))
        return {
            "fit, s": fit,
            "predict, s": predict,
            "fit and predict, s": fit + predict,
            "until the end, s": passed,
            "CPU s": spent,
        }

    return measure


def warmup(quick):
    """``rcmviz warmup``."""

    def measure():
        _, passed, spent = run_program("import rcmviz" if quick else WARMUP)
        return {"until the end, s": passed, "CPU s": spent}

    return measure


CASE = Case(
    "compiling in an empty cache",
    {f"first fit, {name}": partial(first_fit, settings) for name, settings in SETTINGS.items()} | {"warmup": warmup},
    repeats=1,
    bounds={f"first fit, {name}: fit and predict, s": 5 for name in SETTINGS} | {"warmup: CPU s": 60},
    warm=False,
)
