"""How time and memory grow with a problem: positions, labels, budget, order, words of a batch.

Random problems on one thread. A row gives CPU time at the smallest and at the largest size that is not refused, the
rise of peak memory at the largest (with results, without inputs), and the slope of log time over log size in the upper
half of the sizes: 1 if twice the size takes twice the time.
"""

import math
import time
from functools import partial
from itertools import pairwise

import numpy as np

from benchmarks.case import Case
from benchmarks.random_models import random_emissions, random_model
from benchmarks.timing import peak_megabytes

LETTERS, TOP = 26, 64
METHODS = {"RCMS": "rcms", "beam": "beam"}
POOL = 1_000  # different words of a batch
ENOUGH = 0.1  # seconds for which short tasks are repeated


def infer_in_bulk(model, log_emits, method, budget):
    """``infer_batch`` on this thread, with posteriors."""
    import rcmviz as rv

    return rv.infer_batch(model, log_emits, method, budget, threads=1, posterior=True)


def build_with_posteriors(model, log_emit, budget):
    """The builder that keeps the lattice, and its posteriors."""
    import rcmviz as rv

    return rv.posterior(rv.rcms(model, log_emit, budget, record=False)[0])


def vary_positions(length):
    """One word; 26 labels, B = 10, order 3, exact inference of order 1."""
    model, first = random_model(LETTERS, 3), random_model(LETTERS, 1)
    log_emit = random_emissions(length, LETTERS)
    tasks = {name: partial(infer_in_bulk, model, [log_emit], method, 10) for name, method in METHODS.items()}
    tasks["exact 1"] = partial(infer_in_bulk, first, [log_emit], "exact", 1)
    return tasks | {"RCMS, lattice": partial(build_with_posteriors, model, log_emit, 10)}


def vary_labels(width):
    """One word of 50 positions, B = 10, order 1; all labels, or 64 candidates each, which a sparse table scores."""
    import rcmviz as rv

    model, log_emit = random_model(width, 1), random_emissions(50, width)
    lm = rv.LanguageModel.from_weights(model.labels, dict.fromkeys(pairwise(model.labels), 1.0))
    hmm = rv.HMM(lm, *rv.top_candidates(log_emit, TOP).named(model.labels), end=False)
    return {
        "RCMS": partial(infer_in_bulk, model, [log_emit], "rcms", 10),
        "beam": partial(infer_in_bulk, model, [log_emit], "beam", 10),
        "exact": partial(infer_in_bulk, model, [log_emit], "exact", 1),
        "cut to 64": partial(rv.top_candidates, log_emit, TOP),
        "RCMS of 64": partial(build_with_posteriors, hmm, None, 10),
    }


def vary_budget(budget):
    """Two words of 30 positions, 26 labels, order 3."""
    model, words = random_model(LETTERS, 3), [random_emissions(30, LETTERS, seed) for seed in range(2)]
    tasks = {name: partial(infer_in_bulk, model, words, method, budget) for name, method in METHODS.items()}
    return tasks | {"RCMS, lattice": lambda: [build_with_posteriors(model, word, budget) for word in words]}


def vary_order(order):
    """Ten words of 12 positions, 12 labels, B = 200."""
    model, words = random_model(12, order), [random_emissions(12, 12, seed) for seed in range(10)]
    methods = METHODS | {"exact": "exact"}
    return {name: partial(infer_in_bulk, model, words, method, 200) for name, method in methods.items()}


def vary_words(count):
    """Words of 8 positions, 26 labels, B = 10, order 3, exact inference of order 1; a stream in chunks of 1,000."""
    model, first = random_model(LETTERS, 3), random_model(LETTERS, 1)
    pool = random_emissions(8 * POOL, LETTERS).reshape(POOL, 8, LETTERS)

    def stream():
        return (pool[w % POOL].copy() for w in range(count))

    return {
        "RCMS": lambda: infer_in_bulk(model, stream(), "rcms", 10),
        "beam": lambda: infer_in_bulk(model, stream(), "beam", 10),
        "exact 1": lambda: infer_in_bulk(first, stream(), "exact", 1),
        "RCMS, a stream": lambda: sum(len(batch.labels) for batch in infer_in_chunks(model, stream(), 1_000)),
    }


def infer_in_chunks(model, log_emits, size):
    """Return the results of a stream with ``size`` words in memory."""
    from rcmviz.experiments.stream import infer_stream

    return infer_stream(model, log_emits, "rcms", 10, size=size, threads=1, posterior=True)


DIMENSIONS = {  # function that makes the tasks of a size, task names, sizes
    "positions": (
        vary_positions,
        ("RCMS", "beam", "exact 1", "RCMS, lattice"),
        (100, 500, 1_000, 2_000, 5_000, 10_000),
    ),
    "labels": (vary_labels, ("RCMS", "beam", "exact", "cut to 64", "RCMS of 64"), (100, 300, 1_000, 3_000, 10_000)),
    "budget": (vary_budget, ("RCMS", "beam", "RCMS, lattice"), (10, 100, 1_000, 3_000, 10_000, 1_000_000)),
    "order": (vary_order, ("RCMS", "beam", "exact"), (1, 2, 3, 4, 6, 8, 10)),
    "words": (vary_words, ("RCMS", "beam", "exact 1", "RCMS, a stream"), (100, 1_000, 3_000, 10_000, 30_000)),
}


def cost(task):
    """Return (CPU milliseconds, peak MB), or the error's message."""
    try:
        task()  # load code and build the model's tables
        megabytes, _ = peak_megabytes(task)
    except ValueError as refusal:
        return str(refusal)
    spent = []
    while not spent or sum(spent) < ENOUGH:
        began = time.thread_time()
        task()
        spent.append(time.thread_time() - began)
    return 1e3 * min(spent), megabytes


def slope(sizes, costs, which=0):
    """Return the slope of log cost over log size, in the upper half of the measured sizes."""
    done = [(size, one[which]) for size, one in zip(sizes, costs, strict=True) if not isinstance(one, str)]
    if len(done) < 3:
        return math.nan
    x, y = np.log(done[len(done) // 2 :]).T
    return float(np.polyfit(x, y, 1)[0])


def figures_of(sizes, costs):
    """The figures of a row."""
    done = [(size, *one) for size, one in zip(sizes, costs, strict=True) if not isinstance(one, str)]
    if not done:
        raise ValueError(f"every size is refused: {costs[0]}")
    (smallest, least, _), (largest, most, megabytes) = done[0], done[-1]
    figures = {f"CPU ms at {smallest:,}": least, f"CPU ms at {largest:,}": most, f"MB at {largest:,}": megabytes}
    refused = [size for size, one in zip(sizes, costs, strict=True) if isinstance(one, str)]
    return figures | {"slope": slope(sizes, costs)} | ({"refused from": refused[0]} if refused else {})


def growth(dimension, name, quick):
    """The figures of a task over all sizes of a dimension."""
    make, _, sizes = DIMENSIONS[dimension]
    sizes = sizes[:2] if quick else sizes
    return lambda: figures_of(sizes, [cost(make(size)[name]) for size in sizes])


CASE = Case(
    "growth with the size of a problem",
    {
        f"{dimension}, {name}": partial(growth, dimension, name)
        for dimension, (_, names, _) in DIMENSIONS.items()
        for name in names
    },
    repeats=1,
    bounds={"slope": 1},
    warm=False,
)
