"""These kernels beside those of an older checkout, in turns: what was asked for is a number of times the older.

    git worktree add --detach ../landed 1d8ac4e  # before there were kernels on vectors
    python benchmarks/landed.py ../landed [--repeats 30] [--tasks "rcms 10" "train 10" align …]

A process for each tree does a task when it is asked to; they are asked one after the other, and each says how long its
processor took. ``rcms`` and ``beam`` decode the test words of ``engine.py`` with forward, backward and posteriors in
single precision, ``train`` learns an epoch from the other words, ``em`` is a pass over the cipher of Tatoeba, ``align``
one over words and their sounds, ``ars`` a mean of messages of ten words, ``pos`` all of UD-EWT's development part with
5-grams. Each tree does them in its own best way. The older tree compiles its kernels first.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
ONE_CORE = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
ASKED = {  # times the older; of what was asked in ms or s what that is beside the older's time on the same machine
    "rcms 10": 5.0, "rcms 50": 4.0, "rcms 200": 3.5, "train 10": 80 / 27.8, "em 60": 0.61 / 0.3, "align": 2.1 / 1.0,
    "ars decode": 18 / 12, "ars sample": 7 / 5, "pos": 1.01 / 0.6,
}  # fmt: skip
SLOW = {"em", "align", "ars", "pos"}  # a second and more, so that a tenth of the repeats will do


def start(tree):
    """The process of a tree: a line "rcms 10" is answered by the seconds that decoding all words takes."""
    path = os.pathsep.join([str(tree), str(tree / "benchmarks")])
    command = [sys.executable, "-P", __file__, "--serve"]
    environment, pipe = os.environ | ONE_CORE | {"PYTHONPATH": path}, subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=tree, text=True, stdin=pipe, stdout=pipe)


def serve():
    """Answer what is asked on standard input, with the code and the benchmarks of the tree."""
    tasks = {}
    for line in sys.stdin:
        name, *given = line.split()
        if line not in tasks:
            tasks[line] = TASKS[name](name, *given)
            tasks[line]()
        print(tasks[line](), flush=True)


def seconds_of(task):
    """A task that answers how long the processor took for it."""

    def timed():
        began = time.process_time()
        task()
        return time.process_time() - began

    return timed


def either(*modules):
    """The first of the modules that a tree has: some have moved."""
    for module in modules:
        try:
            return import_module(module)
        except ImportError:
            continue
    raise ImportError(f"none of {modules}")


def decoding(method, budget):
    import engine

    task_of = engine.bulk_task
    if (Path.cwd() / "benchmarks/lanes.py").exists():
        from lanes import lanes_task as task_of
    _, model, _, log_emits = engine.load()
    return seconds_of(task_of(model, log_emits, method, int(budget), viterbi=False))


def learning(_, budget):
    import training

    import rcmviz as rv

    letters = either("rcmviz.tasks.handwriting.letter_data", "rcmviz.tasks.handwriting")
    data = letters.word_sequences(training.load()[1])
    single = {"precision": "f4"} if any(entry.name == "precision" for entry in fields(rv.Training)) else {}
    return seconds_of(training.warmed(data, budget=int(budget), **single).advance)


def maximizing(_, budget):
    from rcmviz.learn.em import EM

    words = either("rcmviz.tasks.decipher.words", "rcmviz.tasks.cipher_words")
    cipher = words.tatoeba_cipher()
    em = EM(cipher.model(2), cipher.lines, "rcms", int(budget))
    list(em.run(6))  # contexts are as long as they are while one learns
    return seconds_of(em.advance)


def aligning(_):
    import align

    source = either("rcmviz.tasks.speech.examples", "rcmviz.tasks.speech")
    pairs = source.load("words").train
    return lambda: seconds_of(align.AlignTrainer(pairs, align.LINES[0]).advance)()  # a first pass: there are five


def rejecting(_, task):
    runs = either("rcmviz.experiments.sms_runs", "rcmviz.reproduce.sms_runs")
    how = {"decode": runs.decoding, "sample": runs.sampling}[task]
    given = {"batch": 50} if task == "sample" else {}
    spec = how("europarl", runs.ORDERS["europarl"][-1], sentences=100, look_ahead=True, slips=False, **given)
    return lambda: runs.cell(spec)["rows"][0]["ms"]["mean"] / 1e3


def tagging(_):
    runs = either("rcmviz.experiments.pos_runs", "rcmviz.reproduce.pos_runs")
    task = "decode" if runs.__name__.startswith("rcmviz.reproduce") else "together"
    spec = runs.tagging(task, "ud_ewt", 5, emissions=runs.EMISSIONS["ud_ewt"][0], repeats=1)
    return lambda: runs.cell(spec)["seconds"]


TASKS = {
    "rcms": decoding, "beam": decoding, "train": learning, "em": maximizing, "align": aligning, "ars": rejecting,
    "pos": tagging,
}  # fmt: skip


def ask(process, question):
    """Seconds of the processor for a task such as "rcms 10"."""
    print(question, file=process.stdin, flush=True)
    return float(process.stdout.readline())


def row_of(older, newer, question, repeats):
    """Least times of both, how many times as fast the newer is by them, and in the median of pairs."""
    repeats = max(2, repeats // 10) if question.split()[0] in SLOW else repeats
    pairs = [(ask(older, question), ask(newer, question)) for _ in range(repeats + 1)][1:]
    least = [min(times) * 1e3 for times in zip(*pairs, strict=True)]
    return {
        "task": question, "older, ms": least[0], "newer, ms": least[1], "times": least[0] / least[1],
        "median of pairs": median(old / new for old, new in pairs), "asked": ASKED.get(question, float("nan")),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--tasks", nargs="+", default=list(ASKED))
    options = parser.parse_args()
    from engine import show
    from rich.progress import track

    older, newer = start(options.checkout.resolve()), start(ROOT)
    show("one core", [row_of(older, newer, task, options.repeats) for task in track(options.tasks, "in turns")])
    for process in (older, newer):
        process.communicate()


if __name__ == "__main__":
    serve() if "--serve" in sys.argv[1:] else main()
