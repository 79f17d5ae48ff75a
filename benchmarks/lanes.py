"""The kernels on vectors beside those that define what they do: forward, backward and posteriors; with Viterbi too.

    OPENBLAS_NUM_THREADS=1 python benchmarks/lanes.py [--repeats 100] [--budgets 10 50 200]

Both decode the test words of ``engine.py`` in single precision, in turns in one process, and so do exact inference of
order 1 and CRFsuite; every figure is the least time of the processor, of this thread alone, so that a busy machine is
no part of it.
"""

import argparse
import time

import numba
import numpy as np
from engine import bulk_task, count_expansions, crfsuite_task, exact_tasks, load, show
from numba.core.registry import cpu_target

from rcmviz.core.batch import Search, run_kernels
from rcmviz.core.scores import scaled_emissions
from rcmviz.tasks.handwriting import letter_data


def least_times(tasks, repeats):
    """Least seconds of the processor of each task, ``{name: callable}``, in turns."""
    least = dict.fromkeys(tasks, np.inf)
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            start = time.thread_time()
            task()
            if turn:
                least[name] = min(least[name], time.thread_time() - start)
    return least


def lanes_task(model, log_emits, method, budget, viterbi):
    """As ``engine.bulk_task``, by whatever kernel ``infer_batch`` calls."""
    offset = np.concatenate([[0], np.cumsum([len(emit) for emit in log_emits])]).astype(np.int64)
    emit, _ = scaled_emissions(np.concatenate(log_emits), False, "f4")
    labels = np.zeros(len(emit) if viterbi else 0, np.int64)
    outputs = labels, np.zeros((len(log_emits), 2)), np.zeros_like(emit)
    return lambda: run_kernels(model, emit, offset, Search(method, budget), outputs)


def rows_of(model, log_emits, budget, repeats):
    tasks = {}
    for method in ("rcms", "beam"):
        for viterbi in (False, True):
            tasks["scalar", method, viterbi] = bulk_task(model, log_emits, method, budget, viterbi=viterbi)
            tasks["vectors", method, viterbi] = lanes_task(model, log_emits, method, budget, viterbi)
    least = least_times(tasks, repeats)
    for method in ("rcms", "beam"):
        count = count_expansions(model, log_emits, method, budget)
        scalar, vectors = (least[kernel, method, False] for kernel in ("scalar", "vectors"))
        yield {
            "method": f"{method} {budget}", "words_per_s": len(log_emits) / vectors,
            "scalar_ns_per_expansion": scalar / count * 1e9, "vectors_ns": vectors / count * 1e9,
            "times": scalar / vectors, "over_beam": vectors / least["vectors", "beam", False],
            "with_viterbi_times": least["scalar", method, True] / least["vectors", method, True],
        }  # fmt: skip


def exact_rows(model, test, repeats):
    features = [letter_data.features(word.images) for word in test]
    least = least_times(exact_tasks(model, features) | crfsuite_task(test, features), repeats)
    peer = least.get("CRFsuite", np.nan)
    tokens = sum(map(len, features))
    return [
        {"kernels": name, "tokens_per_s": tokens / seconds, "ns_per_token": seconds / tokens * 1e9,
         "times_CRFsuite": peer / seconds}
        for name, seconds in least.items()
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--budgets", type=int, nargs="+", default=[10, 50, 200])
    options = parser.parse_args()
    source, model, test, log_emits = load()
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    width = "AVX-512" if "+avx512f" in features else "AVX2" if "+avx2" in features else "neither AVX-512 nor AVX2"
    print(f"{len(test)} test words ({source}), order {model.order}, {len(model.labels)} labels")
    print(f"{processor}, {width}, numba {numba.__version__}")
    rows = [row for budget in options.budgets for row in rows_of(model, log_emits, budget, options.repeats)]
    show("forward, backward and posteriors, one core, f32", rows)
    show("exact, order 1, from features to posteriors, one core, f32", exact_rows(model, test, options.repeats))


if __name__ == "__main__":
    main()
