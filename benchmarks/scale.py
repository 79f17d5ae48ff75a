"""What RCMS, beam and exact inference cost as a problem grows: processor time and memory against each of its sizes.

    OPENBLAS_NUM_THREADS=1 python benchmarks/scale.py [--only positions labels] [--repeats 3] [--quick] [--cluster 2]

One table for each of: positions T, labels V (all of them, or 64 candidates each), budget B, order n, words of a batch
(all at once, or as a stream in chunks). The last row is the slope of log time against log size over the upper half of
the sizes that were measured: 1 where twice the size takes twice the time. *Refused* is what a limit does not let begin;
the message stands below the table.

Texts are noise on random weights. Milliseconds are the least of the processor time of this thread, which is the only
one; inputs are made before, but for a batch, whose words come one by one and belong to what is measured. Memory is what
the process takes at its peak beyond what it held before, inputs apart (Linux, ``VmHWM``), so it counts pages that are
touched, numpy's and the kernels' alike; answers are part of it.

With ``--cluster`` instead: a stream on so many workers of Dask on this machine and in one process, in turns.
"""

import argparse
import time
from itertools import pairwise

import numpy as np
import psutil
from candidates import resident_peak
from rich.console import Console
from rich.table import Table

import rcmviz as rv
from rcmviz.experiments.stream import infer_stream

LETTERS = 26
WINDOWS, HEAVIEST = 3_000, 4.0  # random weights of a model
KNOWN = 100  # labels that windows know: each that is known takes a row of weights for all labels
TOP = 64
METHODS = {"RCMS": "rcms", "beam": "beam"}
POOL = 1_000  # different words of a batch
ENOUGH = 0.1  # seconds that short tasks are repeated for


def random_model(width, order, seed=0):
    """Random weights on pairs of labels, and on as many windows of the whole order."""
    rng = np.random.default_rng(seed)
    labels = [f"w{y}" for y in range(width)]
    weights = {}
    for length in {1, order}:
        known, missing = rng.integers(0, min(width, KNOWN), (WINDOWS, length)), ("*",) * (order - length)
        for window, y, weight in zip(known, rng.integers(0, width, WINDOWS), rng.uniform(-1, 1, WINDOWS), strict=True):
            weights[*missing, *(labels[k] for k in window), labels[y]] = HEAVIEST * weight
    return rv.NgramModel.from_windows(labels, order, weights)


def noise(positions, width, seed=1):
    """Log emissions (T, V) in single precision."""
    return np.random.default_rng(seed).normal(0, 2, (positions, width)).astype(np.float32)


def in_bulk(model, log_emits, method, budget):
    """``infer_batch`` on this thread, with posteriors."""
    return rv.infer_batch(model, log_emits, method, budget, threads=1, posterior=True)


def as_lattice(model, log_emit, budget):
    """The builder that keeps the lattice, and its posteriors."""
    return rv.posterior(rv.rcms(model, log_emit, budget, record=False)[0])


def of_positions(length):
    """One word; 26 labels, B = 10, order 3, exact inference of order 1."""
    model, first = random_model(LETTERS, 3), random_model(LETTERS, 1)
    log_emit = noise(length, LETTERS)
    tasks = {name: lambda method=method: in_bulk(model, [log_emit], method, 10) for name, method in METHODS.items()}
    tasks["exact, n = 1"] = lambda: in_bulk(first, [log_emit], "exact", 1)
    return tasks | {"RCMS, lattice": lambda: as_lattice(model, log_emit, 10)}


def of_labels(width):
    """One word of 50 positions, B = 10, order 1; all labels, or 64 candidates each, which a sparse table scores."""
    model, log_emit = random_model(width, 1), noise(50, width)
    lm = rv.LanguageModel.from_weights(model.labels, dict.fromkeys(pairwise(model.labels), 1.0))
    cut = rv.top_candidates(log_emit, TOP)
    hmm = rv.HMM(lm, *cut.named(model.labels), end=False)
    return {
        "RCMS": lambda: in_bulk(model, [log_emit], "rcms", 10),
        "beam": lambda: in_bulk(model, [log_emit], "beam", 10),
        "exact": lambda: in_bulk(model, [log_emit], "exact", 1),
        "cut to 64": lambda: rv.top_candidates(log_emit, TOP),
        "RCMS of 64": lambda: as_lattice(hmm, None, 10),
    }


def of_budget(budget):
    """Two words of 30 positions, 26 labels, order 3."""
    model, words = random_model(LETTERS, 3), [noise(30, LETTERS, seed) for seed in range(2)]
    tasks = {name: lambda method=method: in_bulk(model, words, method, budget) for name, method in METHODS.items()}
    return tasks | {"RCMS, lattice": lambda: [as_lattice(model, word, budget) for word in words]}


def of_order(order):
    """Ten words of 12 positions, 12 labels, B = 200."""
    model, words = random_model(12, order), [noise(12, 12, seed) for seed in range(10)]
    return {
        name: lambda method=method: in_bulk(model, words, method, 200)
        for name, method in (METHODS | {"exact": "exact"}).items()
    }


def of_words(count):
    """Words of 8 positions, 26 labels, B = 10, order 3, exact inference of order 1; a stream in chunks of 1,000."""
    model, first = random_model(LETTERS, 3), random_model(LETTERS, 1)
    pool = noise(8 * POOL, LETTERS).reshape(POOL, 8, LETTERS)

    def stream():
        return (pool[w % POOL].copy() for w in range(count))

    return {
        "RCMS": lambda: in_bulk(model, stream(), "rcms", 10),
        "beam": lambda: in_bulk(model, stream(), "beam", 10),
        "exact, n = 1": lambda: in_bulk(first, stream(), "exact", 1),
        "RCMS, a stream": lambda: sum(len(batch.labels) for batch in in_chunks(model, stream(), 1_000)),
    }


def in_chunks(model, log_emits, size):
    """The answers about a stream, ``size`` words in memory at a time."""
    return infer_stream(model, log_emits, "rcms", 10, size=size, threads=1, posterior=True)


DIMENSIONS = {  # what makes the tasks of a size, sizes, quick ones
    "positions": (of_positions, (100, 200, 500, 1_000, 2_000, 5_000, 10_000), (100, 200, 400)),
    "labels": (of_labels, (100, 300, 1_000, 3_000, 10_000, 25_000, 50_000), (100, 200, 400)),
    "budget": (of_budget, (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000), (10, 30, 100, 1_000_000)),
    "order": (of_order, (1, 2, 3, 4, 5, 6, 8, 10), (1, 2, 3, 8)),
    "words": (of_words, (100, 300, 1_000, 3_000, 10_000, 30_000, 60_000), (100, 200, 400)),
}


def cost(task, repeats):
    """(Least milliseconds of this thread's processor, MB at its peak), or the message of what refuses."""
    try:
        task()  # code is loaded, tables of the model are made
        megabytes, _ = resident_peak(task)
    except ValueError as refusal:
        return str(refusal)
    spent = []
    while len(spent) < repeats or sum(spent) < ENOUGH:
        start = time.thread_time()
        task()
        spent.append(time.thread_time() - start)
    return 1e3 * min(spent), megabytes


def slope(sizes, costs, which=0):
    """Of the log of a cost against that of the size, over the upper half of the sizes that were measured."""
    done = [(size, one[which]) for size, one in zip(sizes, costs, strict=True) if not isinstance(one, str)]
    if len(done) < 3:
        return np.nan
    x, y = np.log(done[len(done) // 2 :]).T
    return float(np.polyfit(x, y, 1)[0])


def costs_of(make, sizes, repeats):
    """``{name: the cost at each size}``."""
    found = {}
    for size in sizes:
        for name, task in make(size).items():
            found.setdefault(name, []).append(cost(task, repeats))
    return found


def show(dimension, about, sizes, found):
    table = Table(title=f"{dimension}: {about}; ms, MB")
    for name in (dimension, *found):
        table.add_column(name, justify="right")
    for k, size in enumerate(sizes):
        table.add_row(f"{size:,}", *(_cell(costs[k]) for costs in found.values()))
    table.add_row("slope", *(f"{slope(sizes, costs):.2f}" for costs in found.values()))
    console = Console(width=150)
    console.print(table)
    for name, costs in found.items():
        refused = [(size, one) for size, one in zip(sizes, costs, strict=True) if isinstance(one, str)]
        for size, message in refused[:1]:
            console.print(f"{name} refuses {size:,}: {message}")


def _cell(one):
    return "refused" if isinstance(one, str) else f"{one[0]:,.3g}  {one[1]:,.1f}"


def on_cluster(workers, repeats, count):
    """A stream of so many words of 8 positions in one process and on a cluster, in turns: words per second that passed,
    and microseconds of the processor a word (this process and the workers).
    """
    from distributed import LocalCluster

    model, pool = random_model(LETTERS, 3), noise(8 * POOL, LETTERS).reshape(POOL, 8, LETTERS)
    table = Table("B", "in one process", f"{workers} workers", "times, median", title="words/s, best; µs a word, least")
    with LocalCluster(workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        spent_by = [psutil.Process(), *(psutil.Process(worker.pid) for worker in cluster.workers.values())]
        for budget in (10, 50, 200):
            costs = {place: [] for place in (None, cluster.scheduler_address)}
            for _ in range(repeats + 1):
                for place, found in costs.items():
                    before, start = processor_of(spent_by), time.perf_counter()
                    chunks = infer_stream(
                        model, (pool[w % POOL] for w in range(count)), "rcms", budget,
                        scheduler=place, threads=1, posterior=True,
                    )  # fmt: skip
                    assert sum(len(batch.labels) for batch in chunks) == count
                    found.append((time.perf_counter() - start, processor_of(spent_by) - before))
            one, many = (np.array(found[1:]) / count for found in costs.values())  # the first loads code
            cells = (f"{1 / np.min(each[:, 0]):,.0f}  {1e6 * np.min(each[:, 1]):.1f}" for each in (one, many))
            table.add_row(f"{budget}", *cells, f"{np.median(one[:, 0] / many[:, 0]):.2f}")
    Console(width=150).print(table)


def processor_of(processes):
    """Seconds that these processes have had of the processor."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=DIMENSIONS, default=list(DIMENSIONS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that all runs")
    parser.add_argument("--cluster", type=int, default=0, help="workers of a Dask cluster on this machine")
    options = parser.parse_args()
    if options.cluster:
        on_cluster(options.cluster, options.repeats, 2_000 if options.quick else 20_000)
        return
    for dimension in options.only:
        make, full, small = DIMENSIONS[dimension]
        sizes = small if options.quick else full
        show(dimension, make.__doc__.rstrip("."), sizes, costs_of(make, sizes, options.repeats))


if __name__ == "__main__":
    main()
