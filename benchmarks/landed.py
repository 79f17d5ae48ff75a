"""The kernels on vectors beside those of an older checkout, in turns: forward, backward and posteriors.

    git worktree add --detach ../landed 1d8ac4e  # before there were any on vectors
    python benchmarks/landed.py ../landed [--repeats 30] [--budgets 10 50 200]

A process for each tree decodes the test words of its ``engine.py`` in single precision when it is asked to; they are
asked one after the other, and each says how long its processor took. The older tree compiles its kernels first.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
ONE_CORE = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


def start(tree):
    """The process of a tree: a line "rcms 10" is answered by the seconds that decoding all words takes."""
    path = os.pathsep.join([str(tree), str(tree / "benchmarks")])
    command = [sys.executable, "-P", __file__, "--serve"]
    environment, pipe = os.environ | ONE_CORE | {"PYTHONPATH": path}, subprocess.PIPE
    return subprocess.Popen(command, env=environment, cwd=tree, text=True, stdin=pipe, stdout=pipe)


def serve():
    """Answer what is asked on standard input; `engine` is that of the tree, and so is `lanes`, if it has one."""
    import engine

    try:
        from lanes import lanes_task as task_of
    except ImportError:
        task_of = engine.bulk_task
    _, model, _, log_emits = engine.load()
    tasks = {}
    for line in sys.stdin:
        if line not in tasks:
            method, budget = line.split()
            tasks[line] = task_of(model, log_emits, method, int(budget), viterbi=False)
            tasks[line]()
        began = time.process_time()
        tasks[line]()
        print(time.process_time() - began, flush=True)


def ask(process, question):
    """Seconds of the processor for a method and a budget, such as "rcms 10"."""
    print(question, file=process.stdin, flush=True)
    return float(process.stdout.readline())


def row_of(older, newer, question, repeats):
    """Least times of both, how many times as fast the newer is by them, and in the median of pairs."""
    pairs = [(ask(older, question), ask(newer, question)) for _ in range(repeats + 1)][1:]
    least = [min(times) * 1e3 for times in zip(*pairs, strict=True)]
    return {
        "method": question, "older, ms": least[0], "newer, ms": least[1], "times": least[0] / least[1],
        "median of pairs": median(old / new for old, new in pairs),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--budgets", type=int, nargs="+", default=[10, 50, 200])
    options = parser.parse_args()
    from engine import show

    older, newer = start(options.checkout.resolve()), start(ROOT)
    questions = [f"{method} {budget}" for budget in options.budgets for method in ("rcms", "beam")]
    show("all test words, one core, f32", [row_of(older, newer, one, options.repeats) for one in questions])
    for process in (older, newer):
        process.communicate()


if __name__ == "__main__":
    serve() if "--serve" in sys.argv[1:] else main()
